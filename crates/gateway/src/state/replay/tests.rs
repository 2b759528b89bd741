use std::sync::{Arc, Mutex};
use std::time::Duration;

use bartizan_keys::Time;
use bartizan_wss::replay::{Claim, MemoryReplay, Remember, ReplayCache as _, ReplayKey};

use super::{COMPACT_FLOOR, KeptReplay, Tell};

const WINDOW: Duration = Duration::from_secs(600);

fn key(n: u64) -> ReplayKey {
    let mut octets = [0u8; 32];
    octets[..8].copy_from_slice(&n.to_le_bytes());
    ReplayKey::from_digest(&octets)
}

fn open(folder: &tempfile::TempDir, now: Time) -> KeptReplay {
    let memory = MemoryReplay::new(100_000, WINDOW);
    KeptReplay::open(&folder.path().join("replay"), memory, now, nobody()).expect("opened")
}

/// Nobody is told.
fn nobody() -> Tell {
    Arc::new(|_| {})
}

#[test]
fn claim_is_remembered_over_a_restart_until_its_window_ends() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    assert_eq!(open(&folder, start).claim(&key(1), Remember::Window, start), Claim::Fresh);
    let later = start + Duration::from_secs(599);
    assert_eq!(open(&folder, later).claim(&key(1), Remember::Window, later), Claim::Repeat);
    let after = start + Duration::from_secs(601);
    assert_eq!(open(&folder, after).claim(&key(1), Remember::Window, after), Claim::Fresh);
}

#[test]
fn claim_survives_a_torn_last_entry() {
    let folder = tempfile::tempdir().expect("a folder");
    let now = Time::from_unix(1_000_000);
    let kept = open(&folder, now);
    assert_eq!(kept.claim(&key(1), Remember::Window, now), Claim::Fresh);
    assert_eq!(kept.claim(&key(2), Remember::Window, now), Claim::Fresh);
    drop(kept);
    let path = folder.path().join("replay");
    let octets = std::fs::read(&path).expect("there");
    std::fs::write(&path, &octets[..octets.len() - 7]).expect("cut");
    let kept = open(&folder, now);
    assert_eq!(kept.claim(&key(1), Remember::Window, now), Claim::Repeat);
    assert_eq!(kept.claim(&key(2), Remember::Window, now), Claim::Fresh);
}

#[test]
fn clock_set_back_over_a_restart_opens_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let kept = open(&folder, start);
    let until = start + Duration::from_secs(10);
    assert_eq!(kept.claim(&key(1), Remember::Until(until), start), Claim::Fresh);
    // Much later something else is claimed: the first one's life is over.
    let later = start + Duration::from_secs(1000);
    assert_eq!(kept.claim(&key(2), Remember::Window, later), Claim::Fresh);
    drop(kept);
    assert_eq!(open(&folder, start).claim(&key(1), Remember::Until(until), start), Claim::Stale);
}

#[test]
fn claim_under_a_clock_set_back_leaves_the_latest_time_in_the_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let until = start + Duration::from_secs(10);
    let kept = open(&folder, start);
    assert_eq!(kept.claim(&key(1), Remember::Until(until), start), Claim::Fresh);
    let later = start + Duration::from_secs(1000);
    assert_eq!(kept.claim(&key(2), Remember::Window, later), Claim::Fresh);
    drop(kept);
    // The first one's life is over and it is swept out of the file; then the clock goes back and another message comes.
    let kept = open(&folder, later);
    assert_eq!(kept.claim(&key(3), Remember::Window, start), Claim::Fresh);
    drop(kept);
    let kept = open(&folder, start);
    assert_eq!(kept.claim(&key(1), Remember::Until(until), start), Claim::Stale);
    // What was claimed by the old clock is remembered as long as what was claimed by the new one.
    let end = later + Duration::from_secs(599);
    assert_eq!(kept.claim(&key(3), Remember::Window, end), Claim::Repeat);
}

#[test]
fn file_is_written_anew_instead_of_growing_for_ever() {
    let folder = tempfile::tempdir().expect("a folder");
    let kept = open(&folder, Time::from_unix(0));
    let length = || std::fs::metadata(folder.path().join("replay")).expect("there").len();
    // Each claim lives for a moment only; all the others are over when the next one comes.
    let mut longest = 0;
    for n in 0..COMPACT_FLOOR + 100 {
        let now = Time::from_millis(i64::try_from(n).expect("small") * 10);
        assert_eq!(kept.claim(&key(n), Remember::Until(now + Duration::from_millis(5)), now), Claim::Fresh);
        longest = longest.max(length());
    }
    assert!(longest >= COMPACT_FLOOR * 40, "it grew to the floor");
    assert!(length() < longest / 2, "and was written anew");
    assert!(!kept.is_broken());
}

#[test]
fn memory_of_another_size_is_the_same_memory() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let kept = open(&folder, start);
    assert_eq!(kept.claim(&key(1), Remember::Window, start), Claim::Fresh);
    kept.resize(WINDOW * 2, 2);
    assert_eq!((kept.window(), kept.counts().capacity), (WINDOW * 2, 2));
    assert_eq!(kept.claim(&key(1), Remember::Window, start), Claim::Repeat);
    assert_eq!(kept.claim(&key(2), Remember::Window, start), Claim::Fresh);
    assert_eq!(kept.claim(&key(3), Remember::Window, start), Claim::Full);
    // The first is remembered for the window that it came in, the second for the longer one.
    let later = start + WINDOW + Duration::from_millis(1);
    assert_eq!(kept.claim(&key(2), Remember::Window, later), Claim::Repeat);
    assert_eq!(kept.claim(&key(3), Remember::Window, later), Claim::Fresh);
    drop(kept);
    assert_eq!(open(&folder, later).claim(&key(2), Remember::Window, later), Claim::Repeat);
}

#[test]
fn link_in_place_of_the_new_file_is_not_followed() {
    let folder = tempfile::tempdir().expect("a folder");
    let other = folder.path().join("other");
    std::fs::write(&other, "precious").expect("written");
    std::os::unix::fs::symlink(&other, folder.path().join("replay.part")).expect("linked");
    let start = Time::from_unix(1_000_000);
    assert_eq!(open(&folder, start).claim(&key(1), Remember::Window, start), Claim::Fresh);
    assert_eq!(std::fs::read(&other).expect("there"), b"precious");
    assert_eq!(open(&folder, start).claim(&key(1), Remember::Window, start), Claim::Repeat);
}

#[test]
fn file_that_cannot_be_written_anew_goes_on_taking_claims() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let kept = open(&folder, start);
    let part = folder.path().join("replay.part");
    std::fs::create_dir(&part).expect("made");
    let many = COMPACT_FLOOR + 2;
    (0..many).for_each(|n| assert_eq!(kept.claim(&key(n), Remember::Window, start), Claim::Fresh));
    drop(kept);
    std::fs::remove_dir(&part).expect("removed");
    let kept = open(&folder, start);
    (0..many).for_each(|n| assert_eq!(kept.claim(&key(n), Remember::Window, start), Claim::Repeat, "{n}"));
}

/// Opens the journal as the machine does after this start of it.
fn open_on(boot: u8, folder: &tempfile::TempDir, now: Time) -> KeptReplay {
    let memory = MemoryReplay::new(100_000, WINDOW);
    KeptReplay::open_on(Some([boot; 16]), &folder.path().join("replay"), memory, now, nobody())
        .expect("opened")
}

#[test]
fn every_claim_is_known_since_the_file_was_made_and_over_restarts_of_the_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let hour = Duration::from_secs(3600);
    assert_eq!(open_on(1, &folder, start).started(), start);
    let kept = open_on(1, &folder, start + hour);
    assert_eq!(kept.started(), start);
    kept.resize(WINDOW, 9);
    assert_eq!(kept.started(), start, "of another size");
}

#[test]
fn restart_of_the_machine_keeps_the_claims_and_no_longer_vouches_for_all_of_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let later = start + Duration::from_secs(60);
    assert_eq!(open_on(1, &folder, start).claim(&key(1), Remember::Window, start), Claim::Fresh);
    let kept = open_on(2, &folder, later);
    assert_eq!(kept.started(), later);
    assert_eq!(kept.claim(&key(1), Remember::Window, later), Claim::Repeat);
}

#[test]
fn file_of_the_first_version_is_taken_over() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let old = MemoryReplay::new(100, WINDOW);
    assert_eq!(old.claim(&key(1), Remember::Window, start), Claim::Fresh);
    std::fs::write(folder.path().join("replay"), old.export()).expect("written");
    let kept = open(&folder, start);
    assert_eq!(kept.claim(&key(1), Remember::Window, start), Claim::Repeat);
    assert_eq!(kept.started(), start, "it did not say since when it is");
}

#[test]
fn file_with_a_claim_missing_no_longer_vouches() {
    let folder = tempfile::tempdir().expect("a folder");
    let start = Time::from_unix(1_000_000);
    let later = start + Duration::from_secs(60);
    let kept = open_on(1, &folder, start);
    assert_eq!(kept.claim(&key(1), Remember::Window, start), Claim::Fresh);
    {
        // No file system has a place there.
        let mut journal = kept.journal.as_ref().expect("a journal").lock().expect("whole");
        (journal.end, journal.compact_at) = (i64::MAX as u64 - 8, u64::MAX);
    }
    assert_eq!(kept.claim(&key(2), Remember::Window, start), Claim::Fresh);
    assert!(kept.is_broken());
    drop(kept);
    let kept = open_on(1, &folder, later);
    assert_eq!(kept.claim(&key(1), Remember::Window, later), Claim::Repeat);
    assert_eq!(kept.started(), later);
}

#[test]
fn crowding_and_a_file_that_cannot_be_written_are_told_once() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let tell: Tell = Arc::new({
        let told = Arc::clone(&told);
        move |what: &str| told.lock().expect("whole").push(what.to_owned())
    });
    let start = Time::from_unix(1_000_000);
    // Every write to this device fails for want of room, as on a full disk.
    let Ok(full) = std::fs::OpenOptions::new().write(true).open("/dev/full") else {
        return eprintln!("skipped: there is no /dev/full here");
    };
    let folder = tempfile::tempdir().expect("a folder");
    let memory = MemoryReplay::new(10, WINDOW);
    let kept = KeptReplay::open(&folder.path().join("replay"), memory, start, tell).expect("opened");
    kept.journal.as_ref().expect("a journal").lock().expect("whole").file = full;
    for n in 0..10 {
        assert_eq!(kept.claim(&key(n), Remember::Window, start), Claim::Fresh);
    }
    assert_eq!(kept.claim(&key(11), Remember::Window, start), Claim::Full);
    let told = told.lock().expect("whole").join("\n");
    assert_eq!(told.matches("cannot be written").count(), 1, "{told}");
    assert_eq!(told.matches("holds 8 of 10 messages").count(), 1, "{told}");
    assert_eq!(kept.counts().full, 1);
}
