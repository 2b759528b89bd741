use super::*;

fn with_id(octets: &str) -> String {
    let tag = StartTag::parse(octets.as_bytes()).unwrap();
    String::from_utf8(tag.with_id("i").0).unwrap()
}

const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";

#[test]
fn id_goes_into_canonical_order() {
    let out = with_id("<a:b xmlns:a=\"urn:a\" xmlns:z=\"urn:z\" p=\"1\" z:q=\"2\">x > y</a:b>");
    assert_eq!(
        out,
        format!(
            "<a:b xmlns:a=\"urn:a\" xmlns:wsu=\"{WSU}\" xmlns:z=\"urn:z\" p=\"1\" wsu:Id=\"i\" z:q=\"2\">x > y</a:b>"
        )
    );
}

#[test]
fn own_id_is_kept() {
    let source = format!("<b xmlns:u=\"{WSU}\" u:Id=\"mine\"></b>");
    let tag = StartTag::parse(source.as_bytes()).unwrap();
    let (octets, id) = tag.with_id("i");
    assert_eq!((octets.as_slice(), id.as_str()), (source.as_bytes(), "mine"));
}

#[test]
fn prefix_that_the_content_declares_is_avoided() {
    let out = with_id("<b><c xmlns:wsu=\"urn:other\" wsu:x=\"1\"></c></b>");
    assert!(out.starts_with(&format!("<b xmlns:wsu0=\"{WSU}\" wsu0:Id=\"i\"><c")), "{out}");
}

#[test]
fn greater_than_sign_in_a_value_does_not_end_the_tag() {
    let out = with_id("<b p=\"1 > 0\">t</b>");
    assert_eq!(out, format!("<b xmlns:wsu=\"{WSU}\" p=\"1 > 0\" wsu:Id=\"i\">t</b>"));
}

#[test]
fn what_is_no_canonical_start_tag_is_refused() {
    for bad in ["", "b", "<b", "<b p='1'></b>", "<b  p=\"1\">", "<b p=\"1\"/>"] {
        assert!(StartTag::parse(bad.as_bytes()).is_none(), "{bad}");
    }
}
