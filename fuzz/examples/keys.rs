//! Makes the throwaway keys in `keys/` anew: every corpus file that means a message then means another one.

use std::path::Path;

use bartizan_crypto::random::SystemRandom;
use bartizan_keys::Time;
use bartizan_keys::pki::{DemoOptions, DemoPki};

fn main() {
    let now = Time::parse_rfc3339("2026-12-01T00:00:00Z").expect("a time");
    let pki =
        DemoPki::generate(&DemoOptions { rsa_bits: 1024, now, jks: false }, &SystemRandom).expect("keys");
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("keys");
    for file in &pki.files {
        let (name, kind) = file.name.rsplit_once('.').unwrap_or((&file.name, ""));
        let wanted = matches!(name, "client" | "client-ec" | "server" | "server-ec") && kind != "p12";
        if wanted || file.name == "ca.pem" {
            file.contents.expose(|octets| std::fs::write(folder.join(&file.name), octets)).expect("written");
        }
    }
}
