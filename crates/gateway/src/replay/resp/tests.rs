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
