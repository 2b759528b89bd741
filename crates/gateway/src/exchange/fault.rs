//! Refusals and breakages as faults, and the moment at which a refusal is sent.

use std::time::{Duration, Instant};

use bartizan_soap::{Fault, FaultCode, ToFault as _, Version};
use bartizan_wss::Reject;

/// The fault for a refused message: the constant sentence of its code, and the request id
/// by which the operator finds the reason.
pub(super) fn refusal(reject: &Reject, id: &str) -> Fault {
    with_id(&reject.to_fault(), id)
}

/// The fault for what is our own trouble.
pub(super) fn internal(id: &str) -> Fault {
    with_id(&Fault::new(FaultCode::Receiver, "The service has a problem."), id)
}

fn with_id(fault: &Fault, id: &str) -> Fault {
    let mut out = Fault::new(fault.code(), format!("{} (request {id})", fault.reason()));
    if let Some(subcode) = fault.subcode() {
        out = out.with_subcode(&subcode.prefix, &subcode.namespace, &subcode.local);
    }
    out.with_not_understood(fault.not_understood().to_vec())
}

/// The code as `prefix:local`.
pub(super) fn name(fault: &Fault, version: Version) -> String {
    match fault.subcode() {
        Some(subcode) => format!("{}:{}", subcode.prefix, subcode.local),
        None => format!("soap:{}", fault.code().local(version)),
    }
}

/// When a refusal whose work ended at `done` is sent: at the arrival of the whole message and the smallest multiple
/// of `quantum` that is not before `done`. Its time then tells which multiple, not how long
/// the work took.
pub(super) fn send_at(arrived: Instant, done: Instant, quantum: Duration) -> Instant {
    if quantum.is_zero() {
        return done;
    }
    let worked = done.saturating_duration_since(arrived).as_nanos();
    let quanta = worked.div_ceil(quantum.as_nanos()).max(1);
    let wait = quantum.saturating_mul(u32::try_from(quanta).unwrap_or(u32::MAX));
    arrived.checked_add(wait).unwrap_or(done)
}

#[cfg(test)]
mod tests;
