//! What a parsed document says.

use super::*;

const SOAP: &str = r#"<?xml version="1.0" encoding="utf-8"?>
<s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/" xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">
  <s:Header/>
  <s:Body u:Id="b" plain='1 2'><p:x xmlns:p="urn:p" p:a="&lt;&#65;">one<!-- c --><![CDATA[<two>]]>&amp;three</p:x><y xmlns="urn:y"/><y/></s:Body>
</s:Envelope>
"#;

#[test]
fn soap_message_reads_back() {
    let doc = parse(SOAP);
    let root = doc.root();
    assert!(root.is(soap11::ENVELOPE));
    assert_eq!(root.qname(), "s:Envelope");
    assert_eq!(root.elements().count(), 2);
    let body = root.child(soap11::BODY).unwrap();
    assert_eq!(body.attr(wsu::ID), Some("b"));
    assert_eq!(body.attr_plain("plain"), Some("1 2"));
    assert_eq!(body.attr(attr::ID), None);
    let names: Vec<_> = body.elements().map(|e| (e.prefix(), e.local_name(), e.namespace())).collect();
    assert_eq!(names, [("p", "x", Some("urn:p")), ("", "y", Some("urn:y")), ("", "y", None)]);
    let x = body.elements().next().unwrap();
    assert_eq!(x.text(), "one<two>&three");
    assert_eq!(x.attrs().next().unwrap().value(), "<A");
    assert_eq!(x.lookup_namespace("s"), Some("http://schemas.xmlsoap.org/soap/envelope/"));
    assert_eq!((x.lookup_namespace(""), x.lookup_namespace("q")), (None, None));
    let kinds: Vec<_> = x.children().map(|n| n.kind()).collect();
    assert_eq!(kinds, [NodeKind::Text, NodeKind::Comment, NodeKind::CData, NodeKind::Text]);
    assert!(x.leaf_text().is_err());
    assert!(!body.is(wsse::SECURITY));
    assert_eq!(doc.find_name("urn:p", "x"), Some(x.name()));
}

#[test]
fn places_are_told_by_path_line_and_source() {
    let doc = parse(SOAP);
    let body = doc.root().child(soap11::BODY).unwrap();
    let second = body.elements().nth(2).unwrap();
    assert_eq!(second.path(), "/Envelope/Body/y[2]");
    assert_eq!(second.source(), "<y/>");
    assert_eq!(body.position(), (4, 3));
    assert!(doc.root().is_ancestor_of(second) && !second.is_ancestor_of(doc.root()));
    assert_eq!(doc.root().descendants().count(), 5);
    assert_eq!(body.source().len(), body.span().end - body.span().start);
}

#[test]
fn line_ends_and_attribute_white_space_are_normalized() {
    let doc = parse("<a b='1\r\n2\t3&#xA;&#x9;&#xD;4'>x\r\ny\rz&#13;<!--\r\n--><![CDATA[\r]]></a>");
    let root = doc.root();
    assert_eq!(root.attr_plain("b"), Some("1 2 3\n\t\r4"));
    let texts: Vec<_> = root.children().filter_map(|n| n.text()).collect();
    assert_eq!(texts, ["x\ny\nz\r", "\n", "\n"]);
}

#[test]
fn utf16_with_byte_order_mark_is_converted() {
    let text = "<?xml version='1.0' encoding='UTF-16'?><a>\u{1F600}é</a>";
    for (mark, unit) in [
        ([0xFE, 0xFF], u16::to_be_bytes as fn(u16) -> [u8; 2]),
        ([0xFF, 0xFE], u16::to_le_bytes as fn(u16) -> [u8; 2]),
    ] {
        let mut octets = mark.to_vec();
        octets.extend(text.encode_utf16().flat_map(unit));
        let doc = parse_as(&octets, Profile::Message).unwrap();
        assert_eq!(doc.root().text(), "\u{1F600}é");
    }
}

#[test]
fn processing_instructions_are_nodes_outside_messages() {
    let text = "<?a?><?b  c ?><r><?d e?></r><!--x-->";
    let doc = parse(text);
    let top: Vec<_> = doc.children().map(|n| (n.kind(), n.target(), n.text())).collect();
    assert_eq!(top[0], (NodeKind::Pi, Some("a"), Some("")));
    assert_eq!(top[1], (NodeKind::Pi, Some("b"), Some("c ")));
    assert_eq!(top[2].0, NodeKind::Element);
    assert_eq!(top[3], (NodeKind::Comment, None, Some("x")));
    assert_eq!(parse_as(text.as_bytes(), Profile::Message).unwrap_err(), ErrorKind::ProcessingInstruction);
}

#[test]
fn document_is_send_sync_and_nodes_are_small() {
    fn check<T: Send + Sync>() {}
    check::<Document>();
    assert_eq!(size_of::<crate::doc::arena::NodeData>(), 24);
    assert_eq!(size_of::<crate::doc::arena::AttrData>(), 12);
}

#[test]
fn ids_are_found_by_owner_and_look_alikes_are_told_apart() {
    let wsu = "xmlns:u='http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd'";
    let ds = "xmlns:d='http://www.w3.org/2000/09/xmldsig#'";
    let doc = parse(&format!("<a {wsu} {ds}><b u:Id='1x'/><d:Object Id='o'/><c id='1'/><c id='1'/></a>"));
    assert_eq!(doc.by_id("1x").unwrap().unwrap().local_name(), "b");
    assert_eq!(doc.by_id("o").unwrap().unwrap().local_name(), "Object");
    assert_eq!(doc.by_id("1"), Ok(None));
    assert!(doc.check_ids(&["1x", "o", "nowhere"]).is_ok());
    assert_eq!(doc.check_ids(&["1"]).unwrap_err().kind(), ErrorKind::DuplicateId);

    for bad in ["<b u:Id='x'/><b u:Id='x'/>", "<b u:Id='x'/><b id='x'/>", "<b id='x'/><d:Object Id='x'/>"] {
        let doc = parse(&format!("<a {wsu} {ds}>{bad}</a>"));
        assert_eq!(doc.check_ids(&[]).unwrap_err().kind(), ErrorKind::DuplicateId, "{bad}");
        assert!(doc.by_id("x").is_err(), "{bad}");
    }
    let same = parse(&format!("<a {wsu} {ds}><d:Object Id='x' u:Id='x'/></a>"));
    assert!(same.check_ids(&["x"]).is_ok() && same.by_id("x").unwrap().is_some());
}

#[test]
fn declared_id_attribute_counts_on_every_element() {
    let mut doc = parse("<a><b key='k'/><c key='l'/></a>");
    assert_eq!(doc.by_id("k"), Ok(None));
    doc.declare_id_attr("key");
    assert_eq!(doc.by_id("l").unwrap().unwrap().local_name(), "c");
}

#[test]
fn limit_of_each_quantity_holds_at_the_limit_and_fails_one_above() {
    let base =
        Limits { depth: 2, children: 2, nodes: 4, attributes: 2, attribute_bytes: 3, ..Limits::default() };
    let base = Limits { name_bytes: 8, namespaces: 2, namespaces_in_scope: 3, message_bytes: 90, ..base };
    let check = |text: &str| {
        Document::parse(text.into(), Profile::Bare, &mut Budget::new(&base)).map(|_| ()).map_err(|e| e.kind())
    };
    let (d, u) = ("xmlns:d='u:d'", "xmlns:e='u:e'");
    let cases = [
        ("<a><b/></a>".into(), "<a><b><c/></b></a>".into(), Quantity::Depth),
        ("<a><b/><b/></a>".into(), "<a><b/>x<b/></a>".into(), Quantity::Children),
        ("<a><b>x</b><b/></a>".into(), "<a><b>x</b><b>y</b></a>".into(), Quantity::Nodes),
        (format!("<a a='' {d} b=''/>"), format!("<a a='' b='' {d} c=''/>"), Quantity::Attributes),
        ("<a a='123'/>".into(), "<a a='1234'/>".into(), Quantity::AttributeBytes),
        ("<abcdefgh/>".into(), "<abcdefghi/>".into(), Quantity::NameBytes),
        (format!("<a {d} {u} a=''/>"), format!("<a {d} {u} xmlns='u:x'/>"), Quantity::Namespaces),
        (
            format!("<a {d} {u}><b {d}/><b/></a>"),
            format!("<a {d} {u}><b {d} {u}/></a>"),
            Quantity::NamespacesInScope,
        ),
        (format!("<a>{}</a>", "x".repeat(83)), format!("<a>{}</a>", "x".repeat(84)), Quantity::Bytes),
    ];
    for (good, bad, quantity) in cases {
        assert_eq!(check(&good), Ok(()), "{good}");
        assert_eq!(check(&bad), Err(ErrorKind::Limit(quantity)), "{bad}");
    }
}

#[test]
fn document_in_recycled_memory_is_as_in_fresh_memory() {
    let mut scratch = crate::Scratch::default();
    let many: String =
        (0..300).map(|n| format!("<n{n} id='{n}' xmlns:p{n}='urn:{n}'>&amp;</n{n}>")).collect();
    let mut declared = parse("<a><b key='k'/></a>");
    declared.declare_id_attr("key");
    declared.recycle(&mut scratch);
    for text in [SOAP, &format!("<a>{many}</a>"), SOAP, "<a key='k' xmlns='urn:relative'/>", "<a>", SOAP] {
        let mut budget = Budget::new(&Limits::default());
        let fresh = Document::parse(text.into(), Profile::Bare, &mut Budget::new(&Limits::default()));
        let mut octets = scratch.buffer();
        assert!(octets.is_empty());
        octets.extend_from_slice(text.as_bytes());
        let again = Document::parse_with(octets, Profile::Bare, &mut budget, &mut scratch);
        match (fresh, again) {
            (Ok(fresh), Ok(again)) => {
                assert_eq!(format!("{:?}", again.arena), format!("{:?}", fresh.arena));
                assert_eq!(format!("{:?}", again.ids), format!("{:?}", fresh.ids));
                assert_eq!(again.by_id("k"), Ok(None));
                again.recycle(&mut scratch);
            }
            (fresh, again) => assert_eq!(fresh.unwrap_err(), again.unwrap_err()),
        }
    }
}
