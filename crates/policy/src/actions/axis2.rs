//! `OutflowSecurity` and `InflowSecurity` of axis2.xml and services.xml: action blocks in XML.
//!
//! Whose they are says the file: in `axisconfig` they are a client's, which puts its outflow on the request; elsewhere a
//! service's, which demands its inflow of it. Called by `load`.

use bartizan_xml::{Document, Element};

use super::{Block, Written};
use crate::error::lines::Lines;
use crate::error::{Diagnostic, Position, Problem};

/// The blocks of one service, or of a client.
pub(crate) struct Flows {
    pub(crate) name: Box<str>,
    pub(crate) request: Option<Block>,
    pub(crate) reply: Option<Block>,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) position: Position,
}

/// Every pair of parameters of a document, by the element that they stand in.
pub(crate) fn read(document: &Document, source: &str) -> Vec<Flows> {
    let lines = Lines::new(source);
    let root = document.root();
    let client = root.local_name() == "axisconfig";
    let mut found = Vec::new();
    for holder in std::iter::once(root).chain(root.descendants()) {
        let mut flows = Flows {
            name: holder.attr_plain("name").unwrap_or("axis2").into(),
            request: None,
            reply: None,
            diagnostics: Vec::new(),
            position: lines.position(holder.span().start),
        };
        let mut any = false;
        for parameter in holder.elements().filter(|child| child.local_name() == "parameter") {
            let outflow = match parameter.attr_plain("name") {
                Some("OutflowSecurity") => true,
                Some("InflowSecurity") => false,
                _ => continue,
            };
            any = true;
            let block = block(parameter, &lines, &mut flows.diagnostics);
            if !outflow {
                block.judge_receiver(&mut flows.diagnostics);
            }
            if outflow == client { flows.request = Some(block) } else { flows.reply = Some(block) }
        }
        if any {
            found.push(flows);
        }
    }
    found
}

fn block(parameter: Element<'_>, lines: &Lines<'_>, diagnostics: &mut Vec<Diagnostic>) -> Block {
    let at = |element: Element<'_>| lines.position(element.span().start);
    let mut actions = parameter.elements().filter(|child| child.local_name() == "action");
    let settings: Vec<(String, String, Position)> = actions
        .next()
        .into_iter()
        .flat_map(|action| action.elements())
        .map(|setting| (setting.local_name().to_owned(), setting.text().into_owned(), at(setting)))
        .collect();
    if let Some(second) = actions.next() {
        let name = "a second Security header, by a further `action`";
        diagnostics.push(Diagnostic::new(Problem::NotCompiled { name }, Some(at(second))).as_error());
    }
    let written: Vec<Written<'_>> =
        settings.iter().map(|(name, text, at)| Written { name, text, at: *at }).collect();
    let mut block = Block::of(&written, at(parameter), diagnostics);
    // Handlers of that time are WSS4J 1.5's, whose defaults these are.
    block.default("defaults", "wss4j15");
    block
}
