//! What was measured, as rows: written to and read from CSV. The report and the comparison read nothing else.
//!
//! Not here: how the figures came about (`measure`), how they look (`report`).

mod csv;

use std::path::Path;

use crate::Error;
use crate::error::{RecordFlaw, file};

/// A value over rounds: the median, the lowest and the highest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The median.
    pub median: f64,
    /// The lowest.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// What a row is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// The scenario's name.
    pub scenario: String,
    /// The kind of keys, by its name.
    pub keys: String,
    /// Requests in flight; 0 for the floor, which has none.
    pub concurrency: usize,
    /// The engine's name, or `floor`.
    pub peer: String,
    /// Its version.
    pub version: String,
}

/// The figures of a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Rounds.
    pub rounds: usize,
    /// Right answers over all rounds.
    pub messages: u64,
    /// Right answers of the warm-up.
    pub warm_messages: u64,
    /// Right answers a second.
    pub rate: Spread,
    /// CPU µs of the server for each right answer; of the floor, for each exchange.
    pub cpu: Spread,
    /// Latency that half of the answers kept, in µs.
    pub p50: Option<f64>,
    /// Latency that 99 of 100 kept, in µs.
    pub p99: Option<f64>,
    /// Resident memory of the server, in bytes.
    pub resident: Option<u64>,
    /// Octets of a request.
    pub request_bytes: usize,
    /// Octets of a reply.
    pub reply_bytes: usize,
    /// CPU of the server / CPU of the floor.
    pub to_floor: Option<f64>,
    /// CPU of this server / CPU of ours.
    pub to_own: Option<f64>,
}

/// One line of a record.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// What it is about.
    pub cell: Cell,
    /// The figures; `None` if there are none, and then `note` says why.
    pub figures: Option<Figures>,
    /// Answers that were not right.
    pub errors: u64,
    /// What must be said beside it: why there are no figures, what went wrong.
    pub note: String,
    /// How it was run: pinning, warm-up, length and number of rounds, Java version.
    pub setting: String,
    /// The machine.
    pub machine: String,
    /// When, RFC 3339 in UTC.
    pub date: String,
}

/// A name of the floor among the peers.
pub const FLOOR: &str = "floor";

/// The columns, in order.
const COLUMNS: [&str; 28] = [
    "scenario",
    "keys",
    "concurrency",
    "peer",
    "version",
    "rounds",
    "messages",
    "warm_messages",
    "msgs_per_s",
    "msgs_per_s_low",
    "msgs_per_s_high",
    "cpu_us",
    "cpu_us_low",
    "cpu_us_high",
    "p50_us",
    "p99_us",
    "rss_bytes",
    "request_bytes",
    "reply_bytes",
    "ratio_to_floor",
    "ratio_to_own",
    "errors",
    "note",
    "setting",
    "machine",
    "date",
    "measured",
    "tool",
];

/// Which program wrote the record.
const TOOL: &str = concat!("bartizan bench ", env!("CARGO_PKG_VERSION"));

/// The rows as CSV, with a heading.
#[must_use]
pub fn to_csv(rows: &[Row]) -> String {
    let mut out = COLUMNS.join(",");
    out.push('\n');
    for row in rows {
        let values = values(row);
        let quoted: Vec<String> = values.iter().map(|value| csv::quoted(value)).collect();
        out.push_str(&quoted.join(","));
        out.push('\n');
    }
    out
}

/// The values of a row, in the order of the columns.
fn values(row: &Row) -> [String; COLUMNS.len()] {
    let Cell { scenario, keys, concurrency, peer, version } = row.cell.clone();
    let figures = row.figures.clone().unwrap_or_default();
    let there = row.figures.is_some();
    let number = |value: f64, digits: usize| if there { format!("{value:.digits$}") } else { String::new() };
    let option =
        |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
    let whole = |value: u64| if there { value.to_string() } else { String::new() };
    [
        scenario,
        keys,
        concurrency.to_string(),
        peer,
        version,
        whole(figures.rounds as u64),
        whole(figures.messages),
        whole(figures.warm_messages),
        number(figures.rate.median, 1),
        number(figures.rate.low, 1),
        number(figures.rate.high, 1),
        number(figures.cpu.median, 2),
        number(figures.cpu.low, 2),
        number(figures.cpu.high, 2),
        option(figures.p50, 1),
        option(figures.p99, 1),
        figures.resident.map_or(String::new(), |bytes| bytes.to_string()),
        whole(figures.request_bytes as u64),
        whole(figures.reply_bytes as u64),
        option(figures.to_floor, 3),
        option(figures.to_own, 3),
        row.errors.to_string(),
        row.note.clone(),
        row.setting.clone(),
        row.machine.clone(),
        row.date.clone(),
        if there { "yes" } else { "no" }.to_owned(),
        TOOL.to_owned(),
    ]
}

/// Reads a record from a file.
///
/// # Errors
/// [`Error::File`], [`Error::Record`] with the line.
pub fn read(path: &Path) -> Result<Vec<Row>, Error> {
    let text = std::fs::read_to_string(path).map_err(file(path))?;
    from_csv(&text).map_err(|(line, wrong)| Error::Record { path: path.to_owned(), line, wrong })
}

/// The rows as a record holds them: figures rounded, so that what is shown of a run is what is shown of its record.
///
/// # Errors
/// [`Error::Record`] if they do not read back, which would be a mistake here.
pub fn as_recorded(rows: &[Row]) -> Result<Vec<Row>, Error> {
    from_csv(&to_csv(rows)).map_err(|(line, wrong)| Error::Record {
        path: "the new record".into(),
        line,
        wrong,
    })
}

/// Reads a record; a mistake is given with its line, from 1.
fn from_csv(text: &str) -> Result<Vec<Row>, (usize, RecordFlaw)> {
    let mut lines = csv::records(text)?.into_iter();
    let (_, heading) = lines.next().ok_or((1, RecordFlaw::Empty))?;
    for column in COLUMNS {
        if !heading.iter().any(|name| name == column) {
            return Err((1, RecordFlaw::Column(column)));
        }
    }
    let mut rows = Vec::new();
    for (line, values) in lines {
        if values.len() != heading.len() {
            return Err((line, RecordFlaw::Width));
        }
        let fields = Fields { heading: &heading, values: &values };
        rows.push(fields.row().map_err(|wrong| (line, wrong))?);
    }
    if rows.is_empty() { Err((1, RecordFlaw::Empty)) } else { Ok(rows) }
}

/// One line by the names of its columns.
struct Fields<'a> {
    heading: &'a [String],
    values: &'a [String],
}

impl Fields<'_> {
    fn text(&self, name: &'static str) -> String {
        let mut all = self.heading.iter().zip(self.values);
        all.find(|(heading, _)| *heading == name).map_or(String::new(), |(_, value)| value.clone())
    }

    fn option<T: std::str::FromStr>(&self, name: &'static str) -> Result<Option<T>, RecordFlaw> {
        let text = self.text(name);
        if text.is_empty() { Ok(None) } else { text.parse().map(Some).map_err(|_| RecordFlaw::Value(name)) }
    }

    fn number<T: std::str::FromStr>(&self, name: &'static str) -> Result<T, RecordFlaw> {
        self.option(name)?.ok_or(RecordFlaw::Value(name))
    }

    fn spread(
        &self,
        median: &'static str,
        low: &'static str,
        high: &'static str,
    ) -> Result<Spread, RecordFlaw> {
        Ok(Spread { median: self.number(median)?, low: self.number(low)?, high: self.number(high)? })
    }

    fn figures(&self) -> Result<Option<Figures>, RecordFlaw> {
        match self.text("measured").as_str() {
            "no" => return Ok(None),
            "yes" => {}
            _ => return Err(RecordFlaw::Value("measured")),
        }
        Ok(Some(Figures {
            rounds: self.number("rounds")?,
            messages: self.number("messages")?,
            warm_messages: self.number("warm_messages")?,
            rate: self.spread("msgs_per_s", "msgs_per_s_low", "msgs_per_s_high")?,
            cpu: self.spread("cpu_us", "cpu_us_low", "cpu_us_high")?,
            p50: self.option("p50_us")?,
            p99: self.option("p99_us")?,
            resident: self.option("rss_bytes")?,
            request_bytes: self.number("request_bytes")?,
            reply_bytes: self.number("reply_bytes")?,
            to_floor: self.option("ratio_to_floor")?,
            to_own: self.option("ratio_to_own")?,
        }))
    }

    fn row(&self) -> Result<Row, RecordFlaw> {
        Ok(Row {
            cell: Cell {
                scenario: self.text("scenario"),
                keys: self.text("keys"),
                concurrency: self.number("concurrency")?,
                peer: self.text("peer"),
                version: self.text("version"),
            },
            figures: self.figures()?,
            errors: self.number("errors")?,
            note: self.text("note"),
            setting: self.text("setting"),
            machine: self.text("machine"),
            date: self.text("date"),
        })
    }
}

#[cfg(test)]
pub(crate) mod tests;
