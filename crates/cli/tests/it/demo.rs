use super::program::{Desk, bartizan};

#[test]
fn demo_verifies_all_four_steps_and_refuses_every_attack() {
    let run = bartizan(&["demo"]).ends(0);
    for words in [
        "client secured the request",
        "server verified the request",
        "server secured the reply",
        "client verified the reply",
        "SignatureConfirmation: 1 matches",
        "Everything verified, every attack refused.",
    ] {
        assert!(run.out.contains(words), "no `{words}` in:\n{}", run.out);
    }
    assert_eq!(run.err, "");
    assert!(!run.out.contains("NOT REFUSED"));
}

#[test]
fn demo_json_has_sizes_times_and_reasons() {
    let json = bartizan(&["demo", "--json"]).ends(0).json();
    assert_eq!(json["verdict"], "verified");
    let steps = json["steps"].as_array().expect("steps");
    assert_eq!(steps.len(), 4);
    for step in steps {
        assert!(step["bytes"].as_u64().expect("bytes") > 3000, "{step}");
        assert!(step["time_us"].as_u64().expect("time") > 0, "{step}");
    }
    assert_eq!(steps[3]["signatures_confirmed"], 1);
    let attacks = json["attacks"].as_array().expect("attacks");
    let reasons: Vec<&str> = attacks.iter().map(|a| a["reason"].as_str().expect("a reason")).collect();
    assert_eq!(reasons, ["replay", "encryption.unexpected", "encryption.failed", "signature.missing"]);
    assert!(attacks.iter().all(|attack| attack["refused"] == true && attack["status"] == 400), "{attacks:?}");
}

#[test]
fn demo_leaves_nothing_behind() {
    let desk = Desk::new();
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_bartizan"))
        .arg("demo")
        .env("TMPDIR", desk.path(""))
        .output()
        .expect("it runs");
    assert!(run.status.success());
    assert_eq!(desk.names(), Vec::<String>::new());
}
