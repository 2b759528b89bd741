//! Changes to the text of a document by position: nothing is re-serialised, so what a
//! signature covers stays octet for octet.

use bartizan_xml::{Document, Element};

use crate::engine::decrypt::DecryptedPart;

/// The document's text with the plaintext of each part in the place of its EncryptedData.
/// Part number n was the n-th graft, so its plaintext is segment n + 1.
pub(super) fn with_plaintexts(document: &Document, parts: &[DecryptedPart]) -> Vec<u8> {
    let mut out = Vec::new();
    // (segment, from): what is still to be copied, innermost last.
    let mut stack = vec![(0_u32, 0_usize)];
    while let Some((segment, from)) = stack.pop() {
        let text = document.segment_text(segment);
        let next = parts
            .iter()
            .zip(1_u32..)
            .filter_map(|(part, child)| Some((document.element(part.element)?.span(), child)))
            .filter(|(span, _)| span.segment == segment && span.start >= from)
            .min_by_key(|(span, _)| span.start);
        match next {
            Some((span, child)) => {
                out.extend_from_slice(text.get(from..span.start).unwrap_or_default().as_bytes());
                stack.push((segment, span.end));
                stack.push((child, 0));
            }
            None => out.extend_from_slice(text.get(from..).unwrap_or_default().as_bytes()),
        }
    }
    out
}

/// The text with `[start, end)` replaced.
pub(super) fn replaced(text: &str, start: usize, end: usize, with: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + with.len());
    out.extend_from_slice(text.get(..start).unwrap_or_default().as_bytes());
    out.extend_from_slice(with);
    out.extend_from_slice(text.get(end..).unwrap_or_default().as_bytes());
    out
}

/// Where the children of an element end, and what must stand before and after an insertion
/// there: an element written as `<a/>` is opened up.
pub(super) fn insertion(text: &str, element: Element<'_>) -> (usize, usize, &'static str, String) {
    let span = element.span();
    let own = text.get(span.start..span.end).unwrap_or_default();
    if own.ends_with("/>") {
        return (span.end - 2, span.end, ">", format!("</{}>", element.qname()));
    }
    let at = span.start + own.rfind("</").unwrap_or(own.len());
    (at, at, "", String::new())
}

/// The text of a document as it is written out: in UTF-8, so an XML declaration that names the
/// encoding it was read in is corrected.
pub(super) fn as_utf8(text: &str) -> std::borrow::Cow<'_, str> {
    let declared = || {
        let declaration = text.strip_prefix("<?xml")?.split_once("?>")?.0;
        let at = declaration.find("encoding")?;
        let open = at + declaration.get(at..)?.find(['"', '\''])?;
        let quote = declaration.get(open..)?.chars().next()?;
        let len = declaration.get(open + 1..)?.find(quote)?;
        let start = "<?xml".len() + open + 1;
        Some((start, start + len))
    };
    match declared() {
        Some((start, end))
            if !text.get(start..end).is_some_and(|name| name.eq_ignore_ascii_case("UTF-8")) =>
        {
            let mut corrected = text.to_owned();
            corrected.replace_range(start..end, "UTF-8");
            corrected.into()
        }
        _ => text.into(),
    }
}

/// [`as_utf8`] over octets that are text.
pub(super) fn octets_as_utf8(octets: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&octets).map(as_utf8) {
        Ok(std::borrow::Cow::Owned(corrected)) => corrected.into_bytes(),
        _ => octets,
    }
}
