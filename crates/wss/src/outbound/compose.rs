//! Putting a message together: which octets are digested, which are encrypted, in which order all of it is written.

use bartizan_crypto::base64;
use bartizan_soap::{Block, Draft};
use bartizan_xml::NodeId;
use bartizan_xml::names::ns;
use bartizan_xml::path::Path;
use bartizan_xml::write::Writer;

use super::elements::{Around, Content};
use super::ids;
use super::seal::Sealer;
use super::sign::Signer;
use super::start_tag::StartTag;
use crate::env::Env;
use crate::error::Error;
use crate::part::{EncryptHow, Part};
use crate::plan::{Layout, OutPlan, ProtectionOrder, StampPlan};
use crate::request::{RequestFacts, SentSignatures};

/// The octets of a message, and the signatures in it.
type Written = (Vec<u8>, SentSignatures);

/// One message on its way out.
pub(super) struct Composer<'e> {
    plan: &'e OutPlan,
    draft: Draft,
    env: &'e Env<'e>,
    signer: Option<Signer<'e>>,
    sealer: Option<Sealer<'e>>,
    blocks: Vec<Piece>,
    body: Body,
    timestamp: Option<(String, Vec<u8>)>,
    confirmations: Vec<(String, Vec<u8>)>,
    /// The request hid its signature, so the confirmations are not to show it (SMS 1.1 §8.5).
    hide_confirmations: bool,
    /// Our certificate, where it is sent and signed.
    token: Option<(String, Vec<u8>)>,
    /// Id that the encrypted signature gets.
    sealed_signature: Option<String>,
    /// Ids of the EncryptedData of the confirmations, one for each if they are encrypted.
    sealed_confirmations: Vec<String>,
}

/// A header block: its name and its octets, which change as it is protected.
struct Piece {
    ns: String,
    local: String,
    octets: Vec<u8>,
}

/// The Body: its content, which changes as parts of it are protected.
struct Body {
    content: Vec<u8>,
    /// Prefix of `wsu` on the Body.
    wsu: String,
    id: Option<String>,
    /// Id of the EncryptedData that its content becomes when it is written.
    sealed: Option<String>,
}

impl<'e> Composer<'e> {
    pub(super) fn new(
        plan: &'e OutPlan,
        draft: Draft,
        env: &'e Env<'e>,
        request: Option<&RequestFacts>,
    ) -> Result<Composer<'e>, Error> {
        let secured = |b: &Block| b.namespace() == ns::WSSE.uri() && b.local() == "Security";
        if !plan.is_plain() && draft.blocks().iter().any(secured) {
            return Err(Error::AlreadySecured);
        }
        let signer = plan.sign.as_ref().map(|p| Signer::new(p, env)).transpose()?;
        let sealer = plan.encrypt.as_ref().map(|p| Sealer::new(p, env, request)).transpose()?;
        let token = match &signer {
            Some(signer) if signer.plan.parts.contains(&Part::Token) => signer.token()?,
            _ => None,
        };
        let blocks = draft.blocks().iter().map(|b| Piece {
            ns: b.namespace().to_owned(),
            local: b.local().to_owned(),
            octets: b.octets().to_vec(),
        });
        let blocks = blocks.collect();
        let body = Body { content: draft.content().to_vec(), wsu: String::new(), id: None, sealed: None };
        let timestamp = match plan.timestamp {
            Some(stamp) => Some(timestamp(env, stamp)?),
            None => None,
        };
        let confirmations = if plan.confirmation {
            confirmations(env, request.ok_or(Error::NoRequest)?)?
        } else {
            Vec::new()
        };
        let hide_confirmations =
            plan.confirmation && request.is_some_and(RequestFacts::signature_was_encrypted);
        if hide_confirmations && sealer.is_none() {
            return Err(Error::ConfirmationInClear);
        }
        Ok(Composer {
            plan,
            draft,
            env,
            signer,
            sealer,
            blocks,
            body,
            timestamp,
            confirmations,
            hide_confirmations,
            token,
            sealed_signature: None,
            sealed_confirmations: Vec::new(),
        })
    }

    /// Protects and writes.
    pub(super) fn run(mut self) -> Result<Written, Error> {
        let marked = self.mark_elements()?;
        self.body.wsu = free_prefix(&self.body.content);
        match self.plan.order {
            ProtectionOrder::EncryptBeforeSign => {
                self.seal_parts()?;
                self.seal_body_now()?;
                self.cover_parts(&marked)?;
            }
            ProtectionOrder::SignBeforeEncrypt | ProtectionOrder::AsFound => {
                self.cover_parts(&marked)?;
                self.seal_parts()?;
            }
        }
        self.write()
    }

    /// Gives an Id to every element inside the Body that is to be signed by path.
    fn mark_elements(&mut self) -> Result<Vec<(Part, Vec<String>)>, Error> {
        let parts: Vec<Part> = self.plan.sign.iter().flat_map(|s| &s.parts).cloned().collect();
        let mut marked = Vec::new();
        for part in parts {
            let Part::Element { path, .. } = &part else { continue };
            let content = self.parsed()?;
            let nodes: Vec<NodeId> = content.select(path).iter().map(|e| e.id()).collect();
            let (text, ids) = content.with_ids(&nodes, || ids::fresh('p', self.env.random));
            self.body.content = text;
            self.body.content = self.parsed()?.canonical()?;
            marked.push((part, ids));
        }
        Ok(marked)
    }

    fn parsed(&self) -> Result<Content, Error> {
        let around = Around {
            prefix: self.draft.prefix(),
            ns: self.draft.version().namespace(),
            namespaces: self.draft.namespaces(),
        };
        Content::parse(&self.body.content, &around)
    }

    /// Digests every part that the plan signs, in the plan's order.
    fn cover_parts(&mut self, marked: &[(Part, Vec<String>)]) -> Result<(), Error> {
        let Some(mut signer) = self.signer.take() else { return Ok(()) };
        for part in &signer.plan.parts {
            match part {
                Part::Body => {
                    let id = ids::fresh('b', self.env.random);
                    self.body.id = Some(id.clone());
                    let (start, end) = self.body_tags()?;
                    signer.cover(&id, &[&start, &self.body.content, &end]);
                }
                Part::Header { ns, local } => {
                    for piece in self.blocks.iter_mut().filter(|b| b.is(ns, local.as_deref())) {
                        cover_block(&mut signer, piece, part, self.env)?;
                    }
                }
                Part::Headers => {
                    for piece in &mut self.blocks {
                        cover_block(&mut signer, piece, part, self.env)?;
                    }
                }
                Part::Timestamp => {
                    let (id, octets) = self.timestamp.as_ref().ok_or(Error::MissingPart(Part::Timestamp))?;
                    signer.cover(id, &[octets]);
                }
                Part::Token => {
                    if let Some((id, octets)) = &self.token {
                        signer.cover(id, &[octets]);
                    }
                }
                Part::SignatureConfirmation => {
                    for (id, octets) in &self.confirmations {
                        signer.cover(id, &[octets]);
                    }
                }
                Part::Element { .. } => {
                    let ids = marked
                        .iter()
                        .find(|(p, _)| p == part)
                        .map(|(_, ids)| ids.as_slice())
                        .unwrap_or_default();
                    let content = self.parsed()?;
                    for id in ids {
                        match content.octets(id)? {
                            Some(octets) => signer.cover(id, &[&octets]),
                            // Its ciphertext is in the Body, and covered there.
                            None if signer.plan.parts.contains(&Part::Body) => {}
                            None => return Err(Error::MissingPart(part.clone())),
                        }
                    }
                }
                Part::Signature | Part::UsernameToken => return Err(Error::MissingPart(part.clone())),
            }
        }
        if !signer.covers_something() {
            return Err(Error::MissingPart(Part::Body));
        }
        self.signer = Some(signer);
        Ok(())
    }

    /// Encrypts header blocks and inner elements; reserves Ids for the Body and the signature, which are encrypted as they are written.
    fn seal_parts(&mut self) -> Result<(), Error> {
        let Some(mut sealer) = self.sealer.take() else { return Ok(()) };
        for part in self.plan.encrypt.iter().flat_map(|e| &e.parts) {
            match &part.part {
                Part::Body => self.body.sealed = Some(sealer.reserve()),
                Part::Header { ns, local } => {
                    for piece in self.blocks.iter_mut().filter(|b| b.is(ns, local.as_deref())) {
                        piece.octets = encrypted_header(&mut sealer, &piece.octets, &self.draft)?;
                    }
                }
                Part::Signature => self.sealed_signature = Some(sealer.reserve()),
                Part::SignatureConfirmation => self.hide_confirmations = true,
                // All of them together, below.
                Part::Element { .. } => {}
                Part::Headers | Part::Timestamp | Part::Token | Part::UsernameToken => {
                    return Err(Error::MissingPart(part.part.clone()));
                }
            }
        }
        self.seal_elements(&mut sealer)?;
        if self.hide_confirmations {
            self.sealed_confirmations = self.confirmations.iter().map(|_| sealer.reserve()).collect();
        }
        // A key that nothing is encrypted under would be refused (attack ENC-04): no part was in the message.
        self.sealer = sealer.is_used().then_some(sealer);
        Ok(())
    }

    /// Encrypts the elements that are named by path, each once: what lies inside of another piece of ciphertext is encrypted with it, and
    /// ciphertext inside of ciphertext would be a list entry that points at nothing.
    fn seal_elements(&mut self, sealer: &mut Sealer<'_>) -> Result<(), Error> {
        let parts = self.plan.encrypt.iter().flat_map(|e| &e.parts);
        let paths: Vec<(&Path, EncryptHow)> = parts
            .filter_map(|p| match &p.part {
                Part::Element { path, .. } => Some((path, p.how)),
                _ => None,
            })
            .collect();
        if paths.is_empty() || self.body.sealed.is_some() {
            return Ok(());
        }
        let content = self.parsed()?;
        let text = content.sealed(&content.outermost(&paths), |octets, how| {
            let id = sealer.reserve();
            let mut w = Writer::new();
            sealer.write_data(&mut w, &id, how, octets)?;
            Ok(w.finish()?)
        })?;
        self.body.content = text;
        if self.plan.order == ProtectionOrder::EncryptBeforeSign {
            self.body.content = self.parsed()?.canonical()?;
        }
        Ok(())
    }

    /// Encrypts the Body's content now, so that the ciphertext is what is digested.
    fn seal_body_now(&mut self) -> Result<(), Error> {
        if let (Some(id), Some(sealer)) = (self.body.sealed.take(), &self.sealer) {
            let mut w = Writer::new();
            sealer.write_data(&mut w, &id, EncryptHow::Content, &self.body.content)?;
            self.body.content = w.finish()?;
        }
        Ok(())
    }

    /// The Body's tags as they are canonicalized: with the Body as apex.
    fn body_tags(&self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let mut w = Writer::new();
        self.open_body(&mut w);
        let start = w.written(0).to_vec();
        w.close();
        let whole = w.finish()?;
        let end = whole.get(start.len()..).unwrap_or_default().to_vec();
        Ok((start, end))
    }

    fn open_body(&self, w: &mut Writer) {
        w.open(self.draft.prefix(), self.draft.version().namespace(), "Body");
        if let Some(id) = &self.body.id {
            w.attr_ns(&self.body.wsu, ns::WSU.uri(), "Id", id);
        }
    }

    /// Writes the message.
    fn write(self) -> Result<Written, Error> {
        let version = self.draft.version();
        let (prefix, space) = (self.draft.prefix(), version.namespace());
        let size: usize =
            self.blocks.iter().map(|b| b.octets.len()).sum::<usize>() + self.body.content.len() / 2 * 3;
        let mut w = Writer::with_capacity(size + 8192);
        w.open(prefix, space, "Envelope");
        for (prefix, uri) in self.draft.namespaces() {
            w.declare(prefix, uri);
        }
        let mut sent = Vec::new();
        if !self.plan.is_plain() || !self.blocks.is_empty() {
            w.open(prefix, space, "Header");
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
        Ok((w.finish()?, SentSignatures::new(sent, self.sealed_signature.is_some())))
    }

    /// Writes the Security header: what is needed first stands first. Under Strict this is the order of WSS4J and Rampart.
    fn write_security(&self, w: &mut Writer, sent: &mut Vec<Vec<u8>>) -> Result<(), Error> {
        let version = self.draft.version();
        w.open("wsse", ns::WSSE.uri(), "Security");
        w.attr_ns(self.draft.prefix(), version.namespace(), "mustUnderstand", version.true_text());
        let stamp_last = self.plan.layout == Layout::LaxTimestampLast;
        if let (Some((_, octets)), false) = (&self.timestamp, stamp_last) {
            w.raw(octets);
        }
        let encrypted_first = self.plan.order == ProtectionOrder::EncryptBeforeSign;
        if let Some(sealer) = &self.sealer {
            sealer.write_token(w);
            sealer.write_key(w, !encrypted_first)?;
        }
        match (&self.token, &self.signer) {
            (Some((_, octets)), _) => {
                w.raw(octets);
            }
            (None, Some(signer)) => signer.write_token(w),
            (None, None) => {}
        }
        for (at, (_, octets)) in self.confirmations.iter().enumerate() {
            match (self.sealed_confirmations.get(at), &self.sealer) {
                (Some(id), Some(sealer)) => sealer.write_data(w, id, EncryptHow::Element, octets)?,
                _ => {
                    w.raw(octets);
                }
            }
        }
        if let Some(signer) = &self.signer {
            match (&self.sealed_signature, &self.sealer) {
                (Some(id), Some(sealer)) => {
                    let mut inner = Writer::new();
                    sent.push(signer.write(&mut inner)?);
                    sealer.write_data(w, id, EncryptHow::Element, &inner.finish()?)?;
                }
                _ => sent.push(signer.write(w)?),
            }
        }
        if let (Some(sealer), true) = (&self.sealer, encrypted_first) {
            sealer.write_list(w);
        }
        if let (Some((_, octets)), true) = (&self.timestamp, stamp_last) {
            w.raw(octets);
        }
        w.close();
        Ok(())
    }
}

/// Gives a header block an Id and digests it.
fn cover_block(signer: &mut Signer<'_>, piece: &mut Piece, part: &Part, env: &Env<'_>) -> Result<(), Error> {
    let tag = StartTag::parse(&piece.octets).ok_or_else(|| Error::MissingPart(part.clone()))?;
    let (octets, id) = tag.with_id(&ids::fresh('h', env.random));
    signer.cover(&id, &[&octets]);
    piece.octets = octets;
    Ok(())
}

impl Piece {
    fn is(&self, ns: &str, local: Option<&str>) -> bool {
        self.ns == ns && local.is_none_or(|l| self.local == l)
    }
}

/// A Timestamp with its Id, canonical with itself as apex.
fn timestamp(env: &Env<'_>, plan: StampPlan) -> Result<(String, Vec<u8>), Error> {
    let id = ids::fresh('t', env.random);
    let wsu = ns::WSU.uri();
    let mut w = Writer::new();
    w.open("wsu", wsu, "Timestamp").attr_ns("wsu", wsu, "Id", &id);
    w.open("wsu", wsu, "Created").text(&env.now.to_rfc3339()).close();
    w.open("wsu", wsu, "Expires").text(&(env.now + plan.ttl).to_rfc3339()).close();
    w.close();
    Ok((id, w.finish()?))
}

/// One SignatureConfirmation for each signature of the request, or one without a value if there was none (SMS 1.1 §8.5.1).
fn confirmations(env: &Env<'_>, request: &RequestFacts) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let values = request.signature_values();
    let one = |value: Option<&Vec<u8>>| {
        let id = ids::fresh('c', env.random);
        let mut w = Writer::new();
        w.open("wsse11", ns::WSSE11.uri(), "SignatureConfirmation");
        if let Some(value) = value {
            w.attr("Value", &base64::encode(value));
        }
        w.attr_ns("wsu", ns::WSU.uri(), "Id", &id);
        w.close();
        Ok((id, w.finish()?))
    };
    if values.is_empty() { Ok(vec![one(None)?]) } else { values.iter().map(|v| one(Some(v))).collect() }
}

/// A header block as wsse11:EncryptedHeader, with the attributes that say who must understand it (SMS 1.1 §9.3).
fn encrypted_header(sealer: &mut Sealer<'_>, octets: &[u8], draft: &Draft) -> Result<Vec<u8>, Error> {
    let id = sealer.reserve();
    let (prefix, space) = (draft.prefix(), draft.version().namespace());
    let mut w = Writer::new();
    w.open("wsse11", ns::WSSE11.uri(), "EncryptedHeader");
    if let Some(tag) = StartTag::parse(octets) {
        for local in ["mustUnderstand", draft.version().role_local()] {
            if let Some(value) = tag.attribute(space, local) {
                w.attr_ns(prefix, space, local, &value.replace("&amp;", "&"));
            }
        }
    }
    sealer.write_data(&mut w, &id, EncryptHow::Element, octets)?;
    w.close();
    Ok(w.finish()?)
}

/// A prefix for `wsu` that the content does not declare, so that what is written under the Body is canonical there.
fn free_prefix(content: &[u8]) -> String {
    let taken = |p: &str| memchr::memmem::find(content, format!(" xmlns:{p}=\"").as_bytes()).is_some();
    std::iter::once("wsu".to_owned())
        .chain((0..).map(|n| format!("wsu{n}")))
        .find(|p| !taken(p))
        .unwrap_or_default()
}
