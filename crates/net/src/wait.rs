//! Waiting for an instant, to the microsecond.
//!
//! The runtime's own timers are as coarse as a millisecond, and a worker that sleeps rounds up from the moment when it
//! went to sleep: what it did before shows in when it wakes, modulo that millisecond. A refusal must not tell how long
//! its work took, so it waits for a timer of the kernel that knows nothing of that.
//!
//! What it is not: a clock ([`clock`](crate::clock)), or a way to wait for long. Who calls: the gateway's exchange.

use std::time::Instant;

/// Returns at `due`, at once if that is past. Holds no thread, and on Linux one descriptor while it waits; where there is
/// none to be had, or on other systems, the runtime's timer serves, which may be late by a millisecond or two. Must run
/// inside a tokio runtime with its timer and sockets.
pub async fn until(due: Instant) {
    if due <= Instant::now() {
        return;
    }
    #[cfg(target_os = "linux")]
    if let Ok(timer) = kernel::timer(due)
        && timer.readable().await.is_ok()
    {
        return;
    }
    tokio::time::sleep_until(due.into()).await;
}

#[cfg(target_os = "linux")]
mod kernel {
    use std::io;
    use std::os::fd::OwnedFd;
    use std::time::{Duration, Instant};

    use rustix::time::{
        Itimerspec, TimerfdClockId, TimerfdFlags, TimerfdTimerFlags, Timespec, timerfd_create,
        timerfd_settime,
    };
    use tokio::io::Interest;
    use tokio::io::unix::AsyncFd;

    /// A descriptor that can be read from `due` on.
    #[expect(
        deprecated,
        reason = "its successor is unsafe for types that may change their descriptor; `OwnedFd` cannot"
    )]
    pub(super) fn timer(due: Instant) -> io::Result<AsyncFd<OwnedFd>> {
        let timer =
            timerfd_create(TimerfdClockId::Monotonic, TimerfdFlags::NONBLOCK | TimerfdFlags::CLOEXEC)?;
        let timer = AsyncFd::with_interest(timer, Interest::READABLE)?;
        // Nothing at all would switch the timer off.
        let left = due.saturating_duration_since(Instant::now()).max(Duration::from_nanos(1));
        let left = Timespec::try_from(left).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        let once = Itimerspec { it_interval: Timespec { tv_sec: 0, tv_nsec: 0 }, it_value: left };
        timerfd_settime(timer.get_ref(), TimerfdTimerFlags::empty(), &once)?;
        Ok(timer)
    }
}

#[cfg(test)]
mod tests;
