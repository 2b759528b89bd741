//! Line and column of an offset, at a cost that does not grow with the text: for readers that ask for every element.

use super::Position;

/// Octets between two points whose position is kept.
const STEP: usize = 512;

/// A text with the positions of some of its points.
#[derive(Clone, Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// Line and column, from 0, of the first character at or after each multiple of [`STEP`].
    points: Vec<(usize, u32, u32)>,
}

impl<'t> Lines<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut points = vec![(0, 0, 0)];
        let (mut line, mut column) = (0u32, 0u32);
        let mut next = STEP;
        for (at, c) in text.char_indices() {
            if at >= next {
                points.push((at, line, column));
                next = at.saturating_add(STEP);
            }
            advance(c, &mut line, &mut column);
        }
        Self { text, points }
    }

    /// The position of a byte offset; of the end of the text if it lies beyond.
    pub(crate) fn position(&self, offset: usize) -> Position {
        let index = self.points.partition_point(|(at, ..)| *at <= offset).saturating_sub(1);
        let (start, mut line, mut column) = self.points.get(index).copied().unwrap_or_default();
        let mut at = start;
        for (ahead, c) in self.text.get(start..).unwrap_or_default().char_indices() {
            at = start + ahead;
            if at + c.len_utf8() > offset {
                break;
            }
            advance(c, &mut line, &mut column);
            at += c.len_utf8();
        }
        Position { line: line.saturating_add(1), column: column.saturating_add(1), offset: at }
    }
}

fn advance(c: char, line: &mut u32, column: &mut u32) {
    if c == '\n' {
        *line = line.saturating_add(1);
        *column = 0;
    } else {
        *column = column.saturating_add(1);
    }
}
