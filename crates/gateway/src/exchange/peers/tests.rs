use std::future::Future;
use std::net::IpAddr;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use super::{IDLE, Peers};

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

fn poll<F: Future>(future: std::pin::Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

#[test]
fn limit_exchanges_of_one_peer_leaves_room_for_others() {
    let peers = Peers::new(1);
    let first = peers.admit(ip("192.0.2.1"), 2);
    let second = peers.admit(ip("::ffff:192.0.2.1"), 2);
    assert!(first.is_some() && second.is_some());
    assert!(peers.admit(ip("192.0.2.1"), 2).is_none());
    assert!(peers.admit(ip("192.0.2.2"), 2).is_some());
    drop(first);
    assert!(peers.admit(ip("192.0.2.1"), 2).is_some());
    let network = peers.admit(ip("2001:db8::1"), 1);
    assert!(network.is_some());
    assert!(peers.admit(ip("2001:db8::ffff:2"), 1).is_none());
    assert!(peers.admit(ip("2001:db8:0:1::1"), 1).is_some());
}

#[test]
fn limit_turns_of_one_peer_makes_it_wait_and_nobody_else() {
    let peers = Peers::new(2);
    let greedy: Vec<_> = (0..4).map(|_| peers.admit(ip("192.0.2.1"), 9).expect("a place")).collect();
    let modest = peers.admit(ip("192.0.2.2"), 9).expect("a place");
    let mut held = Vec::new();
    for place in &greedy[..2] {
        let Poll::Ready(turn) = poll(pin!(place.turn())) else { panic!("a turn is free") };
        held.push(turn);
    }
    let mut third = pin!(greedy[2].turn());
    let mut fourth = pin!(greedy[3].turn());
    assert!(poll(third.as_mut()).is_pending());
    assert!(poll(fourth.as_mut()).is_pending());
    assert!(poll(pin!(modest.turn())).is_ready(), "whoever waits is waited for by nobody else");
    held.pop();
    assert!(poll(fourth.as_mut()).is_pending(), "the order is that of asking");
    assert!(poll(third.as_mut()).is_ready());
}

#[test]
fn limit_of_remembered_peers_holds_however_many_came() {
    let peers = Peers::new(1);
    for n in 0..2_000_u32 {
        assert!(peers.admit(IpAddr::from(n.to_be_bytes()), 1).is_some());
    }
    assert!(peers.lock().len() <= IDLE, "{}", peers.lock().len());
}
