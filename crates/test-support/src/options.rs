//! The command line of a suite.

use clap::Parser;

use crate::layout::Layout;
use crate::scenario::Needs;
use crate::suite::Shape;
use crate::variant::Variant;

/// Runs the scenarios of this suite: for every number of ranks, on one host and on two test hosts, in every variant.
#[derive(Debug, Default, Parser)]
#[expect(clippy::struct_excessive_bools, reason = "the flags of a command line")]
pub(crate) struct Options {
    /// Only scenarios whose name contains one of these
    names: Vec<String>,
    /// The names are whole names
    #[arg(long)]
    exact: bool,
    /// No scenario whose name contains this
    #[arg(long, value_name = "NAME")]
    skip: Vec<String>,
    /// Only launches with so many ranks in all (any number: it need not be one the suite runs by itself)
    #[arg(long, value_name = "COUNT", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=64))]
    ranks: Vec<u64>,
    /// Only launches on so many hosts
    #[arg(long, value_name = "COUNT", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=2))]
    hosts: Vec<u64>,
    /// Only these variants
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    variant: Vec<String>,
    /// Print the names of the scenarios and run none
    #[arg(long)]
    pub(crate) list: bool,
    /// Show the output of the ranks as it comes, also of those that pass
    #[arg(long, visible_alias = "no-capture")]
    pub(crate) nocapture: bool,
    /// The seed of random numbers, instead of the one in the environment
    #[arg(long)]
    pub(crate) seed: Option<u64>,
    /// The time after which a launch is ended, instead of the suite's own
    #[arg(long, value_name = "SECONDS")]
    pub(crate) timeout: Option<u64>,
    /// Print only what failed and the counts
    #[arg(short, long)]
    pub(crate) quiet: bool,

    // What `cargo test -- ...` gives to every test binary.
    #[arg(long, hide = true)]
    ignored: bool,
    #[arg(long, hide = true)]
    include_ignored: bool,
    #[arg(long, hide = true)]
    show_output: bool,
    #[arg(long, hide = true)]
    test_threads: Option<usize>,
    #[arg(long, hide = true)]
    format: Option<String>,
    #[arg(long, hide = true)]
    color: Option<String>,
}

impl Options {
    /// What this process was started with; a wrong command line ends it, with status 2.
    pub(crate) fn of_command_line() -> Self {
        Self::parse()
    }

    /// Whether a scenario of this name is wanted.
    pub(crate) fn wants(&self, name: &str) -> bool {
        let matches = |part: &String| if self.exact { part == name } else { name.contains(part) };
        // A suite has no ignored scenarios.
        !self.ignored
            && (self.names.is_empty() || self.names.iter().any(matches))
            && !self.skip.iter().any(matches)
    }

    /// The variants wanted, in the order of the suite, or the name that the suite does not have.
    pub(crate) fn variants<'a>(&self, shape: &'a Shape) -> Result<Vec<&'a Variant>, String> {
        let known = |name: &String| shape.variants.iter().any(|variant| variant.name() == *name);
        if let Some(unknown) = self.variant.iter().find(|name| !known(name)) {
            let names: Vec<_> = shape.variants.iter().map(Variant::name).collect();
            return Err(format!("there is no variant {unknown:?}: expected one of {}", names.join(", ")));
        }
        let wanted = |variant: &&Variant| {
            self.variant.is_empty() || self.variant.iter().any(|name| name == variant.name())
        };
        Ok(shape.variants.iter().filter(wanted).collect())
    }

    /// The layouts wanted: `--ranks` takes the place of the suite's numbers, on two hosts if it can be halved.
    pub(crate) fn layouts(&self, shape: &Shape) -> Vec<Layout> {
        let ranks: Vec<usize> =
            self.ranks.iter().map(|count| usize::try_from(*count).expect("at most 64")).collect();
        let (on_one, on_two) = if ranks.is_empty() {
            (shape.ranks.clone(), shape.ranks_per_host.clone())
        } else {
            let halves = ranks.iter().filter(|count| **count % 2 == 0).map(|count| count / 2).collect();
            (ranks, if shape.ranks_per_host.is_empty() { Vec::new() } else { halves })
        };
        let on_one = on_one.into_iter().map(Layout::one_host).filter(|_| self.wants_hosts(1));
        let on_two = on_two.into_iter().map(Layout::two_hosts).filter(|_| self.wants_hosts(2));
        on_one.chain(on_two).collect()
    }

    fn wants_hosts(&self, count: u64) -> bool {
        self.hosts.is_empty() || self.hosts.contains(&count)
    }

    /// The scenarios wanted that can run in this layout.
    pub(crate) fn names_for(&self, needs: &[&Needs], layout: Layout) -> Vec<&'static str> {
        let runs = |needs: &&&Needs| needs.met_by(layout) && self.wants(needs.name);
        needs.iter().filter(runs).map(|needs| needs.name).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use clap::Parser;

    use super::Options;
    use crate::layout::Layout;
    use crate::suite::Shape;
    use crate::variant::Variant;

    fn options(line: &str) -> Options {
        Options::try_parse_from(["suite"].into_iter().chain(line.split_whitespace())).expect("a correct line")
    }

    fn shape() -> Shape {
        Shape {
            variants: vec![Variant::named("shm"), Variant::named("rma")],
            ranks: vec![1, 3],
            ranks_per_host: vec![1],
            time_limit: Duration::from_secs(1),
        }
    }

    #[test]
    fn names_are_parts_of_names_unless_exact() {
        assert!(options("").wants("a_put"));
        assert!(options("put get").wants("a_put"));
        assert!(!options("get").wants("a_put"));
        assert!(!options("put --exact").wants("a_put"));
        assert!(options("a_put --exact").wants("a_put"));
        assert!(!options("--skip put").wants("a_put"));
        assert!(!options("--ignored").wants("a_put"));
    }

    #[test]
    fn without_options_the_layouts_are_those_of_the_suite() {
        let expected = [Layout::one_host(1), Layout::one_host(3), Layout::two_hosts(1)];
        assert_eq!(options("").layouts(&shape()), expected);
    }

    #[test]
    fn ranks_and_hosts_choose_layouts() {
        assert_eq!(options("--ranks 4").layouts(&shape()), [Layout::one_host(4), Layout::two_hosts(2)]);
        assert_eq!(options("--ranks 3,4 --hosts 2").layouts(&shape()), [Layout::two_hosts(2)]);
        assert_eq!(options("--hosts 1").layouts(&shape()), [Layout::one_host(1), Layout::one_host(3)]);
    }

    #[test]
    fn an_unknown_variant_is_an_error_that_names_the_known_ones() {
        let names = |line: &str| options(line).variants(&shape()).map(|found| found.len());
        assert_eq!(names(""), Ok(2));
        assert_eq!(names("--variant rma"), Ok(1));
        assert_eq!(
            names("--variant rdma"),
            Err(r#"there is no variant "rdma": expected one of shm, rma"#.into())
        );
    }

    #[test]
    fn what_cargo_gives_to_test_binaries_is_understood() {
        options("--quiet --test-threads=1 --nocapture --format=pretty --color always --show-output");
    }

    #[test]
    fn zero_ranks_and_three_hosts_are_refused() {
        for line in ["--ranks 0", "--hosts 3", "--hosts 0", "--ranks many"] {
            assert!(Options::try_parse_from(["suite"].into_iter().chain(line.split(' '))).is_err(), "{line}");
        }
    }
}
