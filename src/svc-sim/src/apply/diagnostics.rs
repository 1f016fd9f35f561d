// The diagnostic events of a run: the host's, and those that stellar-core adds around it.

use crate::xdr_codec::{
    encode,
    xdr::{
        ContractEvent, ContractEventBody, ContractEventType, ContractEventV0, DiagnosticEvent,
        ExtensionPoint, ScError, ScErrorCode, ScString, ScSymbol, ScVal,
    },
};

pub const READ_LIMIT_MESSAGE: &str = "operation byte-read resources exceeds amount specified";
pub const WRITE_LIMIT_MESSAGE: &str = "operation byte-write resources exceeds amount specified";

/// DiagnosticEvent XDR, in order.
#[derive(Default)]
pub struct Diagnostics(pub Vec<Vec<u8>>);

impl Diagnostics {
    /// Says whether `used` is within `limit`. If it is not, stellar-core's error is added.
    pub fn within(&mut self, used: impl Into<u64>, limit: impl Into<u64>, message: &str) -> bool {
        let (used, limit) = (used.into(), limit.into());
        if used > limit {
            self.push_limit_error(message, used, limit);
        }
        used <= limit
    }

    /// Adds what `DiagnosticEventManager::pushError(SCE_BUDGET, SCEC_EXCEEDED_LIMIT, …)` adds for
    /// two numbers.
    pub fn push_limit_error(&mut self, message: &str, used: u64, limit: u64) {
        let error = ScError::Budget(ScErrorCode::ExceededLimit);
        self.push_error(error, message, vec![ScVal::U64(used), ScVal::U64(limit)]);
    }

    pub fn push_error(&mut self, error: ScError, message: &str, arguments: Vec<ScVal>) {
        let mut data = vec![ScVal::String(ScString(message.try_into().unwrap_or_default()))];
        data.extend(arguments);
        let name = ScVal::Symbol(ScSymbol("error".try_into().unwrap_or_default()));
        let body = ContractEventV0 {
            topics: vec![name, ScVal::Error(error)].try_into().unwrap_or_default(),
            data: ScVal::Vec(Some(data.try_into().unwrap_or_default())),
        };
        self.0.push(encode(&DiagnosticEvent {
            in_successful_contract_call: false,
            event: ContractEvent {
                ext: ExtensionPoint::V0,
                contract_id: None,
                type_: ContractEventType::Diagnostic,
                body: ContractEventBody::V0(body),
            },
        }));
    }
}
