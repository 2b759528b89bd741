use super::*;

const KNOWN: [(&str, &str); 7] = [
    ("", ""),
    ("f", "Zg=="),
    ("fo", "Zm8="),
    ("foo", "Zm9v"),
    ("foob", "Zm9vYg=="),
    ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
];

#[test]
fn rfc_4648_vectors_hold_both_ways() {
    for (octets, text) in KNOWN {
        assert_eq!(encode(octets.as_bytes()), text);
        assert_eq!(decode(text), Ok(octets.as_bytes().to_vec()));
        assert_eq!(encoded_len(octets.len()), text.len());
    }
}

#[test]
fn every_length_and_octet_survives_a_round_trip() {
    let octets: Vec<u8> = (0..=255).chain((0..=255).rev()).collect();
    for len in 0..octets.len() {
        let part = &octets[..len];
        assert_eq!(decode(&encode(part)).as_deref(), Ok(part));
    }
}

#[test]
fn xml_white_space_may_stand_anywhere() {
    for space in [" ", "\t", "\r", "\n", "\r\n \t"] {
        for (octets, text) in KNOWN {
            for at in 0..=text.len() {
                let (before, after) = text.split_at(at);
                let spaced = format!("{before}{space}{after}");
                assert_eq!(decode(&spaced), Ok(octets.as_bytes().to_vec()), "{spaced:?}");
            }
        }
    }
}

#[test]
fn anything_else_is_refused() {
    for text in [
        "Z",
        "Zg",
        "Zg=",
        "Zg===",
        "Zg==Zg==",
        "Zg==Z",
        "=",
        "==",
        "====",
        "Z===",
        "Zm8==",
        "Zm9v=",
        "Zm=v",
        "Zg=g",
        "Zh==",
        "Zm9=",
        "Zm9v-",
        "Zm9_",
        "Zm\u{a0}9v",
        "Zm9v\0",
        "Zm9\u{b}v",
        "Zm9\u{c}v",
        "Zm9v\u{feff}",
        "é",
    ] {
        assert_eq!(decode(text), Err(Error::MalformedBase64), "{text:?}");
    }
}

#[test]
fn every_foreign_character_is_refused_at_every_place() {
    for octet in (0..=255_u8).filter(|octet| !octet.is_ascii_alphanumeric() && !b"+/= \t\r\n".contains(octet))
    {
        for at in 0..=8 {
            let mut text = b"Zm9vYmFy".to_vec();
            text.insert(at, octet);
            assert!(decode_bytes(&text).is_err(), "{octet} at {at}");
        }
    }
}

#[test]
fn pieces_give_the_same_as_the_whole() {
    let text = "Zm9v\nYmFyZm 9vYmE=\n";
    for first in 0..=text.len() {
        for second in first..=text.len() {
            let mut out = Vec::new();
            let mut decoder = Decoder::new();
            for piece in [&text[..first], &text[first..second], &text[second..]] {
                decoder.update(piece.as_bytes(), &mut out).unwrap();
            }
            decoder.finish().unwrap();
            assert_eq!(out, b"foobarfooba");
        }
    }
}

#[test]
fn every_wrong_octet_is_refused_at_every_place_of_a_long_text() {
    let octets: Vec<u8> = (0..=255).collect();
    let text = encode(&octets[..150]).into_bytes();
    assert!(text.len() > 96 && !text.contains(&b'='));
    for at in 0..text.len() {
        for wrong in 0..=255_u8 {
            let mut changed = text.clone();
            changed[at] = wrong;
            let symbol = ALPHABET.contains(&wrong);
            let space = b" \t\r\n".contains(&wrong);
            match decode_bytes(&changed) {
                Ok(found) => {
                    assert!(symbol, "{at} {wrong}");
                    assert_eq!(encode(&found).as_bytes(), changed);
                }
                Err(_) => assert!(!symbol || space, "{at} {wrong}"),
            }
        }
    }
}

#[test]
fn text_in_lines_of_any_length_decodes_like_one_line() {
    let octets: Vec<u8> = (0..1000_u32).map(|n| (n * 7 + n / 256) as u8).collect();
    let text = encode(&octets);
    for width in 1..200 {
        let lines: Vec<&str> =
            text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
        assert_eq!(decode(&lines.join("\r\n")).as_deref(), Ok(octets.as_slice()), "{width}");
    }
}
