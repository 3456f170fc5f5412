//! The text that the name of a striped file holds: where its stripes are, and how they are cut.
//!
//! JSON: `{"format":"chemio-striped-file","version":1,"stripe_bytes":1048576,"stripes":["/d1/x.…","/d2/x.…"]}`, the
//! stripes with absolute paths, in their order.

use crate::error::{Error, Result};
use crate::make::is_stripe_name;
use crate::striping::Striping;
use serde::{Deserialize, Serialize};
use std::path::Path;

const FORMAT: &str = "chemio-striped-file";
const VERSION: u32 = 1;
/// What every description begins with, and no data of a program does by chance.
const BEGINNING: &[u8] = br#"{"format":"chemio-striped-file","#;
/// No description is longer: 2^20 stripes do not fit, and nobody has so many disks.
const LEN_BYTES_MAX: u64 = 1 << 20;

/// Where a striped file is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Description {
    format: String,
    version: u32,
    stripe_bytes: u64,
    stripes: Vec<String>,
}

impl Description {
    pub(crate) fn new(stripe_bytes: u64, stripes: Vec<String>) -> Self {
        Self { format: FORMAT.to_owned(), version: VERSION, stripe_bytes, stripes }
    }

    /// The paths of the stripes.
    pub(crate) fn stripes(&self) -> &[String] {
        &self.stripes
    }

    pub(crate) fn striping(&self) -> Option<Striping> {
        Striping::new(self.stripe_bytes, self.stripes.len())
    }

    pub(crate) fn to_text(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers are JSON") + "\n"
    }

    /// The description that the file `path` holds; `None` if it is a plain file.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let options =
            elio::OpenOptions { sharing: elio::Sharing::Shared, ..elio::OpenOptions::new(elio::Mode::Read) };
        let file = elio::File::open(path, &options)?;
        let mut beginning = [0; BEGINNING.len()];
        if file.read_at(0, &mut beginning)? < BEGINNING.len() || beginning != BEGINNING {
            return Ok(None);
        }
        let len_bytes = file.len()?.min(LEN_BYTES_MAX);
        let mut text = vec![0; usize::try_from(len_bytes).expect("a megabyte")];
        let got = file.read_at(0, &mut text)?;
        Self::of_text(&text[..got])
            .map(Some)
            .map_err(|reason| Error::Description { path: path.to_owned(), reason })
    }

    fn of_text(text: &[u8]) -> std::result::Result<Self, String> {
        let version = |text| serde_json::from_slice::<serde_json::Value>(text).ok()?.get("version")?.as_u64();
        if let Some(newer) = version(text).filter(|version| *version != u64::from(VERSION)) {
            return Err(format!("version {newer}, this program knows {VERSION}"));
        }
        let description: Self = serde_json::from_slice(text).map_err(|error| error.to_string())?;
        if description.striping().is_none() {
            let Self { stripe_bytes, stripes, .. } = &description;
            return Err(format!("{} stripes in units of {stripe_bytes} bytes", stripes.len()));
        }
        if let Some(stripe) = description.stripes.iter().find(|stripe| !Path::new(stripe).is_absolute()) {
            return Err(format!("the stripe {stripe} has no absolute path"));
        }
        let is_other = |(number, stripe): &(usize, &String)| !is_stripe_name(Path::new(stripe), *number);
        match description.stripes.iter().enumerate().find(is_other) {
            Some((number, stripe)) => Err(format!("{stripe} has not the name of stripe {number}")),
            None => Ok(description),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(contents: &[u8]) -> Result<Option<Description>> {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), contents).unwrap();
        Description::read(file.path())
    }

    fn two_disks() -> Description {
        Description::new(
            1 << 20,
            ["/d1/a \"b\".0123456789abcdef.stripe0", "/d2/ä.0123456789abcdef.stripe1"]
                .map(str::to_owned)
                .to_vec(),
        )
    }

    #[test]
    fn what_is_written_is_read() {
        let text = two_disks().to_text();
        assert!(text.as_bytes().starts_with(BEGINNING), "{text}");
        assert_eq!(read(text.as_bytes()).unwrap(), Some(two_disks()));
    }

    #[test]
    fn data_is_no_description() {
        for data in [&b""[..], b"{", b"{\"format\":\"else\"}", &[0; 100]] {
            assert_eq!(read(data).unwrap(), None);
        }
    }

    #[test]
    fn what_makes_no_sense_is_an_error_that_says_why() {
        let text = two_disks().to_text();
        for (from, to, why) in [
            (":1,", ":2,", "version 2"),
            ("1048576", "1000", "units of 1000 bytes"),
            ("\"/d1", "\"d1", "no absolute path"),
            // Files of somebody else, and one file twice.
            (".0123456789abcdef.stripe1", "", "has not the name of stripe 1"),
            (".0123456789abcdef.", ".", "has not the name of stripe 0"),
            ("ä.0123456789abcdef.stripe1", "ä.0123456789abcdef.stripe0", "has not the name of stripe 1"),
            ("]}", "", "EOF"),
            ("]}", "],\"more\":1}", "unknown field"),
        ] {
            let error = read(text.replacen(from, to, 1).as_bytes()).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
