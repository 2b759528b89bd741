//! What the targets for key stores share: reading and looking, and a guard against inputs that only burn time.

use bartizan_keys::Error;
use bartizan_keys::store::{Entry, Password, read_any};

/// Whether the octets hold what reads as an iteration count that takes long: those are bounded by a limit that has a
/// test of its own, and would cost the fuzzer thousands of inputs each.
pub(crate) fn burns(octets: &[u8]) -> bool {
    octets.windows(5).any(|w| match w {
        [2, 2, high, ..] => (0x10..0x80).contains(high),
        [2, 3, high, ..] => *high < 0x80,
        [2, 4, high, ..] => *high < 0x80,
        _ => false,
    })
}

/// Reads a store and looks at everything in it.
pub(crate) fn read(octets: &[u8], password: &str) -> Result<Vec<Entry>, Error> {
    let password = Password::new(password);
    let entries = read_any(octets, Some(&password));
    match &entries {
        Ok(entries) => entries.iter().for_each(look),
        Err(error) => drop(format!("{error} {error:?}")),
    }
    entries
}

fn look(entry: &Entry) {
    let _ = format!("{entry:?}");
    if let Some(key) = &entry.key {
        // A key that was read is whole: it signs and its public half fits.
        let again = key.to_pkcs8().expect("a key can be written");
        let read = again.expose(|octets| read_any(octets, None)).expect("and read again");
        let read = read.first().and_then(|entry| entry.key.as_ref()).expect("it is one");
        assert_eq!(read.public(), key.public());
    }
    for certificate in &entry.chain {
        let _ = (certificate.subject_display(), certificate.issuer_display(), certificate.serial_decimal());
        let _ = (certificate.not_before(), certificate.not_after(), certificate.public_key().is_ok());
        let again = bartizan_keys::Certificate::from_der(certificate.der()).expect("it was read before");
        assert_eq!(again.thumbprint_sha1(), certificate.thumbprint_sha1());
    }
}
