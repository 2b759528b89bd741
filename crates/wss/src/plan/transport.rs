//! What a plan demands of the connection that a message came over. The facts are in `Env`.

/// What the transport must prove (TransportBinding, WS-SecurityPolicy 1.2 §7.3). Then Body and header blocks are protected by it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TransportRule {
    /// Who the client is, by a certificate of its own.
    pub client_certificate: bool,
}
