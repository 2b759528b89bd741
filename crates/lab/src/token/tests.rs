use super::*;

use bartizan_keys::Time;

use crate::credentials::Credentials;
use crate::initiator::{Initiator, Payload};
use crate::kind::Kind;
use crate::scenario::Keys;

fn floor(token: Token, clear: Token, cached: bool) -> TokenFloor {
    let now = Time::parse_rfc3339("2026-11-30T12:00:00Z").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let credentials = Credentials::make(Keys::Rsa1024, folder.path(), now).unwrap();
    let message = |token| {
        let initiator = Initiator::new(Kind::Unt(token, Keys::Rsa1024), &credentials, now).unwrap();
        initiator.requests(Payload::Greeting, 1).unwrap().remove(0).bytes
    };
    let server = credentials.recipient().unwrap();
    let key = server.identity().unwrap().key();
    TokenFloor::new(token, key, &message(clear), &message(token), cached).unwrap()
}

#[test]
fn cryptography_of_every_set_up_is_done_both_ways_and_the_first_has_none() {
    for (token, clear) in [
        (Token::Unt2a, Token::Unt2a),
        (Token::Unt2b, Token::Unt2b),
        (Token::Unt3, Token::Unt1),
        (Token::Unt4a, Token::Unt2a),
        (Token::Unt4b, Token::Unt2b),
    ] {
        for cached in [false, true] {
            let floor = floor(token, clear, cached);
            assert!(floor.receive().is_ok() && floor.send().is_ok(), "{token:?}");
            assert_eq!((floor.signed.is_some(), floor.sealed.is_some()), (token.signs(), token.encrypts()));
            assert!(!floor.is_empty());
        }
    }
    assert!(floor(Token::Unt1, Token::Unt1, false).is_empty());
}

#[test]
fn changed_mac_and_changed_token_are_found() {
    let mut floor = floor(Token::Unt2a, Token::Unt2a, false);
    floor.signed.as_mut().unwrap().mac[3] ^= 1;
    assert!(floor.receive().is_err());
    floor.signed.as_mut().unwrap().mac[3] ^= 1;
    assert!(floor.receive().is_ok());
    floor.signed.as_mut().unwrap().token[5] ^= 1;
    assert!(floor.receive().is_err());
}
