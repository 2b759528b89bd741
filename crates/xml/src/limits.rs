//! Ceilings and what is left of them. Every caller makes one [`Budget`] a message and passes it through parsing,
//! signatures and decryption, so that one total holds for all of them (attacks: one cumulative budget).

use crate::error::Error;

// tidy: bag one ceiling a line, as configurations name them
/// Ceilings for one message. There is no unlimited value; the defaults suit SOAP messages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Octets of the message and, together, of every plaintext in it. Default 8 MiB.
    pub message_bytes: usize,
    /// Nested elements. Default 64.
    pub depth: usize,
    /// Child nodes of one element. Default 50,000.
    pub children: usize,
    /// Nodes of the message. Default 200,000.
    pub nodes: usize,
    /// Attributes of one element, declarations not counted. Default 128.
    pub attributes: usize,
    /// Octets of one attribute value as written. Default 64 KiB.
    pub attribute_bytes: usize,
    /// Octets of one name. Default 1 KiB.
    pub name_bytes: usize,
    /// Namespace declarations of one element. Default 64.
    pub namespaces: usize,
    /// Declarations in scope at any element. Default 512.
    pub namespaces_in_scope: usize,
    /// ds:Reference elements. Default 32.
    pub references: usize,
    /// Transforms of one reference. Default 3.
    pub transforms: usize,
    /// Signatures. Default 4.
    pub signatures: usize,
    /// EncryptedData elements. Default 64.
    pub encrypted_data: usize,
    /// EncryptedKey elements. Default 8.
    pub encrypted_keys: usize,
    /// Plaintext within plaintext. Default 2.
    pub decrypt_depth: usize,
    /// Octets digested, as a multiple of the message's. Default 4.
    pub digested_factor: usize,
    /// Private-key operations. Default 4.
    pub private_ops: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            message_bytes: 8 << 20,
            depth: 64,
            children: 50_000,
            nodes: 200_000,
            attributes: 128,
            attribute_bytes: 64 << 10,
            name_bytes: 1 << 10,
            namespaces: 64,
            namespaces_in_scope: 512,
            references: 32,
            transforms: 3,
            signatures: 4,
            encrypted_data: 64,
            encrypted_keys: 8,
            decrypt_depth: 2,
            digested_factor: 4,
            private_ops: 4,
        }
    }
}

impl Limits {
    /// Ceilings for documents of our own side (policies, configuration, the `xml` verbs): large but finite.
    #[must_use]
    pub fn generous() -> Self {
        Self {
            message_bytes: 256 << 20,
            depth: 1_024,
            children: 5_000_000,
            nodes: 20_000_000,
            attributes: 4_096,
            attribute_bytes: 16 << 20,
            namespaces: 4_096,
            namespaces_in_scope: 16_384,
            references: 1_024,
            transforms: 16,
            signatures: 64,
            encrypted_data: 1_024,
            encrypted_keys: 256,
            decrypt_depth: 8,
            digested_factor: 1_024,
            private_ops: 256,
            ..Self::default()
        }
    }
}

/// What a [`Budget`] counts, and what a limit error names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantity {
    /// Octets parsed.
    Bytes,
    /// Nodes.
    Nodes,
    /// Nested elements.
    Depth,
    /// Children of one element.
    Children,
    /// Attributes of one element.
    Attributes,
    /// Octets of one attribute value.
    AttributeBytes,
    /// Octets of one name.
    NameBytes,
    /// Different names in one document (65,000).
    DistinctNames,
    /// Namespace declarations of one element.
    Namespaces,
    /// Namespace declarations in scope.
    NamespacesInScope,
    /// Signatures.
    Signatures,
    /// References of all signatures.
    References,
    /// Transforms of one reference.
    Transforms,
    /// EncryptedData elements.
    EncryptedData,
    /// EncryptedKey elements.
    EncryptedKeys,
    /// Plaintext within plaintext.
    DecryptDepth,
    /// Octets digested.
    DigestedBytes,
    /// Private-key operations.
    PrivateOperations,
}

impl Quantity {
    /// What was exceeded, in words.
    #[must_use]
    pub const fn message(self) -> &'static str {
        match self {
            Self::Bytes => "limit reached: octets of the message",
            Self::Nodes => "limit reached: nodes",
            Self::Depth => "limit reached: nested elements",
            Self::Children => "limit reached: children of one element",
            Self::Attributes => "limit reached: attributes of one element",
            Self::AttributeBytes => "limit reached: octets of an attribute value",
            Self::NameBytes => "limit reached: octets of a name",
            Self::DistinctNames => "limit reached: different names",
            Self::Namespaces => "limit reached: namespace declarations of one element",
            Self::NamespacesInScope => "limit reached: namespace declarations in scope",
            Self::Signatures => "limit reached: signatures",
            Self::References => "limit reached: references",
            Self::Transforms => "limit reached: transforms of a reference",
            Self::EncryptedData => "limit reached: EncryptedData elements",
            Self::EncryptedKeys => "limit reached: EncryptedKey elements",
            Self::DecryptDepth => "limit reached: nested encryption",
            Self::DigestedBytes => "limit reached: octets digested",
            Self::PrivateOperations => "limit reached: private-key operations",
        }
    }
}

/// What is left for one message. Not `Clone`: a message has one.
#[derive(Debug)]
pub struct Budget {
    limits: Limits,
    bytes: u64,
    nodes: u64,
    signatures: u64,
    references: u64,
    encrypted_data: u64,
    encrypted_keys: u64,
    digested: u64,
    private_ops: u64,
}

impl Budget {
    /// A full budget.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let n = |count: usize| count as u64;
        Self {
            limits: *limits,
            bytes: n(limits.message_bytes),
            nodes: n(limits.nodes),
            signatures: n(limits.signatures),
            references: n(limits.references),
            encrypted_data: n(limits.encrypted_data),
            encrypted_keys: n(limits.encrypted_keys),
            // Grows with the octets that are parsed; a floor lets small messages carry several references.
            digested: 64 << 10,
            private_ops: n(limits.private_ops),
        }
    }

    /// A second budget with what is left of this one: for reading the same octets under several rules of which one is
    /// then followed. Whoever forks multiplies the work that a message may cause, so the number of forks must be bounded.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self { ..*self }
    }

    /// The ceilings that it was made from.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Takes `n` of what is left. Octets parsed raise what may be digested by the factor of the limits.
    ///
    /// Per-element quantities ([`Quantity::Depth`], [`Quantity::Attributes`]…) are compared with the limit, not used up.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Limit`] if less than `n` is left; the rest is then gone, so exhaustion is final.
    pub fn spend(&mut self, quantity: Quantity, n: u64) -> Result<(), Error> {
        let limits = self.limits;
        let fixed = |limit: usize| if n <= limit as u64 { Ok(()) } else { Err(Error::limit(quantity, 0)) };
        let left = match quantity {
            Quantity::Bytes => {
                let allowed = n.min(self.bytes).saturating_mul(limits.digested_factor as u64);
                self.digested = self.digested.saturating_add(allowed);
                &mut self.bytes
            }
            Quantity::Nodes => &mut self.nodes,
            Quantity::Signatures => &mut self.signatures,
            Quantity::References => &mut self.references,
            Quantity::EncryptedData => &mut self.encrypted_data,
            Quantity::EncryptedKeys => &mut self.encrypted_keys,
            Quantity::DigestedBytes => &mut self.digested,
            Quantity::PrivateOperations => &mut self.private_ops,
            Quantity::Depth => return fixed(limits.depth),
            Quantity::Children => return fixed(limits.children),
            Quantity::Attributes => return fixed(limits.attributes),
            Quantity::AttributeBytes => return fixed(limits.attribute_bytes),
            Quantity::NameBytes => return fixed(limits.name_bytes),
            Quantity::DistinctNames => return fixed(65_000),
            Quantity::Namespaces => return fixed(limits.namespaces),
            Quantity::NamespacesInScope => return fixed(limits.namespaces_in_scope),
            Quantity::Transforms => return fixed(limits.transforms),
            Quantity::DecryptDepth => return fixed(limits.decrypt_depth),
        };
        match left.checked_sub(n) {
            Some(rest) => {
                *left = rest;
                Ok(())
            }
            None => {
                *left = 0;
                Err(Error::limit(quantity, 0))
            }
        }
    }

    /// Octets that may still be digested: a tap stops there instead of running on.
    #[must_use]
    pub fn digestible(&self) -> u64 {
        self.digested
    }

    pub(crate) fn nodes_left(&self) -> u64 {
        self.nodes
    }
}

#[cfg(test)]
mod tests;
