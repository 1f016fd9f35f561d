// The contract calls that a run's diagnostic events show.

use crate::xdr_codec::{
    decode, encode, to_base64,
    xdr::{ContractEventBody, ContractEventType, DiagnosticEvent, ScVal},
};
use std::collections::VecDeque;

pub struct CallEvents {
    pub contract: [u8; 32],
    pub function: String,
    pub arguments: Vec<String>,
    /// The value of the matching `fn_return`.
    pub result: Option<String>,
}

/// All `fn_call` events in order, each with the result of its `fn_return` if there was one.
pub fn calls_in(diagnostics: &[Vec<u8>]) -> VecDeque<CallEvents> {
    let mut calls: Vec<CallEvents> = Vec::new();
    let mut running: Vec<usize> = Vec::new();
    for bytes in diagnostics {
        let Ok(event) = decode::<DiagnosticEvent>(bytes, "diagnostics") else { continue };
        // A contract's own event can have the topics of a call.
        if event.event.type_ != ContractEventType::Diagnostic {
            continue;
        }
        let ContractEventBody::V0(body) = &event.event.body;
        match (&body.topics[..], &event.event.contract_id) {
            ([ScVal::Symbol(name), ScVal::Bytes(contract), ScVal::Symbol(function)], _)
                if name.as_slice() == b"fn_call" =>
            {
                let Ok(contract) = <[u8; 32]>::try_from(contract.as_slice()) else { continue };
                running.push(calls.len());
                calls.push(CallEvents {
                    contract,
                    function: function.to_utf8_string_lossy(),
                    arguments: arguments_of(&body.data),
                    result: None,
                });
            }
            ([ScVal::Symbol(name), ScVal::Symbol(function)], Some(contract))
                if name.as_slice() == b"fn_return" =>
            {
                let function = function.to_utf8_string_lossy();
                let returned = |index: &usize| {
                    calls[*index].contract == contract.0 .0 && calls[*index].function == function
                };
                // The calls above it on the stack failed, and their callers caught the failures.
                if let Some(position) = running.iter().rposition(returned) {
                    let index = running[position];
                    running.truncate(position);
                    calls[index].result = Some(to_base64(&encode(&body.data)));
                }
            }
            _ => {}
        }
    }
    calls.into()
}

/// The texts of the arguments. The host writes no argument as void, one argument as itself and
/// several as a vector. A single argument that is a vector looks like several; the contract's spec
/// resolves this.
fn arguments_of(data: &ScVal) -> Vec<String> {
    match data {
        ScVal::Void => vec![],
        ScVal::Vec(Some(values)) => values.iter().map(|value| to_base64(&encode(value))).collect(),
        value => vec![to_base64(&encode(value))],
    }
}
