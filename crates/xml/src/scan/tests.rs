use super::{is_ncname, qname, reference};
use crate::ErrorKind;

#[test]
fn names_follow_the_fifth_edition() {
    for good in ["a", "_x-1.y", "été", "\u{10000}", "a\u{B7}"] {
        assert!(is_ncname(good), "{good}");
    }
    for bad in ["", "1a", "-a", "a:b", "a b", "\u{D7}", "\u{B7}a", "a\u{2FFF}"] {
        assert!(!is_ncname(bad), "{bad}");
    }
}

#[test]
fn qualified_name_has_one_colon_between_two_names() {
    assert_eq!(qname("a:b=", 0).map(|q| (q.end, q.colon)).unwrap(), (3, Some(1)));
    for bad in [":a", "a:", "a:b:c", "a:1", "1"] {
        assert!(qname(&format!("{bad} "), 0).is_err(), "{bad}");
    }
}

#[test]
fn character_references_stop_at_forbidden_characters_and_do_not_wrap() {
    assert_eq!(reference("&#x1F600;", 0).unwrap().character, '\u{1F600}');
    assert_eq!(reference("&#0000000000000000065;", 0).unwrap().character, 'A');
    for bad in
        ["&#0;", "&#xD800;", "&#x110000;", "&#x1000000041;", "&#;", "&#x;", "&#xG;", "&#xFFFE;", "&#11;"]
    {
        assert_eq!(reference(bad, 0).unwrap_err().kind(), ErrorKind::CharacterReference, "{bad}");
    }
    assert_eq!(reference("&nbsp;", 0).unwrap_err().kind(), ErrorKind::Entity);
    assert_eq!(reference("&am", 0).unwrap_err().kind(), ErrorKind::UnexpectedEnd);
}
