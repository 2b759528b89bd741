//! An attacker with a trusted key: messages that are signed as they should be, around an EncryptedKey and an EncryptedData
//! of his choice. A partner can do this, and only such a message reaches decryption under sign-then-encrypt.
//!
//! What is not here: which messages are sent ([`crate::classes`]).

use std::path::Path;

use anyhow::{Context as _, Result};
use bartizan_crypto::alg::{CipherAlg, DigestAlg, SignatureAlg, TransportAlg};
use bartizan_crypto::digest::digest;
use bartizan_crypto::random::SystemRandom;
use bartizan_crypto::{MgfAlg, OaepParams, PublicKey, SymmetricKey, base64};
use bartizan_keys::{Certificate, Identity, store};
use bartizan_xml::names::{ns, uri};

/// The greeting that a sound message carries.
pub(crate) const PAYLOAD: &str =
    "<greetRequest xmlns=\"http://www.wso2.org/types\"><name>test me</name></greetRequest>";

/// The algorithms of a service's policy.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Suite {
    pub(crate) signature: SignatureAlg,
    pub(crate) digest: DigestAlg,
    pub(crate) cipher: CipherAlg,
    pub(crate) transport: TransportAlg,
    pub(crate) oaep: DigestAlg,
    pub(crate) mgf: MgfAlg,
}

/// The suite of the benchmark policy.
pub(crate) const CBC: Suite = Suite {
    signature: SignatureAlg::RsaSha1,
    digest: DigestAlg::Sha1,
    cipher: CipherAlg::Aes256Cbc,
    transport: TransportAlg::RsaOaepMgf1p,
    oaep: DigestAlg::Sha1,
    mgf: MgfAlg::Mgf1Sha1,
};

/// The same with RSA 1.5.
pub(crate) const RSA15: Suite = Suite { transport: TransportAlg::Rsa15, ..CBC };

/// What is recommended.
pub(crate) const GCM: Suite = Suite {
    signature: SignatureAlg::RsaSha256,
    digest: DigestAlg::Sha256,
    cipher: CipherAlg::Aes256Gcm,
    transport: TransportAlg::RsaOaep,
    oaep: DigestAlg::Sha256,
    mgf: MgfAlg::Mgf1Sha256,
};

/// The keys of the attacker and what he knows of the server.
#[derive(Debug)]
pub(crate) struct Forge {
    client: Identity,
    server: Certificate,
    other: Certificate,
}

/// What a message is made of. [`Forge::parts`] gives sound ones.
#[derive(Clone, Debug)]
pub(crate) struct Parts {
    /// The octets of the EncryptedKey.
    pub(crate) wrapped: Vec<u8>,
    /// The octets of the EncryptedData.
    pub(crate) data: Vec<u8>,
    /// The DigestValue of the Body.
    pub(crate) digest: Vec<u8>,
    /// SHA-1 of the certificate that the EncryptedKey says it is for.
    pub(crate) recipient: [u8; 20],
    /// Whether one bit of the SignatureValue is wrong.
    pub(crate) bad_signature: bool,
}

impl Forge {
    /// Reads a folder as `bartizan keys demo` makes it.
    pub(crate) fn open(folder: &Path) -> Result<Forge> {
        let read = |name: &str| {
            let octets = std::fs::read(folder.join(name)).with_context(|| format!("reading {name}"))?;
            store::read_any(&octets, None).with_context(|| format!("reading {name}"))
        };
        let certificate = |name: &str| -> Result<Certificate> {
            store::certificates(&read(name)?).into_iter().next().context("no certificate")
        };
        Ok(Forge {
            client: store::pair(&read("client.key")?, &read("client.pem")?)?,
            server: certificate("server.pem")?,
            other: certificate("client2.pem")?,
        })
    }

    /// The server's public key.
    pub(crate) fn server(&self) -> Result<&PublicKey> {
        Ok(self.server.public_key()?)
    }

    /// The public key of somebody else.
    pub(crate) fn other(&self) -> Result<&PublicKey> {
        Ok(self.other.public_key()?)
    }

    /// SHA-1 of the server's certificate.
    pub(crate) fn thumbprint(&self) -> [u8; 20] {
        self.server.thumbprint_sha1()
    }

    /// A key for the content, transported to `to` as the suite says.
    pub(crate) fn wrap(&self, suite: Suite, to: &PublicKey, key: &[u8]) -> Result<Vec<u8>> {
        Ok(to.encrypt_key(suite.transport, &OaepParams::new(suite.oaep, suite.mgf), key)?)
    }

    /// The parts of a message whose Body holds `payload`; and the key of the content.
    pub(crate) fn parts(&self, suite: Suite, payload: &[u8]) -> Result<(Parts, Vec<u8>)> {
        let key = crate::rsa::octets(suite.cipher.key_len());
        let parts = Parts {
            wrapped: self.wrap(suite, self.server()?, &key)?,
            data: seal(suite, &key, payload)?,
            digest: digest(suite.digest, &body(payload)).as_ref().to_vec(),
            recipient: self.server.thumbprint_sha1(),
            bad_signature: false,
        };
        Ok((parts, key))
    }

    /// The envelope, signed.
    pub(crate) fn envelope(&self, suite: Suite, parts: &Parts) -> Result<Vec<u8>> {
        let (soap, wsse, wsu) = (ns::SOAP12.uri(), ns::WSSE.uri(), ns::WSU.uri());
        let (ds, xenc) = (ns::DS.uri(), ns::XENC.uri());
        let info = signed_info(suite, &parts.digest);
        let canonical = info.replacen("<ds:SignedInfo>", &format!("<ds:SignedInfo xmlns:ds=\"{ds}\">"), 1);
        let mut value = self.client.key().sign(suite.signature, canonical.as_bytes())?;
        if parts.bad_signature
            && let Some(last) = value.last_mut()
        {
            *last ^= 1;
        }
        let method = transport_method(suite);
        let (encoding, x509, thumb) = (uri::BASE64_BINARY, uri::X509_V3, uri::THUMBPRINT_SHA1);
        let encode = base64::encode;
        let encrypted_key = format!(
            "<xenc:EncryptedKey xmlns:xenc=\"{xenc}\" Id=\"k\">{method}<ds:KeyInfo xmlns:ds=\"{ds}\"><wsse:SecurityTokenReference>\
             <wsse:KeyIdentifier EncodingType=\"{encoding}\" ValueType=\"{thumb}\">{}</wsse:KeyIdentifier></wsse:SecurityTokenReference></ds:KeyInfo>\
             <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData>\
             <xenc:ReferenceList><xenc:DataReference URI=\"#e\"/></xenc:ReferenceList></xenc:EncryptedKey>",
            encode(&parts.recipient),
            encode(&parts.wrapped),
        );
        let token = format!(
            "<wsse:BinarySecurityToken EncodingType=\"{encoding}\" ValueType=\"{x509}\" wsu:Id=\"t\">{}</wsse:BinarySecurityToken>",
            encode(self.client.leaf().der()),
        );
        let signature = format!(
            "<ds:Signature xmlns:ds=\"{ds}\">{info}<ds:SignatureValue>{}</ds:SignatureValue><ds:KeyInfo><wsse:SecurityTokenReference>\
             <wsse:Reference URI=\"#t\" ValueType=\"{x509}\"/></wsse:SecurityTokenReference></ds:KeyInfo></ds:Signature>",
            encode(&value),
        );
        let data = format!(
            "<xenc:EncryptedData xmlns:xenc=\"{xenc}\" Id=\"e\" Type=\"{}\"><xenc:EncryptionMethod Algorithm=\"{}\"/>\
             <ds:KeyInfo xmlns:ds=\"{ds}\"><wsse:SecurityTokenReference><wsse:Reference URI=\"#k\"/></wsse:SecurityTokenReference></ds:KeyInfo>\
             <xenc:CipherData><xenc:CipherValue>{}</xenc:CipherValue></xenc:CipherData></xenc:EncryptedData>",
            uri::XENC_CONTENT,
            suite.cipher.uri(),
            encode(&parts.data),
        );
        Ok(format!(
            "<soap:Envelope xmlns:soap=\"{soap}\" xmlns:wsse=\"{wsse}\" xmlns:wsu=\"{wsu}\"><soap:Header><wsse:Security soap:mustUnderstand=\"true\">\
             {encrypted_key}{token}{signature}</wsse:Security></soap:Header><soap:Body wsu:Id=\"b\">{data}</soap:Body></soap:Envelope>"
        )
        .into_bytes())
    }
}

/// Content as the suite's cipher seals it.
pub(crate) fn seal(suite: Suite, key: &[u8], plaintext: &[u8]) -> Result<Vec<u8>> {
    Ok(SymmetricKey::new(key.to_vec()).seal(suite.cipher, plaintext, &SystemRandom)?)
}

/// Content under CBC whose last block is the caller's: `blocks` is what comes out of the cipher, padding and all.
pub(crate) fn seal_blocks(suite: Suite, key: &[u8], blocks: &[u8]) -> Result<Vec<u8>> {
    let mut sealed = seal(suite, key, blocks)?;
    // Whole blocks get one more of padding: without that one the rest is what was asked for.
    sealed.truncate(sealed.len().saturating_sub(suite.cipher.block_len()));
    Ok(sealed)
}

/// The Body with this content in its exclusive canonical form.
fn body(payload: &[u8]) -> Vec<u8> {
    let (soap, wsu) = (ns::SOAP12.uri(), ns::WSU.uri());
    let mut out = format!("<soap:Body xmlns:soap=\"{soap}\" xmlns:wsu=\"{wsu}\" wsu:Id=\"b\">").into_bytes();
    out.extend_from_slice(payload);
    out.extend_from_slice(b"</soap:Body>");
    out
}

/// SignedInfo as it stands in the message; its canonical form has one namespace declaration more.
pub(crate) fn signed_info(suite: Suite, digest: &[u8]) -> String {
    let exclusive = uri::EXC_C14N;
    format!(
        "<ds:SignedInfo><ds:CanonicalizationMethod Algorithm=\"{exclusive}\"></ds:CanonicalizationMethod>\
         <ds:SignatureMethod Algorithm=\"{}\"></ds:SignatureMethod><ds:Reference URI=\"#b\"><ds:Transforms>\
         <ds:Transform Algorithm=\"{exclusive}\"></ds:Transform></ds:Transforms><ds:DigestMethod Algorithm=\"{}\"></ds:DigestMethod>\
         <ds:DigestValue>{}</ds:DigestValue></ds:Reference></ds:SignedInfo>",
        suite.signature.uri(),
        suite.digest.uri(),
        base64::encode(digest),
    )
}

/// The EncryptionMethod of an EncryptedKey.
pub(crate) fn transport_method(suite: Suite) -> String {
    let parameters = match suite.transport {
        TransportAlg::RsaOaep => format!(
            "<ds:DigestMethod xmlns:ds=\"{}\" Algorithm=\"{}\"/><xenc11:MGF xmlns:xenc11=\"{}\" Algorithm=\"{}\"/>",
            ns::DS.uri(),
            suite.oaep.uri(),
            ns::XENC11.uri(),
            suite.mgf.uri(),
        ),
        _ => String::new(),
    };
    format!(
        "<xenc:EncryptionMethod Algorithm=\"{}\">{parameters}</xenc:EncryptionMethod>",
        suite.transport.uri()
    )
}
