// Instructions that neither branch nor begin a block: the fuel of each, the operands that it takes,
// and the values that it leaves.

use super::{
    code::{Code, Op},
    read_code::Result,
    translate::BASE,
};
use wasmparser::Operator;

const ENTITY: u64 = 3;
const LOAD: u64 = 2;
const STORE: u64 = 1;
const CALL: u64 = 67;

/// The fuel, the number of operands taken and left, and the operation.
///
/// # Errors
///
/// An instruction that no host allows.
pub fn plain(code: &Code, operator: Operator, opcode: u8) -> Result<(u64, u32, u32, Op)> {
    Ok(match operator {
        Operator::Call { function_index } => {
            let signature = code.signature_of(function_index).ok_or("no function")?;
            let (pops, pushes) = (signature.parameters.len(), signature.results.len());
            (CALL, pops as u32, pushes as u32, Op::Call(function_index))
        }
        Operator::CallIndirect { type_index, .. } => {
            let signature = code.signatures.get(type_index as usize).ok_or("no type")?;
            let (pops, pushes) = (signature.parameters.len() + 1, signature.results.len());
            (CALL, pops as u32, pushes as u32, Op::CallIndirect(type_index))
        }
        Operator::Drop => (BASE, 1, 0, Op::Drop),
        Operator::Select => (BASE, 3, 1, Op::Select),
        Operator::LocalGet { local_index } => (BASE, 0, 1, Op::LocalGet(local_index)),
        Operator::LocalSet { local_index } => (BASE, 1, 0, Op::LocalSet(local_index)),
        Operator::LocalTee { local_index } => (BASE, 1, 1, Op::LocalTee(local_index)),
        Operator::GlobalGet { global_index } => (ENTITY, 0, 1, Op::GlobalGet(global_index)),
        Operator::GlobalSet { global_index } => (ENTITY, 1, 0, Op::GlobalSet(global_index)),
        Operator::I32Load { memarg }
        | Operator::I64Load { memarg }
        | Operator::I32Load8S { memarg }
        | Operator::I32Load8U { memarg }
        | Operator::I32Load16S { memarg }
        | Operator::I32Load16U { memarg }
        | Operator::I64Load8S { memarg }
        | Operator::I64Load8U { memarg }
        | Operator::I64Load16S { memarg }
        | Operator::I64Load16U { memarg }
        | Operator::I64Load32S { memarg }
        | Operator::I64Load32U { memarg } => (LOAD, 1, 1, Op::Load(opcode, memarg.offset as u32)),
        Operator::I32Store { memarg }
        | Operator::I64Store { memarg }
        | Operator::I32Store8 { memarg }
        | Operator::I32Store16 { memarg }
        | Operator::I64Store8 { memarg }
        | Operator::I64Store16 { memarg }
        | Operator::I64Store32 { memarg } => (STORE, 2, 0, Op::Store(opcode, memarg.offset as u32)),
        Operator::MemorySize { .. } => (ENTITY, 0, 1, Op::MemorySize),
        Operator::MemoryGrow { .. } => (ENTITY, 1, 1, Op::MemoryGrow),
        Operator::MemoryCopy { .. } => (ENTITY, 3, 0, Op::MemoryCopy),
        Operator::MemoryFill { .. } => (ENTITY, 3, 0, Op::MemoryFill),
        Operator::MemoryInit { data_index, .. } => (ENTITY, 3, 0, Op::MemoryInit(data_index)),
        Operator::DataDrop { data_index } => (ENTITY, 0, 0, Op::DataDrop(data_index)),
        Operator::I32Const { value } => (BASE, 0, 1, Op::Const(u64::from(value as u32))),
        Operator::I64Const { value } => (BASE, 0, 1, Op::Const(value as u64)),
        other => match opcode {
            0x45 | 0x50 | 0x67..=0x69 | 0x79..=0x7b | 0xa7 | 0xac | 0xad | 0xc0..=0xc4 => {
                (BASE, 1, 1, Op::Unary(opcode))
            }
            0x46..=0x4f | 0x51..=0x5a | 0x6a..=0x78 | 0x7c..=0x8a => {
                (BASE, 2, 1, Op::Binary(opcode))
            }
            _ => return Err(format!("the instruction {other:?}")),
        },
    })
}
