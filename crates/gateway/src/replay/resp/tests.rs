use super::*;

#[test]
fn command_is_a_list_of_counted_texts() {
    let mut out = Vec::new();
    command(&mut out, &[b"SET", b"a\r\nb", b""]);
    assert_eq!(out, b"*3\r\n$3\r\nSET\r\n$4\r\na\r\nb\r\n$0\r\n\r\n");
}

#[test]
fn each_kind_of_reply_is_read_with_its_length() {
    for (input, wanted) in [
        (&b"+OK\r\n"[..], Reply::Text(b"OK".to_vec())),
        (b":-7\r\n", Reply::Number(-7)),
        (b"$-1\r\n", Reply::Nil),
        (b"*-1\r\n", Reply::Nil),
        (b"*2\r\n", Reply::List(2)),
        (b"$4\r\na\r\nb\r\n", Reply::Text(b"a\r\nb".to_vec())),
        (b"$0\r\n\r\n", Reply::Text(Vec::new())),
        (b"-WRONGPASS invalid\r\n", Reply::Error("WRONGPASS".to_owned())),
    ] {
        let longer = [input, b"+next\r\n"].concat();
        assert_eq!(decode(&longer), Ok(Some((wanted, input.len()))), "{input:?}");
        for cut in 0..input.len() {
            assert_eq!(decode(&input[..cut]), Ok(None), "{input:?} cut at {cut}");
        }
    }
}

#[test]
fn no_octets_whatever_are_read_beyond_their_end() {
    // Octets that replies are made of, in any order, from a generator with a fixed start.
    let letters = b"+-:$*_01239\r\n\r\nOK ";
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut read = 0;
    for _ in 0..20_000 {
        let input: Vec<u8> = (0..24)
            .map(|_| {
                state ^= state << 13;
                state ^= state >> 7;
                state ^= state << 17;
                letters[usize::try_from(state % letters.len() as u64).expect("small")]
            })
            .collect();
        if let Ok(Some((_, length))) = decode(&input) {
            assert!((3..=input.len()).contains(&length), "{input:?}");
            assert!(input[..length].ends_with(b"\r\n"), "{input:?}");
            read += 1;
        }
    }
    assert!(read > 100, "{read} replies among them");
}

#[test]
fn error_does_not_repeat_what_was_sent() {
    let told = decode(b"-ERR unknown command 'AUTH', with args beginning with: 'geheim'\r\n");
    assert_eq!(told, Ok(Some((Reply::Error("ERR".to_owned()), 65))));
}

#[test]
fn what_is_no_reply_or_too_long_a_one_is_malformed() {
    let long_line = [b"+", &[b'a'; LINE][..]].concat();
    for input in [
        &b"HTTP/1.1 400 Bad Request\r\n"[..],
        b"\r\n",
        b"$x\r\n",
        b"$-2\r\n",
        b"*-2\r\n",
        b"$65537\r\n",
        b"$1\r\nab\r\n",
        b":\r\n",
        &long_line,
    ] {
        assert_eq!(decode(input), Err(Malformed), "{input:?}");
    }
}
