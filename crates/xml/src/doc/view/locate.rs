//! Where an element stands: octets, line and column, path, ancestry.

use core::fmt::Write;

use super::{Element, Span};
use crate::error::line_column;

impl<'d> Element<'d> {
    /// Where it stands in its segment, start tag to end tag.
    #[must_use]
    pub fn span(self) -> Span {
        let (start, end) = self.data().map_or((0, 0), |n| (n.start as usize, n.end as usize));
        Span { segment: self.doc.segment_index(self.id) as u32, start, end }
    }

    /// Its octets as written, start tag to end tag.
    #[must_use]
    pub fn source(self) -> &'d str {
        let span = self.span();
        self.doc.segment_text(span.segment).get(span.start..span.end).unwrap_or_default()
    }

    /// Line and column of its start tag in its segment, both from 1; the column counts characters.
    #[must_use]
    pub fn position(self) -> (usize, usize) {
        let span = self.span();
        line_column(self.doc.segment_text(span.segment).as_bytes(), span.start)
    }

    /// Ancestors from the parent up.
    pub fn ancestors(self) -> impl Iterator<Item = Element<'d>> + use<'d> {
        core::iter::successors(self.parent(), |e| e.parent())
    }

    /// Whether `other` lies below this element. Cost: depth of `other`.
    #[must_use]
    pub fn is_ancestor_of(self, other: Element<'_>) -> bool {
        core::ptr::eq(self.doc, other.doc) && other.ancestors().any(|e| e.id == self.id)
    }

    /// Path by local names, with positions from 1 where siblings share a local name: `/Envelope/Header/Security[2]`.
    #[must_use]
    pub fn path(self) -> String {
        let upwards = || core::iter::successors(Some(self), |e| e.parent());
        let mut few = [self; 16];
        let many: Vec<Element<'d>>;
        // Few levels need no list in memory of its own.
        let steps = match few.get_mut(..upwards().count()) {
            Some(steps) => {
                steps.iter_mut().zip(upwards()).for_each(|(step, e)| *step = e);
                &*steps
            }
            None => {
                many = upwards().collect();
                &many
            }
        };
        let mut path = String::with_capacity(64);
        for step in steps.iter().rev().copied() {
            path.push('/');
            path.push_str(step.local_name());
            let Some(parent) = step.parent() else { continue };
            let local = step.name().local;
            let same = || parent.elements().filter(move |e| e.name().local == local);
            if same().nth(1).is_some() {
                // Not found only for ciphertext that a plaintext replaced: it is no longer among the children.
                if let Some(at) = same().position(|e| e == step) {
                    let _ = write!(path, "[{}]", at + 1);
                }
            }
        }
        path
    }
}
