use super::*;

#[test]
fn written_values_read_back_at_every_length_form() {
    for len in [0, 1, 127, 128, 255, 256, 65_535, 65_536, 1_000_000] {
        let content = vec![7; len];
        let der = write(OCTET_STRING, &[&content]);
        let mut reader = Reader::new(&der);
        assert_eq!(reader.take(OCTET_STRING), Some(content.as_slice()), "{len}");
        assert!(reader.end().is_some());
    }
}

#[test]
fn lengths_that_are_not_minimal_or_not_definite_are_refused() {
    for der in [
        &[0x04, 0x81, 0x01, 0x00][..],
        &[0x04, 0x82, 0x00, 0x80],
        &[0x04, 0x80, 0x00, 0x00],
        &[0x04, 0x84, 0, 0, 0, 0],
        &[0x04, 0x02, 0x00],
        &[0x04],
        &[],
    ] {
        assert_eq!(Reader::new(der).take(OCTET_STRING), None, "{der:?}");
    }
}

#[test]
fn integers_are_minimal_and_not_negative() {
    let read = |content: &[u8]| {
        let der = write(INTEGER, &[content]);
        Reader::new(&der).unsigned().map(<[u8]>::to_vec)
    };
    assert_eq!(read(&[0]), Some(vec![0]));
    assert_eq!(read(&[0x7f]), Some(vec![0x7f]));
    assert_eq!(read(&[0, 0x80]), Some(vec![0x80]));
    assert_eq!(read(&[0, 0x7f]), None);
    assert_eq!(read(&[0x80]), None);
    assert_eq!(read(&[]), None);
    for value in [&[0x80_u8, 1][..], &[0x7f], &[1, 0, 1]] {
        assert_eq!(Reader::new(&write_unsigned(value)).unsigned(), Some(value));
    }
}
