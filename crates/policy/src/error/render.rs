//! A diagnostic as a reader of a terminal sees it. Plain text; colour is the caller's.

use super::Diagnostic;

/// Longer source lines are cut around the caret, so that a one-line WSDL stays readable.
const WIDTH: usize = 120;

pub(super) fn render(diagnostic: &Diagnostic, file: &str, source: &str) -> String {
    let mut out = format!("{}: {}\n", diagnostic.severity.as_str(), diagnostic.message());
    match diagnostic.position {
        Some(at) => {
            out.push_str(&format!("  --> {file}:{}:{}\n", at.line, at.column));
            if !diagnostic.shows_its_line(source) {
                return with_help(out, diagnostic);
            }
            let line = source.lines().nth(at.line.saturating_sub(1) as usize).unwrap_or_default();
            let (shown, caret) = window(line, at.column.saturating_sub(1) as usize);
            let number = at.line.to_string();
            let blank = " ".repeat(number.len());
            out.push_str(&format!(" {blank} |\n {number} | {shown}\n {blank} | {}^\n", " ".repeat(caret)));
        }
        None => out.push_str(&format!("  --> {file}\n")),
    }
    with_help(out, diagnostic)
}

fn with_help(mut out: String, diagnostic: &Diagnostic) -> String {
    if let Some(help) = diagnostic.help() {
        out.push_str(&format!("help: {help}\n"));
    }
    out
}

/// The part of `line` around `column` (from 0), tabs as one blank, and where the caret stands in it.
fn window(line: &str, column: usize) -> (String, usize) {
    let chars: Vec<char> = line.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let column = column.min(chars.len());
    if chars.len() <= WIDTH {
        return (chars.into_iter().collect::<String>().trim_end().to_owned(), column);
    }
    let start = column.saturating_sub(WIDTH / 3);
    let shown: String = chars.iter().skip(start).take(WIDTH).collect();
    if start == 0 { (shown, column) } else { (format!("…{shown}"), column - start + 1) }
}
