//! A few ways of abusing a captured request. Each must be refused.

use std::sync::mpsc::Receiver;
use std::time::Duration;

use bartizan_soap::Draft;

use super::record;
use crate::client::{self, Client, Request};
use crate::output::Failure;

/// One way.
pub(super) struct Attack {
    /// What is done, in words.
    what: &'static str,
    /// Whether a fresh request is abused, or the one that was served.
    fresh: bool,
    /// Makes the abused message; `None` if the request has not the shape for it.
    forge: fn(&str) -> Option<String>,
}

/// What came of it.
pub(super) struct Attempt {
    pub(super) what: &'static str,
    pub(super) refused: bool,
    pub(super) status: u16,
    /// What the caller gets to know.
    pub(super) fault: String,
    /// What the server's own record says.
    pub(super) reason: String,
    pub(super) time: Duration,
}

/// The ways.
pub(super) const ALL: &[Attack] = &[
    Attack { what: "the same request once more", fresh: false, forge: |request| Some(request.to_owned()) },
    Attack {
        what: "the signed Body moved into a header, a forged one in its place",
        fresh: true,
        forge: wrap,
    },
    Attack { what: "one letter of the ciphertext changed", fresh: true, forge: flip },
    Attack { what: "the signature taken out", fresh: true, forge: strip },
];

impl Attack {
    /// Sends the abused message and looks at both ends.
    pub(super) async fn attempt(
        &self,
        client: &Client<'_>,
        url: &http::Uri,
        draft: &Draft,
        served: &Request,
        records: &Receiver<String>,
    ) -> Result<Attempt, Failure> {
        let fresh = if self.fresh { Some(client.secure(draft.clone()).map_err(Failure::no)?) } else { None };
        let request = fresh.as_ref().unwrap_or(served);
        let text = String::from_utf8_lossy(&request.bytes);
        let forged = (self.forge)(&text).ok_or_else(|| {
            Failure::could_not(format_args!("this request cannot be abused: {}", self.what))
        })?;
        let abused = Request { bytes: forged.into_bytes(), ..request.clone() };
        let reply = client.send(url, &abused).await?;
        let record = record(records)?;
        let fault = client::unverified_fault(&reply).map(|(fault, _)| fault.reason().to_owned());
        Ok(Attempt {
            what: self.what,
            refused: reply.status >= 400 && record["outcome"] == "refused",
            status: reply.status,
            fault: fault.unwrap_or_default(),
            reason: record["reason"].as_str().unwrap_or("none").to_owned(),
            time: reply.time,
        })
    }
}

/// Where the Body element begins and ends, and the prefix it is written with.
fn body(request: &str) -> Option<(usize, usize, &str)> {
    let at = request.find(":Body")?;
    let start = request.get(..at)?.rfind('<')?;
    let prefix = request.get(start + 1..at)?;
    let close = format!("</{prefix}:Body>");
    let end = request.rfind(&close)? + close.len();
    Some((start, end, prefix))
}

/// Signature wrapping: what was signed is still there, under its Id, where nobody looks.
fn wrap(request: &str) -> Option<String> {
    let (start, end, prefix) = body(request)?;
    let signed = request.get(start..end)?;
    let header_end = format!("</{prefix}:Header>");
    let at = request.find(&header_end)?;
    let (before, rest) = (request.get(..at)?, request.get(at..start)?);
    let after = request.get(end..)?;
    Some(format!(
        "{before}<w:Wrapper xmlns:w=\"urn:wrapper\">{signed}</w:Wrapper>{rest}\
         <{prefix}:Body><transfer xmlns=\"urn:bank\"><to>mallory</to></transfer></{prefix}:Body>{after}"
    ))
}

/// Another letter in the middle of the last CipherValue, that of the Body.
fn flip(request: &str) -> Option<String> {
    let end = request.rfind("CipherValue>")?;
    let start = request.get(..end)?.rfind("CipherValue>")? + "CipherValue>".len();
    let at = start + (end - start) / 2;
    let old = request.get(at..=at)?;
    let new = if old == "A" { "B" } else { "A" };
    Some(format!("{}{new}{}", request.get(..at)?, request.get(at + 1..)?))
}

/// Without the Signature element.
fn strip(request: &str) -> Option<String> {
    let at = request.find(":Signature ").or_else(|| request.find(":Signature>"))?;
    let start = request.get(..at)?.rfind('<')?;
    let prefix = request.get(start + 1..at)?;
    let close = format!("</{prefix}:Signature>");
    let end = request.find(&close)? + close.len();
    Some(format!("{}{}", request.get(..start)?, request.get(end..)?))
}

#[cfg(test)]
mod tests;
