// The recording build: exchanges that the TypeScript tests read too, and requests that are wrong.
// cargo test --release --features recording --test recording

#![cfg(feature = "recording")]

mod support;

use serde_json::{json, Value};
use support::*;

fn exchange(name: &str) -> Value {
    read_json(&project_file(&format!("../../tests/fixtures/recording/{name}.json")))
}

#[test]
fn recorded_exchanges_are_answered_as_before_and_follow_the_schemas() {
    let request_schema = read_json(&project_file("schema/recording-request.schema.json"));
    let response_schema = read_json(&project_file("schema/recording-response.schema.json"));
    for name in ["missing-entries", "restore-footprint", "extend-footprint", "auto-restore"] {
        let exchange = exchange(name);
        let (request, response) = (&exchange["request"], &exchange["response"]);
        assert_eq!(schema_errors(&request_schema, request), Vec::<String>::new(), "{name}");
        assert_eq!(schema_errors(&response_schema, response), Vec::<String>::new(), "{name}");
        assert_eq!(&respond(request), response, "{name}");
    }
}

#[test]
fn what_stellar_rpc_refuses_is_a_simulation_with_its_error() {
    let refusal = |change: fn(&mut Value)| {
        let mut request = exchange("auto-restore")["request"].clone();
        change(&mut request);
        let simulation = respond(&request)["simulation"].clone();
        assert_eq!(simulation["used_ledger"], false);
        simulation["error"].as_str().unwrap_or_default().to_string()
    };
    assert_eq!(
        refusal(|request| request["envelope_xdr"] = "AAAA".into()),
        "Could not unmarshal transaction"
    );
    assert_eq!(
        refusal(|request| request["simulation"]["auth_mode"] = "all".into()),
        "optional 'authMode' must be one of enforce,record,record_allow_nonroot when included"
    );
}

#[test]
fn every_protocol_lists_the_settings_that_are_missing() {
    for protocol in protocols() {
        let mut request = exchange("missing-entries")["request"].clone();
        request["ledger"]["protocol_version"] = json!(protocol);
        let response = respond(&request);
        let missing = response["missing_keys"].as_array().unwrap_or_else(|| panic!("{response}"));
        let settings = missing.iter().filter(|key| key.as_str().unwrap().starts_with("AAAACAAA"));
        assert_eq!(settings.count(), if protocol < 23 { 9 } else { 10 }, "{protocol}");
        assert_eq!(response["simulation"], Value::Null);
    }
    let mut request = exchange("missing-entries")["request"].clone();
    request["ledger"]["protocol_version"] = json!(protocols().last().unwrap() + 1);
    assert_eq!(respond(&request)["error"]["code"], "UNKNOWN_PROTOCOL");
}

#[test]
fn hosts_of_all_protocols_simulate() {
    for name in ["restore-footprint", "extend-footprint", "auto-restore"] {
        for protocol in protocols() {
            let mut request = exchange(name)["request"].clone();
            request["ledger"]["protocol_version"] = json!(protocol);
            for setting in ["AAAACAAAAAY=", "AAAACAAAAAc="] {
                let entry = &mut request["ledger_entries"][setting]["entry_xdr"];
                *entry = setting_for(entry, protocol);
            }
            let simulation = respond(&request)["simulation"].clone();
            assert_eq!(simulation["error"], Value::Null, "{name} {protocol}");
            assert!(simulation["transaction_data_xdr"].is_string(), "{name} {protocol}");
            // Before protocol 23 an invocation does not restore the entries that it reads.
            let restores_first = name == "auto-restore" && protocol < 23;
            assert_eq!(simulation["restore_preamble"].is_object(), restores_first, "{name}");
        }
    }
}

#[test]
fn an_error_has_no_stack_trace() {
    let mut request = exchange("restore-footprint")["request"].clone();
    request["ledger"]["protocol_version"] = json!(23);
    let simulation = respond(&request)["simulation"].clone();
    let error = simulation["error"].as_str().unwrap();
    assert!(error.starts_with("cannot create budget from network configuration"), "{error}");
    assert!(!error.contains("backtrace"), "{error}");
}

#[test]
fn an_entry_under_another_keys_name_is_refused() {
    let mut request = exchange("auto-restore")["request"].clone();
    let entries = request["ledger_entries"].as_object_mut().unwrap();
    let given: Vec<Value> = entries.values().filter(|entry| !entry.is_null()).cloned().collect();
    let first = entries.iter().find(|(_, entry)| !entry.is_null()).unwrap().0.clone();
    entries[&first] = given[1].clone();
    let response = respond(&request);
    assert_eq!(response["error"]["code"], "BAD_XDR");
    assert_eq!(response["error"]["key_xdr"], first);
}

#[test]
fn this_build_refuses_a_replay() {
    let replay = &fixtures()[0].1["request"];
    assert_eq!(respond(replay)["error"]["code"], "BAD_REQUEST");
}
