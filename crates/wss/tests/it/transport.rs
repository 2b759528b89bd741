//! Messages that TLS protects: what is shown, who speaks, and that nothing of it holds for a plain connection.

use bartizan_crypto::Secret;
use bartizan_crypto::random::SystemRandom;
use bartizan_soap::{Draft, Version};
use bartizan_wss::env::Transport;
use bartizan_wss::error::Error;
use bartizan_wss::plan::{PasswordForm, TransportRule};
use bartizan_wss::{
    Env, InPlan, Login, MemoryReplay, OutPlan, Plan, PlanPair, Protection, ProvedBy, Reason as R, Reject,
    Side, UsernameBuilder, Verified, Warning,
};

use crate::fixture::{PAYLOAD, certificate, now, read, replace, world};
use crate::username_in::{PASSWORD, users};

fn plans() -> PlanPair {
    UsernameBuilder::new().over_tls(TransportRule::default()).build().unwrap()
}

fn sent(plans: &PlanPair, transport: Transport<'_>) -> Result<String, Error> {
    let login = Login { name: "alice".into(), password: Secret::new(PASSWORD.as_bytes().to_vec()) };
    let env = Env::new(&world().client, now(), &SystemRandom).as_user(&login).over(transport);
    let secured =
        plans.initiator.secure(Draft::new(Version::Soap12).with_body(PAYLOAD.into()), &env, None)?;
    Ok(String::from_utf8(secured.message.into_bytes()).unwrap())
}

fn received(plan: &Plan, message: &str, transport: Transport<'_>) -> Result<Verified, Reject> {
    let (users, replay) = (users(), MemoryReplay::default());
    let env = Env::new(&world().server, now(), &SystemRandom).with_users(&users).with_replay(&replay);
    plan.verify(read(message.as_bytes())?, &env.over(transport))
}

const TLS: Transport<'static> = Transport::Tls { client: None };

#[test]
fn body_is_shown_as_protected_by_the_transport_and_the_user_speaks() {
    let message = sent(&plans(), TLS).unwrap();
    let verified = received(&plans().recipient, &message, TLS).unwrap();
    assert_eq!(verified.body().unwrap().protection(), Protection::Transport);
    assert_eq!(verified.payload().unwrap().local_name(), "greetRequest");
    let caller = verified.caller().unwrap();
    assert_eq!((caller.name(), caller.proved_by()), ("alice", ProvedBy::UsernamePassword));
    assert!(verified.context().parts().iter().all(|p| p.protection == Protection::Transport && !p.signed));
}

#[test]
fn a_plain_connection_is_refused_by_both_sides() {
    for transport in [Transport::Plain, Transport::Local] {
        assert!(matches!(sent(&plans(), transport), Err(Error::PlainTransport)));
        let message = sent(&plans(), TLS).unwrap();
        let reject = received(&plans().recipient, &message, transport).unwrap_err();
        assert_eq!(reject.reason(), R::TransportPlain);
        let reply = plans().recipient.secure(
            Draft::new(Version::Soap12).with_body(PAYLOAD.into()),
            &Env::new(&world().server, now(), &SystemRandom).over(transport),
            None,
        );
        assert!(matches!(reply, Err(Error::PlainTransport)));
    }
}

#[test]
fn a_certificate_that_is_demanded_is_demanded_of_the_connection() {
    let rule = TransportRule { client_certificate: true };
    let plans = UsernameBuilder::new().over_tls(rule).build().unwrap();
    let message = sent(&plans, TLS).unwrap();
    assert_eq!(received(&plans.recipient, &message, TLS).unwrap_err().reason(), R::TransportNoCertificate);
    let client = certificate("client");
    let shown = Transport::Tls { client: Some(&client) };
    assert_eq!(received(&plans.recipient, &message, shown).unwrap().caller().unwrap().name(), "alice");
}

#[test]
fn a_certificate_of_the_connection_speaks_where_no_user_does() {
    let rule = TransportRule { client_certificate: true };
    let inbound = InPlan { transport: Some(rule), open_parts: Vec::new(), open: false, ..InPlan::open() };
    let plan = Plan::new(Side::Recipient, inbound.clone(), OutPlan::plain()).unwrap();
    let client = certificate("client");
    let envelope = format!(
        "<s:Envelope xmlns:s=\"{}\"><s:Body>{PAYLOAD}</s:Body></s:Envelope>",
        Version::Soap12.namespace()
    );
    let verified = received(&plan, &envelope, Transport::Tls { client: Some(&client) }).unwrap();
    assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::ClientCertificate);
    assert_eq!(verified.body().unwrap().protection(), Protection::Transport);
    // Without one nobody is proved, and a plan says that in so many words or not at all.
    let nobody = InPlan { transport: Some(TransportRule::default()), ..inbound };
    assert!(matches!(Plan::new(Side::Recipient, nobody, OutPlan::plain()), Err(Error::PlanNotOpen)));
}

#[test]
fn headers_for_others_are_not_shown_and_a_token_is_still_demanded() {
    let message = sent(&plans(), TLS).unwrap();
    let token = crate::fixture::cut(&message, "<wsse:UsernameToken", "</wsse:UsernameToken>");
    let without = received(&plans().recipient, &replace(&message, token, ""), TLS).unwrap_err();
    assert_eq!(without.reason(), R::UsernameMissing);
    let soap = Version::Soap12.namespace();
    let headers = format!(
        "<soap:Header><a:ours xmlns:a=\"urn:a\">1</a:ours><a:theirs xmlns:a=\"urn:a\" xmlns:s=\"{soap}\" s:role=\"urn:other\">2</a:theirs>"
    );
    let more = replace(&message, "<soap:Header>", &headers);
    let verified = received(&plans().recipient, &more, TLS).unwrap();
    let paths: Vec<&str> = verified.context().parts().iter().map(|p| p.path.as_str()).collect();
    assert!(paths.contains(&"/Envelope/Header/ours"), "{paths:?}");
    assert!(!paths.contains(&"/Envelope/Header/theirs"), "{paths:?}");
}

#[test]
fn a_wse_key_in_clear_is_for_tls() {
    let builder = UsernameBuilder::new().period().sign(crate::username_in::wse());
    let plans = builder.over_tls(TransportRule::default()).build().unwrap();
    let message = sent(&plans, TLS).unwrap();
    let verified = received(&plans.recipient, &message, TLS).unwrap();
    assert_eq!(verified.caller().unwrap().proved_by(), ProvedBy::UsernameSignature);
    assert!(!verified.context().warnings().contains(&Warning::UserNotBound));
    let absent = UsernameBuilder::new().password(PasswordForm::Absent).over_tls(TransportRule::default());
    assert!(absent.build().is_ok(), "said to be open by the builder");
}
