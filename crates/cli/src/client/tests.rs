use bartizan_soap::Version;

use super::draft;

#[test]
fn element_becomes_the_body_of_the_version_that_was_asked_for() {
    let draft = draft(b"<a xmlns=\"urn:a\"/>".to_vec(), Version::Soap11).expect("a draft");
    assert_eq!(draft.version(), Version::Soap11);
    assert_eq!(draft.content(), b"<a xmlns=\"urn:a\"></a>");
}

#[test]
fn envelope_is_taken_as_it_is() {
    let ns = Version::Soap11.namespace();
    let text = format!("<e:Envelope xmlns:e=\"{ns}\"><e:Body><a xmlns=\"urn:a\"/></e:Body></e:Envelope>");
    let draft = draft(text.into_bytes(), Version::Soap12).expect("a draft");
    assert_eq!(draft.version(), Version::Soap11);
}
