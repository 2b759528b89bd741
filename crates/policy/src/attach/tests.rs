use bartizan_xml::{Budget, Document, Limits, Profile};

use super::{Subject, attachments, operations};

const WSDL: &str = r##"<w:definitions xmlns:w="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap12/"
 xmlns:p="http://www.w3.org/ns/ws-policy" xmlns:sp="http://docs.oasis-open.org/ws-sx/ws-securitypolicy/200702"
 xmlns:u="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd">
 <w:portType name="P" p:PolicyURIs="#Parts #Missing"/>
 <w:binding name="B"><p:PolicyReference URI="#Binding"/>
  <w:operation name="op"><s:operation soapAction="urn:op"/><w:input><p:PolicyReference URI="#Parts"/></w:input>
   <w:output><p:Policy><sp:EncryptedParts><sp:Body/></sp:EncryptedParts></p:Policy></w:output></w:operation>
 </w:binding>
 <p:Policy u:Id="Binding"><sp:SymmetricBinding><p:Policy/></sp:SymmetricBinding></p:Policy>
 <p:Policy u:Id="Parts"><sp:SignedParts><sp:Body/></sp:SignedParts></p:Policy>
</w:definitions>"##;

fn document() -> Document {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(WSDL.as_bytes().to_vec(), Profile::Bare, &mut budget).expect("well-formed")
}

#[test]
fn references_attributes_and_policies_in_place_are_attached() {
    let found: Vec<_> = attachments(&document())
        .into_iter()
        .map(|found| (found.point, found.subject, found.reference, found.policy.is_usable()))
        .collect();
    let at = |point: &str| format!("definitions[]/{point}");
    assert_eq!(
        found,
        [
            (at("portType[P]"), Subject::Endpoint, Some("#Parts".into()), true),
            (at("portType[P]"), Subject::Endpoint, Some("#Missing".into()), false),
            (at("binding[B]"), Subject::Endpoint, Some("#Binding".into()), true),
            (at("binding[B]/operation[op]/input[]"), Subject::Message, Some("#Parts".into()), true),
            (at("binding[B]/operation[op]/output[]"), Subject::Message, None, true),
        ]
    );
}

#[test]
fn what_is_in_force_for_a_message_is_all_of_it() {
    let found = operations(&document());
    let [operation] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (&*operation.binding, &*operation.operation, operation.action.as_deref()),
        ("B", "op", Some("urn:op"))
    );
    let names = |policy: &crate::Policy| -> Vec<String> {
        let normal = policy.normalise(Default::default()).expect("small");
        normal.alternatives[0].assertions.iter().map(|assertion| assertion.name().to_owned()).collect()
    };
    let (request, reply) = (operation.request.as_ref().expect("one"), operation.reply.as_ref().expect("one"));
    assert_eq!(names(request), ["SymmetricBinding", "SignedParts"]);
    assert_eq!(names(reply), ["SymmetricBinding", "EncryptedParts"]);
    assert_eq!(request.diagnostics, [], "with its binding it is no fragment");
}
