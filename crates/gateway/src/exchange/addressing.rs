//! WS-Addressing headers of an answer, where the policy asks for them.
//!
//! An unsigned addressing header of the request is not read; its MessageID alone comes back
//! as RelatesTo, an opaque text (WS-Addressing 1.0 core §3.4). Answers go back on the
//! connection they were asked on, whatever ReplyTo says.

use bartizan_crypto::random::Random;
use bartizan_soap::Draft;
use bartizan_soap::addressing::{Addressing, Edition};
use bartizan_wss::Verified;
use bartizan_xml::names::uri;

/// What an answer must say of its request.
pub(super) struct Answers {
    edition: Edition,
    relates_to: Option<String>,
    /// The action of the request, as far as it is covered; its element's name otherwise.
    action: String,
}

impl Answers {
    /// Takes it from a verified request.
    pub(super) fn of(edition: Edition, request: &Verified) -> Self {
        let covered = request.addressing().ok().and_then(|addressing| addressing.action);
        let named = || {
            let payload = request.payload();
            let namespace = payload.and_then(|payload| payload.namespace()).unwrap_or_default();
            let local = payload.map_or("", |payload| payload.local_name());
            format!("{}/{local}", namespace.trim_end_matches('/'))
        };
        let action = covered.unwrap_or_else(named);
        Answers { edition, relates_to: request.message_id_to_echo(), action }
    }

    /// Adds the headers to an answer.
    pub(super) fn put_on(self, draft: Draft, random: &dyn Random) -> Draft {
        let action = match (draft.is_fault(), draft.action(), self.edition) {
            (true, _, Edition::W2005) => uri::WSA_SOAP_FAULT_ACTION.to_owned(),
            (true, _, Edition::W2004) => uri::WSA04_FAULT_ACTION.to_owned(),
            (false, Some(action), _) => action.to_owned(),
            // The pattern of WS-Addressing 1.0 metadata §4.4.4 for an operation's output.
            (false, None, _) => format!("{}Response", self.action),
        };
        let addressing = Addressing {
            edition: Some(self.edition),
            to: Some(self.edition.anonymous().to_owned()),
            action: Some(action.clone()),
            message_id: Some(message_id(random)),
            relates_to: self.relates_to,
            ..Addressing::default()
        };
        addressing.blocks().into_iter().fold(draft, Draft::with_block).with_action(action)
    }
}

/// A random UUID (RFC 9562 version 4) as an IRI.
pub fn message_id(random: &dyn Random) -> String {
    let mut octets = [0u8; 16];
    random.fill(&mut octets);
    let bits = (u128::from_be_bytes(octets) & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
    let hex = format!("{bits:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("urn:uuid:{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests;
