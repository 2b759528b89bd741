//! What is no document.

use super::*;
use ErrorKind as K;

#[test]
fn malformed_documents_are_refused_with_their_reason() {
    let cases = [
        ("", K::NoRoot),
        ("  ", K::NoRoot),
        ("x", K::OutsideRoot),
        ("<a/>x", K::OutsideRoot),
        ("<a/><b/>", K::OutsideRoot),
        ("<a/>\0", K::OutsideRoot),
        ("<a/><![CDATA[]]>", K::Tag),
        ("<a>", K::UnexpectedEnd),
        ("<a", K::UnexpectedEnd),
        ("<a b", K::UnexpectedEnd),
        ("<a b='", K::UnexpectedEnd),
        ("<a><", K::UnexpectedEnd),
        ("<a></b>", K::EndTag),
        ("<a></ab>", K::EndTag),
        ("<ab></a>", K::EndTag),
        ("<a></a b>", K::EndTag),
        ("</a>", K::EndTag),
        ("<a b='1' b='2'/>", K::DuplicateAttribute),
        ("<a b='1'c='2'/>", K::Tag),
        ("<a b=1/>", K::AttributeValue),
        ("<a b='<'/>", K::AttributeValue),
        ("<a b/>", K::Tag),
        ("<a / >", K::Tag),
        ("<1/>", K::Name),
        ("< a/>", K::Name),
        ("<a:b:c xmlns:a='u:a'/>", K::Name),
        ("<:a/>", K::Name),
        ("<a:/>", K::Name),
        ("<a>]]></a>", K::CdataEnd),
        ("<a>&b;</a>", K::Entity),
        ("<a>& </a>", K::Entity),
        ("<a>&#0;</a>", K::CharacterReference),
        ("<a>\u{1}</a>", K::Character),
        ("<a>\u{FFFE}</a>", K::Character),
        ("<a b='\u{FFFF}'/>", K::Character),
        ("<!--\u{8}--><a/>", K::Character),
        ("<a><!-- -- --></a>", K::Comment),
        ("<a><!-- ---></a>", K::Comment),
        ("<a><!ELEMENT b></a>", K::Tag),
        ("<?xml version='1.1'?><a/>", K::Declaration),
        ("<?xml encoding='UTF-8'?><a/>", K::Declaration),
        ("<?xml version='1.0' standalone='maybe'?><a/>", K::Declaration),
        ("<?xml version='1.0' x='y'?><a/>", K::Declaration),
        ("<?xml version='1.0'encoding='UTF-8'?><a/>", K::Declaration),
        (" <?xml version='1.0'?><a/>", K::Declaration),
        ("<a><?XML x?></a>", K::Declaration),
        ("<?xml version='1.0' encoding='US-ASCII'?><a>é</a>", K::EncodingMismatch),
        ("<?xml version='1.0' encoding='ISO-8859-15'?><a/>", K::EncodingMismatch),
        ("<?xml version='1.0' encoding='UTF-7'?><a/>", K::EncodingMismatch),
        ("<?xml version='1.0' encoding='UTF-16'?><a/>", K::EncodingMismatch),
        ("<?a:b?><a/>", K::Name),
    ];
    for (text, kind) in cases {
        assert_eq!(refusal(text), kind, "{text}");
    }
}

#[test]
fn namespace_rules_are_kept() {
    let xml = "http://www.w3.org/XML/1998/namespace";
    let xmlns = "http://www.w3.org/2000/xmlns/";
    let cases = [
        ("<p:a/>".to_owned(), K::UnboundPrefix),
        ("<a p:b=''/>".to_owned(), K::UnboundPrefix),
        ("<a><b xmlns:p='u:p'/><p:c/></a>".to_owned(), K::UnboundPrefix),
        ("<xmlns:a/>".to_owned(), K::UnboundPrefix),
        ("<a xmlns:p=''/>".to_owned(), K::NamespaceDeclaration),
        ("<a xmlns:xml='u:x'/>".to_owned(), K::NamespaceDeclaration),
        ("<a xmlns:xmlns='u:x'/>".to_owned(), K::NamespaceDeclaration),
        (format!("<a xmlns:p='{xml}'/>"), K::NamespaceDeclaration),
        (format!("<a xmlns='{xml}'/>"), K::NamespaceDeclaration),
        (format!("<a xmlns:p='{xmlns}'/>"), K::NamespaceDeclaration),
        (format!("<a xmlns='{xmlns}'/>"), K::NamespaceDeclaration),
        ("<a xmlns:p='u:p' xmlns:p='u:p'/>".to_owned(), K::DuplicateAttribute),
        ("<a xmlns='u:p' xmlns='u:q'/>".to_owned(), K::DuplicateAttribute),
        ("<a xmlns:p='u:x' xmlns:q='u:x' p:b='' q:b=''/>".to_owned(), K::DuplicateAttribute),
    ];
    for (text, kind) in cases {
        assert_eq!(refusal(&text), kind, "{text}");
    }
    let good = format!("<a xmlns:xml='{xml}' xml:lang='en' b='' xmlns:p='u:p' p:b='' xmlns='u:p'/>");
    assert_eq!(parse(&good).root().attrs().count(), 3);
    for uri in ["é:x", "relative", "u: x", "u:\u{80}", " u:x"] {
        let text = format!("<a xmlns='{uri}'/>");
        assert!(parse_as(text.as_bytes(), Profile::Message).is_err(), "{uri}");
        assert!(parse_as(text.as_bytes(), Profile::Bare).is_ok(), "{uri}");
    }
}

#[test]
fn duplicates_among_many_attributes_are_found_by_expanded_name() {
    let many: String = (0..40).map(|n| format!(" a{n}=''")).collect();
    assert_eq!(parse(&format!("<a{many}/>")).root().attrs().count(), 40);
    assert_eq!(refusal(&format!("<a{many} a7=''/>")), K::DuplicateAttribute);
    let twice = "xmlns:p='u:x' xmlns:q='u:x' p:z='' q:z=''";
    assert_eq!(refusal(&format!("<a{many} {twice}/>")), K::DuplicateAttribute);
    assert_eq!(refusal(&format!("<a{many} xmlns:p='u:x' xmlns:p='u:x'/>")), K::DuplicateAttribute);
}

#[test]
fn document_type_is_refused_where_it_begins_in_any_case() {
    for text in ["<!DOCTYPE a>", "<!doctype a [", "<!DocType", "<!--c--><!DOCTYPE a []><a/>", "<a><!DOCTYPE"]
    {
        assert_eq!(refusal(text), K::Dtd, "{text}");
    }
}

#[test]
fn octets_that_are_no_text_are_refused() {
    let cases: [&[u8]; 9] = [
        b"<a>\xC0\x80</a>",
        b"<a>\xF8\x88\x80\x80\x80</a>",
        b"<a>\xE2\x82</a>",
        b"<a>\xE9</a>",
        b"<a>\xED\xA0\x80</a>",
        b"\xFF\xFE<\0a\0/\0>",
        b"\xFE\xFF\xD8\0\0<",
        b"\0\0\xFE\xFF\0\0\0<",
        b"<\0a\0/\0>\0",
    ];
    for octets in cases {
        assert!(parse_as(octets, Profile::Bare).is_err(), "{octets:x?}");
    }
}

#[test]
fn latin1_is_read_where_the_declaration_names_it_but_not_in_messages() {
    let text = b"<?xml version='1.0' encoding='iso-8859-1'?><a>&#169;\xE9</a>";
    assert_eq!(parse_as(text, Profile::Bare).unwrap().root().text(), "\u{A9}\u{E9}");
    assert_eq!(parse_as(text, Profile::Message).unwrap_err(), K::Encoding);
    // An instruction whose name only begins like the declaration's declares nothing.
    let other = b"<?xmlx encoding='ISO-8859-1'?><a>\xE9</a>";
    assert_eq!(parse_as(other, Profile::Bare).unwrap_err(), K::Encoding);
    let ascii = b"<?xml version='1.0' encoding='us-ascii'?><a/>";
    assert!(parse_as(ascii, Profile::Bare).is_ok());
    assert_eq!(parse_as(ascii, Profile::Message).unwrap_err(), K::EncodingMismatch);
}

#[test]
fn xml_id_is_an_id_of_plain_documents_only() {
    let text = b"<a><b xml:id='x'/></a>";
    let document = parse_as(text, Profile::Bare).unwrap();
    assert_eq!(document.by_id("x").unwrap().map(|e| e.local_name()), Some("b"));
    let message = parse_as(text, Profile::Message).unwrap();
    assert!(!message.by_id("x").is_ok_and(|found| found.is_some()));
}

#[test]
fn byte_order_mark_of_utf8_is_accepted_once() {
    assert!(parse_as("\u{FEFF}<a/>".as_bytes(), Profile::Message).is_ok());
    assert_eq!(refusal("\u{FEFF}\u{FEFF}<a/>"), K::OutsideRoot);
}
