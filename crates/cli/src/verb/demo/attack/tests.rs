use super::{flip, strip, wrap};

const REQUEST: &str = "<s:Envelope><s:Header><w:Security><d:Signature Id=\"x\"><d:SignedInfo/></d:Signature></w:Security></s:Header>\
<s:Body Id=\"b\"><x:CipherValue>AbcD</x:CipherValue></s:Body></s:Envelope>";

#[test]
fn wrapped_body_stands_in_the_header_and_a_forged_one_takes_its_place() {
    insta::assert_snapshot!(wrap(REQUEST).expect("wrapped"), @r#"<s:Envelope><s:Header><w:Security><d:Signature Id="x"><d:SignedInfo/></d:Signature></w:Security><w:Wrapper xmlns:w="urn:wrapper"><s:Body Id="b"><x:CipherValue>AbcD</x:CipherValue></s:Body></w:Wrapper></s:Header><s:Body><transfer xmlns="urn:bank"><to>mallory</to></transfer></s:Body></s:Envelope>"#);
}

#[test]
fn flipped_request_differs_in_one_letter() {
    let flipped = flip(REQUEST).expect("flipped");
    let differing = flipped.bytes().zip(REQUEST.bytes()).filter(|(one, other)| one != other).count();
    assert_eq!((flipped.len(), differing), (REQUEST.len(), 1));
}

#[test]
fn stripped_request_has_no_signature() {
    let stripped = strip(REQUEST).expect("stripped");
    assert!(!stripped.contains("Signature"));
    assert!(stripped.contains("<w:Security></w:Security>"));
}
