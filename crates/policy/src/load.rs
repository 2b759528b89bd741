//! One door for everything that `--policy` and `policy = "…"` take: XML in any host, the short form, built-in names.
//!
//! The caller reads files; here are only bytes. Called by the verbs and by the gateway's build.

use bartizan_wss::plan::PlanPair;

use crate::actions::Block;
use crate::actions::axis2::{self, Flows};
use crate::actions::spring;
use crate::actions::write::quoted;
use crate::attach::{self, BoundOperation};
use crate::compile::{self, Compiled, Open, Options, Protection, Sides};
use crate::error::{Diagnostic, Position, Problem, nearest};
use crate::explain::{self, Explanation};
use crate::model::{Identity, Policy};
use crate::normal::{Normal, NormalLimits};
use crate::read;
use crate::short::{self, Settings, ShortPolicy};

/// The policies of one source.
#[derive(Clone, Debug)]
pub struct Loaded {
    file: Box<str>,
    source: Box<str>,
    items: Vec<Item>,
    operations: Vec<Item>,
    diagnostics: Vec<Diagnostic>,
}

/// One policy that can be picked: of an XML file, or one `[policy.NAME]`.
#[derive(Clone, Debug)]
pub struct Item {
    name: Option<Box<str>>,
    sides: ItemSides,
    settings: Settings,
    diagnostics: Vec<Diagnostic>,
    position: Position,
}

#[derive(Clone, Debug)]
enum ItemSides {
    Both(Box<Policy>),
    Each { request: Option<ItemSide>, reply: Option<ItemSide> },
}

/// What protects one direction.
#[derive(Clone, Debug)]
pub(crate) enum ItemSide {
    Policy(Box<Policy>),
    Actions(Box<Block>),
}

impl ItemSide {
    fn policy(policy: Policy) -> Self {
        Self::Policy(Box::new(policy))
    }

    fn as_policy(&self) -> Option<&Policy> {
        match self {
            Self::Policy(policy) => Some(policy),
            Self::Actions(_) => None,
        }
    }

    fn as_block(&self) -> Option<&Block> {
        match self {
            Self::Actions(block) => Some(block),
            Self::Policy(_) => None,
        }
    }

    fn protection(side: Option<&Self>) -> Protection<'_> {
        match side {
            None => Protection::Open,
            Some(Self::Policy(policy)) => Protection::Policy(policy),
            Some(Self::Actions(block)) => Protection::Actions(block),
        }
    }
}

/// Reads a source: the short form if the name ends in `.toml`, XML otherwise. A name without an extension, such as that
/// of standard input, says nothing: there the short form is what does not begin like XML.
///
/// Never fails as a whole; see [`Loaded::diagnostics`] and [`Item::check`].
#[must_use]
pub fn load(bytes: Vec<u8>, file: &str) -> Loaded {
    let unnamed = !file.rsplit('/').next().is_some_and(|name| name.contains('.')) && !file.contains(':');
    if file.ends_with(".toml") || (unnamed && begins_like_toml(&bytes)) {
        return load_short(&bytes, file);
    }
    let (policies, operations, flows) = match read::parse(bytes, file) {
        Ok(document) => {
            let policies = read::read_document(&document, file);
            let mut flows = axis2::read(&document, policies.source());
            flows.extend(spring::read(&document, policies.source()));
            (policies, attach::operations(&document), flows)
        }
        Err(unreadable) => (*unreadable, Vec::new(), Vec::new()),
    };
    let mut items: Vec<Item> = policies.policies().iter().cloned().map(Item::of_policy).collect();
    items.extend(flows.into_iter().map(Item::of_flows));
    let mut diagnostics = policies.diagnostics().to_vec();
    diagnostics.retain(|found| found.problem != Problem::NoPolicy || items.is_empty());
    Loaded {
        file: file.into(),
        source: policies.source().into(),
        items,
        operations: operations.into_iter().filter_map(Item::of_operation).collect(),
        diagnostics,
    }
}

/// Whether the first character is one that begins a line of TOML.
fn begins_like_toml(bytes: &[u8]) -> bool {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    first.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"[#\"'_".contains(byte))
}

/// Reads the short forms of a TOML text, whatever its name; other tables are not looked at.
///
/// Never fails as a whole, as [`load`].
#[must_use]
pub fn load_short(bytes: &[u8], file: &str) -> Loaded {
    let source: Box<str> = String::from_utf8_lossy(bytes).into();
    if std::str::from_utf8(bytes).is_err() {
        let problem = Problem::Toml { expected: "the text is not UTF-8".into() };
        return Loaded {
            file: file.into(),
            source,
            items: Vec::new(),
            operations: Vec::new(),
            diagnostics: vec![Diagnostic::new(problem, None)],
        };
    }
    let short = short::read(&source);
    let items = short.policies.into_iter().map(Item::of_short).collect();
    Loaded { file: file.into(), source, items, operations: Vec::new(), diagnostics: short.diagnostics }
}

impl Loaded {
    /// The name that was given.
    #[must_use]
    pub fn file(&self) -> &str {
        &self.file
    }

    /// The text that positions belong to.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// The policies, in order.
    #[must_use]
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// Of a WSDL: its operations, named `BINDING/OPERATION`, each with everything that is attached to it.
    #[must_use]
    pub fn operations(&self) -> &[Item] {
        &self.operations
    }

    /// What concerns the whole source.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The policy at a position, from 0.
    ///
    /// # Errors
    /// [`Problem::NoSuchPolicy`].
    pub fn nth(&self, n: usize) -> Result<&Item, Diagnostic> {
        self.items.get(n).ok_or_else(|| self.none(&n.to_string()))
    }

    /// The policy of that name, Id or Name, or the `BINDING/OPERATION` of a WSDL.
    ///
    /// # Errors
    /// [`Problem::NoSuchPolicy`], with the nearest name.
    pub fn named(&self, name: &str) -> Result<&Item, Diagnostic> {
        self.items
            .iter()
            .chain(&self.operations)
            .find(|item| item.is_named(name))
            .ok_or_else(|| self.none(name))
    }

    /// The one policy that was meant where none was picked: the only operation of a WSDL that has one, the only policy, or
    /// the only one with a binding.
    ///
    /// # Errors
    /// What is wrong with the source as a whole; [`Problem::SeveralPolicies`].
    pub fn only(&self) -> Result<&Item, Diagnostic> {
        if let Some(error) = self.diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
            return Err(error.clone());
        }
        if let [only] = self.operations.as_slice() {
            return Ok(only);
        }
        if let [only] = self.items.as_slice() {
            return Ok(only);
        }
        let mut whole = self.items.iter().filter(|item| !item.is_fragment());
        match (whole.next(), whole.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Diagnostic::new(Problem::SeveralPolicies { present: self.items.len() }, None)),
        }
    }

    /// A diagnostic of this source, rendered for a terminal.
    #[must_use]
    pub fn render(&self, diagnostic: &Diagnostic) -> String {
        diagnostic.render(&self.file, &self.source)
    }

    /// The same source with the policy of that name alone.
    pub(crate) fn of(mut self, name: &str) -> Self {
        self.items.retain(|item| item.is_named(name));
        self
    }

    fn none(&self, wanted: &str) -> Diagnostic {
        let names = self.items.iter().chain(&self.operations).filter_map(Item::name);
        let nearest = nearest::nearest(wanted, names).map(Into::into);
        Diagnostic::new(
            Problem::NoSuchPolicy { wanted: wanted.into(), present: self.items.len(), nearest },
            None,
        )
    }
}

impl Item {
    /// An item of one policy for both directions.
    #[must_use]
    pub fn of_policy(policy: Policy) -> Self {
        Self {
            name: policy.identity.label().map(Into::into),
            diagnostics: Vec::new(),
            position: policy.position,
            settings: Settings::default(),
            sides: ItemSides::Both(Box::new(policy)),
        }
    }

    /// An operation of a WSDL; `None` if no policy is attached to it.
    fn of_operation(operation: BoundOperation) -> Option<Self> {
        let position = operation.request.as_ref().or(operation.reply.as_ref())?.position;
        Some(Self {
            name: Some(format!("{}/{}", operation.binding, operation.operation).into()),
            sides: ItemSides::Each {
                request: operation.request.map(ItemSide::policy),
                reply: operation.reply.map(ItemSide::policy),
            },
            settings: Settings::default(),
            diagnostics: Vec::new(),
            position,
        })
    }

    /// The action blocks of a service or a client of Axis2.
    fn of_flows(flows: Flows) -> Self {
        let side = |block: Option<Block>| block.map(|block| ItemSide::Actions(Box::new(block)));
        let mut diagnostics = flows.diagnostics;
        let problem = match (&flows.request, &flows.reply) {
            (Some(_), None) => Some(Problem::OneSided { given: "request", open: "reply" }),
            (None, Some(_)) => Some(Problem::OneSided { given: "reply", open: "request" }),
            _ => None,
        };
        diagnostics.extend(problem.map(|problem| Diagnostic::new(problem, Some(flows.position))));
        Self {
            name: Some(flows.name),
            sides: ItemSides::Each { request: side(flows.request), reply: side(flows.reply) },
            settings: Settings::default(),
            diagnostics,
            position: flows.position,
        }
    }

    /// The action blocks as the TOML short form; `None` if a policy is behind it.
    #[must_use]
    pub fn to_toml(&self) -> Option<String> {
        let (request, reply) = self.blocks();
        if request.is_none() && reply.is_none() {
            return None;
        }
        let name = self.name().unwrap_or("converted");
        let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        let key = if name.chars().all(bare) && !name.is_empty() { name.to_owned() } else { quoted(name) };
        let mut out = format!("[policy.{key}]\n");
        if request.is_none() || reply.is_none() || self.settings.open == Some(Open::Said) {
            out.push_str("open = true\n");
        }
        for (side, block) in [("request", request), ("reply", reply)] {
            let block = block.map_or_else(|| "actions = \"NoSecurity\"\n".to_owned(), Block::to_toml);
            out.push_str(&format!("\n[policy.{key}.{side}]\n{block}"));
        }
        Some(out)
    }

    fn of_short(short: ShortPolicy) -> Self {
        Self {
            name: Some(short.name),
            sides: ItemSides::Each { request: short.request, reply: short.reply },
            settings: short.settings,
            diagnostics: short.diagnostics,
            position: short.position,
        }
    }

    /// Id, Name, or the NAME of `[policy.NAME]`.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Where it begins.
    #[must_use]
    pub fn position(&self) -> Position {
        self.position
    }

    fn is_named(&self, name: &str) -> bool {
        let of_policy = match &self.sides {
            ItemSides::Both(policy) => policy.identity.name.as_deref() == Some(name),
            ItemSides::Each { .. } => false,
        };
        of_policy || self.name() == Some(name)
    }

    fn is_fragment(&self) -> bool {
        match &self.sides {
            ItemSides::Both(policy) => {
                policy.diagnostics.iter().any(|found| found.problem == Problem::Fragment)
            }
            ItemSides::Each { .. } => false,
        }
    }

    fn sides(&self) -> Sides<'_> {
        match &self.sides {
            ItemSides::Both(policy) => Sides::both(policy),
            ItemSides::Each { request, reply } => Sides {
                request: ItemSide::protection(request.as_ref()),
                reply: ItemSide::protection(reply.as_ref()),
            },
        }
    }

    /// The policies behind it: one, or those of request and reply.
    pub fn policies(&self) -> impl Iterator<Item = &Policy> {
        let (first, second) = match &self.sides {
            ItemSides::Both(policy) => (Some(&**policy), None),
            ItemSides::Each { request, reply } => {
                (request.as_ref().and_then(ItemSide::as_policy), reply.as_ref().and_then(ItemSide::as_policy))
            }
        };
        first.into_iter().chain(second)
    }

    /// The action blocks of request and reply.
    pub fn blocks(&self) -> (Option<&Block>, Option<&Block>) {
        match &self.sides {
            ItemSides::Both(_) => (None, None),
            ItemSides::Each { request, reply } => {
                (request.as_ref().and_then(ItemSide::as_block), reply.as_ref().and_then(ItemSide::as_block))
            }
        }
    }

    /// The plans of both sides.
    ///
    /// # Errors
    /// Every reason, each as an error: see [`compile::compile`].
    pub fn compile(&self, options: &Options) -> Result<Compiled, Vec<Diagnostic>> {
        let errors: Vec<Diagnostic> =
            self.diagnostics.iter().filter(|found| found.is_error()).cloned().collect();
        if !errors.is_empty() {
            return Err(errors);
        }
        let mut compiled = compile::compile(self.sides(), &self.settings.over(options))?;
        compiled.diagnostics.splice(0..0, self.diagnostics.iter().cloned());
        Ok(compiled)
    }

    /// The plans alone.
    ///
    /// # Errors
    /// As [`Item::compile`].
    pub fn plans(&self, options: &Options) -> Result<PlanPair, Vec<Diagnostic>> {
        self.compile(options).map(|compiled| compiled.plans)
    }

    /// What `policy check` has to say about it; usable if none is an error.
    #[must_use]
    pub fn check(&self, options: &Options) -> Vec<Diagnostic> {
        let mut all = self.diagnostics.clone();
        if !all.iter().any(Diagnostic::is_error) {
            all.extend(compile::check(self.sides(), &self.settings.over(options)));
        }
        all
    }

    /// How many alternatives it has; those of the request if the sides differ, of the reply if the request is open.
    ///
    /// # Errors
    /// That of [`Policy::normalise`].
    pub fn alternatives(&self, limits: NormalLimits) -> Result<usize, Diagnostic> {
        let normal = self.policies().next().map(|policy| policy.normalise(limits)).transpose()?;
        Ok(normal.map_or(0, |normal| normal.alternatives.len()))
    }

    /// What was found while it was read; [`Item::check`] adds what compiling finds.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The normal form of each policy behind it: one if both directions are alike, else one for each, named
    /// `NAME.request` and `NAME.reply`.
    ///
    /// # Errors
    /// That of [`Policy::normalise`]; [`Problem::NoNormalForm`] of action blocks.
    pub fn normalise(&self, limits: NormalLimits) -> Result<Vec<Normal>, Diagnostic> {
        if self.blocks() != (None, None) {
            return Err(Diagnostic::new(Problem::NoNormalForm, Some(self.position)));
        }
        let mut all: Vec<Normal> =
            self.policies().map(|policy| policy.normalise(limits)).collect::<Result<_, _>>()?;
        if let ItemSides::Each { request, reply } = &self.sides {
            if let [one, other] = all.as_slice()
                && one == other
            {
                all.truncate(1);
                return Ok(all);
            }
            let sides = [(request, "request"), (reply, "reply")];
            let names = sides.into_iter().filter(|(side, _)| side.is_some()).map(|(_, name)| name);
            for (normal, side) in all.iter_mut().zip(names) {
                let name = self.name().unwrap_or("policy").replace(['/', ' '], ".");
                normal.identity = Identity { id: Some(format!("{name}.{side}").into()), name: None };
            }
        }
        Ok(all)
    }

    /// What it means, in words.
    ///
    /// # Errors
    /// As [`Item::compile`].
    pub fn explain(&self, options: &Options) -> Result<Explanation, Vec<Diagnostic>> {
        let compiled = self.compile(options)?;
        let alternatives = self.alternatives(options.limits).map_err(|problem| vec![problem])?;
        Ok(explain::explain(self.name(), &compiled, alternatives))
    }
}
