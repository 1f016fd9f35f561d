// Writes a wasm function as text, one instruction a line.

use crate::wire::travel::DisassemblyLine;
use wasmparser::{FunctionBody, Operator, Parser, Payload};

/// Tags of the host's values.
const ERROR: u8 = 3;
const U32: u8 = 4;
const I32: u8 = 5;
const SYMBOL: u8 = 14;

/// The largest number of lines of a function. The rest is left out.
const MAX_LINES: usize = 50_000;

/// The instructions of the function body at `position` in the code section.
pub fn disassemble(
    wasm: &[u8],
    position: usize,
    name: impl Fn(u32) -> String,
) -> Vec<DisassemblyLine> {
    let mut start = 0;
    let mut bodies = 0;
    for payload in Parser::new(0).parse_all(wasm).map_while(Result::ok) {
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
        let debug = format!("{operator:?}");
        let opcode = mnemonic(debug.split([' ', '{', '(']).next().unwrap_or_default());
        let operand = operand_text(&operator, &debug, &name);
        let text = format!("{}{opcode}{operand}", "  ".repeat(depth.min(40)));
        let (index, constant) = operand_of(&operator);
        let address = (offset - start) as u32;
        lines.push(DisassemblyLine { address, text, opcode, index, constant });
        if matches!(
            operator,
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. } | Operator::Else
        ) {
            depth += 1;
        }
    }
    Ok(lines)
}

/// The local, the global, the function or the label that an instruction names, and the number that
/// a constant pushes.
fn operand_of(operator: &Operator) -> (Option<u32>, Option<i64>) {
    match operator {
        Operator::Call { function_index: index }
        | Operator::LocalGet { local_index: index }
        | Operator::LocalSet { local_index: index }
        | Operator::LocalTee { local_index: index }
        | Operator::GlobalGet { global_index: index }
        | Operator::GlobalSet { global_index: index }
        | Operator::Br { relative_depth: index }
        | Operator::BrIf { relative_depth: index } => (Some(*index), None),
        Operator::I32Const { value } => (None, Some(i64::from(*value))),
        Operator::I64Const { value } => (None, Some(*value)),
        _ => (None, None),
    }
}

/// What follows the opcode, with a blank before it. Empty if nothing does.
fn operand_text(operator: &Operator, debug: &str, name: impl Fn(u32) -> String) -> String {
    if let Operator::Call { function_index } = operator {
        return format!(" {}", name(*function_index));
    }
    match (operand_of(operator), operator) {
        ((Some(index), _), _) => format!(" {index}"),
        ((_, Some(value)), Operator::I64Const { .. }) => match meaning(value as u64) {
            Some(meaning) => format!(" {value} ;; {meaning}"),
            None => format!(" {value}"),
        },
        ((_, Some(value)), _) => format!(" {value}"),
        (_, Operator::CallIndirect { type_index, .. }) => format!(" (type {type_index})"),
        (_, Operator::BrTable { targets }) => {
            let depths = targets.targets().flatten().chain([targets.default()]);
            depths.map(|depth| format!(" {depth}")).collect()
        }
        _ => {
            let rest = debug.split_once("offset: ").map(|(_, rest)| rest).unwrap_or_default();
            match rest.split([',', ' ']).next().unwrap_or_default() {
                "" | "0" => String::new(),
                offset => format!(" offset={offset}"),
            }
        }
    }
}

/// The meaning of a constant that is a host value. Plain numbers rarely look like one (CAP-46-1).
fn meaning(payload: u64) -> Option<String> {
    let (tag, body) = (payload as u8, payload >> 8);
    let (minor, major) = (body & 0xff_ffff, (body >> 24) as u32);
    match tag {
        SYMBOL => small_symbol_text(body),
        ERROR if minor == 0 => Some(format!("Error(Contract, #{major})")),
        U32 if minor == 0 && major != 0 => Some(format!("u32 {major}")),
        I32 if minor == 0 && major != 0 => Some(format!("i32 {}", major as i32)),
        _ => None,
    }
}

/// The text of a small symbol. `None` if it is not a text of at least two characters.
fn small_symbol_text(body: u64) -> Option<String> {
    let codes = (0..9).rev().map(|place| (body >> (6 * place)) as u8 & 0x3f);
    let text: Vec<u8> = codes
        .skip_while(|code| *code == 0)
        .map(|code| match code {
            1 => b'_',
            2..=11 => b'0' + code - 2,
            12..=37 => b'A' + code - 12,
            38..=63 => b'a' + code - 38,
            _ => b' ',
        })
        .collect();
    let whole = body >> 54 == 0 && text.len() > 1 && !text.contains(&b' ');
    whole.then(|| String::from_utf8(text).ok()).flatten()
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

#[cfg(test)]
mod tests {
    use super::meaning;
    use crate::hosts::payloads::small_symbol;

    #[test]
    fn constants_that_are_values_are_named_and_numbers_are_not() {
        for text in ["add", "Balance", "a_1", "zzzzzzzzz"] {
            let payload = small_symbol(text).map(|body| (body << 8) | 14);
            assert_eq!(payload.and_then(meaning).as_deref(), Some(text));
        }
        assert_eq!(meaning((10 << 32) | 3).as_deref(), Some("Error(Contract, #10)"));
        assert_eq!(meaning((500 << 32) | 4).as_deref(), Some("u32 500"));
        assert_eq!(meaning((u64::from(u32::MAX) << 32) | 5).as_deref(), Some("i32 -1"));
        for number in [0, 1, 2, 4, 14, 32, 255, 1000, u64::MAX, 1 << 63] {
            assert_eq!(meaning(number), None, "{number}");
        }
    }
}
