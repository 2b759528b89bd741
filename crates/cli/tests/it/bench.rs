//! `bench`: what is listed and refused, a run against our own server, records shown and compared. No time is asserted.

use super::program::{Desk, bartizan};

/// A record with our server and one that is missing.
const RECORD: &str = "\
scenario,keys,concurrency,peer,version,rounds,messages,warm_messages,msgs_per_s,msgs_per_s_low,msgs_per_s_high,cpu_us,cpu_us_low,cpu_us_high,p50_us,p99_us,rss_bytes,request_bytes,reply_bytes,ratio_to_floor,ratio_to_own,errors,note,setting,machine,date,measured,tool
rampart,rsa2048,10,bartizan,0.1.0,9,9000,90000,1600.0,1500.0,1700.0,600.00,590.00,610.00,550.0,900.0,20000000,4930,4786,1.111,1.000,0,,pinned,a machine,2026-12-01T00:30:00Z,yes,test
rampart,rsa2048,10,cxf,,,,,,,,,,,,,,,,,,0,missing: not built,pinned,a machine,2026-12-01T00:30:00Z,no,test
";

#[test]
fn scenarios_are_listed_with_what_they_need() {
    let json = bartizan(&["bench", "list", "--json"]).ends(0).json();
    let all = json["scenarios"].as_array().expect("scenarios");
    let available = |name: &str| all.iter().find(|s| s["name"] == name).map(|s| s["available"].clone());
    for name in ["rampart", "unt", "all"] {
        assert_eq!(available(name), Some(true.into()), "{name}");
    }
    for name in ["wsrf", "junction", "tls"] {
        assert_eq!(available(name), Some(false.into()), "{name}");
    }
    let text = bartizan(&["bench", "list"]).ends(0).out;
    assert!(text.contains("not built yet: needs web junctions"), "{text}");
}

#[test]
fn scenario_that_is_not_built_ends_with_2_and_names_what_is() {
    for name in ["wsrf", "junction", "tls"] {
        let run = bartizan(&["bench", name, "--quick"]).ends(2);
        assert!(
            run.err.contains("not built yet") && run.err.contains("available: rampart, unt, all;"),
            "{}",
            run.err
        );
    }
    let run = bartizan(&["bench", "rampat"]).ends(2);
    assert!(run.err.contains("did you mean `rampart`?"), "{}", run.err);
}

#[test]
fn peer_that_was_asked_for_and_is_missing_ends_with_2_and_tells_how_to_get_it() {
    let run =
        bartizan(&["bench", "rampart", "--quick", "--only", "cxf", "--peers", "/nowhere/at/all"]).ends(2);
    assert!(run.err.contains("the peer cxf is missing") && run.err.contains("build.sh"), "{}", run.err);
    let run = bartizan(&["bench", "rampart", "--only", "axis"]).ends(2);
    assert!(run.err.contains("there is no engine `axis`"), "{}", run.err);
    let run = bartizan(&["bench", "rampart", "--keys-sizes", "512"]).ends(2);
    assert!(run.err.contains("there is no kind of keys `512`"), "{}", run.err);
}

#[test]
fn own_server_answers_rightly_under_load_and_is_recorded() {
    let desk = Desk::new();
    let args = [
        "bench",
        "rampart",
        "--quick",
        "--only",
        "own",
        "--keys-sizes",
        "p256",
        "--warm",
        "0.1",
        "--duration",
        "100ms",
        "--out",
        "record",
        "--json",
    ];
    let json = desk.bartizan(&args).ends(0).json();
    assert_eq!(json["verdict"], "right");
    let rows = json["rows"].as_array().expect("rows");
    let found: Vec<_> = rows.iter().map(|row| (row["peer"].as_str(), row["concurrency"].as_u64())).collect();
    assert_eq!(found, [(Some("floor"), Some(0)), (Some("bartizan"), Some(1)), (Some("bartizan"), Some(10))]);
    for row in rows {
        assert_eq!(row["errors"], 0, "{row}");
        assert!(row["cpu_us"]["median"].as_f64().is_some_and(|cpu| cpu >= 0.0), "{row}");
    }
    assert!(rows[1]["messages"].as_u64().is_some_and(|messages| messages > 0), "{rows:?}");
    assert!(rows[1]["reply_bytes"].as_u64().is_some_and(|bytes| bytes > 1000), "{rows:?}");
    assert_eq!(desk.names(), ["record"]);
    for name in ["rampart.csv", "rampart.txt", "rampart.html"] {
        assert!(desk.has(&format!("record/{name}")), "{name}");
    }
    // What was recorded is what was said.
    let again = desk.bartizan(&["bench", "report", "record", "--json"]).ends(0).json();
    assert_eq!(again["rows"][1]["messages"], rows[1]["messages"]);
    assert_eq!(desk.bartizan(&["bench", "report", "record"]).ends(0).out, desk.read("record/rampart.txt"));
}

#[test]
fn set_ups_with_tokens_are_answered_rightly_with_and_without_memory_and_recorded() {
    let desk = Desk::new();
    let args = "bench unt --quick --only own,bartizan-replay --keys-sizes 1024 --threads 3 --calls 4 --warm 0.1 --duration 50ms \
                --out record --json";
    let args: Vec<&str> = args.split(' ').filter(|word| !word.is_empty()).collect();
    let json = desk.bartizan(&args).ends(0).json();
    let rows = json["rows"].as_array().expect("rows");
    let found = |peer: &str| {
        let own = rows.iter().filter(|row| row["peer"] == peer);
        own.map(|row| row["keys"].as_str().expect("a name").to_owned()).collect::<Vec<_>>()
    };
    let all = ["unt1", "unt2a", "unt2b", "unt3-rsa1024", "unt4a-rsa1024", "unt4b-rsa1024"];
    assert_eq!(found("bartizan"), all);
    assert_eq!(found("bartizan-replay"), all[..1]);
    // The first has no cryptography.
    assert_eq!(found("floor"), all[1..]);
    for row in rows.iter().filter(|row| row["peer"] != "floor") {
        assert_eq!((&row["errors"], &row["concurrency"]), (&0.into(), &3.into()), "{row}");
        assert!(row["messages"].as_u64().is_some_and(|messages| messages >= 12), "{row}");
    }
    // Every message of these is a new one.
    let guarded = rows.iter().find(|row| row["peer"] == "bartizan-replay").expect("a row");
    assert_eq!(guarded["messages"], 1_000);
    for name in ["unt.csv", "unt.txt", "unt.html"] {
        assert!(desk.has(&format!("record/{name}")), "{name}");
    }
    let text = desk.bartizan(&["bench", "report", "record"]).ends(0).out;
    assert!(text.contains("The set-ups beside each other") && text.contains("85.2"), "{text}");
    // A folder with records of two scenarios tells of both.
    desk.write("record/rampart.csv", RECORD);
    let text = desk.bartizan(&["bench", "report", "record"]).ends(0).out;
    assert!(text.contains("bartizan bench rampart") && text.contains("bartizan bench unt"), "{text}");
    let run = desk.bartizan(&["bench", "unt", "--only", "rampart"]).ends(2);
    assert!(run.err.contains("there is no engine `rampart`"), "{}", run.err);
    assert!(desk.bartizan(&["bench", "unt", "--threads", "0"]).ends(2).err.contains("from 1"));
}

#[test]
fn missing_peer_is_a_row_and_a_warning_and_no_failure() {
    let desk = Desk::new();
    desk.write("rampart.csv", RECORD);
    let text = desk.bartizan(&["bench", "report", "."]).ends(0).out;
    assert!(text.contains("no figures: see below") && text.contains("missing: not built"), "{text}");
}

#[test]
fn records_are_compared_and_a_broken_one_is_named_with_its_line() {
    let desk = Desk::new();
    desk.write("a.csv", RECORD);
    desk.write("b.csv", &RECORD.replace("600.00,590.00,610.00", "500.00,490.00,510.00"));
    let text = desk.bartizan(&["bench", "compare", "a.csv", "b.csv"]).ends(0).out;
    assert!(text.contains("faster") && text.contains("0.833"), "{text}");
    let json = desk.bartizan(&["bench", "compare", "a.csv", "a.csv", "--json"]).ends(0).json();
    assert_eq!(json["changes"][0]["verdict"], "noise");
    desk.write("c.csv", &RECORD.replace("600.00", "fast"));
    let run = desk.bartizan(&["bench", "compare", "a.csv", "c.csv"]).ends(2);
    assert!(run.err.contains("c.csv:2: the value of `cpu_us` cannot be read"), "{}", run.err);
    let run = desk.bartizan(&["bench", "report", "nowhere.csv"]).ends(2);
    assert!(run.err.contains("nowhere.csv"), "{}", run.err);
}
