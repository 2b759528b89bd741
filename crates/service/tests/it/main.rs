//! Hosts and their operations over messages that were verified under an open plan.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::sync::Arc;

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::{Keystore, Time};
use bartizan_service::{Answer, Answers, Echo, Error, Host, Mirror, Need, Operation};
use bartizan_soap::{Draft, Fault, FaultCode, Version};
use bartizan_wss::{Env, Plan, Side, Untrusted, Verified};
use bartizan_xml::Limits;

/// A message with this Body, verified under a plan that demands nothing.
fn open(version: Version, header: &str, body: &str) -> Verified {
    let ns = version.namespace();
    let text = format!(
        "<s:Envelope xmlns:s=\"{ns}\"><s:Header>{header}</s:Header><s:Body>{body}</s:Body></s:Envelope>"
    );
    let keys = Keystore::builder().build().expect("keys");
    let env = Env::new(&keys, Time::from_unix(1_800_000_000), &SystemRandom);
    let message = Untrusted::read(text.into_bytes(), None, &Limits::default()).expect("an envelope");
    Plan::open(Side::Recipient).verify(message, &env).expect("open")
}

/// Answers one element with its own name.
struct Named(&'static str);

impl Operation for Named {
    fn name(&self) -> &str {
        self.0
    }

    fn answers(&self) -> Answers<'_> {
        Answers::Element { namespace: "urn:x", local: self.0 }
    }

    fn needs(&self) -> Need {
        Need::Nothing
    }

    fn call(&self, request: Verified) -> Answer {
        let body = format!("<done>{}</done>", self.0).into_bytes();
        Box::pin(std::future::ready(Ok(Draft::new(request.version()).with_body(body))))
    }
}

fn serve(host: &Host, request: Verified) -> Result<Draft, Box<Fault>> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(host.serve(request)).map_err(Box::new)
}

#[test]
fn operation_is_chosen_by_namespace_and_name_of_the_body() {
    let host = Host::new(vec![Arc::new(Named("a")), Arc::new(Named("b"))]);
    let answer =
        |body: &str| serve(&host, open(Version::Soap12, "", body)).map(|draft| draft.content().to_vec());
    assert_eq!(answer("<a xmlns=\"urn:x\"/>").expect("answered"), b"<done>a</done>");
    assert_eq!(answer("<p:b xmlns:p=\"urn:x\"/>").expect("answered"), b"<done>b</done>");
    for other in ["<a/>", "<a xmlns=\"urn:y\"/>", "<c xmlns=\"urn:x\"/>"] {
        assert_eq!(answer(other).expect_err("refused").reason(), Error::NoOperation.to_string(), "{other}");
    }
}

#[test]
fn empty_body_and_two_elements_are_sender_faults() {
    let host = Host::of(Echo::new(Need::Nothing));
    for body in ["", "text", "<a/><b/>"] {
        let fault = serve(&host, open(Version::Soap11, "", body)).expect_err("refused");
        assert_eq!(
            (fault.code(), fault.reason()),
            (FaultCode::Sender, "The Body must hold exactly one element.")
        );
    }
}

#[test]
fn operation_that_needs_proof_is_not_called_with_an_open_body() {
    let host = Host::of(Echo::default());
    assert_eq!(host.choose(&open(Version::Soap12, "", "<a/>")).err(), Some(Error::Unproved));
    let host = Host::of(Echo::new(Need::Nothing));
    assert!(host.choose(&open(Version::Soap12, "", "<a/>")).is_ok());
}

#[test]
fn echo_answers_the_element_in_the_version_of_the_request() {
    for version in [Version::Soap11, Version::Soap12] {
        let request = open(version, "", "<p:a xmlns:p=\"urn:p\" z='1' b='2'>x<!-- c --><c/></p:a>");
        let draft = serve(&Host::of(Echo::new(Need::Nothing)), request).expect("answered");
        assert_eq!(draft.version(), version);
        assert_eq!(draft.content(), b"<p:a xmlns:p=\"urn:p\" b=\"2\" z=\"1\">x<c></c></p:a>");
    }
}

#[test]
fn mirror_shows_no_header_that_nothing_covers() {
    let request = open(Version::Soap12, "<h xmlns=\"urn:h\">secret</h>", "<a/>");
    let draft = serve(&Host::of(Mirror::default()), request).expect("answered");
    assert_eq!(draft.content(), b"<a></a>");
    assert_eq!(draft.blocks(), []);
}

#[test]
fn host_is_a_tower_service() {
    use tower_service::Service as _;
    let mut host = Host::of(Named("a"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let answer = runtime.block_on(async {
        std::future::poll_fn(|context| host.poll_ready(context)).await.expect("ready");
        host.call(open(Version::Soap12, "", "<a xmlns=\"urn:x\"/>")).await
    });
    assert_eq!(answer.expect("answered").content(), b"<done>a</done>");
}
