use std::io::Write;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

use super::{AccessLog, Outcome, QUEUE, Record};

/// Collects what is written.
#[derive(Clone, Default)]
struct Shared(Arc<Mutex<Vec<u8>>>);

impl Write for Shared {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("not poisoned").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// Writes nothing before it is told to.
struct Stuck(Receiver<()>, Shared, Sender<()>);

impl Write for Stuck {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let _ = self.2.send(());
        let _ = self.0.recv();
        self.1.write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_line_is_one_json_object_whatever_the_peer_wrote() {
    let out = Shared::default();
    let log = AccessLog::to(out.clone()).expect("opened");
    let record = Record {
        path: "/a\r\n\\{\"outcome\":\"answered\"}\u{1b}[2J".to_owned(),
        detail: Some("[".to_owned()),
        caller: Some(("CN=\"a\"".to_owned(), "x509-signature")),
        endorsers: vec![("CN=]".to_owned(), "x509-endorsement"), ("b".to_owned(), "username-endorsement")],
        parts: vec!["{".to_owned(), "b".to_owned()],
        legacy: vec!["sha1"],
        outcome: Outcome::Refused,
        reason: Some("replay"),
        status: 400,
        ..Record::default()
    };
    log.write(&record);
    drop(log);
    let bytes = out.0.lock().expect("not poisoned").clone();
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(text.matches('\n').count(), 1);
    assert!(!text.trim_end().contains(|c: char| c.is_control()));
    let line: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(line["outcome"], "refused");
    assert_eq!(line["reason"], "replay");
    assert_eq!(line["path"], record.path);
    assert_eq!(line["detail"], "[");
    assert_eq!(line["caller"]["name"], "CN=\"a\"");
    assert_eq!(line["endorsers"][0]["name"], "CN=]");
    assert_eq!(line["endorsers"][1], serde_json::json!({ "name": "b", "proved_by": "username-endorsement" }));
    assert_eq!(line["parts"], serde_json::json!(["{", "b"]));
    assert_eq!(line["legacy"], serde_json::json!(["sha1"]));
    assert_eq!(line["total_us"], 0);
}

#[test]
fn what_a_terminal_would_obey_is_escaped_and_what_is_long_is_cut() {
    let out = Shared::default();
    let log = AccessLog::to(out.clone()).expect("opened");
    let path = "/\u{9b}31m\u{7f}\u{202e}\u{2028}é";
    log.write(&Record { path: path.to_owned(), method: "é".repeat(30_000), ..Record::default() });
    drop(log);
    let bytes = out.0.lock().expect("not poisoned").clone();
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert!(
        !text.trim_end().contains(|c: char| c.is_control() || c == '\u{202e}' || c == '\u{2028}'),
        "{text}"
    );
    assert!(text.len() < 5_000, "{}", text.len());
    let line: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(line["path"], path);
    assert!(line["method"].as_str().expect("a text").ends_with("é… (60000 bytes)"));
}

#[test]
fn a_stuck_reader_loses_lines_and_holds_up_nobody() {
    let (release, gate) = channel();
    let (started, starts) = channel();
    let out = Shared::default();
    let log = AccessLog::to(Stuck(gate, out.clone(), started)).expect("opened");
    log.write(&Record::default());
    starts.recv().expect("the writer holds the first line");
    for _ in 0..QUEUE + 5 {
        log.write(&Record::default());
    }
    drop(release);
    // The queue has room again only when the writer moved on.
    starts.recv().expect("the writer goes on");
    log.write(&Record { id: "last".to_owned(), ..Record::default() });
    drop(log);
    let bytes = out.0.lock().expect("not poisoned").clone();
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(text.lines().count(), QUEUE + 2);
    let last: serde_json::Value = serde_json::from_str(text.lines().last().expect("lines")).expect("JSON");
    assert_eq!(last["lines_dropped_before"], 5);
}
