//! Hostile documents: the rows PAR of the attack list that concern this crate. Each names the verdict; every one is
//! parsed, canonicalized and dropped on a stack of 64 KiB, so that nothing recurses on the input.

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Counter;
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, ErrorKind, Limits, NodeKind, Profile, Quantity};

use ErrorKind as K;

type Outcome = Result<u64, ErrorKind>;

/// Parses a message and canonicalizes all of it, on a small stack. Gives the number of octets of the form.
fn on_small_stack(octets: Vec<u8>, limits: Limits) -> Outcome {
    let work = move || {
        let document = Document::parse(octets, Profile::Message, &mut Budget::new(&limits))?;
        let mut counter = Counter::default();
        C14n::new(C14nMethod::Inclusive10).write_document(&document, &mut counter)?;
        C14n::new(C14nMethod::Exclusive).with_prefixes("a #default").write_document(&document, &mut counter)
    };
    let thread = std::thread::Builder::new().stack_size(64 << 10).spawn(work).unwrap();
    thread.join().unwrap().map_err(|error: bartizan_xml::Error| error.kind())
}

fn judge(text: impl Into<Vec<u8>>) -> Outcome {
    on_small_stack(text.into(), Limits::default())
}

fn unbounded(text: impl Into<Vec<u8>>) -> Outcome {
    let limits = Limits {
        depth: 1 << 20,
        attributes: 1 << 20,
        namespaces: 1 << 20,
        namespaces_in_scope: 1 << 20,
        ..Limits::generous()
    };
    on_small_stack(text.into(), limits)
}

fn limit(quantity: Quantity) -> Outcome {
    Err(K::Limit(quantity))
}

#[test]
fn attack_par_01_document_type_is_refused_wherever_it_is_and_however_it_is_coded() {
    let types = [
        "<!DOCTYPE a>",
        "<!doctype a>",
        "<!DocType a [<!ENTITY x 'y'>]>",
        "<!DOCTYPE a SYSTEM 'http://127.0.0.1/x.dtd'>",
        "<!DOCTYPE a PUBLIC '-//X' 'file:///etc/passwd'>",
        "<!DOCTYPE",
    ];
    for text in types {
        for before in ["", "<?xml version='1.0'?>", "<!-- c -->\n", "<a>", "<a/>"] {
            let document = format!("{before}{text}<a/>");
            assert_eq!(judge(document.as_bytes()), Err(K::Dtd), "{document}");
            let mut wide = vec![0xFE, 0xFF];
            wide.extend(document.encode_utf16().flat_map(u16::to_be_bytes));
            assert_eq!(judge(wide), Err(K::Dtd), "{document} in UTF-16");
        }
    }
}

#[test]
fn attack_par_02_inclusions_are_plain_elements_and_attributes() {
    let include = "<a xmlns:xi='http://127.0.0.1/x'><xi:include href='file:///etc/passwd'/></a>";
    assert!(judge(include).is_ok());
    let located = "<a xmlns:x='urn:x' x:schemaLocation='urn:a file:///dev/random'/>";
    assert!(judge(located).is_ok());
    assert_eq!(judge("<?xml-stylesheet href='file:///dev/random'?><a/>"), Err(K::ProcessingInstruction));
}

#[test]
fn attack_par_03_entities_never_expand() {
    let laughs: String = (1..20).map(|n| format!("<!ENTITY l{n} '&l{};&l{};'>", n - 1, n - 1)).collect();
    assert_eq!(judge(format!("<!DOCTYPE a [<!ENTITY l0 'ha'>{laughs}]><a>&l19;</a>")), Err(K::Dtd));
    for entity in ["&l19;", "&nbsp;", "&#xD800;", "%l;&l;"] {
        assert!(judge(format!("<a>{entity}</a>")).is_err(), "{entity}");
        assert!(judge(format!("<a b='{entity}'/>")).is_err(), "{entity}");
    }
}

#[test]
fn attack_par_04_instructions_are_refused_in_messages_and_nodes_elsewhere() {
    let places = ["<?p?><e><h/><b>u</b></e>", "<e><?p?><h/></e>", "<e><b>u<?p x?>v</b></e>", "<e/><?p?>"];
    for text in places {
        assert_eq!(judge(text), Err(K::ProcessingInstruction), "{text}");
        let bare = Document::parse(text.into(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap();
        assert!(!bare.root().text().contains('p'), "{text}");
    }
}

#[test]
fn attack_par_05_split_text_is_refused_in_leaves_and_whole_elsewhere() {
    for text in ["<n>a@x<!---->.evil</n>", "<n><![CDATA[a@x]]>.evil</n>", "<n>a@x<![CDATA[.evil]]></n>"] {
        let document =
            Document::parse(text.into(), Profile::Message, &mut Budget::new(&Limits::default())).unwrap();
        assert_eq!(document.root().text(), "a@x.evil", "{text}");
        assert_eq!(document.root().leaf_text().unwrap_err().kind(), K::NotText, "{text}");
    }
}

#[test]
fn attack_par_06_many_attributes_meet_the_limit_and_duplicates_are_found_without_it() {
    let many: String = (0..25_000).map(|n| format!(" a{n}=''")).collect();
    assert_eq!(judge(format!("<a{many}/>")), limit(Quantity::Attributes));
    assert!(unbounded(format!("<a{many}/>")).is_ok());
    assert_eq!(unbounded(format!("<a{many} a12345=''/>")), Err(K::DuplicateAttribute));
    let two = format!("<a xmlns:p='urn:x' xmlns:q='urn:x'{many} p:z='' q:z=''/>");
    assert_eq!(unbounded(two), Err(K::DuplicateAttribute));
}

#[test]
fn attack_par_07_names_that_collide_under_known_hashes_are_names_like_others() {
    // Every text of blocks "Ez" and "FY" has one value under the hash x33.
    let names = |n: u32| (0..14).map(|bit| if n >> bit & 1 == 1 { "Ez" } else { "FY" }).collect::<String>();
    let body: String = (0..10_000).map(|n| format!("<{0} Id='{0}'/>", names(n))).collect();
    assert!(judge(format!("<a>{body}</a>")).is_ok());
    let spaces: String = (0..10_000).map(|n| format!("<b xmlns='urn:{}'/>", names(n))).collect();
    assert!(judge(format!("<a>{spaces}</a>")).is_ok());
}

#[test]
fn attack_par_08_deep_documents_meet_the_limit_and_cost_no_stack_without_it() {
    assert!(judge("<a>".repeat(64) + &"</a>".repeat(64)).is_ok());
    assert_eq!(judge("<a>".repeat(65) + &"</a>".repeat(65)), limit(Quantity::Depth));
    assert_eq!(judge("<a>".repeat(1_000_000)), limit(Quantity::Depth));
    assert!(unbounded("<a>".repeat(200_000) + &"</a>".repeat(200_000)).is_ok());
    assert_eq!(unbounded("<a>".repeat(200_000)), Err(K::UnexpectedEnd));
}

#[test]
fn attack_par_09_namespace_bombs_meet_the_limits_and_stay_linear_without_them() {
    let many: String = (0..20_000).map(|n| format!(" xmlns:p{n}='urn:{n}'")).collect();
    assert_eq!(judge(format!("<a{many}/>")), limit(Quantity::Namespaces));
    assert!(unbounded(format!("<a{many}>{}</a>", "<b/>".repeat(20_000))).is_ok());
    let level = |n: u32| -> String { (0..60).map(|p| format!(" xmlns:p{n}x{p}='urn:{p}'")).collect() };
    let deep: String = (0..60).map(|n| format!("<a{}>", level(n))).collect();
    assert_eq!(judge(deep + &"</a>".repeat(60)), limit(Quantity::NamespacesInScope));
    let rebound: String = (0..2_000).map(|n| format!("<p:a xmlns:p='urn:{n}'>")).collect();
    assert!(unbounded(rebound + &"</p:a>".repeat(2_000)).is_ok());
    let brothers: String = (0..20_000).map(|n| format!("<a xmlns='urn:{n}'/>")).collect();
    assert!(judge(format!("<a>{brothers}</a>")).is_ok());
}

#[test]
fn attack_par_10_namespace_rules_hold_in_messages() {
    for (text, kind) in [
        ("<a xmlns:xmlns='urn:x'/>", K::NamespaceDeclaration),
        ("<a xmlns:p=''/>", K::NamespaceDeclaration),
        ("<a xmlns='relative/path'/>", K::RelativeNamespace),
        ("<a xmlns:p='urn:a b'/>", K::NamespaceUri),
        ("<a xmlns:p='urn:\u{85}'/>", K::NamespaceUri),
        ("<a xmlns:p='urn:é'/>", K::NamespaceUri),
        ("<a:b:c xmlns:a='urn:a'/>", K::Name),
        ("<:a/>", K::Name),
        ("<a: />", K::Name),
        ("<p:a/>", K::UnboundPrefix),
        ("<a p:b=''/>", K::UnboundPrefix),
    ] {
        assert_eq!(judge(text), Err(kind), "{text}");
    }
}

#[test]
fn attack_par_11_giant_tokens_meet_the_limits() {
    let long = "x".repeat(100_000);
    assert_eq!(judge(format!("<{long}/>")), limit(Quantity::NameBytes));
    assert_eq!(judge(format!("<a {long}=''/>")), limit(Quantity::NameBytes));
    assert_eq!(judge(format!("<a xmlns:{long}='urn:x'/>")), limit(Quantity::NameBytes));
    assert_eq!(judge(format!("<a b='{long}'/>")), limit(Quantity::AttributeBytes));
    assert_eq!(judge(format!("<a>{}</a>", "x".repeat(8 << 20))), limit(Quantity::Bytes));
    assert!(judge(format!("<a>{}</a>", "&#x41;".repeat(1_000_000))).is_ok());
    assert!(judge(format!("<a>&#{}65;</a>", "0".repeat(1_000_000))).is_ok());
}

#[test]
fn limit_of_distinct_names_is_an_error_and_no_wrap_around() {
    let body = |count: u32| -> String { (0..count).map(|n| format!("<n{n}/>")).collect() };
    let limits = Limits { children: 100_000, ..Limits::default() };
    assert!(on_small_stack(format!("<a>{}</a>", body(64_000)).into(), limits).is_ok());
    let more = on_small_stack(format!("<a>{}</a>", body(65_001)).into(), limits);
    assert_eq!(more, limit(Quantity::DistinctNames));
}

#[test]
fn attack_par_12_forbidden_characters_are_refused_raw_and_by_reference() {
    for c in ["\0", "\u{1}", "\u{B}", "\u{1F}", "\u{FFFE}", "\u{FFFF}"] {
        for text in [format!("<a>{c}</a>"), format!("<a b='{c}'/>"), format!("<a><!--{c}--></a>")] {
            assert_eq!(judge(text.as_bytes()), Err(K::Character), "{text:?}");
        }
        assert_eq!(judge(format!("<a><![CDATA[{c}]]></a>")), Err(K::Character), "{c:?}");
    }
    for c in ["&#0;", "&#xD800;", "&#x110000;", "&#x1000000041;", "&#xFFFF;", "&#1;"] {
        assert_eq!(judge(format!("<a>{c}</a>")), Err(K::CharacterReference), "{c}");
    }
    assert_eq!(judge("<?xml version='1.1'?><a/>"), Err(K::Declaration));
    // NEL and LS are characters of XML 1.0, no line ends.
    assert!(judge("<a>\u{85}\u{2028}</a>").is_ok());
    assert_eq!(judge("<a\u{85}b=''/>"), Err(K::Name));
}

#[test]
fn attack_par_13_encodings_that_are_wrong_or_in_conflict_are_refused() {
    let octets: [&[u8]; 12] = [
        b"<a>\xC0\xAF</a>",
        b"<a>\xF8\x88\x80\x80\x80</a>",
        b"<a>\xFC\x84\x80\x80\x80\x80</a>",
        b"<a>\xE2\x82</a>",
        b"\xFE\xFF\0<\0a\0/\0>\0",
        b"\xFE\xFF\xD8\x3D\0<\0a\0/\0>",
        b"<\0a\0/\0>\0",
        b"+ADw-a/+AD4-",
        b"\xFF\xFE\0\0<\0\0\0",
        b"\x4C\x81\x61\x6E",
        b"<?xml version='1.0' encoding='ISO-8859-1'?><a>\xE9</a>",
        b"\xEF\xBB\xBF<?xml version='1.0' encoding='UTF-16'?><a/>",
    ];
    for octets in octets {
        assert!(judge(octets).is_err(), "{octets:x?}");
    }
    let mut wide = vec![0xFF, 0xFE];
    wide.extend("<?xml version='1.0' encoding='UTF-8'?><a/>".encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(judge(wide), Err(K::EncodingMismatch));
}

#[test]
fn attack_par_14_line_ends_have_one_canonical_form() {
    let form = |text: &str| {
        let document =
            Document::parse(text.into(), Profile::Message, &mut Budget::new(&Limits::default())).unwrap();
        let mut octets = Vec::new();
        C14n::new(C14nMethod::Exclusive).write(document.root(), &mut octets).unwrap();
        String::from_utf8(octets).unwrap()
    };
    let expected = "<a b=\"1 2 3&#xD;&#x9;\">x\ny&#xD;z</a>";
    for end in ["\n", "\r\n", "\r"] {
        assert_eq!(form(&format!("<a b='1{end}2\t3&#13;&#9;'>x{end}y&#xD;z</a>")), expected);
    }
}

#[test]
fn attack_par_15_every_prefix_of_a_message_is_refused() {
    let text = include_str!("data/message.xml").trim_end();
    assert!(judge(text).is_ok());
    for end in 0..text.len() {
        let prefix = text.as_bytes()[..end].to_vec();
        let outcome = Document::parse(prefix, Profile::Message, &mut Budget::new(&Limits::default()));
        assert!(outcome.is_err(), "{end}");
    }
}

#[test]
fn attack_par_18_writer_refuses_or_escapes_what_would_read_back_differently() {
    let mut writer = Writer::new();
    writer.open("", "", "a").attr("b", "\"'<>&\t\n\r").text("]]> <!-- --> & \r").close();
    let octets = writer.finish().unwrap();
    let document = Document::parse(octets, Profile::Message, &mut Budget::new(&Limits::default())).unwrap();
    assert_eq!(document.root().attr_plain("b"), Some("\"'<>&\t\n\r"));
    assert_eq!(document.root().text(), "]]> <!-- --> & \r");
    assert!(document.root().children().all(|node| node.kind() == NodeKind::Text));
    for local in ["", "a b", "a:b", "1", "a>", "a/", "xml ns"] {
        let mut writer = Writer::new();
        writer.open("", "", local).close();
        assert_eq!(writer.finish().unwrap_err().kind(), K::Writer, "{local}");
    }
    for text in ["\0", "\u{FFFE}", "\u{1B}"] {
        let mut writer = Writer::new();
        writer.open("", "", "a").text(text).close();
        assert_eq!(writer.finish().unwrap_err().kind(), K::Writer, "{text:?}");
    }
}

#[test]
fn attack_par_23_document_near_every_limit_at_once_is_parsed() {
    let attributes: String = (0..127).map(|n| format!(" a{n}='{}'", "&#65;".repeat(20))).collect();
    let long = "v".repeat(64 << 10);
    let mut text = String::new();
    for n in 0..63 {
        let declarations: String = (0..8).map(|p| format!(" xmlns:p{n}x{p}='urn:{n}:{p}'")).collect();
        text.push_str(&format!("<a{attributes}{declarations} l='{long}'>"));
    }
    text.push_str(&"<b/>".repeat(1_000));
    text.push_str(&"</a>".repeat(63));
    assert!(judge(text).is_ok());
}

#[test]
fn attack_xsw_28_nothing_may_follow_the_root_element() {
    for tail in
        ["<b/>", "x", "\0", "\0\0\0", "<a/>", "&amp;", "<![CDATA[]]>", "</a>", "<?xml version='1.0'?><a/>"]
    {
        assert!(judge(format!("<a/>{tail}")).is_err(), "{tail:?}");
    }
    assert!(judge("<a/>\r\n<!-- c -->\n").is_ok());
}
