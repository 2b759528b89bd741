use std::os::unix::net::UnixDatagram;

use super::{State, send};

#[test]
fn ready_is_one_datagram_on_the_named_socket() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("notify");
    let manager = UnixDatagram::bind(&path).expect("a socket");
    send(path.as_os_str(), State::Ready).expect("sent");
    let mut buffer = [0u8; 64];
    let length = manager.recv(&mut buffer).expect("received");
    assert_eq!(&buffer[..length], b"READY=1\n");
}

#[test]
fn a_missing_socket_is_an_error_for_the_caller_to_ignore() {
    let folder = tempfile::tempdir().expect("a folder");
    assert!(send(folder.path().join("nobody").as_os_str(), State::Stopping).is_err());
}
