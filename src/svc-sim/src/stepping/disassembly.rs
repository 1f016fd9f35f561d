// A function of wasm as text, one instruction a line.

use crate::wire::travel::DisassemblyLine;
use wasmparser::{FunctionBody, Operator, Parser, Payload};

/// A function has no more lines than this; the rest is left out.
const MAX_LINES: usize = 50_000;

/// The instructions of the body at `position` in the code section.
pub fn disassemble(
    wasm: &[u8],
    position: usize,
    name: impl Fn(u32) -> String,
) -> Vec<DisassemblyLine> {
    let mut start = 0;
    let mut bodies = 0;
    for payload in Parser::new(0).parse_all(wasm).flatten() {
        match payload {
            Payload::CodeSectionStart { range, .. } => start = range.start,
            Payload::CodeSectionEntry(body) => {
                if bodies == position {
                    return lines(&body, start, name).unwrap_or_default();
                }
                bodies += 1;
            }
            _ => {}
        }
    }
    vec![]
}

fn lines(
    body: &FunctionBody,
    start: usize,
    name: impl Fn(u32) -> String,
) -> wasmparser::Result<Vec<DisassemblyLine>> {
    let mut depth = 1usize;
    let mut lines = vec![];
    for operator in body.get_operators_reader()?.into_iter_with_offsets().take(MAX_LINES) {
        let (operator, offset) = operator?;
        if matches!(operator, Operator::End | Operator::Else) {
            depth = depth.saturating_sub(1);
        }
        let text = format!("{}{}", "  ".repeat(depth.min(40)), text(&operator, &name));
        lines.push(DisassemblyLine { address: (offset - start) as u32, text });
        if matches!(
            operator,
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else
        ) {
            depth += 1;
        }
    }
    Ok(lines)
}

fn text(operator: &Operator, name: impl Fn(u32) -> String) -> String {
    let debug = format!("{operator:?}");
    let mnemonic = mnemonic(debug.split([' ', '{', '(']).next().unwrap_or_default());
    match operator {
        Operator::Call { function_index } => format!("{mnemonic} {}", name(*function_index)),
        Operator::CallIndirect { type_index, .. } => format!("{mnemonic} (type {type_index})"),
        Operator::LocalGet { local_index }
        | Operator::LocalSet { local_index }
        | Operator::LocalTee { local_index } => format!("{mnemonic} {local_index}"),
        Operator::GlobalGet { global_index } | Operator::GlobalSet { global_index } => {
            format!("{mnemonic} {global_index}")
        }
        Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
            format!("{mnemonic} {relative_depth}")
        }
        Operator::BrTable { targets } => {
            let depths = targets.targets().flatten().chain([targets.default()]);
            let depths: Vec<String> = depths.map(|depth| depth.to_string()).collect();
            format!("{mnemonic} {}", depths.join(" "))
        }
        Operator::I32Const { value } => format!("{mnemonic} {value}"),
        Operator::I64Const { value } => format!("{mnemonic} {value}"),
        _ => match debug.split_once("offset: ") {
            Some((_, rest)) => {
                let offset = rest.split([',', ' ']).next().unwrap_or_default();
                if offset == "0" {
                    mnemonic
                } else {
                    format!("{mnemonic} offset={offset}")
                }
            }
            None => mnemonic,
        },
    }
}

/// `I32Load8U` is `i32.load8_u`.
fn mnemonic(name: &str) -> String {
    let mut words: Vec<String> = vec![];
    for letter in name.chars() {
        if letter.is_ascii_uppercase() || words.is_empty() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(letter.to_ascii_lowercase());
        }
    }
    const FAMILIES: [&str; 8] = ["i32", "i64", "f32", "f64", "local", "global", "memory", "data"];
    match words.split_first() {
        Some((first, rest)) if FAMILIES.contains(&first.as_str()) && !rest.is_empty() => {
            format!("{first}.{}", rest.join("_"))
        }
        _ => words.join("_"),
    }
}
