//! `echo`: answers the element that it was sent.

use std::future::ready;

use bartizan_soap::{Draft, ToFault as _};
use bartizan_wss::Verified;

use crate::Error;
use crate::host::operation::{Answer, Answers, Need, Operation};

/// The operation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Echo {
    needs: Need,
}

impl Echo {
    /// An echo for requests that are proved as `needs` says.
    pub fn new(needs: Need) -> Self {
        Echo { needs }
    }
}

impl Operation for Echo {
    fn name(&self) -> &str {
        "echo"
    }

    fn answers(&self) -> Answers<'_> {
        Answers::Anything
    }

    fn needs(&self) -> Need {
        self.needs
    }

    fn call(&self, request: Verified) -> Answer {
        let draft = match request.payload() {
            Some(payload) => Ok(Draft::new(request.version()).with_body(payload.octets())),
            None => Err(Error::Payload.to_fault()),
        };
        Box::pin(ready(draft))
    }
}
