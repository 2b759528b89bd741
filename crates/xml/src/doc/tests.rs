use super::{Document, Graft, Profile};
use crate::names::{attr, soap11, wsse, wsu};
use crate::{Budget, ErrorKind, Limits, NodeKind, Quantity};

mod graft;
mod refused;
mod trees;

fn parse_as(text: &[u8], profile: Profile) -> Result<Document, ErrorKind> {
    let mut budget = Budget::new(&Limits::default());
    Document::parse(text.to_vec(), profile, &mut budget).map_err(|e| e.kind())
}

fn parse(text: &str) -> Document {
    parse_as(text.as_bytes(), Profile::Bare).unwrap_or_else(|kind| panic!("{kind:?} in {text}"))
}

fn refusal(text: &str) -> ErrorKind {
    match parse_as(text.as_bytes(), Profile::Bare) {
        Ok(_) => panic!("accepted: {text}"),
        Err(kind) => kind,
    }
}
