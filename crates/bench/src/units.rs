//! Sizes and numbers as people say them.

/// Bytes as people say them: 80 MB, 1.6 kB (decimal).
pub(crate) fn decimal(bytes: u64) -> String {
    let (unit, name) = match bytes {
        0..1_000 => (1, "B"),
        1_000..1_000_000 => (1_000, "kB"),
        1_000_000..1_000_000_000 => (1_000_000, "MB"),
        _ => (1_000_000_000, "GB"),
    };
    match (bytes / unit, bytes % unit * 10 / unit) {
        (whole, 0) => format!("{whole} {name}"),
        (whole, tenths) => format!("{whole}.{tenths} {name}"),
    }
}

/// Bytes as powers of two are said: 64 B, 16 KiB, 4 MiB.
pub(crate) fn binary(bytes: u64) -> String {
    match bytes {
        bytes if bytes >= 1 << 20 && bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        bytes if bytes >= 1 << 10 && bytes % (1 << 10) == 0 => format!("{} KiB", bytes >> 10),
        bytes => format!("{bytes} B"),
    }
}

/// In the unit of which it is a whole number: 64 KiB, 64 kB.
pub(crate) fn either(bytes: u64) -> String {
    if bytes.is_multiple_of(1000) { decimal(bytes) } else { binary(bytes) }
}

/// How many repetitions there were.
pub(crate) fn repetitions(count: u64) -> String {
    if count == 1 { "1 repetition".to_owned() } else { format!("{count} repetitions") }
}

#[cfg(test)]
mod tests {
    use super::{binary, decimal, either, repetitions};

    #[test]
    fn sizes_are_said_in_decimal_units() {
        let said: Vec<String> = [8, 1_600, 16_000, 1_600_000, 80_000_000, 1_000_000_000].map(decimal).into();
        assert_eq!(said, ["8 B", "1.6 kB", "16 kB", "1.6 MB", "80 MB", "1 GB"]);
    }

    #[test]
    fn sizes_are_said_in_binary_units() {
        let said: Vec<String> = [64, 1 << 10, 16 << 10, 64 << 20, 1100].map(binary).into();
        assert_eq!(said, ["64 B", "1 KiB", "16 KiB", "64 MiB", "1100 B"]);
    }

    #[test]
    fn one_repetition_is_not_several() {
        assert_eq!([1, 2].map(repetitions), ["1 repetition", "2 repetitions"]);
    }

    #[test]
    fn powers_of_two_are_not_said_in_decimal_units() {
        let said: Vec<String> = [32_000, 32_768, 1_000_000, 1 << 20].map(either).into();
        assert_eq!(said, ["32 kB", "32 KiB", "1 MB", "1 MiB"]);
    }
}
