//! The parser: what it accepts, it accepts in every encoding, under both profiles alike, and writes again as the same
//! document.

use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::{Counter, Tee};
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Error, ErrorKind, Graft, Limits, NodeKind, Profile};

/// The canonical form with comments: all that a document says.
pub(crate) fn canonical(document: &Document) -> Result<Vec<u8>, Error> {
    let mut sink = Tee(Vec::new(), Counter::default());
    let octets = C14n::new(C14nMethod::ExclusiveWithComments).write_document(document, &mut sink)?;
    assert_eq!(octets, sink.1.octets(), "the number of octets is the one reported");
    assert_eq!(octets, sink.0.len() as u64);
    Ok(sink.0)
}

/// Parses within the limits of a message.
pub(crate) fn parse(octets: &[u8], profile: Profile) -> Result<Document, Error> {
    Document::parse(octets.to_vec(), profile, &mut Budget::new(&Limits::default()))
}

/// One input: a document.
pub fn run(data: &[u8]) {
    let message = parse(data, Profile::Message);
    let bare = parse(data, Profile::Bare);
    if let Ok(document) = &message {
        let bare = bare.as_ref().expect("what a message may be, a bare document may be");
        assert_eq!(canonical(document), canonical(bare), "the profiles read it alike");
    }
    for (parsed, profile) in [(&message, Profile::Message), (&bare, Profile::Bare)] {
        match parsed {
            Ok(document) => accepted(document, profile),
            Err(error) => assert!(error.offset() <= 2 * data.len(), "an error is inside the text: {error}"),
        }
        other_encodings(data, profile, parsed);
    }
    grafted(data);
}

/// Every view of it is sound, and what is written of it parses as the same.
fn accepted(document: &Document, profile: Profile) {
    let text = document.segment_text(0);
    let root = document.root();
    for element in std::iter::once(root).chain(root.descendants()) {
        let span = element.span();
        assert_eq!(element.source(), &text[span.start..span.end]);
        assert!(element.source().starts_with('<') && element.source().ends_with('>'));
        assert_eq!(document.element(element.id()).map(|e| e.id()), Some(element.id()));
        for attribute in element.attrs() {
            assert!(attribute.qname().ends_with(attribute.local_name()));
            assert!(attribute.prefix().is_empty() || attribute.namespace().is_some());
        }
        assert_eq!(
            element.lookup_namespace(element.prefix()).unwrap_or(""),
            element.namespace().unwrap_or("")
        );
        for child in element.children() {
            match child.kind() {
                NodeKind::Element => assert!(child.as_element().is_some_and(|e| e.parent() == Some(element))),
                NodeKind::Text | NodeKind::CData | NodeKind::Comment => assert!(child.text().is_some()),
                NodeKind::Pi => assert!(child.target().is_some()),
            }
        }
    }
    let once = match canonical(document) {
        Ok(once) => once,
        Err(error) => return assert_eq!(error.kind(), ErrorKind::RelativeNamespace),
    };
    let again = match parse(&once, profile) {
        Ok(again) => again,
        // A canonical form may be longer than its source, beyond a limit.
        Err(error) if matches!(error.kind(), ErrorKind::Limit(_)) => return,
        Err(error) => panic!("the canonical form does not parse: {error}"),
    };
    assert_eq!(canonical(&again).as_ref(), Ok(&once), "canonical twice is canonical once");
    let mut writer = Writer::new();
    writer.copy(document.root());
    let copied = writer.finish().expect("an element of a document can be copied");
    let mut plain = Vec::new();
    C14n::new(C14nMethod::Exclusive).write(document.root(), &mut plain).expect("as above");
    assert_eq!(
        String::from_utf8(copied),
        String::from_utf8(plain),
        "a copy at the root is the canonical form"
    );
}

/// The same text in UTF-16, of either order, fares the same.
fn other_encodings(data: &[u8], profile: Profile, parsed: &Result<Document, Error>) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let head: String = text.chars().take(256).collect();
    // A byte order mark would be doubled, and a declared encoding would be another's.
    if text.starts_with('\u{feff}') || head.contains("encoding") {
        return;
    }
    for big in [true, false] {
        let mut octets = if big { vec![0xFE, 0xFF] } else { vec![0xFF, 0xFE] };
        for unit in text.encode_utf16() {
            octets.extend(if big { unit.to_be_bytes() } else { unit.to_le_bytes() });
        }
        match (parse(&octets, profile), parsed) {
            (Ok(one), Ok(other)) => assert_eq!(canonical(&one), canonical(other), "one text, one document"),
            (Err(one), Err(other)) => assert_eq!((one.kind(), one.offset()), (other.kind(), other.offset())),
            (one, other) => panic!("UTF-16 {:?}, UTF-8 {:?}", one.err(), other.as_ref().err()),
        }
    }
}

/// What may be grafted as a plaintext may stand at its place, and is the same there.
fn grafted(data: &[u8]) {
    const HOST: &str = "<h:host xmlns:h=\"urn:h\" xmlns:a=\"urn:a\" xmlns=\"urn:d\">";
    let mut budget = Budget::new(&Limits::default());
    let host = format!("{HOST}<h:hole/></h:host>").into_bytes();
    let mut document = Document::parse(host, Profile::Bare, &mut budget).expect("a host");
    let hole = document.root().elements().next().expect("a hole").id();
    let before = canonical(&document).expect("a host");
    match document.graft(hole, data.to_vec(), Graft::Content, &mut budget) {
        Ok(()) => {
            let inline = [HOST.as_bytes(), data, b"</h:host>"].concat();
            let inline = parse(&inline, Profile::Bare).expect("what can be grafted can stand there");
            let kind = |error: Error| error.kind();
            assert_eq!(canonical(&document).map_err(kind), canonical(&inline).map_err(kind));
            assert_eq!(document.segment_text(1).as_bytes(), data);
        }
        Err(_) => assert_eq!(canonical(&document).as_ref(), Ok(&before), "a failed graft changes nothing"),
    }
}
