//! Putting a message together: which octets are digested, which are encrypted, in which order all of it is written.

use bartizan_crypto::{Secret, base64};
use bartizan_soap::{Block, Draft};
use bartizan_xml::NodeId;
use bartizan_xml::names::ns;
use bartizan_xml::path::Path;
use bartizan_xml::write::{Writer, free_prefix};

use super::elements::{self, Content};
use super::endorse::{self, Endorser, Finished};
use super::ids::{Bearer, Ids};
use super::seal::Sealer;
use super::secret::{Around, Shared};
use super::sign::Signer;
use super::start_tag::StartTag;
use super::username::{Usage, Username};
use crate::env::Env;
use crate::error::Error;
use crate::part::{EncryptHow, Part};
use crate::plan::{Derive, KeyTransfer, OutPlan, ProtectionOrder, StampPlan, Style};
use crate::request::{RequestFacts, SentSignatures};

/// The octets of a message, and the signatures in it.
pub(super) type Written = (Vec<u8>, SentSignatures);

/// One message on its way out.
pub(super) struct Composer<'e> {
    pub(super) plan: &'e OutPlan,
    pub(super) draft: Draft,
    pub(super) ids: Ids<'e>,
    pub(super) signer: Option<Signer<'e>>,
    pub(super) endorsers: Vec<Endorser<'e>>,
    /// Signatures that are finished before they are written, and the endorsers' certificates: where something endorses.
    pub(super) finished: Vec<Finished>,
    pub(super) endorsing_tokens: Vec<Vec<u8>>,
    pub(super) sealer: Option<Sealer<'e>>,
    pub(super) blocks: Vec<Piece>,
    pub(super) body: Body,
    pub(super) timestamp: Option<(String, Vec<u8>)>,
    pub(super) username: Option<Username>,
    pub(super) shared: Option<Shared>,
    /// Id of the EncryptedData that the UsernameToken becomes.
    pub(super) sealed_username: Option<String>,
    pub(super) confirmations: Vec<(String, Vec<u8>)>,
    /// The request hid its signature, so the confirmations are not to show it (SMS 1.1 §8.5).
    hide_confirmations: bool,
    /// Our certificate, where it is sent and signed.
    pub(super) token: Option<(String, Vec<u8>)>,
    /// Id that the encrypted signature gets.
    pub(super) sealed_signature: Option<String>,
    /// Ids of the EncryptedData of the confirmations, one for each if they are encrypted.
    pub(super) sealed_confirmations: Vec<String>,
}

/// A header block: its name and its octets, which change as it is protected.
pub(super) struct Piece {
    ns: String,
    local: String,
    pub(super) octets: Vec<u8>,
}

/// The Body: its content, which changes as parts of it are protected.
pub(super) struct Body {
    pub(super) content: Vec<u8>,
    /// Prefix of `wsu` on the Body.
    wsu: String,
    pub(super) id: Option<String>,
    /// Id of the EncryptedData that its content becomes when it is written.
    pub(super) sealed: Option<String>,
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
        let ids = Ids { random: env.random, style: plan.style };
        let username = username(plan, &draft, env, &ids)?;
        let user = username.as_ref();
        let source = plan.secret.as_ref();
        let around = Around { request, username: user, signs: plan.sign.is_some() };
        let shared = source.map(|p| Shared::new(p, env, &ids, around)).transpose()?;
        let secret = shared.as_ref();
        let signer = plan.sign.as_ref().map(|p| Signer::new(p, env, &ids, user, secret)).transpose()?;
        let endorsers = endorse::all(plan, env, &ids, user, signer.as_ref())?;
        let sealer = plan.encrypt.as_ref().map(|p| Sealer::new(p, env, ids, request, user, secret));
        let sealer = sealer.transpose()?;
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
            Some(stamp) => Some(timestamp(env, &ids, stamp)?),
            None => None,
        };
        let confirmations = if plan.confirmation {
            confirmations(&ids, request.ok_or(Error::NoRequest)?)?
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
            ids,
            signer,
            endorsers,
            finished: Vec::new(),
            endorsing_tokens: Vec::new(),
            sealer,
            blocks,
            body,
            timestamp,
            username,
            shared,
            sealed_username: None,
            confirmations,
            hide_confirmations,
            token,
            sealed_signature: None,
            sealed_confirmations: Vec::new(),
        })
    }

    /// Protects and writes.
    pub(super) fn run(mut self) -> Result<Written, Error> {
        self.check_paths()?;
        let marked = self.mark_elements()?;
        // Free in the content, so that what is written under the Body is canonical there.
        self.body.wsu = free_prefix("wsu", [self.body.content.as_slice()]);
        match self.plan.order {
            ProtectionOrder::EncryptBeforeSign => {
                self.seal_parts()?;
                self.seal_body_now()?;
                self.seal_username_now()?;
                self.cover_parts(&marked)?;
            }
            ProtectionOrder::SignBeforeEncrypt | ProtectionOrder::AsFound => {
                self.cover_parts(&marked)?;
                self.seal_parts()?;
            }
        }
        self.endorse()?;
        self.write()
    }

    /// Refuses paths that would not protect what they name (`elements::check`).
    fn check_paths(&self) -> Result<(), Error> {
        let signed = self.plan.sign.iter().flat_map(|s| &s.parts);
        let encrypted = self.plan.encrypt.iter().flat_map(|e| &e.parts).map(|p| &p.part);
        let parts: Vec<&Part> =
            signed.chain(encrypted).filter(|p| matches!(p, Part::Element { .. })).collect();
        if parts.is_empty() {
            return Ok(());
        }
        let mut children = Vec::new();
        let mut stands = |there: bool, name| children.extend(there.then_some(name));
        stands(self.timestamp.is_some(), (ns::WSU, "Timestamp"));
        stands(self.username.is_some(), (ns::WSSE, "UsernameToken"));
        let signs = self.signer.is_some() || !self.endorsers.is_empty();
        stands(signs, (ns::WSSE, "BinarySecurityToken"));
        stands(signs, (ns::DS, "Signature"));
        stands(!self.confirmations.is_empty(), (ns::WSSE11, "SignatureConfirmation"));
        elements::check(&parts, &self.draft, &children)
    }

    /// Gives an Id to every element inside the Body that is to be signed by path.
    fn mark_elements(&mut self) -> Result<Vec<(Part, Vec<String>)>, Error> {
        let parts: Vec<Part> = self.plan.sign.iter().flat_map(|s| &s.parts).cloned().collect();
        let mut marked = Vec::new();
        for part in parts {
            let Part::Element { path, .. } = &part else { continue };
            let content = self.parsed()?;
            let nodes: Vec<NodeId> = content.select(path).iter().map(|e| e.id()).collect();
            let (text, ids) = content.with_ids(&nodes, || self.ids.fresh(Bearer::Element));
            self.body.content = text;
            self.body.content = self.parsed()?.canonical()?;
            marked.push((part, ids));
        }
        Ok(marked)
    }

    fn parsed(&self) -> Result<Content, Error> {
        Content::parse(&self.body.content, &self.draft, &[])
    }

    /// Digests every part that the plan signs, in the plan's order.
    fn cover_parts(&mut self, marked: &[(Part, Vec<String>)]) -> Result<(), Error> {
        let Some(mut signer) = self.signer.take() else { return Ok(()) };
        for part in &signer.plan.parts {
            match part {
                Part::Body => {
                    let id = self.ids.fresh(Bearer::Body);
                    self.body.id = Some(id.clone());
                    let (start, end) = self.body_tags()?;
                    signer.cover(&id, &[&start, &self.body.content, &end]);
                }
                Part::Header { ns, local } => {
                    for piece in self.blocks.iter_mut().filter(|b| b.is(ns, local.as_deref())) {
                        cover_block(&mut signer, piece, part, &self.ids)?;
                    }
                }
                Part::Headers => {
                    for piece in &mut self.blocks {
                        cover_block(&mut signer, piece, part, &self.ids)?;
                    }
                }
                Part::Timestamp => {
                    let (id, octets) = self.timestamp.as_ref().ok_or(Error::MissingPart(Part::Timestamp))?;
                    signer.cover(id, &[octets]);
                }
                Part::Token => {
                    let own = self.token.as_ref().map(|(id, octets)| (id.as_str(), octets.as_slice()));
                    let key = self.shared.as_ref().and_then(Shared::encrypted_key);
                    if let Some((id, octets)) = own.or(key) {
                        signer.cover(id, &[octets]);
                    }
                    let user = self
                        .username
                        .as_ref()
                        .filter(|_| self.shared.as_ref().is_some_and(Shared::is_of_token));
                    if let Some(token) = user {
                        token.octets.expose(|octets| signer.cover(&token.id, &[octets]));
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
                Part::UsernameToken => {
                    let token = self.username.as_ref().ok_or(Error::MissingPart(Part::UsernameToken))?;
                    token.octets.expose(|octets| signer.cover(&token.id, &[octets]));
                }
                Part::Signature => return Err(Error::MissingPart(Part::Signature)),
            }
        }
        self.endorsers.iter().for_each(|endorser| endorser.cover_token(&mut signer));
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
                Part::UsernameToken => {
                    if self.username.is_some() {
                        self.sealed_username = Some(sealer.reserve());
                    }
                }
                Part::Headers | Part::Timestamp | Part::Token => {
                    return Err(Error::MissingPart(part.part.clone()));
                }
            }
        }
        self.seal_elements(&mut sealer)?;
        let hidden = self.sealed_signature.is_some();
        self.endorsers.iter_mut().for_each(|endorser| endorser.reserve(&mut sealer, hidden));
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

    /// Encrypts the UsernameToken now: its ciphertext takes its place, and is what is digested.
    fn seal_username_now(&mut self) -> Result<(), Error> {
        let (Some(id), Some(sealer), Some(token)) =
            (self.sealed_username.take(), &self.sealer, &mut self.username)
        else {
            return Ok(());
        };
        let mut w = Writer::new();
        token.written().expose(|octets| sealer.write_data(&mut w, &id, EncryptHow::Element, octets))?;
        token.becomes(id, Secret::new(w.finish()?));
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
    pub(super) fn body_tags(&self) -> Result<(Vec<u8>, Vec<u8>), Error> {
        let mut w = Writer::new();
        self.open_body(&mut w);
        let start = w.written(0).to_vec();
        w.close();
        let whole = w.finish()?;
        let end = whole.get(start.len()..).unwrap_or_default().to_vec();
        Ok((start, end))
    }

    pub(super) fn open_body(&self, w: &mut Writer) {
        w.open(self.draft.prefix(), self.draft.version().namespace(), "Body");
        if let Some(id) = &self.body.id {
            w.attr_ns(&self.body.wsu, ns::WSU.uri(), "Id", id);
        }
    }
}

/// The UsernameToken that the plan wants.
fn username(plan: &OutPlan, draft: &Draft, env: &Env<'_>, ids: &Ids<'_>) -> Result<Option<Username>, Error> {
    let Some(token) = &plan.username else { return Ok(None) };
    let seals = plan.encrypt.as_ref().is_some_and(|e| matches!(e.key, KeyTransfer::UsernameToken));
    let usage = if seals { Usage::Encryption } else { Usage::Mac };
    let precision = plan.timestamp.map(|t| t.precision).unwrap_or_default();
    let mut declared = Vec::new();
    if plan.style == Style::Wss4j15 {
        // WSS4J 1.5 takes the plaintext out of the document with everything that is declared around it, and declares what Salt is in once.
        let hidden = plan.encrypt.iter().flat_map(|e| &e.parts).any(|p| p.part == Part::UsernameToken);
        let around = [(draft.prefix(), draft.version().namespace()), ("xenc", ns::XENC.uri())];
        declared.extend(around.into_iter().filter(|_| hidden));
        let salted = matches!(token.derive, Some(Derive::Profile { .. }));
        declared.extend(salted.then(|| ("wsse11", ns::WSSE11.uri())));
    }
    Username::new(token, env, ids, precision, usage, &declared).map(Some)
}

/// Gives a header block an Id and digests it.
pub(super) fn cover_block(
    signer: &mut Signer<'_>,
    piece: &mut Piece,
    part: &Part,
    ids: &Ids<'_>,
) -> Result<(), Error> {
    let tag = StartTag::parse(&piece.octets).ok_or_else(|| Error::MissingPart(part.clone()))?;
    let (octets, id) = tag.with_id(&ids.fresh(Bearer::Header));
    signer.cover(&id, &[&octets]);
    piece.octets = octets;
    Ok(())
}

impl Piece {
    pub(super) fn is(&self, ns: &str, local: Option<&str>) -> bool {
        self.ns == ns && local.is_none_or(|l| self.local == l)
    }
}

/// A Timestamp with its Id, canonical with itself as apex.
fn timestamp(env: &Env<'_>, ids: &Ids<'_>, plan: StampPlan) -> Result<(String, Vec<u8>), Error> {
    let id = ids.fresh(Bearer::Timestamp);
    let wsu = ns::WSU.uri();
    let mut w = Writer::new();
    w.open("wsu", wsu, "Timestamp").attr_ns("wsu", wsu, "Id", &id);
    w.open("wsu", wsu, "Created").text(&plan.precision.write(env.now)).close();
    w.open("wsu", wsu, "Expires").text(&plan.precision.write(env.now + plan.ttl)).close();
    w.close();
    Ok((id, w.finish()?))
}

/// One SignatureConfirmation for each signature of the request, or one without a value if there was none (SMS 1.1 §8.5.1).
fn confirmations(ids: &Ids<'_>, request: &RequestFacts) -> Result<Vec<(String, Vec<u8>)>, Error> {
    let values = request.signature_values();
    let one = |value: Option<&Vec<u8>>| {
        let id = ids.fresh(Bearer::Confirmation);
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
