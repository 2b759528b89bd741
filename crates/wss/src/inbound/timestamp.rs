//! The Timestamp: its shape, and whether the message is fresh (SMS 1.1 §10, BSP R3203–R3229).
//!
//! Age limit is min(Expires, Created + ttl), with skew on both ends; a rule may set the future apart, demand Expires, or not mind it. Not here: whether it is signed (`conform`).

use std::time::Duration;

use bartizan_keys::Time;
use bartizan_xml::names::wsu;
use bartizan_xml::{Element, NodeId};

use super::Work;
use super::username::found_time;
use crate::context::TimestampEvidence;
use crate::error::{Hint, Reject};
use crate::plan::TimestampRule;
use crate::reason::Reason;

/// A Timestamp of the header.
#[derive(Clone, Copy)]
pub(super) struct Stamp {
    pub(super) node: NodeId,
    pub(super) created: Time,
    pub(super) expires: Option<Time>,
}

/// Reads a Timestamp: one Created, then at most one Expires, nothing else.
pub(super) fn read(element: Element<'_>) -> Result<Stamp, Reject> {
    let malformed = || Reject::at(Reason::TimestampMalformed, element);
    if element.attrs().any(|a| a.name() != wsu::ID) {
        return Err(malformed());
    }
    let mut children = element.elements();
    let created = children.next().filter(|e| e.is(wsu::CREATED)).ok_or_else(malformed)?;
    let expires = children.next();
    if expires.is_some_and(|e| !e.is(wsu::EXPIRES)) || children.next().is_some() {
        return Err(malformed());
    }
    let created = instant(created)?;
    let expires = expires.map(instant).transpose()?;
    if expires.is_some_and(|e| e <= created) {
        return Err(malformed().hinting(Hint::ExpiresFirst));
    }
    Ok(Stamp { node: element.id(), created, expires })
}

fn instant(element: Element<'_>) -> Result<Time, Reject> {
    let malformed = |hint| Reject::at(Reason::TimestampMalformed, element).hinting(hint);
    if element.attrs().any(|a| a.name() != wsu::ID) {
        return Err(malformed(Hint::None));
    }
    let text = element.leaf_text().map_err(|e| malformed(Hint::Xml(e)))?;
    let text = text.trim_matches([' ', '\t', '\r', '\n']);
    Time::parse_xsd(text).map_err(|_| malformed(found_time(text)))
}

impl Stamp {
    /// When the message ends under `rule`, without skew.
    pub(super) fn ends(&self, rule: Option<TimestampRule>) -> Option<Time> {
        let by_ttl = rule.map(|r| self.created + r.ttl);
        let expires = self.expires.filter(|_| rule.is_none_or(|r| r.strict));
        match (expires, by_ttl) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }
}

impl Work<'_> {
    /// Refuses a message that is too old or from the future.
    pub(super) fn check_fresh(&mut self, stamp: Option<Stamp>) -> Result<(), Reject> {
        let Some(stamp) = stamp else {
            if self.plan.timestamp.is_some() {
                return Err(Reject::new(Reason::TimestampMissing));
            }
            return Ok(());
        };
        let (now, skew) = (self.env.now.millis(), millis(self.skew()));
        let ahead = self.plan.timestamp.and_then(|rule| rule.future).map_or(skew, millis);
        self.context.timestamp = Some(TimestampEvidence {
            created: Some(stamp.created),
            expires: stamp.expires,
            skew_millis: now.saturating_sub(stamp.created.millis()),
        });
        let refuse = |reason, millis: Option<i64>| {
            let at = Reject::at_node(reason, self.envelope.document(), Some(stamp.node));
            let hint = millis.map_or(Hint::Element("Expires".into()), |millis| Hint::Skew { millis });
            Err(at.hinting(hint))
        };
        if stamp.expires.is_none() && self.plan.timestamp.is_some_and(|rule| rule.require_expires) {
            return refuse(Reason::TimestampMalformed, None);
        }
        if stamp.created.millis() > now.saturating_add(ahead) {
            return refuse(Reason::TimestampFuture, Some(now.saturating_sub(stamp.created.millis())));
        }
        match stamp.ends(self.plan.timestamp) {
            Some(end) if now >= end.millis().saturating_add(skew) => {
                refuse(Reason::TimestampExpired, Some(now.saturating_sub(end.millis())))
            }
            _ => Ok(()),
        }
    }

    /// How far clocks may differ.
    pub(super) fn skew(&self) -> Duration {
        self.plan.timestamp.unwrap_or_default().skew
    }
}

fn millis(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}
