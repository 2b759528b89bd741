mod generate;
mod plain;
mod properties;

use super::base::join;
use super::{C14n, C14nMethod};
use crate::{Budget, Document, Element, ErrorKind, Limits, Profile};

fn parse(text: &str) -> Document {
    Document::parse(text.into(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap()
}

/// The element with the attribute `n="apex"`, or the root.
fn apex(document: &Document) -> Element<'_> {
    let root = document.root();
    root.descendants().find(|e| e.attr_plain("n") == Some("apex")).unwrap_or(root)
}

fn octets(form: C14n<'_>, document: &Document) -> String {
    let mut out = Vec::new();
    let count = form.write(apex(document), &mut out).unwrap();
    assert_eq!(out, plain::write(&form, apex(document)).unwrap(), "both canonicalizers");
    assert_eq!(count, out.len() as u64);
    String::from_utf8(out).unwrap()
}

fn check(method: C14nMethod, prefixes: &str, source: &str, expected: &str) {
    let form = C14n::new(method).with_prefixes(prefixes);
    let first = octets(form, &parse(source));
    assert_eq!(first, expected, "{method:?} of {source}");
}

fn exclusive(source: &str, expected: &str) {
    check(C14nMethod::Exclusive, "", source, expected);
}

#[test]
fn exclusive_declares_what_is_visibly_used() {
    exclusive(
        "<a xmlns='urn:d' xmlns:p='urn:p' xmlns:q='urn:q'><p:b n='apex' q:k='1'><c/></p:b></a>",
        "<p:b xmlns:p=\"urn:p\" xmlns:q=\"urn:q\" n=\"apex\" q:k=\"1\"><c xmlns=\"urn:d\"></c></p:b>",
    );
}

#[test]
fn tag_is_taken_whole_only_if_it_declares_as_the_form_does() {
    let canonical = r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" k="1" q:l="2"></p:b>"#;
    for tag in [
        r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:q="urn:q" xmlns:p="urn:p" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p="urn:p" k="1" xmlns:q="urn:q" q:l="2"></p:b>"#,
        r#"<p:b k="1" q:l="2" xmlns:p="urn:p" xmlns:q="urn:q"></p:b>"#,
        r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" q:l="2" k="1"></p:b>"#,
        r#"<p:b xmlns:p="urn:p"  xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" k="1" q:l="2" ></p:b>"#,
        r#"<p:b xmlns:p='urn:p' xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p = "urn:p" xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p="urn:&#x70;" xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" xmlns:u="urn:u" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns="urn:u" xmlns:p="urn:p" xmlns:q="urn:q" k="1" q:l="2"></p:b>"#,
        r#"<p:b xmlns:p="urn:p" xmlns:q="urn:q" k="1" q:l="2"/>"#,
    ] {
        let twice = format!("<a>{tag}{tag}<p:c xmlns:p=\"urn:p\">{tag}</p:c></a>");
        let inner = canonical.replace(" xmlns:p=\"urn:p\"", "");
        exclusive(&twice, &format!("<a>{canonical}{canonical}<p:c xmlns:p=\"urn:p\">{inner}</p:c></a>"));
    }
}

#[test]
fn exclusive_looks_at_the_nearest_written_ancestor() {
    // The parent in the source declares p, but does not use it: each child that does must declare it.
    exclusive(
        "<a xmlns:p='urn:p'><p:b/><p:c><x><p:d/></x></p:c></a>",
        "<a><p:b xmlns:p=\"urn:p\"></p:b><p:c xmlns:p=\"urn:p\"><x><p:d></p:d></x></p:c></a>",
    );
    // A prefix that was written with another URI in between must be written again.
    exclusive(
        "<p:a xmlns:p='urn:1'><p:b xmlns:p='urn:2'><p:c xmlns:p='urn:1'/></p:b></p:a>",
        "<p:a xmlns:p=\"urn:1\"><p:b xmlns:p=\"urn:2\"><p:c xmlns:p=\"urn:1\"></p:c></p:b></p:a>",
    );
}

#[test]
fn exclusive_undeclares_the_default_namespace_only_after_it_was_written() {
    exclusive("<a xmlns='urn:d'><b xmlns='' n='apex'><c/></b></a>", "<b n=\"apex\"><c></c></b>");
    exclusive(
        "<a xmlns='urn:d'><b xmlns=''><c/></b></a>",
        "<a xmlns=\"urn:d\"><b xmlns=\"\"><c></c></b></a>",
    );
    // The unprefixed element in between is in no namespace, the prefixed one does not use the default.
    exclusive(
        "<p:a xmlns='urn:d' xmlns:p='urn:p'><b xmlns=''><p:c><d/></p:c></b></p:a>",
        "<p:a xmlns:p=\"urn:p\"><b><p:c><d></d></p:c></b></p:a>",
    );
}

#[test]
fn prefix_list_is_treated_inclusively() {
    let source =
        "<a xmlns='urn:d' xmlns:p='urn:p' xmlns:q='urn:q'><p:b n='apex'><p:c xmlns:q='urn:q2'/></p:b></a>";
    check(
        C14nMethod::Exclusive,
        "q",
        source,
        "<p:b xmlns:p=\"urn:p\" xmlns:q=\"urn:q\" n=\"apex\"><p:c xmlns:q=\"urn:q2\"></p:c></p:b>",
    );
    check(
        C14nMethod::Exclusive,
        " #default\tunbound ",
        source,
        "<p:b xmlns=\"urn:d\" xmlns:p=\"urn:p\" n=\"apex\"><p:c></p:c></p:b>",
    );
    check(
        C14nMethod::Exclusive,
        "#default",
        "<a xmlns='urn:d'><p:b xmlns:p='urn:p' xmlns='' n='apex'><p:c xmlns='urn:e'/></p:b></a>",
        "<p:b xmlns:p=\"urn:p\" n=\"apex\"><p:c xmlns=\"urn:e\"></p:c></p:b>",
    );
}

#[test]
fn inclusive_apex_takes_all_namespaces_in_scope() {
    let source = "<a xmlns='urn:d' xmlns:p='urn:p' xmlns:q='urn:q'><b n='apex' xmlns:q='urn:q2'><c xmlns:p='urn:p'/></b></a>";
    let expected = "<b xmlns=\"urn:d\" xmlns:p=\"urn:p\" xmlns:q=\"urn:q2\" n=\"apex\"><c></c></b>";
    check(C14nMethod::Inclusive10, "", source, expected);
    check(C14nMethod::Inclusive11, "", source, expected);
}

#[test]
fn inclusive_apex_does_not_write_a_hidden_default() {
    check(C14nMethod::Inclusive10, "", "<a xmlns='urn:d'><b xmlns='' n='apex'/></a>", "<b n=\"apex\"></b>");
}

#[test]
fn xml_attributes_are_inherited_as_each_form_says() {
    let source = "<a xml:lang='en' xml:id='i' xml:base='http://x/y/'><m xml:lang='de' xml:base='z/'>\
                  <b n='apex' xml:base='w'><c/></b></m></a>";
    check(
        C14nMethod::Inclusive10,
        "",
        source,
        "<b n=\"apex\" xml:base=\"w\" xml:id=\"i\" xml:lang=\"de\"><c></c></b>",
    );
    check(
        C14nMethod::Inclusive11,
        "",
        source,
        "<b n=\"apex\" xml:base=\"http://x/y/z/w\" xml:lang=\"de\"><c></c></b>",
    );
    exclusive(source, "<b n=\"apex\" xml:base=\"w\"><c></c></b>");
}

#[test]
fn base_references_are_joined() {
    for (base, reference, expected) in [
        ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
        ("http://a/b/c/d;p?q", "../g", "http://a/b/g"),
        ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
        ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
        ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
        ("http://a/b/c/d;p?q", "//h/x", "http://h/x"),
        ("http://a/b/c/d;p?q", "urn:x", "urn:x"),
        ("http://a", "g", "http://a/g"),
        ("foo/bar", "..", ""),
        ("foo/bar/", "..", "foo/"),
        ("..", "x", "../x"),
        ("../..", "x", "../../x"),
        ("a/", "./b//c/.", "a/b/c/"),
        ("/a/b", "../../../c", "/c"),
    ] {
        assert_eq!(join(base, reference), expected, "{base} + {reference}");
    }
}

#[test]
fn comments_and_instructions_around_the_root_get_line_feeds() {
    let document = parse("<?p a?><!--1--> <r><!--2--><?q?></r>\n<!--3--><?s  b ?>");
    let write = |method| {
        let mut out = Vec::new();
        C14n::new(method).write_document(&document, &mut out).unwrap();
        assert_eq!(out, plain::write_document(&C14n::new(method), &document).unwrap(), "both canonicalizers");
        String::from_utf8(out).unwrap()
    };
    assert_eq!(
        write(C14nMethod::Inclusive10WithComments),
        "<?p a?>\n<!--1-->\n<r><!--2--><?q?></r>\n<!--3-->\n<?s b ?>"
    );
    assert_eq!(write(C14nMethod::Exclusive), "<?p a?>\n<r><?q?></r>\n<?s b ?>");
}

#[test]
fn characters_are_escaped_and_line_ends_kept() {
    exclusive(
        "<a v='&lt;&gt;&amp;&quot;&apos;&#9;&#10;&#13;\t'>&lt;&gt;&amp;\"'&#9;&#13;\r\n<![CDATA[<&>]]>&#x1F600;</a>",
        "<a v=\"&lt;>&amp;&quot;'&#x9;&#xA;&#xD; \">&lt;&gt;&amp;\"'\t&#xD;\n&lt;&amp;&gt;\u{1F600}</a>",
    );
    let long = "x".repeat(100);
    exclusive(
        &format!("<a>{long}&#13;{long}&amp;{long}>{long}</a>"),
        &format!("<a>{long}&#xD;{long}&amp;{long}&gt;{long}</a>"),
    );
}

#[test]
fn long_outputs_reach_the_sink_whole() {
    let text = "0123456789".repeat(500);
    let items = format!("<i>{}</i>", &text[..100]).repeat(60);
    let source = format!("<a><b>{text}</b>{items}</a>");
    exclusive(&source, &source);
}

#[test]
fn element_is_left_out() {
    let document = parse("<a><s><t/></s>1<b/></a>");
    let out = document.root().elements().next().unwrap();
    assert_eq!(octets(C14n::new(C14nMethod::Exclusive).without(out.id()), &document), "<a>1<b></b></a>");
    let whole = C14n::new(C14nMethod::Exclusive).without(document.root().id());
    assert_eq!(octets(whole, &document), "");
}

#[test]
fn element_is_replaced_by_another_as_an_apex() {
    let document = parse("<r xmlns:p='urn:p'><p:k><s n='1'/></p:k><p:t xmlns='urn:d'><p:u/><v/></p:t></r>");
    let mut elements = document.root().elements();
    let (key, token) = (elements.next().unwrap(), elements.next().unwrap());
    let reference = key.elements().next().unwrap();
    let pairs = [(reference.id(), token.id())];
    let form = C14n::new(C14nMethod::Exclusive).replacing(&pairs);
    let mut out = Vec::new();
    form.write(key, &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "<p:k xmlns:p=\"urn:p\"><p:t xmlns=\"\" xmlns:p=\"urn:p\"><p:u></p:u><v xmlns=\"urn:d\"></v></p:t></p:k>"
    );
}

#[test]
fn attack_sig_11_relative_namespace_has_no_canonical_form() {
    for source in ["<a xmlns='relative'/>", "<a><b xmlns:p='../x'/></a>", "<a xmlns:p='1:x'/>"] {
        let document = parse(source);
        for method in C14nMethod::ALL {
            let error = C14n::new(method).write(document.root(), &mut Vec::new()).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::RelativeNamespace, "{source}");
        }
    }
}

#[test]
fn children_are_written_one_by_one() {
    let document = parse("<p:a xmlns:p='urn:p'>x<p:b/>&lt;<!--c--><p:c/></p:a>");
    let mut out = Vec::new();
    C14n::new(C14nMethod::ExclusiveWithComments).write_children(document.root(), &mut out).unwrap();
    assert_eq!(
        String::from_utf8(out).unwrap(),
        "x<p:b xmlns:p=\"urn:p\"></p:b>&lt;<!--c--><p:c xmlns:p=\"urn:p\"></p:c>"
    );
}

#[test]
fn namespace_uri_is_escaped_like_an_attribute_value() {
    exclusive("<p:a xmlns:p='urn:&amp;&quot;&lt;'/>", "<p:a xmlns:p=\"urn:&amp;&quot;&lt;\"></p:a>");
}

#[test]
fn plaintexts_count_only_as_far_as_they_are_followed() {
    let mut document = parse("<a><x1/>t<x2/></a>");
    let at: Vec<_> = document.root().elements().map(|e| e.id()).collect();
    let mut budget = Budget::new(&Limits::default());
    document.graft(at[1], b"<p>2</p>".to_vec(), crate::Graft::Element, &mut budget).unwrap();
    document.graft(at[0], b"1".to_vec(), crate::Graft::Content, &mut budget).unwrap();
    let form = C14n::new(C14nMethod::Exclusive);
    let of = |form: C14n<'_>| octets(form, &document);
    assert_eq!(of(form.with_grafts(0)), "<a><x1></x1>t<x2></x2></a>");
    assert_eq!(of(form.with_grafts(1)), "<a><x1></x1>t<p>2</p></a>");
    assert_eq!(of(form), "<a>1t<p>2</p></a>");
}

#[test]
fn declaration_of_the_prefix_xml_is_left_out() {
    let doc = parse("<a><b xmlns:xml=\"http://www.w3.org/XML/1998/namespace\" xml:lang=\"en\">x</b></a>");
    for method in C14nMethod::ALL {
        let mut out = Vec::new();
        C14n::new(method).write(doc.root(), &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap(), "<a><b xml:lang=\"en\">x</b></a>", "{method:?}");
    }
}
