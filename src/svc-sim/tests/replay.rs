// Tests of recorded transactions with the binary. They give the recorded result and response,
// traced or not, alone or among others.

mod support;

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use support::*;

#[test]
fn fixtures_give_the_recorded_response() {
    for (name, fixture) in fixtures() {
        assert_eq!(without_time(respond(&fixture["request"])), fixture["response"], "{name}");
    }
}

#[test]
fn the_operation_result_is_that_of_the_chain() {
    for (name, fixture) in fixtures() {
        let bytes = |value: &Value| STANDARD.decode(value.as_str().unwrap()).unwrap();
        let chain = bytes(&fixture["chain"]["result_xdr"]);
        let replay = bytes(&respond(&fixture["request"])["operation_result_xdr"]);
        let inside = chain.windows(replay.len()).any(|window| window == replay);
        assert!(inside, "{name}: the chain's result does not hold the replay's");
    }
}

#[test]
fn requests_and_responses_fit_their_schemas() {
    let request_schema = read_json(&project_file("schema/request.schema.json"));
    let response_schema = read_json(&project_file("schema/response.schema.json"));
    for (name, fixture) in fixtures() {
        assert_eq!(schema_errors(&request_schema, &fixture["request"]), [""; 0], "{name}");
        let mut request = fixture["request"].clone();
        request["options"] = json!({ "trace": "host_calls" });
        assert_eq!(schema_errors(&request_schema, &request), [""; 0], "{name}");
        for request in [&fixture["request"], &request] {
            assert_eq!(schema_errors(&response_schema, &respond(request)), [""; 0], "{name}");
        }
    }
    let failure = respond(&json!({}));
    assert_eq!(schema_errors(&response_schema, &failure), [""; 0]);
}

/// Metering does not depend on tracing or on diagnostics, in any host.
#[test]
fn tracing_changes_nothing_that_is_metered() {
    for (name, fixture) in fixtures() {
        for protocol in protocols() {
            let mut request = in_protocol(protocol, &fixture["request"], None);
            let traces = [json!("host_calls"), json!("calls"), json!(false)];
            let mut responses = traces.map(|trace| {
                request["options"] = json!({ "trace": trace, "diagnostics": trace != false });
                without_time(respond(&request))
            });
            assert_eq!(responses[0]["diagnostics_xdr"], responses[1]["diagnostics_xdr"]);
            let (with_host_calls, calls) = (&responses[0]["call_tree"], &responses[1]["call_tree"]);
            assert_eq!(without_host_calls(with_host_calls.clone()), *calls, "{name} in {protocol}");
            // There are no host calls if recording them changed the run.
            assert_eq!(with_host_calls["calls"][0]["host_calls"].is_array(), calls.is_object());
            for response in &mut responses {
                assert!(
                    response.get("error").is_none(),
                    "{name} in protocol {protocol}: {response}"
                );
                for traced_only in ["call_tree", "diagnostics_xdr"] {
                    response[traced_only] = Value::Null;
                }
            }
            assert_eq!(responses[0], responses[1], "{name} in protocol {protocol}");
            assert_eq!(responses[1], responses[2], "{name} in protocol {protocol}");
        }
    }
}

fn without_host_calls(mut node: Value) -> Value {
    if let Some(fields) = node.as_object_mut() {
        fields.remove("host_calls");
        for call in fields["calls"].as_array_mut().unwrap() {
            *call = without_host_calls(call.take());
        }
    }
    node
}

/// Every node with each of its host calls.
fn host_calls(node: &Value) -> Vec<(&Value, &Value)> {
    let own = node["host_calls"].as_array().into_iter().flatten().map(|call| (node, call));
    own.chain(node["calls"].as_array().into_iter().flatten().flat_map(host_calls)).collect()
}

/// The reads and writes of the contract match the ledger's changes.
#[test]
fn host_calls_have_their_values() {
    let mut request = request_of("temporary-entry-created");
    request["options"] = json!({ "trace": "host_calls" });
    let response = respond(&request);
    let calls = host_calls(&response["call_tree"]);
    let (_, put) = calls.iter().find(|(_, call)| call["function"] == "put_contract_data").unwrap();
    let bytes = |value: &Value| STANDARD.decode(value.as_str().unwrap()).unwrap();
    let created = response["changes"].as_array().unwrap().iter().map(|row| &row["after_xdr"]);
    for argument in [&put["arguments_xdr"][0], &put["arguments_xdr"][1]] {
        let value = bytes(argument);
        let stored = created
            .clone()
            .filter(|after| after.is_string())
            .any(|after| bytes(after).windows(value.len()).any(|window| window == value));
        assert!(stored, "{argument} is in no entry that was written");
    }
    assert_eq!(bytes(&put["result_xdr"]), [0, 0, 0, 1], "void");
}

#[test]
fn host_calls_cost_no_more_than_their_frame() {
    for (name, fixture) in fixtures() {
        let mut request = fixture["request"].clone();
        request["options"] = json!({ "trace": "host_calls" });
        let response = respond(&request);
        for (node, _) in host_calls(&response["call_tree"]) {
            let cost = |value: &Value| -> u64 {
                value["cpu_instructions"].as_str().unwrap().parse().unwrap()
            };
            let sum = |list: &Value| -> u64 { list.as_array().unwrap().iter().map(cost).sum() };
            let outermost: Vec<&Value> = node["host_calls"].as_array().unwrap().iter().collect();
            let outermost_cost: u64 =
                outermost.iter().filter(|call| call["depth"] == 0).map(|call| cost(call)).sum();
            assert!(sum(&node["calls"]) + outermost_cost <= cost(node), "{name}: {node}");
        }
    }
}

/// The stacks add up to the metered totals, and profiling changes nothing.
#[test]
fn a_profile_sums_up_to_the_metered_total() {
    for (name, fixture) in fixtures() {
        for protocol in protocols() {
            let mut request = in_protocol(protocol, &fixture["request"], None);
            let plain = respond(&request);
            request["options"] = json!({ "profile": true });
            let profiled = respond(&request);
            assert_eq!(profiled["metrics"], plain["metrics"], "{name} in protocol {protocol}");
            let Some(stacks) = profiled["profile"]["stacks"].as_array() else { continue };
            let sum = |field: &str| -> u64 {
                stacks.iter().map(|s| s[field].as_str().unwrap().parse::<u64>().unwrap()).sum()
            };
            assert_eq!(sum("cpu").to_string(), profiled["metrics"]["cpu_insn"], "{name}");
            assert_eq!(sum("memory").to_string(), profiled["metrics"]["mem_byte"], "{name}");
            let unexplained = |s: &&Value| s["frames"][0]["kind"] == "other";
            assert_eq!(stacks.iter().find(unexplained), None, "{name} in {protocol}");
        }
    }
}

#[test]
fn serve_answers_each_line_by_its_id() {
    let fixtures = fixtures();
    let mut input = String::new();
    for (name, fixture) in &fixtures {
        let mut request = fixture["request"].clone();
        request["id"] = name.as_str().into();
        input += &format!("{request}\n\n");
    }
    input += "not json\n";
    let output = run(&["serve"], input.as_bytes());
    assert!(output.status.success());
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), fixtures.len() + 1);
    for ((name, fixture), line) in fixtures.iter().zip(&lines) {
        assert_eq!(line["id"], name.as_str());
        let mut expected = fixture["response"].clone();
        expected["id"] = name.as_str().into();
        assert_eq!(without_time(line.clone()), expected, "{name} in serve");
    }
    assert_eq!(lines.last().unwrap()["error"]["code"], "BAD_REQUEST");
}

/// A request with only the three required fields gets an answer that lists what was assumed.
#[test]
fn the_three_required_fields_are_enough() {
    for (name, fixture) in fixtures() {
        let request = &fixture["request"];
        let bare = json!({
            "envelope_xdr": request["envelope_xdr"],
            "result_meta_xdr": request["result_meta_xdr"],
            "ledger_entries": request["ledger_entries"],
        });
        let response = respond(&bare);
        let assumed: Vec<&str> = response["assumed"]
            .as_array()
            .unwrap()
            .iter()
            .map(|a| a["what"].as_str().unwrap())
            .collect();
        for what in ["network_passphrase", "protocol_version", "sequence", "base_prng_seed"] {
            assert!(assumed.contains(&what), "{name}: {what} not in {assumed:?}");
        }
    }
}
