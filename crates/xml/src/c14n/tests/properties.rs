//! What holds for every document.

use proptest::prelude::*;

use super::generate::{Tape, document, fragment};
use super::{parse, plain};
use crate::c14n::{C14n, C14nMethod};
use crate::write::Writer;
use crate::{Budget, Document, Element, ErrorKind, Graft, Limits, NodeKind, Profile};

fn tape() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..400)
}

fn all(document: &Document) -> impl Iterator<Item = Element<'_>> {
    std::iter::once(document.root()).chain(document.root().descendants())
}

fn canonical(form: &C14n<'_>, apex: Element<'_>) -> Vec<u8> {
    let mut out = Vec::new();
    let count = form.write(apex, &mut out).unwrap();
    assert_eq!(count, out.len() as u64);
    out
}

fn whole(form: &C14n<'_>, document: &Document) -> Vec<u8> {
    let mut out = Vec::new();
    form.write_document(document, &mut out).unwrap();
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn fast_and_plain_canonicalizer_agree_on_every_element(tape in tape(), list in 0_usize..4) {
        let text = document(&mut Tape::new(&tape));
        let doc = parse(&text);
        let list = ["", "p", "#default q", "p q r #default unknown xml"][list];
        for method in C14nMethod::ALL {
            let form = C14n::new(method).with_prefixes(list);
            prop_assert_eq!(whole(&form, &doc), plain::write_document(&form, &doc).unwrap());
            for apex in all(&doc) {
                let (fast, slow) = (canonical(&form, apex), plain::write(&form, apex).unwrap());
                prop_assert_eq!(String::from_utf8(fast), String::from_utf8(slow), "{:?} of {}", method, text);
            }
        }
    }

    #[test]
    fn fast_and_plain_canonicalizer_agree_where_canonical_stretches_begin_and_end(
        text in mixed(), list in 0_usize..4, out in any::<prop::sample::Index>(),
    ) {
        let doc = parse(&text);
        let list = ["", "p", "#default q", "p q r #default unknown xml"][list];
        let elements: Vec<_> = all(&doc).collect();
        let out = elements[out.index(elements.len())].id();
        for method in C14nMethod::ALL {
            let form = C14n::new(method).with_prefixes(list);
            prop_assert_eq!(whole(&form, &doc), plain::write_document(&form, &doc).unwrap(), "{}", text);
            for apex in &elements {
                for form in [form, form.without(out)] {
                    let (fast, slow) = (canonical(&form, *apex), plain::write(&form, *apex).unwrap());
                    prop_assert_eq!(String::from_utf8(fast), String::from_utf8(slow), "{:?} of {}", method, text);
                }
            }
        }
    }

    #[test]
    fn leaving_out_and_putting_in_agree_with_the_plain_canonicalizer(tape in tape(), a in 0_usize..20, b in 0_usize..20) {
        let doc = parse(&document(&mut Tape::new(&tape)));
        let elements: Vec<_> = all(&doc).map(Element::id).collect();
        let (a, b) = (elements[a % elements.len()], elements[b % elements.len()]);
        for method in C14nMethod::ALL {
            let pairs = [(a, b)];
            for form in [C14n::new(method).without(a), C14n::new(method).replacing(&pairs)] {
                prop_assert_eq!(canonical(&form, doc.root()), plain::write(&form, doc.root()).unwrap());
            }
        }
    }

    #[test]
    fn canonical_form_is_its_own_canonical_form(tape in tape()) {
        let doc = parse(&document(&mut Tape::new(&tape)));
        for method in C14nMethod::ALL {
            let form = C14n::new(method);
            let once = whole(&form, &doc);
            let again = Document::parse(once.clone(), Profile::Bare, &mut Budget::new(&Limits::default())).unwrap();
            prop_assert_eq!(&whole(&form, &again), &once);
        }
    }

    #[test]
    fn every_prefix_of_a_document_is_refused(tape in tape()) {
        let text = document(&mut Tape::new(&tape));
        let end = text.trim_end().len();
        let doc = parse(&text);
        let root_end = doc.root().span().end;
        for at in (0..end).filter(|at| text.is_char_boundary(*at)) {
            let part = text.as_bytes()[..at].to_vec();
            let outcome = Document::parse(part, Profile::Bare, &mut Budget::new(&Limits::default()));
            // What follows the root may be missing as a whole.
            let whole = at >= root_end && parse_misc_is_whole(&text[root_end..at]);
            prop_assert_eq!(outcome.is_ok(), whole, "{}", &text[..at]);
        }
    }

    #[test]
    fn element_that_was_replaced_by_its_own_text_changes_nothing(tape in tape(), which in 0_usize..30) {
        let text = document(&mut Tape::new(&tape));
        let doc = parse(&text);
        let targets: Vec<_> = doc.root().descendants().collect();
        prop_assume!(!targets.is_empty());
        let target = targets[which % targets.len()];
        let span = target.span();
        let cut = format!("{}<hole/>{}", &text[..span.start], &text[span.end..]);
        let mut holed = parse(&cut);
        let hole = all(&holed).find(|e| e.local_name() == "hole").unwrap().id();
        let plaintext = text.as_bytes()[span.start..span.end].to_vec();
        holed.graft(hole, plaintext, Graft::Element, &mut Budget::new(&Limits::default())).unwrap();
        for method in C14nMethod::ALL {
            let form = C14n::new(method);
            prop_assert_eq!(whole(&form, &holed), whole(&form, &doc));
            prop_assert_eq!(whole(&form.with_grafts(0), &holed), whole(&form, &parse(&cut)));
        }
        prop_assert_eq!(all(&holed).count(), all(&doc).count());
        for (a, b) in all(&holed).zip(all(&doc)) {
            prop_assert_eq!((a.path(), a.source()), (b.path(), if b == target || !b.is_ancestor_of(target) { b.source() } else { a.source() }));
        }
    }

    #[test]
    fn what_the_writer_writes_is_canonical_and_reads_back(tape in tape()) {
        let doc = parse(&document(&mut Tape::new(&tape)));
        let mut writer = Writer::new();
        copy_by_hand(&mut writer, doc.root());
        let written = writer.finish().unwrap();
        let exclusive = C14n::new(C14nMethod::Exclusive);
        let back = parse(std::str::from_utf8(&written).unwrap());
        prop_assert_eq!(String::from_utf8(canonical(&exclusive, back.root())), String::from_utf8(written.clone()));
        prop_assert_eq!(String::from_utf8(canonical(&exclusive, doc.root())), String::from_utf8(written));
    }

    #[test]
    fn copy_below_other_elements_reads_back_as_the_same_element(text in mixed(), at in any::<prop::sample::Index>()) {
        let doc = parse(&text);
        let elements: Vec<_> = all(&doc).collect();
        let element = elements[at.index(elements.len())];
        let mut writer = Writer::new();
        writer.open("q", "urn:b", "env").open("", "urn:a", "inner").copy(element).close().close();
        let back = parse(std::str::from_utf8(&writer.finish().unwrap()).unwrap());
        let inner = back.root().elements().next().and_then(|e| e.elements().next()).unwrap();
        let exclusive = C14n::new(C14nMethod::Exclusive);
        prop_assert_eq!(
            String::from_utf8(canonical(&exclusive, inner)), String::from_utf8(canonical(&exclusive, element)), "{}", text
        );
    }

    #[test]
    fn octets_of_any_kind_never_panic(octets in prop::collection::vec(any::<u8>(), 0..200)) {
        for profile in [Profile::Bare, Profile::Message] {
            let _ = Document::parse(octets.clone(), profile, &mut Budget::new(&Limits::default()));
        }
    }

    #[test]
    fn changed_document_is_refused_or_still_has_one_canonical_form(
        tape in tape(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0_usize..3), 1..4),
    ) {
        let mut octets = document(&mut Tape::new(&tape)).into_bytes();
        for (at, octet, how) in changes {
            let at = at.index(octets.len());
            let octet = b"<>&'\"/=:;!?-[] x\0"[usize::from(octet) % 17];
            match how {
                0 => octets[at] = octet,
                1 => octets.insert(at, octet),
                _ => drop(octets.remove(at)),
            }
            if octets.is_empty() {
                return Ok(());
            }
        }
        if let Ok(doc) = Document::parse(octets, Profile::Bare, &mut Budget::new(&Limits::default())) {
            let form = C14n::new(C14nMethod::Inclusive10WithComments);
            let mut once = Vec::new();
            match form.write_document(&doc, &mut once) {
                Err(error) => prop_assert_eq!(error.kind(), ErrorKind::RelativeNamespace),
                Ok(_) => {
                    let again = Document::parse(once.clone(), Profile::Bare, &mut Budget::new(&Limits::default()));
                    prop_assert_eq!(whole(&form, &again.unwrap()), once);
                }
            }
        }
    }
}

/// How a stretch of a document is written anew.
#[derive(Clone, Debug)]
enum Stretch {
    /// In a canonical form.
    Canonical(usize),
    /// Another element, in any way that XML allows.
    Wild(Vec<u8>),
}

/// Documents of which some stretches are canonical, others not: where a canonicalizer that copies canonical octets goes in and out of copying.
fn mixed() -> impl Strategy<Value = String> {
    let stretch = prop_oneof![
        3 => (0..C14nMethod::ALL.len()).prop_map(Stretch::Canonical),
        1 => prop::collection::vec(any::<u8>(), 0..60).prop_map(Stretch::Wild),
    ];
    let stretches = prop::collection::vec((any::<prop::sample::Index>(), stretch), 0..6);
    (tape(), prop::option::of(0..C14nMethod::ALL.len()), stretches).prop_map(|(tape, start, stretches)| {
        let mut text = document(&mut Tape::new(&tape));
        if let Some(method) = start {
            text = String::from_utf8(whole(&C14n::new(C14nMethod::ALL[method]), &parse(&text))).unwrap();
        }
        for (at, stretch) in stretches {
            let doc = parse(&text);
            let elements: Vec<_> = doc.root().descendants().collect();
            if elements.is_empty() {
                break;
            }
            let element = elements[at.index(elements.len())];
            let new = match stretch {
                Stretch::Canonical(method) => {
                    String::from_utf8(canonical(&C14n::new(C14nMethod::ALL[method]), element)).unwrap()
                }
                Stretch::Wild(tape) => fragment(&mut Tape::new(&tape)),
            };
            let span = element.span();
            text = format!("{}{new}{}", &text[..span.start], &text[span.end..]);
        }
        text
    })
}

/// Whether a stretch behind the root holds only whole comments, instructions and white space.
fn parse_misc_is_whole(text: &str) -> bool {
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let end = match rest.get(..2) {
            Some("<?") => rest.find("?>").map(|at| at + 2),
            Some("<!") if rest.len() >= 7 => rest[4..].find("-->").map(|at| at + 7),
            _ => None,
        };
        let Some(end) = end else { return false };
        rest = rest[end..].trim_start();
    }
    true
}

fn copy_by_hand(writer: &mut Writer, element: Element<'_>) {
    writer.open(element.prefix(), element.namespace().unwrap_or_default(), element.local_name());
    for attr in element.attrs() {
        match attr.namespace() {
            Some(uri) => writer.attr_ns(attr.prefix(), uri, attr.local_name(), attr.value()),
            None => writer.attr(attr.local_name(), attr.value()),
        };
    }
    for child in element.children() {
        match child.kind() {
            NodeKind::Element => copy_by_hand(writer, child.as_element().unwrap()),
            NodeKind::Text | NodeKind::CData => drop(writer.text(child.text().unwrap())),
            NodeKind::Comment => {}
            NodeKind::Pi => writer_instruction(writer, child.target().unwrap(), child.text().unwrap()),
        }
    }
    writer.close();
}

/// The writer has no instructions of its own: they enter as canonical octets.
fn writer_instruction(writer: &mut Writer, target: &str, data: &str) {
    let space = if data.is_empty() { "" } else { " " };
    writer.raw(format!("<?{target}{space}{data}?>").as_bytes());
}
