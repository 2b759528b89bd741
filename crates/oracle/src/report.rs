//! What is printed and what is written.

use crate::Options;
use crate::check::Checked;
use crate::classes::Service;
use crate::measure::{Bare, Control, Times};
use crate::stats::{Difference, LIMIT, compare, median};

/// A class in the table.
#[derive(Debug)]
pub(crate) struct Row {
    service: &'static str,
    class: &'static str,
    row: &'static str,
    samples: usize,
    median_us: f64,
    pub(crate) difference: Difference,
    private: (u64, u64),
    reasons: String,
    bare: Difference,
    bare_socket_us: f64,
    bare_verify_us: u32,
}

fn us(nanos: f64) -> f64 {
    nanos / 1_000.0
}

/// How the run is made.
pub(crate) fn surroundings(options: &Options, pinned: bool) {
    let Options { samples, connections, seed, .. } = options;
    let pinned = if pinned { "bound to one CPU" } else { "not bound to a CPU" };
    println!("oracle: {samples} samples a class, {connections} connections, seed {seed}, client {pinned}");
}

/// Bytes and connections of a service.
pub(crate) fn answers(service: &Service, checked: &Checked) {
    let sent: usize = checked.classes.iter().map(|seen| seen.sent).sum();
    let verdict = if checked.is_clean() { "one answer for all" } else { "ANSWERS DIFFER" };
    println!("\n{} — {} classes, {sent} messages: {verdict}", service.path, checked.classes.len());
    for (class, seen) in service.classes.iter().zip(&checked.classes) {
        if seen.different > 0 {
            println!("  {}: {} of {} answers differ", class.name, seen.different, seen.sent);
            let texts = [&checked.reference, seen.example.as_ref().unwrap_or(&checked.reference)];
            for text in texts {
                println!("    {}", String::from_utf8_lossy(text).escape_debug());
            }
        }
        if !seen.fate {
            println!("  {}: another fate of the connection", class.name);
        }
        if !seen.strange.is_empty() {
            println!("  {}: refused for {:?}, not for {:?}", class.name, seen.reasons, class.reasons);
        }
    }
}

/// Whether the harness sees what is there.
pub(crate) fn controls(controls: &[Control]) -> bool {
    for control in controls {
        let Difference { mean, t, sign, .. } = control.difference;
        println!("  control: {:<34} {:>+10.1} µs  t {t:>+8.1}  sign {sign:>+7.1}", control.what, us(mean));
    }
    // Few samples of a large difference may have too few pairs for the sign test.
    let seen = controls.iter().all(|control| control.difference.t.abs() >= LIMIT);
    if !seen {
        println!("  A CONTROL IS NOT SEEN: the times below say nothing");
    }
    seen
}

/// The table of a service.
pub(crate) fn times(service: &Service, times: &Times, bare: &Bare, checked: &Checked) -> Vec<Row> {
    let nothing = Vec::new();
    let reference = times.first().unwrap_or(&nothing);
    let bare_reference = bare.socket.first().unwrap_or(&nothing);
    let mut rows = Vec::new();
    println!(
        "  {:<48} {:>9} {:>9} {:>7} {:>6} {:>6} | without quantum {:>8} {:>7} {:>8}",
        "class", "median", "Δ µs", "± µs", "t", "sign", "socket", "t", "verify"
    );
    for (n, class) in service.classes.iter().enumerate() {
        let samples = times.get(n).unwrap_or(&nothing);
        let socket = bare.socket.get(n).unwrap_or(&nothing);
        let seen = checked.classes.get(n);
        let row = Row {
            service: service.path,
            class: class.name,
            row: class.row,
            samples: samples.len(),
            median_us: us(f64::from(median(samples))),
            difference: if n == 0 { Difference::default() } else { compare(samples, reference) },
            private: seen.map_or((0, 0), |seen| seen.private),
            reasons: seen.map_or_else(String::new, |seen| seen.reasons.join(" ")),
            bare: if n == 0 { Difference::default() } else { compare(socket, bare_reference) },
            bare_socket_us: us(f64::from(median(socket))),
            bare_verify_us: median(bare.verify.get(n).unwrap_or(&nothing)),
        };
        let Difference { mean, error, t, sign } = row.difference;
        let mark = if row.difference.is_seen() { "!" } else { " " };
        println!(
            "{mark} {:<48} {:>9.1} {:>+9.2} {:>7.2} {:>+6.2} {:>+6.2} | {:>24.1} {:>+7.1} {:>8}",
            row.class,
            row.median_us,
            us(mean),
            us(error),
            t,
            sign,
            row.bare_socket_us,
            row.bare.t,
            row.bare_verify_us
        );
        rows.push(row);
    }
    rows
}

/// The table as comma-separated values.
pub(crate) fn csv(rows: &[Row]) -> String {
    let mut out = String::from(
        "service,class,row,samples,median_us,difference_us,standard_error_us,welch_t,sign_z,private_operations_min,private_operations_max,reasons,median_us_without_quantum,welch_t_without_quantum,verify_us_without_quantum\n",
    );
    for row in rows {
        let Difference { mean, error, t, sign } = row.difference;
        out += &format!(
            "{},\"{}\",{},{},{:.1},{:.3},{:.3},{t:.3},{sign:.3},{},{},{},{:.1},{:.2},{}\n",
            row.service,
            row.class,
            row.row,
            row.samples,
            row.median_us,
            us(mean),
            us(error),
            row.private.0,
            row.private.1,
            row.reasons,
            row.bare_socket_us,
            row.bare.t,
            row.bare_verify_us
        );
    }
    out
}

/// The last lines.
pub(crate) fn verdict(rows: &[Row], judged: bool, clean: bool) {
    let largest = |of: fn(&Row) -> f64| rows.iter().map(|row| of(row).abs()).fold(0.0, f64::max);
    let (t, sign) = (largest(|row| row.difference.t), largest(|row| row.difference.sign));
    let (error, bare) = (us(largest(|row| row.difference.error)), largest(|row| row.bare.t));
    println!(
        "\n{} comparisons: largest |t| {t:.2}, largest |sign| {sign:.2}; limit {LIMIT} for both",
        rows.len()
    );
    println!(
        "a difference of {:.1} µs would have been seen; without the quantum the largest |t| is {bare:.1}",
        error * LIMIT
    );
    if !judged {
        println!("times are not judged with fewer than {} samples a class", crate::JUDGED);
    }
    println!(
        "{}",
        if clean { "no class can be told from another" } else { "SOMETHING CAN BE TOLD: see above" }
    );
}
