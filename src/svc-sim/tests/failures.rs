// Tests of broken requests and pipes: svc-sim writes a stable error code to stdout, or ends
// silently.

mod support;

use serde_json::{json, Value};
use support::*;

fn request() -> Value {
    request_of("contract-error")
}

fn error_code(request: &Value) -> String {
    respond(request)["error"]["code"].as_str().unwrap_or("none").to_string()
}

#[test]
fn anything_but_a_request_is_a_bad_request() {
    for text in ["", "null", "[]", "{", "\"x\"", "{\"envelope_xdr\": 1}"] {
        let output = run(&[], text.as_bytes());
        let response: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(response["error"]["code"], "BAD_REQUEST", "{text:?}");
        assert_eq!(output.status.code(), Some(1), "{text:?}");
    }
    let message = respond(&json!({ "id": 7 }));
    assert_eq!(message["id"], 7);
    assert!(message["error"]["message"].as_str().unwrap().contains("envelope_xdr"));
}

#[test]
fn undecodable_xdr_names_the_field_and_the_entry() {
    for field in ["envelope_xdr", "result_meta_xdr"] {
        for value in ["!", "AAAA"] {
            let mut request = request();
            request[field] = value.into();
            let response = respond(&request);
            assert_eq!(response["error"]["code"], "BAD_XDR", "{field} = {value}");
            assert_eq!(response["error"]["field"], field);
        }
    }
    let mut request = request();
    let key = request["ledger_entries"].as_object().unwrap().keys().next().unwrap().clone();
    request["ledger_entries"][&key] = "AAAAAQ==".into();
    let response = respond(&request);
    assert_eq!(response["error"]["code"], "BAD_XDR");
    assert_eq!(response["error"]["key_xdr"], key);
}

#[test]
fn an_entry_under_another_keys_name_is_refused() {
    let mut request = request();
    let entries = request["ledger_entries"].as_object().unwrap().clone();
    let present: Vec<_> = entries.iter().filter(|(_, entry)| !entry.is_null()).collect();
    request["ledger_entries"][present[0].0] = present[1].1.clone();
    assert_eq!(error_code(&request), "BAD_XDR");
}

#[test]
fn a_protocol_before_all_hosts_is_unsupported_and_one_after_them_unknown() {
    let newest = protocols().last().unwrap();
    let expected =
        [(19, "UNSUPPORTED_PROTOCOL"), (newest + 1, "UNKNOWN_PROTOCOL"), (99, "UNKNOWN_PROTOCOL")];
    for (protocol, code) in expected {
        let mut request = request();
        request["ledger"]["protocol_version"] = protocol.into();
        assert_eq!(error_code(&request), code);
    }
}

/// If a host refuses its inputs, stellar-core has an internal error; svc-sim does not fail.
#[test]
fn more_cost_parameters_than_the_host_knows_is_an_internal_error() {
    let mut request = request();
    request["ledger"]["protocol_version"] = 23.into();
    assert_eq!(respond(&request)["outcome"]["kind"], "internal_error");
}

#[test]
fn past_the_deadline_it_answers_with_an_error_and_ends() {
    let mut request = request();
    request["options"] = json!({ "deadline_milliseconds": 0 });
    let output = run(&[], request.to_string().as_bytes());
    let response: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(response["error"]["code"], "DEADLINE");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_closed_pipe_ends_it_silently() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(env!("CARGO_BIN_EXE_svc-sim"))
        .arg("serve")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    use std::io::Write;
    let _ = writeln!(child.stdin.take().unwrap(), "{}", request());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn unknown_arguments_are_a_usage_error() {
    let output = run(&["--serve"], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
}

#[test]
fn the_two_required_fields_suffice_and_what_is_assumed_is_listed() {
    let schema = read_json(&project_file("schema/request.schema.json"));
    let response_schema = read_json(&project_file("schema/response.schema.json"));
    for (name, fixture) in fixtures() {
        let request = &fixture["request"];
        let required = json!({
            "envelope_xdr": request["envelope_xdr"],
            "result_meta_xdr": request["result_meta_xdr"],
        });
        assert_eq!(schema_errors(&schema, &required), [""; 0], "{name}");
        let response = respond(&required);
        assert_eq!(schema_errors(&response_schema, &response), [""; 0], "{name}");
        let assumed =
            response["assumed"].as_array().unwrap_or_else(|| panic!("{name}: {response}"));
        let named = |what: &str| assumed.iter().filter(|each| each["what"] == what).count();
        for what in ["ledger_entries", "network_passphrase", "protocol_version", "sequence"] {
            assert_eq!(named(what), 1, "{name}: {what}");
        }
        // Null means absent. An empty object says that nothing else is known.
        let with = |entries: Value| {
            let mut request = required.clone();
            request["ledger_entries"] = entries;
            without_time(respond(&request))
        };
        assert_eq!(with(Value::Null), without_time(response.clone()), "{name}");
        let empty = with(json!({}));
        assert!(!empty["assumed"]
            .as_array()
            .unwrap()
            .iter()
            .any(|it| it["what"] == "ledger_entries"));
        assert_eq!(empty["outcome"], response["outcome"], "{name}");
    }
}

/// Every contract of a footprint is read, whether it ran or not.
#[test]
fn code_that_no_host_runs_is_no_reason_to_stop() {
    // A type, a function, a table of 2^32 - 1 elements, and the function's body.
    let sections = [
        &[1, 4, 1, 0x60, 0, 0, 3, 2, 1, 0][..],
        &[4, 8, 1, 0x70, 0, 0xff, 0xff, 0xff, 0xff, 0x0f, 10, 4, 1, 2, 0, 0x0b],
    ];
    let wasm = [b"\0asm\x01\0\0\0", &sections.concat()[..]].concat();
    for options in [json!({ "record": {} }), json!({ "why": true, "locate": {} })] {
        let mut request = request_with_own_code(&wasm);
        request["options"] = options;
        let response = respond(&request);
        assert_eq!(response["outcome"]["kind"], "failed", "{response}");
    }
}

/// The time limits also hold for requests about a recorded transaction.
#[test]
fn a_long_way_through_a_recording_ends_at_the_deadline() {
    let mut request = request_with_own_code(&never_ends("fail"));
    request["envelope_xdr"] = with_resources(&request, Some(90_000_000), 200_000);
    request["options"] = json!({ "record": {}, "deadline_milliseconds": 600_000 });
    let travel = json!({ "id": 7, "travel": {
        "kind": "seek", "from": 2, "backwards": false, "mode": "out", "instructions": true,
    } });
    let lines = format!("{request}\n{travel}\n{travel}\n");
    let output = run(&["serve", "--deadline-milliseconds", "1"], lines.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(answers[0]["record"]["instructions"].as_u64() > Some(10_000_000), "{}", answers[0]);
    assert_eq!(answers[1]["error"]["code"], "DEADLINE", "{}", answers[1]);
    assert_eq!((answers[1]["id"].as_u64(), answers.len()), (Some(7), 2));
    assert_eq!(output.status.code(), Some(1));
}
