// Where statements begin in a contract's code: by its lines where it has debug information, else
// where a function begins, calls another, or ends.

use super::{
    code::{Code, Op},
    debug_info::DebugInfo,
};
use crate::instrumented::debug_names::DebugNames;

/// A statement begins here.
pub const STATEMENT: u8 = 1;
/// The user wants to stop here.
pub const BREAK: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    pub address: u32,
    /// The end of the addresses that it is for.
    pub end: u32,
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Default)]
pub struct Lines {
    pub files: Vec<String>,
    /// By address.
    pub rows: Vec<Row>,
    /// For each operation: its row and one, or zero.
    of_op: Vec<u32>,
    /// Calls of inlined functions: their first address, and the file and line of the call.
    calls: Vec<(u32, u32, u32)>,
    /// For each operation: the inlined functions that it is in.
    inlined: Vec<u8>,
    pub flags: Vec<u8>,
}

impl Lines {
    pub fn of(code: &Code, named: Option<(&DebugNames, &[u8])>) -> Lines {
        let mut lines = Lines { of_op: vec![0; code.ops.len()], ..Lines::default() };
        lines.flags = vec![0; code.ops.len()];
        if let Some((names, wasm)) = named {
            lines.read_rows(names, code);
            lines.read_inlined(names, wasm, code);
        }
        for function in &code.functions {
            lines.mark(code, function.first, function.end);
        }
        lines
    }

    fn read_rows(&mut self, names: &DebugNames, code: &Code) {
        let code_end = code.addresses.last().map_or(0, |last| last + 1);
        for (from, length, file, line, column) in names.rows(code_end) {
            let end = from.saturating_add(length);
            // A function's first row begins at its locals, before its first instruction.
            let first = code.op_at(from).and_then(|op| code.addresses.get(op as usize).copied());
            let Some(address) = first.filter(|address| *address < end) else { continue };
            let file = self.file(file);
            self.rows.push(Row { address, end, file, line, column });
        }
        self.rows.sort_by_key(|row| row.address);
    }

    fn read_inlined(&mut self, names: &DebugNames, wasm: &[u8], code: &Code) {
        self.inlined = vec![0; code.ops.len()];
        let Some(info) = DebugInfo::read(wasm) else { return };
        for (nesting, ranges) in info.inlined() {
            let op = |address: u64| code.addresses.partition_point(|at| u64::from(*at) < address);
            for range in &ranges {
                let ops = self.inlined.get_mut(op(range.begin)..op(range.end));
                ops.unwrap_or_default()
                    .iter_mut()
                    .for_each(|depth| *depth = depth.saturating_add(1));
            }
            let first = ranges.iter().map(|range| range.begin).min();
            let first = first.and_then(|first| code.op_at(u32::try_from(first).ok()?));
            let Some(address) = first.and_then(|op| code.addresses.get(op as usize)) else {
                continue;
            };
            let mut places = names.places(*address);
            let caller = places.len().checked_sub(nesting).filter(|caller| *caller > 0);
            let Some(place) = caller.map(|caller| places.swap_remove(caller)) else { continue };
            if let (Some(file), Some(line)) = (place.file, place.line) {
                let file = self.file(&file);
                self.calls.push((*address, file, line));
            }
        }
        self.calls.sort_unstable();
        self.calls.dedup();
    }

    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.files.push(name.to_string());
            self.files.len() - 1
        }) as u32
    }

    /// Address, file and line of every row, and of every call of an inlined function.
    pub fn bindable(&self) -> Vec<(u32, u32, u32)> {
        let rows = self.rows.iter().map(|row| (row.address, row.file, row.line));
        let mut all: Vec<_> = self.calls.iter().copied().chain(rows).collect();
        all.sort_by_key(|(address, ..)| *address);
        all
    }

    pub fn inlined(&self, op: u32) -> u8 {
        self.inlined.get(op as usize).copied().unwrap_or(0)
    }

    fn mark(&mut self, code: &Code, first: u32, end: u32) {
        let visible = (first..end).filter(|op| !code.ops[*op as usize].is_hidden());
        let mut before = None;
        let has_rows = !self.rows.is_empty();
        for (number, op) in visible.enumerate() {
            let at = op as usize;
            let row = self.row_at(code.addresses[at]);
            self.of_op[at] = row.map_or(0, |row| row as u32 + 1);
            let line = row.map(|row| (self.rows[row].file, self.rows[row].line));
            let begins = match has_rows {
                true => line.is_some() && line != before,
                false => {
                    let calls = matches!(
                        code.ops[at],
                        Op::Call(_) | Op::CallIndirect(_) | Op::Return | Op::Unreachable
                    );
                    number == 0 || calls
                }
            };
            before = line;
            if begins {
                self.flags[at] |= STATEMENT;
            }
        }
    }

    fn row_at(&self, address: u32) -> Option<usize> {
        let row = self.rows.partition_point(|row| row.address <= address).checked_sub(1)?;
        let known = self.rows[row];
        (address < known.end && known.line > 0).then_some(row)
    }

    /// The file and line of an operation.
    pub fn line(&self, op: u32) -> Option<(u32, u32)> {
        let row = (*self.of_op.get(op as usize)?).checked_sub(1)?;
        let row = self.rows.get(row as usize)?;
        Some((row.file, row.line))
    }
}
