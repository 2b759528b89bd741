use bartizan_wss::plan::{Plan, PlanPair, Side};

use super::{BodyName, Operation, PlanSet};

fn plans() -> PlanPair {
    PlanPair { initiator: Plan::open(Side::Initiator), recipient: Plan::open(Side::Recipient) }
}

fn operation(action: Option<&str>, local: &str) -> Operation {
    let body = Some(BodyName { namespace: "urn:a".into(), local: local.into() });
    Operation { action: action.map(Into::into), body, plans: plans() }
}

fn chosen<'a>(set: &'a PlanSet, action: Option<&str>) -> Option<&'a str> {
    set.select(action).and_then(|found| found.body.as_ref()).map(|body| &*body.local)
}

#[test]
fn the_claimed_action_chooses_and_the_rest_goes_to_the_one_without() {
    let set = PlanSet::new(vec![operation(None, "any"), operation(Some("urn:x"), "x")]).expect("no overlap");
    assert_eq!(chosen(&set, Some("urn:x")), Some("x"));
    assert_eq!(chosen(&set, Some("urn:y")), Some("any"));
    assert_eq!(chosen(&set, None), Some("any"));
    let set = PlanSet::new(vec![operation(Some("urn:x"), "x")]).expect("no overlap");
    assert_eq!(chosen(&set, None), None);
}

#[test]
fn two_operations_with_one_action_overlap() {
    let two = vec![operation(Some("urn:x"), "x"), operation(Some("urn:x"), "y")];
    assert_eq!(PlanSet::new(two).expect_err("overlap").second, 1);
}

#[test]
fn what_was_verified_must_be_what_was_claimed() {
    let x = operation(Some("urn:x"), "x");
    assert!(x.confirms(Some(("urn:a", "x")), Some("urn:x")));
    assert!(x.confirms(Some(("urn:a", "x")), None), "the action was not covered, so it says nothing");
    assert!(!x.confirms(Some(("urn:a", "y")), Some("urn:x")));
    assert!(!x.confirms(Some(("urn:b", "x")), None));
    assert!(!x.confirms(None, None));
    assert!(!x.confirms(Some(("urn:a", "x")), Some("urn:y")));
    assert!(PlanSet::single(plans()).operations()[0].confirms(None, Some("urn:y")));
}
