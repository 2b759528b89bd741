//! Envelopes, header rules, faults, addressing and drafts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use bartizan_soap::addressing::{Addressing, Edition, MAX_IRI_BYTES};
use bartizan_soap::error::Shape;
use bartizan_soap::header::{self, Addressee};
use bartizan_soap::{Draft, Envelope, Error, Fault, FaultCode, ToFault, Version};
use bartizan_xml::{Budget, Limits};

const S11: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const S12: &str = "http://www.w3.org/2003/05/soap-envelope";

fn parse(text: &str) -> Result<Envelope, Error> {
    Envelope::parse(text.as_bytes().to_vec(), &mut Budget::new(&Limits::default()))
}

fn envelope(ns: &str, inner: &str) -> String {
    format!("<s:Envelope xmlns:s=\"{ns}\">{inner}</s:Envelope>")
}

#[test]
fn envelopes_of_both_versions_are_read() {
    for (ns, version) in [(S11, Version::Soap11), (S12, Version::Soap12)] {
        for inner in [
            "<s:Body/>",
            "<s:Header/><s:Body><a/></s:Body>",
            " <!-- c -->\n<s:Header> <h xmlns=\"urn:h\"/> </s:Header>\r\n<s:Body>text</s:Body> ",
        ] {
            let read = parse(&envelope(ns, inner)).unwrap_or_else(|e| panic!("{e}: {inner}"));
            assert_eq!(read.version(), version);
            assert_eq!(read.header().is_some(), inner.contains("Header"));
        }
    }
}

#[test]
fn what_is_no_strict_envelope_is_named() {
    let cases = [
        ("", Shape::NoBody),
        ("<s:Header/>", Shape::NoBody),
        ("<s:Body/><s:Body/>", Shape::SecondBody),
        ("<s:Header/><s:Header/><s:Body/>", Shape::SecondHeader),
        ("<s:Body/><s:Header/>", Shape::HeaderAfterBody),
        ("<s:Body/><x xmlns=\"urn:x\"/>", Shape::UnknownChild),
        ("<x xmlns=\"urn:x\"/><s:Body/>", Shape::UnknownChild),
        ("<Body/>", Shape::UnknownChild),
        ("<s:Body/>text", Shape::StrayText),
        ("<s:Header>text</s:Header><s:Body/>", Shape::StrayText),
        ("<s:Header><![CDATA[x]]></s:Header><s:Body/>", Shape::StrayText),
        ("<s:Header><h/></s:Header><s:Body/>", Shape::UnqualifiedBlock),
        ("<s:Body role=\"x\"/>", Shape::Attribute),
        ("<s:Header s:mustUnderstand=\"1\"/><s:Body/>", Shape::Attribute),
    ];
    for ns in [S11, S12] {
        for (inner, shape) in cases {
            match parse(&envelope(ns, inner)) {
                Err(Error::Shape { what, .. }) => assert_eq!(what, shape, "{inner}"),
                Err(other) => panic!("{inner}: {other}"),
                Ok(_) => panic!("accepted {inner}"),
            }
        }
    }
    let other = format!("<s:Envelope xmlns:s=\"{S12}\"><o:Body xmlns:o=\"{S11}\"/></s:Envelope>");
    assert!(matches!(parse(&other), Err(Error::Shape { what: Shape::UnknownChild, .. })));
    for none in
        [envelope("urn:soap", "<s:Body/>"), "<Envelope/>".to_owned(), format!("<s:Body xmlns:s=\"{S12}\"/>")]
    {
        assert!(matches!(parse(&none), Err(Error::VersionMismatch { .. })), "{none}");
    }
    assert!(matches!(parse(&format!("{}<x/>", envelope(S12, "<s:Body/>"))), Err(Error::Xml(_))));
}

fn block_of(ns: &str, attributes: &str) -> Envelope {
    let block = format!("<s:Header><h:h xmlns:h=\"urn:h\" {attributes}/></s:Header><s:Body/>");
    parse(&envelope(ns, &block)).unwrap()
}

#[test]
fn roles_count_only_in_their_own_version() {
    let of = |ns: &str, attributes: &str| {
        let envelope = block_of(ns, attributes);
        let block = envelope.blocks().next().unwrap();
        format!("{:?}", header::addressee(block, envelope.version()))
    };
    let ultimate = format!("{:?}", Addressee::Ultimate);
    assert_eq!(of(S12, ""), ultimate);
    assert_eq!(of(S12, "s:role=\"\""), ultimate);
    assert_eq!(of(S12, &format!("s:role=\"{S12}/role/ultimateReceiver\"")), ultimate);
    assert_eq!(of(S12, &format!("s:role=\"{S12}/role/next\"")), "Next");
    assert_eq!(of(S12, &format!("s:role=\"{S12}/role/none\"")), "Nobody");
    assert_eq!(of(S12, "s:role=\"urn:r\""), "Other(\"urn:r\")");
    assert_eq!(of(S12, "s:actor=\"urn:r\""), ultimate, "an actor means nothing in 1.2");
    assert_eq!(of(S11, "s:actor=\"urn:r\""), "Other(\"urn:r\")");
    assert_eq!(of(S11, "s:actor=\"http://schemas.xmlsoap.org/soap/actor/next\""), "Next");
    assert_eq!(of(S11, &format!("s:actor=\"{S12}/role/next\"")), format!("Other(\"{S12}/role/next\")"));
}

#[test]
fn must_understand_is_a_boolean_of_its_version() {
    let of = |ns: &str, value: &str| {
        let envelope = block_of(ns, &format!("s:mustUnderstand=\"{value}\""));
        header::must_understand(envelope.blocks().next().unwrap(), envelope.version()).ok()
    };
    for (value, in11, in12) in [
        ("1", Some(true), Some(true)),
        ("0", Some(false), Some(false)),
        ("true", None, Some(true)),
        ("false", None, Some(false)),
        (" 1 ", Some(true), Some(true)),
        ("yes", None, None),
        ("", None, None),
        ("TRUE", None, None),
    ] {
        assert_eq!((of(S11, value), of(S12, value)), (in11, in12), "{value:?}");
    }
}

#[test]
fn blocks_that_are_not_understood_are_all_named() {
    let blocks = "<s:Header><a:a xmlns:a=\"urn:a\" s:mustUnderstand=\"1\"/><b:b xmlns:b=\"urn:b\"/><c:c xmlns:c=\"urn:c\" s:mustUnderstand=\"true\"/>\
                  <d:d xmlns:d=\"urn:d\" s:mustUnderstand=\"1\" s:role=\"urn:other\"/></s:Header><s:Body/>";
    let envelope = parse(&envelope(S12, blocks)).unwrap();
    let Err(error) = header::check_understood(&envelope, |b| b.local_name() == "a") else {
        panic!("understood")
    };
    let Error::MustUnderstand { blocks, .. } = &error else { panic!("{error}") };
    assert_eq!(blocks.iter().map(|b| b.local.as_str()).collect::<Vec<_>>(), ["c"]);
    let fault = error.to_fault();
    assert_eq!((fault.code(), fault.http_status(Version::Soap12)), (FaultCode::MustUnderstand, 500));
    let draft = fault.to_draft(Version::Soap12);
    assert_eq!(draft.blocks()[0].local(), "NotUnderstood");
    assert!(String::from_utf8_lossy(draft.blocks()[0].octets()).contains("qname=\"nu0:c\""));
}

/// A draft as an envelope, written by hand: this crate makes no messages.
fn message(draft: &Draft) -> Envelope {
    let p = draft.prefix();
    let declared: String = draft.namespaces().iter().map(|(p, u)| format!(" xmlns:{p}=\"{u}\"")).collect();
    let blocks: String =
        draft.blocks().iter().map(|b| String::from_utf8_lossy(b.octets()).into_owned()).collect();
    let content = String::from_utf8_lossy(draft.content());
    let ns = draft.version().namespace();
    parse(&format!("<{p}:Envelope xmlns:{p}=\"{ns}\"{declared}><{p}:Header>{blocks}</{p}:Header><{p}:Body>{content}</{p}:Body></{p}:Envelope>")).unwrap()
}

#[test]
fn faults_survive_both_versions() {
    let detail = b"<d:d xmlns:d=\"urn:d\">1</d:d>".to_vec();
    let fault = Fault::new(FaultCode::Sender, "no & <never>")
        .with_subcode("r", "urn:r", "Sub")
        .with_actor("urn:node")
        .with_detail(detail);
    for version in [Version::Soap11, Version::Soap12] {
        let envelope = message(&fault.to_draft(version));
        let back = Fault::read(&envelope).unwrap().unwrap();
        assert_eq!(back.reason(), fault.reason());
        assert_eq!(back.subcode(), fault.subcode());
        assert_eq!(back.actor(), fault.actor());
        assert_eq!(back.detail(), fault.detail());
        if version == Version::Soap12 {
            assert_eq!(back.code(), FaultCode::Sender);
        }
    }
    assert_eq!((fault.http_status(Version::Soap11), fault.http_status(Version::Soap12)), (500, 400));
    let plain = Fault::new(FaultCode::Receiver, "late");
    let back = Fault::read(&message(&plain.to_draft(Version::Soap11))).unwrap().unwrap();
    assert_eq!((back.code(), back.http_status(Version::Soap12)), (FaultCode::Receiver, 500));
    assert!(Fault::read(&parse(&envelope(S12, "<s:Body><a/></s:Body>")).unwrap()).unwrap().is_none());
    assert!(Fault::read(&parse(&envelope(S12, "<s:Body><s:Fault/></s:Body>")).unwrap()).is_err());
}

#[test]
fn forbidden_characters_never_reach_a_fault() {
    let fault = Fault::new(FaultCode::Receiver, "a\u{0}b\u{1b}c\u{fffe}");
    let back = Fault::read(&message(&fault.to_draft(Version::Soap12))).unwrap().unwrap();
    assert_eq!(back.reason(), "a?b?c?");
}

fn addressing(headers: &str) -> Result<Addressing, Error> {
    let envelope = parse(&envelope(S12, &format!("<s:Header>{headers}</s:Header><s:Body/>"))).unwrap();
    Addressing::read(envelope.blocks())
}

#[test]
fn addressing_of_both_editions_is_read_and_answered() {
    for (edition, ns) in [
        (Edition::W2005, "http://www.w3.org/2005/08/addressing"),
        (Edition::W2004, "http://schemas.xmlsoap.org/ws/2004/08/addressing"),
    ] {
        let headers = format!(
            "<w:To xmlns:w=\"{ns}\">urn:to</w:To><w:Action xmlns:w=\"{ns}\"> urn:act </w:Action><w:MessageID xmlns:w=\"{ns}\">urn:1</w:MessageID>\
             <w:ReplyTo xmlns:w=\"{ns}\"><w:Address>urn:me</w:Address></w:ReplyTo><x:x xmlns:x=\"urn:x\"/>"
        );
        let read = addressing(&headers).unwrap();
        assert_eq!(read.edition, Some(edition));
        assert_eq!(
            (read.to.as_deref(), read.action.as_deref(), read.message_id.as_deref()),
            (Some("urn:to"), Some("urn:act"), Some("urn:1"))
        );
        assert_eq!(read.reply_to.as_ref().unwrap().address, "urn:me");
        let reply = read.reply(Some("urn:answer"), "urn:2".into());
        assert_eq!(reply.relates_to.as_deref(), Some("urn:1"));
        assert_eq!(reply.to.as_deref(), Some(edition.anonymous()));
        let draft = reply.blocks().into_iter().fold(Draft::new(Version::Soap12), Draft::with_block);
        let again = Addressing::read(message(&draft).blocks()).unwrap();
        assert_eq!(again, reply);
    }
}

#[test]
fn limit_octets_of_an_iri_hold_at_it_and_are_refused_one_beyond() {
    let id = |octets: usize| {
        let ns = "http://www.w3.org/2005/08/addressing";
        addressing(&format!("<w:MessageID xmlns:w=\"{ns}\">{}</w:MessageID>", "u".repeat(octets)))
    };
    assert!(id(MAX_IRI_BYTES).is_ok());
    assert!(matches!(id(MAX_IRI_BYTES + 1), Err(Error::Addressing { .. })));
}

#[test]
fn odd_addressing_is_refused() {
    let ns = "http://www.w3.org/2005/08/addressing";
    let one = |local: &str, text: &str| format!("<w:{local} xmlns:w=\"{ns}\">{text}</w:{local}>");
    for bad in [
        one("To", "a") + &one("To", "b"),
        one("Action", ""),
        one("Action", "a b"),
        one("MessageID", "a<!-- c -->b"),
        one("ReplyTo", "urn:x"),
        one("ReplyTo", &(one("Address", "a") + &one("Address", "b"))),
        one("To", "a")
            + "<v:Action xmlns:v=\"http://schemas.xmlsoap.org/ws/2004/08/addressing\">b</v:Action>",
    ] {
        assert!(matches!(addressing(&bad), Err(Error::Addressing { .. })), "{bad}");
    }
}

#[test]
fn draft_keeps_content_headers_and_the_prefixes_of_its_source() {
    let source = format!(
        "<e:Envelope xmlns:e=\"{S11}\" xmlns:xsd=\"urn:xsd\"><e:Header><h:h xmlns:h=\"urn:h\" e:mustUnderstand=\"1\">x</h:h></e:Header>\
         <e:Body xmlns:q=\"urn:q\"><a xmlns=\"urn:a\" t=\"xsd:t q:q\">1<!-- c --><e:b/></a></e:Body></e:Envelope>"
    );
    let draft = Draft::parse(source.into_bytes(), &Limits::default()).unwrap();
    assert_eq!(draft.version(), Version::Soap11);
    let declared: Vec<&str> = draft.namespaces().iter().map(|(p, _)| p.as_str()).collect();
    assert!(declared.contains(&"xsd") && declared.contains(&"q"), "{declared:?}");
    assert_ne!(draft.prefix(), "e", "the content declares it again");
    let envelope = message(&draft);
    let payload = envelope.payload().unwrap();
    assert_eq!(payload.attr_plain("t"), Some("xsd:t q:q"));
    assert_eq!(payload.lookup_namespace("q"), Some("urn:q"));
    assert_eq!(draft.blocks()[0].local(), "h");
    let mut draft = draft;
    assert_eq!(draft.remove_blocks("urn:h", "h"), 1);
}

#[test]
fn payload_is_brought_into_canonical_form() {
    let draft = Draft::new(Version::Soap12)
        .with_payload(b"<b:a z='1' xmlns:b='urn:b' a=\"2\"/>".to_vec(), &Limits::default())
        .unwrap();
    assert_eq!(draft.content(), b"<b:a xmlns:b=\"urn:b\" a=\"2\" z=\"1\"></b:a>");
    assert!(Draft::new(Version::Soap12).with_payload(b"<a>".to_vec(), &Limits::default()).is_err());
}

#[test]
fn prefix_of_another_meaning_in_the_header_keeps_it_there() {
    let xml = "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\" xmlns:q=\"urn:both\">\
               <s:Header xmlns:p=\"urn:header\" xmlns:h=\"urn:h\"><h:a>p:T q:T</h:a></s:Header>\
               <s:Body xmlns:p=\"urn:body\"><b>p:T</b></s:Body></s:Envelope>";
    let draft = Draft::parse(xml.into(), &Limits::default()).unwrap();
    let of = |list: &[(String, String)], prefix: &str| {
        list.iter().find(|(p, _)| p == prefix).map(|(_, uri)| uri.clone())
    };
    assert_eq!(of(draft.namespaces(), "p").as_deref(), Some("urn:body"));
    assert_eq!(of(draft.header_namespaces(), "p").as_deref(), Some("urn:header"));
    assert_eq!(of(draft.namespaces(), "q").as_deref(), Some("urn:both"));
    assert_eq!(of(draft.header_namespaces(), "q"), None);
    // A prefix of the envelope that means something else in content is not the one that is written.
    let other = xml.replace("xmlns:q=\"urn:both\"", "xmlns:soap=\"urn:both\"").replace("s:Body", "t:Body");
    let other = other
        .replace("<t:Body", "<t:Body xmlns:t=\"http://www.w3.org/2003/05/soap-envelope\" xmlns:s=\"urn:s\"");
    let draft = Draft::parse(other.into(), &Limits::default()).unwrap();
    assert_eq!(draft.prefix(), "t");
    assert_eq!(of(draft.namespaces(), "soap").as_deref(), Some("urn:both"));
}

#[test]
fn draft_that_used_up_every_usual_prefix_gets_another() {
    let ns = Version::Soap12.namespace();
    let used = |p: &str| format!("<{p}:x xmlns:{p}=\"{ns}\"></{p}:x>");
    let content: String =
        ["soap", "env", "soapenv", "s", "e", "soap0", "soap2"].iter().map(|p| used(p)).collect();
    assert_eq!(Draft::new(Version::Soap12).with_body(content.into()).prefix(), "soap1");
}
