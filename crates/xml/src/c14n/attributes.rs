//! The attributes of an inclusive apex: its own, and the `xml:` ones that it takes over from the ancestors left out.

use std::borrow::Cow;

use super::base::join;
use crate::doc::view::{Attr, Element};
use crate::names::{ns, xml};

/// One attribute to be written. `Attr` is not used itself, since an inherited one can have a computed value.
#[derive(Debug)]
pub(super) struct Written<'d> {
    pub(super) namespace: &'d str,
    pub(super) local: &'d str,
    pub(super) qname: &'d str,
    pub(super) value: Cow<'d, str>,
}

impl<'d> Written<'d> {
    fn of(attr: Attr<'d>) -> Self {
        Self {
            namespace: attr.namespace().unwrap_or_default(),
            local: attr.local_name(),
            qname: attr.qname(),
            value: Cow::Borrowed(attr.value()),
        }
    }
}

/// What the apex of an inclusive form takes over.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Inherit {
    /// All `xml:` attributes (Canonical XML 1.0 §2.4).
    Xml10,
    /// `xml:lang` and `xml:space`, and a joined `xml:base` (Canonical XML 1.1 §2.4).
    Xml11,
}

/// The attributes of an inclusive apex in canonical order: by namespace URI, then local name.
pub(super) fn collect(element: Element<'_>, inherit: Inherit) -> Vec<Written<'_>> {
    let mut list: Vec<Written<'_>> = element.attrs().map(Written::of).collect();
    match inherit {
        Inherit::Xml10 => inherited(element, &mut list, |_| true),
        Inherit::Xml11 => {
            inherited(element, &mut list, |attr| attr.name() == xml::LANG || attr.name() == xml::SPACE);
            fix_base(element, &mut list);
        }
    }
    list.sort_unstable_by(|a, b| (a.namespace, a.local).cmp(&(b.namespace, b.local)));
    list
}

fn inherited<'d>(element: Element<'d>, list: &mut Vec<Written<'d>>, wanted: impl Fn(Attr<'d>) -> bool) {
    let mut above = element.parent();
    while let Some(ancestor) = above {
        for attr in ancestor.attrs().filter(|attr| attr.name().ns == ns::XML && wanted(*attr)) {
            let known =
                list.iter().any(|have| have.namespace == ns::XML.uri() && have.local == attr.local_name());
            if !known {
                list.push(Written::of(attr));
            }
        }
        above = ancestor.parent();
    }
}

fn fix_base<'d>(element: Element<'d>, list: &mut Vec<Written<'d>>) {
    let mut chain: Vec<Attr<'d>> = Vec::new();
    let mut above = element.parent();
    while let Some(ancestor) = above {
        chain.extend(ancestor.attrs().find(|attr| attr.name() == xml::BASE));
        above = ancestor.parent();
    }
    let (Some(outermost), own) = (chain.pop(), element.attr(xml::BASE)) else {
        return;
    };
    let above = chain.iter().rev().map(|attr| attr.value());
    let joined = above.chain(own).fold(outermost.value().to_owned(), |base, next| join(&base, next));
    list.retain(|have| !(have.namespace == ns::XML.uri() && have.local == outermost.local_name()));
    if !joined.is_empty() {
        list.push(Written { value: Cow::Owned(joined), ..Written::of(outermost) });
    }
}
