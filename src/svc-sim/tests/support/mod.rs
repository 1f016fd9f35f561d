// What the tests share: running the binary, reading the fixtures that the TypeScript tests read
// too, and a validator for the part of JSON Schema that the schemas use.

#![allow(dead_code)]

use base64::{engine::general_purpose::STANDARD, Engine};
use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
};
use svc_sim::hosts::{host_for_protocol, HOSTS};

/// The path is looked up when the test runs, because cargo reuses test programs that another
/// checkout built.
pub fn project_file(relative: &str) -> PathBuf {
    PathBuf::from(std::env::var_os("CARGO_MANIFEST_DIR").unwrap()).join(relative)
}

pub fn read_json(path: &Path) -> Value {
    let text = fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The name and content of each `tests/fixtures/protocol/*.json`.
pub fn fixtures() -> Vec<(String, Value)> {
    let folder = project_file("../../tests/fixtures/protocol");
    let mut found: Vec<_> = fs::read_dir(&folder)
        .expect("the fixtures folder")
        .map(|file| file.expect("a fixture").path())
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), read_json(&path)))
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(!found.is_empty(), "no fixtures in {}", folder.display());
    found
}

pub fn request_of(fixture: &str) -> Value {
    fixtures().into_iter().find(|(name, _)| name == fixture).unwrap().1["request"].take()
}

pub fn run(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_svc-sim"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("svc-sim starts");
    // A test may expect that the process ends before it has read everything.
    let _ = child.stdin.take().unwrap().write_all(input);
    child.wait_with_output().expect("svc-sim ends")
}

pub fn respond(request: &Value) -> Value {
    let output = run(&[], request.to_string().as_bytes());
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|e| panic!("{e}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// The request of `contract-error` with one of our own contracts (tests/contracts) instead of the
/// recorded code.
pub fn request_with_own_code(wasm: &[u8]) -> Value {
    let mut request = request_of("contract-error");
    for entry in request["ledger_entries"].as_object_mut().unwrap().values_mut() {
        let old = STANDARD.decode(entry["entry_xdr"].as_str().unwrap()).unwrap();
        let Some(start) = old.windows(4).position(|window| window == b"\0asm") else { continue };
        let length = u32::from_be_bytes(old[start - 4..start].try_into().unwrap()) as usize;
        let mut new = old[..start - 4].to_vec();
        new.extend((wasm.len() as u32).to_be_bytes());
        new.extend(wasm);
        new.resize(new.len().next_multiple_of(4), 0);
        // XDR is padded to four bytes, and so is everything before the code.
        new.extend(&old[(start + length).next_multiple_of(4)..]);
        entry["entry_xdr"] = STANDARD.encode(new).into();
        entry["code_cached"] = false.into();
    }
    request
}

/// Wasm whose only function has one argument and is an endless loop.
pub fn never_ends(function: &str) -> Vec<u8> {
    // loop, br 0, end, i64.const 2, end
    with_body(function, &[0x03, 0x40, 0x0c, 0, 0x0b, 0x42, 0x02, 0x0b])
}

/// Wasm with one function of one argument.
pub fn with_body(function: &str, body: &[u8]) -> Vec<u8> {
    let mut wasm = b"\0asm\x01\0\0\0".to_vec();
    let mut section = |id: u8, content: &[u8]| {
        wasm.extend([id, content.len() as u8]);
        wasm.extend(content);
    };
    section(0, b"\x11contractenvmetav0\0\0\0\0\0\0\0\x14\0\0\0\0");
    section(1, &[1, 0x60, 1, 0x7e, 1, 0x7e]);
    section(3, &[1, 0]);
    section(5, &[1, 0, 1]);
    section(7, &[&[1, function.len() as u8], function.as_bytes(), &[0, 0]].concat());
    section(10, &[&[1, 1 + body.len() as u8, 0], body].concat());
    wasm
}

/// The request in another protocol, whose rules may count every entry as read from disk, and whose
/// host may know fewer cost types than the recorded network has parameters for.
pub fn in_protocol(protocol: u32, request: &Value, instructions: Option<u32>) -> Value {
    let mut request = request.clone();
    request["envelope_xdr"] = with_resources(&request, instructions, 200_000);
    request["ledger"]["protocol_version"] = protocol.into();
    for setting in request["ledger"]["settings"].as_array_mut().unwrap() {
        *setting = setting_for(setting, protocol);
    }
    request
}

/// The envelope with other resources. They are found by the declared ones.
pub fn with_resources(request: &Value, instructions: Option<u32>, read_bytes: u32) -> Value {
    let mut envelope = STANDARD.decode(request["envelope_xdr"].as_str().unwrap()).unwrap();
    let limits = &respond(request)["limits"];
    let declared = ["instructions", "disk_read_bytes", "write_bytes"]
        .map(|name| limits[name].as_str().unwrap().parse::<u32>().unwrap().to_be_bytes())
        .concat();
    let at = envelope.windows(12).rposition(|window| window == declared).unwrap();
    if let Some(instructions) = instructions {
        envelope[at..at + 4].copy_from_slice(&instructions.to_be_bytes());
    }
    envelope[at + 4..at + 8].copy_from_slice(&read_bytes.to_be_bytes());
    STANDARD.encode(envelope).into()
}

pub fn protocols() -> impl Iterator<Item = u32> {
    HOSTS.iter().map(|(protocol, _)| *protocol)
}

/// A setting's entry, with cost parameters cut to the number of types that the host knows.
pub fn setting_for(entry: &Value, protocol: u32) -> Value {
    let mut bytes = STANDARD.decode(entry.as_str().unwrap()).unwrap();
    // The ledger of the last change, entry type 8 and the setting's id come before the array's
    // length.
    let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
    let is_cost_parameters = matches!(number(8), 6 | 7);
    let known = host_for_protocol(protocol).unwrap().cost_types;
    if is_cost_parameters && number(12) as usize > known {
        bytes[12..16].copy_from_slice(&(known as u32).to_be_bytes());
        bytes.truncate(16 + known * 20);
        bytes.extend([0; 4]);
    }
    STANDARD.encode(bytes).into()
}

/// Two runs never take the same time.
pub fn without_time(mut response: Value) -> Value {
    if let Some(object) = response.as_object_mut() {
        object.remove("host_nanoseconds");
    }
    response
}

/// Every way in which `value` breaks `schema`.
pub fn schema_errors(schema: &Value, value: &Value) -> Vec<String> {
    let mut errors = vec![];
    check(schema, schema, value, "$", &mut errors);
    errors
}

fn check(root: &Value, schema: &Value, value: &Value, at: &str, errors: &mut Vec<String>) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = root.pointer(reference.trim_start_matches('#')).expect("a local $ref");
        return check(root, target, value, at, errors);
    }
    if let Some(branches) = schema["anyOf"].as_array() {
        let fits = branches.iter().any(|branch| {
            let mut errors = vec![];
            check(root, branch, value, at, &mut errors);
            errors.is_empty()
        });
        if !fits {
            errors.push(format!("{at}: fits no alternative"));
        }
        return;
    }
    if let Some(allowed) = schema["enum"].as_array() {
        if !allowed.contains(value) {
            errors.push(format!("{at}: {value} is not one of the allowed values"));
        }
    }
    let types: Vec<&str> = match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => vec![],
    };
    if !types.is_empty() && !types.iter().any(|name| has_type(value, name)) {
        errors.push(format!("{at}: {value} is not {types:?}"));
        return;
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            errors.push(format!("{at}: {name} is missing"));
        }
    }
    for (name, child) in value.as_object().into_iter().flatten() {
        let child_schema = schema["properties"].get(name).or(schema.get("additionalProperties"));
        match child_schema {
            Some(child_schema) => check(root, child_schema, child, &format!("{at}.{name}"), errors),
            None => errors.push(format!("{at}: {name} is not in the schema")),
        }
    }
    for (index, item) in value.as_array().into_iter().flatten().enumerate() {
        check(root, &schema["items"], item, &format!("{at}[{index}]"), errors);
    }
}

fn has_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_u64() || value.is_i64(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("the validator does not know the type {other}"),
    }
}
