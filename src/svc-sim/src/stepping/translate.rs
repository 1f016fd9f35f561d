// Translates a contract's wasm for `machine.rs`: its instructions in one list, with resolved
// branches, and the fuel that wasmi charges for each block. The rules for fuel are those of the
// wasmi that every host uses (engine/func_builder/translator.rs, with the costs of
// `load_calibrated_fuel_costs`), including those for dead code: a run here must count what the host
// counted.

use super::{
    code::{Code, Op, Target},
    operators::plain,
    read_code::{text, Result},
};
use std::{collections::HashMap, rc::Rc};
use wasmparser::{BlockType, FunctionBody, Operator};

pub const BASE: u64 = 1;
const LOCALS_PER_FUEL: u64 = 8;

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Function,
    Block,
    Loop,
    If,
    /// The block began in unreachable code.
    Dead,
}

struct Control {
    kind: Kind,
    /// The index of its `Op::Fuel`.
    fuel: usize,
    height: u32,
    has_result: bool,
    /// The first operation of a loop.
    start: u32,
    to_patch: Vec<usize>,
    else_patch: Option<usize>,
}

pub struct Translation<'a> {
    code: &'a mut Code,
    index: usize,
    wasm: &'a [u8],
    code_start: usize,
    open: Vec<Control>,
    height: u32,
    reachable: bool,
    address: u32,
}

impl<'a> Translation<'a> {
    pub fn of(code: &'a mut Code, index: usize, wasm: &'a [u8], code_start: usize) -> Self {
        let (open, height, reachable, address) = (vec![], 0, true, 0);
        Translation { code, index, wasm, code_start, open, height, reachable, address }
    }

    pub fn body(mut self, body: &FunctionBody) -> Result<()> {
        let signature = self.code.functions[self.index].signature as usize;
        let signature = self.code.signatures.get(signature).ok_or("an unknown type")?.clone();
        let mut locals = signature.parameters.clone();
        for local in body.get_locals_reader().map_err(text)? {
            let (count, of_type) = local.map_err(text)?;
            if locals.len() + count as usize > 50_000 {
                return Err("too many locals".into());
            }
            locals.extend(std::iter::repeat_n(of_type, count as usize));
        }
        let first = self.code.ops.len() as u32;
        let operators = body.get_operators_reader().map_err(text)?;
        self.address = (operators.original_position() - self.code_start) as u32;
        self.push(Kind::Function, !signature.results.is_empty(), None);
        self.charge(locals.len() as u64 / LOCALS_PER_FUEL);
        for operator in operators.into_iter_with_offsets() {
            let (operator, offset) = operator.map_err(text)?;
            self.address = (offset - self.code_start) as u32;
            self.operator(operator, self.wasm[offset])?;
            let most = &mut self.code.functions[self.index].most_values;
            *most = (*most).max(self.height as usize);
        }
        let function = &mut self.code.functions[self.index];
        (function.first, function.end) = (first, self.code.ops.len() as u32);
        function.most_values += locals.len() - signature.parameters.len();
        function.locals = locals;
        Ok(())
    }

    fn emit(&mut self, op: Op) -> usize {
        self.code.ops.push(op);
        self.code.addresses.push(self.address);
        self.code.ops.len() - 1
    }

    fn here(&self) -> u32 {
        self.code.ops.len() as u32
    }

    /// Adds fuel to the cost of the open block.
    fn charge(&mut self, fuel: u64) {
        let Some(open) = self.open.last() else { return };
        if let Some(Op::Fuel(cost)) = self.code.ops.get_mut(open.fuel) {
            *cost += fuel;
        }
    }

    /// Opens a block. `fuel` is the cost that it shares with another block.
    fn push(&mut self, kind: Kind, has_result: bool, fuel: Option<usize>) {
        let start = self.here();
        let fuel = fuel.unwrap_or_else(|| self.emit(Op::Fuel(BASE)));
        let (to_patch, else_patch) = (vec![], None);
        let height = self.height;
        self.open.push(Control { kind, fuel, height, has_result, start, to_patch, else_patch });
    }

    fn push_dead(&mut self) {
        self.push(Kind::Dead, false, Some(usize::MAX));
    }

    fn operator(&mut self, operator: Operator, opcode: u8) -> Result<()> {
        match operator {
            Operator::Block { .. } | Operator::Loop { .. } | Operator::If { .. }
                if !self.reachable =>
            {
                self.push_dead();
            }
            Operator::Block { blockty } => {
                let fuel = self.open.last().map(|open| open.fuel);
                self.push(Kind::Block, has_result(blockty)?, fuel);
            }
            Operator::Loop { blockty } => self.push(Kind::Loop, has_result(blockty)?, None),
            Operator::If { blockty } => {
                self.height -= 1;
                self.charge(BASE);
                let branch = self.emit(Op::BrIfZero(0));
                self.push(Kind::If, has_result(blockty)?, None);
                self.top()?.else_patch = Some(branch);
            }
            Operator::Else => self.begin_else()?,
            Operator::End => self.end()?,
            Operator::Nop => {}
            _ if !self.reachable => {}
            other => self.reached(other, opcode)?,
        }
        Ok(())
    }

    fn top(&mut self) -> Result<&mut Control> {
        self.open.last_mut().ok_or("an instruction outside a function".into())
    }

    fn begin_else(&mut self) -> Result<()> {
        if self.top()?.kind == Kind::Dead {
            return Ok(());
        }
        let mut block = self.open.pop().ok_or("an else without its if")?;
        if self.reachable {
            // wasmi charges this to the block around the `if`.
            self.charge(BASE);
            let target = Target { op: u32::MAX, height: block.height, keeps: block.has_result };
            block.to_patch.push(self.emit(Op::Br(target)));
        }
        let here = self.here();
        if let Some(branch) = block.else_patch.take() {
            self.code.ops[branch] = Op::BrIfZero(here);
        }
        block.fuel = self.emit(Op::Fuel(BASE));
        self.height = block.height;
        self.reachable = true;
        self.open.push(block);
        Ok(())
    }

    fn end(&mut self) -> Result<()> {
        if self.open.len() == 1 && self.reachable {
            self.charge(BASE);
            self.emit(Op::Return);
        }
        let block = self.open.pop().ok_or("an end without its block")?;
        let here = self.here();
        if let Some(branch) = block.else_patch {
            self.code.ops[branch] = Op::BrIfZero(here);
        }
        for branch in block.to_patch {
            self.patch(branch, here);
        }
        if block.kind != Kind::Dead {
            self.reachable = true;
            self.height = block.height + u32::from(block.has_result);
        }
        Ok(())
    }

    fn patch(&mut self, branch: usize, to: u32) {
        match &mut self.code.ops[branch] {
            // The target of a loop is known.
            Op::Br(target) | Op::BrIf(target) | Op::Jump(target) if target.op == u32::MAX => {
                target.op = to;
            }
            _ => {}
        }
    }

    /// The target of a branch. `None` if it leaves the function.
    fn target(&self, depth: u32) -> Option<(usize, Target)> {
        let block = (self.open.len() - 1).checked_sub(depth as usize)?;
        let open = &self.open[block];
        let (op, keeps) = match open.kind {
            Kind::Loop => (open.start, false),
            _ => (u32::MAX, open.has_result),
        };
        (block > 0).then_some((block, Target { op, height: open.height, keeps }))
    }

    fn reached(&mut self, operator: Operator, opcode: u8) -> Result<()> {
        match operator {
            Operator::Unreachable => {
                self.charge(BASE);
                self.emit(Op::Unreachable);
                self.reachable = false;
            }
            Operator::Br { relative_depth } => {
                self.charge(BASE);
                match self.target(relative_depth) {
                    Some((block, target)) => {
                        let branch = self.emit(Op::Br(target));
                        self.open[block].to_patch.push(branch);
                    }
                    None => {
                        self.emit(Op::Return);
                    }
                }
                self.reachable = false;
            }
            Operator::BrIf { relative_depth } => {
                self.height -= 1;
                match self.target(relative_depth) {
                    Some((block, target)) => {
                        self.charge(BASE);
                        let branch = self.emit(Op::BrIf(target));
                        self.open[block].to_patch.push(branch);
                    }
                    None => {
                        self.emit(Op::ReturnIf);
                    }
                }
            }
            Operator::BrTable { targets } => return self.branch_table(&targets),
            Operator::Return => {
                self.charge(BASE);
                self.emit(Op::Return);
                self.reachable = false;
            }
            other => {
                let (cost, pops, pushes, op) = plain(self.code, other, opcode)?;
                self.charge(cost);
                self.height = self.height - pops + pushes;
                self.emit(op);
            }
        }
        Ok(())
    }

    fn branch_table(&mut self, table: &wasmparser::BrTable) -> Result<()> {
        self.charge(BASE);
        self.height -= 1;
        let mut depths = table.targets().collect::<wasmparser::Result<Vec<_>>>().map_err(text)?;
        depths.push(table.default());
        let found: Vec<_> = depths.iter().map(|depth| self.target(*depth)).collect();
        let table = self.emit(Op::BrTable(Rc::default()));
        // A target that is not known yet becomes a jump after the table.
        let mut jumps: HashMap<Option<usize>, u32> = HashMap::new();
        let mut targets = vec![];
        for found in found {
            let block = found.map(|(block, _)| block);
            let op = match found {
                Some((_, target)) if target.op != u32::MAX => {
                    targets.push(target);
                    continue;
                }
                Some((block, target)) => *jumps.entry(Some(block)).or_insert_with(|| {
                    let jump = self.emit(Op::Jump(target));
                    self.open[block].to_patch.push(jump);
                    jump as u32
                }),
                None => *jumps.entry(block).or_insert_with(|| self.emit(Op::Leave) as u32),
            };
            targets.push(Target { op, height: u32::MAX, keeps: false });
        }
        self.code.ops[table] = Op::BrTable(targets.into());
        self.reachable = false;
        Ok(())
    }
}

fn has_result(block: BlockType) -> Result<bool> {
    match block {
        BlockType::Empty => Ok(false),
        BlockType::Type(_) => Ok(true),
        BlockType::FuncType(_) => Err("a block with parameters".into()),
    }
}
