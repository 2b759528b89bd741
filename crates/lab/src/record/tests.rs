use super::*;

pub(crate) fn rows() -> Vec<Row> {
    let row = |keys: &str, concurrency, peer: &str, version: &str, figures| Row {
        cell: Cell {
            scenario: "rampart".to_owned(),
            keys: keys.to_owned(),
            concurrency,
            peer: peer.to_owned(),
            version: version.to_owned(),
        },
        figures,
        errors: 0,
        note: String::new(),
        setting: "server on core 0, load on core 1; warmed for 60 s; 9 rounds of 2 s".to_owned(),
        machine: "A processor, \"quoted\" (6/1/1), 2 cores, Linux 6.1".to_owned(),
        date: "2026-12-01T00:30:00Z".to_owned(),
    };
    let figures = |rate: f64, cpu: f64, own: f64| {
        let around = |value: f64| Spread { median: value, low: value * 0.98, high: value * 1.03 };
        Some(Figures {
            rounds: 9,
            messages: 18 * rate as u64,
            warm_messages: 60 * rate as u64,
            rate: around(rate),
            cpu: around(cpu),
            p50: Some(1e6 / rate),
            p99: Some(3e6 / rate),
            resident: Some(20_000_000),
            request_bytes: 4930,
            reply_bytes: 4786,
            to_floor: Some(cpu / 540.0),
            to_own: Some(cpu / own),
        })
    };
    let floor = |cpu: f64| {
        let cpu = Spread { median: cpu, low: cpu, high: cpu + 1.0 };
        Some(Figures {
            rounds: 9,
            messages: 9000,
            cpu,
            request_bytes: 4930,
            reply_bytes: 4786,
            ..Figures::default()
        })
    };
    let mut missing = row("rsa2048", 10, "rampart", "", None);
    missing.note = "missing: /somewhere/rampart is not built, run build.sh".to_owned();
    vec![
        row("rsa2048", 0, FLOOR, "AWS-LC", floor(540.0)),
        row("rsa2048", 1, "bartizan", "0.1.0", figures(1500.0, 602.5, 602.5)),
        row("rsa2048", 10, "bartizan", "0.1.0", figures(1600.0, 600.0, 600.0)),
        row("rsa2048", 1, "wss4j", "4.0.1", figures(380.0, 2600.0, 602.5)),
        row("rsa2048", 10, "wss4j", "4.0.1", figures(390.0, 2520.0, 600.0)),
        missing,
    ]
}

#[test]
fn what_is_written_is_read_again() {
    let text = to_csv(&rows());
    let read = from_csv(&text).unwrap();
    assert_eq!(to_csv(&read), text);
    assert_eq!(read.len(), rows().len());
    assert_eq!(read[5], rows()[5]);
    assert_eq!(read[2].figures.as_ref().unwrap().cpu.median, 600.0);
    assert_eq!(read[0].machine, rows()[0].machine);
}

#[test]
fn mistakes_are_named_with_their_line() {
    let text = to_csv(&rows());
    let (heading, lines) = text.split_once('\n').unwrap();
    let wrong = |text: &str| from_csv(text).unwrap_err();
    assert_eq!(wrong(""), (1, RecordFlaw::Empty));
    assert_eq!(wrong(heading), (1, RecordFlaw::Empty));
    assert_eq!(wrong(&text.replacen("cpu_us,", "cpu,", 1)), (1, RecordFlaw::Column("cpu_us")));
    assert_eq!(wrong(&format!("{heading}\na,b\n")), (2, RecordFlaw::Width));
    assert_eq!(wrong(&text.replace("602.50", "fast")), (3, RecordFlaw::Value("cpu_us")));
    assert_eq!(wrong(&format!("{heading}\n{}", lines.replacen('"', "", 1))).1, RecordFlaw::Quote);
}

#[test]
fn columns_may_stand_in_another_order_and_more_may_be_there() {
    let text = to_csv(&rows()[..2]);
    let mut lines = text.lines();
    let heading = format!("extra,{}", lines.next().unwrap());
    let rest: Vec<String> = lines.map(|line| format!("\"a, b\",{line}")).collect();
    let read = from_csv(&format!("{heading}\r\n{}\r\n", rest.join("\r\n"))).unwrap();
    assert_eq!(read, from_csv(&text).unwrap());
}
