use super::{Expectations, Report};

fn report(listed: &str) -> Report {
    Report::new("unit", Expectations::parse(listed))
}

#[test]
fn expected_outcomes_finish() {
    let mut run = report("# comment\nb\tneeds a DTD\n");
    run.enter("a", Ok(()));
    run.enter("b", Err("dtd".into()));
    assert_eq!(run.passed(), 1);
    run.finish(1);
}

#[test]
#[should_panic(expected = "a failed: why")]
fn unlisted_failure_panics() {
    let mut run = report("");
    run.enter("a", Err("why".into()));
    run.finish(0);
}

#[test]
#[should_panic(expected = "passes but is listed")]
fn listed_pass_panics() {
    let mut run = report("a\treason\n");
    run.enter("a", Ok(()));
    run.finish(0);
}

#[test]
#[should_panic(expected = "did not run")]
fn listed_case_that_never_ran_panics() {
    report("gone\treason\n").finish(0);
}

#[test]
#[should_panic(expected = "floor is 1")]
fn too_few_passes_panic() {
    report("").finish(1);
}

#[test]
#[should_panic(expected = "no reason")]
fn case_without_reason_panics() {
    let _ = Expectations::parse("a\n");
}
