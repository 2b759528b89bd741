//! A policy's alternative into plans: what each side puts on a message and demands of one.
//!
//! At configuration load only; no policy object is touched per message. Built for the asymmetric binding with X.509 tokens,
//! the symmetric one with those or a UsernameToken, TLS, and for action blocks (`actions`); everything else is named as
//! `not_compiled`, with its position, and never dropped. Called by `short`, `builtin`, the gateway's build and the verbs.

use bartizan_wss::plan::{
    InPlan, MAX_ALTERNATIVES, OutPlan, PasswordForm, Plan, PlanPair, Side, UsernameRule,
};

use crate::actions::{self, Block};
use crate::assertion::{Kind, Version};
use crate::error::{Diagnostic, Position, Problem};
use crate::model::{Alternative, Policy};

mod bare;
mod binding;
mod chosen;
mod demand;
mod endorse;
mod flow;
mod foreign;
mod options;
mod order;
mod parts;
mod suite;
mod supporting;
mod symmetric;
mod token;
mod transport;
mod way;

pub(crate) use self::demand::{demand, demand_how};
pub(crate) use self::flow::{Asked, Way};
pub use self::options::{Accept, Confirmation, Open, Options, Profile, References};
pub use self::parts::MAX_PARTS;
pub use self::suite::{Override, Role};

/// Which WS-Addressing a policy asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressing {
    /// The submission of 2004.
    V2004,
    /// The recommendation of 2005.
    V2005,
}

/// What protects one direction.
#[derive(Clone, Copy, Debug)]
pub enum Protection<'a> {
    /// A policy.
    Policy(&'a Policy),
    /// A block of actions.
    Actions(&'a Block),
    /// Nothing, on purpose.
    Open,
}

/// The policies of request and reply.
#[derive(Clone, Copy, Debug)]
pub struct Sides<'a> {
    /// Of the request.
    pub request: Protection<'a>,
    /// Of the reply.
    pub reply: Protection<'a>,
}

impl<'a> Sides<'a> {
    /// One policy for both.
    #[must_use]
    pub fn both(policy: &'a Policy) -> Self {
        Self { request: Protection::Policy(policy), reply: Protection::Policy(policy) }
    }
}

/// What a policy compiles to.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// The plans of both sides.
    pub plans: PlanPair,
    /// Which alternative of the request's policy was taken, from 0; `None` if the request is open.
    pub alternative: Option<usize>,
    /// Every alternative of the request's policy that a recipient accepts, in the order in which it numbers them; what it
    /// is to be sent is the first. Empty if the request is open.
    pub accepted: Vec<usize>,
    /// WS-Addressing headers to send with a request.
    pub addressing: Option<Addressing>,
    /// Warnings of the policies and of compiling.
    pub diagnostics: Vec<Diagnostic>,
}

/// What a policy compiles to when some of it is not built.
///
/// The plans of what is built cannot be taken out while something is missing: a demand is never dropped.
#[derive(Clone, Debug)]
pub struct Partial {
    compiled: Compiled,
    missing: Vec<Diagnostic>,
}

impl Partial {
    /// What is understood and not built, each with its position, as errors; nothing if the plans are complete.
    #[must_use]
    pub fn missing(&self) -> &[Diagnostic] {
        &self.missing
    }

    /// The plans, if nothing is missing.
    ///
    /// # Errors
    /// What is missing.
    pub fn complete(self) -> Result<Compiled, Vec<Diagnostic>> {
        if self.missing.is_empty() { Ok(self.compiled) } else { Err(self.missing) }
    }
}

/// Compiles policies to plans: the first alternative that can be used.
///
/// # Errors
/// Every reason, as errors: those of the policies; for the alternative that came furthest what keeps it from being used
/// (`not_compiled`, `foreign_assertion`, `nothing_demanded`, …).
pub fn compile(sides: Sides<'_>, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
    partial(sides, options)?.complete()
}

/// Compiles what is built of policies: every alternative that is complete, else the first one of a binding that is
/// built, with what is missing.
///
/// What we send is the first of them. What we accept is each: a recipient takes requests by all alternatives of the
/// request's policy and answers as the one that was met says; an initiator takes replies by all alternatives of the
/// reply's policy, but where one policy is for both, by the one of its request.
///
/// # Errors
/// As [`compile`], but for what is missing in a binding that is built.
pub fn partial(sides: Sides<'_>, options: &Options) -> Result<Partial, Vec<Diagnostic>> {
    let request = side(sides.request, options)?;
    let reply = side(sides.reply, options)?;
    let same = match (sides.request, sides.reply) {
        (Protection::Policy(request), Protection::Policy(reply)) => std::ptr::eq(request, reply),
        (Protection::Policy(_) | Protection::Actions(_) | Protection::Open, _) => false,
    };
    let mut best: Option<Partial> = None;
    let mut first: Option<(usize, usize)> = None;
    let mut least: Option<Vec<Diagnostic>> = None;
    let answers = order::stronger_first(&reply);
    for index in order::stronger_first(&request) {
        let Some(asked) = request.get(index) else { continue };
        for position in answers.iter().copied().filter(|position| !same || *position == index) {
            let Some(answer) = reply.get(position) else { continue };
            match pair(asked, answer, options) {
                Ok((plans, warnings, missing)) => {
                    let done = missing.is_empty();
                    if let (true, Some(first), Some(known)) = (done, first, &mut best) {
                        join(&mut known.compiled, plans, warnings, first, (index, position));
                        continue;
                    }
                    let compiled = Compiled {
                        accepted: asked.alternative().map(|_| index).into_iter().collect(),
                        plans,
                        alternative: asked.alternative().map(|_| index),
                        addressing: asked.alternative().and_then(addressing),
                        diagnostics: whole(policy_diagnostics(sides, options)).chain(warnings).collect(),
                    };
                    if done || best.is_none() {
                        best = Some(Partial { compiled, missing });
                    }
                    if done {
                        first = Some((index, position));
                    }
                }
                Err(mut problems) => {
                    for problem in &mut problems {
                        problem.position = problem.position.or(start(sides.request)).or(start(sides.reply));
                    }
                    if least.as_ref().is_none_or(|known| problems.len() < known.len()) {
                        least = Some(problems);
                    }
                }
            }
        }
    }
    if best.is_some() {
        return usable(sides, options, best);
    }
    Err(least.unwrap_or_else(|| vec![Diagnostic::new(Problem::NoAlternative, start(sides.request))]))
}

/// What compiles is no fragment, though no binding stands in it.
fn whole(found: Vec<Diagnostic>) -> impl Iterator<Item = Diagnostic> {
    found.into_iter().filter(|diagnostic| diagnostic.problem != Problem::Fragment)
}

/// Adds a further pair of alternatives, (request, reply), to what is accepted.
fn join(
    known: &mut Compiled,
    plans: PlanPair,
    warnings: Vec<Diagnostic>,
    first: (usize, usize),
    this: (usize, usize),
) {
    let or = |plan: &Plan, other: &Plan| plan.clone().or(other.inbound().clone(), other.outbound().clone());
    let taken = if this.0 != first.0 && !known.accepted.contains(&this.0) {
        // Beyond the limit of a plan the rest is left, and said: better less accepted than nothing.
        let more = or(&known.plans.recipient, &plans.recipient);
        more.map(|plan| {
            known.plans.recipient = plan;
            known.accepted.push(this.0);
        })
    } else if this.0 == first.0 {
        or(&known.plans.initiator, &plans.initiator).map(|plan| known.plans.initiator = plan)
    } else {
        return;
    };
    let said = match taken {
        Ok(()) => warnings,
        Err(_) => {
            let problem = Problem::AlternativesLeft { limit: MAX_ALTERNATIVES };
            vec![Diagnostic::new(problem, None).as_warning()]
        }
    };
    for warning in said {
        if !known.diagnostics.contains(&warning) {
            known.diagnostics.push(warning);
        }
    }
}

/// Refuses plans of policies in which something stands where it does not belong: it would be dropped without a word.
fn usable(sides: Sides<'_>, options: &Options, found: Option<Partial>) -> Result<Partial, Vec<Diagnostic>> {
    let misplaced = |found: &Diagnostic| matches!(found.problem, Problem::Misplaced { .. });
    let misplaced: Vec<Diagnostic> =
        policy_diagnostics(sides, options).into_iter().filter(misplaced).collect();
    match found {
        Some(partial) if misplaced.is_empty() || !partial.missing.is_empty() => Ok(partial),
        Some(_) | None => Err(misplaced.into_iter().map(Diagnostic::as_error).collect()),
    }
}

/// What `policy check` has to say: everything about the policy, and what keeps it from being used as a warning where
/// that is the configuration's to decide or ours to build.
#[must_use]
pub fn check(sides: Sides<'_>, options: &Options) -> Vec<Diagnostic> {
    let mut all = policy_diagnostics(sides, options);
    if all.iter().any(Diagnostic::is_error) {
        return all;
    }
    match compile(sides, options) {
        Ok(compiled) => all = compiled.diagnostics,
        Err(problems) => {
            for problem in problems {
                let known = all
                    .iter()
                    .any(|seen| seen.problem == problem.problem && seen.position == problem.position);
                match problem.problem {
                    // Both were said when the policy was read.
                    Problem::ForeignUsed { .. } | Problem::Fragment => {}
                    _ if known => {}
                    Problem::NotCompiled { .. }
                    | Problem::NothingDemanded { .. }
                    | Problem::UnsignedCbc { .. } => {
                        all.push(problem.as_warning());
                    }
                    _ => all.push(problem),
                }
            }
        }
    }
    all
}

/// One way to protect a direction.
enum Choice<'a> {
    Open,
    Policy(Alternative),
    Actions(&'a Block),
}

impl Choice<'_> {
    fn alternative(&self) -> Option<&Alternative> {
        match self {
            Self::Policy(alternative) => Some(alternative),
            Self::Open | Self::Actions(_) => None,
        }
    }
}

/// The ways to protect one direction.
fn side<'a>(protection: Protection<'a>, options: &Options) -> Result<Vec<Choice<'a>>, Vec<Diagnostic>> {
    match protection {
        Protection::Open => Ok(vec![Choice::Open]),
        Protection::Actions(block) => Ok(vec![Choice::Actions(block)]),
        Protection::Policy(policy) => {
            let errors: Vec<Diagnostic> =
                policy.diagnostics.iter().filter(|found| found.is_error()).cloned().collect();
            if !errors.is_empty() {
                return Err(errors);
            }
            let normal = policy.normalise(options.limits).map_err(|problem| vec![problem])?;
            Ok(normal.alternatives.into_iter().map(Choice::Policy).collect())
        }
    }
}

/// What was found when the policies were read, without the foreign assertions that are to be ignored.
fn policy_diagnostics(sides: Sides<'_>, options: &Options) -> Vec<Diagnostic> {
    let ignored = |found: &Diagnostic| match &found.problem {
        Problem::Foreign { namespace, .. } => !found.is_error() && options.ignores(namespace),
        _ => false,
    };
    let mut all: Vec<Diagnostic> = Vec::new();
    for side in [sides.request, sides.reply] {
        if let Protection::Policy(policy) = side {
            for diagnostic in policy.diagnostics.iter().filter(|found| !ignored(found)) {
                if !all.contains(diagnostic) {
                    all.push(diagnostic.clone());
                }
            }
        }
    }
    all
}

fn start(protection: Protection<'_>) -> Option<Position> {
    match protection {
        Protection::Policy(policy) => Some(policy.position),
        Protection::Actions(block) => Some(block.position()),
        Protection::Open => None,
    }
}

type Pair = (PlanPair, Vec<Diagnostic>, Vec<Diagnostic>);

/// The plans of one pair of choices, with warnings and with what is missing.
fn pair(request: &Choice<'_>, reply: &Choice<'_>, options: &Options) -> Result<Pair, Vec<Diagnostic>> {
    let mut findings = Findings::default();
    // A reply alone may be left open by saying nothing of it; what anybody may send may not.
    if matches!(request, Choice::Open) && options.open == Open::Refused {
        findings.add(Diagnostic::new(Problem::NothingDemanded { side: Way::Request.name() }, None));
    }
    let mut one = |choice: &Choice<'_>, way, asked| match choice {
        Choice::Policy(alternative) => flow::compile(alternative, way, asked, options, &mut findings),
        Choice::Actions(block) => actions::plan::compile(block, way, asked, options, &mut findings),
        Choice::Open => Some((InPlan::open(), OutPlan::plain())),
    };
    let asked = one(request, Way::Request, Asked::Plainly);
    let hidden = asked.as_ref().map_or(Asked::Plainly, |(inbound, _)| Asked::by(inbound));
    let answer = one(reply, Way::Reply, hidden);
    let (Some((mut request_in, request_out)), Some((reply_in, reply_out)), false) =
        (asked, answer, findings.found.iter().any(Diagnostic::is_error))
    else {
        findings.found.retain(Diagnostic::is_error);
        findings.found.append(&mut findings.missing);
        return Err(findings.found);
    };
    if let (Some(rule), Profile::RampartCLegacy) = (&mut request_in.username, options.profile) {
        take_of_rampart_c(rule);
    }
    let initiator = Plan::new(Side::Initiator, reply_in, request_out);
    let recipient = Plan::new(Side::Recipient, request_in, reply_out);
    match (initiator, recipient) {
        (Ok(initiator), Ok(recipient)) => {
            Ok((PlanPair { initiator, recipient }, findings.found, findings.missing))
        }
        (Err(_), _) => Err(vec![Diagnostic::new(Problem::Plan { what: "the initiator's side" }, None)]),
        (_, Err(_)) => Err(vec![Diagnostic::new(Problem::Plan { what: "the recipient's side" }, None)]),
    }
}

/// Rampart/C's tokens say no EncodingType of their Nonce, and whether they hold a digest is said in RampartConfig: its version of the language has
/// no word for that.
fn take_of_rampart_c(rule: &mut UsernameRule) {
    rule.lenient = true;
    if rule.passwords == [PasswordForm::Text] {
        rule.passwords.push(PasswordForm::Digest);
    }
}

/// What compiling finds, each thing once.
#[derive(Default)]
pub(crate) struct Findings {
    found: Vec<Diagnostic>,
    missing: Vec<Diagnostic>,
}

impl Findings {
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        if !self.found.contains(&diagnostic) {
            self.found.push(diagnostic);
        }
    }

    pub(crate) fn say(&mut self, problem: Problem, at: Position) {
        self.add(Diagnostic::new(problem, Some(at)));
    }

    /// Something understood and not built: an error in use.
    pub(crate) fn not_built(&mut self, name: &'static str, at: Position) {
        let missing = Diagnostic::new(Problem::NotCompiled { name }, Some(at)).as_error();
        if !self.missing.contains(&missing) {
            self.missing.push(missing);
        }
    }
}

fn addressing(alternative: &Alternative) -> Option<Addressing> {
    if alternative.find(Kind::Addressing).is_some() {
        return Some(Addressing::V2005);
    }
    match alternative.find(Kind::UsingAddressing)?.version {
        Version::Wsap => Some(Addressing::V2004),
        _ => Some(Addressing::V2005),
    }
}
