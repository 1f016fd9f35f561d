// Entries by name: a request with references has the same answer as a request with the entries.

mod support;

use serde_json::{json, Value};
use support::*;

/// The answers of one process to several requests.
fn serve(requests: &[Value]) -> Vec<Value> {
    let lines: String = requests.iter().map(|request| format!("{request}\n")).collect();
    let output = run(&["serve"], lines.as_bytes());
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().map(|line| without_time(serde_json::from_str(line).unwrap())).collect()
}

/// The request with references instead of entries, and the definitions of the references.
fn by_reference(request: &Value) -> (Value, Value) {
    let mut request = request.clone();
    let mut define = json!({});
    let mut refer = |text: &mut Value| {
        let name = define.as_object().unwrap().len().to_string();
        define[&name] = text.clone();
        *text = format!("#{name}").into();
    };
    for entry in request["ledger_entries"].as_object_mut().unwrap().values_mut() {
        match entry {
            Value::Object(_) => refer(&mut entry["entry_xdr"]),
            Value::String(_) => refer(entry),
            _ => {}
        }
    }
    request["ledger"]["settings"].as_array_mut().unwrap().iter_mut().for_each(&mut refer);
    (request, define)
}

#[test]
fn references_are_as_good_as_the_entries_that_were_defined() {
    for (name, fixture) in fixtures() {
        let (referring, define) = by_reference(&fixture["request"]);
        let mut defining = referring.clone();
        defining["define"] = define;
        let answers = serve(&[defining, referring.clone(), referring]);
        for answer in answers {
            assert_eq!(answer, fixture["response"], "{name}");
        }
    }
}

#[test]
fn a_reference_to_what_is_not_defined_is_an_error() {
    let (_, fixture) = fixtures().remove(0);
    let (referring, define) = by_reference(&fixture["request"]);
    let mut defining = referring.clone();
    defining["define"] = define.clone();
    let mut forgetting = referring.clone();
    forgetting["forget"] = define.as_object().unwrap().keys().cloned().collect();
    let answers = serve(&[referring, defining.clone(), forgetting, defining]);
    assert_eq!(answers[0]["error"]["code"], "NOT_DEFINED");
    assert_eq!(answers[1], fixture["response"]);
    assert_eq!(answers[2]["error"]["code"], "NOT_DEFINED");
    assert_eq!(answers[3], fixture["response"]);
}

#[test]
fn a_name_refers_to_its_last_definition() {
    let (_, fixture) = fixtures().remove(0);
    let (mut referring, mut define) = by_reference(&fixture["request"]);
    let entries = referring["ledger_entries"].as_object().unwrap();
    let key = entries.iter().find(|(_, entry)| !entry.is_null()).unwrap().0.clone();
    let mut first = referring.clone();
    first["define"] = define.clone();
    // The first entry's name now refers to text that is not an entry.
    define["0"] = "AAAAAQ==".into();
    referring["define"] = define;
    let answers = serve(&[first, referring]);
    assert_eq!(answers[0], fixture["response"]);
    assert_eq!(answers[1]["error"]["code"], "BAD_XDR");
    assert_eq!(answers[1]["error"]["key_xdr"], key);
}
