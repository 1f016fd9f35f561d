// Under protocol 20, compares the instructions that stellar-core before release 22 counts with
// numbers of the host that it ran.

mod support;

use serde_json::{json, Value};
use support::*;

fn metered_by_20_3_0() -> Value {
    read_json(&project_file("../../tests/fixtures/protocol-20/metered-by-20.3.0.json"))
}

fn request(fixture: &Value, transaction: &Value) -> Value {
    json!({
        "envelope_xdr": transaction["envelope_xdr"],
        "result_meta_xdr": "",
        "ledger_entries": transaction["ledger_entries"],
        "ledger": fixture["ledger"],
    })
}

#[test]
fn the_count_is_that_of_host_20_3_0() {
    let fixture = metered_by_20_3_0();
    let schema = read_json(&project_file("schema/response.schema.json"));
    let mut differ = 0;
    for transaction in fixture["transactions"].as_array().unwrap() {
        let (name, request) = (&transaction["name"], request(&fixture, transaction));
        let response = respond(&request);
        assert_eq!(response["outcome"]["kind"], "success", "{name}");
        assert_eq!(response["cpu_insn_before_22"], transaction["cpu_insn"], "{name}");
        assert_eq!(response["metrics"]["mem_byte"], transaction["mem_byte"], "{name}");
        assert_eq!(schema_errors(&schema, &response), [""; 0], "{name}");
        differ += usize::from(response["cpu_insn_before_22"] != response["metrics"]["cpu_insn"]);
    }
    assert_eq!(differ, 15);
}

/// A release before 22 had no more instructions than the transaction declares.
#[test]
fn there_is_no_count_beyond_the_limit() {
    let fixture = metered_by_20_3_0();
    let transaction = &fixture["transactions"][1];
    let count = transaction["cpu_insn"].as_str().unwrap().parse::<u32>().unwrap();
    let with_limit = |limit| {
        let mut request = request(&fixture, transaction);
        request["envelope_xdr"] = with_resources(&request, Some(limit), 60_000);
        respond(&request)
    };
    assert_eq!(with_limit(count)["cpu_insn_before_22"], transaction["cpu_insn"]);
    let beyond = with_limit(count - 1);
    assert_eq!(beyond["outcome"]["kind"], "success");
    assert_eq!(beyond["cpu_insn_before_22"], Value::Null);
}

#[test]
fn other_protocols_and_failures_have_none() {
    for (name, fixture) in fixtures() {
        for protocol in protocols() {
            let response = respond(&in_protocol(protocol, &fixture["request"], None));
            let succeeded = response["host_error"].is_null()
                && response["metrics"]["cpu_insn"].as_str().is_some_and(|count| count != "0");
            let counted = response["cpu_insn_before_22"].is_string();
            assert_eq!(counted, protocol == 20 && succeeded, "{name} in {protocol}");
        }
    }
}
