// Finds where statements begin in a contract's code: by its lines if it has debug information,
// otherwise where a function begins, calls another, or ends.

use super::debug_names::DebugNames;
use super::{
    code::{successors, Code},
    debug_info::DebugInfo,
};
use std::collections::{HashMap, HashSet};

/// A statement begins here.
pub const STATEMENT: u8 = 1;
/// The user has a breakpoint here.
pub const BREAK: u8 = 2;

#[derive(Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Row {
    pub address: u32,
    /// The end of the addresses to which the row applies.
    pub end: u32,
    pub file: u32,
    pub line: u32,
    pub column: u32,
}

#[derive(Default)]
pub struct Lines {
    pub files: Vec<String>,
    /// The rows, by address.
    pub rows: Vec<Row>,
    /// For each operation, the index of its row plus one, or zero.
    of_op: Vec<u32>,
    /// The inlined functions that contain operations, as paths from the function around them.
    nests: Vec<Nest>,
    /// For each operation, the index of its nest.
    nest_of_op: Vec<u32>,
    /// For each operation, a bit set: bit n says that a statement begins there in the function at
    /// inlining depth n.
    begins: Vec<u32>,
    /// The operations and depths at which a branch leads into the middle of a line.
    repeats: HashSet<(u32, usize)>,
    /// The functions that the SDK generated around the user's, by their first operation.
    generated: Vec<(u32, bool)>,
    /// For each file, whether the user wrote it.
    own_files: Vec<bool>,
    pub flags: Vec<u8>,
}

/// A file and a line number.
type Line = (u32, u32);

/// An inlined function inside another. The first nest is a function of the code itself.
#[derive(Clone, Copy, Default)]
struct Nest {
    around: u32,
    depth: usize,
    call: Option<Line>,
    generated: bool,
}

/// The directories of libraries on the machines that built the code.
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
        // If all files are in directories of libraries, the build is the user's.
        if !lines.own_files.contains(&true) {
            lines.own_files.fill(true);
        }
        lines.begins = vec![0; code.ops.len()];
        for function in &code.functions {
            lines.mark(code, function.first, function.end);
        }
        lines
    }

    /// Lines made of these rows, without inlined functions.
    #[cfg(test)]
    pub fn with_rows(code: &Code, rows: Vec<Row>) -> Lines {
        let none = || vec![0; code.ops.len()];
        let mut lines =
            Lines { rows, of_op: none(), begins: none(), nest_of_op: none(), ..Lines::default() };
        lines.flags = vec![0; code.ops.len()];
        lines.nests = vec![Nest::default()];
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
    }

    fn file(&mut self, name: &str) -> u32 {
        let known = self.files.iter().position(|known| known == name);
        known.unwrap_or_else(|| {
            self.files.push(name.to_string());
            self.files.len() - 1
        }) as u32
    }

    /// Address, file and line of every statement, without those in the middle of a line.
    pub fn bindable(&self, code: &Code) -> Vec<(u32, u32, u32)> {
        let depths = |op: u32| (0..32).filter(move |depth| self.begins(op, *depth));
        let all =
            (0..code.ops.len() as u32).flat_map(|op| depths(op).map(move |depth| (op, depth)));
        let first = all.filter(|place| !self.repeats.contains(place));
        let mut rows: Vec<_> = first
            .filter_map(|(op, depth)| {
                let (file, line) = self.line_at(op, depth)?;
                Some((code.addresses[op as usize], file, line))
            })
            .collect();
        rows.dedup();
        rows
    }

    /// The number of inlined functions around the operation.
    pub fn depth(&self, op: u32) -> usize {
        self.nest(op, usize::MAX).map_or(0, |(_, nest)| nest.depth)
    }

    /// The function around the operation at the inlining depth `depth` or less.
    fn nest(&self, op: u32, depth: usize) -> Option<(u32, Nest)> {
        let mut at = *self.nest_of_op.get(op as usize)?;
        while self.nests[at as usize].depth > depth {
            at = self.nests[at as usize].around;
        }
        Some((at, self.nests[at as usize]))
    }

    /// The depth, at most `depth`, of the innermost function that contains both operations. Both
    /// are in one function of the code.
    pub fn common_depth(&self, one: u32, other: u32, depth: usize) -> usize {
        let mut depth = depth.min(self.depth(one)).min(self.depth(other));
        while depth > 0
            && self.nest(one, depth).map(|of| of.0) != self.nest(other, depth).map(|of| of.0)
        {
            depth -= 1;
        }
        depth
    }

    /// The file and line in the function at that depth: the operation's own, or that of the next
    /// call.
    pub fn line_at(&self, op: u32, depth: usize) -> Option<(u32, u32)> {
        if depth >= self.depth(op) {
            return self.line(op);
        }
        self.nest(op, depth + 1)?.1.call
    }

    /// Says whether a statement of the function at that depth begins with the operation.
    pub fn begins(&self, op: u32, depth: usize) -> bool {
        let begins = self.begins.get(op as usize).copied().unwrap_or(0);
        depth < 32 && begins & (1 << depth) != 0
    }

    /// The depth, at most `depth`, of the innermost function that the user wrote. `None` if all are
    /// library functions.
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
        let loops = loops(code, first, end);
        let ways = Ways::of(code, first, end);
        let has_rows = self.has_rows();
        let entry = (first..end).find(|op| !code.ops[*op as usize].is_hidden());
        let mut ahead = Ahead::default();
        // `None` if the operation before does not lead to the next one.
        let mut flow = Some(Known::new());
        let mut last: Option<u32> = None;
        for op in first..end {
            if let Some(known) = ahead.take(op) {
                flow = Some(match flow {
                    Some(flow) => in_both(flow, &known),
                    None => known,
                });
            }
            let is_full = flow.as_ref().is_some_and(|known| known.len() > MOST_LINES);
            if loops.contains(&op) || is_full {
                flow = Some(Known::new());
            }
            let at = op as usize;
            if !code.ops[at].is_hidden() {
                let row = self.row_at(code.addresses[at]);
                self.of_op[at] = row.map_or(0, |row| row as u32 + 1);
                if !has_rows && (entry == Some(op) || code.ops[at].is_step()) {
                    self.flags[at] |= STATEMENT;
                }
                if let Some(known) = &mut flow {
                    self.begin(code, op, (last, &ways), known);
                }
                last = Some(op);
            }
            let next = ways.next(op);
            for to in next.iter().filter(|to| **to > op + 1 && **to < end) {
                if let Some(flow) = &flow {
                    ahead.add(*to, flow);
                }
            }
            if !next.contains(&(op + 1)) {
                (flow, last) = (None, None);
            }
        }
    }

    /// Marks the lines that begin with the operation, or with a part that was read earlier. `last`
    /// is the operation that leads directly to it.
    fn begin(
        &mut self,
        code: &Code,
        op: u32,
        (last, ways): (Option<u32>, &Ways),
        known: &mut Known,
    ) {
        let at = op as usize;
        let before = if self.has_rows() { ways.before(code, op) } else { vec![] };
        for depth in 0..=self.depth(op).min(31) {
            let (Some((nest, _)), Some(line)) = (self.nest(op, depth), self.line_at(op, depth))
            else {
                continue;
            };
            let is_same = |other: u32| {
                self.common_depth(other, op, depth) == depth
                    && self.line_at(other, depth) == Some(line)
            };
            let goes_on = last.is_some_and(is_same);
            let is_left = before.is_empty() || before.iter().any(|other| !is_same(*other));
            // In a line that continues after a loop in it, no statement begins.
            if !is_left && !known.contains_key(&(nest, line)) {
                continue;
            }
            let begun = known.entry((nest, line)).or_insert_with(|| {
                self.begins[at] |= 1 << depth;
                if goes_on {
                    self.repeats.insert((op, depth));
                }
                Begun { at: op, part: op, weight: 0 }
            });
            if !goes_on {
                begun.part = op;
            }
            if code.ops[at].weight() > begun.weight {
                begun.weight = code.ops[at].weight();
                if ways.lead_to(begun.at, begun.part) {
                    self.begins[begun.at as usize] &= !(1 << depth);
                    self.begins[begun.part as usize] |= 1 << depth;
                    begun.at = begun.part;
                }
            }
        }
    }

    fn row_at(&self, address: u32) -> Option<usize> {
        let row = self.rows.partition_point(|row| row.address <= address).checked_sub(1)?;
        let known = self.rows[row];
        (address < known.end && known.line > 0).then_some(row)
    }

    /// The file and line number of an operation.
    pub fn line(&self, op: u32) -> Option<(u32, u32)> {
        let row = (*self.of_op.get(op as usize)?).checked_sub(1)?;
        let row = self.rows.get(row as usize)?;
        Some((row.file, row.line))
    }
}

/// A line of a function, as far as it was read. A compiler mixes the instructions of lines. The
/// statement begins with the part that calls a function, or else has an effect, if that part is
/// always reached. A user who stops there can step into the call, and the effects of the lines
/// before have happened.
#[derive(Clone, Copy)]
struct Begun {
    /// The operation with which its statement begins.
    at: u32,
    /// The operation with which the last part begins.
    part: u32,
    /// The greatest weight of an operation in it.
    weight: u8,
}

/// Parts of a line that are farther apart count as separate.
const MOST_APART: u32 = 1_000;

/// The lines that were read on every path to an operation, in the same round of a loop.
type Known = HashMap<(u32, Line), Begun>;

/// If more lines are known on the paths, the function begins them anew.
const MOST_LINES: usize = 1_000;

/// If more lines are known for the targets of all branches ahead, they begin anew there.
const MOST_AHEAD: usize = 500_000;

/// For each target of a branch, the lines that were read on every path to it.
#[derive(Default)]
struct Ahead {
    targets: HashMap<u32, Known>,
    lines: usize,
}

impl Ahead {
    fn take(&mut self, op: u32) -> Option<Known> {
        let known = self.targets.remove(&op)?;
        self.lines -= known.len();
        Some(known)
    }

    fn add(&mut self, to: u32, flow: &Known) {
        let known = match self.take(to) {
            Some(known) => in_both(known, flow),
            None if self.lines + flow.len() > MOST_AHEAD => Known::new(),
            None => flow.clone(),
        };
        self.lines += known.len();
        self.targets.insert(to, known);
    }
}

fn in_both(mut one: Known, other: &Known) -> Known {
    one.retain(|line, begun| other.get(line).is_some_and(|known| known.at == begun.at));
    one
}

/// The control flow between the operations of a function.
struct Ways {
    first: u32,
    next: Vec<Vec<u32>>,
    /// For each operation, the operations that lead to it.
    before: Vec<Vec<u32>>,
}

impl Ways {
    fn of(code: &Code, first: u32, end: u32) -> Ways {
        let next: Vec<Vec<u32>> = (first..end).map(|op| successors(code, op)).collect();
        let mut before: Vec<Vec<u32>> = vec![vec![]; next.len()];
        for (op, next) in (first..).zip(&next) {
            for to in next.iter().filter(|to| **to < end) {
                before[(to - first) as usize].push(op);
            }
        }
        Ways { first, next, before }
    }

    fn next(&self, op: u32) -> &[u32] {
        &self.next[(op - self.first) as usize]
    }

    /// The operations that lead to this one, with each hidden one replaced by those before it. A
    /// hidden operation leads to only one other, so all these lists together are no longer than the
    /// edges.
    fn before(&self, code: &Code, op: u32) -> Vec<u32> {
        let mut found = vec![];
        let mut open = self.before[(op - self.first) as usize].clone();
        while let Some(from) = open.pop() {
            match code.ops[from as usize].is_hidden() {
                true => open.extend(&self.before[(from - self.first) as usize]),
                false => found.push(from),
            }
        }
        found
    }

    /// Says whether every path from one operation passes the other, unless it traps.
    fn lead_to(&self, from: u32, to: u32) -> bool {
        let goes_by = |op: u32| self.next(op).iter().all(|next| (op + 1..=to).contains(next));
        to - from <= MOST_APART && (from..to).all(goes_by)
    }
}

/// The operations at which loops begin, and the operations after the loops.
pub fn loops(code: &Code, first: u32, end: u32) -> HashSet<u32> {
    let mut ends: HashMap<u32, u32> = HashMap::new();
    for from in first..end {
        for to in successors(code, from).into_iter().filter(|to| *to <= from) {
            ends.insert(to, from + 1);
        }
    }
    ends.into_iter().flat_map(|(begin, end)| [begin, end]).collect()
}

/// Says whether a function is one that soroban-sdk's macros generate around a contract's: an export
/// without a path, or `__name::invoke_raw`.
fn is_glue(name: &str, depth: usize) -> bool {
    name.ends_with("::invoke_raw")
        || name.ends_with("::invoke_raw_extern")
        || depth == 0 && !name.contains("::")
}
