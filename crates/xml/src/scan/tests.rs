use super::{
    TEXT, VALUE, class, is_ncname, qname, reference, same, text_distance, text_end, value_distance, value_end,
};
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

#[test]
fn blocks_and_table_agree_on_every_octet() {
    for b in 0..=255 {
        assert_eq!(text_distance(b) == 0, class(b) & TEXT != 0, "{b}");
        assert_eq!(value_distance(b) == 0, class(b) & VALUE != 0, "{b}");
    }
}

#[test]
fn run_ends_at_the_first_octet_that_needs_a_look_wherever_it_stands() {
    for len in 0..70 {
        let plain = vec![b'x'; len];
        assert_eq!((text_end(&plain, 0), value_end(&plain, 0)), (len, len));
        for at in 0..len {
            let mut bytes = plain.clone();
            bytes[at] = b'&';
            for start in 0..=len {
                let end = if start <= at { at } else { len };
                assert_eq!((text_end(&bytes, start), value_end(&bytes, start)), (end, end));
            }
        }
    }
}

#[test]
fn stretches_are_the_same_only_if_every_octet_is() {
    for len in 0..24 {
        let a: Vec<u8> = (1..=len).collect();
        assert!(same(&a, &a.clone()) && !same(&a, b"longer than any of the others"));
        for at in 0..usize::from(len) {
            let mut b = a.clone();
            b[at] ^= 0x80;
            assert!(!same(&a, &b), "{at} of {len}");
            assert!(!same(&a, &a[..at]), "{at} of {len}");
        }
    }
}
