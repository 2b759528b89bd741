//! Which namespace declarations a canonical start tag carries. This is where canonicalizers go wrong, so both rules
//! stand beside each other: each compares with what the nearest *written* ancestor has declared, never with the source.

use crate::doc::view::{Element, Namespace};
use crate::error::{Error, ErrorKind};

use crate::doc::is_absolute;

/// A prefix (empty: default namespace) and its URI (empty: none).
pub(super) type Declaration<'d> = (&'d str, &'d str);

/// Declarations written by the open elements, innermost last.
#[derive(Debug, Default)]
pub(super) struct Written<'d> {
    stack: Vec<Declaration<'d>>,
    /// Where the innermost apex begins: declarations below it do not count.
    base: usize,
}

/// What to go back to when an element is closed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    len: usize,
    base: usize,
}

impl<'d> Written<'d> {
    pub(super) fn mark(&self) -> Mark {
        Mark { len: self.stack.len(), base: self.base }
    }

    pub(super) fn restore(&mut self, mark: Mark) {
        self.stack.truncate(mark.len);
        self.base = mark.base;
    }

    /// From here on, nothing counts as declared.
    pub(super) fn begin_apex(&mut self) {
        self.base = self.stack.len();
    }

    fn uri(&self, prefix: &str) -> &'d str {
        let since_apex = self.stack.get(self.base..).unwrap_or_default();
        since_apex.iter().rev().find(|(declared, _)| *declared == prefix).map_or("", |(_, uri)| uri)
    }

    fn push_all(&mut self, declarations: &[Declaration<'d>]) {
        self.stack.extend_from_slice(declarations);
    }
}

/// The prefix list of ec:InclusiveNamespaces.
#[derive(Debug, Default)]
pub(super) struct PrefixList<'a> {
    prefixes: Vec<&'a str>,
}

impl<'a> PrefixList<'a> {
    pub(super) fn of(list: &'a str) -> Self {
        let mut prefixes: Vec<&str> =
            list.split_ascii_whitespace().map(|word| if word == "#default" { "" } else { word }).collect();
        prefixes.sort_unstable();
        prefixes.dedup();
        Self { prefixes }
    }

    fn holds(&self, prefix: &str) -> bool {
        self.prefixes.binary_search(&prefix).is_ok()
    }
}

/// Whether an element begins an output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Apex,
    Below,
}

/// Fills `list` with the declarations of an element under the exclusive form (Exclusive C14N §3).
pub(super) fn exclusive<'d>(
    element: Element<'d>,
    place: Place,
    prefixes: &PrefixList<'_>,
    written: &mut Written<'d>,
    list: &mut Vec<Declaration<'d>>,
) -> Result<(), Error> {
    list.clear();
    let mut own = false;
    for declaration in element.namespaces() {
        check(element, declaration)?;
        own = true;
    }
    add(list, written, element.prefix(), element.namespace().unwrap_or_default());
    for attr in element.attrs() {
        if !attr.prefix().is_empty() {
            add(list, written, attr.prefix(), attr.namespace().unwrap_or_default());
        }
    }
    if !prefixes.prefixes.is_empty() {
        if place == Place::Apex {
            in_scope(element, |found| {
                if prefixes.holds(found.prefix) {
                    add(list, written, found.prefix, found.uri);
                }
            });
        } else if own {
            for declaration in element.namespaces().filter(|found| prefixes.holds(found.prefix)) {
                add(list, written, declaration.prefix, declaration.uri);
            }
        }
    }
    list.sort_unstable();
    written.push_all(list);
    Ok(())
}

/// Fills `list` with the declarations of an element under the inclusive forms (Canonical XML 1.0 §2.3, 1.1 §2.3).
pub(super) fn inclusive<'d>(
    element: Element<'d>,
    place: Place,
    written: &mut Written<'d>,
    list: &mut Vec<Declaration<'d>>,
) -> Result<(), Error> {
    list.clear();
    for declaration in element.namespaces() {
        check(element, declaration)?;
        add(list, written, declaration.prefix, declaration.uri);
    }
    if place == Place::Apex {
        in_scope(element, |found| add(list, written, found.prefix, found.uri));
    }
    list.sort_unstable();
    written.push_all(list);
    Ok(())
}

/// Adds a declaration unless the nearest written one says the same or this tag has it already.
fn add<'d>(list: &mut Vec<Declaration<'d>>, written: &Written<'d>, prefix: &'d str, uri: &'d str) {
    if prefix != "xml" && written.uri(prefix) != uri && !list.iter().any(|(have, _)| *have == prefix) {
        list.push((prefix, uri));
    }
}

/// Calls `each` with every binding in scope of an apex, inner ones first; hidden ones are left out.
fn in_scope<'d>(apex: Element<'d>, mut each: impl FnMut(Namespace<'d>)) {
    let mut seen: Vec<&str> = Vec::new();
    let mut at = Some(apex);
    while let Some(element) = at {
        for declaration in element.namespaces() {
            if !seen.contains(&declaration.prefix) {
                seen.push(declaration.prefix);
                each(declaration);
            }
        }
        at = element.parent();
    }
}

/// Canonical forms are undefined with relative namespace URIs (Canonical XML 1.0 §1.3).
fn check(element: Element<'_>, declaration: Namespace<'_>) -> Result<(), Error> {
    let absolute = is_absolute(declaration.uri);
    if declaration.uri.is_empty() || absolute {
        Ok(())
    } else {
        Err(Error::new(ErrorKind::RelativeNamespace, element.span().start))
    }
}
