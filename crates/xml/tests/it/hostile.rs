//! Hostile documents at the size that an attacker would send, under the limits of messages: the verdict of each, what
//! memory it takes at most, and that nothing of it stays. That the work is linear is counted by `cargo xtask linear`.

use allocation_counter::AllocationInfo;
use bartizan_testkit::hostile::{ROWS, row};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::sink::Counter;
use bartizan_xml::{Budget, Document, ErrorKind, Graft, Limits, Profile, Quantity};

type Verdict = Result<(), ErrorKind>;

/// What no document may take, the octets of the message included.
const PEAK: u64 = 64 << 20;

/// Parses, canonicalizes and drops a document under the limits of messages.
fn judge(octets: Vec<u8>) -> (Verdict, AllocationInfo) {
    let mut verdict = Ok(());
    let info = allocation_counter::measure(|| verdict = whole(octets));
    (verdict, info)
}

fn whole(octets: Vec<u8>) -> Verdict {
    let kind = |error: bartizan_xml::Error| error.kind();
    let document =
        Document::parse(octets, Profile::Message, &mut Budget::new(&Limits::default())).map_err(kind)?;
    document.check_ids(&["i"]).map_err(kind)?;
    let mut counter = Counter::default();
    C14n::new(C14nMethod::Inclusive10).write_document(&document, &mut counter).map_err(kind)?;
    C14n::new(C14nMethod::Exclusive).write(document.root(), &mut counter).map_err(kind)?;
    Ok(())
}

/// Makes what is made once a process: the key of the hashes, the tables of known names.
fn warm() {
    assert_eq!(whole(b"<p:a xmlns:p='urn:p' xmlns='urn:x' p:b='1' Id='x'/>".to_vec()), Ok(()));
}

/// Row, number, and what messages make of it. The first four are those by which other parsers were measured.
fn cases() -> Vec<(&'static str, usize, Verdict)> {
    let limit = |quantity| Err(ErrorKind::Limit(quantity));
    vec![
        ("attributes of one element", 40_000, limit(Quantity::Attributes)),
        ("declarations of one element", 40_000, limit(Quantity::Namespaces)),
        ("nested elements, one new prefix each", 2_000, limit(Quantity::Depth)),
        ("siblings", 60_000, limit(Quantity::Children)),
        ("attributes of one element", 400_000, limit(Quantity::Attributes)),
        ("attributes under two prefixes of one namespace", 25_000, limit(Quantity::Attributes)),
        ("declarations of one element", 100_000, limit(Quantity::Namespaces)),
        ("nested elements", 1_000_000, limit(Quantity::Depth)),
        ("nested elements, never closed", 1_000_000, limit(Quantity::Depth)),
        ("nested elements, one prefix bound again", 100_000, limit(Quantity::Depth)),
        ("nested elements, the default namespace bound again", 100_000, limit(Quantity::Depth)),
        ("siblings", 25_000, Ok(())),
        ("siblings with different names", 49_000, Ok(())),
        ("siblings with different names", 70_000, limit(Quantity::Children)),
        ("names that collide under x33", 10_000, Ok(())),
        ("namespaces that collide under x33", 10_000, Ok(())),
        ("different Ids", 49_000, Ok(())),
        ("one Id many times", 49_000, Err(ErrorKind::DuplicateId)),
        ("Ids that collide under x33", 10_000, Ok(())),
        ("character references in text", 1_000_000, Ok(())),
        ("character references in a value", 10_000, Ok(())),
        ("character references in a value", 1_000_000, limit(Quantity::AttributeBytes)),
        ("leading zeros of a character reference", 8_000_000, Ok(())),
        ("line ends to normalize", 60_000, Ok(())),
        ("line ends to normalize", 2_000_000, limit(Quantity::AttributeBytes)),
        ("one text", 8_000_000, Ok(())),
        ("one text", 10_000_000, limit(Quantity::Bytes)),
        ("one attribute value", 65_000, Ok(())),
        ("one attribute value", 8_000_000, limit(Quantity::AttributeBytes)),
        ("white space in one tag", 8_000_000, Ok(())),
        ("brackets that end no CDATA section", 8_000_000, Ok(())),
        ("comments", 50_000, Ok(())),
        ("comments", 50_001, limit(Quantity::Children)),
        ("hyphens in comments that end late", 4_000_000, Ok(())),
        ("CDATA sections", 50_000, Ok(())),
        ("elements below many declarations, one used by each", 64, Ok(())),
        ("elements below many declarations, one used by each", 20_000, limit(Quantity::Namespaces)),
        ("elements below 60 declarations, all used by each", 10_000, Ok(())),
        ("elements that each declare anew", 20_000, Ok(())),
        ("near every limit at once", 15, Ok(())),
        ("base64 text in lines", 100_000, Ok(())),
        ("base64 text in lines", 120_000, limit(Quantity::Bytes)),
        ("UTF-16", 2_000_000, limit(Quantity::Children)),
        ("UTF-16", 99_000, Ok(())),
    ]
}

#[test]
fn attack_par_23_hostile_documents_have_their_verdict_within_64_mib_and_leave_nothing() {
    warm();
    let mut unseen: Vec<&str> = ROWS.iter().map(|row| row.name).collect();
    for (name, n, expected) in cases() {
        unseen.retain(|row| *row != name);
        let octets = (row(name).make)(n);
        let length = octets.capacity() as u64;
        let (verdict, info) = judge(octets);
        assert_eq!(verdict, expected, "{name}, {n}");
        let peak = info.bytes_max + length;
        assert!(peak < PEAK, "{name}, {n}: {peak} octets at most for {length}");
        // The octets were made outside and freed inside: nothing else may be left or missing.
        assert_eq!(info.bytes_current, -i64::try_from(length).unwrap(), "{name}, {n}: what stays");
    }
    assert_eq!(unseen, Vec::<&str>::new(), "rows without a case");
}

#[test]
fn refused_plaintext_is_given_back_with_its_document() {
    warm();
    for row in ROWS {
        let mut octets = (row.make)(row.n * 4);
        // Never what may stand in the place of an element.
        octets.extend(b"</no>");
        let length = i64::try_from(octets.capacity()).unwrap();
        let mut outcome = Ok(());
        let info = allocation_counter::measure(|| {
            let mut budget = Budget::new(&Limits::default());
            let mut document =
                Document::parse(b"<a><b/></a>".to_vec(), Profile::Message, &mut budget).unwrap();
            let place = document.root().elements().next().unwrap().id();
            outcome = document.graft(place, octets, Graft::Element, &mut budget);
            assert_eq!(document.node_count(), 2, "{}", row.name);
        });
        assert!(outcome.is_err(), "{}", row.name);
        assert_eq!(info.bytes_current, -length, "{}: what stays", row.name);
    }
}
