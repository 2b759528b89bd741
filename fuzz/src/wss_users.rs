//! UsernameTokens, with users known: text, digest, derived keys, in the clear and encrypted. Refused, or alice sent it.
//!
//! Every message is alice's, and the attacker knows no password but what stands in a token that it may rewrite before it is sealed.
//! It edits messages, puts them before other plans, encrypts any plaintext to the server, and writes tokens of its own.

mod bases;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bartizan_crypto::{Secret, base64};
use bartizan_keys::users::User;
use bartizan_keys::{Denied, MemoryUsers, Time, UserSource};
use bartizan_wss::env::Transport;
use bartizan_wss::{
    Aside, Covered, CoveredNode, DerivedKeys, Env, MemoryReplay, Protection, Reason, Reject, Untrusted,
    Verified, Warning,
};
use bartizan_xml::Limits;

use self::bases::{Base, PASSWORD, base, token};
use crate::edit::{Recipe, edited};
use crate::world::{Steady, now};

/// Users whose check is slow, in so far as it is counted; and a queue for keys that counts.
pub(crate) struct Counted {
    users: MemoryUsers,
    checks: AtomicUsize,
    turns: AtomicUsize,
}

impl Counted {
    fn new() -> Counted {
        let users = MemoryUsers::new().with("alice", PASSWORD.as_bytes()).with("bob", b"of nobody here");
        let users = users.with("carol", PASSWORD.as_bytes()).disabled().with("dave", PASSWORD.as_bytes());
        Counted { users: users.expiring(now()), checks: AtomicUsize::new(0), turns: AtomicUsize::new(0) }
    }

    fn counts(&self) -> (usize, usize) {
        (self.checks.load(Ordering::Relaxed), self.turns.load(Ordering::Relaxed))
    }
}

impl UserSource for Counted {
    fn check_password(&self, name: &str, password: &[u8], now: Time) -> Result<Arc<User>, Denied> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        self.users.check_password(name, password, now)
    }

    fn secret(&self, name: &str, now: Time) -> Result<(Arc<User>, Arc<Secret>), Denied> {
        self.users.secret(name, now)
    }

    fn spend(&self) -> Result<(), Denied> {
        self.checks.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }

    fn is_costly(&self) -> bool {
        true
    }
}

impl Aside for Counted {
    fn run(&self, work: &mut dyn FnMut()) -> bool {
        self.turns.fetch_add(1, Ordering::Relaxed);
        work();
        true
    }
}

/// Exclusive-canonical octets of every element that a signature covers.
pub(crate) fn signed(verified: &Verified) -> HashSet<Vec<u8>> {
    let parts =
        verified.body().into_iter().chain(verified.covered_headers()).chain(verified.covered_elements());
    let mut stack: Vec<Covered<'_>> =
        parts.filter(|part| matches!(part.protection(), Protection::Signature(_))).collect();
    let mut found = HashSet::new();
    while let Some(covered) = stack.pop() {
        found.insert(covered.octets());
        stack.extend(covered.children().filter_map(|child| match child {
            CoveredNode::Element(element) => Some(element),
            CoveredNode::Text(_) => None,
        }));
    }
    found
}

/// What the server of a base's plan makes of a message.
pub(crate) fn verify(
    base: &Base,
    octets: &[u8],
    users: &Counted,
    replay: &MemoryReplay,
    transport: Transport<'_>,
) -> Result<Verified, Reject> {
    let (random, derived) = (Steady::default(), DerivedKeys::new(2));
    let untrusted = Untrusted::read(octets.to_vec(), None, &Limits::default())?;
    let env = Env::new(&base.keys.server, now(), &random).with_users(users).with_slow(users);
    base.plans.recipient.verify(untrusted, &env.with_derived(&derived).with_replay(replay).over(transport))
}

/// What became of it. `sent` is whose signatures may be in it.
fn judge(plan: &Base, sent: &Base, octets: &[u8], transport: Transport<'_>) {
    let (users, replay) = (Counted::new(), MemoryReplay::new(64, Duration::from_secs(600)));
    let text = || String::from_utf8_lossy(octets).into_owned();
    let first = verify(plan, octets, &users, &replay, transport);
    let (checks, turns) = users.counts();
    assert!(checks <= 1, "{checks} checks of a password: {}", text());
    assert!(turns <= 2, "{turns} keys: {}", text());
    match first {
        Ok(verified) => {
            let caller = verified.caller().unwrap_or_else(|| panic!("nobody sent it: {}", text()));
            assert_eq!(caller.name(), "alice", "{}", text());
            for octets in signed(&verified) {
                assert!(
                    sent.signed.contains(&octets),
                    "never signed: {}\n{}",
                    String::from_utf8_lossy(&octets),
                    text()
                );
            }
            let unguarded = verified.context().warnings().contains(&Warning::TokenUnguarded);
            let again = verify(plan, octets, &users, &replay, transport).map(|_| ());
            match again {
                Ok(()) => assert!(unguarded, "accepted twice: {}", text()),
                Err(reject) => assert_eq!(reject.reason(), Reason::Replay, "{}", text()),
            }
        }
        Err(reject) => {
            let opened = reject.context().private_operations() > 0;
            if opened && plan.takes_text {
                assert_eq!(checks, 1, "{reject}: {}", text());
            }
            if opened && plan.takes_keys {
                assert!(turns > 0, "{reject}: {}", text());
            }
            drop(format!("{reject} {reject:?} {}", reject.detail()));
            let fault = bartizan_soap::ToFault::to_fault(&reject);
            assert!(fault.reason().len() < 200 && !fault.reason().contains("canary"));
        }
    }
}

const NAMES: [&str; 6] = ["alice", "bob", "carol", "dave", "nobody", "Alice"];
const KINDS: [&str; 4] = ["#PasswordText", "#PasswordDigest", "", "urn:own"];
const TIMES: [&str; 6] = [
    "2026-12-01T12:00:00Z",
    "2026-12-01T11:59:00.5Z",
    "2026-12-01T11:00:00Z",
    "2026-12-01T13:00:00Z",
    "2026-12-01T12:00:00",
    "",
];

/// A token as the recipe says, part by part.
fn written(recipe: &mut Recipe<'_>, id: &str) -> Vec<u8> {
    let parts = recipe.octet();
    let name = NAMES[recipe.below(NAMES.len())];
    let kind = KINDS[recipe.below(KINDS.len())];
    let created = TIMES[recipe.below(TIMES.len())];
    let length = recipe.below(80);
    let nonce = recipe.take(length);
    // The right digest is not to be had without the password; the right text is that of a token the attacker wrote.
    let own = recipe.octet();
    let password = if own % 2 == 0 { PASSWORD.as_bytes() } else { recipe.take(usize::from(own)) };
    let password = String::from_utf8_lossy(password).replace('&', "&amp;").replace('<', "&lt;");
    let mut out = token::start(id);
    let mut put = |bit: u8, text: String| {
        if parts & (1 << bit) == 0 {
            out += &text;
        }
    };
    put(0, token::username(name));
    put(1, token::password(kind, &password));
    put(2, token::nonce(&base64::encode(nonce)));
    put(3, token::created(created));
    let (salted, iteration) = (recipe.octet(), recipe.below(1 << 15));
    if salted & 1 == 1 {
        put(4, token::salt(&base64::encode(recipe.take(16))));
        put(5, token::iteration(iteration));
    }
    out += token::END;
    out.into_bytes()
}

/// One input: a message, and what to do to it.
pub fn run(data: &[u8]) {
    let mut recipe = Recipe::new(data);
    let (mode, n) = (recipe.octet() % 6, usize::from(recipe.octet()));
    let base = base(n);
    match mode {
        0 => judge(base, base, &edited(&base.request, &mut recipe), Transport::Local),
        1 => {
            // Before the server of another plan, and over a plain connection.
            let other = self::base(usize::from(recipe.octet()));
            judge(other, base, &edited(&base.request, &mut recipe), Transport::Plain);
        }
        2 => {
            let plaintext = edited(base.token.as_bytes(), &mut recipe);
            judge(base, base, &base.sealing(&plaintext), Transport::Plain);
        }
        3 => {
            let token = written(&mut recipe, &base.id);
            let octets = edited(&base.with_token(&token), &mut recipe);
            judge(base, base, &octets, Transport::Local);
        }
        4 => {
            let plaintext = written(&mut recipe, &base.id);
            judge(base, base, &base.sealing(&edited(&plaintext, &mut recipe)), Transport::Plain);
        }
        _ => judge(base, base, recipe.all(), Transport::Local),
    }
}
