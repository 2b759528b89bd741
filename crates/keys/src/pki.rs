//! The demo PKI: an authority and the identities that examples, tests and the first run use.
//!
//! For `server`, `client`, `client2`, `expired` and `revoked` there is an RSA key and, as `NAME-ec`, a
//! P-256 twin, all certified by one RSA authority. Everything is valid for ten years (`expired` ended
//! yesterday), and so is the authority's revocation list, which names the two revoked ones. Nothing is
//! written here: the result is a list of files, and [`KeyFolder::create`](crate::KeyFolder::create)
//! puts them into a folder.

mod x509;

use std::time::Duration;

use bartizan_crypto::random::Random;
use bartizan_crypto::{Curve, PrivateKey, Secret, base64};
use zeroize::Zeroizing;

use self::x509::{Authority, Leaf};
use crate::cert::Certificate;
use crate::error::Error;
use crate::store::{Password, write};
use crate::time::Time;

const DAY: Duration = Duration::from_secs(86_400);
/// Ten years of 365.25 days, rounded down to days.
const LIFE: u32 = 3652;
/// The authority is older than the expired certificates, so that these were valid once.
const PAST: u32 = 730;
/// RSA keys of the authority are not smaller than this, whatever the period's peers want for messages.
const MIN_AUTHORITY: u32 = 2048;

/// The identities that are made, without their twins.
pub const NAMES: [&str; 5] = ["server", "client", "client2", "expired", "revoked"];

/// What to make.
#[derive(Clone, Copy, Debug)]
pub struct DemoOptions {
    /// Bits of the RSA keys: 2048, or 1024 for the period. The authority has 2048 at least.
    pub rsa_bits: u32,
    /// The present.
    pub now: Time,
    /// Whether to make `server.jks` and `client.jks` too.
    pub jks: bool,
}

/// Who may read a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// Everybody: certificates and revocation lists (0644).
    Public,
    /// The owner: keys, stores and the password (0600).
    Private,
}

/// One file of the folder.
#[derive(Debug)]
pub struct DemoFile {
    /// Name within the folder.
    pub name: String,
    /// Contents, erased when dropped.
    pub contents: Secret,
    /// Who may read it.
    pub mode: Mode,
}

/// A demo PKI in memory.
#[derive(Debug)]
pub struct DemoPki {
    /// All files of the folder, in the order in which they should be written.
    pub files: Vec<DemoFile>,
}

/// One identity as it is made.
struct Made {
    name: String,
    key: Secret,
    certificate: Certificate,
}

impl DemoPki {
    /// Makes keys and certificates. Six RSA keys and five EC keys are generated, by the generator of the
    /// cryptographic library; `random` gives serial numbers, salts and the password.
    ///
    /// # Errors
    /// [`Error::Key`] if a key cannot be made with this size.
    pub fn generate(options: &DemoOptions, random: &dyn Random) -> Result<DemoPki, Error> {
        let now = Time::from_unix(options.now.unix());
        let (begin, end) = (now - DAY * PAST, now + DAY * LIFE);
        let authority_key = PrivateKey::generate_rsa(options.rsa_bits.max(MIN_AUTHORITY))?;
        let authority = Authority::new(authority_key, "Demo CA", begin, end, random)?;

        let mut made = Vec::new();
        for name in NAMES {
            for twin in [false, true] {
                let (name, key) = if twin {
                    (format!("{name}-ec"), PrivateKey::generate_ec(Curve::P256)?)
                } else {
                    (name.to_owned(), PrivateKey::generate_rsa(options.rsa_bits)?)
                };
                // A day's grace for clocks that are behind.
                let (from, until) =
                    if name.starts_with("expired") { (begin, now - DAY) } else { (now - DAY, end) };
                let leaf = Leaf { common_name: &name, key: key.public(), from, until };
                let certificate = authority.certify(&leaf, random)?;
                made.push(Made { key: key.to_pkcs8()?, name, certificate });
            }
        }
        let revoked = made.iter().filter(|one| one.name.starts_with("revoked")).map(|one| &one.certificate);
        let crl = authority.revoke(revoked, now, end)?;

        let mut pki = DemoPki { files: Vec::new() };
        pki.add("ca.pem", Mode::Public, pem("CERTIFICATE", authority.certificate().der()));
        pki.add("ca.key", Mode::Private, authority.key().to_pkcs8()?.expose(|key| pem("PRIVATE KEY", key)));
        pki.add("ca.crl", Mode::Public, pem("X509 CRL", &crl));
        pki.add_identities(&made, authority.certificate(), options, random)?;
        Ok(pki)
    }

    fn add(&mut self, name: impl Into<String>, mode: Mode, contents: Vec<u8>) {
        self.files.push(DemoFile { name: name.into(), contents: Secret::new(contents), mode });
    }

    fn add_identities(
        &mut self,
        made: &[Made],
        authority: &Certificate,
        options: &DemoOptions,
        random: &dyn Random,
    ) -> Result<(), Error> {
        let text = password(random);
        let password = Password::new(text.as_str());
        self.add("password", Mode::Private, format!("{}\n", text.as_str()).into_bytes());
        for Made { name, key, certificate } in made {
            self.add(format!("{name}.pem"), Mode::Public, pem("CERTIFICATE", certificate.der()));
            self.add(format!("{name}.key"), Mode::Private, key.expose(|key| pem("PRIVATE KEY", key)));
            let chain = [certificate.clone(), authority.clone()];
            let contents = write::Contents { alias: name, key, chain: &chain, trusted: &[] };
            self.add(format!("{name}.p12"), Mode::Private, write::pkcs12(&contents, &password, random)?);
        }
        if options.jks {
            for (own, peer) in [("server", "client"), ("client", "server")] {
                let find = |name: &str| made.iter().find(|one| one.name == name).ok_or(Error::NoCertificate);
                let (own, peer) = (find(own)?, find(peer)?);
                let chain = [own.certificate.clone(), authority.clone()];
                let trusted = [("ca", authority.clone()), (peer.name.as_str(), peer.certificate.clone())];
                let contents =
                    write::Contents { alias: &own.name, key: &own.key, chain: &chain, trusted: &trusted };
                let store = write::jks(&contents, &password, options.now, random)?;
                self.add(format!("{}.jks", own.name), Mode::Private, store);
            }
        }
        Ok(())
    }
}

/// Twenty characters of a hundred bits together, none of which needs quoting anywhere.
fn password(random: &dyn Random) -> Zeroizing<String> {
    const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";
    let mut octets = Zeroizing::new([0; 20]);
    random.fill(octets.as_mut());
    let letter = |octet: &u8| LETTERS.get(usize::from(octet % 32)).copied().map_or('a', char::from);
    Zeroizing::new(octets.iter().map(letter).collect())
}

fn pem(label: &str, der: &[u8]) -> Vec<u8> {
    let encoded = Zeroizing::new(base64::encode(der));
    let mut out = Vec::with_capacity(encoded.len() + encoded.len() / 64 + 64);
    out.extend_from_slice(format!("-----BEGIN {label}-----\n").as_bytes());
    for line in encoded.as_bytes().chunks(64) {
        out.extend_from_slice(line);
        out.push(b'\n');
    }
    out.extend_from_slice(format!("-----END {label}-----\n").as_bytes());
    out
}
