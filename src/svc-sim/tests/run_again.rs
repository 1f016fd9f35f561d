// Tests of where a contract's code failed, and which of its functions ran, in every host.

mod support;

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use std::collections::BTreeMap;
use support::*;

fn own_contract(name: &str) -> Vec<u8> {
    std::fs::read(project_file("../../tests/contracts").join(name)).unwrap()
}

fn request_in(protocol: u32, wasm: &[u8]) -> Value {
    in_protocol(protocol, &request_with_own_code(wasm), Some(10_000_000))
}

#[test]
fn a_panic_has_its_lines_in_every_protocol() {
    let wasm = own_contract("panics-debug.wasm");
    let source = String::from_utf8(own_contract("panics/src/lib.rs")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("panic!(")).unwrap();
    for protocol in protocols() {
        let mut request = request_in(protocol, &wasm);
        request["options"] = json!({ "trace": true });
        let plain = without_time(respond(&request));
        request["options"] = json!({ "trace": true, "locate": {} });
        let mut located = without_time(respond(&request));
        let location = located["location"].take();
        let frames = location["frames"].as_array().unwrap_or_else(|| panic!("{located}"));
        let names: Vec<&str> =
            frames.iter().map(|frame| frame["function"].as_str().unwrap()).collect();
        assert_eq!(names[1..], ["panics::refuse", "panics::check", "panics::take", "fail"]);
        assert_eq!(frames[1]["sources"][0]["line"], line, "in protocol {protocol}");
        assert_eq!(location["lines_from"], "contract");
        // The rest of the response does not come from the second run.
        located.as_object_mut().unwrap().remove("location");
        assert_eq!(located, plain, "in protocol {protocol}");
    }
}

/// Wasm with one function that reads the last byte of the address space.
fn reads_beyond_its_memory(function: &str) -> Vec<u8> {
    // i32.const -1, i32.load8_u, drop, i64.const 2, end
    with_body(function, &[0x41, 0x7f, 0x2d, 0, 0, 0x1a, 0x42, 0x02, 0x0b])
}

#[test]
fn an_access_beyond_the_memory_has_its_address_in_every_protocol() {
    for protocol in protocols() {
        let mut request = request_in(protocol, &reads_beyond_its_memory("fail"));
        request["options"] = json!({ "locate": {} });
        let response = respond(&request);
        let frames = response["location"]["frames"].as_array().unwrap();
        let places: Vec<_> = frames.iter().map(|f| (&f["function"], &f["address"])).collect();
        assert_eq!(places, [(&json!("fail"), &json!(5))], "in protocol {protocol}");
    }
}

#[test]
fn a_call_costs_the_same_whatever_its_functions_name_is() {
    let cost_of = |protocol: u32, function: &str| {
        let mut request = request_in(protocol, &reads_beyond_its_memory(function));
        let envelope = STANDARD.decode(request["envelope_xdr"].as_str().unwrap()).unwrap();
        let called = envelope.windows(8).position(|bytes| bytes == b"\0\0\0\x04fail").unwrap();
        let name = [&(function.len() as u32).to_be_bytes(), function.as_bytes()].concat();
        let renamed = [&envelope[..called], &name, &envelope[called + 8..]].concat();
        request["envelope_xdr"] = STANDARD.encode(renamed).into();
        request["options"] = json!({ "trace": true });
        let response = respond(&request);
        let call = &response["call_tree"]["calls"][0]["calls"][0];
        assert_eq!(call["function"], function, "{response}");
        call["cpu_instructions"].as_str().unwrap().parse::<u64>().unwrap()
    };
    for protocol in protocols() {
        let short = cost_of(protocol, "fail");
        // A symbol of more than nine letters is an object of the host, which the host then reads.
        let long = cost_of(protocol, "fail_fail_fail_f");
        assert!(long.abs_diff(short) < short / 10, "{short} and {long} in protocol {protocol}");
    }
}

fn is_function(frame: &Value) -> bool {
    frame["kind"] == "function"
}

/// The profile without its functions: equal stacks are added up.
fn without_functions(profile: &Value) -> BTreeMap<Vec<String>, (u64, u64)> {
    let mut stacks = BTreeMap::<_, (u64, u64)>::new();
    let number = |value: &Value| value.as_str().unwrap().parse::<u64>().unwrap();
    for stack in profile["stacks"].as_array().unwrap() {
        let frames = stack["frames"].as_array().unwrap().iter().filter(|frame| !is_function(frame));
        let names = frames.map(|frame| frame.to_string()).collect();
        let sums = stacks.entry(names).or_default();
        *sums = (sums.0 + number(&stack["cpu"]), sums.1 + number(&stack["memory"]));
    }
    stacks
}

/// The profiles with functions and without. The rest of both answers is the same.
fn profiles_of(mut request: Value) -> Option<(Value, Value)> {
    request["options"] = json!({ "trace": true, "profile": true });
    let mut plain = without_time(respond(&request));
    request["options"] = json!({ "trace": true, "functions": {} });
    let mut profiled = without_time(respond(&request));
    let profile = plain.as_object_mut().unwrap().remove("profile")?;
    let with_functions = profiled.as_object_mut().unwrap().remove("profile")?;
    assert_eq!(profiled, plain);
    Some((with_functions, profile))
}

#[test]
fn functions_divide_the_cost_of_the_replay_in_every_protocol() {
    for protocol in protocols() {
        let request = request_in(protocol, &own_contract("panics-debug.wasm"));
        let (functions, plain) = profiles_of(request).unwrap();
        assert_eq!(
            functions["functions"],
            json!({ "available": true, "reason": null }),
            "{protocol}"
        );
        assert_eq!(
            without_functions(&functions),
            without_functions(&plain),
            "in protocol {protocol}"
        );
        let stacks = functions["stacks"].as_array().unwrap().iter();
        let stacks = stacks.map(|stack| stack["frames"].as_array().unwrap());
        let wasm: Vec<Vec<&str>> = stacks
            .filter(|frames| frames.last().unwrap()["name"] == "WasmInsnExec")
            .map(|frames| frames[2..].iter().map(|frame| frame["name"].as_str().unwrap()).collect())
            .collect();
        let deepest = ["fail", "panics::take", "panics::check", "panics::refuse"];
        for depth in 1..=deepest.len() {
            let mut stack = deepest[..depth].to_vec();
            stack.push("WasmInsnExec");
            assert!(wasm.contains(&stack), "in protocol {protocol}: {stack:?} in {wasm:?}");
        }
    }
}

#[test]
fn every_recorded_transaction_with_wasm_has_functions() {
    let mut available = 0;
    for (name, fixture) in fixtures() {
        let Some((functions, plain)) = profiles_of(fixture["request"].clone()) else { continue };
        assert_eq!(without_functions(&functions), without_functions(&plain), "{name}");
        let reason = &functions["functions"]["reason"];
        if functions["functions"]["available"] == false {
            assert_eq!(reason, "no contract with wasm ran", "{name}");
            assert_eq!(functions["stacks"], plain["stacks"], "{name}");
        } else {
            assert!(reason.is_null(), "{name}");
            available += 1;
        }
    }
    assert!(available >= 7, "{available}");
}

#[test]
fn a_run_that_a_limit_ended_has_its_place_and_functions_up_to_there() {
    for protocol in protocols() {
        let mut request = request_in(protocol, &never_ends("fail"));
        request["options"] = json!({ "locate": {} });
        let response = respond(&request);
        assert_eq!(response["host_error"]["type"], "Budget", "in protocol {protocol}");
        // The block that exceeded the limit begins at the branch.
        let frames = &response["location"]["frames"];
        assert_eq!(frames[0]["address"], 5, "in protocol {protocol}: {frames}");
        let (functions, plain) = profiles_of(request).unwrap();
        let known = json!({ "available": true, "reason": null });
        assert_eq!(functions["functions"], known, "in protocol {protocol}");
        assert_eq!(
            without_functions(&functions),
            without_functions(&plain),
            "in protocol {protocol}"
        );
        assert!(
            functions.to_string().contains(r#"{"kind":"function","name":"fail"}"#),
            "{functions}"
        );
    }
}

#[test]
fn another_contracts_wasm_is_refused() {
    let mut request = request_in(28, &own_contract("panics.wasm"));
    request["options"] = json!({ "locate": { "wasm": "AGFzbQEAAAA=" } });
    assert_eq!(respond(&request)["error"]["code"], "WASM_DIFFERS");
    let given = STANDARD.encode(own_contract("panics-debug.wasm"));
    request["options"] = json!({ "locate": { "wasm": given.clone() } });
    assert_eq!(respond(&request)["location"]["lines_from"], "given_wasm");
    request["options"] = json!({ "functions": { "wasm": given } });
    let profile = respond(&request)["profile"].take();
    assert_eq!(profile["functions"]["available"], true);
    assert!(profile.to_string().contains(r#""name":"panics::check""#), "{profile}");
    request["options"] = json!({ "functions": { "wasm": "AGFzbQEAAAA=" } });
    assert_eq!(respond(&request)["error"]["code"], "WASM_DIFFERS");
    request["options"] = json!({ "locate": { "wasm": "!" } });
    assert_eq!(respond(&request)["error"]["code"], "BAD_XDR");
}

#[test]
fn every_recorded_transaction_has_an_answer_that_fits_the_schema() {
    let schema = read_json(&project_file("schema/response.schema.json"));
    for (name, fixture) in fixtures() {
        let mut request = fixture["request"].clone();
        request["options"] = json!({ "locate": {}, "functions": {} });
        let response = respond(&request);
        assert_eq!(schema_errors(&schema, &response), [""; 0], "{name}");
        let succeeded = response["outcome"]["kind"] == "success";
        assert!(!succeeded || response["location"]["reason"].is_string(), "{name}");
    }
}
