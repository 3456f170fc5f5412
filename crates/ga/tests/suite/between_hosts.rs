//! What is only seen where ranks are on two hosts.

use ga::{Context, ElementType};
use section::Section;
use test_support::link_bytes;

/// Puts, gets and accumulates between the hosts are messages: the cable counts them.
pub(crate) fn operations_between_hosts_cross_the_link(ga: &Context) {
    let len = 1 << 20; // 8 MB
    // The whole array is on the last rank, which is on the other host.
    let array = ga.array(ElementType::Double, &[len]).blocks(&[vec![0; ga.ranks()]]).create().unwrap();
    let view = array.view::<f64>().unwrap();
    assert_ne!(ga.node_of(0), ga.node_of(ga.ranks() - 1));
    let elements = vec![1.5; usize::try_from(len).unwrap()];
    let bytes = 8 * len;
    let sent = || link_bytes().expect("on a test host").sent;
    let received = || link_bytes().expect("on a test host").received;
    ga.sync().unwrap();
    if ga.rank() == 0 {
        let before = sent();
        view.put(&array.whole(), &elements).unwrap();
        ga.fence().unwrap();
        assert!(sent() - before >= bytes);
        let before = sent();
        view.accumulate(&array.whole(), &elements, 2.0).unwrap();
        ga.fence().unwrap();
        assert!(sent() - before >= bytes);
        let before = received();
        assert!(view.to_vec(&array.whole()).unwrap().iter().all(|&element| element == 4.5));
        assert!(received() - before >= bytes);
        // A strided section of another host's block.
        let every_third = Section::with_step(&[5], &[3000], &[3]).unwrap();
        assert!(view.to_vec(&every_third).unwrap().iter().all(|&element| element == 4.5));
    }
    ga.sync().unwrap();
    array.destroy().unwrap();
}

/// The library sees two nodes, and which rank is where.
pub(crate) fn each_host_is_a_node(ga: &Context) {
    assert_eq!(ga.nodes(), 2);
    let here = ga.ranks_of_node(ga.node());
    assert_eq!(here.len(), ga.ranks() / 2);
    assert!(here.contains(&ga.rank()));
    assert!(!ga.world().on_one_node());
    let group = ga.group(&ga.ranks_of_node(0)).unwrap();
    assert_eq!(group.is_some(), ga.node() == 0);
    assert!(group.is_none_or(|group| group.on_one_node()));
}
