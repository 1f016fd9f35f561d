// Where a contract's code failed, in the host of every protocol.

mod support;

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::{json, Value};
use support::*;

fn own_contract(name: &str) -> Vec<u8> {
    std::fs::read(project_file("../../tests/contracts").join(name)).unwrap()
}

fn request_in(protocol: u32, wasm: &[u8]) -> Value {
    let mut request = request_with_own_code(wasm);
    request["envelope_xdr"] = with_resources(&request, Some(10_000_000), 200_000);
    request["ledger"]["protocol_version"] = protocol.into();
    request["ledger"]["settings"] = settings_for(&request["ledger"]["settings"], protocol);
    request
}

#[test]
fn a_panic_has_its_lines_in_every_protocol() {
    let wasm = own_contract("panics-debug.wasm");
    let source = String::from_utf8(own_contract("panics/src/lib.rs")).unwrap();
    let line = 1 + source.lines().position(|line| line.contains("panic!(")).unwrap();
    for protocol in 20..=30 {
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
        // Nothing else of the response comes from that run.
        located.as_object_mut().unwrap().remove("location");
        assert_eq!(located, plain, "in protocol {protocol}");
    }
}

#[test]
fn another_contracts_wasm_is_refused() {
    let mut request = request_in(28, &own_contract("panics.wasm"));
    request["options"] = json!({ "locate": { "wasm": "AGFzbQEAAAA=" } });
    assert_eq!(respond(&request)["error"]["code"], "WASM_DIFFERS");
    let given = STANDARD.encode(own_contract("panics-debug.wasm"));
    request["options"] = json!({ "locate": { "wasm": given } });
    assert_eq!(respond(&request)["location"]["lines_from"], "given_wasm");
    request["options"] = json!({ "locate": { "wasm": "!" } });
    assert_eq!(respond(&request)["error"]["code"], "BAD_XDR");
}

#[test]
fn every_recorded_transaction_has_an_answer_that_fits_the_schema() {
    let schema = read_json(&project_file("schema/response.schema.json"));
    for (name, fixture) in fixtures() {
        let mut request = fixture["request"].clone();
        request["options"] = json!({ "locate": {} });
        let response = respond(&request);
        assert_eq!(schema_errors(&schema, &response), [""; 0], "{name}");
        let succeeded = response["outcome"]["kind"] == "success";
        assert!(!succeeded || response["location"]["reason"].is_string(), "{name}");
    }
}
