use super::*;

#[test]
fn content_type_of_ab_names_soap12_and_utf8() {
    let m = MediaType::parse("application/soap+xml;charset=UTF-8").unwrap();
    assert_eq!(m.version(), Some(Version::Soap12));
    assert!(m.check(Version::Soap12, b"<a/>").is_ok());
    assert!(m.check(Version::Soap11, b"<a/>").is_err());
    assert!(m.check(Version::Soap12, &[0xFF, 0xFE, 0x3C, 0]).is_err());
}

#[test]
fn quoted_action_is_read_and_written_back() {
    let m = MediaType::parse("application/soap+xml; charset=\"utf-8\"; action=\"urn:a\\\"b\"").unwrap();
    assert_eq!(m.action(), Some("urn:a\"b"));
    assert_eq!(
        content_type(Version::Soap12, Some("urn:a\"b")),
        "application/soap+xml;charset=UTF-8;action=\"urn:a\\\"b\""
    );
}

#[test]
fn doubled_parameter_and_garbage_are_refused() {
    for bad in [
        "",
        "text",
        "text/xml; charset=a; charset=b",
        "text/xml; charset",
        "text/xml; a=\"b",
        "text/xml; a=b c",
    ] {
        assert!(MediaType::parse(bad).is_err(), "{bad}");
    }
}

#[test]
fn line_breaks_never_leave_in_an_action() {
    assert!(!content_type(Version::Soap12, Some("a\r\nX: y")).contains('\n'));
    assert!(!soap_action(Some("a\r\nX: y")).contains('\r'));
}

#[test]
fn soap_action_quotes_are_stripped() {
    assert_eq!(read_soap_action("\"urn:x\""), Some("urn:x"));
    assert_eq!(read_soap_action("\"\""), None);
    assert_eq!(soap_action(None), "\"\"");
}

#[test]
fn action_beyond_ascii_is_written_as_a_uri() {
    let written = content_type(Version::Soap12, Some("urn:größe/\u{1F600}"));
    assert!(written.ends_with("action=\"urn:gr%C3%B6%C3%9Fe/%F0%9F%98%80\""), "{written}");
    assert_eq!(soap_action(Some("urn:ö")), "\"urn:%C3%B6\"");
}

#[test]
fn limit_parameters_of_a_media_type_hold_at_it_and_are_refused_one_beyond() {
    let with = |count: usize| {
        let parameters: String = (0..count).map(|n| format!(";p{n}=a")).collect();
        MediaType::parse(&format!("text/xml{parameters}"))
    };
    assert_eq!(with(MAX_PARAMETERS).unwrap().parameter("p15"), Some("a"));
    assert!(matches!(with(MAX_PARAMETERS + 1), Err(Error::MediaType)));
}
