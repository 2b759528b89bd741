//! The one place for XML names: namespaces, local names and the URIs that name canonical forms, transforms, token
//! types and roles. It knows no rules, only spelling.
//!
//! A name is two small integers. The first ids of both tables are fixed ([`ns`], [`local`]) so that `element.is(ds::
//! SIGNATURE)` compares integers; names that no table holds get ids in their document, above the fixed ones.
//! Algorithm URIs (digest, signature, cipher) are not here: they belong to the crypto crate.

mod groups_security;
mod groups_soap;
mod known;
pub mod local;
pub mod ns;
pub mod uri;

pub use groups_security::{
    ds, dsig_more, dsig11, ec, saml1, saml2, wsc05, wsc13, wsse, wsse11, wsu, wsu2003, xenc, xenc11,
};
pub use groups_soap::{attr, fault11, soap11, soap12, wsa, wsa04, wsam, wsaw, wsdl, xml, xop, xsd, xsi};

pub(crate) use known::{hash, known_local, known_namespace};

/// A namespace: an index into the table of [`ns`] or, above it, into the names of one document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Ns(pub(crate) u16);

/// A local name: an index into the table of [`local`] or, above it, into the names of one document.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Local(pub(crate) u16);

/// An expanded name: namespace and local name (Namespaces in XML 1.0 §2.1).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Name {
    /// The namespace; [`ns::NONE`] for names without one.
    pub ns: Ns,
    /// The local part.
    pub local: Local,
}

impl Name {
    /// Puts a name together.
    #[must_use]
    pub const fn new(ns: Ns, local: Local) -> Self {
        Self { ns, local }
    }

    /// The name for a URI and a local part, if both are in the fixed tables.
    ///
    /// Names outside the tables exist only within a document: see [`crate::Document::find_name`].
    #[must_use]
    pub fn known(uri: &str, local: &str) -> Option<Self> {
        let ns = known_namespace(uri, hash(uri.as_bytes()))?;
        Some(Self { ns, local: known_local(local, hash(local.as_bytes()))? })
    }
}

impl Ns {
    /// The URI of a namespace of the fixed table; empty for [`ns::NONE`] and for a namespace that only a document
    /// knows (ask [`crate::Document::namespace_uri`] there).
    #[must_use]
    pub fn uri(self) -> &'static str {
        ns::NAMESPACES.get(usize::from(self.0)).copied().unwrap_or("")
    }

    /// The usual prefix, for messages to people and for what we write; empty if there is none.
    #[must_use]
    pub fn usual_prefix(self) -> &'static str {
        ns::USUAL_PREFIXES.get(usize::from(self.0)).copied().unwrap_or("")
    }

    /// Whether this is "no namespace".
    #[must_use]
    pub fn is_none(self) -> bool {
        self == ns::NONE
    }
}

impl Local {
    /// The text of a local name of the fixed table; empty for a name that only a document knows.
    #[must_use]
    pub fn text(self) -> &'static str {
        local::LOCALS.get(usize::from(self.0)).copied().unwrap_or("")
    }
}

/// Declares a table of names: one constant an entry, and the texts in the same order; namespaces have usual prefixes.
macro_rules! table {
    ($type:ident, $texts:ident, $prefixes:ident;
        $($(#[$doc:meta])* $id:ident $text:literal $prefix:literal,)*) => {
        $crate::names::table! { $type, $texts; $($(#[$doc])* $id $text,)* }
        /// Usual prefixes, by id.
        pub(crate) const $prefixes: &[&str] = &[$($prefix),*];
    };
    ($type:ident, $texts:ident; $($(#[$doc:meta])* $id:ident $text:literal,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "only counts the entries")]
        #[repr(u16)]
        enum Index { $($id),* }
        $($(#[$doc])* pub const $id: $type = $type(Index::$id as u16);)*
        /// The texts, by id.
        pub(crate) const $texts: &[&str] = &[$($text),*];
    };
}
use table;

/// Declares a module of names in one namespace.
macro_rules! group {
    ($(#[$doc:meta])* $module:ident: $ns:ident; $($id:ident = $local:ident,)*) => {
        $(#[$doc])*
        #[allow(missing_docs, reason = "each constant is the name that it stands for")]
        pub mod $module {
            use super::super::{Name, local, ns};
            $(pub const $id: Name = Name::new(ns::$ns, local::$local);)*
        }
    };
}
use group;

#[cfg(test)]
mod tests;
