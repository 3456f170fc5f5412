//! Files of an array that are gone. Whoever reads it gets zeros in their place, as of elements that nobody wrote, so this has to be told.

use crate::output;
use disk_array::ArrayDirectory;

/// The shards that an array of ours must have and that are not among those `stored`: it is made with all of them. Of one on several hosts those
/// of a host are here, or, if there is any other, all of them were to be collected.
pub fn shards(array: &ArrayDirectory, stored: &[u64]) -> Vec<u64> {
    let Some(ours) = array.attributes() else { return vec![] };
    let of_host = ours.part.as_ref().filter(|part| stored.iter().all(|&number| part.has_shard(number)));
    let is_expected = |number: &u64| of_host.is_none_or(|part| part.has_shard(*number));
    let absent = (0..array.layout().shards_count()).filter(|number| stored.binary_search(number).is_err());
    absent.filter(is_expected).collect()
}

/// Tells on standard error, in one line, if there are any.
pub fn tell(array: &ArrayDirectory, stored: &[u64]) {
    let missing = shards(array, stored).len();
    if missing > 0 {
        let (path, count) = (array.path().display(), missing + stored.len());
        output::note(&format!(
            "{missing} of {count} shards are not there, their elements read as zero: {path}; chemio verify names them"
        ));
    }
}
