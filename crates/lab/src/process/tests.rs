use super::*;

/// As a kernel writes it; the name holds what a name may hold.
const STAT: &str = "4242 (java) R 7 (x)) S 1 4242 4242 0 -1 4194560 98765 0 12 0 1234 567 0 0 20 0 31 0 \
                    884422 3651522560 90112 18446744073709551615 1 1 0 0 0 0 0 4096 17635 0 0 0 17 0 0 0 0 0 0";

#[test]
fn cpu_time_is_the_sum_of_user_and_system_ticks() {
    assert_eq!(cpu_ticks(STAT), Some(1234 + 567));
}

#[test]
fn text_that_is_cut_short_gives_no_figure() {
    assert_eq!(cpu_ticks(""), None);
    assert_eq!(cpu_ticks("1 (a) S 1 2 3"), None);
    assert_eq!(resident_bytes("VmPeak:\t 12 kB\n"), None);
    assert_eq!(resident_bytes("VmRSS:\t kB\n"), None);
}

#[test]
fn resident_memory_is_given_in_bytes() {
    assert_eq!(resident_bytes("Name:\tjava\nVmHWM:\t 9 kB\nVmRSS:\t  360448 kB\n"), Some(360_448 * 1024));
}

#[test]
fn allowed_cores_are_read_from_ranges_and_single_ones() {
    assert_eq!(allowed_cores("Name:\tx\nCpus_allowed_list:\t0-1,4\n"), [0, 1, 4]);
    assert_eq!(allowed_cores("Cpus_allowed_list:\t7"), [7]);
    assert_eq!(allowed_cores("Cpus_allowed:\tff\n"), [0usize; 0]);
}

#[test]
fn process_that_ends_early_is_named_with_its_last_words() {
    let folder = tempfile::tempdir().unwrap();
    let line = ["sh", "-c", "echo starting; echo no such keys >&2; exit 3"].map(str::to_owned);
    let process =
        Process::start("stranger", &line, &Tools::default(), None, &folder.path().join("log")).unwrap();
    let error = process.wait_for("ready", Duration::from_secs(30)).unwrap_err().to_string();
    assert_eq!(error, "stranger is not ready: no such keys");
}

#[test]
fn rest_of_the_ready_line_is_given_and_use_can_be_read() {
    let folder = tempfile::tempdir().unwrap();
    let line = ["sh", "-c", "echo hello; echo ready 4711; exec sleep 60"].map(str::to_owned);
    let process =
        Process::start("sleeper", &line, &Tools::default(), None, &folder.path().join("log")).unwrap();
    assert_eq!(process.wait_for("ready ", Duration::from_secs(30)).unwrap(), "4711");
    assert!(process.usage().unwrap().resident > 0);
    process.stop();
}
