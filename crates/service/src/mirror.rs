//! `mirror`: answers the whole verified view, as `verify -o` writes it: what a service
//! behind the gateway gets to see of a request, and nothing that was not covered.

use std::future::ready;

use bartizan_soap::{Draft, ToFault as _};
use bartizan_wss::Verified;
use bartizan_wss::verified::Keep;
use bartizan_xml::Limits;

use crate::Error;
use crate::host::operation::{Answer, Answers, Need, Operation};

/// The operation.
#[derive(Clone, Debug, Default)]
pub struct Mirror {
    limits: Limits,
}

impl Mirror {
    /// A mirror that reads its own view under `limits`, those of the request.
    pub fn new(limits: Limits) -> Self {
        Mirror { limits }
    }
}

impl Operation for Mirror {
    fn name(&self) -> &str {
        "mirror"
    }

    fn answers(&self) -> Answers<'_> {
        Answers::Anything
    }

    /// It shows what was covered, and that may be nothing.
    fn needs(&self) -> Need {
        Need::Nothing
    }

    fn call(&self, request: Verified) -> Answer {
        let view = request.view(Keep::Covered);
        Box::pin(ready(Draft::parse(view.bytes, &self.limits).map_err(|_| Error::View.to_fault())))
    }
}
