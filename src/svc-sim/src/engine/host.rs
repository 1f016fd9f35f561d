// `svc-sim engine-host`: runs the transactions that the engine sends, and answers with the parts of
// an execution that the engine compares. It holds no ledger state, so a crash costs only the
// transaction that ran.

use super::{
    frame::{read_frame, Frame, Parts},
    rehearsal::{Compared, Shown},
};
use crate::{
    apply::{self, Applied, Wanted},
    definitions::DecodedEntry,
    digest::{digest, metrics_digest},
    error::Error,
    hosts::{host_for_protocol, interface::LedgerContext, trace::Trace},
    input::{seed_of, Input},
    process::{print_to_stderr, usual_deadline_milliseconds, Deadline},
    replay::transaction_result,
    settings,
    state::{EntryState, State},
    transaction::Transaction,
    xdr_codec::encode,
};
use std::{
    collections::{HashMap, HashSet},
    io::{self, Write},
    panic::{self, AssertUnwindSafe},
    rc::Rc,
    sync::{
        mpsc::{channel, Receiver},
        Arc, Mutex, MutexGuard,
    },
};

pub const LEDGER: u8 = 0;
pub const CODE: u8 = 1;
pub const FORGET: u8 = 2;
pub const RUN: u8 = 3;
pub const SETTINGS: u8 = 4;

pub const ANSWER: u8 = 0;
/// The answer to a transaction that exceeded its time. The process ends after it.
pub const LATE: u8 = 1;
/// The answer to a transaction in which the host's own code panicked.
pub const BROKEN: u8 = 2;

pub const ABSENT: u8 = 0;
pub const PRESENT: u8 = 1;
pub const DEFINED: u8 = 2;

pub const NOT_SAID: u8 = 2;

/// The facts that all transactions of one ledger share.
struct Ledger {
    protocol: u32,
    sequence: u32,
    close_time_unix_seconds: u64,
    network_id: [u8; 32],
    base_reserve_stroops: u32,
    transaction_set_hash: [u8; 32],
}

#[derive(Default)]
pub struct Host {
    ledger: Option<Ledger>,
    rent_fee: Option<i64>,
    settings: Vec<Rc<DecodedEntry>>,
    codes: HashMap<u64, Rc<DecodedEntry>>,
}

/// Serves until the end of input, and then ends at once, because the answer of a running
/// transaction is not needed any longer.
///
/// # Errors
///
/// Those of the pipes, and a frame that the engine does not write.
pub fn serve() -> io::Result<()> {
    // Answers that are ready and not sent yet. The working thread runs no transaction while it
    // holds them.
    let output = Arc::new(Mutex::new(io::BufWriter::new(io::stdout())));
    let late_output = output.clone();
    let deadline = Deadline::start(move |answer| {
        let mut output = lock(&late_output);
        let _ = output.write_all(answer).and_then(|()| output.flush());
    });
    let frames = read_frames();
    let mut host = Host::default();
    loop {
        // Answers are sent together, and before the thread waits for anything.
        let frame = match frames.try_recv() {
            Ok(frame) => frame,
            Err(_) => {
                lock(&output).flush()?;
                let Ok(frame) = frames.recv() else { return Ok(()) };
                frame
            }
        };
        let within = |id: u64, run: &mut dyn FnMut() -> Option<Executed>| -> Ran {
            let late = move || not_run(LATE, id).into_bytes();
            let run = || panic::catch_unwind(AssertUnwindSafe(run)).map_err(|_| Broken);
            deadline.watch(usual_deadline_milliseconds(), late, run).unwrap_or(Err(Broken))
        };
        if let Some(answer) = host.handle(&frame, within)? {
            answer.write(&mut *lock(&output))?;
        }
    }
}

/// Reads frames in a thread of its own, so that the end of the input ends the process whatever
/// runs: only Linux has another signal for the engine's death. The engine bounds what it sends
/// before it has answers.
fn read_frames() -> Receiver<Vec<u8>> {
    let (sender, frames) = channel();
    std::thread::spawn(move || {
        let mut input = io::BufReader::with_capacity(64 * 1024, io::stdin());
        let code = loop {
            match read_frame(&mut input) {
                Ok(Some(frame)) => _ = sender.send(frame),
                Ok(None) => break 0,
                Err(error) => {
                    print_to_stderr(&error.to_string());
                    break 1;
                }
            }
        };
        std::process::exit(code);
    });
    frames
}

fn lock<T>(output: &Mutex<T>) -> MutexGuard<'_, T> {
    output.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn not_run(kind: u8, id: u64) -> Frame {
    let mut answer = Frame::new(kind);
    answer.u64(id);
    answer.u8(false);
    answer
}

/// The run ended without a result: the host crashed, panicked, or took too long.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Broken;

/// The outcome of a run. `None` if the transaction could not be run or something was missing.
pub type Ran = Result<Option<Executed>, Broken>;

/// The parts of an execution that are compared with the chain's record.
#[derive(PartialEq)]
pub struct Executed {
    pub transaction_hash: [u8; 32],
    pub digest: [u8; 32],
    pub metrics_digest: [u8; 32],
    /// The non-refundable fee, the refundable fee and rent, in stroops.
    pub fees: (i64, i64, i64),
    pub refund: i64,
    pub budget_error: bool,
    /// CPU instructions, and bytes of memory.
    pub cost: (u64, u64),
    /// What the caller compares with another run. `None` if it compares nothing.
    pub shown: Option<Shown>,
}

impl Executed {
    fn answer(&self, id: u64) -> Frame {
        let mut frame = Frame::new(ANSWER);
        frame.u64(id);
        frame.u8(true);
        for hash in [&self.transaction_hash, &self.digest, &self.metrics_digest] {
            frame.raw(hash);
        }
        let (non_refundable, refundable, rent) = self.fees;
        for fee in [non_refundable, refundable, rent, self.refund] {
            frame.i64(fee);
        }
        frame.u8(self.budget_error);
        let (instructions, bytes) = self.cost;
        [instructions, bytes].iter().for_each(|cost| frame.u64(*cost));
        Shown::write(self.shown.as_ref(), &mut frame);
        frame
    }

    /// Reads an execution. `None` if the transaction could not be run or something was missing.
    pub fn read(parts: &mut Parts) -> io::Result<Option<Executed>> {
        if !parts.flag()? {
            return Ok(None);
        }
        Ok(Some(Executed {
            transaction_hash: parts.hash()?,
            digest: parts.hash()?,
            metrics_digest: parts.hash()?,
            fees: (parts.i64()?, parts.i64()?, parts.i64()?),
            refund: parts.i64()?,
            budget_error: parts.flag()?,
            cost: (parts.u64()?, parts.u64()?),
            shown: Shown::read(parts)?,
        }))
    }
}

fn read_ledger(parts: &mut Parts) -> io::Result<Ledger> {
    Ok(Ledger {
        protocol: parts.u32()?,
        sequence: parts.u32()?,
        close_time_unix_seconds: parts.u64()?,
        network_id: parts.hash()?,
        base_reserve_stroops: parts.u32()?,
        transaction_set_hash: parts.hash()?,
    })
}

impl Host {
    /// Answers a frame that asks for an answer. `within` runs a transaction within its limits.
    pub fn handle(
        &mut self,
        frame: &[u8],
        within: impl FnOnce(u64, &mut dyn FnMut() -> Option<Executed>) -> Ran,
    ) -> io::Result<Option<Frame>> {
        let mut parts = Parts(frame);
        match parts.u8()? {
            LEDGER => self.ledger = Some(read_ledger(&mut parts)?),
            SETTINGS => self.set_settings(&mut parts)?,
            CODE => {
                let id = parts.u64()?;
                if let Ok(code) = DecodedEntry::of_bytes(parts.bytes()?.to_vec(), "code") {
                    self.codes.insert(id, Rc::new(code));
                }
            }
            FORGET => self.codes.clear(),
            _ => {
                let id = parts.u64()?;
                let executed = within(id, &mut || self.run(&mut parts).ok().flatten());
                return Ok(Some(match executed {
                    Ok(Some(executed)) => executed.answer(id),
                    Ok(None) => not_run(ANSWER, id),
                    Err(Broken) => not_run(BROKEN, id),
                }));
            }
        }
        Ok(None)
    }

    /// Decodes the settings. Settings that cannot be decoded count as missing.
    fn set_settings(&mut self, parts: &mut Parts) -> io::Result<()> {
        self.rent_fee = if parts.flag()? { Some(parts.i64()?) } else { None };
        let mut entries = vec![];
        for _ in 0..parts.u32()? {
            entries.push(DecodedEntry::of_bytes(parts.bytes()?.to_vec(), "settings").map(Rc::new));
        }
        self.settings = entries.into_iter().collect::<Result<_, _>>().unwrap_or_default();
        Ok(())
    }

    fn run(&self, parts: &mut Parts) -> Result<Option<Executed>, Error> {
        let Some(ledger) = &self.ledger else { return Ok(None) };
        let transaction = Transaction::of(parts.bytes()?, &ledger.network_id)?;
        let order = parts.u32()?;
        let fee_taken = parts.i64()?;
        let refund_is_paid = parts.flag()?;
        let diagnostics = parts.flag()?;
        let host = host_for_protocol(ledger.protocol)?;
        let rent_fee = self.rent_fee.map(i128::from);
        let (settings, missing) =
            settings::kept(self.settings.clone(), rent_fee, host, ledger.protocol)?;
        let Some(state) = self.state(parts, &transaction, ledger)? else { return Ok(None) };
        let Ok(compared) = Compared::read(parts) else { return Ok(None) };
        if !missing.is_empty() {
            return Ok(None);
        }
        let input = Input {
            ledger: LedgerContext {
                protocol_version: ledger.protocol,
                sequence: ledger.sequence,
                close_time_unix_seconds: ledger.close_time_unix_seconds,
                network_id: ledger.network_id,
                base_reserve_stroops: ledger.base_reserve_stroops,
                min_temporary_entry_ttl: settings.archival.min_temporary_ttl,
                min_persistent_entry_ttl: settings.archival.min_persistent_ttl,
                max_entry_ttl: settings.archival.max_entry_ttl,
            },
            base_prng_seed: seed_of(&ledger.transaction_set_hash, order, ledger.protocol),
            fee_charged_before_refund: Some(fee_taken),
            assumed: vec![],
            transaction,
            host,
            settings,
            state,
            refund_is_paid,
        };
        let mut applied = apply::apply(
            &input,
            Wanted {
                diagnostics: diagnostics || compared.is_some(),
                trace: match &compared {
                    Some(Compared { calls: true, .. }) => Trace::Calls,
                    _ => Trace::Nothing,
                },
                host_calls: false,
                record: false,
            },
        );
        let shown = compared.map(|compared| compared.shown(&applied));
        if !diagnostics {
            applied.diagnostics.clear();
        }
        Ok(executed(&input, &applied, shown))
    }

    /// Reads the state. `None` if an entry does not have its key.
    fn state(
        &self,
        parts: &mut Parts,
        transaction: &Transaction,
        ledger: &Ledger,
    ) -> Result<Option<State>, Error> {
        let mut entries = HashMap::new();
        let mut restored_earlier = HashSet::new();
        for key in transaction.footprint_keys() {
            let key = encode(key);
            if parts.flag()? {
                restored_earlier.insert(key.clone());
            }
            let value = match parts.u8()? {
                ABSENT => continue,
                PRESENT => Rc::new(DecodedEntry::of_bytes(parts.bytes()?.to_vec(), "entry")?),
                _ => match self.codes.get(&parts.u64()?) {
                    Some(code) => code.clone(),
                    None => return Ok(None),
                },
            };
            if value.key != key {
                return Ok(None);
            }
            let live_until_ledger = parts.u32()?;
            let archived = parts.flag()?;
            // The module cache was built before this ledger wrote its code.
            let code_cached = match parts.u8()? {
                NOT_SAID => !archived && value.entry.last_modified_ledger_seq != ledger.sequence,
                cached => cached == 1,
            };
            entries.insert(key, EntryState { value, live_until_ledger, archived, code_cached });
        }
        Ok(Some(State::of(entries, restored_earlier)))
    }
}

fn executed(input: &Input, applied: &Applied, shown: Option<Shown>) -> Option<Executed> {
    let fees = &applied.fees;
    let cost = |name| applied.metric(name).unwrap_or_default();
    Some(Executed {
        transaction_hash: input.transaction.hash,
        digest: digest(&transaction_result(input, applied)?, applied),
        metrics_digest: metrics_digest(applied),
        fees: (fees.non_refundable, fees.refundable_consumed, fees.rent),
        refund: fees.refund(),
        budget_error: applied.host_error.as_ref().is_some_and(|error| error.kind == "Budget"),
        cost: (cost("cpu_insn"), cost("mem_byte")),
        shown,
    })
}
