// An error of a host, in plain types and as the event that stellar-core adds for it. Mounted once
// for each host crate.

use super::soroban_env_host::{
    xdr::{
        ContractEvent, ContractEventBody, ContractEventType, ContractEventV0, DiagnosticEvent,
        ExtensionPoint, ScError, ScErrorCode, ScSymbol, ScVal,
    },
    HostError,
};
use crate::hosts::interface::HostErrorInfo;

pub fn describe(error: &HostError) -> HostErrorInfo {
    match ScError::try_from(error.error) {
        Ok(ScError::Contract(code)) => HostErrorInfo {
            kind: "Contract".into(),
            code: code.to_string(),
            contract_code: Some(code),
        },
        Ok(other) => {
            // The derived Debug text of the error is `Kind(Code)`.
            let text = format!("{other:?}");
            let (kind, code) = text.split_once('(').unwrap_or((&text, ""));
            HostErrorInfo {
                kind: kind.into(),
                code: code.trim_end_matches(')').into(),
                contract_code: None,
            }
        }
        Err(_) => {
            HostErrorInfo { kind: "Unknown".into(), code: "Unknown".into(), contract_code: None }
        }
    }
}

/// The event that `run_invoke_and_build_output` adds after a failure.
pub fn host_function_failed_event(error: &HostError) -> DiagnosticEvent {
    let error =
        ScError::try_from(error.error).unwrap_or(ScError::Context(ScErrorCode::InternalError));
    let topics = vec![
        ScVal::Symbol(ScSymbol("host_fn_failed".try_into().unwrap_or_default())),
        ScVal::Error(error),
    ];
    DiagnosticEvent {
        in_successful_contract_call: false,
        event: ContractEvent {
            ext: ExtensionPoint::V0,
            contract_id: None,
            type_: ContractEventType::Diagnostic,
            body: ContractEventBody::V0(ContractEventV0 {
                topics: topics.try_into().unwrap_or_default(),
                data: ScVal::Void,
            }),
        },
    }
}
