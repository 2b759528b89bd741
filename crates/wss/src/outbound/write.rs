//! The message written in order: what is needed first stands first in the Security header.
//!
//! Everything that is digested was digested before (`compose`); what is encrypted as it is written is encrypted here.

use std::sync::Arc;

use bartizan_soap::addressing::Edition;
use bartizan_soap::{Block, Draft};
use bartizan_xml::names::ns;
use bartizan_xml::write::Writer;
use bartizan_xml::{Budget, Document, Limits, Profile};

use super::compose::{Composer, Written};
use super::seal::Sealer;
use super::secret::{Purpose, Shared};
use crate::error::Error;
use crate::part::EncryptHow;
use crate::plan::{Layout, ProtectionOrder, Style};
use crate::request::SentSignatures;

impl Composer<'_> {
    /// Writes the message.
    pub(super) fn write(self) -> Result<Written, Error> {
        let version = self.draft.version();
        let (prefix, space) = (self.draft.prefix(), version.namespace());
        let size: usize =
            self.blocks.iter().map(|b| b.octets.len()).sum::<usize>() + self.body.content.len() / 2 * 3;
        let mut w = Writer::with_capacity(size + 8192);
        w.open(prefix, space, "Envelope");
        for (prefix, uri) in self.draft.namespaces() {
            w.declare(prefix, uri);
        }
        if self.plan.style == Style::Wss4j15 && self.sealer.is_some() {
            w.declare("xenc", ns::XENC.uri());
        }
        let mut sent = Vec::new();
        if !self.plan.is_plain() || !self.blocks.is_empty() {
            w.open(prefix, space, "Header");
            for (prefix, uri) in self.draft.header_namespaces() {
                w.declare(prefix, uri);
            }
            if !self.plan.is_plain() {
                self.write_security(&mut w, &mut sent)?;
            }
            for block in &self.blocks {
                w.raw(&block.octets);
            }
            w.close();
        }
        self.open_body(&mut w);
        match (&self.body.sealed, &self.sealer) {
            (Some(id), Some(sealer)) => {
                sealer.write_data(&mut w, id, EncryptHow::Content, &self.body.content)?
            }
            _ => {
                w.raw(&self.body.content);
            }
        }
        w.close().close();
        let secret = self.shared.as_ref().map(|shared| Arc::clone(shared.exchange()));
        let sent = SentSignatures::new(sent, self.sealed_signature.is_some(), secret);
        let sent = sent.lent(self.shared.as_ref().and_then(|shared| shared.lent().cloned()));
        Ok((w.finish()?, sent.with_message_id(message_id(&self.draft))))
    }

    /// Writes the Security header: what is needed first stands first. Under Strict this is the order of WSS4J and Rampart.
    fn write_security(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        let version = self.draft.version();
        w.open("wsse", ns::WSSE.uri(), "Security");
        w.attr_ns(self.draft.prefix(), version.namespace(), "mustUnderstand", version.true_text());
        if !self.plan.steps.is_empty() {
            self.write_steps(w, sent)?;
            w.close();
            return Ok(());
        }
        let stamp_last = self.plan.layout == Layout::LaxTimestampLast;
        if !stamp_last {
            self.write_timestamp(w);
        }
        let encrypted_first = self.plan.order == ProtectionOrder::EncryptBeforeSign;
        // A token that a key is derived from stands before what that key is for.
        let token_first = self.sealer.as_ref().is_some_and(Sealer::is_derived)
            || self.shared.as_ref().is_some_and(Shared::is_of_token);
        if token_first {
            self.write_username(w)?;
        }
        if let Some(shared) = &self.shared {
            let uses = [(Purpose::Sign, self.signer.is_some()), (Purpose::Seal, self.sealer.is_some())];
            let used: Vec<Purpose> = uses.iter().filter(|(_, used)| *used).map(|(p, _)| *p).collect();
            shared.write(w, &used);
        }
        if let Some(sealer) = &self.sealer {
            sealer.write_token(w);
            sealer.write_key(w, !encrypted_first)?;
        }
        if !token_first {
            self.write_username(w)?;
        }
        self.write_own_token(w);
        for octets in &self.endorsing_tokens {
            w.raw(octets);
        }
        self.write_confirmations(w)?;
        self.write_finished(w, sent)?;
        if self.finished.is_empty() {
            self.write_signature(w, sent)?;
        }
        if let (Some(sealer), true) = (&self.sealer, encrypted_first) {
            sealer.write_list(w);
        }
        if stamp_last {
            self.write_timestamp(w);
        }
        w.close();
        Ok(())
    }

    pub(super) fn write_timestamp(&self, w: &mut Writer) {
        if let Some((_, octets)) = &self.timestamp {
            w.raw(octets);
        }
    }

    /// Writes our certificate, if it is sent.
    pub(super) fn write_own_token(&self, w: &mut Writer) {
        match (&self.token, &self.signer) {
            (Some((_, octets)), _) => {
                w.raw(octets);
            }
            (None, Some(signer)) => signer.write_token(w),
            (None, None) => {}
        }
    }

    /// Writes the signature, or what it was encrypted to.
    pub(super) fn write_signature(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        let Some(signer) = &self.signer else { return Ok(()) };
        if self.sealed_signature.is_none() {
            sent.push(signer.write(w)?);
            return Ok(());
        }
        let mut inner = Writer::new();
        sent.push(signer.write(&mut inner)?);
        self.write_sealed(w, self.sealed_signature.as_ref(), &inner.finish()?)
    }

    /// Writes the SignatureConfirmations, or what they were encrypted to.
    pub(super) fn write_confirmations(&self, w: &mut Writer) -> Result<(), Error> {
        for (at, (_, octets)) in self.confirmations.iter().enumerate() {
            self.write_sealed(w, self.sealed_confirmations.get(at), octets)?;
        }
        Ok(())
    }

    /// Writes octets, or the ciphertext with that Id which they become.
    pub(super) fn write_sealed(
        &self,
        w: &mut Writer,
        id: Option<&String>,
        octets: &[u8],
    ) -> Result<(), Error> {
        match (id, &self.sealer) {
            (Some(id), Some(sealer)) => sealer.write_data(w, id, EncryptHow::Element, octets),
            _ => {
                w.raw(octets);
                Ok(())
            }
        }
    }

    /// Writes the UsernameToken, or what it was encrypted to.
    pub(super) fn write_username(&self, w: &mut Writer) -> Result<(), Error> {
        let Some(token) = &self.username else { return Ok(()) };
        match (&self.sealed_username, &self.sealer) {
            (Some(id), Some(sealer)) => {
                token.written().expose(|octets| sealer.write_data(w, id, EncryptHow::Element, octets))
            }
            _ => {
                token.written().expose(|octets| {
                    w.raw(octets);
                });
                Ok(())
            }
        }
    }
}

/// The MessageID among the blocks of a draft.
fn message_id(draft: &Draft) -> Option<String> {
    let named = |b: &&Block| Edition::from_namespace(b.namespace()).is_some() && b.local() == "MessageID";
    let block = draft.blocks().iter().find(named)?;
    let mut budget = Budget::new(&Limits::default());
    let document = Document::parse(block.octets().to_vec(), Profile::Message, &mut budget).ok()?;
    Some(document.root().text().trim().to_owned())
}
