use super::*;

use bartizan_wss::Transport;

use crate::scenario::Keys;

/// The same second everywhere.
fn now() -> Time {
    Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap()
}

/// A reply of ours, made in process: the recipient's side of the same policy.
fn reply(credentials: &Credentials, initiator: &Initiator, request: &Request, name: Option<&str>) -> Vec<u8> {
    let keys = bartizan_keys::KeyFolder::new(&credentials.folder);
    let keys = keys.load(credentials.server, Some(credentials.client), crate::credentials::MIN_RSA).unwrap();
    let env = Env::new(&keys, now(), &SystemRandom).over(Transport::Plain);
    let plan = initiator.plans.side(Side::Recipient);
    let read =
        Untrusted::read(request.bytes.clone(), Some(&request.content_type), &Limits::default()).unwrap();
    let verified = plan.verify(read, &env).unwrap();
    let body = match name {
        Some(name) => format!("<{name} xmlns=\"urn:x\"></{name}>").into_bytes(),
        None => verified.payload().unwrap().octets(),
    };
    let draft = Draft::new(Version::Soap12).with_body(body);
    plan.secure(draft, &env, Some(verified.request_facts())).unwrap().message.into_bytes()
}

#[test]
fn right_reply_passes_and_that_of_another_request_does_not() {
    let folder = tempfile::tempdir().unwrap();
    for keys in [Keys::P256, Keys::Rsa2048] {
        let credentials = Credentials::make(keys, folder.path(), now()).unwrap();
        let initiator = Initiator::new(Kind::Rampart(keys), &credentials, now()).unwrap();
        let requests = initiator.requests(Payload::Greeting, 2).unwrap();
        let [first, second] = requests.as_slice() else { panic!("two") };
        assert_ne!(first.bytes, second.bytes);
        let good = reply(&credentials, &initiator, first, None);
        assert_eq!(initiator.check(first, 200, good.clone(), Answer::Echo), Ok(()));
        // Its confirmation is that of another signature.
        assert!(matches!(initiator.check(second, 200, good.clone(), Answer::Echo), Err(Wrong::Refused(_))));
        assert_eq!(initiator.check(first, 500, good, Answer::Echo), Err(Wrong::Status(500)));
        let other = reply(&credentials, &initiator, first, Some("other"));
        assert_eq!(initiator.check(first, 200, other.clone(), Answer::Named("other")), Ok(()));
        assert!(matches!(initiator.check(first, 200, other, Answer::Echo), Err(Wrong::Body(_))));
    }
}

#[test]
fn plain_text_is_no_reply() {
    let folder = tempfile::tempdir().unwrap();
    let credentials = Credentials::make(Keys::P256, folder.path(), now()).unwrap();
    let initiator = Initiator::new(Kind::Rampart(Keys::P256), &credentials, now()).unwrap();
    let requests = initiator.requests(Payload::EchoIn, 1).unwrap();
    let said = initiator.check(&requests[0], 200, b"<html/>".to_vec(), Answer::Echo);
    assert!(matches!(said, Err(Wrong::Refused(_))), "{said:?}");
}
