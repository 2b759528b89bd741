//! XML Signature: sound documents, edited. What verifies was signed, and what it covers is what was signed.

use std::collections::HashSet;
use std::sync::OnceLock;

use bartizan_crypto::{AlgSet, DigestAlg, SignatureAlg, SymmetricKey};
use bartizan_xml::c14n::{C14n, C14nMethod};
use bartizan_xml::{Budget, Document, Limits, NodeId, Profile};
use bartizan_xmlsec::engine::{
    KeyRing, SignRequest, SignTarget, SignatureReport, sign_document, verify_document,
};
use bartizan_xmlsec::signature::{C14nSpec, SignKey};
use bartizan_xmlsec::{NoStrTargets, Permit};

use crate::edit::{Recipe, edited};
use crate::world::{Steady, private_key, secret};

const DOCUMENTS: [&str; 3] = [
    "<m xmlns=\"urn:m\" xmlns:u=\"http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd\"><a u:Id=\"a\">one <b x=\"1\"/></a><c u:Id=\"c\">two</c><d>free</d></m>",
    "<r xml:lang=\"en\" xmlns:p=\"urn:p\" xmlns:q=\"urn:q\"><p:a q:b=\"1\" c=\"&lt;&#10;\"><!-- said --><q:x>&amp;</q:x></p:a><p:a xmlns:p=\"urn:o\"><y xmlns=\"urn:y\"/></p:a></r>",
    "<a><b><c>deep</c></b><b>er</b></a>",
];

/// What was ever signed.
#[derive(Default)]
struct Signed {
    messages: Vec<Vec<u8>>,
    /// SignedInfo in canonical form.
    infos: HashSet<Vec<u8>>,
    /// What a reference digests.
    digested: HashSet<Vec<u8>>,
    /// What a reader sees of a covered element.
    shown: HashSet<Vec<u8>>,
}

fn ring() -> KeyRing {
    let mut ring = KeyRing::new();
    ring.add_public(None, private_key("client").public().clone());
    ring.add_public(None, private_key("client-ec").public().clone());
    ring.add_secret(None, secret(32));
    ring
}

fn budget() -> Budget {
    Budget::new(&Limits::default())
}

fn permit() -> Permit {
    Permit::document(AlgSet::with_legacy())
}

fn reports(octets: &[u8], ring: &KeyRing) -> Option<(Document, Vec<SignatureReport>)> {
    let mut budget = budget();
    let document = Document::parse(octets.to_vec(), Profile::Bare, &mut budget).ok()?;
    let reports = verify_document(&document, ring, &permit(), &mut budget).ok()?;
    Some((document, reports))
}

/// The covered element as a reader sees it: without comments, without the signature that was cut out.
fn shown(document: &Document, target: NodeId, removed: Option<NodeId>) -> Vec<u8> {
    let element = document.element(target).expect("a covered node is there");
    let mut form = C14n::new(C14nMethod::Exclusive);
    if let Some(removed) = removed {
        form = form.without(removed);
    }
    let mut octets = Vec::new();
    form.write(element, &mut octets).expect("it was digested");
    octets
}

fn signed() -> &'static (Signed, KeyRing) {
    static SIGNED: OnceLock<(Signed, KeyRing)> = OnceLock::new();
    SIGNED.get_or_init(|| {
        let (mut signed, ring, random) = (Signed::default(), ring(), Steady::default());
        let (rsa, ec, mac) = (private_key("client"), private_key("client-ec"), secret(32));
        for text in DOCUMENTS {
            for method in C14nMethod::ALL {
                for n in 0..6 {
                    let octets = one(text, method, n, (&rsa, &ec, &mac), &random);
                    record(&mut signed, &octets, &ring);
                    signed.messages.push(octets);
                }
            }
        }
        (signed, ring)
    })
}

type Keys<'k> = (&'k bartizan_crypto::PrivateKey, &'k bartizan_crypto::PrivateKey, &'k SymmetricKey);

/// One document, signed in one of six ways.
fn one(text: &str, form: C14nMethod, n: usize, keys: Keys<'_>, random: &Steady) -> Vec<u8> {
    let document = Document::parse(text.as_bytes().to_vec(), Profile::Bare, &mut budget()).expect("ours");
    let first: Vec<SignTarget> =
        document.root().elements().take(n % 3).map(|element| SignTarget::Element(element.id())).collect();
    let (method, key) = match n {
        0 | 1 => (SignatureAlg::RsaSha256, SignKey::Private(keys.0)),
        2 | 3 => (SignatureAlg::EcdsaSha256, SignKey::Private(keys.1)),
        _ => (SignatureAlg::HmacSha256, SignKey::Secret(keys.2)),
    };
    let spec = C14nSpec::new(form);
    let request = SignRequest {
        targets: &first,
        enveloped: first.is_empty(),
        parent: None,
        method,
        digest: if n % 2 == 0 { DigestAlg::Sha256 } else { DigestAlg::Sha1 },
        canonicalization: &spec,
        id: (n == 5).then_some("s"),
        key_info: None,
    };
    sign_document(&document, &request, &key, Profile::Bare, &mut budget(), random).expect("signed")
}

fn record(signed: &mut Signed, octets: &[u8], ring: &KeyRing) {
    let (document, reports) = reports(octets, ring).expect("one signature");
    for report in reports {
        assert!(report.verified(), "{report:?}\n{}", String::from_utf8_lossy(octets));
        let signature = report.signature.expect("it was read");
        signed.infos.insert(signature.canonical_signed_info().to_vec());
        for (index, reference) in report.references.iter().enumerate() {
            let covered = reference.covered.as_ref().expect("it verified");
            let digested = signature.digest_octets(index, &document, &NoStrTargets).expect("it was digested");
            signed.digested.insert(digested);
            signed.shown.insert(shown(&document, covered.target, covered.removed));
        }
    }
}

/// One input: which document, and what to do to it; or a document of the fuzzer's own.
pub fn run(data: &[u8]) {
    let (signed, ring) = signed();
    let mut recipe = Recipe::new(data);
    let octets = match recipe.octet() {
        0xff => recipe.all().to_vec(),
        // Two octets, so that every document can be meant.
        first => {
            let n = usize::from(first) << 8 | usize::from(recipe.octet());
            edited(&signed.messages[n % signed.messages.len()], &mut recipe)
        }
    };
    let Some((document, reports)) = reports(&octets, ring) else { return };
    for report in reports {
        match (&report.signature, report.verified()) {
            (Some(signature), true) => {
                assert!(report.key.is_some(), "verified by a key");
                assert!(!report.references.is_empty(), "and over something");
                assert!(signed.infos.contains(signature.canonical_signed_info()), "nobody signed that");
                for (index, reference) in report.references.iter().enumerate() {
                    let covered = reference.covered.as_ref().expect("verified as a whole");
                    let digested =
                        signature.digest_octets(index, &document, &NoStrTargets).expect("it verified");
                    assert!(signed.digested.contains(&digested), "nobody digested that");
                    let shown = shown(&document, covered.target, covered.removed);
                    assert!(
                        signed.shown.contains(&shown),
                        "what is shown was not signed: {}\n{}",
                        String::from_utf8_lossy(&shown),
                        String::from_utf8_lossy(&octets)
                    );
                }
            }
            (None, true) => panic!("verified without having been read"),
            (_, false) => drop(format!("{report:?}")),
        }
    }
}
