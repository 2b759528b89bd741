//! Policies as XML again: as written (`serialise`) or in normal form.
//!
//! Prefixes are the usual ones; every assertion declares its own, so that a piece can be cut out. Indented for
//! people: white space between the elements of a policy has no meaning.

use bartizan_xml::names::ns;
use bartizan_xml::write::Writer;

use crate::assertion::{Assertion, Extra, Nested, Parameters, PartItem, Raw, Version};
use crate::error::{Diagnostic, Problem};
use crate::model::{Group, Node, Policy, Wsp};
use crate::normal::Normal;

impl Policy {
    /// The policy as it was written, defaults said, references kept.
    ///
    /// # Errors
    /// [`Problem::Xml`] if a text of the short form cannot stand in XML.
    pub fn to_xml(&self) -> Result<Vec<u8>, Diagnostic> {
        Pen::new(self.wsp).finish(&self.expression, &[])
    }
}

impl Normal {
    /// The normal form, with the identity of the policy.
    ///
    /// # Errors
    /// As [`Policy::to_xml`].
    pub fn to_xml(&self) -> Result<Vec<u8>, Diagnostic> {
        let mut extra = Vec::new();
        if let Some(id) = &self.identity.id {
            extra.push(Extra {
                namespace: ns::WSU.uri().into(),
                prefix: "wsu".into(),
                local: "Id".into(),
                value: id.clone(),
            });
        }
        if let Some(name) = &self.identity.name {
            extra.push(Extra {
                namespace: "".into(),
                prefix: "".into(),
                local: "Name".into(),
                value: name.clone(),
            });
        }
        Pen::new(self.wsp).finish(&self.expression(), &extra)
    }
}

struct Pen {
    out: Writer,
    wsp: &'static str,
    depth: usize,
}

impl Pen {
    fn new(wsp: Wsp) -> Self {
        Self { out: Writer::new(), wsp: wsp.uri(), depth: 0 }
    }

    fn finish(mut self, group: &Group, extra: &[Extra]) -> Result<Vec<u8>, Diagnostic> {
        self.group(group, extra);
        self.out
            .finish()
            .map_err(|error| Diagnostic::new(Problem::Xml { expected: error.to_string().into() }, None))
    }

    fn open(&mut self, prefix: &str, namespace: &str, local: &str) {
        if self.depth > 0 {
            self.line();
        }
        self.out.open(prefix, namespace, local);
        self.depth += 1;
    }

    /// Ends an element; `broken` if it has element children and its end tag goes on a line of its own.
    fn close(&mut self, broken: bool) {
        self.depth -= 1;
        if broken {
            self.line();
        }
        self.out.close();
    }

    fn line(&mut self) {
        let mut text = String::from("\n");
        text.push_str(&"  ".repeat(self.depth));
        self.out.text(&text);
    }

    fn extra(&mut self, extra: &[Extra]) {
        for one in extra {
            if one.namespace.is_empty() {
                self.out.attr(&one.local, &one.value);
            } else {
                self.out.attr_ns(&one.prefix, &one.namespace, &one.local, &one.value);
            }
        }
    }

    fn group(&mut self, group: &Group, extra: &[Extra]) {
        let wsp = self.wsp;
        self.open("wsp", wsp, group.operator().name());
        self.extra(group.extra());
        self.extra(extra);
        for node in group.children() {
            match node {
                Node::Group(inner) => self.group(inner, &[]),
                Node::Assertion(assertion) => self.assertion(assertion),
                Node::Reference { uri, .. } => {
                    self.open("wsp", wsp, "PolicyReference");
                    self.out.attr("URI", uri);
                    self.close(false);
                }
            }
        }
        self.close(!group.children().is_empty());
    }

    fn nested(&mut self, nested: &Nested) {
        match nested {
            Nested::None => {}
            Nested::Written(group) => self.group(group, &[]),
            Nested::Chosen(alternative) => {
                self.group(&crate::normal::canonical(std::slice::from_ref(alternative)), &[]);
            }
        }
    }

    fn assertion(&mut self, assertion: &Assertion) {
        if let Parameters::Foreign(raw) = &assertion.parameters {
            self.foreign(assertion, raw);
            return;
        }
        let version = assertion.version;
        self.open(version.prefix(), version.uri(), assertion.kind.name());
        if let Parameters::Token(token) = &assertion.parameters {
            let sp = if version.is_security() { version } else { Version::Sp12 };
            self.out.attr_ns(sp.prefix(), sp.uri(), "IncludeToken", &token.include.uri(sp));
            if let Some(needed) = token.client_certificate {
                self.out.attr("RequireClientCertificate", if needed { "true" } else { "false" });
            }
        }
        if let Parameters::Paths { version, .. } = &assertion.parameters {
            self.out.attr("XPathVersion", version);
        }
        self.flags(assertion);
        self.extra(&assertion.extra);
        let parameters = self.parameters(assertion);
        self.nested(&assertion.nested);
        self.close(parameters || assertion.nested != Nested::None);
    }

    fn flags(&mut self, assertion: &Assertion) {
        let wsp = self.wsp;
        if assertion.optional {
            self.out.attr_ns("wsp", wsp, "Optional", "true");
        }
        if assertion.ignorable {
            self.out.attr_ns("wsp", wsp, "Ignorable", "true");
        }
    }

    /// Writes the parameters; says whether there were any.
    fn parameters(&mut self, assertion: &Assertion) -> bool {
        let (prefix, uri) = (assertion.version.prefix(), assertion.version.uri());
        match &assertion.parameters {
            Parameters::None | Parameters::Foreign(_) => false,
            Parameters::Parts(parts) => {
                for part in parts {
                    self.part(part, prefix, uri);
                }
                !parts.is_empty()
            }
            Parameters::Paths { paths, .. } => {
                for path in paths {
                    match &path.filter {
                        None => self.open(prefix, uri, "XPath"),
                        Some((_, local)) => {
                            let sp13 = Version::Sp13;
                            self.open(sp13.prefix(), sp13.uri(), local);
                        }
                    }
                    for (prefix, namespace) in &path.namespaces {
                        self.out.declare(prefix, namespace);
                    }
                    if let Some((filter, _)) = &path.filter {
                        self.out.attr("Filter", filter);
                    }
                    self.out.text(&path.path);
                    self.close(false);
                }
                !paths.is_empty()
            }
            Parameters::Token(token) => {
                for raw in &token.raws {
                    self.line();
                    self.out.raw(&raw.octets);
                }
                !token.raws.is_empty()
            }
        }
    }

    fn part(&mut self, part: &PartItem, prefix: &str, uri: &str) {
        match part {
            PartItem::Body => {
                self.open(prefix, uri, "Body");
                self.close(false);
            }
            PartItem::Header(header) => {
                self.open(prefix, uri, "Header");
                if let Some(name) = &header.name {
                    self.out.attr("Name", name);
                }
                self.out.attr("Namespace", &header.namespace);
                self.close(false);
            }
            PartItem::Attachments { content, complete } => {
                self.open(prefix, uri, "Attachments");
                let sp13 = Version::Sp13;
                for (said, local) in [
                    (*content, "ContentSignatureTransform"),
                    (*complete, "AttachmentCompleteSignatureTransform"),
                ] {
                    if said {
                        self.open(sp13.prefix(), sp13.uri(), local);
                        self.close(false);
                    }
                }
                self.close(*content || *complete);
            }
        }
    }

    /// A foreign assertion: its content as it was, then its nested policy.
    fn foreign(&mut self, assertion: &Assertion, raw: &Raw) {
        // The content was cut out of its surroundings: a default namespace of ours must not reach into it.
        let prefix = if raw.prefix.is_empty() && !raw.namespace.is_empty() { "ext" } else { &*raw.prefix };
        self.open(prefix, &raw.namespace, &raw.local);
        self.flags(assertion);
        self.extra(&assertion.extra);
        self.out.raw(&raw.octets);
        self.nested(&assertion.nested);
        self.close(assertion.nested != Nested::None);
    }
}
