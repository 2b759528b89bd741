//! The Id index: which element claims which Id, and where two claims meet. Filled after parsing and after every graft,
//! each Id in constant time; hashes are keyed.

use super::Document;
use super::arena::{Arena, DECLARATION, Kind};
use crate::Profile;
use crate::names::{Local, attr, hash, local, ns, wsu, xml};

const FREE: u32 = u32::MAX;

/// What attributes are called that hold Ids, or look as if they did.
pub(super) const LIKE_IDS: [Local; 5] =
    [local::ID, local::ID_CAPS, local::ID_LOWER, local::ASSERTION_ID, local::ASSERTION_ID_MIXED];

/// Who claims one Id.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim {
    /// Node and attribute that hold the text.
    holder: (u32, u32),
    /// First recognised element.
    pub(super) first: u32,
    /// The element that claimed it last.
    pub(super) last: u32,
    /// Whether that claim was a recognised one.
    own: bool,
    /// Elements that claim it by a recognised attribute.
    pub(super) recognised: u32,
    /// Elements that claim it by a look-alike only.
    pub(super) alike: u32,
}

impl Claim {
    fn add(&mut self, node: u32, recognised: bool) {
        if self.last == node {
            // One element may say the same Id twice (wsu:Id and Id): it counts once, by its better claim.
            if self.own || !recognised {
                return;
            }
            self.alike -= 1;
        }
        if recognised && self.recognised == 0 {
            self.first = node;
        }
        self.recognised += u32::from(recognised);
        self.alike += u32::from(!recognised);
        (self.last, self.own) = (node, recognised);
    }

    /// Whether two elements claim it, one at least by a recognised attribute.
    pub(super) fn conflict(&self) -> bool {
        self.recognised > 0 && self.recognised + self.alike > 1
    }
}

#[derive(Debug, Default)]
pub(super) struct Ids {
    claims: Vec<Claim>,
    slots: Vec<u32>,
    declared: Vec<String>,
    conflict: Option<u32>,
}

impl Ids {
    /// Forgets everything, for another document.
    pub(super) fn clear(&mut self) {
        self.claims.clear();
        self.slots.clear();
        self.declared.clear();
        self.conflict = None;
    }

    /// Forgets all claims, for they are judged anew.
    pub(super) fn declare(&mut self, local: &str) {
        self.declared.push(local.to_owned());
        self.claims.clear();
        self.slots.clear();
        self.conflict = None;
    }

    pub(super) fn declared(&self) -> &[String] {
        &self.declared
    }

    pub(super) fn conflict(&self) -> Option<u32> {
        self.conflict
    }
}

/// Whether an attribute is called like an Id, and whether it is one on this element.
fn judge(arena: &Arena, ids: &Ids, profile: Profile, element: u16, attribute: u16) -> Option<bool> {
    let declared = &ids.declared;
    let name = arena.names.get(attribute).name;
    let owner = arena.names.get(element).name.ns;
    let alike = LIKE_IDS.contains(&name.local);
    let by_rule = match name {
        wsu::ID => true,
        attr::ID => matches!(owner, ns::DS | ns::DSIG11 | ns::XENC | ns::XENC11 | ns::WSSE11),
        attr::ID_CAPS => matches!(owner, ns::SAML2 | ns::SAML2P),
        attr::ASSERTION_ID => matches!(owner, ns::SAML1 | ns::SAML1P),
        // xml:id 1.0 is the Id of plain documents; no stack signs messages by it.
        xml::ID_LOWER => profile == Profile::Bare,
        _ => false,
    };
    let by_wish = || name.ns.is_none() && declared.iter().any(|d| d == arena.names.local(name.local));
    if by_rule || (!declared.is_empty() && by_wish()) {
        return Some(true);
    }
    alike.then_some(false)
}

impl Document {
    /// Enters the Ids of the nodes from `first` to before `last`. `noted` are the attributes among theirs that are
    /// called like Ids, each with its element: they suffice as long as no other attribute was declared to be an Id.
    pub(super) fn index_noted_ids(&mut self, first: u32, last: u32, noted: &[(u32, u32)]) {
        if !self.ids.declared.is_empty() {
            return self.index_ids(first, last);
        }
        for &(node, at) in noted {
            self.index_id(node, at);
        }
    }

    /// Enters the Ids of the nodes from `first` to before `last`.
    pub(super) fn index_ids(&mut self, first: u32, last: u32) {
        for node in first..last {
            let Some(data) = self.arena.node(node).copied().filter(|n| n.kind == Kind::Element) else {
                continue;
            };
            let count = self.arena.attrs(node).len() as u32;
            for at in data.attrs..data.attrs + count {
                self.index_id(node, at);
            }
        }
    }

    fn index_id(&mut self, node: u32, at: u32) {
        let entry = self.arena.attrs.get(at as usize).filter(|a| a.flags & DECLARATION == 0);
        let (Some(data), Some(entry)) = (self.arena.node(node), entry) else { return };
        if let Some(recognised) = judge(&self.arena, &self.ids, self.profile, data.qname, entry.qname) {
            self.claim(node, at, recognised);
        }
    }

    fn claim(&mut self, node: u32, at: u32, recognised: bool) {
        if self.ids.slots.len() < 2 * (self.ids.claims.len() + 1) {
            self.grow_ids();
        }
        let slot = match self.probe_id(self.holder_text((node, at))) {
            Ok(index) => {
                let Some(claim) = self.ids.claims.get_mut(index) else { return };
                claim.add(node, recognised);
                if claim.conflict() {
                    self.ids.conflict.get_or_insert(node);
                }
                return;
            }
            Err(slot) => slot,
        };
        let index = self.ids.claims.len() as u32;
        let mut claim =
            Claim { holder: (node, at), first: node, last: FREE, own: false, recognised: 0, alike: 0 };
        claim.add(node, recognised);
        self.ids.claims.push(claim);
        if let Some(free) = self.ids.slots.get_mut(slot) {
            *free = index;
        }
    }

    fn holder_text(&self, (node, at): (u32, u32)) -> &str {
        let Some(entry) = self.arena.attrs.get(at as usize) else { return "" };
        self.arena.attr_value(entry, &self.segment_of(node).text)
    }

    /// The claim on an Id, or the free slot for one.
    fn probe_id(&self, id: &str) -> Result<usize, usize> {
        let Some(mask) = self.ids.slots.len().checked_sub(1) else { return Err(0) };
        let mut at = hash(id.as_bytes()) as usize & mask;
        loop {
            let index = self.ids.slots.get(at).copied().unwrap_or(FREE);
            match self.ids.claims.get(index as usize) {
                Some(claim) if self.holder_text(claim.holder) == id => return Ok(index as usize),
                Some(_) => at = (at + 1) & mask,
                None => return Err(at),
            }
        }
    }

    fn grow_ids(&mut self) {
        let slots = (self.ids.slots.len() * 2).max(32);
        self.ids.slots.clear();
        self.ids.slots.resize(slots, FREE);
        for index in 0..self.ids.claims.len() {
            let Some(holder) = self.ids.claims.get(index).map(|c| c.holder) else { continue };
            if let Err(free) = self.probe_id(self.holder_text(holder))
                && let Some(slot) = self.ids.slots.get_mut(free)
            {
                *slot = index as u32;
            }
        }
    }

    pub(super) fn find_claim(&self, id: &str) -> Option<Claim> {
        self.probe_id(id).ok().and_then(|index| self.ids.claims.get(index)).copied()
    }
}
