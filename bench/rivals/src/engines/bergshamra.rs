//! bergshamra with its AWS-LC provider: templates are signed and encrypted, the key is trusted beforehand.

use bartizan_lab::message::Size;
use bergshamra::c14n::{C14nMode, canonicalize_doc};
use bergshamra::dsig::sign::sign_document;
use bergshamra::keys::loader::load_pem_auto;
use bergshamra::xml::NodeSet;
use bergshamra::xml::uppsala::{self, Document as Tree, NodeId};
use bergshamra::{DsigContext, EncContext, KeysManager, VerifyResult};

use crate::documents::{Document, Keys};
use crate::engine::{Case, Engine, Outcome, Turn, plain_turns, rotation};

/// The engine with its keys.
pub struct Bergshamra {
    signing: DsigContext,
    sealing: EncContext,
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

fn manager(keys: &Keys) -> KeysManager {
    let mut manager = KeysManager::new();
    manager.add_key(load_pem_auto(keys.pem.as_bytes(), None).expect("bergshamra takes the key"));
    manager
}

impl Bergshamra {
    /// With the key of a run.
    pub fn new(keys: &Keys) -> Bergshamra {
        // A Body is neither ancestor nor sibling of a signature in the header: its strict mode refuses all of SOAP.
        let signing = DsigContext::new(manager(keys)).with_strict_verification(false);
        Bergshamra { signing, sealing: EncContext::new(manager(keys)) }
    }
}

fn body(tree: &Tree<'_>) -> Outcome<NodeId> {
    let root = tree.document_element().ok_or("no element")?;
    let is_body = |id: &NodeId| tree.element(*id).is_some_and(|element| &*element.name.local_name == "Body");
    tree.children_iter(root).find(is_body).ok_or_else(|| "no Body".to_owned())
}

fn canonical(tree: &Tree<'_>) -> Outcome<Vec<u8>> {
    let nodes = NodeSet::tree_without_comments(body(tree)?, tree);
    canonicalize_doc::<&str>(tree, C14nMode::Exclusive, Some(&nodes), &[]).map_err(said)
}

impl Engine for Bergshamra {
    fn name(&self) -> &str {
        "bergshamra"
    }

    fn note(&self, case: Case) -> String {
        let rest = if case.is_cryptography() { "AWS-LC" } else { "parser uppsala" };
        format!("0.11.1, {rest}")
    }

    fn offers(&self, _: Case) -> bool {
        true
    }

    fn act(&self, case: Case, document: &Document) -> Outcome<Vec<u8>> {
        match case {
            Case::Parse => {
                let tree = uppsala::parse(&document.unsigned).map_err(said)?;
                let elements =
                    tree.descendants(tree.root()).into_iter().filter(|id| tree.element(*id).is_some());
                Ok(elements.count().to_string().into_bytes())
            }
            Case::Canonical => canonical(&uppsala::parse(&document.unsigned).map_err(said)?),
            Case::Verify => match bergshamra::verify(&self.signing, &document.signed).map_err(said)? {
                VerifyResult::Valid { references, .. } if references.len() == 2 => Ok(Vec::new()),
                other => Err(format!("{other:?}")),
            },
            Case::Sign => {
                // On the tree: `sign` of a text parses it anew for every reference: twice the time at 1 MB.
                let mut tree = uppsala::parse(&document.template).map_err(said)?;
                sign_document(&self.signing, &mut tree).map_err(said)?;
                Ok(tree.to_xml().into_bytes())
            }
            Case::Encrypt => {
                bergshamra::encrypt(&self.sealing, &document.sealing, document.content.as_bytes())
                    .map(String::into_bytes)
                    .map_err(said)
            }
            Case::Decrypt => {
                bergshamra::decrypt(&self.sealing, &document.sealed).map(String::into_bytes).map_err(said)
            }
        }
    }

    fn turns(&'static self, case: Case, size: Size, documents: &'static [Document]) -> Turn {
        let texts = || documents.iter().map(|document| document.unsigned.as_str());
        match case {
            Case::Parse => {
                rotation(size, texts().collect(), |text: &'static str| uppsala::parse(text).expect("a tree"))
            }
            Case::Canonical => {
                let trees: Vec<Tree<'static>> =
                    texts().map(|text| uppsala::parse(text).expect("a tree")).collect();
                rotation(size, (0..trees.len()).collect(), move |at: usize| {
                    canonical(&trees[at]).expect("octets")
                })
            }
            _ => plain_turns(self, case, size, documents),
        }
    }
}
