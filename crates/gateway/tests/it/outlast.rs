//! Services that share a memory and let messages live for different times.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bartizan_crypto::random::SystemRandom;
use bartizan_gateway::build::{self, Surroundings, Watch};
use bartizan_gateway::config::read;
use bartizan_gateway::junction::{Hosted, Serving};
use bartizan_keys::KeyFolder;
use bartizan_keys::Time;
use bartizan_keys::pki::{DemoOptions, DemoPki};
use bartizan_wss::replay::{Claim, Remember};

use super::{key, nobody};

struct Nothing;

impl Hosted for Nothing {
    fn serve(&self, _: bartizan_wss::Verified) -> Serving<'_> {
        Box::pin(async { panic!("nobody asks") })
    }
}

#[test]
fn attack_tok_03_what_the_short_policy_took_the_long_one_refuses_for_its_own_time() {
    let now = Time::parse_rfc3339("2026-12-01T12:00:00Z").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pki = DemoPki::generate(&DemoOptions { rsa_bits: 2048, now, jks: false }, &SystemRandom).unwrap();
    let keys = folder.path().join("keys");
    KeyFolder::create(&keys, &pki).unwrap();
    let policy = |name: &str, ttl: &str| {
        format!(
            "[policy.{name}]\nsign = [\"body\", \"timestamp\"]\ntimestamp = {{ ttl = \"{ttl}\", skew = \"1ms\" }}\n\
             [[service]]\npath = \"/{name}\"\nkind = \"echo\"\npolicy = \"{name}\"\nkeys = \"own\"\n"
        )
    };
    let text = format!(
        "[keys.own]\nfolder = \"{}\"\n{}{}",
        keys.display(),
        policy("short", "2s"),
        policy("long", "1h")
    );
    let config = read::read(&text, Path::new("")).unwrap();
    let watch = Watch { journal: None, before: None, now, random: &SystemRandom, tell: nobody() };
    let replay = build::guards(&config, &watch).unwrap();
    let around = Surroundings {
        text: (&text, Path::new("b.toml")),
        now,
        random: &SystemRandom,
        ask: &|_| None,
        mount: &|_, _| Arc::new(Nothing),
        replay,
    };
    let (table, _) = build::build(&config, &around).unwrap();
    let memory = |path: &str| table.find(path).unwrap().replay.clone().unwrap();
    let message = key("message", 1);
    let after = |seconds| now + Duration::from_secs(seconds);
    assert_eq!(memory("/short").claim(&message, Remember::Until(after(2)), now), Claim::Fresh);
    for seconds in [0, 3, 601, 3600] {
        let until = Remember::Until(after(3600));
        assert_eq!(memory("/long").claim(&message, until, after(seconds)), Claim::Repeat, "{seconds}");
    }
}
