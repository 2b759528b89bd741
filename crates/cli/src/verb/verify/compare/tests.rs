use super::difference;

#[test]
fn first_differing_byte_is_named_with_its_surroundings() {
    insta::assert_snapshot!(difference(b"<a xmlns=\"urn:a\">one\n</a>", b"<a xmlns=\"urn:a\">one\r\n</a>"), @r#"
    the bytes differ from byte 20 on
      ours   (25 bytes): …<a xmlns="urn:a">one»\n</a>…
      theirs (26 bytes): …<a xmlns="urn:a">one»\r\n</a>…
    "#);
}

#[test]
fn one_that_only_goes_on_differs_at_its_end() {
    insta::assert_snapshot!(difference(b"abc", b"abcd"), @r"
    the bytes differ from byte 3 on
      ours   (3 bytes): …abc»…
      theirs (4 bytes): …abc»d…
    ");
}

#[test]
fn same_octets_are_said_to_be_the_same() {
    assert!(difference(b"x", b"x").contains("the same"));
}
