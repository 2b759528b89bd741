//! A case: what we do, what it is compared with, and the goal.

use bartizan_lab::message::Size;

use crate::work::Work;

/// What a ratio should be.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Goal {
    /// Ours divided by the floor, at most.
    AtMost(f64),
    /// The other divided by ours, at least.
    Faster(f64),
    /// CPU µs of ours, at most.
    Micros(f64),
    /// CPU µs of ours beyond the other, at most.
    Extra(f64),
    /// Nothing was set.
    None,
}

/// One row of the table.
pub struct Case {
    pub name: String,
    pub size: Size,
    /// What the table says of the size.
    pub label: &'static str,
    /// Octets that one operation goes through, for the rate.
    pub octets: usize,
    pub ours: Box<dyn Work>,
    /// What it is compared with, and its name.
    pub beside: (&'static str, Box<dyn Work>),
    pub goal: Goal,
    /// Allocations that one operation may make.
    pub most_allocations: Option<f64>,
}

/// What was measured.
pub struct Row {
    pub name: String,
    pub label: &'static str,
    pub octets: usize,
    pub ours: f64,
    pub ours_best: f64,
    pub beside_name: &'static str,
    pub beside: f64,
    pub beside_best: f64,
    /// The median of the rounds' ratios, in the direction of the goal.
    pub ratio: f64,
    pub spread: f64,
    pub goal: Goal,
    pub allocations: f64,
    pub allocated: f64,
    pub most_allocations: Option<f64>,
    pub rounds: usize,
}

impl Row {
    pub fn verdict(&self) -> &'static str {
        let enough = match self.goal {
            Goal::AtMost(most) => self.ratio <= most,
            Goal::Faster(least) => self.ratio >= least,
            Goal::Micros(most) => self.ours <= most,
            Goal::Extra(most) => self.ours - self.beside <= most,
            Goal::None if self.most_allocations.is_none() => return "",
            Goal::None => true,
        };
        if enough && self.most_allocations.is_none_or(|most| self.allocations <= most) {
            "ok"
        } else {
            "short"
        }
    }

    pub fn goal_text(&self) -> String {
        let goal = match self.goal {
            Goal::AtMost(most) => format!("<= {most:.2}"),
            Goal::Faster(least) => format!(">= {least:.2}"),
            Goal::Micros(most) => format!("<={most:.1}us"),
            Goal::Extra(most) => format!("<=+{most:.0}us"),
            Goal::None => String::new(),
        };
        match self.most_allocations {
            Some(most) => format!("{goal} <={most}al").trim().to_owned(),
            None => goal,
        }
    }
}
