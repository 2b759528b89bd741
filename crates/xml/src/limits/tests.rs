use super::{Budget, Limits, Quantity};
use crate::ErrorKind;

#[test]
fn limit_of_a_cumulative_quantity_holds_at_the_limit_and_fails_one_above() {
    let mut budget = Budget::new(&Limits { references: 3, ..Limits::default() });
    assert!(budget.spend(Quantity::References, 2).is_ok());
    assert!(budget.spend(Quantity::References, 1).is_ok());
    let error = budget.spend(Quantity::References, 1).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Limit(Quantity::References));
}

#[test]
fn exhaustion_is_final() {
    let mut budget = Budget::new(&Limits { private_ops: 4, ..Limits::default() });
    assert!(budget.spend(Quantity::PrivateOperations, 5).is_err());
    assert!(budget.spend(Quantity::PrivateOperations, 1).is_err());
}

#[test]
fn limit_of_a_single_element_is_not_used_up() {
    let mut budget = Budget::new(&Limits { attributes: 2, ..Limits::default() });
    for _ in 0..3 {
        assert!(budget.spend(Quantity::Attributes, 2).is_ok());
    }
    assert!(budget.spend(Quantity::Attributes, 3).is_err());
}

#[test]
fn limit_of_digested_octets_grows_with_the_message() {
    let mut budget = Budget::new(&Limits { digested_factor: 2, ..Limits::default() });
    budget.spend(Quantity::Bytes, 1_000).unwrap();
    assert!(budget.spend(Quantity::DigestedBytes, (64 << 10) + 2_000).is_ok());
    assert!(budget.spend(Quantity::DigestedBytes, 1).is_err());
}
