use super::*;

use std::net::{Ipv4Addr, TcpListener};

/// What a connection makes of a server that says this, in pieces.
fn answer(pieces: &'static [&'static str]) -> io::Result<(u16, Vec<u8>, bool)> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = [0; 64];
        let _ = stream.read(&mut request);
        for piece in pieces {
            stream.write_all(piece.as_bytes()).unwrap();
            stream.flush().unwrap();
        }
    });
    let mut connection = Connection::open(address)?;
    let status = connection.exchange(b"POST / HTTP/1.1\r\n\r\n");
    server.join().unwrap();
    Ok((status?, connection.body().to_vec(), connection.is_closing()))
}

#[test]
fn body_by_length_and_in_chunks_is_the_same() {
    let by_length = answer(&["HTTP/1.1 200 OK\r\nContent-Le", "ngth: 5\r\n\r\nhe", "llo"]).unwrap();
    assert_eq!(by_length, (200, b"hello".to_vec(), false));
    let in_chunks = answer(&[
        "HTTP/1.1 200 \r\ntransfer-encoding: chunked\r\n\r\n2;x=y\r\nhe\r\n",
        "3\r\nllo\r\n0\r\n\r\n",
    ]);
    assert_eq!(in_chunks.unwrap(), (200, b"hello".to_vec(), false));
}

#[test]
fn connection_that_ends_is_said_to_end() {
    let closing = answer(&["HTTP/1.1 500 No\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"]).unwrap();
    assert_eq!(closing, (500, Vec::new(), true));
}

#[test]
fn answer_that_is_none_is_an_error() {
    for pieces in [
        &["HTTP/1.0 200 OK\r\n\r\n"][..],
        &["HTTP/1.1 200 OK\r\n\r\n"],
        &["HTTP/1.1 200 OK\r\nContent-Length: five\r\n\r\n"],
        &["HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n"],
        &["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n"],
        &["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"],
        &["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"],
    ] {
        assert!(answer(pieces).is_err(), "{pieces:?}");
    }
}
