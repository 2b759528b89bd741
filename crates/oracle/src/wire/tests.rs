use super::*;

const ANSWER: &str = "HTTP/1.1 400 Bad Request\r\ncontent-type: a\r\ncontent-length: 56\r\ndate: Tue, 01 Dec 2026 00:00:00 GMT\r\n\r\nNo. (request 0123456789abcdef0123456789abcdef) and more.";

#[test]
fn only_date_and_request_id_are_blotted_out() {
    assert_eq!(whole(ANSWER.as_bytes()).unwrap(), Some(ANSWER.len()));
    let (masked, id) = mask(ANSWER.as_bytes());
    assert_eq!(id, "0123456789abcdef0123456789abcdef");
    let other = ANSWER.replace("Tue, 01", "Wed, 02").replace("0123", "fedc");
    assert_eq!(mask(other.as_bytes()).0, masked);
    for different in ["400 Bad", "content-type: a", "and more."] {
        let other = ANSWER.replace(different, &different.to_uppercase().replace("400", "500"));
        assert_ne!(mask(other.as_bytes()).0, masked, "{different}");
    }
}

#[test]
fn head_that_is_not_whole_is_waited_for() {
    for end in 0..ANSWER.find("\r\n\r\n").unwrap() + 4 {
        assert_eq!(whole(&ANSWER.as_bytes()[..end]).unwrap(), None);
    }
    assert!(whole(b"HTTP/1.1 400 Bad Request\r\n\r\n").is_err());
}
