//! Configuration → running table: keys loaded, policies compiled, services mounted.
//!
//! Everything that can fail fails here, before a socket is opened or an old table is given
//! up; all findings are collected.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bartizan_crypto::alg::{Alg, AlgSet, SignatureFamily};
use bartizan_crypto::random::Random;
use bartizan_crypto::{KeyKind, SignatureAlg, Status};
use bartizan_keys::{Keystore, Time, UserSource};
use bartizan_policy::builtin::is_builtin;
use bartizan_policy::compile::{Addressing, Open, Profile};
use bartizan_policy::{Compiled, Options};
use bartizan_soap::addressing::Edition;
use bartizan_wss::plan::{PasswordForm, ProtectionOrder, SignedBy, UsernameRule};
use bartizan_wss::replay::{AtLeast, ReplayCache};
use bartizan_wss::{InPlan, KeepBounds, KeptSecrets, MemoryReplay, Plan, Side};

use crate::config::{Config, Diagnostic, Kind, PolicyName, Replay, Service, Severity};
use crate::error::Problem;
use crate::junction::{Hosted, Junction, Load, Reply, Table, takes_users};
use crate::keyset::{self, Ask, Role};
use crate::policy::{Pick, Source};
use crate::replay::{Guards, password, shared};
use crate::state::replay::{KeptReplay, Tell};
use crate::users;

/// A certificate that ends within this time is warned of.
const SOON: Duration = Duration::from_secs(30 * 24 * 3600);

/// What building needs from outside.
pub struct Surroundings<'a> {
    /// The configuration's text and file, for `[policy.NAME]`.
    pub text: (&'a str, &'a Path),
    /// The time, for warnings about certificates and users.
    pub now: Time,
    /// Chance.
    pub random: &'a dyn Random,
    /// Asks for the password of a store.
    pub ask: Ask<'a>,
    /// Makes what is behind a service's path.
    pub mount: &'a dyn Fn(&Service, &Config) -> Arc<dyn Hosted>,
    /// The memory of seen messages, from [`guards`].
    pub replay: Option<Arc<Guards>>,
}

/// Builds the table, with warnings.
///
/// # Errors
/// Every finding, errors and warnings, if one of them is an error.
pub fn build(
    config: &Config,
    around: &Surroundings<'_>,
) -> Result<(Table, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut found = Vec::new();
    let keys = load_keys(config, around, &mut found);
    let users = load_users(config, around, &mut found);
    let mut junctions = Vec::new();
    for service in &config.services {
        if let Some(mut junction) = junction(config, service, &keys, around, &mut found) {
            if takes_users(&junction.plan) {
                let at = service.policy.at.clone();
                match &users {
                    Some(users) => give_users(&mut junction, users, at, &mut found),
                    // Users that are named and unusable were reported there.
                    None if config.users.is_some() || !needs_users(&junction.plan) => {}
                    None => found.push(Diagnostic::error(Problem::UsersNeeded, at)),
                }
            }
            junctions.push(junction);
        }
    }
    unnamed_policies(config, around, &mut found);
    if found.iter().any(|finding| finding.severity == Severity::Error) {
        return Err(found);
    }
    outlast(&mut junctions);
    let mut table = Table::new(
        junctions,
        config.http,
        Load {
            in_flight: config.in_flight,
            // Half, so that one peer alone cannot lock the others out.
            in_flight_per_peer: config.in_flight_per_peer.unwrap_or(config.in_flight.div_ceil(2)),
            work_per_peer: config.work_per_peer,
            waiting: config.waiting,
            large_bytes: config.large_bytes,
        },
        config.server.failure_quantum,
    );
    table.user_files = users.map(|users| users.files).unwrap_or_default();
    Ok((table, found))
}

/// Users, ready to be asked.
struct Ready {
    users: Arc<dyn UserSource>,
    hashed: (usize, usize),
    files: Vec<PathBuf>,
}

/// The users, if some are named.
fn load_users(config: &Config, around: &Surroundings<'_>, found: &mut Vec<Diagnostic>) -> Option<Ready> {
    let named = config.users.as_ref()?;
    let Surroundings { now, random, .. } = *around;
    match users::load(named, &users::Around { now, random, waiting: config.waiting }) {
        Ok(users::Loaded { users, hashed, warnings, files }) => {
            if !warnings.found.is_empty() {
                found.push(Diagnostic::warning(Problem::Users(Box::new(warnings)), named.file.at.clone()));
            }
            Some(Ready { users: Arc::new(users), hashed, files })
        }
        Err(problem) => {
            found.push(Diagnostic::error(problem, named.file.at.clone()));
            None
        }
    }
}

/// Gives a mount its users, and says if they are not stored in the form that its policy needs.
fn give_users(junction: &mut Junction, ready: &Ready, at: Range<usize>, found: &mut Vec<Diagnostic>) {
    junction.users = Some(Arc::clone(&ready.users));
    let (hashed, all) = ready.hashed;
    if hashed > 0 && needs_secrets(&junction.plan) {
        found.push(Diagnostic::warning(Problem::SecretsNeeded(hashed, all), at));
    }
}

/// Whether a plan demands a UsernameToken that proves who sent it.
fn needs_users(plan: &Plan) -> bool {
    plan.alternatives().any(|(inbound, _)| inbound.username.as_ref().is_some_and(UsernameRule::authenticates))
}

/// Whether a plan takes a key in the style of WSE beside a password that nothing encrypts.
fn shows_keys(plan: &Plan) -> bool {
    plan.alternatives().any(|(inbound, _)| {
        let wse = inbound.username.as_ref().and_then(|rule| rule.keys).is_some_and(|keys| keys.wse.is_some());
        wse && !inbound.wants_encrypted_token()
    })
}

/// Whether a plan accepts something that a hash of the password cannot be compared with.
fn needs_secrets(plan: &Plan) -> bool {
    let rules = plan.alternatives().filter_map(|(inbound, _)| inbound.username.as_ref());
    rules.into_iter().any(|rule| rule.keys.is_some() || rule.passwords.contains(&PasswordForm::Digest))
}

/// The services share their memory of messages, and a message may be for several of them: what one of them took is remembered for as long
/// as any other would take it.
fn outlast(junctions: &mut [Junction]) {
    let plans = junctions.iter().flat_map(|junction| junction.plan.alternatives());
    // A message or token that was made in the future, as far as that is taken, lives longer by so much.
    let lives = plans.flat_map(|(inbound, _)| {
        let stamp = inbound.timestamp.map(|rule| rule.ttl + rule.skew + rule.future.unwrap_or(rule.skew));
        let token = inbound.username.as_ref().map(|rule| rule.ttl + rule.future + rule.future);
        stamp.into_iter().chain(token)
    });
    let longest = lives.max().unwrap_or_default();
    for junction in junctions {
        let memory = junction.replay.take();
        junction.replay =
            memory.map(|memory| Arc::new(AtLeast::new(memory, longest)) as Arc<dyn ReplayCache>);
    }
}

fn load_keys(
    config: &Config,
    around: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) -> BTreeMap<String, Keystore> {
    let mut stores = BTreeMap::new();
    for (name, set) in &config.keys {
        let missing = keyset::unreadable(set);
        if !missing.is_empty() {
            found.extend(missing.into_iter().map(|(problem, at)| Diagnostic::error(problem, at)));
            continue;
        }
        match keyset::load(set, Role::Recipient, around.ask) {
            Ok(store) => {
                for path in keyset::exposed(set, Role::Recipient) {
                    let problem = Problem::KeyExposed(path);
                    let at = keyset::place(set, &problem);
                    found.push(Diagnostic::warning(problem, at));
                }
                for problem in endings(&store, around.now) {
                    found.push(Diagnostic::warning(problem, set.at.clone()));
                }
                stores.insert(name.clone(), store);
            }
            Err(problem) => {
                let at = keyset::place(set, &problem);
                found.push(Diagnostic::error(problem, at));
            }
        }
    }
    stores
}

/// The errors of the policies in the configuration that no service names: a name that is mended would show them.
fn unnamed_policies(config: &Config, around: &Surroundings<'_>, found: &mut Vec<Diagnostic>) {
    for name in &config.policies {
        let policy = PolicyName::Section(name.clone());
        if config.services.iter().any(|service| service.policy.value == policy) {
            continue;
        }
        let Ok(source) = Source::find(&policy, Pick::Only, Some(around.text)) else { continue };
        let Ok(item) = source.item() else { continue };
        let mut errors = item.check(&Options::default());
        errors.retain(bartizan_policy::Diagnostic::is_error);
        if !errors.is_empty() {
            let at = item.position().offset;
            found.push(Diagnostic::error(source.bad(errors), at..at + name.len()));
        }
    }
}

/// Our own certificates, the other side's and the anchors that end soon, or have.
fn endings(store: &Keystore, now: Time) -> Vec<Problem> {
    let own = store.identities().iter().map(|identity| identity.leaf());
    let all = own.chain(store.peer()).chain(store.trust().anchors());
    all.filter(|certificate| certificate.not_after() < now + SOON)
        .map(|certificate| Problem::Ends {
            subject: certificate.subject_display(),
            when: certificate.not_after().to_rfc3339(),
            over: certificate.not_after() < now,
        })
        .collect()
}

/// One mount, or `None` after reporting why not.
fn junction(
    config: &Config,
    service: &Service,
    keys: &BTreeMap<String, Keystore>,
    around: &Surroundings<'_>,
    found: &mut Vec<Diagnostic>,
) -> Option<Junction> {
    let Planned { plan, addressing, warning } = match plan(service, around) {
        Ok(planned) => planned,
        Err(problem) => {
            found.push(Diagnostic::error(problem, service.policy.at.clone()));
            return None;
        }
    };
    found.extend(warning.map(|problem| Diagnostic::warning(problem, service.policy.at.clone())));
    let legacy: Vec<&str> = legacy(&plan);
    if !legacy.is_empty() {
        found.push(Diagnostic::warning(Problem::LegacyAlgorithms(legacy), service.policy.at.clone()));
    }
    if shows_keys(&plan) && config.listeners.iter().any(|l| !l.address.value.ip().is_loopback()) {
        found.push(Diagnostic::error(Problem::KeysInClear, service.policy.at.clone()));
        return None;
    }
    if let Some(problem) = replay_warning(&plan, &service.replay) {
        found.push(Diagnostic::warning(problem, service.path.at.clone()));
    }
    let reused = service.reuse.and_then(|bounds| reuse_warning(&plan, bounds));
    found.extend(reused.map(|problem| Diagnostic::warning(problem, service.reuse_at.clone())));
    if let Some(secret) = shared(&service.replay).and_then(|shared| shared.password.as_ref())
        && let Err(problem) = password(secret)
    {
        // It is read at each connection; that it is there is better known now.
        found.push(Diagnostic::error(problem, service.path.at.clone()));
    }
    let keys = match &service.keys {
        // One that is missing was reported where it is named, or where it failed to load.
        Some(name) => keys.get(&name.value)?.clone(),
        None => Keystore::builder().build().ok()?,
    };
    let misfits = misfits(&plan, &keys);
    if let (None, false) = (&service.keys, misfits.is_empty()) {
        found.push(Diagnostic::error(Problem::KeysMissing, service.path.at.clone()));
        return None;
    }
    if !misfits.is_empty() {
        let at = service.keys.as_ref().map_or(0..0, |keys| keys.at.clone());
        found.extend(misfits.into_iter().map(|problem| Diagnostic::error(problem, at.clone())));
        return None;
    }
    Some(Junction {
        path: service.path.value.clone(),
        plan: Arc::new(plan),
        keys,
        replay: around.replay.as_ref().and_then(|guards| guards.guard(&service.replay)),
        kept: service.reuse.map(|bounds| Arc::new(KeptSecrets::new(bounds))),
        users: None,
        limits: config.limits,
        reply: match service.kind.value {
            Kind::Echo => Reply::Secured,
            Kind::Mirror => Reply::Plain,
        },
        addressing,
        target: (around.mount)(service, config),
    })
}

/// What the policy of a service comes to on our side.
struct Planned {
    plan: Plan,
    addressing: Option<Edition>,
    warning: Option<Problem>,
}

/// The recipient's plan of a service, with what is to be said about it.
fn plan(service: &Service, around: &Surroundings<'_>) -> Result<Planned, Problem> {
    if service.policy.value == PolicyName::Open {
        return Ok(Planned { plan: Plan::open(Side::Recipient), addressing: None, warning: None });
    }
    let source = Source::find(&service.policy.value, Pick::Only, Some(around.text))?;
    let Compiled { plans, diagnostics, addressing, .. } = source.compile(&options(service))?;
    let file = source.loaded.file().to_owned();
    // A built-in policy is as it is: nobody here can mend it.
    let silent = diagnostics.is_empty() || is_builtin(&file);
    let warning = Problem::PolicyWarnings { file, count: diagnostics.len() };
    let addressing = addressing.map(|addressing| match addressing {
        Addressing::V2004 => Edition::W2004,
        Addressing::V2005 => Edition::W2005,
    });
    Ok(Planned { plan: plans.recipient, addressing, warning: (!silent).then_some(warning) })
}

/// What a plan needs of its keys and does not find: better said now than at each message.
fn misfits(plan: &Plan, keys: &Keystore) -> Vec<Problem> {
    let (inbound, outbound) = (plan.inbound(), plan.outbound());
    let mut problems = Vec::new();
    // A shared secret, or a password, signs without a key of ours.
    let sign = outbound.sign.as_ref().filter(|sign| sign.by == SignedBy::X509);
    let opens = inbound.wants_encryption() || inbound.secret.is_some();
    match (keys.identity(), sign) {
        (None, Some(_)) => problems.push(Problem::NoOwnKey),
        (None, None) if opens => problems.push(Problem::NoOwnKey),
        (Some(identity), Some(sign)) if !makes(identity.key().kind(), sign.method) => {
            problems.push(Problem::KeyKind { method: sign.method.short_name() });
        }
        (Some(_) | None, _) => {}
    }
    if plan.alternatives().all(|(inbound, _)| inbound.transport.is_some()) {
        problems.push(Problem::NoTls);
    }
    let by_certificate = inbound.wants_signature() && inbound.signed_by == SignedBy::X509;
    if by_certificate && keys.trust().is_empty() {
        problems.push(Problem::NoTrust);
    }
    problems
}

/// Whether a key of this kind makes signatures of this method.
fn makes(kind: KeyKind, method: SignatureAlg) -> bool {
    use SignatureFamily as Family;
    match method.family() {
        Family::RsaPkcs1 | Family::RsaPss => kind == KeyKind::Rsa,
        Family::Ecdsa => matches!(kind, KeyKind::Ec(_)),
        Family::Ed25519 => kind == KeyKind::Ed25519,
        Family::Dsa | Family::Hmac => false,
    }
}

/// Algorithms of status legacy that a plan lets in.
fn legacy(plan: &Plan) -> Vec<&'static str> {
    let all = plan.alternatives().fold(AlgSet::empty(), |all, (inbound, _)| all.union(inbound.algorithms));
    all.iter().filter(|alg| alg.status() == Status::Legacy).map(|alg| alg.short_name()).collect()
}

fn options(service: &Service) -> Options {
    Options {
        open: if service.open { Open::Said } else { Open::Refused },
        profile: service.profile.unwrap_or(Profile::Standard),
        ignore: service.ignore.iter().map(|namespace| namespace.as_str().into()).collect(),
        ..Options::default()
    }
}

/// What is weak about the guard of a plan: a message may satisfy any of its alternatives.
fn replay_warning(plan: &Plan, replay: &Replay) -> Option<Problem> {
    plan.alternatives().find_map(|(inbound, _)| replay_weakness(inbound, replay))
}

fn replay_weakness(inbound: &InPlan, replay: &Replay) -> Option<Problem> {
    if inbound.open || !inbound.wants_signature() {
        return None;
    }
    match replay {
        Replay::Off => {
            // Only CBC tells something apart before the signature's digests are checked.
            let cbc =
                inbound.algorithms.iter().any(|alg| matches!(alg, Alg::Cipher(cipher) if !cipher.is_aead()));
            let decrypts_first =
                inbound.order == ProtectionOrder::SignBeforeEncrypt && inbound.wants_encryption();
            (cbc && decrypts_first).then_some(Problem::OracleExposed)
        }
        Replay::On { window, .. } => inbound.timestamp.is_none().then_some(Problem::ReplayWindow(*window)),
    }
}

/// Why `reuse` does nothing under a plan, if it does nothing.
fn reuse_warning(plan: &Plan, bounds: KeepBounds) -> Option<Problem> {
    let secrets = |inbound: &&InPlan| inbound.secret.is_some() && inbound.wants_signature();
    let mut useful = plan.alternatives().map(|(inbound, _)| inbound).filter(secrets).peekable();
    if useful.peek().is_none() {
        return Some(Problem::ReuseOfNothing);
    }
    let proves = useful.any(|inbound| inbound.username.as_ref().is_some_and(UsernameRule::authenticates));
    (bounds.nameless == 0 && !proves && plan.inbound().open).then_some(Problem::ReuseNameless)
}

/// Window and capacity of the one memory that all guarded services share: a message that was
/// sent to one of them is not served by another. `None`: nothing is guarded.
pub fn memory_size(config: &Config) -> Option<(Duration, usize)> {
    let sizes = config.services.iter().filter_map(|service| match service.replay {
        Replay::On { window, capacity, .. } => Some((window, capacity)),
        Replay::Off => None,
    });
    sizes.reduce(|one, other| (one.0.max(other.0), one.1.max(other.1)))
}

/// What the guards of a configuration need from outside.
pub struct Watch<'a> {
    /// The file of the memory; `None`: it is forgotten at the end of the process.
    pub journal: Option<&'a Path>,
    /// The guards in force, which a reload goes on with unless their size changes.
    pub before: Option<Arc<Guards>>,
    /// The time.
    pub now: Time,
    /// Chance, for the name of this server at a shared engine.
    pub random: &'a dyn Random,
    /// Called when a memory is nearly full or can no longer be kept, and when an engine is lost and found again.
    pub tell: Tell,
}

/// The guards for a configuration; `None` if there is nothing to guard, and never was.
///
/// # Errors
/// [`Problem::Write`] if the journal cannot be written.
pub fn guards(config: &Config, watch: &Watch<'_>) -> Result<Option<Arc<Guards>>, Problem> {
    let Some((window, capacity)) = memory_size(config) else { return Ok(watch.before.clone()) };
    let before = watch.before.as_deref();
    let tell = || Arc::clone(&watch.tell);
    let memory = || MemoryReplay::new(capacity, window).since(watch.now);
    let local = match (before.map(Guards::local), watch.journal) {
        // Its size changes when the new table is in force: the reload may still fail.
        (Some(local), _) => Arc::clone(local),
        (None, Some(path)) => Arc::new(
            KeptReplay::open(path, memory(), watch.now, tell())
                .map_err(|source| Problem::Write { path: path.to_owned(), source })?,
        ),
        (None, None) => Arc::new(KeptReplay::in_memory(memory(), tell())),
    };
    Ok(Some(Arc::new(Guards::new(config, local, (window, capacity), before, watch.random, &watch.tell))))
}
