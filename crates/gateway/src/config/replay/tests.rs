use super::Address;

fn address(host: &str, port: u16, database: u16, user: Option<&str>) -> Address {
    Address { host: host.to_owned(), port, database, user: user.map(str::to_owned) }
}

#[test]
fn addresses_of_engines_are_read_in_full_and_in_short() {
    for (text, wanted) in [
        ("redis://valkey.internal", address("valkey.internal", 6379, 0, None)),
        ("redis://127.0.0.1:7000/3", address("127.0.0.1", 7000, 3, None)),
        ("valkey://guard@[::1]:7000", address("::1", 7000, 0, Some("guard"))),
        ("redis://[::1]/15", address("::1", 6379, 15, None)),
        ("redis://@host/", address("host", 6379, 0, None)),
    ] {
        assert_eq!(Address::parse(text), Ok(wanted), "{text}");
    }
}

#[test]
fn what_is_no_address_of_an_engine_is_refused_without_repeating_it() {
    for text in [
        "localhost:6379",
        "http://host",
        "redis://",
        "redis://:6379",
        "redis://host:0",
        "redis://host:port",
        "redis://host:70000",
        "redis://host/x",
        "redis://[::1",
        "redis://[::1]7000",
        "redis://ho st",
        "redis://a/b/1",
        "redis://host?db=1",
    ] {
        let why = Address::parse(text).expect_err(text);
        assert!(why.starts_with("redis://["), "{text}: {why}");
    }
    let why = Address::parse("redis://user:geheim@host").expect_err("a password");
    assert!(why.contains("`password = { file | env }`") && !why.contains("geheim"), "{why}");
    let why = Address::parse("rediss://host").expect_err("TLS");
    assert!(why.contains("without TLS"), "{why}");
}
