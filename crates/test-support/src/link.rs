//! What has crossed the cable between two test hosts.

use std::fs;

/// The network interface of each test host.
pub(crate) const INTERFACE: &str = "link0";

/// The bytes that a host has sent to and received from the other one since the hosts were made, frame headers included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkBytes {
    /// Sent to the other host.
    pub sent: u64,
    /// Received from the other host.
    pub received: u64,
}

/// The traffic of the host that the calling rank runs on, or `None` if that is not a test host. Not collective.
///
/// ```no_run
/// let before = test_support::link_bytes().expect("on a test host").sent;
/// // ... put 8 MB to a rank of the other host ...
/// assert!(test_support::link_bytes().expect("on a test host").sent - before >= 8_000_000);
/// ```
pub fn link_bytes() -> Option<LinkBytes> {
    LinkBytes::in_table(&fs::read_to_string("/proc/self/net/dev").ok()?)
}

impl LinkBytes {
    /// Finds our interface in the text of `/proc/net/dev`.
    pub(crate) fn in_table(table: &str) -> Option<Self> {
        let (_, counters) = table
            .lines()
            .filter_map(|line| line.split_once(':'))
            .find(|(name, _)| name.trim() == INTERFACE)?;
        // Eight counters of what was received, the first of them bytes, and then the same of what was sent.
        let counters: Vec<u64> = counters.split_whitespace().map_while(|word| word.parse().ok()).collect();
        Some(Self { sent: *counters.get(8)?, received: *counters.first()? })
    }
}

#[cfg(test)]
mod tests {
    use super::LinkBytes;

    const HEADER: &str = "Inter-|   Receive                                                |  Transmit\n \
        face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed\n";

    #[test]
    fn the_counters_are_those_of_our_interface() {
        let table = format!(
            "{HEADER}    lo:     84       1    0    0    0     0          0         0       84       1    0    0    0     0       0          0\n \
             link0: 1234      17    0    0    0     0          0         0     5678      18    0    0    0     0       0          0\n"
        );
        assert_eq!(LinkBytes::in_table(&table), Some(LinkBytes { sent: 5678, received: 1234 }));
    }

    #[test]
    fn a_host_without_the_interface_has_no_link() {
        assert_eq!(LinkBytes::in_table(HEADER), None);
    }
}
