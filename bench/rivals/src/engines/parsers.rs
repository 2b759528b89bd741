//! Parsers that do nothing else: roxmltree makes a tree, quick-xml gives events.

use bartizan_lab::message::Size;
use quick_xml::events::Event;
use quick_xml::reader::NsReader;

use crate::documents::Document;
use crate::engine::{Case, Engine, Outcome, Turn, rotation};

/// roxmltree: a read-only tree, which borrows from the text.
pub struct Roxmltree;

/// quick-xml: a pull parser; no tree is made.
pub struct QuickXml;

/// Everything that a reader must do to see what the others see: names resolved, attributes read, ends matched.
fn events(text: &str) -> Outcome<usize> {
    let mut reader = NsReader::from_str(text);
    reader.config_mut().check_end_names = true;
    let mut elements = 0;
    loop {
        let (namespace, event) = reader.read_resolved_event().map_err(|error| error.to_string())?;
        match event {
            Event::Start(tag) | Event::Empty(tag) => {
                std::hint::black_box(namespace);
                elements += 1;
                for attribute in tag.attributes() {
                    let attribute = attribute.map_err(|error| error.to_string())?;
                    std::hint::black_box(reader.resolver().resolve_attribute(attribute.key));
                }
            }
            Event::Eof => return Ok(elements),
            other => {
                std::hint::black_box(other);
            }
        }
    }
}

impl Engine for Roxmltree {
    fn name(&self) -> &str {
        "roxmltree"
    }

    fn note(&self, _: Case) -> String {
        "0.21.2, a tree that borrows the text".to_owned()
    }

    fn offers(&self, case: Case) -> bool {
        case == Case::Parse
    }

    fn act(&self, _: Case, document: &Document) -> Outcome<Vec<u8>> {
        let tree = roxmltree::Document::parse(&document.unsigned).map_err(|error| error.to_string())?;
        Ok(tree.descendants().filter(roxmltree::Node::is_element).count().to_string().into_bytes())
    }

    fn turns(&'static self, _: Case, size: Size, documents: &'static [Document]) -> Turn {
        let texts: Vec<&'static str> = documents.iter().map(|document| document.unsigned.as_str()).collect();
        rotation(size, texts, |text| roxmltree::Document::parse(text).expect("a tree"))
    }
}

impl Engine for QuickXml {
    fn name(&self) -> &str {
        "quick-xml"
    }

    fn note(&self, _: Case) -> String {
        "0.42.0, NsReader: events, no tree".to_owned()
    }

    fn offers(&self, case: Case) -> bool {
        case == Case::Parse
    }

    fn act(&self, _: Case, document: &Document) -> Outcome<Vec<u8>> {
        events(&document.unsigned).map(|count| count.to_string().into_bytes())
    }

    fn turns(&'static self, _: Case, size: Size, documents: &'static [Document]) -> Turn {
        let texts: Vec<&'static str> = documents.iter().map(|document| document.unsigned.as_str()).collect();
        rotation(size, texts, |text| events(text).expect("events"))
    }
}
