// Where statements begin in a contract's code: by its lines where it has debug information, else
// where a function begins, calls another, or ends.

use super::debug_names::DebugNames;
use super::{
    code::{Code, Op},
    debug_info::DebugInfo,
};
use std::collections::HashMap;

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
    /// The inlined functions that operations are in, as paths from the function around them.
    nests: Vec<Nest>,
    /// For each operation: its nest.
    nest_of_op: Vec<u32>,
    /// For each operation: bit n says that a statement begins there in the function that is n
    /// inlined functions deep.
    begins: Vec<u32>,
    /// Functions, by their first operation, that the SDK made around the user's.
    generated: Vec<(u32, bool)>,
    /// For each file: the user wrote it.
    own_files: Vec<bool>,
    pub flags: Vec<u8>,
}

/// An inlined function within the one around it; the first nest is a function of the code itself.
#[derive(Clone, Copy, Default)]
struct Nest {
    around: u32,
    depth: usize,
    /// File and line.
    call: Option<(u32, u32)>,
    generated: bool,
}

/// Where libraries are on the machines that built the code.
const LIBRARIES: [&str; 5] =
    ["/.cargo/", "/registry/src/", "/git/checkouts/", "/rustc", "/rustlib/"];

impl Lines {
    pub fn of(code: &Code, named: Option<(&DebugNames, &[u8])>) -> Lines {
        let mut lines = Lines { of_op: vec![0; code.ops.len()], ..Lines::default() };
        lines.flags = vec![0; code.ops.len()];
        if let Some((names, wasm)) = named {
            lines.read_rows(names, code);
            lines.read_inlined(names, wasm, code);
        }
        let is_own = |file: &String| !LIBRARIES.iter().any(|part| file.contains(part));
        lines.own_files = lines.files.iter().map(is_own).collect();
        // A build in which everything lies where libraries do is the user's all the same.
        if !lines.own_files.contains(&true) {
            lines.own_files.fill(true);
        }
        lines.begins = vec![0; code.ops.len()];
        for function in &code.functions {
            lines.mark(code, function.first, function.end);
        }
        lines
    }

    pub fn has_rows(&self) -> bool {
        !self.rows.is_empty()
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
        self.nests = vec![Nest::default()];
        self.nest_of_op = vec![0; code.ops.len()];
        for function in &code.functions {
            let address = code.addresses.get(function.first as usize).copied().unwrap_or(0);
            let outermost = names.places(address).pop().and_then(|place| place.function);
            self.generated.push((function.first, outermost.is_some_and(|name| is_glue(&name, 0))));
        }
        let Some(info) = DebugInfo::read(wasm) else { return };
        let mut inner: HashMap<(u32, usize), u32> = HashMap::new();
        for (instance, (depth, ranges)) in info.inlined().into_iter().enumerate() {
            let first = ranges.iter().map(|range| range.begin).min();
            let first = first.and_then(|first| code.op_at(u32::try_from(first).ok()?));
            let Some(address) = first.and_then(|op| code.addresses.get(op as usize)) else {
                continue;
            };
            let places = names.places(*address);
            let around = places.len().checked_sub(depth).filter(|around| *around > 0);
            let place = around.and_then(|around| places.get(around));
            let call = place.and_then(|place| Some((self.file(place.file.as_ref()?), place.line?)));
            self.calls.extend(call.map(|(file, line)| (*address, file, line)));
            let name = around.and_then(|around| places[around - 1].function.as_deref());
            let generated = name.is_some_and(|name| is_glue(name, depth));
            let op = |address: u64| code.addresses.partition_point(|at| u64::from(*at) < address);
            for range in &ranges {
                for of_op in
                    self.nest_of_op.get_mut(op(range.begin)..op(range.end)).unwrap_or_default()
                {
                    let around = *of_op;
                    if self.nests[around as usize].depth + 1 != depth {
                        continue;
                    }
                    *of_op = *inner.entry((around, instance)).or_insert_with(|| {
                        self.nests.push(Nest { around, depth, call, generated });
                        self.nests.len() as u32 - 1
                    });
                }
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

    /// How many inlined functions the operation is in.
    pub fn depth(&self, op: u32) -> usize {
        self.nest(op, usize::MAX).map_or(0, |(_, nest)| nest.depth)
    }

    /// The function around the operation that is at most `depth` inlined functions deep.
    fn nest(&self, op: u32, depth: usize) -> Option<(u32, Nest)> {
        let mut at = *self.nest_of_op.get(op as usize)?;
        while self.nests[at as usize].depth > depth {
            at = self.nests[at as usize].around;
        }
        Some((at, self.nests[at as usize]))
    }

    /// The depth of the innermost function that both operations are in, at most `depth`. They are of
    /// one function of the code.
    pub fn common_depth(&self, one: u32, other: u32, depth: usize) -> usize {
        let mut depth = depth.min(self.depth(one)).min(self.depth(other));
        while depth > 0
            && self.nest(one, depth).map(|of| of.0) != self.nest(other, depth).map(|of| of.0)
        {
            depth -= 1;
        }
        depth
    }

    /// The file and line in the function at that depth: where it is, or where it calls the next.
    pub fn line_at(&self, op: u32, depth: usize) -> Option<(u32, u32)> {
        if depth >= self.depth(op) {
            return self.line(op);
        }
        self.nest(op, depth + 1)?.1.call
    }

    /// A statement of the function at that depth begins with the operation.
    pub fn begins(&self, op: u32, depth: usize) -> bool {
        let begins = self.begins.get(op as usize).copied().unwrap_or(0);
        depth < 32 && begins & (1 << depth) != 0
    }

    /// The depth of the innermost function of the user's, at most `depth`; none: all is of libraries.
    pub fn own_depth(&self, op: u32, depth: usize) -> Option<usize> {
        (0..=depth.min(self.depth(op))).rev().find(|depth| {
            let generated = match depth {
                0 => {
                    let after = self.generated.partition_point(|(first, _)| *first <= op);
                    after.checked_sub(1).is_some_and(|at| self.generated[at].1)
                }
                _ => self.nest(op, *depth).is_some_and(|(_, nest)| nest.generated),
            };
            let file = self.line_at(op, *depth).map(|(file, _)| file as usize);
            !generated && file.is_some_and(|file| self.own_files.get(file) == Some(&true))
        })
    }

    fn mark(&mut self, code: &Code, first: u32, end: u32) {
        let visible = (first..end).filter(|op| !code.ops[*op as usize].is_hidden());
        let mut before = None;
        let mut last = None;
        let has_rows = self.has_rows();
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
            for depth in 0..=self.depth(op).min(31) {
                let same = last.is_some_and(|last| {
                    self.common_depth(last, op, depth) == depth
                        && self.line_at(last, depth) == self.line_at(op, depth)
                });
                if !same && self.line_at(op, depth).is_some() {
                    self.begins[at] |= 1 << depth;
                }
            }
            last = Some(op);
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

/// The functions that soroban-sdk's macros make around a contract's: an export without a path, and
/// `__name::invoke_raw`.
fn is_glue(name: &str, depth: usize) -> bool {
    name.ends_with("::invoke_raw")
        || name.ends_with("::invoke_raw_extern")
        || depth == 0 && !name.contains("::")
}
