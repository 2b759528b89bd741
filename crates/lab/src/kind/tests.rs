use super::*;

use bartizan_policy::{Options, load_short};

#[test]
fn name_of_every_kind_is_read_back() {
    let all = Keys::ALL.into_iter().map(Kind::Rampart).chain(Kind::tokens(&[Keys::Rsa2048, Keys::Rsa1024]));
    let names: Vec<String> = all.clone().map(Kind::name).collect();
    for (kind, name) in all.zip(&names) {
        assert_eq!(Kind::by_name(name), Some(kind), "{name}");
        assert_eq!(names.iter().filter(|other| *other == name).count(), 1, "{name}");
    }
    assert_eq!(Kind::by_name("unt5"), None);
}

#[test]
fn policy_of_a_set_up_is_the_built_in_one_with_a_longer_life() {
    for token in Token::ALL {
        let life = |loaded: bartizan_policy::Loaded| {
            let plans = loaded.only().unwrap().plans(&Options::default()).unwrap();
            let inbound = plans.recipient.inbound();
            let (stamp, rule) = (inbound.timestamp.unwrap(), inbound.username.clone().unwrap());
            (stamp.ttl.as_secs(), rule.ttl.as_secs(), inbound.required.clone(), rule.keys)
        };
        let long = life(load_short(token.policy().as_bytes(), "the lab's policy"));
        let name = format!("scenario:{}", token.name());
        let short = life(bartizan_policy::builtin::builtin(&name).unwrap());
        assert_eq!((long.0, long.1), (u64::from(LIFE), u64::from(LIFE)), "{token:?}");
        assert_eq!((short.0, short.1), (300, 300), "{token:?}");
        assert_eq!((long.2, long.3), (short.2, short.3), "{token:?}");
    }
}
