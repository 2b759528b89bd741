use super::command;
use super::flags::{FLAGS, find};
use super::verbs::{VERBS, Verb};

fn each(verbs: &'static [Verb], check: &mut dyn FnMut(&'static Verb)) {
    for verb in verbs {
        check(verb);
        each(verb.subs, check);
    }
}

#[test]
fn every_flag_of_a_verb_is_in_the_table_and_every_flag_is_used() {
    let mut used = Vec::new();
    each(VERBS, &mut |verb| {
        for id in verb.flags {
            let found = find(id, verb.name);
            assert!(found.is_some(), "{} takes --{id}, which is nowhere", verb.name);
            used.extend(found.map(|flag| (flag.id, flag.of)));
        }
        for id in verb.required {
            assert!(verb.flags.contains(id), "{} requires --{id} and does not take it", verb.name);
        }
    });
    for flag in FLAGS {
        assert!(used.contains(&(flag.id, flag.of)), "--{} is taken by no verb", flag.id);
    }
}

#[test]
fn every_verb_has_examples_that_parse_to_a_verb() {
    each(VERBS, &mut |verb| {
        let examples: Vec<&str> = verb.examples.lines().skip(1).map(str::trim).collect();
        assert!((1..=3).contains(&examples.len()), "{} has {} examples", verb.name, examples.len());
        for example in examples {
            let words = example.split_whitespace();
            let parsed = command().try_get_matches_from(words);
            assert!(parsed.is_ok(), "{example}: {}", parsed.err().map(|e| e.to_string()).unwrap_or_default());
        }
    });
}

#[test]
fn clap_finds_no_fault_with_the_tables() {
    command().debug_assert();
}
