#[test]
fn mask_is_full_for_zero_only() {
    for octet in 0..=255 {
        assert_eq!(super::mask_if_zero(octet), if octet == 0 { 0xff } else { 0 });
    }
}
