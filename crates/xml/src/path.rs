//! The small part of XPath that policies and the file tools use to point at elements: absolute child steps with
//! prefixes and positions, `//x`, `*`. No predicates but positions, no axes, no functions.

use crate::doc::Document;
use crate::doc::view::Element;
use crate::error::{Error, ErrorKind};

#[cfg(test)]
mod tests;

/// Longest path, in steps: as deep as a document may be.
const MAX_STEPS: usize = 64;

/// A parsed path, with namespace URIs instead of prefixes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Path {
    steps: Vec<Step>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Step {
    /// `//` instead of `/` before the step.
    anywhere: bool,
    /// `None` for `*`.
    local: Option<String>,
    namespace: Space,
    /// Position among the siblings that the name fits, from 1.
    position: Option<usize>,
}

/// What is known at an element while a document is walked, from the outside to the inside.
#[derive(Default)]
struct Place {
    /// Bit n: the first n steps can end here.
    ends: u128,
    /// Bit n: they can end here or at an element around.
    around: u128,
    /// For each step, how many of the children so far its name fits; empty if no position was asked for.
    alike: Vec<usize>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Space {
    Any,
    None,
    Uri(String),
}

impl Path {
    /// Parses a path. `resolve` gives the URI of a prefix; names without prefix have no namespace.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Path`] with the offset in the text; [`crate::ErrorKind::UnboundPrefix`].
    pub fn parse(text: &str, resolve: &dyn Fn(&str) -> Option<String>) -> Result<Self, Error> {
        parse(text, |prefix, offset| match prefix {
            None => Ok(Space::None),
            Some(prefix) => match resolve(prefix) {
                Some(uri) => Ok(Space::Uri(uri)),
                None => Err(Error::new(ErrorKind::UnboundPrefix, offset)),
            },
        })
    }

    /// Parses a path whose names match by local part in any namespace, as `Element::path` prints them.
    ///
    /// # Errors
    /// [`crate::ErrorKind::Path`].
    pub fn parse_local(text: &str) -> Result<Self, Error> {
        parse(text, |prefix, offset| match prefix {
            None => Ok(Space::Any),
            Some(_) => Err(Error::new(ErrorKind::Path, offset)),
        })
    }

    /// The elements that it names, in document order.
    #[must_use]
    pub fn select<'d>(&self, document: &'d Document) -> Vec<Element<'d>> {
        let root = document.root();
        if self.steps.iter().any(|step| step.anywhere) {
            return self.select_anywhere(root);
        }
        let mut steps = self.steps.iter();
        let mut found: Vec<Element<'d>> = match steps.next() {
            Some(first) if first.fits(root) => vec![root],
            _ => Vec::new(),
        };
        for step in steps {
            found = found
                .into_iter()
                .flat_map(|parent| {
                    let alike = parent.elements().filter(|child| step.fits_name(*child));
                    let (skip, most) = step.position.map_or((0, usize::MAX), |at| (at - 1, 1));
                    alike.skip(skip).take(most)
                })
                .collect();
        }
        found
    }

    /// One walk over everything below `root`: costs the product of the elements and the steps.
    fn select_anywhere<'d>(&self, root: Element<'d>) -> Vec<Element<'d>> {
        let mut found = Vec::new();
        // Above the root no step has ended yet.
        let mut above = Place { ends: 1, around: 1, alike: Vec::new() };
        let mut own = Place::default();
        self.enter(&mut above, &mut own, root, &mut found);
        let mut open = vec![(root.elements(), own)];
        // Kept for the elements that follow.
        let mut spare: Vec<Place> = Vec::new();
        while let Some((children, parent)) = open.last_mut() {
            let Some(element) = children.next() else {
                spare.extend(open.pop().map(|(_, place)| place));
                continue;
            };
            let mut own = spare.pop().unwrap_or_default();
            self.enter(parent, &mut own, element, &mut found);
            open.push((element.elements(), own));
        }
        found
    }

    fn enter<'d>(
        &self,
        parent: &mut Place,
        own: &mut Place,
        element: Element<'d>,
        found: &mut Vec<Element<'d>>,
    ) {
        own.ends = self.ends(parent, element);
        own.around = parent.around | own.ends;
        own.alike.clear();
        if own.ends >> self.steps.len() & 1 == 1 {
            found.push(element);
        }
    }

    /// Which steps can end at an element: bit n says that the first n can.
    fn ends(&self, parent: &mut Place, element: Element<'_>) -> u128 {
        let mut ends = 0;
        for (n, step) in self.steps.iter().enumerate() {
            if !step.fits_name(element) {
                continue;
            }
            if let Some(position) = step.position {
                parent.alike.resize(self.steps.len(), 0);
                let Some(count) = parent.alike.get_mut(n) else { continue };
                *count += 1;
                if *count != position {
                    continue;
                }
            }
            let from = if step.anywhere { parent.around } else { parent.ends };
            ends |= (from >> n & 1) << (n + 1);
        }
        ends
    }

    /// The same path for another namespace in the place of `from`: an envelope's of the other version. `None` if no step names `from`.
    #[must_use]
    pub fn renamed(&self, from: &str, to: &str) -> Option<Path> {
        let mut other = self.clone();
        let named = other.steps.iter_mut().filter(|s| matches!(&s.namespace, Space::Uri(uri) if uri == from));
        let count = named.map(|step| step.namespace = Space::Uri(to.to_owned())).count();
        (count > 0).then_some(other)
    }

    /// Whether it names this element. Costs the product of the steps and the depth of the element and, for a step with a position, of the
    /// siblings before it: for many elements there is [`Path::select`].
    #[must_use]
    pub fn matches(&self, element: Element<'_>) -> bool {
        let mut chain = vec![element];
        while let Some(parent) = chain.last().and_then(|last| last.parent()) {
            chain.push(parent);
        }
        chain.reverse();
        // `reached[n]`: the steps so far can end at the element of depth n. Before the first step that is the place
        // above the root, which stands for depth 0 here.
        let mut reached = vec![false; chain.len() + 1];
        if let Some(start) = reached.first_mut() {
            *start = true;
        }
        for step in &self.steps {
            let mut next = vec![false; chain.len() + 1];
            let mut above = false;
            for (depth, element) in chain.iter().enumerate() {
                let parent = reached.get(depth).copied().unwrap_or(false);
                above |= parent;
                if (parent || (step.anywhere && above))
                    && step.fits(*element)
                    && let Some(place) = next.get_mut(depth + 1)
                {
                    *place = true;
                }
            }
            reached = next;
        }
        reached.last().copied().unwrap_or(false)
    }
}

impl Step {
    fn fits(&self, element: Element<'_>) -> bool {
        if !self.fits_name(element) {
            return false;
        }
        let Some(position) = self.position else { return true };
        match element.parent() {
            None => position == 1,
            // Stops at the position, so a wide document does not make it quadratic.
            Some(parent) => {
                let mut alike = parent.elements().filter(|sibling| self.fits_name(*sibling));
                alike.nth(position - 1) == Some(element)
            }
        }
    }

    fn fits_name(&self, element: Element<'_>) -> bool {
        let local = self.local.as_deref().is_none_or(|local| local == element.local_name());
        local
            && match &self.namespace {
                Space::Any => true,
                Space::None => self.local.is_none() || element.namespace().is_none(),
                Space::Uri(uri) => element.namespace() == Some(uri.as_str()),
            }
    }
}

fn parse(
    text: &str,
    mut space: impl FnMut(Option<&str>, usize) -> Result<Space, Error>,
) -> Result<Path, Error> {
    let mut steps = Vec::new();
    let mut at = 0;
    let mut rest = text;
    while !rest.is_empty() {
        let refused = Error::new(ErrorKind::Path, at);
        let (anywhere, after) = match (rest.strip_prefix("//"), rest.strip_prefix('/')) {
            (Some(after), _) => (true, after),
            (None, Some(after)) => (false, after),
            (None, None) => return Err(refused),
        };
        let start = at + rest.len() - after.len();
        let end = after.find('/').unwrap_or(after.len());
        let (step, tail) = after.split_at_checked(end).ok_or(refused)?;
        if steps.len() == MAX_STEPS {
            return Err(refused);
        }
        steps.push(parse_step(step, start, anywhere, &mut space)?);
        at = start + end;
        rest = tail;
    }
    if steps.is_empty() { Err(Error::new(ErrorKind::Path, 0)) } else { Ok(Path { steps }) }
}

fn parse_step(
    text: &str,
    offset: usize,
    anywhere: bool,
    space: &mut impl FnMut(Option<&str>, usize) -> Result<Space, Error>,
) -> Result<Step, Error> {
    let refused = Error::new(ErrorKind::Path, offset);
    let (name, position) = match text.strip_suffix(']') {
        None => (text, None),
        Some(inner) => {
            let (name, digits) = inner.split_once('[').ok_or(refused)?;
            let position: usize = digits.parse().map_err(|_| refused)?;
            let plain = digits.bytes().all(|digit| digit.is_ascii_digit()) && position > 0;
            (name, Some(if plain { position } else { return Err(refused) }))
        }
    };
    let (prefix, local) = match name.split_once(':') {
        Some((prefix, local)) => (Some(prefix), local),
        None => (None, name),
    };
    let named = local == "*" || crate::scan::is_ncname(local);
    if !named || prefix.is_some_and(|prefix| !crate::scan::is_ncname(prefix)) {
        return Err(refused);
    }
    let namespace = space(prefix, offset)?;
    Ok(Step { anywhere, local: (local != "*").then(|| local.to_owned()), namespace, position })
}
