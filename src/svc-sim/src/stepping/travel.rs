// Answers requests about a recorded transaction.

use super::{
    seek::Step,
    session::{KnownCode, Session},
};
use crate::{
    error::Error,
    wire::travel::{FunctionName, SeekRequest, Travel, Travelled},
    xdr_codec::{hex, to_base64},
};
use wasmparser::ValType;

/// The number of machines that are kept ready, with the memory of their contracts.
const MAX_CURSORS: usize = 12;
const MAX_CURSOR_BYTES: usize = 512 << 20;
const MAX_MEMORY_BYTES: usize = 1 << 20;

impl Session {
    /// Answers a request.
    ///
    /// # Errors
    ///
    /// `BAD_REQUEST` for a moment, a frame or code that is not part of this record.
    pub fn travel(&mut self, request: Travel) -> Result<Travelled, Error> {
        self.forget_cursors();
        match request {
            Travel::Seek(seek_request) => {
                let SeekRequest { from, backwards, mode, instructions, hidden, all_code, .. } =
                    seek_request;
                let origin = seek_request.origin.unwrap_or(from);
                self.check(from.max(origin))?;
                self.set_breaks(&seek_request.break_at);
                let step = Step { mode, instructions, backwards, hidden, all_code };
                let seek = self.prepare(origin, step);
                if let Some(hidden) = self.step_in_place(&seek).filter(|_| from == origin) {
                    return Ok(Travelled::Seek { moment: from, reason: "step", hidden });
                }
                let (moment, reason, hidden) = match backwards {
                    false => self.seek(from, &seek, seek_request.until),
                    true => self.seek_back(from, &seek, seek_request.until),
                };
                Ok(Travelled::Seek { moment, reason, hidden })
            }
            Travel::State { moment } => {
                self.check(moment)?;
                Ok(Travelled::State { frames: self.stack(moment) })
            }
            Travel::Variables { moment, frame, level } => {
                self.check(moment)?;
                let variables = self.variables(moment, frame, level);
                variables.map(Travelled::Variables).ok_or_else(unknown)
            }
            Travel::SourceVariables { moment, frame, level, inlined } => {
                self.check(moment)?;
                let variables = self.source_variables(moment, frame, level, inlined);
                let variables = variables.ok_or_else(unknown)?;
                Ok(Travelled::SourceVariables { variables })
            }
            Travel::Memory { moment, frame, offset, count } => {
                self.check(moment)?;
                let machine = self.machine(moment, frame).ok_or_else(unknown)?;
                let size = machine.memory.len();
                let start = usize::try_from(offset).unwrap_or(size).min(size);
                let end = start.saturating_add(count.min(MAX_MEMORY_BYTES)).min(size);
                let bytes_base64 = to_base64(&machine.memory[start..end]);
                Ok(Travelled::Memory { bytes_base64, memory_bytes: size })
            }
            Travel::Disassembly { code, function } => {
                let known = self.code(&code)?;
                let position = function.checked_sub(known.code.imported()).ok_or_else(unknown)?;
                let name = |index: u32| known.name(index);
                let lines = super::disassembly::disassemble(&known.wasm, position as usize, name);
                let header = header(known, function);
                Ok(Travelled::Disassembly { name: known.name(function), header, lines })
            }
            Travel::Functions { code } => {
                let known = self.code(&code)?;
                Ok(Travelled::Functions { functions: functions(known) })
            }
            Travel::Lines { code } => {
                let KnownCode { lines, code, .. } = self.code(&code)?;
                Ok(Travelled::Lines { rows: lines.bindable(code) })
            }
        }
    }

    fn check(&self, moment: u64) -> Result<(), Error> {
        match moment < self.timeline.moments {
            true => Ok(()),
            false => Err(unknown()),
        }
    }

    fn code(&self, hash: &str) -> Result<&KnownCode, Error> {
        let known = self.codes.iter().find(|known| hex(&known.code.hash) == hash);
        known.ok_or_else(unknown)
    }

    fn forget_cursors(&mut self) {
        let (mut open, mut bytes) = (0, 0);
        for track in self.tracks.iter_mut().flatten() {
            let Some(machine) = track.current_machine() else { continue };
            open += 1;
            bytes += machine.memory.len();
            if open > MAX_CURSORS || bytes > MAX_CURSOR_BYTES {
                track.forget_cursor();
            }
        }
    }
}

fn functions(known: &KnownCode) -> Vec<FunctionName> {
    let code = &known.code;
    let first = code.imported();
    let name = |(position, function): (usize, &super::code::Function)| {
        let index = first + position as u32;
        let exported = code.exports.iter().find(|(_, exported)| **exported == index);
        let at = |op: u32| code.addresses.get(op as usize).copied().unwrap_or(0);
        let begins = (function.first..function.end)
            .find(|op| !code.ops[*op as usize].is_hidden())
            .unwrap_or(function.first);
        FunctionName {
            index,
            name: known.name(index),
            exported: exported.map(|(name, _)| name.clone()),
            address: at(begins),
            end: at(function.end.saturating_sub(1)),
        }
    };
    code.functions.iter().enumerate().map(name).collect()
}

fn header(known: &KnownCode, function: u32) -> String {
    let text = |types: &[ValType]| {
        let name = |of_type: &ValType| if *of_type == ValType::I32 { "i32" } else { "i64" };
        types.iter().map(name).collect::<Vec<_>>().join(" ")
    };
    let signature = known.code.signature_of(function);
    let parameters = signature.map_or(String::new(), |of| text(&of.parameters));
    let results = signature.map_or(String::new(), |of| text(&of.results));
    let locals = known.code.function(function).map_or(&[][..], |function| &function.locals);
    let own = &locals[signature.map_or(0, |of| of.parameters.len()).min(locals.len())..];
    let part = |word: &str, types: String| match types.is_empty() {
        true => String::new(),
        false => format!(" ({word} {types})"),
    };
    let name = known.name(function);
    let (parameters, results) = (part("param", parameters), part("result", results));
    format!("func {name}{parameters}{results}{}", part("local", text(own)))
}

fn unknown() -> Error {
    Error::bad_request("the recorded transaction has no such moment, frame or code")
}
