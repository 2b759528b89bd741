use std::net::IpAddr;
use std::sync::Arc;

use super::{Slot, Slots};

fn take(slots: &Slots, peer: &str) -> Option<Slot> {
    let permit = Arc::clone(&slots.free).try_acquire_owned().expect("a place is free");
    slots.take(permit, peer.parse::<IpAddr>().expect("an address"))
}

#[test]
fn peer_with_its_share_gets_no_more_and_others_do() {
    let slots = Slots::new(10, 2);
    let first = take(&slots, "192.0.2.1");
    let second = take(&slots, "::ffff:192.0.2.1");
    assert!(first.is_some() && second.is_some());
    assert!(take(&slots, "192.0.2.1").is_none());
    assert_eq!(slots.free.available_permits(), 8, "what was not taken is free");
    assert!(take(&slots, "192.0.2.2").is_some());
    drop(first);
    assert!(take(&slots, "192.0.2.1").is_some());
    drop(second);
    assert!(slots.by_peer.lock().expect("not poisoned").is_empty(), "nothing is left of who has gone");
}

#[test]
fn neighbours_in_one_ipv6_network_are_one_peer() {
    let slots = Slots::new(10, 1);
    let held = take(&slots, "2001:db8::1");
    assert!(held.is_some());
    assert!(take(&slots, "2001:db8::ffff:2").is_none());
    assert!(take(&slots, "2001:db8:0:1::1").is_some());
}
