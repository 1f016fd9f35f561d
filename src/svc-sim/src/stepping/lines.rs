// Where statements begin in a contract's code: by its lines where it has debug information, else
// where a function begins, calls another, or ends.

use super::code::{Code, Op};
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
    pub flags: Vec<u8>,
}

impl Lines {
    pub fn of(code: &Code, names: Option<&DebugNames>) -> Lines {
        let mut lines = Lines { of_op: vec![0; code.ops.len()], ..Lines::default() };
        lines.flags = vec![0; code.ops.len()];
        if let Some(names) = names {
            lines.read_rows(names, code.addresses.last().map_or(0, |last| last + 1));
        }
        for function in &code.functions {
            lines.mark(code, function.first, function.end);
        }
        lines
    }

    fn read_rows(&mut self, names: &DebugNames, end: u32) {
        for (address, length, file, line, column) in names.rows(end) {
            let file = match self.files.iter().position(|known| known == file) {
                Some(known) => known,
                None => {
                    self.files.push(file.to_string());
                    self.files.len() - 1
                }
            };
            let end = address.saturating_add(length);
            self.rows.push(Row { address, end, file: file as u32, line, column });
        }
        self.rows.sort_by_key(|row| row.address);
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
