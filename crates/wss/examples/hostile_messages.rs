//! What `cargo xtask linear` counts of this layer and the one below: messages with n of what an attacker can repeat, at n, 2n and 4n, read and
//! verified under limits of the whole that none meets. Each call of [`measured`] is one count; the line printed for it says what it was.
//!
//! Bounds of what is dear stay (so many References, Signatures, EncryptedData, tokens): there a row shows that what is beyond them costs no more
//! than its reading, or that as many as may be cost no more than linear work in a message that is large for another reason.
//! Keys are the throwaway ones of `fuzz/keys`.

#![allow(clippy::print_stdout, reason = "a program that reports")]
#![allow(clippy::expect_used, reason = "it makes its messages itself")]

use bartizan_crypto::alg::{AlgSet, CipherAlg, DigestAlg, MgfAlg, SignatureAlg, TransportAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{OaepParams, SymmetricKey, base64, suite};
use bartizan_keys::{Certificate, Identity, Keystore, MemoryUsers, Time, TrustStore, store};
use bartizan_soap::addressing::Addressing;
use bartizan_soap::{Block, Draft, Envelope, MediaType, Version, header};
use bartizan_wss::env::Transport;
use bartizan_wss::plan::{Dialect, HeaderRule, Layout, Targets};
use bartizan_wss::{
    AsymmetricBuilder, Env, InPlan, Keep, Login, MemoryReplay, OutPlan, Part, Plan, PlanPair, Side,
    SymmetricBuilder, Untrusted, UsernameBuilder,
};
use bartizan_xml::{Budget, Limits};

const SOAP: &str = "http://www.w3.org/2003/05/soap-envelope";
const WSSE: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd";
const WSSE11: &str = "http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd";
const WSU: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd";
const WSC: &str = "http://docs.oasis-open.org/ws-sx/ws-secureconversation/200512";
const DS: &str = "http://www.w3.org/2000/09/xmldsig#";
const XENC: &str = "http://www.w3.org/2001/04/xmlenc#";
const WSA: &str = "http://www.w3.org/2005/08/addressing";
const EXC: &str = "http://www.w3.org/2001/10/xml-exc-c14n#";
const BASE64: &str =
    "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#Base64Binary";
const UTP: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0";
const X509: &str = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#X509v3";
const THUMBPRINT: &str = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#ThumbprintSHA1";

/// One way to repeat something.
struct Row {
    name: &'static str,
    n: usize,
    make: fn(&World, usize) -> Vec<u8>,
    plan: fn(&World) -> &Plan,
}

/// Keys and plans.
struct World {
    client: Keystore,
    server: Keystore,
    certificate: Certificate,
    users: MemoryUsers,
    /// Signs the Body, the header blocks of one name and every `line`.
    signs: PlanPair,
    user: PlanPair,
    symmetric: PlanPair,
    /// Takes whatever protection it finds.
    whatever: Plan,
}

const ROWS: &[Row] = &[
    Row { name: "header blocks that nobody reads", n: 400, make: blocks, plan: |w| &w.user.recipient },
    Row { name: "header blocks that must be understood", n: 400, make: musts, plan: |w| &w.user.recipient },
    Row { name: "header blocks of one addressing name", n: 400, make: tos, plan: |w| &w.user.recipient },
    Row { name: "deep header block", n: 2_000, make: deep, plan: |w| &w.user.recipient },
    Row { name: "Security headers for others", n: 400, make: securities, plan: |w| &w.user.recipient },
    Row { name: "UsernameTokens", n: 200, make: usernames, plan: |w| &w.user.recipient },
    Row { name: "children of a UsernameToken", n: 1_000, make: children, plan: |w| &w.user.recipient },
    Row { name: "BinarySecurityTokens", n: 100, make: tokens, plan: |w| &w.whatever },
    Row { name: "SignatureConfirmations", n: 400, make: confirmations, plan: |w| &w.whatever },
    Row { name: "DerivedKeyTokens", n: 200, make: derived, plan: |w| &w.symmetric.recipient },
    Row { name: "Signatures over one element", n: 100, make: signatures, plan: |w| &w.whatever },
    Row { name: "References to one element", n: 200, make: references, plan: |w| &w.whatever },
    Row { name: "References to nothing", n: 200, make: dangling, plan: |w| &w.whatever },
    Row {
        name: "signed header blocks behind others",
        n: 4_000,
        make: signed_blocks,
        plan: |w| &w.signs.recipient,
    },
    Row { name: "signed elements behind others", n: 6_000, make: signed_lines, plan: |w| &w.signs.recipient },
    Row { name: "EncryptedKeys", n: 50, make: keys, plan: |w| &w.whatever },
    Row { name: "DataReferences to nothing", n: 1_000, make: data_references, plan: |w| &w.whatever },
    Row { name: "EncryptedData", n: 100, make: closed, plan: |w| &w.whatever },
    Row { name: "EncryptedData that open behind elements", n: 8_000, make: open, plan: |w| &w.whatever },
    Row { name: "EncryptedHeaders", n: 100, make: headers, plan: |w| &w.whatever },
    Row {
        name: "elements that come out of one ciphertext",
        n: 2_000,
        make: plaintext,
        plan: |w| &w.whatever,
    },
];

/// What is counted.
enum Work<'w> {
    /// A message is verified; if it is accepted, it is shown.
    Verify(Vec<u8>, &'w Plan, &'w World),
    /// An envelope is read, with what SOAP says of its header blocks.
    Read(Vec<u8>),
    /// A media type is read.
    Media(String),
}

fn main() {
    let world = World::new();
    for row in ROWS {
        for factor in [1, 2, 4] {
            let message = (row.make)(&world, row.n * factor);
            let octets = message.len();
            report(row.name, factor, octets, &measured(Work::Verify(message, (row.plan)(&world), &world)));
        }
    }
    for factor in [1, 2, 4] {
        let message = blocks(&world, 400 * factor);
        report("soap: header blocks", factor, message.len(), &measured(Work::Read(message)));
    }
    for factor in [1, 2, 4] {
        let message = tos(&world, 400 * factor);
        report(
            "soap: one addressing header many times",
            factor,
            message.len(),
            &measured(Work::Read(message)),
        );
    }
    for factor in [1, 2, 4] {
        let text = format!(
            "application/soap+xml{}",
            (0..2_000 * factor).fold(String::new(), |t, n| t + &format!(";p{n}=\"a\""))
        );
        report("soap: parameters of a media type", factor, text.len(), &measured(Work::Media(text)));
    }
}

fn report(name: &str, factor: usize, octets: usize, verdict: &str) {
    println!("{name}\t{factor}\t{octets}\t0\t{verdict}");
}

/// Limits that no row meets.
fn limits() -> Limits {
    let most = 1 << 24;
    let Limits { references, signatures, encrypted_data, encrypted_keys, private_ops, .. } =
        Limits::default();
    let counts =
        Limits { references, signatures, encrypted_data, encrypted_keys, private_ops, ..Limits::generous() };
    Limits { depth: most, digested_factor: most, ..counts }
}

/// One count.
#[inline(never)]
fn measured(work: Work<'_>) -> String {
    match work {
        Work::Verify(message, plan, world) => verify(message, plan, world),
        Work::Read(message) => {
            let Ok(envelope) = Envelope::parse(message, &mut Budget::new(&limits())) else {
                return "refused".to_owned();
            };
            let understood = header::check_understood(&envelope, |_| false).is_ok();
            format!("{understood} {}", Addressing::read(envelope.blocks()).is_ok())
        }
        Work::Media(text) => MediaType::parse(&text)
            .map_or_else(|e| e.to_string(), |media| format!("{:?}", media.parameter("p1"))),
    }
}

fn verify(message: Vec<u8>, plan: &Plan, world: &World) -> String {
    let replay = MemoryReplay::default();
    let env = Env::new(&world.server, now(), &SystemRandom).with_users(&world.users);
    let env = env.with_replay(&replay).over(Transport::Local);
    let verdict = Untrusted::read(message, None, &limits()).and_then(|message| plan.verify(message, &env));
    match verdict {
        Ok(verified) => {
            let shown = verified.view(Keep::Covered).bytes.len();
            format!("accepted, {shown} shown, addressing {}", verified.addressing().is_ok())
        }
        Err(reject) => reject.reason().code().to_owned(),
    }
}

fn now() -> Time {
    Time::parse_rfc3339("2026-12-01T12:00:00Z").expect("a time")
}

impl World {
    fn new() -> World {
        let read = |octets: &[u8]| store::read_any(octets, None).expect("readable");
        let certificate = |octets: &[u8]| store::certificates(&read(octets)).remove(0);
        let side = |key: &[u8], own: &[u8], peer: &[u8]| {
            let identity: Identity = store::pair(&read(key), &read(own)).expect("a pair");
            let anchor = certificate(include_bytes!("../../../fuzz/keys/ca.pem"));
            let trust = TrustStore::builder().anchor(anchor).build();
            let keys = Keystore::builder().identity(identity).trust(trust).min_rsa(1024);
            keys.peer(certificate(peer)).build().expect("keys")
        };
        let client: (&[u8], &[u8]) = (
            include_bytes!("../../../fuzz/keys/client.key"),
            include_bytes!("../../../fuzz/keys/client.pem"),
        );
        let server: (&[u8], &[u8]) = (
            include_bytes!("../../../fuzz/keys/server.key"),
            include_bytes!("../../../fuzz/keys/server.pem"),
        );
        let modern = || suite::by_name("modern-rsa").expect("known");
        let lax = HeaderRule { layout: Layout::Lax, targets: Targets::Any, ..HeaderRule::default() };
        let resolve = |prefix: &str| (prefix == "o").then(|| "urn:o".to_owned());
        let lines = Part::element("//o:line", &resolve).expect("a path");
        let signs = AsymmetricBuilder::new(modern())
            .sign(Part::Body)
            .sign(Part::header("urn:h", "h"))
            .sign(lines)
            .header(lax);
        let symmetric = SymmetricBuilder::new(modern()).sign(Part::Body).derived(Dialect::V13).anonymous();
        World {
            client: side(client.0, client.1, server.1),
            server: side(server.0, server.1, client.1),
            certificate: certificate(server.1),
            users: MemoryUsers::new().with("alice", b"word"),
            signs: signs.build().expect("a plan"),
            user: UsernameBuilder::new().timestamp(None).build().expect("a plan"),
            symmetric: symmetric.build().expect("a plan"),
            whatever: Plan::new(Side::Recipient, InPlan::whatever(AlgSet::with_legacy()), OutPlan::plain())
                .expect("a plan"),
        }
    }
}

fn many(n: usize, each: impl Fn(usize) -> String) -> String {
    (0..n).map(each).collect()
}

fn envelope(security: &str, blocks: &str, body: &str) -> Vec<u8> {
    format!(
        "<s:Envelope xmlns:s=\"{SOAP}\" xmlns:wsse=\"{WSSE}\" xmlns:wsse11=\"{WSSE11}\" xmlns:wsu=\"{WSU}\" xmlns:ds=\"{DS}\" xmlns:xenc=\"{XENC}\">\
         <s:Header><wsse:Security>{security}</wsse:Security>{blocks}</s:Header><s:Body wsu:Id=\"body\">{body}</s:Body></s:Envelope>"
    )
    .into_bytes()
}

fn username(n: usize, more: &str) -> String {
    format!(
        "<wsse:UsernameToken wsu:Id=\"u{n}\"><wsse:Username>alice</wsse:Username><wsse:Password Type=\"{UTP}#PasswordText\">word</wsse:Password>\
         <wsse:Nonce EncodingType=\"{BASE64}\">AAAAAAAAAAAAAAAAAAAAAA==</wsse:Nonce><wsu:Created>2026-12-01T12:00:00Z</wsu:Created>{more}</wsse:UsernameToken>"
    )
}

/// Header blocks of names that nobody knows, with that word of mustUnderstand.
fn unknown(n: usize, must: bool) -> Vec<u8> {
    let block = |n| format!("<h:h{n} xmlns:h=\"urn:h\" s:mustUnderstand=\"{must}\">x</h:h{n}>");
    envelope(&username(0, ""), &many(n, block), "<a/>")
}

fn blocks(_: &World, n: usize) -> Vec<u8> {
    unknown(n, false)
}

fn musts(_: &World, n: usize) -> Vec<u8> {
    unknown(n, true)
}

fn tos(_: &World, n: usize) -> Vec<u8> {
    envelope(&username(0, ""), &many(n, |n| format!("<w:To xmlns:w=\"{WSA}\">urn:to:{n}</w:To>")), "<a/>")
}

fn deep(_: &World, n: usize) -> Vec<u8> {
    let nested = format!("<h:h xmlns:h=\"urn:h\">{}{}</h:h>", "<h:i>".repeat(n), "</h:i>".repeat(n));
    envelope(&username(0, ""), &nested, "<a/>")
}

fn securities(_: &World, n: usize) -> Vec<u8> {
    envelope(
        &username(0, ""),
        &many(n, |n| format!("<wsse:Security s:role=\"urn:role:{n}\"></wsse:Security>")),
        "<a/>",
    )
}

fn usernames(_: &World, n: usize) -> Vec<u8> {
    envelope(&many(n, |n| username(n, "")), "", "<a/>")
}

fn children(_: &World, n: usize) -> Vec<u8> {
    envelope(&username(0, &many(n, |n| format!("<x{n}/>"))), "", "<a/>")
}

fn bst(certificate: &Certificate, n: usize) -> String {
    format!(
        "<wsse:BinarySecurityToken EncodingType=\"{BASE64}\" ValueType=\"{X509}\" wsu:Id=\"t{n}\">{}</wsse:BinarySecurityToken>",
        base64::encode(certificate.der())
    )
}

fn tokens(world: &World, n: usize) -> Vec<u8> {
    envelope(&many(n, |n| bst(&world.certificate, n)), "", "<a/>")
}

fn confirmations(_: &World, n: usize) -> Vec<u8> {
    envelope(
        &many(n, |n| format!("<wsse11:SignatureConfirmation wsu:Id=\"c{n}\" Value=\"AAAA\"/>")),
        "",
        "<a/>",
    )
}

fn derived(world: &World, n: usize) -> Vec<u8> {
    let token = |n: usize| {
        format!(
            "<c:DerivedKeyToken xmlns:c=\"{WSC}\" wsu:Id=\"d{n}\"><wsse:SecurityTokenReference><wsse:Reference URI=\"#k\"/></wsse:SecurityTokenReference>\
             <c:Offset>0</c:Offset><c:Length>32</c:Length><c:Nonce>AAAAAAAAAAAAAAAAAAAAAA==</c:Nonce></c:DerivedKeyToken>"
        )
    };
    envelope(&(Sealer::new().key(world, "k", "") + &many(n, token)), "", "<a/>")
}

/// A Signature of the client over these References; its canonical SignedInfo has one declaration more.
fn signature(world: &World, references: &str) -> String {
    let info = format!(
        "<ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"{EXC}\"></ds:CanonicalizationMethod>\
         <ds:SignatureMethod Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#rsa-sha256\"></ds:SignatureMethod>{references}</ds:SignedInfo>"
    );
    let canonical = info.replacen("<ds:SignedInfo>", &format!("<ds:SignedInfo xmlns:ds=\"{DS}\">"), 1);
    let key = world.client.identity().expect("a key").key();
    let value = key.sign(SignatureAlg::RsaSha256, canonical.as_bytes()).expect("signed");
    format!(
        "<ds:Signature>{info}<ds:SignatureValue>{}</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference>\
         <wsse:Reference URI=\"#t0\" ValueType=\"{X509}\"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>",
        base64::encode(&value)
    )
}

/// A Reference with the digest of the Body that [`envelope`] makes of `<a></a>`.
fn reference(id: &str) -> String {
    let body = format!("<s:Body xmlns:s=\"{SOAP}\" xmlns:wsu=\"{WSU}\" wsu:Id=\"body\"><a></a></s:Body>");
    let value = base64::encode(digest(DigestAlg::Sha256, body.as_bytes()).as_ref());
    format!(
        "<ds:Reference URI=\"#{id}\"><ds:Transforms><ds:Transform Algorithm=\"{EXC}\"></ds:Transform></ds:Transforms>\
         <ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"></ds:DigestMethod><ds:DigestValue>{value}</ds:DigestValue></ds:Reference>"
    )
}

fn own_bst(world: &World) -> String {
    bst(world.client.identity().expect("a key").leaf(), 0)
}

fn signatures(world: &World, n: usize) -> Vec<u8> {
    envelope(&(own_bst(world) + &signature(world, &reference("body")).repeat(n)), "", "<a/>")
}

fn references(world: &World, n: usize) -> Vec<u8> {
    envelope(&(own_bst(world) + &signature(world, &reference("body").repeat(n))), "", "<a/>")
}

fn dangling(world: &World, n: usize) -> Vec<u8> {
    let all = many(n, |n| reference(&format!("none{n}")));
    envelope(&(own_bst(world) + &signature(world, &all)), "", "<a/>")
}

/// What a partner signs, whose key is trusted.
fn secured(world: &World, draft: Draft) -> Vec<u8> {
    let login = Login { name: "alice".to_owned(), password: bartizan_crypto::Secret::new(b"word".to_vec()) };
    let env = Env::new(&world.client, now(), &SystemRandom).as_user(&login);
    world.signs.initiator.secure(draft, &env, None).expect("secured").message.into_bytes()
}

fn signed_blocks(world: &World, n: usize) -> Vec<u8> {
    let body = "<o:order xmlns:o=\"urn:o\"><o:line>1</o:line></o:order>";
    let block = |at: usize| {
        let name = if at < n { "x" } else { "h" };
        Block::new("urn:h", name, format!("<h:{name} xmlns:h=\"urn:h\">{at}</h:{name}>").into_bytes())
    };
    let draft = Draft::new(Version::Soap12).with_body(body.into());
    secured(world, (0..n + 28).fold(draft, |draft, at| draft.with_block(block(at))))
}

fn signed_lines(world: &World, n: usize) -> Vec<u8> {
    let lines = many(28, |n| format!("<o:line>{n}</o:line>"));
    let body = format!("<o:order xmlns:o=\"urn:o\">{}{lines}</o:order>", "<o:x></o:x>".repeat(n));
    secured(world, Draft::new(Version::Soap12).with_body(body.into_bytes()))
}

/// A content key of the attacker's, whom the server's certificate is enough.
struct Sealer {
    octets: [u8; 16],
    content: SymmetricKey,
}

impl Sealer {
    fn new() -> Sealer {
        Sealer { octets: [7; 16], content: SymmetricKey::new(vec![7; 16]) }
    }

    /// An EncryptedKey with references.
    fn key(&self, world: &World, id: &str, references: &str) -> String {
        let oaep = OaepParams::new(DigestAlg::Sha256, MgfAlg::Mgf1Sha256);
        let key = world.certificate.public_key().expect("a key");
        let wrapped = key.encrypt_key(TransportAlg::RsaOaep, &oaep, &self.octets).expect("wrapped");
        let list = if references.is_empty() {
            String::new()
        } else {
            format!("<xenc:ReferenceList>{references}</xenc:ReferenceList>")
        };
        format!(
            "<xenc:EncryptedKey Id=\"{id}\"><xenc:EncryptionMethod Algorithm=\"http://www.w3.org/2009/xmlenc11#rsa-oaep\">\
             <ds:DigestMethod Algorithm=\"http://www.w3.org/2001/04/xmlenc#sha256\"/>\
             <e:MGF xmlns:e=\"http://www.w3.org/2009/xmlenc11#\" Algorithm=\"http://www.w3.org/2009/xmlenc11#mgf1sha256\"/></xenc:EncryptionMethod>\
             <ds:KeyInfo><wsse:SecurityTokenReference><wsse:KeyIdentifier EncodingType=\"{BASE64}\" ValueType=\"{THUMBPRINT}\">{}</wsse:KeyIdentifier>\
             </wsse:SecurityTokenReference></ds:KeyInfo><xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData>{list}</xenc:EncryptedKey>",
            base64::encode(&world.certificate.thumbprint_sha1()),
            base64::encode(&wrapped)
        )
    }

    fn data(&self, n: usize, plaintext: &str) -> String {
        let sealed =
            self.content.seal(CipherAlg::Aes128Gcm, plaintext.as_bytes(), &SystemRandom).expect("sealed");
        format!(
            "<xenc:EncryptedData Id=\"e{n}\" Type=\"{XENC}Element\"><xenc:EncryptionMethod Algorithm=\"http://www.w3.org/2009/xmlenc11#aes128-gcm\"/>\
             <ds:KeyInfo><wsse:SecurityTokenReference><wsse:Reference URI=\"#k\"/></wsse:SecurityTokenReference></ds:KeyInfo>\
             <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>",
            base64::encode(&sealed)
        )
    }

    /// The key, and lists of so many references: each list holds a hundred.
    fn lists(&self, world: &World, n: usize) -> String {
        let list = |from: usize| {
            many(100.min(n - from), |at| format!("<xenc:DataReference URI=\"#e{}\"/>", from + at))
        };
        let rest = (100..n)
            .step_by(100)
            .map(|from| format!("<xenc:ReferenceList>{}</xenc:ReferenceList>", list(from)));
        self.key(world, "k", &list(0)) + &rest.collect::<String>()
    }
}

fn keys(world: &World, n: usize) -> Vec<u8> {
    envelope(&many(n, |n| Sealer::new().key(world, &format!("k{n}"), "")), "", "<a/>")
}

fn data_references(world: &World, n: usize) -> Vec<u8> {
    envelope(&Sealer::new().lists(world, n), "", "<a/>")
}

fn closed(world: &World, n: usize) -> Vec<u8> {
    let (sealer, other) = (Sealer::new(), SymmetricKey::new(vec![8; 16]));
    let wrong = Sealer { content: other, ..Sealer::new() };
    envelope(&sealer.lists(world, n), "", &format!("<a>{}</a>", many(n, |n| wrong.data(n, "<b/>"))))
}

fn open(world: &World, n: usize) -> Vec<u8> {
    let sealer = Sealer::new();
    let data = many(60, |n| sealer.data(n, &format!("<b wsu:Id=\"b{n}\">{n}</b>")));
    envelope(&sealer.lists(world, 60), "", &format!("<a>{}{data}</a>", "<x></x>".repeat(n)))
}

fn headers(world: &World, n: usize) -> Vec<u8> {
    let sealer = Sealer::new();
    let block = |n: usize| {
        let data = sealer.data(n, &format!("<h:h xmlns:h=\"urn:h\" wsu:Id=\"h{n}\">{n}</h:h>"));
        format!("<wsse11:EncryptedHeader>{data}</wsse11:EncryptedHeader>")
    };
    envelope(&sealer.lists(world, n), &many(n, block), "<a/>")
}

fn plaintext(world: &World, n: usize) -> Vec<u8> {
    let sealer = Sealer::new();
    let data = sealer.data(0, &format!("<b>{}</b>", many(n, |n| format!("<c wsu:Id=\"c{n}\">{n}</c>"))));
    envelope(&sealer.lists(world, 1), "", &data)
}
