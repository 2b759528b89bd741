//! Before anything is measured: every engine sees the same document, and takes and refuses what the others do.
//!
//! Not here: clocks. Called by `main`.

use bartizan_lab::message::Size;

use crate::documents::Document;
use crate::engine::{Case, Engine, Outcome};

/// Signs and encrypts the documents with our engine: what every engine is then given.
///
/// # Errors
/// If ours cannot.
pub fn complete(own: &dyn Engine, documents: &mut [Document]) -> Outcome<()> {
    for document in documents {
        document.signed = text(own.act(Case::Sign, document)?)?;
        document.sealed = text(own.act(Case::Encrypt, document)?)?;
    }
    Ok(())
}

fn text(octets: Vec<u8>) -> Outcome<String> {
    String::from_utf8(octets).map_err(|error| error.to_string())
}

/// What one engine and ours say of one document, case by case.
///
/// # Errors
/// The first disagreement, in words.
pub fn check(own: &dyn Engine, rival: &dyn Engine, size: Size, document: &Document) -> Outcome<()> {
    for case in Case::ALL.into_iter().filter(|case| rival.offers(*case)) {
        one(own, rival, case, document)
            .map_err(|error| format!("{} {} {}: {error}", rival.name(), case.label(), size.label()))?;
    }
    Ok(())
}

fn one(own: &dyn Engine, rival: &dyn Engine, case: Case, document: &Document) -> Outcome<()> {
    match case {
        Case::Parse => same(&own.act(case, document)?, &rival.act(case, document)?, "elements"),
        Case::Canonical => same(&own.act(case, document)?, &rival.act(case, document)?, "canonical octets"),
        Case::Verify => {
            rival.act(case, document)?;
            for changed in changed(document)? {
                if rival.act(case, &changed).is_ok() {
                    return Err("it takes a document in which one octet was changed".to_owned());
                }
                if own.act(case, &changed).is_ok() {
                    return Err("ours takes a document in which one octet was changed".to_owned());
                }
            }
            Ok(())
        }
        Case::Sign => {
            let signed = Document { signed: text(rival.act(case, document)?)?, ..document.clone() };
            own.act(Case::Verify, &signed)
                .map(drop)
                .map_err(|error| format!("ours refuses its signature: {error}"))?;
            unchanged(own, document, signed.signed)
        }
        Case::Encrypt => {
            let sealed = Document { sealed: text(rival.act(case, document)?)?, ..document.clone() };
            if sealed.sealed.contains("<itm:Line") {
                return Err("the content is still there".to_owned());
            }
            let opened =
                own.act(Case::Decrypt, &sealed).map_err(|error| format!("ours cannot open it: {error}"))?;
            unchanged(own, document, text(opened)?)
        }
        Case::Decrypt => {
            unchanged(own, document, text(rival.act(case, document)?)?)?;
            let broken = Document {
                sealed: flipped(&document.sealed, "</xenc:CipherValue>", true)?,
                ..document.clone()
            };
            match rival.act(case, &broken) {
                Ok(_) => Err("it opens a ciphertext in which one octet was changed".to_owned()),
                Err(_) => Ok(()),
            }
        }
    }
}

fn same(ours: &[u8], theirs: &[u8], what: &str) -> Outcome<()> {
    if ours == theirs {
        return Ok(());
    }
    let at = ours.iter().zip(theirs).take_while(|(a, b)| a == b).count();
    Err(format!("other {what} than ours: {} and {} octets, first at {at}", theirs.len(), ours.len()))
}

/// The Body of a text that an engine made says, in canonical form, what the Body of the document says.
fn unchanged(own: &dyn Engine, document: &Document, made: String) -> Outcome<()> {
    let made = Document { unsigned: made, ..Document::default() };
    same(&own.act(Case::Canonical, document)?, &own.act(Case::Canonical, &made)?, "canonical octets")
}

/// The signed document with one octet changed: in the Body, in the Timestamp, in a digest, in the signature's value.
fn changed(document: &Document) -> Outcome<Vec<Document>> {
    let places = ["</ord:Note>", "</wsu:Expires>", "DigestValue>", "SignatureValue>"];
    let change = |place: &&str| {
        let before = place.starts_with("</");
        Ok(Document { signed: flipped(&document.signed, place, before)?, ..document.clone() })
    };
    places.iter().map(change).collect()
}

/// Changes the octet nine before the last, or three after the first occurrence of `place`, to another letter or digit.
/// Nearer to the end of a base64 text a letter may stand for bits that nobody reads.
fn flipped(text: &str, place: &str, before: bool) -> Outcome<String> {
    let missing = || format!("no {place}");
    let at = if before {
        text.rfind(place).ok_or_else(missing)?.checked_sub(9).ok_or_else(missing)?
    } else {
        text.find(place).ok_or_else(missing)? + place.len() + 3
    };
    let mut octets = text.as_bytes().to_vec();
    let octet = octets.get_mut(at).ok_or_else(missing)?;
    *octet = match *octet {
        b'0'..=b'8' | b'a'..=b'y' | b'A'..=b'Y' => *octet + 1,
        b'9' => b'8',
        _ => b'A',
    };
    self::text(octets)
}
