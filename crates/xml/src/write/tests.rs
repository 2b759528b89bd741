use crate::c14n::{C14n, C14nMethod};
use crate::write::Writer;
use crate::{Budget, Document, ErrorKind, Limits, Profile};

fn parse(text: &[u8]) -> Document {
    Document::parse(text.to_vec(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap()
}

/// What the writer wrote, which must be its own exclusive form.
fn canonical(writer: Writer) -> String {
    let octets = writer.finish().unwrap();
    let mut again = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(parse(&octets).root(), &mut again).unwrap();
    assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&octets));
    String::from_utf8(octets).unwrap()
}

fn refused(fill: impl FnOnce(&mut Writer)) {
    let mut writer = Writer::new();
    fill(&mut writer);
    assert_eq!(writer.finish().unwrap_err().kind(), ErrorKind::Writer);
}

#[test]
fn namespaces_are_declared_once_and_where_needed() {
    let mut w = Writer::new();
    w.open("a", "urn:a", "r")
        .open("a", "urn:a", "x")
        .close()
        .open("", "urn:d", "y")
        .open("", "", "z")
        .close()
        .close();
    w.open("b", "urn:b", "s").attr_ns("a", "urn:a", "k", "v").close().close();
    assert_eq!(
        canonical(w),
        "<a:r xmlns:a=\"urn:a\"><a:x></a:x><y xmlns=\"urn:d\"><z xmlns=\"\"></z></y><b:s xmlns:b=\"urn:b\" a:k=\"v\"></b:s></a:r>"
    );
}

#[test]
fn attributes_and_declarations_are_sorted() {
    let mut w = Writer::new();
    w.open("z", "urn:z", "r")
        .attr_ns("y", "urn:a", "l", "3")
        .attr("b", "2")
        .attr_ns("x", "urn:b", "l", "4")
        .attr("a", "1")
        .close();
    assert_eq!(
        canonical(w),
        "<z:r xmlns:x=\"urn:b\" xmlns:y=\"urn:a\" xmlns:z=\"urn:z\" a=\"1\" b=\"2\" y:l=\"3\" x:l=\"4\"></z:r>"
    );
}

#[test]
fn prefix_can_be_rebound_and_comes_back() {
    let mut w = Writer::new();
    w.open("p", "urn:1", "a").open("p", "urn:2", "b").close().open("p", "urn:1", "c").close().close();
    assert_eq!(canonical(w), "<p:a xmlns:p=\"urn:1\"><p:b xmlns:p=\"urn:2\"></p:b><p:c></p:c></p:a>");
}

#[test]
fn text_and_values_are_escaped() {
    let mut w = Writer::new();
    w.open("", "", "a").attr("v", "<>&\"'\t\r\n").text("<>&\"'\t\r\n").close();
    assert_eq!(canonical(w), "<a v=\"&lt;>&amp;&quot;'&#x9;&#xD;&#xA;\">&lt;&gt;&amp;\"'\t&#xD;\n</a>");
}

#[test]
fn copy_declares_only_what_is_missing() {
    let source = parse(
        b"<o:x xmlns:o='urn:o' xmlns:e='urn:e' xmlns:u='urn:u'><e:y a='1'/><!--c--><o:z>&gt;</o:z></o:x>",
    );
    let mut w = Writer::new();
    w.open("e", "urn:e", "env").copy(source.root()).close();
    assert_eq!(
        canonical(w),
        "<e:env xmlns:e=\"urn:e\"><o:x xmlns:o=\"urn:o\"><e:y a=\"1\"></e:y><o:z>&gt;</o:z></o:x></e:env>"
    );
}

#[test]
fn gaps_are_patched_in_place() {
    let mut w = Writer::new();
    w.open("", "", "a");
    let gap = w.gap(4);
    w.close();
    assert!(w.patch(gap, b"abc").is_err(), "wrong length");
    assert!(w.patch(gap, b"ab<d").is_err(), "needs an escape");
    w.patch(gap, b"abc=").unwrap();
    assert_eq!(canonical(w), "<a>abc=</a>");
}

#[test]
fn written_since_a_position_is_seen() {
    let mut w = Writer::new();
    w.open("", "", "a");
    let from = w.position();
    w.open("b", "urn:b", "c").close();
    assert_eq!(w.written(from), b"<b:c xmlns:b=\"urn:b\"></b:c>");
}

#[test]
fn declared_prefix_is_in_scope_until_the_element_ends() {
    let mut w = Writer::new();
    w.open("", "", "a").declare("xsd", "urn:xsd");
    assert_eq!(w.in_scope("xsd"), Some("urn:xsd"));
    w.open("", "", "b").declare("q", "urn:q").close();
    assert_eq!(w.in_scope("q"), None);
    w.close();
    assert_eq!(w.finish().unwrap(), b"<a xmlns:xsd=\"urn:xsd\"><b xmlns:q=\"urn:q\"></b></a>");
}

#[test]
fn attack_par_18_what_cannot_be_read_back_is_refused() {
    refused(|w| {
        w.open("", "", "a b").close();
    });
    refused(|w| {
        w.open("", "", "a:b").close();
    });
    refused(|w| {
        w.open("a:b", "urn:x", "c").close();
    });
    refused(|w| {
        w.open("xml", "urn:x", "c").attr_ns("xmlns", "urn:x", "d", "").close();
    });
    refused(|w| {
        w.open("p", "", "c").close();
    });
    refused(|w| {
        w.open("", "", "a").attr("x", "\u{0}").close();
    });
    refused(|w| {
        w.open("", "", "a").text("\u{FFFE}").close();
    });
    refused(|w| {
        w.open("", "", "a").attr("x", "1").attr("x", "2").close();
    });
    refused(|w| {
        w.open("", "", "a").attr_ns("p", "urn:1", "x", "").attr_ns("q", "urn:1", "x", "").close();
    });
    refused(|w| {
        w.open("", "", "a").attr_ns("p", "urn:1", "x", "").attr_ns("p", "urn:2", "y", "").close();
    });
    refused(|w| {
        w.open("", "", "a").attr("xmlns", "urn:x").close();
    });
    refused(|w| {
        w.open("", "", "a").text("t").attr("x", "1").close();
    });
}

#[test]
fn calls_out_of_order_are_refused() {
    refused(|w| {
        w.open("", "", "a");
    });
    refused(|w| {
        w.open("", "", "a").close().close();
    });
    refused(|w| {
        w.text("outside");
    });
    refused(|w| {
        w.open("", "", "a");
        w.gap(1);
        w.close();
    });
}

#[test]
fn free_prefix_is_the_smallest_that_nothing_uses() {
    let free = |texts: &[&str]| crate::write::free_prefix("wsu", texts.iter().map(|t| t.as_bytes()));
    assert_eq!(free(&[]), "wsu");
    assert_eq!(free(&["<a wsu='1'/>"]), "wsu0");
    assert_eq!(free(&["<a xmlns:wsux='u'>wsu</a>", "<wsu/>"]), "wsu");
    assert_eq!(free(&["<a xmlns:wsu='u'>", "<wsu0:b/>wsu1:c", "wsu3:d wsu007:e"]), "wsu2");
    assert_eq!(free(&["wsu:a wsu00000000000000000000000000000000000001:b"]), "wsu0");
}
