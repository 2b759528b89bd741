//! Spring's `Wss4jSecurityInterceptor` as a bean: an action block by the names of its properties.
//!
//! Whether it is a service's or a client's no bean says: as in the short form, one that validates is a service's. Called by `load`.

use bartizan_xml::{Document, Element};

use super::{Block, Written};
use crate::actions::axis2::Flows;
use crate::error::Position;
use crate::error::lines::Lines;

/// The last part of the class, of every version of Spring-WS that has one.
const CLASS: &str = "Wss4jSecurityInterceptor";

/// Every interceptor of a document.
pub(crate) fn read(document: &Document, source: &str) -> Vec<Flows> {
    let lines = Lines::new(source);
    let root = document.root();
    let beans =
        std::iter::once(root).chain(root.descendants()).filter(|element| element.local_name() == "bean");
    let ours = beans
        .filter(|bean| bean.attr_plain("class").is_some_and(|class| class.rsplit('.').next() == Some(CLASS)));
    ours.map(|bean| flows(bean, &lines)).collect()
}

fn flows(bean: Element<'_>, lines: &Lines<'_>) -> Flows {
    let position = lines.position(bean.span().start);
    let mut flows = Flows {
        name: bean.attr_plain("id").or(bean.attr_plain("name")).unwrap_or("spring").into(),
        request: None,
        reply: None,
        diagnostics: Vec::new(),
        position,
    };
    let properties = bean.elements().filter(|child| child.local_name() == "property");
    let settings: Vec<(&str, String, Position)> = properties
        .filter_map(|property| {
            Some((property.attr_plain("name")?, value(property), lines.position(property.span().start)))
        })
        .collect();
    let written: Vec<Written<'_>> =
        settings.iter().map(|(name, text, at)| Written { name, text, at: *at }).collect();
    let validates = written.iter().any(|one| one.name == "validationActions");
    let (put_on, demanded) = Block::pair(&written, position, &mut flows.diagnostics);
    (flows.request, flows.reply) = if validates { (demanded, put_on) } else { (put_on, demanded) };
    for block in [&mut flows.request, &mut flows.reply].into_iter().flatten() {
        block.default("defaults", "wss4j4");
    }
    flows
}

/// What a property is set to: an attribute, the text of a `value`, or nothing that could be read here (another bean).
fn value(property: Element<'_>) -> String {
    let child = || {
        property
            .elements()
            .find(|child| child.local_name() == "value")
            .map(|value| value.text().trim().to_owned())
    };
    property.attr_plain("value").map(str::to_owned).or_else(child).unwrap_or_default()
}
