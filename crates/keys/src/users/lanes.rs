//! How much slow work runs at a time, and how many wait for their turn. It starts no thread: who waits, waits. The hashes of a set of
//! users have their own; the gateway has one for keys that are derived from passwords.

use std::sync::{Condvar, Mutex, PoisonError};

/// Places, with a bounded queue in front.
#[derive(Debug)]
pub struct Lanes {
    state: Mutex<State>,
    freed: Condvar,
    most_waiting: usize,
}

#[derive(Debug)]
struct State {
    free: usize,
    waiting: usize,
}

/// A place; given back when it goes, by panic too.
#[derive(Debug)]
#[must_use = "without it the place is given back at once"]
pub struct Lane<'a>(&'a Lanes);

impl Lanes {
    /// So many places, at least one, and so many that wait.
    #[must_use]
    pub fn new(lanes: usize, waiting: usize) -> Lanes {
        let state = Mutex::new(State { free: lanes.max(1), waiting: 0 });
        Lanes { state, freed: Condvar::new(), most_waiting: waiting }
    }

    /// Waits for a place; `None` at once if as many wait as may.
    pub fn take(&self) -> Option<Lane<'_>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.free == 0 {
            if state.waiting >= self.most_waiting {
                return None;
            }
            state.waiting += 1;
            while state.free == 0 {
                state = self.freed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.waiting -= 1;
        }
        state.free -= 1;
        Some(Lane(self))
    }

    #[cfg(test)]
    pub(super) fn free(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).free
    }

    /// How many wait now.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waiting
    }
}

impl Drop for Lane<'_> {
    fn drop(&mut self) {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner).free += 1;
        self.0.freed.notify_one();
    }
}
