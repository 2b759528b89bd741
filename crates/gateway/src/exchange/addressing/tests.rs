use bartizan_crypto::random::Random;

use super::message_id;

struct Ones;

impl Random for Ones {
    fn fill(&self, octets: &mut [u8]) {
        octets.fill(0xff);
    }
}

#[test]
fn message_id_is_a_version_4_uuid() {
    assert_eq!(message_id(&Ones), "urn:uuid:ffffffff-ffff-4fff-bfff-ffffffffffff");
}
