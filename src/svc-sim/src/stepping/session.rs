// A recorded transaction that a user steps through, kept between requests.

use super::{
    code::Code,
    debug_names::DebugNames,
    failed_frame::failed_frame,
    journal::undone_with,
    lines::Lines,
    record::{frames, FrameKind, FrameRecord},
    timeline::{own_steps, Timeline},
    track::Track,
};
use crate::{
    apply::Applied,
    error::{Error, ErrorCode},
    hosts::recorded::{RecordedRun, RecordedValue, NOTABLE},
    input::Input,
    wire::travel::{RecordedCall, RecordedCode, RecordedFrame, TravelRecord},
    xdr_codec::{hex, to_base64},
};
use std::{collections::HashMap, rc::Rc};

const MAX_NOTABLE: usize = 20_000;

pub struct KnownCode {
    pub code: Rc<Code>,
    pub lines: Lines,
    pub wasm: Vec<u8>,
    /// A build with debug information, from the caller.
    pub supplied_build: Option<Vec<u8>>,
    pub names: HashMap<u32, String>,
    /// True if one of its instructions is marked `BREAK`.
    pub has_breaks: bool,
}

impl KnownCode {
    pub fn name(&self, function: u32) -> String {
        if let Some((_, Some(host))) = self.code.imports.get(function as usize) {
            return host.name.to_string();
        }
        self.names.get(&function).cloned().unwrap_or_else(|| format!("func[{function}]"))
    }

    /// The wasm that has the source lines.
    pub fn lines_from(&self) -> Option<&'static str> {
        match (self.lines.rows.is_empty(), self.supplied_build.is_some()) {
            (true, _) => None,
            (false, true) => Some("given_wasm"),
            (false, false) => Some("contract"),
        }
    }

    /// The wasm that has the debug information, if any has.
    pub fn named(&self) -> &[u8] {
        self.supplied_build.as_deref().unwrap_or(&self.wasm)
    }
}

pub struct Session {
    pub run: RecordedRun,
    pub frames: Vec<FrameRecord>,
    pub tracks: Vec<Option<Track>>,
    /// The reasons why calls with code have no track.
    pub reasons: Vec<Option<String>>,
    pub codes: Vec<KnownCode>,
    pub timeline: Timeline,
    /// The last moment of each frame.
    ends: Vec<u64>,
}

impl Session {
    /// Opens a session. `None` if the recorded run was not the replay, or the host did not run.
    /// `builds` has builds of contracts. `only` is the one call to run again, by its index or as the
    /// failed one.
    ///
    /// # Errors
    ///
    /// `WASM_DIFFERS` if no contract has the code of a build; `BAD_REQUEST` if a build is not wasm.
    pub fn open(
        input: &Input,
        applied: &mut Applied,
        builds: &[Vec<u8>],
        only: Option<Option<usize>>,
    ) -> Result<Option<Session>, Error> {
        let (codes, all_used) = read_codes(input, builds)?;
        // If the caller asks only for the failed call, that call's answer reports the error.
        if !all_used && only.is_none() {
            let message = "no contract of this transaction has the code section of a supplied wasm";
            return Err(Error::new(ErrorCode::WasmDiffers, message));
        }
        let Some(mut run) = applied.recorded.take().filter(|run| !run.cut) else { return Ok(None) };
        let frames = frames(&run, &applied.diagnostics);
        run.steps = vec![];
        let mut tracks = vec![];
        let mut reasons = vec![];
        let only = only.map(|chosen| chosen.or_else(|| failed_frame(&frames)));
        for (index, frame) in frames.iter().enumerate() {
            let (track, reason) = match frame.kind {
                _ if only.is_some_and(|only| only != Some(index)) => (None, None),
                FrameKind::Wasm => match verify(frame, &run, &codes, input) {
                    Ok(track) => (Some(track), None),
                    Err(reason) => (None, Some(reason)),
                },
                _ => (None, None),
            };
            tracks.push(track);
            reasons.push(reason);
        }
        let timeline = Timeline::of(&frames, &tracks);
        let mut ends = vec![0; frames.len()];
        for segment in &timeline.segments {
            ends[segment.frame] = segment.start + segment.length() - 1;
        }
        Ok(Some(Session { run, frames, tracks, reasons, codes, timeline, ends }))
    }

    pub fn record(&self) -> TravelRecord {
        let mut starts = vec![0; self.frames.len()];
        for segment in self.timeline.segments.iter().rev() {
            starts[segment.frame] = segment.start;
        }
        let mut calls = vec![];
        for (index, frame) in self.frames.iter().enumerate() {
            for (number, call) in frame.host_calls.iter().enumerate() {
                if calls.len() < MAX_NOTABLE && (!call.ok || NOTABLE.contains(&call.function)) {
                    calls.extend(self.call(index, number));
                }
            }
        }
        TravelRecord {
            moments: self.timeline.moments,
            instructions: self.tracks.iter().flatten().map(|track| track.steps).sum(),
            bytes: self.bytes(),
            codes: self
                .codes
                .iter()
                .map(|known| RecordedCode {
                    hash: hex(&known.code.hash),
                    files: known.lines.files.clone(),
                    lines_from: known.lines_from(),
                })
                .collect(),
            frames: self
                .frames
                .iter()
                .enumerate()
                .map(|(index, frame)| RecordedFrame {
                    kind: match frame.kind {
                        FrameKind::Host => "host",
                        FrameKind::Wasm => "wasm",
                        FrameKind::Asset => "asset",
                    },
                    parent: frame.parent.map(|(parent, _)| parent),
                    contract: frame.contract.clone(),
                    function: frame.function.clone(),
                    code: self.tracks[index].as_ref().map(|track| hex(&track.code.hash)),
                    arguments_xdr: self.values(&frame.arguments),
                    result_xdr: self.value(&frame.result),
                    failed: !frame.ok,
                    trap: self.tracks[index]
                        .as_ref()
                        .and_then(|track| track.trap)
                        .map(|trap| trap.text()),
                    not_stepped: self.reasons[index].clone(),
                    begins: starts[index],
                    ends: self.ends[index],
                    last_step: own_steps(frame, self.tracks[index].as_ref())
                        .checked_sub(1)
                        .and_then(|last| self.timeline.before_step(index, last)),
                    cpu_before: frame.cpu_before,
                    cpu_after: frame.cpu_after,
                    memory_before: frame.memory_before,
                    memory_after: frame.memory_after,
                })
                .collect(),
            calls,
        }
    }

    /// The memory that the session keeps for the run, in bytes.
    fn bytes(&self) -> usize {
        let values = self.run.objects.values().map(|xdr| xdr.len() + 64).sum::<usize>();
        let value_bytes = std::mem::size_of::<RecordedValue>();
        let calls = self.frames.iter().flat_map(|frame| &frame.host_calls);
        let calls = calls.map(|call| 120 + value_bytes * call.arguments.len()).sum::<usize>();
        values + calls + self.tracks.iter().flatten().map(Track::bytes).sum::<usize>()
    }

    pub fn value(&self, value: &RecordedValue) -> Option<String> {
        self.run.xdr(value).map(|xdr| to_base64(&xdr))
    }

    fn values(&self, values: &[RecordedValue]) -> Vec<Option<String>> {
        values.iter().map(|value| self.value(value)).collect()
    }

    /// A host call of a frame, with the moment before it.
    pub fn call(&self, frame: usize, number: usize) -> Option<RecordedCall> {
        let call = self.frames[frame].host_calls.get(number)?;
        let step = match &self.tracks[frame] {
            Some(track) => *track.calls_at.get(number)?,
            None => number as u64,
        };
        // The operation's host function has no steps. Its calls are at its beginning.
        let begins = || self.timeline.segments.iter().find(|s| s.frame == frame).map(|s| s.start);
        let moment = self.timeline.before_step(frame, step).or_else(begins)?;
        Some(RecordedCall {
            frame,
            moment,
            function: call.function,
            arguments_xdr: self.values(&call.arguments),
            result_xdr: self.value(&call.result),
            failed: !call.ok,
            undone_at: undone_with(&self.frames, frame).map(|failed| self.ends[failed]),
            cpu_before: call.cpu_before,
            cpu_after: call.cpu_after,
            memory_before: call.memory_before,
            memory_after: call.memory_after,
        })
    }

    pub fn known_code(&self, frame: usize) -> Option<&KnownCode> {
        let track = self.tracks[frame].as_ref()?;
        self.codes.iter().find(|known| Rc::ptr_eq(&known.code, &track.code))
    }
}

/// The codes of the contracts, and whether each supplied build has the code of one of them.
fn read_codes(input: &Input, builds: &[Vec<u8>]) -> Result<(Vec<KnownCode>, bool), Error> {
    let mut codes = vec![];
    let mut used = vec![false; builds.len()];
    let mut names_of_builds = vec![];
    for wasm in builds {
        names_of_builds.push(DebugNames::read(wasm).map_err(|error| {
            Error::bad_request(format!("a supplied build is not wasm: {error}"))
        })?);
    }
    let keys = input.transaction.footprint_keys();
    for (hash, wasm) in keys.filter_map(|key| input.state.code(key)) {
        let (Ok(code), Ok(own)) = (Code::read(hash, wasm), DebugNames::read(wasm)) else {
            continue;
        };
        let build =
            names_of_builds.iter().position(|build: &DebugNames| build.is_of_same_code(&own));
        if let Some(build) = build {
            used[build] = true;
        }
        let named = build.map_or(&own, |build| &names_of_builds[build]);
        let named_wasm = build.map_or(wasm, |build| &builds[build]);
        let with_lines = Some((named, named_wasm)).filter(|(names, _)| names.has_lines());
        let lines = Lines::of(&code, with_lines);
        let functions = code.imported()..code.imported() + code.functions.len() as u32;
        let name = |index: u32| named.function(index).or_else(|| own.function(index));
        let names = functions.filter_map(|index| Some((index, name(index)?))).collect();
        let supplied_build = build.map(|build| builds[build].clone());
        codes.push(KnownCode {
            code: Rc::new(code),
            lines,
            wasm: wasm.to_vec(),
            supplied_build,
            names,
            has_breaks: false,
        });
    }
    Ok((codes, !used.contains(&false)))
}

pub fn verify(
    frame: &FrameRecord,
    run: &RecordedRun,
    codes: &[KnownCode],
    input: &Input,
) -> Result<Track, String> {
    // The host's text has no hash if the executable is an entry of another contract.
    let referred = || input.state.code_of(frame.contract.as_deref()?).map(|(hash, _)| hash);
    let before = if frame.code.is_none() { referred() } else { None };
    let fits = |known: &&KnownCode| {
        let first = known.code.hash[..4].try_into().map_or(0, u32::from_be_bytes);
        frame.code.is_none_or(|prefix| prefix == first)
    };
    let mut codes: Vec<_> = codes.iter().filter(fits).collect();
    // Other code may have been in its place earlier in the transaction.
    codes.sort_by_key(|known| Some(known.code.hash) != before);
    let mut reason = "its code is not in the footprint, or cannot be stepped through".to_string();
    for known in codes {
        match Track::verify(known.code.clone(), frame, run) {
            Ok(track) => return Ok(track),
            Err(why) => reason = format!("running its code again differs from the replay: {why}"),
        }
    }
    Err(reason)
}
