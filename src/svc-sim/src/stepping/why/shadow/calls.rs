// Follows a call: what a host function read from the contract's memory, what it wrote there, and
// the node of its result.

use super::{super::super::machine::Machine, Id, Kind, Node, Pending, Shadow, OLDER, UNKNOWN};

/// The number of values or bytes of a host call that are read from memory.
const MOST_READ: u64 = 4096;

pub struct HostCall {
    pub number: usize,
    pub function: &'static str,
    pub arguments: Vec<Id>,
    /// The values that the call read from memory.
    pub read: Vec<Id>,
    /// The names in memory that are a map's keys.
    pub names: Vec<String>,
    /// The bytes of a text in memory.
    pub text: Option<Vec<u8>>,
    /// The branch that decided the call.
    pub control: u32,
}

impl Shadow {
    /// The map or vector in which the host looked for something.
    pub fn searched(&self, node: &Node) -> Option<Id> {
        let call = self.host_calls.get(node.c as usize)?;
        let searches = matches!(
            call.function,
            "map_has" | "map_get" | "vec_first_index_of" | "vec_binary_search"
        );
        call.arguments.first().copied().filter(|_| searches)
    }

    pub(super) fn begin_call(&mut self, machine: &Machine, op: u32, function: u32) {
        let parameters = self.code.signature_of(function).map_or(0, |of| of.parameters.len());
        let first = self.stack.len().saturating_sub(parameters);
        self.last = self.stack[first..].to_vec();
        self.pending = Pending::Call { op, parameters, function };
        let Some((_, Some(host))) = self.code.imports.get(function as usize) else { return };
        let payloads = &machine.stack[machine.stack.len().saturating_sub(parameters)..];
        let number = |at: usize| payloads.get(at).map_or(0, |payload| payload >> 32);
        let (mut read, mut names, mut text) = (vec![], vec![], None);
        let name = host.name;
        let values = match name {
            "vec_new_from_linear_memory" => Some((number(0), number(1))),
            "map_new_from_linear_memory" => Some((number(1), number(2))),
            _ => None,
        };
        if let Some((at, count)) = values {
            self.cut |= count > MOST_READ;
            for index in 0..count.min(MOST_READ) {
                let Some(value) = machine.load(0x29, at + 8 * index) else { break };
                read.push(self.load(op, (at + 8 * index, 8), OLDER, value));
            }
        }
        let bytes = match name {
            "symbol_new_from_linear_memory"
            | "string_new_from_linear_memory"
            | "bytes_new_from_linear_memory" => Some((number(0), number(1))),
            "bytes_copy_from_linear_memory" => Some((number(2), number(3))),
            _ => None,
        };
        if let Some((at, count)) = bytes {
            self.cut |= count > MOST_READ;
            let mut known: Vec<Id> = (at..at + count.min(MOST_READ))
                .map(|byte| self.cell(byte).node)
                .filter(|node| *node != OLDER)
                .collect();
            known.dedup();
            if known.contains(&UNKNOWN) {
                let words = (at >> 3)..=((at + count.min(MOST_READ)) >> 3);
                let when = words.filter_map(|word| self.lost_words.get(&word)).max().copied();
                known.push(self.lost(op, when.unwrap_or(0), 0));
            }
            read.extend(known);
            let known = machine.bytes(at, count.min(64) as usize).filter(|_| count <= 64);
            text = known.map(<[u8]>::to_vec);
        }
        let keys = match name {
            "map_new_from_linear_memory" => Some((number(0), number(2))),
            "map_unpack_to_linear_memory" => Some((number(1), number(3))),
            "sparse_map_unpack_to_linear_memory" => Some((number(1), number(3))),
            "symbol_index_in_linear_memory" => Some((number(1), number(2))),
            _ => None,
        };
        if let Some((at, count)) = keys {
            for index in 0..count.min(MOST_READ) {
                let word = |at: u64| machine.load(0x28, at);
                let (Some(from), Some(length)) = (word(at + 8 * index), word(at + 8 * index + 4))
                else {
                    break;
                };
                let text = machine.bytes(from, length.min(64) as usize).unwrap_or_default();
                names.push(String::from_utf8_lossy(text).into_owned());
            }
        }
        let arguments = self.last.clone();
        let number = machine.host_calls;
        let control = self.control;
        let function = name;
        let call = HostCall { number, function, arguments, read, names, text, control };
        self.host_calls.push(call);
    }

    pub(super) fn finish_host_call(&mut self, machine: &Machine, op: u32) {
        let Some(call) = self.host_calls.last() else { return };
        let index = (self.host_calls.len() - 1) as u32;
        let pure = matches!(
            call.function,
            "symbol_new_from_linear_memory"
                | "string_new_from_linear_memory"
                | "bytes_new_from_linear_memory"
                | "vec_new"
                | "map_new"
                | "bytes_new"
                | "vec_new_from_linear_memory"
                | "map_new_from_linear_memory"
        );
        let made_of = call.arguments.iter().chain(&call.read);
        let constant = pure && made_of.clone().all(|id| self.constant(*id));
        let number = |at: usize| call.arguments.get(at).map_or(0, |id| self.get(*id).value >> 32);
        let written: Option<(u64, u64, u8)> = match call.function {
            "vec_unpack_to_linear_memory" => Some((number(1), number(2), 8)),
            "map_unpack_to_linear_memory" | "sparse_map_unpack_to_linear_memory" => {
                Some((number(2), number(3), 8))
            }
            "bytes_copy_to_linear_memory"
            | "string_copy_to_linear_memory"
            | "symbol_copy_to_linear_memory" => Some((number(2), number(3), 1)),
            _ => None,
        };
        if let Some((at, count, size)) = written {
            self.cut |= count > MOST_READ;
            for item in 0..count.min(MOST_READ) {
                let id = self.node(Kind::Unpacked, item as u8, op, (0, item as u32, index), false);
                let opcode = if size == 8 { 0x29 } else { 0x31 };
                let at = at + item * u64::from(size);
                self.nodes[id as usize].value = machine.load(opcode, at).unwrap_or(0);
                self.write(at, size, id);
            }
        }
        let id = self.node(Kind::Host, 0, op, (0, 0, index), constant);
        self.nodes[id as usize].value = machine.stack.last().copied().unwrap_or(0);
        self.stack.push(id);
    }
}
