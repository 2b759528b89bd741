//! Where an assertion may stand: a set of places, as the content models of the specification give them.

/// A set of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place(u32);

impl Place {
    /// Nowhere but as a fragment.
    pub const NOWHERE: Self = Self(0);
    /// In an alternative of a whole policy.
    pub const TOP: Self = Self(1);
    /// In AsymmetricBinding.
    pub const ASYMMETRIC: Self = Self(1 << 1);
    /// In SymmetricBinding.
    pub const SYMMETRIC: Self = Self(1 << 2);
    /// In TransportBinding.
    pub const TRANSPORT: Self = Self(1 << 3);
    /// In InitiatorToken and the like: a token.
    pub const HOLDER: Self = Self(1 << 4);
    /// In a kind of SupportingTokens.
    pub const SUPPORTING: Self = Self(1 << 5);
    /// In UsernameToken.
    pub const USERNAME: Self = Self(1 << 6);
    /// In IssuedToken.
    pub const ISSUED: Self = Self(1 << 7);
    /// In X509Token.
    pub const X509: Self = Self(1 << 8);
    /// In KerberosToken.
    pub const KERBEROS: Self = Self(1 << 9);
    /// In SpnegoContextToken.
    pub const SPNEGO: Self = Self(1 << 10);
    /// In SecurityContextToken.
    pub const CONTEXT: Self = Self(1 << 11);
    /// In SecureConversationToken.
    pub const CONVERSATION: Self = Self(1 << 12);
    /// In SamlToken.
    pub const SAML: Self = Self(1 << 13);
    /// In RelToken.
    pub const REL: Self = Self(1 << 14);
    /// In HttpsToken.
    pub const HTTPS: Self = Self(1 << 15);
    /// In KeyValueToken.
    pub const KEY_VALUE: Self = Self(1 << 16);
    /// In AlgorithmSuite.
    pub const SUITE: Self = Self(1 << 17);
    /// In Layout.
    pub const LAYOUT: Self = Self(1 << 18);
    /// In Wss10.
    pub const WSS10: Self = Self(1 << 19);
    /// In Wss11.
    pub const WSS11: Self = Self(1 << 20);
    /// In Trust10.
    pub const TRUST10: Self = Self(1 << 21);
    /// In Trust13.
    pub const TRUST13: Self = Self(1 << 22);
    /// In wsam:Addressing.
    pub const ADDRESSING: Self = Self(1 << 23);
    /// Inside of a foreign assertion: anything.
    pub const FOREIGN: Self = Self(1 << 24);

    /// Both sets.
    #[must_use]
    pub const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether the sets meet.
    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}
