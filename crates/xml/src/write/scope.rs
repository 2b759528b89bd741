//! What the writer has declared so far, and the short-lived texts of its open tags: all in one string, so that an element
//! costs no allocation.

/// A piece of the texts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Text {
    start: usize,
    end: usize,
}

#[derive(Clone, Copy, Debug)]
struct Declaration {
    prefix: Text,
    uri: Text,
}

#[derive(Debug, Default)]
pub(super) struct Scope {
    texts: String,
    declared: Vec<Declaration>,
}

impl Scope {
    /// With room for the names and declarations of a usual header, so that they are not moved as they grow.
    pub(super) fn with_room() -> Self {
        Self { texts: String::with_capacity(1024), declared: Vec::with_capacity(8) }
    }

    /// Size of the texts, for [`Scope::truncate`].
    pub(super) fn texts(&self) -> usize {
        self.texts.len()
    }

    /// Number of declarations.
    pub(super) fn len(&self) -> usize {
        self.declared.len()
    }

    pub(super) fn truncate(&mut self, declarations: usize, texts: usize) {
        self.declared.truncate(declarations);
        self.texts.truncate(texts);
    }

    /// Keeps the concatenation of some texts until the element is closed.
    pub(super) fn keep(&mut self, parts: &[&str]) -> Text {
        let start = self.texts.len();
        for part in parts {
            self.texts.push_str(part);
        }
        Text { start, end: self.texts.len() }
    }

    pub(super) fn text(&self, text: Text) -> &str {
        self.texts.get(text.start..text.end).unwrap_or_default()
    }

    /// The sort key of an attribute (Canonical XML 1.0 §2.2).
    pub(super) fn key(&self, namespace: Text, local: Text) -> (&str, &str) {
        (self.text(namespace), self.text(local))
    }

    pub(super) fn declare(&mut self, prefix: &str, uri: &str) {
        let (prefix, uri) = (self.keep(&[prefix]), self.keep(&[uri]));
        self.declared.push(Declaration { prefix, uri });
    }

    /// The innermost URI of a prefix.
    pub(super) fn lookup(&self, prefix: &str) -> Option<&str> {
        let found = self.declared.iter().rev().find(|declared| self.text(declared.prefix) == prefix)?;
        Some(self.text(found.uri))
    }

    /// What a prefix was declared as since the declaration number `from`.
    pub(super) fn declared_since(&self, from: usize, prefix: &str) -> Option<&str> {
        let since = self.declared.get(from..).unwrap_or_default();
        since
            .iter()
            .find(|declared| self.text(declared.prefix) == prefix)
            .map(|declared| self.text(declared.uri))
    }

    /// All declarations, outermost first.
    pub(super) fn declarations(&self) -> impl Iterator<Item = (&str, &str)> {
        self.declared.iter().map(|declared| (self.text(declared.prefix), self.text(declared.uri)))
    }

    /// Puts the declarations of one tag into canonical order.
    pub(super) fn sort_since(&mut self, from: usize) {
        let Self { texts, declared } = self;
        let text = |text: Text| texts.get(text.start..text.end).unwrap_or_default();
        if let Some(since) = declared.get_mut(from..) {
            since.sort_by(|a, b| text(a.prefix).cmp(text(b.prefix)));
        }
    }
}
