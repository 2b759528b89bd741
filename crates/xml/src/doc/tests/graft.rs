//! Plaintexts in the place of ciphertexts.

use super::*;

const MESSAGE: &str =
    "<e:E xmlns:e='u:e' xmlns:p='u:p'><h/><e:B xmlns='u:d'>a<x xmlns:p='u:other'/>b</e:B></e:E>";

fn graft(doc: &mut Document, local: &str, text: &str, kind: Graft) -> Result<(), ErrorKind> {
    let at = doc.root().descendants().find(|e| e.local_name() == local).unwrap().id();
    let mut budget = Budget::new(&Limits::default());
    doc.graft(at, text.into(), kind, &mut budget).map_err(|e| e.kind())
}

fn body(doc: &Document) -> String {
    let body = doc.root().elements().nth(1).unwrap();
    body.children()
        .map(|n| n.as_element().map_or_else(|| n.text().unwrap().to_owned(), |e| e.path()))
        .collect()
}

#[test]
fn plaintext_takes_the_place_and_the_namespaces_of_its_ciphertext() {
    let mut doc = parse(MESSAGE);
    graft(&mut doc, "x", "1<p:y/><!--c-->2<z/>3", Graft::Content).unwrap();
    assert_eq!(body(&doc), "a1/E/B/yc2/E/B/z3b");
    let inner: Vec<_> = doc.root().descendants().map(|e| e.namespace().unwrap_or("")).collect();
    assert_eq!(inner, ["", "u:e", "u:p", "u:d"]);
    let y = doc.root().descendants().find(|e| e.local_name() == "y").unwrap();
    assert!(y.grafted() && !y.replaced());
    assert_eq!(y.parent().unwrap().local_name(), "B");
    assert_eq!(y.source(), "<p:y/>");
    assert_eq!((y.position(), y.span().segment), ((1, 2), 1));
    assert_eq!(doc.root().elements().nth(1).unwrap().text(), "a123b");
}

#[test]
fn empty_plaintexts_vanish_wherever_they_stand() {
    let mut doc = parse("<r><a/><b/>t<c/></r>");
    for local in ["a", "b", "c"] {
        graft(&mut doc, local, "", Graft::Content).unwrap();
    }
    assert_eq!(doc.root().children().count(), 1);
    assert_eq!(doc.root().text(), "t");
    assert_eq!(doc.root().descendants().count(), 0);
}

#[test]
fn plaintext_within_plaintext_is_followed_to_the_limit_of_two() {
    let mut doc = parse("<r>0<a/>9</r>");
    graft(&mut doc, "a", "1<b/>8", Graft::Content).unwrap();
    graft(&mut doc, "b", "<c/>", Graft::Element).unwrap();
    assert_eq!(doc.root().text(), "0189");
    assert_eq!(doc.root().elements().next().unwrap().path(), "/r/c");
    assert_eq!(graft(&mut doc, "c", "", Graft::Content), Err(ErrorKind::Limit(Quantity::DecryptDepth)));
    assert_eq!(doc.segments(), 3);
}

#[test]
fn root_element_can_be_replaced_by_one_element() {
    for (text, good) in [(" <n/><!--c-->", true), ("<n/>x", false), ("<n/><n/>", false), ("", false)] {
        let mut doc = parse("<r/>");
        let at = doc.root().id();
        let outcome = doc.graft(at, text.into(), Graft::Content, &mut Budget::new(&Limits::default()));
        assert_eq!(outcome.is_ok(), good, "{text}");
        assert_eq!(doc.root().local_name(), if good { "n" } else { "r" });
    }
}

#[test]
fn plaintext_that_does_not_fit_is_refused_and_leaves_no_trace() {
    for (text, kind) in [
        ("</x><y>", ErrorKind::EndTag),
        ("<q:y/>", ErrorKind::UnboundPrefix),
        ("<y>", ErrorKind::UnexpectedEnd),
        ("<?xml version='1.0'?><y/>", ErrorKind::Declaration),
        ("\u{FEFF}<y/>", ErrorKind::Fragment),
        ("<!DOCTYPE y><y/>", ErrorKind::Dtd),
        ("<y/><y/>", ErrorKind::Fragment),
        ("no element", ErrorKind::Fragment),
    ] {
        let mut doc = parse(MESSAGE);
        let nodes = doc.node_count();
        assert_eq!(graft(&mut doc, "x", text, Graft::Element), Err(kind), "{text}");
        assert_eq!((doc.node_count(), doc.segments(), body(&doc).as_str()), (nodes, 1, "a/E/B/xb"));
    }
    let mut doc = parse(MESSAGE);
    let at = doc.root().descendants().find(|e| e.local_name() == "x").unwrap().id();
    graft(&mut doc, "x", "<y/>", Graft::Element).unwrap();
    let again = doc.graft(at, b"<y/>".to_vec(), Graft::Element, &mut Budget::new(&Limits::default()));
    assert_eq!(again.unwrap_err().kind(), ErrorKind::NodeId);
    assert!(doc.element(at).unwrap().replaced());
}

#[test]
fn plaintext_of_a_message_may_bring_instructions_as_nodes() {
    let mut budget = Budget::new(&Limits::default());
    let mut doc = Document::parse(b"<r><a/></r>".to_vec(), Profile::Message, &mut budget).unwrap();
    let at = doc.root().elements().next().unwrap().id();
    doc.graft(at, b"<?p i?><v>x<?p?>y</v>".to_vec(), Graft::Element, &mut budget).unwrap();
    let v = doc.root().elements().next().unwrap();
    assert_eq!(v.text(), "xy");
    assert_eq!(v.leaf_text().unwrap_err().kind(), ErrorKind::NotText);
}

#[test]
fn plaintext_spends_the_budget_of_its_message() {
    let mut budget = Budget::new(&Limits { nodes: 5, message_bytes: 100, depth: 3, ..Limits::default() });
    let mut doc = Document::parse(b"<r><a/><b/></r>".to_vec(), Profile::Message, &mut budget).unwrap();
    let at: Vec<_> = doc.root().elements().map(|e| e.id()).collect();
    let deep = doc.graft(at[0], b"<c><d><e/></d></c>".to_vec(), Graft::Content, &mut budget);
    assert_eq!(deep.unwrap_err().kind(), ErrorKind::Limit(Quantity::Depth));
    doc.graft(at[0], b"<c><d/></c>".to_vec(), Graft::Content, &mut budget).unwrap();
    let more = doc.graft(at[1], b"<c/>".to_vec(), Graft::Content, &mut budget);
    assert_eq!(more.unwrap_err().kind(), ErrorKind::Limit(Quantity::Nodes));
}

#[test]
fn id_that_comes_with_a_plaintext_is_found_and_may_collide() {
    let wsu = "xmlns:u='http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd'";
    let mut doc = parse(&format!("<r {wsu}><a/><b u:Id='1'/><c/></r>"));
    graft(&mut doc, "a", "<n u:Id='2'/>", Graft::Element).unwrap();
    assert_eq!(doc.by_id("2").unwrap().unwrap().local_name(), "n");
    assert!(doc.check_ids(&["1", "2"]).is_ok());
    graft(&mut doc, "c", "<n u:Id='1'/>", Graft::Element).unwrap();
    assert_eq!(doc.check_ids(&[]).unwrap_err().kind(), ErrorKind::DuplicateId);
    assert!(doc.by_id("1").is_err());
}

#[test]
fn children_are_counted_over_all_plaintexts_of_one_parent() {
    let limits = Limits { children: 6, ..Limits::default() };
    let mut doc = parse("<r><a/><b/><c/><s><d/></s></r>");
    let put = |doc: &mut Document, local: &str, text: &str| {
        let at = doc.root().descendants().find(|e| e.local_name() == local).unwrap().id();
        doc.graft(at, text.into(), Graft::Content, &mut Budget::new(&limits)).map_err(|e| e.kind())
    };
    let full = Err(ErrorKind::Limit(Quantity::Children));
    // Four children and two more, while the ciphertext still counts; then it is gone.
    assert_eq!(put(&mut doc, "a", "<x/>y<z/>"), full);
    put(&mut doc, "a", "<x/>y").unwrap();
    assert_eq!(doc.topmost(1).map(|e| e.path()).collect::<Vec<_>>(), ["/r/x"]);
    // Another parent in between has its own count.
    put(&mut doc, "d", "<e/><f/><g/>").unwrap();
    assert_eq!(doc.topmost(2).count(), 3);
    assert_eq!(put(&mut doc, "b", "<p/>t"), full);
    put(&mut doc, "b", "").unwrap();
    assert_eq!(put(&mut doc, "c", "<p/>t<q/>"), full);
    put(&mut doc, "c", "<p/>t").unwrap();
    assert_eq!(doc.root().children().count(), 5);
    assert_eq!((doc.topmost(3).count(), doc.topmost(9).count()), (0, 0));
}
