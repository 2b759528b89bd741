//! Envelopes as they travel: WS-Security header with a Timestamp, namespaced order lines, references in the text, four
//! namespaces and more. No two are alike, so that no cache flatters.

use std::fmt::Write;

const HEAD: &str = concat!(
    r#"<?xml version="1.0" encoding="UTF-8"?>"#,
    "\n",
    r#"<soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/" "#,
    r#"xmlns:ord="urn:example:orders:v1" xmlns:cmn="urn:example:common:v1"><soapenv:Header>"#,
    r#"<wsse:Security xmlns:wsse="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd" "#,
    r#"xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" "#,
    r#"soapenv:mustUnderstand="1">"#,
);
const TAIL: &str = "</ord:Lines></ord:PlaceOrder></soapenv:Body></soapenv:Envelope>";
/// Octets of a line and of the end, at most.
const ROOM: usize = 90;

/// Numbers that look like chance and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % end
    }
}

/// An envelope of about `octets`; another one for every seed.
pub(crate) fn envelope(octets: usize, seed: u64) -> String {
    let mut n = Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let mut out = String::with_capacity(octets + 512);
    out.push_str(HEAD);
    let minute = n.below(50);
    let _ = write!(
        out,
        r#"<wsu:Timestamp wsu:Id="TS-{:08x}"><wsu:Created>2026-11-30T12:{minute:02}:00Z</wsu:Created><wsu:Expires>2026-11-30T12:59:00Z</wsu:Expires></wsu:Timestamp></wsse:Security></soapenv:Header><soapenv:Body xmlns:wsu="http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-utility-1.0.xsd" wsu:Id="id-{:08x}"><ord:PlaceOrder version="1.2"><cmn:Customer id="C-{:06}"><cmn:Name>Smith &amp; Sons</cmn:Name><cmn:City>Köln</cmn:City></cmn:Customer><ord:Lines>"#,
        n.below(1 << 32),
        n.below(1 << 32),
        n.below(1_000_000),
    );
    let mut number = 0;
    while out.len() + ROOM < octets {
        number += 1;
        let _ = write!(
            out,
            r#"<ord:Line number="{number}"><ord:Sku>SKU-{:08}</ord:Sku><cmn:Description>Widget &lt;model {}&gt; &amp; spare parts</cmn:Description><ord:Quantity unit="pcs">{}</ord:Quantity><ord:Price currency="EUR">{}.{:02}</ord:Price></ord:Line>"#,
            n.below(100_000_000),
            n.below(100),
            1 + n.below(99),
            n.below(1_000),
            n.below(100),
        );
    }
    out.push_str(TAIL);
    out
}
