//! The memory in the process and the one with a journal, under the suite; and a process that is killed.

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use bartizan_gateway::state::replay::KeptReplay;
use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, MemoryReplay, Remember, ReplayCache};

use super::suite::{Stage, first_of_a_million_is_remembered, full_refuses_and_forgets_nothing};
use super::{key, nobody};

const START: Time = Time::from_unix(1_214_308_800);
/// Where the child of the test of a killed process keeps its journal.
const CHILD: &str = "BARTIZAN_TEST_REPLAY_CHILD";

fn memory(capacity: usize) -> MemoryReplay {
    MemoryReplay::new(capacity, Duration::from_secs(600))
}

fn open(folder: &Path, capacity: usize) -> KeptReplay {
    KeptReplay::open(&folder.join("replay"), memory(capacity), START, nobody()).expect("opened")
}

fn stage(cache: &dyn ReplayCache) -> Stage<'_> {
    // Exact to the millisecond: it has no clock but the one that it is told.
    Stage { one: cache, other: cache, start: START, pass: &|_| {}, slack: Duration::from_millis(1) }
}

#[test]
fn attack_tok_01_memory_of_the_process_accepts_each_message_once() {
    stage(&memory(4_000_000)).run();
    full_refuses_and_forgets_nothing(&memory(1000), 1000, START);
    first_of_a_million_is_remembered(&memory(4_000_000), START);
}

#[test]
fn attack_tok_01_memory_with_a_journal_accepts_each_message_once() {
    let folder = tempfile::tempdir().expect("a folder");
    stage(&open(folder.path(), 4_000_000)).run();
    let small = tempfile::tempdir().expect("a folder");
    full_refuses_and_forgets_nothing(&open(small.path(), 1000), 1000, START);
}

#[test]
fn attack_tok_01_memory_with_a_journal_knows_a_million_after_a_restart() {
    let folder = tempfile::tempdir().expect("a folder");
    let until = Remember::Until(START + Duration::from_secs(300));
    let kept = open(folder.path(), 4_000_000);
    first_of_a_million_is_remembered(&kept, START);
    drop(kept);
    let kept = open(folder.path(), 4_000_000);
    for n in (0..1_000_000).step_by(997) {
        assert_eq!(kept.claim(&key("million", n), until, START), Claim::Repeat, "{n}");
    }
}

/// Not a test by itself: the process that the next one kills. It claims for as long as it lives, and says so after each claim.
#[test]
fn child_that_claims_until_it_is_killed() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let kept = open(Path::new(&folder), 4_000_000);
    let mut out = std::io::stdout();
    for n in 0.. {
        assert_eq!(kept.claim(&key("killed", n), Remember::Window, START), Claim::Fresh);
        writeln!(out, "claimed {n}").expect("somebody reads");
    }
}

#[test]
fn attack_tok_01_claim_of_a_process_that_was_killed_is_remembered() {
    let mut all = 0;
    for _ in 0..3 {
        let kept = tempfile::tempdir().expect("a folder");
        let mut child = Command::new(std::env::current_exe().expect("this program"))
            .args([
                "--exact",
                "kept::child_that_claims_until_it_is_killed",
                "--nocapture",
                "--test-threads=1",
            ])
            .env(CHILD, kept.path())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it runs");
        let mut lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let mut claimed = Vec::new();
        while claimed.len() < 5000 {
            let line = lines.next().expect("it goes on").expect("readable");
            claimed.extend(line.strip_prefix("claimed ").map(|n| n.parse::<u64>().expect("a number")));
        }
        // SIGKILL, in the middle of whatever it does.
        child.kill().expect("killed");
        child.wait().expect("ended");
        claimed.extend(
            lines.map_while(Result::ok).filter_map(|line| line.strip_prefix("claimed ")?.parse::<u64>().ok()),
        );
        let kept = open(kept.path(), 4_000_000);
        for n in &claimed {
            assert_eq!(kept.claim(&key("killed", *n), Remember::Window, START), Claim::Repeat, "{n}");
        }
        all += claimed.len();
    }
    assert!(all >= 15_000);
}

#[test]
fn complaint_12_claim_lives_as_long_as_its_message_in_memory_and_in_the_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    stage(&memory(1000)).life_ends_when_it_ends();
    stage(&open(folder.path(), 1000)).life_ends_when_it_ends();
}

#[test]
fn complaint_33_nonces_are_one_file_and_it_does_not_grow_for_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = open(folder.path(), 4_000_000);
    let mut longest = 0;
    // A thousand live at a time, of a hundred thousand.
    for n in 0..100_000_u64 {
        let now = START + Duration::from_millis(n);
        assert_eq!(
            kept.claim(&key("pile", n), Remember::Until(now + Duration::from_secs(1)), now),
            Claim::Fresh
        );
        if n % 1000 == 0 {
            let files: Vec<_> = std::fs::read_dir(folder.path()).expect("a folder").flatten().collect();
            assert_eq!(files.len(), 1, "{files:?}");
            longest = longest.max(files[0].metadata().expect("there").len());
        }
    }
    assert!(longest < 2_000_000, "{longest} octets; all of them would be four million");
    assert!(kept.counts().entries < 50_000, "{} entries are held", kept.counts().entries);
}

#[test]
fn complaint_34_whole_hashes_are_compared_in_memory_and_in_the_journal() {
    let folder = tempfile::tempdir().expect("a folder");
    stage(&memory(1000)).whole_key_counts();
    stage(&open(folder.path(), 1000)).whole_key_counts();
}

#[test]
fn attack_tok_04_latest_time_outlives_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    for step in [Duration::from_secs(3600), Duration::from_secs(24 * 3600)] {
        let start = START + step;
        let until = Remember::Until(start + Duration::from_secs(300));
        let n = step.as_secs();
        let kept = open(folder.path(), 1000);
        assert_eq!(kept.claim(&key("step", n), until, start), Claim::Fresh);
        // Its life ends, others come, the process ends.
        assert_eq!(kept.claim(&key("later", n), Remember::Window, start + step), Claim::Fresh);
        drop(kept);
        // The clock is set back, in several steps.
        for time in [start + Duration::from_secs(299), start, START] {
            let kept = open(folder.path(), 1000);
            assert_eq!(kept.claim(&key("step", n), until, time), Claim::Stale);
        }
    }
}
