// `svc-sim engine`: the only fold. It receives ledgers as bytes. For each ledger it reports which
// transactions equal the chain's record, and the evidence for the others. README.md, "The ledger
// engine", describes the messages. Contracts run in other processes (hosts.rs).

mod changes;
mod cursor;
mod files;
mod fold;
mod frame;
pub mod host;
#[cfg(test)]
mod hostile;
pub mod hosts;
mod judge;
mod key_maps;
mod ledger;
mod mentions;
mod metric;
mod new_code;
mod observed;
mod recent;
mod record;
pub mod rehearsal;
mod skip;
#[cfg(test)]
mod skip_tests;
mod state;
mod stepped;
mod stream;
#[cfg(test)]
mod tests;
mod wire;

use crate::xdr_codec::sha256;
use changes::{Change, Kind};
use host::{Executed, Ran as HostRan};
use hosts::{HostEvent, Hosts, Job, LedgerInput, Program, Settings};
use judge::{Decided, Expected, Judging, KeyState};
use key_maps::ByKey;
use ledger::{Facts, Ledger, Ran};
use new_code::NewCode;
use observed::{Observation, Observed};
use rehearsal::BothRuns;
use state::{Knowledge, Limits, State};
use std::{
    collections::{BTreeMap, HashMap, VecDeque},
    io::{self, BufRead, BufReader, BufWriter, Read, Write},
    rc::Rc,
    sync::{
        mpsc::{channel, Receiver, RecvTimeoutError, Sender},
        Arc, Condvar, Mutex, MutexGuard,
    },
    time::{Duration, Instant},
};
pub use stepped::Stepped;
use stream::{FromFiles, Place, Stream, TICK};
use wire::{Message, Open, Run};

enum Event {
    Message(Box<Message>, Parsed, Room),
    /// The input ended, or could not be read.
    End(io::Result<()>),
    Host(HostEvent),
    /// The number of a stream, and what the thread that reads its files sends.
    Files(u64, FromFiles),
    /// Nothing arrived for a while.
    Tick,
}

/// The ledger that follows a message, or what is wrong with its bytes. `None` after other messages.
type Parsed = Option<Result<Box<Ledger>, String>>;

impl From<HostEvent> for Event {
    fn from(event: HostEvent) -> Event {
        Event::Host(event)
    }
}

/// Serves until the end of input. `limits` are arguments of the hosts.
///
/// # Errors
///
/// Those of the pipes, and a message that cannot be read, because the only caller is svc.
pub fn serve(limits: Vec<String>) -> io::Result<()> {
    let (sender, events) = channel();
    let messages = sender.clone();
    std::thread::spawn(move || {
        let waiting = Arc::new(Waiting::default());
        let mut input = BufReader::with_capacity(64 * 1024, io::stdin());
        let mut reader = Messages::default();
        let end = loop {
            match reader.next(&mut input) {
                Ok(Some((message, ledger, size))) => {
                    let room = Room::of(size, &waiting);
                    let _ = messages.send(Event::Message(Box::new(message), ledger, room));
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
        };
        let _ = messages.send(Event::End(end));
    });
    let program = Program { path: std::env::current_exe()?, limits };
    let hosts = Hosts::new(1, program, sender.clone());
    let output = Box::new(BufWriter::new(io::stdout()));
    let mut engine = Engine::new((sender, events), hosts, output);
    let ended = loop {
        match engine.next()? {
            Event::Message(message, ledger, room) => engine.take(*message, ledger, room)?,
            Event::Host(event) => engine.receive(event)?,
            Event::Files(stream, event) => engine.take_from_files(stream, event)?,
            Event::Tick => engine.tick()?,
            Event::End(end) => break end,
        }
        engine.advance()?;
    };
    engine.hosts.end();
    ended
}

/// The bytes of messages that may wait for the engine. Above this it reads no more.
const MOST_WAITING_BYTES: usize = 256 << 20;
/// svc sends no larger message.
const MOST_MESSAGE_BYTES: usize = 1 << 30;

/// The messages that were read and not handled yet.
#[derive(Default)]
struct Waiting {
    bytes: Mutex<usize>,
    freed: Condvar,
}

/// The space that a waiting message takes, until it is handled.
struct Room {
    size: usize,
    /// `None` if the message is counted elsewhere.
    of: Option<Arc<Waiting>>,
}

impl Room {
    fn of(size: usize, waiting: &Arc<Waiting>) -> Room {
        Room::within(MOST_WAITING_BYTES, size, waiting)
    }

    /// Waits for space. A single message always has space.
    fn within(most: usize, size: usize, waiting: &Arc<Waiting>) -> Room {
        let mut bytes = lock(&waiting.bytes);
        while *bytes > 0 && *bytes + size > most {
            bytes = waiting.freed.wait(bytes).unwrap_or_else(|poisoned| poisoned.into_inner());
        }
        *bytes += size;
        Room { size, of: Some(waiting.clone()) }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(waiting) = &self.of {
            *lock(&waiting.bytes) -= self.size;
            waiting.freed.notify_one();
        }
    }
}

fn lock(bytes: &Mutex<usize>) -> MutexGuard<'_, usize> {
    bytes.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Reads messages, and parses the ledgers that follow them, ahead of the engine.
#[derive(Default)]
struct Messages {
    /// That of the stream that was opened last.
    network_id: [u8; 32],
}

impl Messages {
    /// The next message, its ledger, and the size of both in bytes. `None` at the end of the input.
    fn next(&mut self, input: &mut impl BufRead) -> io::Result<Option<(Message, Parsed, usize)>> {
        let Some((message, bytes, size)) = read_message(input)? else { return Ok(None) };
        let ledger = match &message {
            Message::Open(open) => {
                self.network_id = sha256(open.network_passphrase.as_bytes());
                None
            }
            Message::Ledger { .. } => Some(Ledger::read(bytes, &self.network_id).map(Box::new)),
            _ => None,
        };
        Ok(Some((message, ledger, size)))
    }
}

/// Reads a line of JSON, the bytes that follow a line with a ledger, and the size of both.
fn read_message(input: &mut impl BufRead) -> io::Result<Option<(Message, Vec<u8>, usize)>> {
    let too_long = || io::Error::new(io::ErrorKind::InvalidData, "a message is too long");
    let mut line = vec![];
    if input.by_ref().take(MOST_MESSAGE_BYTES as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() == MOST_MESSAGE_BYTES {
        return Err(too_long());
    }
    let message: Message = serde_json::from_slice(&line)?;
    let mut bytes = vec![];
    if let Message::Ledger { bytes: size, .. } = message {
        if size > MOST_MESSAGE_BYTES {
            return Err(too_long());
        }
        // More memory is allocated only as bytes arrive, because the size is a claim of the sender.
        bytes.reserve_exact(size.min(FIRST_LEDGER_BYTES));
        if input.by_ref().take(size as u64).read_to_end(&mut bytes)? < size {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let size = line.len() + bytes.len();
    Ok(Some((message, bytes, size)))
}

fn print(output: &mut impl Write, answer: &serde_json::Value) -> io::Result<()> {
    serde_json::to_writer(&mut *output, answer)?;
    output.write_all(b"\n")
}

struct Engine {
    sender: Sender<Event>,
    events: Receiver<Event>,
    /// The events that arrived while the engine waited for hosts.
    backlog: VecDeque<Event>,
    /// The messages that follow a ledger that waits for its settings, and their size in bytes.
    held: VecDeque<Event>,
    held_bytes: usize,
    output: Box<dyn Write>,
    hosts: Hosts<Event>,
    /// For each running job: the ledger, the transaction's index in it, and the index of the run.
    jobs: HashMap<u64, (Rc<LedgerId>, usize, usize)>,
    fold: Fold,
    new_code: NewCode,
    /// `None` before the first event of a host.
    last_sign: Option<Instant>,
}

/// The identity of an opened ledger. Sequence numbers repeat when a stream is opened again; this
/// pointer does not.
struct LedgerId(u32);

/// The ledgers of one stream.
struct Fold {
    open: Open,
    network_id: [u8; 32],
    state: Option<State>,
    previous: Option<Previous>,
    /// Ledgers that were read and not folded yet.
    read: VecDeque<Box<Ledger>>,
    /// Ledgers that were checked and neither taken nor dropped, by their numbers.
    checked: HashMap<u64, Box<Ledger>>,
    settings: Option<(SettingsKey, Rc<Settings>)>,
    /// The ledger that waits for its settings.
    waiting: Option<(Rc<Ledger>, wire::Fold, Option<Place>)>,
    /// Ledgers that were folded and not finished.
    pending: BTreeMap<u32, Pending>,
    /// The stream whose ledgers the engine folds by itself.
    stream: Option<Stream>,
}

struct Previous {
    facts: Facts,
    next_rent_fee: Option<i64>,
    average_state_size: Option<u64>,
}

/// Identifies settings: they hold as long as this value is the same.
#[derive(Clone, PartialEq, Eq, Debug)]
struct SettingsKey {
    revision: u64,
    protocol: u32,
    rent_fee: Option<i64>,
    average_state_size: Option<u64>,
    /// The sequence of the first ledger, which no other precedes.
    first: u32,
}

struct Pending {
    id: Rc<LedgerId>,
    ledger: Rc<Ledger>,
    input: Option<Rc<LedgerInput>>,
    complete: bool,
    /// Keyed by the index in apply order.
    transactions: HashMap<usize, PendingTransaction>,
    /// Entries that the caller supplied for this ledger, as they were before the ledger changed
    /// them.
    shown: ByKey<Option<state::Entry>>,
    /// The number of running transactions that the caller did not ask for.
    running: usize,
    verdicts: wire::Verdicts,
    /// The place of the ledger in a stream. `None` if the caller asked for its fold.
    place: Option<Place>,
    /// The number of the ledger for which the caller decided the settings that held.
    settings_of: u64,
    /// The folded ledger that was not reported to the caller yet, in a stream.
    untold: Option<wire::Folded>,
}

struct PendingTransaction {
    keys: Vec<KeyState>,
    runs: Option<Runs>,
}

/// All runs of one transaction: the first is the replay, the others prove assumptions.
struct Runs {
    expected: Expected,
    /// True if the caller asked for the run.
    is_requested: bool,
    executed: Vec<Option<Executed>>,
    /// Says whether the last run has other code, if the caller asked for one. `None` if not.
    again: Option<bool>,
    /// The state that the caller gets with an observed transaction. `None` if it is not observed.
    observation: Option<Observation>,
    /// True if a run ended without a result.
    broken: bool,
    /// The number of runs that have not ended.
    running: usize,
}

impl Runs {
    fn new(expected: Expected, is_requested: bool, jobs: &[Job]) -> Runs {
        let executed = jobs.iter().map(|_| None).collect();
        let running = jobs.len();
        let (again, observation, broken) = (None, None, false);
        Runs { expected, is_requested, executed, again, observation, broken, running }
    }
}

impl Fold {
    fn new(open: Open) -> Fold {
        Fold {
            network_id: sha256(open.network_passphrase.as_bytes()),
            open,
            state: None,
            previous: None,
            read: VecDeque::new(),
            checked: HashMap::new(),
            settings: None,
            waiting: None,
            pending: BTreeMap::new(),
            stream: None,
        }
    }

    fn limits(&self) -> Limits {
        Limits {
            maximum_bytes: self.open.maximum_bytes,
            keeps_recent: self.open.keeps_recent,
            keeps_rows: self.open.keeps_rows,
        }
    }

    /// The state before the first ledger.
    fn begin(&self, sequence: u32) -> State {
        let complete = sequence == FIRST_CLOSED_LEDGER;
        let mut state = State::new(complete, self.limits());
        let genesis = self.open.genesis.as_ref().filter(|_| complete);
        if let Some((key, entry)) = genesis.and_then(|xdr| wire::keyed_entry(&xdr.0)) {
            let entry_type = entry.data.discriminant();
            let (kind, bytes, live_until) = (Kind::Created, 0..0, None);
            let change = Change { kind, entry_type, key, bytes, live_until };
            state.apply(&change, genesis.map(|xdr| &xdr.0[..]));
        }
        state
    }

    /// Drops the state if the ledger does not follow the one before. Returns true if it did so.
    fn enter(&mut self, facts: &Facts) -> bool {
        let Some(Previous { facts: before, .. }) = &self.previous else { return false };
        if facts.follows(before) {
            return false;
        }
        self.state = None;
        self.settings = None;
        self.previous = None;
        true
    }

    /// The protocol and the base reserve of the ledger's transactions, because upgrades come after
    /// them. `None` if no ledger shows them.
    fn facts_before_upgrades(&self, ledger: &Ledger) -> Option<(u32, u32)> {
        let facts = match (&self.previous, ledger.upgrades.iter().any(|each| each.is_decisive)) {
            (_, false) => &ledger.facts,
            (previous, true) => &previous.as_ref()?.facts,
        };
        Some((facts.protocol_version, facts.base_reserve_stroops))
    }

    /// The transactions of the stream that the caller observes. `None` if there are none.
    fn observed(&mut self) -> Option<&mut Observed> {
        self.stream.as_mut().and_then(|stream| stream.observed.as_mut())
    }

    /// The number of the first ledger of the stream that is not finished.
    fn oldest_pending(&self) -> Option<u64> {
        let places = self.pending.values().filter_map(|each| each.place.as_ref());
        places.map(|place| place.shown.number).min()
    }

    fn settings_key(&self, protocol: u32, sequence: u32) -> SettingsKey {
        let previous = self.previous.as_ref();
        SettingsKey {
            revision: self.state.as_ref().map_or(0, |state| state.settings_revision),
            protocol,
            rent_fee: previous.and_then(|previous| previous.next_rent_fee),
            average_state_size: previous.and_then(|previous| previous.average_state_size),
            first: if previous.is_none() { sequence } else { 0 },
        }
    }
}

const FIRST_CLOSED_LEDGER: u32 = 2;
/// The memory that a ledger gets before its bytes arrive.
const FIRST_LEDGER_BYTES: usize = 512 << 10;
/// The longest silence before the engine prints a sign of life while hosts still answer.
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

impl Engine {
    fn new(
        (sender, events): (Sender<Event>, Receiver<Event>),
        hosts: Hosts<Event>,
        output: Box<dyn Write>,
    ) -> Engine {
        Engine {
            sender,
            events,
            backlog: VecDeque::new(),
            held: VecDeque::new(),
            held_bytes: 0,
            output,
            hosts,
            jobs: HashMap::new(),
            fold: Fold::new(Open::default()),
            new_code: NewCode::default(),
            last_sign: None,
        }
    }

    /// Handles a message, or holds it until the ledger before it has its settings.
    fn take(&mut self, message: Message, ledger: Parsed, room: Room) -> io::Result<()> {
        match message {
            Message::Open(open) => {
                self.hosts.resize(open.hosts);
                // Their answers are not needed any longer.
                self.jobs.clear();
                self.fold = Fold::new(open);
                for _ in std::mem::take(&mut self.held) {
                    print(&mut self.output, &wire::unreadable("another stream follows"))?;
                }
                self.held_bytes = 0;
                Ok(())
            }
            message @ (Message::Ledger { number: None, .. } | Message::Fold(_))
                if self.fold.waiting.is_some() =>
            {
                self.hold(message, ledger, room)
            }
            message => {
                drop(room);
                self.handle(message, ledger)
            }
        }
    }

    /// Returns the next event. Answers are written before the engine waits and before hosts'
    /// events.
    fn next(&mut self) -> io::Result<Event> {
        let next = self.backlog.pop_front().or_else(|| self.events.try_recv().ok());
        if let Some(event @ (Event::Message(..) | Event::Files(..))) = next {
            return Ok(event);
        }
        self.output.flush()?;
        self.hosts.flush();
        if let Some(next) = next {
            return Ok(next);
        }
        Ok(match self.has_stream() {
            false => self.events.recv().unwrap_or(Event::End(Ok(()))),
            true => match self.events.recv_timeout(TICK) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => Event::Tick,
                Err(RecvTimeoutError::Disconnected) => Event::End(Ok(())),
            },
        })
    }

    /// Sets a message aside until the settings arrive. They follow it, so it must not keep them
    /// from being read.
    ///
    /// # Errors
    ///
    /// The caller sent too much before the settings.
    fn hold(&mut self, message: Message, ledger: Parsed, room: Room) -> io::Result<()> {
        self.held_bytes += room.size;
        if self.held_bytes > MOST_WAITING_BYTES.max(room.size) {
            return Err(io::Error::other("too many bytes arrived before the settings of a ledger"));
        }
        let room = Room { of: None, size: room.size };
        self.held.push_back(Event::Message(Box::new(message), ledger, room));
        Ok(())
    }

    fn handle(&mut self, message: Message, ledger: Parsed) -> io::Result<()> {
        let fold = &mut self.fold;
        match message {
            Message::Open(_) => Ok(()),
            Message::Resume { facts, last } => {
                let mut state = State::new(false, fold.limits());
                state.restore(facts.into());
                fold.state = Some(state);
                fold.previous = last.then(|| fold.read.pop_back()).flatten().map(|last| Previous {
                    facts: last.facts,
                    next_rent_fee: last.next_rent_fee,
                    average_state_size: last.average_state_size,
                });
                Ok(())
            }
            Message::Keep { rows } => {
                if let Some(state) = &mut fold.state {
                    rows.into_iter().for_each(|row| row.keep(state));
                    state.take_rows();
                }
                Ok(())
            }
            Message::Ledger { number: Some(number), .. } => self.check(number, ledger),
            Message::Ledger { .. } => match ledger {
                None => Ok(()),
                Some(Err(problem)) => print(&mut self.output, &wire::unreadable(&problem)),
                Some(Ok(ledger)) => {
                    let keys = match fold.open.asks {
                        true => unknown_keys(&mut fold.state, &ledger, None),
                        false => vec![],
                    };
                    print(&mut self.output, &wire::read(&ledger, &keys))?;
                    fold.read.push_back(ledger);
                    Ok(())
                }
            },
            Message::Fold(request) => {
                let Some(ledger) = fold.read.pop_front() else {
                    return print(&mut self.output, &wire::unreadable("no ledger was read"));
                };
                self.enter_ledger(Rc::new(*ledger), request, None)
            }
            Message::Files(files) => self.open_files(files),
            Message::Received(message) => self.open_received(message),
            Message::Take { number, shows, kept } => {
                let unknown = || io::Error::other("a ledger was taken that was not checked");
                let ledger = fold.checked.remove(&number).ok_or_else(unknown)?;
                if let Some(stream) = &mut fold.stream {
                    stream.receive(ledger, shows, kept);
                }
                Ok(())
            }
            Message::Drop { number } => {
                fold.checked.remove(&number);
                Ok(())
            }
            Message::Begin { last } => {
                if let Some(stream) = &mut fold.stream {
                    stream.begin(last);
                }
                Ok(())
            }
            Message::Supplied { number, entries } => {
                if let Some(stream) = &mut fold.stream {
                    stream.supply(number, entries);
                }
                Ok(())
            }
            Message::Leave { transactions } => {
                if let Some(stream) = &mut fold.stream {
                    stream.leave(transactions);
                }
                Ok(())
            }
            Message::Settings(decided) => {
                let Some((ledger, request, place)) = fold.waiting.take() else { return Ok(()) };
                let settings = decided.map(|decided| Rc::new(decided.into()));
                while let Some(event) = self.held.pop_back() {
                    self.backlog.push_front(event);
                }
                self.held_bytes = 0;
                self.fold_ledger(ledger, (request, place), settings)
            }
            Message::Put { sequence, entries } => {
                let pending = fold.pending.get_mut(&sequence);
                if let Some(stream) = &mut fold.stream {
                    stream.awaited.remove(&sequence);
                }
                if let (Some(state), Some(pending)) = (&mut fold.state, pending) {
                    for claim in entries {
                        let key = changes::Key::from(&claim.key.0[..]);
                        let entry = claim.add_to(state);
                        pending.shown.insert(key, entry);
                    }
                }
                Ok(())
            }
            Message::Run(run) => self.run(run),
            Message::Done { sequence } => {
                fold.pending.remove(&sequence);
                if let Some(observed) = fold.observed() {
                    observed.ends(sequence);
                }
                Ok(())
            }
        }
    }

    /// Checks a ledger that the caller received, and keeps it if nothing is wrong.
    fn check(&mut self, number: u64, ledger: Parsed) -> io::Result<()> {
        let known = |ledger: &Ledger| ledger.facts.protocol_version <= files::newest_protocol();
        match ledger {
            None => Ok(()),
            Some(Err(problem)) => print(&mut self.output, &wire::unreadable(&problem)),
            Some(Ok(ledger)) if !known(&ledger) => {
                print(&mut self.output, &wire::unreadable("the ledger is of a later protocol"))
            }
            Some(Ok(ledger)) => {
                print(&mut self.output, &wire::read(&ledger, &[]))?;
                if ledger.forged.is_none() {
                    self.fold.checked.insert(number, ledger);
                }
                Ok(())
            }
        }
    }

    /// Begins a ledger. `place` is its place in a stream.
    fn enter_ledger(
        &mut self,
        ledger: Rc<Ledger>,
        request: wire::Fold,
        place: Option<Place>,
    ) -> io::Result<()> {
        let fold = &mut self.fold;
        let gap = fold.enter(&ledger.facts);
        let sequence = ledger.facts.sequence;
        let state = fold.state.take().unwrap_or_else(|| fold.begin(sequence));
        let state = fold.state.insert(state);
        state.begin_ledger(sequence);
        // The facts that later ledgers show need not hold on this side of a gap.
        if let Some(stream) = fold.stream.as_mut().filter(|_| gap) {
            stream.forget_mentions();
        }
        for claim in request.put.into_iter().filter(|_| !gap) {
            claim.add_to(state);
        }
        let request = wire::Fold { gap, put: vec![], ..request };
        self.begin_fold(ledger, request, place)
    }

    /// Begins to fold a ledger. It asks for the settings unless they are known to hold.
    fn begin_fold(
        &mut self,
        ledger: Rc<Ledger>,
        request: wire::Fold,
        place: Option<Place>,
    ) -> io::Result<()> {
        let fold = &mut self.fold;
        let sequence = ledger.facts.sequence;
        let observed = fold.stream.as_ref().and_then(|stream| stream.observed.as_ref());
        let ran = |each: &ledger::LedgerTransaction| {
            let is_observed =
                |soroban| observed.is_none_or(|observed| observed.may_have(each, soroban));
            each.envelope.soroban.as_ref().is_some_and(is_observed) && each.outcome.ran != Ran::No
        };
        let ran = ledger.transactions.iter().filter(|each| ran(each)).count();
        let runs = ran > 0 && (request.run || !request.want.is_nothing());
        let facts = fold.facts_before_upgrades(&ledger);
        let protocol = facts.map_or(ledger.facts.protocol_version, |(protocol, _)| protocol);
        let key = fold.settings_key(protocol, sequence);
        match &fold.settings {
            _ if !runs => self.fold_ledger(ledger, (request, place), None),
            Some((known, settings)) if *known == key => {
                let settings = settings.clone();
                self.fold_ledger(ledger, (request, place), Some(settings))
            }
            _ => {
                let oldest = fold.oldest_pending();
                if let Some(state) = &fold.state {
                    let mut question = wire::settings(request.gap, &state.facts, &state.settings());
                    if let (Some(place), Some(stream)) = (&place, &mut fold.stream) {
                        stream.ask(&mut question["settings"], place, oldest);
                    }
                    print(&mut self.output, &question)?;
                }
                let will_run = if request.run { ran } else { 0 };
                fold.waiting = Some((ledger, request, place));
                if will_run > 0 {
                    self.output.flush()?;
                    // The answer takes longer than a process needs to start.
                    self.hosts.prepare(will_run);
                }
                Ok(())
            }
        }
    }

    /// Folds a ledger. `settings` is `None` if they are not certain for every transaction of the
    /// ledger.
    fn fold_ledger(
        &mut self,
        ledger: Rc<Ledger>,
        (request, place): (wire::Fold, Option<Place>),
        settings: Option<Rc<Settings>>,
    ) -> io::Result<()> {
        let sequence = ledger.facts.sequence;
        let facts = self.fold.facts_before_upgrades(&ledger);
        let (protocol, _) = facts.unwrap_or((ledger.facts.protocol_version, 0));
        let key = self.fold.settings_key(protocol, sequence);
        let input = settings.and_then(|settings| {
            let (protocol, base_reserve_stroops) = facts?;
            self.fold.settings = Some((key, settings.clone()));
            Some(Rc::new(LedgerInput {
                protocol,
                sequence,
                close_time_unix_seconds: ledger.facts.close_time_unix_seconds,
                network_id: self.fold.network_id,
                base_reserve_stroops,
                transaction_set_hash: ledger.facts.transaction_set_hash,
                settings,
            }))
        });
        let mut state = self.fold.state.take().expect("a ledger was entered");
        let complete = state.facts.complete;
        let judging = input.as_ref().filter(|_| request.run).map(|input| Judging {
            ledger: &ledger,
            input,
            complete,
        });
        let mut folded = wire::Folded::new(sequence, protocol, request.gap, &state.facts);
        let mut pending = HashMap::new();
        let mut jobs = vec![];
        let (hosts, new_code) = (&mut self.hosts, &self.new_code);
        let mut observed = self.fold.observed();
        fold::fold(&mut state, &ledger, |state, at, transaction| {
            let Some(soroban) = &transaction.envelope.soroban else { return };
            folded.soroban += 1;
            if transaction.outcome.ran == Ran::No {
                folded.refused += 1;
                return;
            }
            let is_observed = observed
                .as_mut()
                .is_none_or(|observed| !request.is_early && observed.takes(transaction, soroban));
            if !is_observed {
                folded.unobserved += 1;
                return;
            }
            let wanted = request.want.has(at + 1);
            if !request.run && !wanted {
                return;
            }
            let mut keys: Vec<_> =
                soroban.footprint.iter().map(|key| KeyState::read(state, key)).collect();
            let is_run = !wanted && observed.as_ref().is_none_or(|observed| observed.runs_again);
            let judging = judging.as_ref().filter(|_| is_run);
            let decided = judging.and_then(|judging| judging.decide(transaction, soroban, &keys));
            let found = judging.zip(decided).and_then(|(judging, decided)| {
                let is_whole = decided.iter().all(|each| is_whole(each, hosts));
                let found =
                    is_whole.then(|| judging.jobs((at, transaction), soroban, decided)).flatten();
                let Some(observed) = &observed else {
                    return found.map(|(jobs, expected)| (Runs::new(expected, false, &jobs), jobs));
                };
                let (jobs, expected) = found?;
                let other = new_code.other_run(&jobs[0], soroban, &observed.instances)?;
                let observation = Some(Observation::of(&jobs[0]));
                let jobs = rehearsal::with_other_run(jobs, other);
                let runs = Runs::new(expected, false, &jobs);
                Some((Runs { again: Some(true), observation, ..runs }, jobs))
            });
            let runs = match found {
                None => {
                    keys.extend(request.keys.iter().map(|key| KeyState::read(state, &key.0)));
                    folded.open(at + 1, &keys);
                    None
                }
                Some((runs, its_jobs)) => {
                    jobs.push((at, its_jobs));
                    Some(runs)
                }
            };
            pending.insert(at, PendingTransaction { keys, runs });
        });
        if folded.opened() > 0 {
            observed.iter_mut().for_each(|observed| observed.opens(sequence));
        }
        folded.classic = ledger.transactions.len() - folded.soroban;
        folded.running = jobs.len();
        folded.mismatches(&std::mem::take(&mut state.mismatches));
        if self.fold.open.keeps_rows {
            folded.rows(&mut state);
        }
        self.fold.previous = Some(Previous {
            facts: ledger.facts.clone(),
            next_rent_fee: ledger.next_rent_fee,
            average_state_size: ledger.average_state_size,
        });
        self.fold.state = Some(state);
        let id = Rc::new(LedgerId(sequence));
        let verdicts = wire::Verdicts::new(sequence);
        let running = jobs.len();
        let untold = match &place {
            None => {
                print(&mut self.output, &folded.into())?;
                None
            }
            // A ledger that does not count is only folded.
            Some(Place { at: None, .. }) => return Ok(()),
            Some(_) => Some(folded),
        };
        let of_ledger = Pending {
            id: id.clone(),
            ledger,
            input,
            complete,
            transactions: pending,
            shown: ByKey::default(),
            running,
            verdicts,
            place,
            settings_of: self.fold.stream.as_ref().map_or(0, |stream| stream.settings_of),
            untold,
        };
        self.fold.pending.insert(sequence, of_ledger);
        self.tell_early(sequence)?;
        jobs.into_iter().try_for_each(|(at, jobs)| self.start(&id, at, jobs))
    }

    fn start(&mut self, id: &Rc<LedgerId>, at: usize, jobs: Vec<Job>) -> io::Result<()> {
        jobs.into_iter()
            .enumerate()
            .try_for_each(|(which, job)| self.start_one((id, at, which), job))
    }

    /// Starts a run as soon as a host has room.
    fn start_one(
        &mut self,
        (id, at, which): (&Rc<LedgerId>, usize, usize),
        job: Job,
    ) -> io::Result<()> {
        while !self.hosts.has_room() {
            self.output.flush()?;
            self.hosts.flush();
            match self.events.recv() {
                Ok(Event::Host(event)) => self.receive(event)?,
                Ok(event @ (Event::Message(..) | Event::Files(..) | Event::Tick)) => {
                    self.backlog.push_back(event);
                }
                // Its answer is not needed any longer.
                Ok(Event::End(end)) => {
                    self.backlog.push_back(Event::End(end));
                    return Ok(());
                }
                Err(_) => return Ok(()),
            }
        }
        let number = self.hosts.run(job)?;
        self.jobs.insert(number, (id.clone(), at, which));
        Ok(())
    }

    fn receive(&mut self, event: HostEvent) -> io::Result<()> {
        let now = Instant::now();
        if now - *self.last_sign.get_or_insert(now) > SIGN_OF_LIFE {
            self.last_sign = Some(now);
            print(&mut self.output, &wire::busy())?;
        }
        for (number, ran) in self.hosts.receive(event)? {
            let Some((id, at, which)) = self.jobs.remove(&number) else { continue };
            self.finish(&id, at, which, ran)?;
        }
        Ok(())
    }

    fn finish(
        &mut self,
        id: &Rc<LedgerId>,
        at: usize,
        which: usize,
        ran: HostRan,
    ) -> io::Result<()> {
        let Fold { pending, stream, .. } = &mut self.fold;
        let Some(pending) = pending.get_mut(&id.0) else { return Ok(()) };
        if !Rc::ptr_eq(&pending.id, id) {
            return Ok(());
        }
        let Some(transaction) = pending.transactions.get_mut(&at) else { return Ok(()) };
        let Some(runs) = &mut transaction.runs else { return Ok(()) };
        runs.broken |= ran.is_err();
        runs.executed[which] = ran.ok().flatten();
        runs.running -= 1;
        if runs.running > 0 {
            return Ok(());
        }
        let other = if runs.again == Some(true) { runs.executed.pop().flatten() } else { None };
        let equal = runs.expected.is_met(&runs.executed);
        let replay = runs.executed.first().and_then(Option::as_ref);
        let replay = replay.filter(|_| runs.again.is_some());
        let both = replay.map(|replay| BothRuns { replay, other: other.as_ref() });
        if runs.is_requested {
            let ran = wire::ran(id.0, at + 1, equal, runs.broken, both.as_ref());
            return print(&mut self.output, &ran);
        }
        pending.verdicts.broken += usize::from(runs.broken);
        let unconfirmed = usize::from(runs.expected.unconfirmed);
        match (equal, &runs.observation, &both) {
            (true, Some(_), Some(both)) if both.costs_of_same().is_none() => {
                pending.verdicts.changes(at + 1, &transaction.keys);
            }
            (true, observation, both) => {
                pending.verdicts.unconfirmed += unconfirmed;
                pending.verdicts.equal += 1;
                let shown = observation.as_ref().zip(both.as_ref()).zip(pending.place.as_ref());
                let observed = stream.as_mut().and_then(|stream| stream.observed.as_mut());
                if let (Some(((observation, both), place)), Some(observed)) = (shown, observed) {
                    let transaction = (&pending.ledger.transactions[at], at + 1);
                    let row = observed.row(transaction, place, unconfirmed > 0, both, observation);
                    print(&mut self.output, &row)?;
                }
            }
            (false, ..) => pending.verdicts.differs(at + 1, &transaction.keys),
        }
        pending.running -= 1;
        match (pending.running, &pending.place) {
            (0, None) => print(&mut self.output, &pending.verdicts.take()),
            (0, Some(_)) => self.settle(id.0),
            _ => Ok(()),
        }
    }

    /// Runs an open transaction on the state that the caller decided.
    fn run(&mut self, run: Run) -> io::Result<()> {
        let (sequence, order) = (run.sequence, run.order);
        let Some((id, at, jobs)) = self.jobs_of(run) else {
            return print(&mut self.output, &wire::ran(sequence, order, false, false, None));
        };
        self.start(&id, at, jobs)
    }

    fn jobs_of(&mut self, mut run: Run) -> Option<(Rc<LedgerId>, usize, Vec<Job>)> {
        let sequence = run.sequence;
        let again = run.again.take();
        for (number, entry) in again.iter().flat_map(|again| &again.define) {
            self.new_code.define(*number, entry.0.clone());
        }
        let pending = self.fold.pending.get_mut(&sequence)?;
        let at = run.order.checked_sub(1)?;
        let transaction = pending.ledger.transactions.get(at)?;
        let soroban = transaction.envelope.soroban.as_ref()?;
        let state = pending.transactions.get_mut(&at)?;
        let shown = &pending.shown;
        let shown = |key: &changes::Key| shown.get(key).cloned();
        let decided = run.decided(&soroban.footprint, &state.keys, shown)?;
        let (ledger, complete) = (&*pending.ledger, pending.complete);
        let judging = Judging { ledger, input: pending.input.as_ref()?, complete };
        if !decided.iter().all(|each| is_whole(each, &mut self.hosts)) {
            return None;
        }
        let (mut jobs, expected) = judging.jobs((at, transaction), soroban, decided)?;
        let mut has_other = None;
        if let Some(wire::Again { code, keeps, .. }) = again {
            let code: Vec<_> =
                code.into_iter().map(|(key, number)| (changes::Key::from(key.0), number)).collect();
            let numbered = |(key, number): &(changes::Key, u64)| {
                Some((key.clone(), self.new_code.get(*number)?))
            };
            let replaced: Option<Vec<_>> = code.iter().map(numbered).collect();
            let other = replaced.and_then(|replaced| {
                rehearsal::with_other_code(&jobs[0], &soroban.footprint, &replaced)
            });
            let keeps = keeps.into_iter().map(|key| (changes::Key::from(key.0), None));
            let named = code.into_iter().map(|(key, number)| (key, Some(number))).chain(keeps);
            self.new_code.name(named, (&jobs[0], soroban));
            if let Some(stream) = &mut self.fold.stream {
                stream.observed.iter_mut().for_each(|observed| observed.ends(sequence));
            }
            has_other = Some(other.is_some());
            jobs = match other {
                Some(other) => rehearsal::with_other_run(jobs, other),
                None => rehearsal::compared(jobs),
            };
        }
        let runs = Runs::new(expected, true, &jobs);
        state.runs = Some(Runs { again: has_other, ..runs });
        Some((pending.id.clone(), at, jobs))
    }
}

/// Says whether all code has the hash that its key names. Other code is never used.
fn is_whole(decided: &Decided, hosts: &mut Hosts<Event>) -> bool {
    let is_code = |entry: &Arc<[u8]>| entry.get(4..8) == Some(&[0, 0, 0, 7]);
    decided
        .entry
        .as_ref()
        .filter(|entry| is_code(entry))
        .is_none_or(|code| hosts.has_its_hash(code))
}

/// The keys that the ledger's transactions name and that no ledger has shown, except those that the
/// first of them creates. Of the observed transactions, if some are.
fn unknown_keys(
    state: &mut Option<State>,
    ledger: &Ledger,
    observed: Option<&Observed>,
) -> Vec<changes::Key> {
    let mut seen = std::collections::HashSet::new();
    let mut keys = vec![];
    for transaction in &ledger.transactions {
        let Some(soroban) = &transaction.envelope.soroban else { continue };
        if observed.is_some_and(|observed| !observed.has(transaction, soroban)) {
            continue;
        }
        let first = judge::first_changes(transaction);
        for key in soroban.footprint.iter().filter(|key| seen.insert(&key.key)) {
            let is_created = first.get(&key.key).is_some_and(|own| own.kind == Kind::Created);
            if !is_created && !state.as_mut().is_some_and(|state| is_known(state, key)) {
                keys.push(key.key.clone());
            }
        }
    }
    keys
}

/// Says whether an entry is known, together with its TTL if it exists.
fn is_known(state: &mut State, key: &ledger::FootprintKey) -> bool {
    let claim = state.claimed_entry(&key.key).map(|claim| claim.value.is_some());
    let exists = match (state.entry(&key.key), claim) {
        (Knowledge::Known(entry), _) => entry.is_some(),
        (Knowledge::Unknown, Some(exists)) => exists,
        (Knowledge::Unknown, None) => return false,
    };
    let has_ttl = |ttl: &changes::Key| {
        state.claimed_ttl(ttl).is_some() || !state.live_until(ttl).is_unknown()
    };
    !exists || key.ttl_key.as_ref().is_none_or(has_ttl)
}
