//! Properties: whatever the payload and the plan, what is secured verifies and comes out as it went in.

use bartizan_soap::{Block, Draft, Version};
use bartizan_wss::plan::{HeaderRule, KeyRef, Layout, ProtectionOrder, Targets, TimestampRule, TokenSent};
use bartizan_wss::{AsymmetricBuilder, Part};
use bartizan_xml::Limits;
use proptest::prelude::*;

use crate::fixture::{self, ec_world, secure, verify, world};

/// Well-formed elements with namespaces, attributes, text, comments and CDATA.
fn element() -> impl Strategy<Value = String> {
    let name = "[a-z][a-z0-9]{0,5}";
    let text = prop_oneof!["[ -~]{0,20}", "[\\u{a0}-\\u{2fff}]{0,6}", Just("😀\r\n\t]]>".to_owned())];
    let escape =
        |t: String| t.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('\r', "&#13;");
    let leaf = (name, text).prop_map(move |(n, t)| format!("<{n}>{}</{n}>", escape(t)));
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let attribute = (name, "[ -~]{0,12}").prop_map(|(n, v)| {
            format!(" {n}=\"{}\"", v.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;"))
        });
        let prefix = prop_oneof![Just("p"), Just("wsu"), Just("soap"), Just("ds"), Just("")];
        let uri = prop_oneof![
            Just("urn:a"),
            Just("urn:b"),
            Just("http://www.w3.org/2003/05/soap-envelope"),
            Just(crate::forge::WSU)
        ];
        (name, prefix, uri, proptest::option::of(attribute), proptest::collection::vec(inner, 0..4)).prop_map(
            |(n, p, u, a, children)| {
                let (qname, xmlns) = if p.is_empty() {
                    (n, "xmlns".to_owned())
                } else {
                    (format!("{p}:{n}"), format!("xmlns:{p}"))
                };
                format!(
                    "<{qname} {xmlns}=\"{u}\"{}>{}<!-- c --></{qname}>",
                    a.unwrap_or_default(),
                    children.concat()
                )
            },
        )
    })
}

fn builder() -> impl Strategy<Value = (AsymmetricBuilder, bool)> {
    let suite = prop_oneof![
        Just("Basic256"),
        Just("Basic128Sha256Rsa15"),
        Just("TripleDes"),
        Just("modern-rsa"),
        Just("modern-ec")
    ];
    let order =
        prop_oneof![Just(ProtectionOrder::SignBeforeEncrypt), Just(ProtectionOrder::EncryptBeforeSign)];
    let layout = prop_oneof![
        Just(Layout::Strict),
        Just(Layout::Lax),
        Just(Layout::LaxTimestampFirst),
        Just(Layout::LaxTimestampLast)
    ];
    let reference = prop_oneof![
        Just((TokenSent::X509, KeyRef::Direct)),
        Just((TokenSent::PkiPath, KeyRef::Direct)),
        Just((TokenSent::No, KeyRef::ThumbprintSha1)),
        Just((TokenSent::No, KeyRef::IssuerSerial)),
        Just((TokenSent::No, KeyRef::Embedded)),
    ];
    (suite, order, layout, reference, proptest::bits::u8::ANY).prop_map(
        |(suite, order, layout, (token, form), bits)| {
            let on = |n: u8| bits & (1 << n) != 0;
            let header = HeaderRule { layout, targets: Targets::Whole, ..HeaderRule::default() };
            let mut builder = AsymmetricBuilder::new(bartizan_crypto::suite::by_name(suite).unwrap())
                .sign(Part::Body)
                .order(order)
                .header(header);
            builder = builder.initiator_key(token, form).recipient_key(token, form).understand("urn:h", "h");
            if on(0) {
                builder = builder.encrypt(Part::Body);
            }
            if on(1) {
                builder = builder.timestamp(TimestampRule::default());
            }
            if on(2) {
                builder = builder.confirmation();
            }
            if on(3) {
                builder = builder.sign(Part::header("urn:h", "h"));
            }
            if on(4) {
                builder = builder.sign(Part::header("urn:h", "h")).encrypt(Part::header("urn:h", "h"));
            }
            if on(5) && (on(0) || on(4)) {
                builder = builder.encrypt(Part::Signature);
            }
            if on(6) && form != KeyRef::Embedded {
                builder = builder.protect_tokens();
            }
            (builder, suite == "modern-ec")
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn secured_message_verifies_and_comes_out_as_it_went_in(
        payload in element(), header in element(), (builder, elliptic) in builder(), old in any::<bool>(),
    ) {
        let world = if elliptic { ec_world() } else { world() };
        let version = if old { Version::Soap11 } else { Version::Soap12 };
        let draft = Draft::new(version).with_payload(payload.into_bytes(), &Limits::default()).unwrap();
        let inner = Draft::new(version).with_payload(header.into_bytes(), &Limits::default()).unwrap();
        let mut octets = b"<h:h xmlns:h=\"urn:h\">".to_vec();
        octets.extend_from_slice(inner.content());
        octets.extend_from_slice(b"</h:h>");
        let draft = draft.with_block(Block::new("urn:h", "h", octets));
        let pair = builder.build().unwrap();
        let sent = secure(&pair.initiator, &world.client, draft.clone());
        let text = String::from_utf8_lossy(sent.message.bytes()).into_owned();
        let verified = verify(&pair.recipient, &world.server, sent.message.bytes());
        let verified = verified.unwrap_or_else(|r| panic!("{r}\n{text}"));
        // Comments are in the message and are not shown.
        let shown = String::from_utf8(verified.body().unwrap().content_octets()).unwrap();
        let expected = String::from_utf8(draft.content().to_vec()).unwrap().replace("<!-- c -->", "");
        prop_assert_eq!(shown, expected);
        let env = bartizan_wss::Env::new(&world.server, fixture::now(), &bartizan_crypto::random::SystemRandom);
        let reply = pair.recipient.secure(draft, &env, Some(verified.request_facts())).unwrap();
        let back = fixture::verify_reply(&pair.initiator, &world.client, reply.message.bytes(), &sent.sent);
        prop_assert!(back.is_ok(), "{}\n{}", back.unwrap_err(), String::from_utf8_lossy(reply.message.bytes()));
    }
}
