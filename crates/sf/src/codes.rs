//! The legacy error numbers of shared files: those of the device layer, and one for the rest.

pub use elio::codes::{
    Code, DEVICE_AREAD, DEVICE_AWRITE, DEVICE_CLOSE, DEVICE_DELETE, DEVICE_END_OF_FILE, DEVICE_HANDLE,
    DEVICE_MODE, DEVICE_OPEN, DEVICE_READ, DEVICE_SEEK, DEVICE_STAT, DEVICE_SYNC, DEVICE_UNKNOWN,
    DEVICE_UNSUPPORTED, DEVICE_WRITE, code, text_in, twins_in,
};

/// Success.
pub const OK: i32 = 0;
/// What has no number of its own: ranks that disagree, a file that not all ranks see, a failure of MPI.
pub const FAILED: i32 = 1;

/// The numbers of this module with their names and their texts.
const OWN: [Code; 2] =
    [code(OK, "SF_OK", "no error"), code(FAILED, "SF_FAIL", "the operation on the shared file failed")];

/// Every number with its name and its text: this module's own, then those of the device layer.
pub const TABLE: [Code; OWN.len() + elio::codes::TABLE.len()] = {
    let mut table = [OWN[0]; OWN.len() + elio::codes::TABLE.len()];
    let mut row = 0;
    while row < table.len() {
        table[row] = if row < OWN.len() { OWN[row] } else { elio::codes::TABLE[row - OWN.len()] };
        row += 1;
    }
    table
};

/// The fixed text of `number`, if it is one of ours.
pub fn text(number: i32) -> Option<&'static str> {
    text_in(&TABLE, number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        assert_eq!(twins_in(&TABLE), None);
    }

    #[test]
    fn a_number_has_its_text_and_others_have_none() {
        assert_eq!(text(OK), Some("no error"));
        assert_eq!(text(DEVICE_END_OF_FILE), Some("end of file: less was read than asked for"));
        assert_eq!(text(2), None);
    }
}
