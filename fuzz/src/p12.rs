//! PKCS#12, and with it PKCS#8 and the DER and BER readers. The code over a store is optional, and the inputs have none.

use crate::stores::{burns, read};

const PASSWORD: &str = "secret";

const DATA: [u8; 11] = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1];

fn tlv(tag: u8, parts: &[&[u8]]) -> Vec<u8> {
    let inside = parts.concat();
    let mut out = vec![tag];
    match u8::try_from(inside.len()) {
        Ok(short @ ..0x80) => out.push(short),
        _ => {
            out.push(0x83);
            let length = u32::try_from(inside.len()).expect("a small input").to_be_bytes();
            // INVARIANT: libFuzzer's inputs are far below 16 MiB. DER wants the shortest form.
            let length: Vec<u8> = length.into_iter().skip_while(|octet| *octet == 0).collect();
            *out.last_mut().expect("just pushed") = 0x80 | u8::try_from(length.len()).expect("at most four");
            out.extend(length);
        }
    }
    out.extend(inside);
    out
}

/// ContentInfo of type data.
fn data(contents: &[u8]) -> Vec<u8> {
    tlv(0x30, &[&DATA, &tlv(0xa0, &[&tlv(4, &[contents])])])
}

fn store(safes: &[u8]) -> Vec<u8> {
    tlv(0x30, &[&[2, 1, 3], &data(safes)])
}

/// One input: a store, a list of safes, or a list of bags.
pub fn run(input: &[u8]) {
    if burns(input) {
        return;
    }
    let whole = read(input, PASSWORD);
    if let Ok(entries) = &whole {
        assert!(entries.len() <= input.len());
    }
    let _ = read(&store(input), PASSWORD);
    let _ = read(&store(&tlv(0x30, &[&data(&tlv(0x30, &[input]))])), PASSWORD);
}
