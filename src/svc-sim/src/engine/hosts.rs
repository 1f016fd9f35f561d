// The processes that run contracts for the engine. They start when they are needed, and again after
// one ended. If a process ends, the transaction that ended it is reported as not run, and its other
// transactions run again, each alone. Invariant: each process has a bounded number of transactions,
// and each transaction is sent at most twice and ends exactly once.

use super::{
    frame::{read_frame, Frame, Parts},
    host::{
        Broken, Executed, Ran, ABSENT, ANSWER, CODE, DEFINED, FORGET, LATE, LEDGER, NOT_SAID,
        PRESENT, RUN, SETTINGS,
    },
    rehearsal::Compared,
    state::Entry,
};
use crate::xdr_codec::{
    decode, sha256,
    xdr::{LedgerEntry, LedgerEntryData},
};
use std::{
    collections::{BTreeMap, HashMap, HashSet, VecDeque},
    io::{self, BufReader, BufWriter, Write},
    path::PathBuf,
    process::{Child, ChildStdin, Command, Stdio},
    rc::Rc,
    sync::mpsc::Sender,
};

/// The number of transactions that a process may have without an answer, so that neither side
/// waits.
const WINDOW: usize = 32;
/// The bytes of contract code that a process may cache. Above this the engine tells it to forget
/// all code.
const CODE_LIMIT_BYTES: usize = 64 * 1024 * 1024;

/// The facts under which the transactions of a ledger run.
pub struct LedgerInput {
    pub protocol: u32,
    pub sequence: u32,
    pub close_time_unix_seconds: u64,
    pub network_id: [u8; 32],
    pub base_reserve_stroops: u32,
    pub transaction_set_hash: [u8; 32],
    pub settings: Rc<Settings>,
}

pub struct Settings {
    pub entries: Vec<Vec<u8>>,
    pub rent_fee: Option<i64>,
    /// True if one of the settings is only a node's claim.
    pub unconfirmed: bool,
}

#[derive(Clone)]
pub struct Job {
    pub ledger: Rc<LedgerInput>,
    pub envelope: Vec<u8>,
    /// The position in apply order, from 1.
    pub order: u32,
    pub fee_taken: i64,
    pub refund_is_paid: bool,
    pub diagnostics: bool,
    /// The entries of the footprint, in its order.
    pub entries: Vec<JobEntry>,
    /// `None` if the run is compared with nothing but the chain's record.
    pub compared: Option<Compared>,
}

#[derive(Clone)]
pub struct JobEntry {
    pub entry: Option<Entry>,
    pub is_code: bool,
    pub live_until: u32,
    pub archived: bool,
    pub code_cached: Option<bool>,
    pub restored_earlier: bool,
}

/// An event of a host: its index, the number of its process, and what happened.
pub enum HostEvent {
    Answer(usize, u64, Vec<u8>),
    Ended(usize, u64),
}

struct Host {
    process: u64,
    child: Child,
    input: BufWriter<ChildStdin>,
    /// The transactions without an answer, by number.
    running: BTreeMap<u64, Job>,
    /// True if the process has one transaction and gets no other before that one has ended.
    alone: bool,
    /// True if the process has named the transaction that ended it. The others did not.
    late: bool,
    ledger: Option<Rc<LedgerInput>>,
    settings: Option<Rc<Settings>>,
    codes: HashSet<u64>,
    code_bytes: usize,
}

struct Code {
    /// Keeps the code alive, so that no other code gets its address.
    #[allow(dead_code)]
    entry: Entry,
    number: u64,
    has_its_hash: bool,
}

/// How a process is started.
pub struct Program {
    pub path: PathBuf,
    /// The limits, as command-line arguments.
    pub limits: Vec<String>,
}

pub struct Hosts<Event> {
    hosts: Vec<Option<Host>>,
    program: Program,
    events: Sender<Event>,
    processes: u64,
    jobs: u64,
    numbers: u64,
    /// Transactions that were lost with a process that another transaction may have ended.
    again: VecDeque<(u64, Job)>,
    /// The number of each code, by its address. A code keeps its number as long as it is kept.
    codes: HashMap<*const u8, Code>,
    code_bytes: usize,
}

impl<Event: From<HostEvent> + Send + 'static> Hosts<Event> {
    pub fn new(size: usize, program: Program, events: Sender<Event>) -> Self {
        let hosts = (0..size.max(1)).map(|_| None).collect();
        Hosts {
            hosts,
            program,
            events,
            processes: 0,
            jobs: 0,
            numbers: 0,
            again: VecDeque::new(),
            codes: HashMap::new(),
            code_bytes: 0,
        }
    }

    /// Ends the processes beyond `size` with what they run, and forgets the transactions to run
    /// again, because another stream follows.
    pub fn resize(&mut self, size: usize) {
        let size = size.max(1);
        for mut host in self.hosts.drain(size.min(self.hosts.len())..).flatten() {
            let _ = host.child.kill();
            let _ = host.child.wait();
        }
        self.hosts.resize_with(size, || None);
        self.again.clear();
    }

    /// Starts the processes that so many jobs will need. If one cannot be started, the first job
    /// that needs it fails.
    pub fn prepare(&mut self, jobs: usize) {
        for at in 0..self.hosts.len().min(jobs) {
            if self.hosts[at].is_none() {
                self.hosts[at] = self.start(at).ok();
            }
        }
    }

    pub fn has_room(&self) -> bool {
        self.hosts.iter().any(|host| host.as_ref().is_none_or(Host::has_room))
    }

    /// Sends the job to the least busy process, and returns the job's number.
    ///
    /// # Errors
    ///
    /// No process can be started.
    pub fn run(&mut self, job: Job) -> io::Result<u64> {
        let load = |host: &Option<Host>| match host {
            None => (0, 1),
            Some(host) => (u8::from(!host.has_room()), host.running.len()),
        };
        let least = (0..self.hosts.len()).min_by_key(|at| load(&self.hosts[*at])).unwrap_or(0);
        self.jobs += 1;
        let id = self.jobs;
        self.send(least, id, job)?;
        Ok(id)
    }

    fn send(&mut self, at: usize, id: u64, job: Job) -> io::Result<&mut Host> {
        let codes = self.number_codes(&job);
        if self.hosts[at].is_none() {
            self.hosts[at] = Some(self.start(at)?);
        }
        let host = self.hosts[at].as_mut().expect("started above");
        // A broken pipe shows later, as the end of the process.
        let _ = host.send(id, &job, &codes);
        host.running.insert(id, job);
        Ok(host)
    }

    /// Runs the lost transactions again, each in a process that has no other.
    fn run_again(&mut self) -> io::Result<()> {
        let is_idle = |host: &Option<Host>| host.as_ref().is_none_or(|it| it.running.is_empty());
        while let Some(at) = self.hosts.iter().position(is_idle) {
            let Some((id, job)) = self.again.pop_front() else { return Ok(()) };
            let host = self.send(at, id, job)?;
            host.alone = true;
            // A broken pipe shows later, as the end of the process.
            let _ = host.input.flush();
        }
        Ok(())
    }

    /// Sends everything that was written. Call it before waiting for anything.
    pub fn flush(&mut self) {
        for host in self.hosts.iter_mut().flatten() {
            // A broken pipe shows later, as the end of the process.
            let _ = host.input.flush();
        }
    }

    /// Returns the number of each job that ended, with its execution.
    ///
    /// # Errors
    ///
    /// No process can be started.
    pub fn receive(&mut self, event: HostEvent) -> io::Result<Vec<(u64, Ran)>> {
        let ended = match event {
            HostEvent::Answer(at, process, frame) => {
                let Some(host) = self.host(at, process) else { return Ok(vec![]) };
                let Ok((kind, id, executed)) = read_answer(&frame) else {
                    // The event of its end follows.
                    let _ = host.child.kill();
                    return Ok(vec![]);
                };
                host.late |= kind == LATE;
                let known = host.running.remove(&id);
                host.alone &= !host.running.is_empty();
                let ran = if kind == ANSWER { Ok(executed) } else { Err(Broken) };
                known.map(|_| (id, ran)).into_iter().collect()
            }
            HostEvent::Ended(at, process) => {
                let Some(host) = self.host(at, process) else { return Ok(vec![]) };
                let _ = host.child.kill();
                let _ = host.child.wait();
                let mut lost = std::mem::take(&mut host.running);
                let only = if host.late || lost.len() > 1 { None } else { lost.pop_first() };
                self.hosts[at] = None;
                self.again.extend(lost);
                only.map(|(id, _)| (id, Err(Broken))).into_iter().collect()
            }
        };
        self.run_again()?;
        Ok(ended)
    }

    /// Waits for all processes to end, so that the system counts their times as this process's.
    pub fn end(&mut self) {
        for host in self.hosts.iter_mut().filter_map(Option::take) {
            let Host { mut child, input, .. } = host;
            // The requests that were not sent yet are no longer needed.
            drop(input.into_parts());
            let _ = child.wait();
        }
    }

    fn host(&mut self, at: usize, process: u64) -> Option<&mut Host> {
        self.hosts.get_mut(at)?.as_mut().filter(|host| host.process == process)
    }

    fn start(&mut self, at: usize) -> io::Result<Host> {
        let mut command = Command::new(&self.program.path);
        command.arg("engine-host").args(&self.program.limits);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn()?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = (input.expect("it is piped"), output.expect("it is piped"));
        self.processes += 1;
        let (process, events) = (self.processes, self.events.clone());
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Ok(Some(frame)) = read_frame(&mut output) {
                let _ = events.send(HostEvent::Answer(at, process, frame).into());
            }
            let _ = events.send(HostEvent::Ended(at, process).into());
        });
        Ok(Host {
            process,
            child,
            input: BufWriter::new(input),
            running: BTreeMap::new(),
            alone: false,
            late: false,
            ledger: None,
            settings: None,
            codes: HashSet::new(),
            code_bytes: 0,
        })
    }

    /// Says whether code has the hash that its key names. If not, it is forged.
    pub fn has_its_hash(&mut self, code: &Entry) -> bool {
        self.code(code).has_its_hash
    }

    fn code(&mut self, entry: &Entry) -> &Code {
        if self.code_bytes > CODE_LIMIT_BYTES {
            self.codes.clear();
            self.code_bytes = 0;
        }
        self.codes.entry(entry.as_ptr()).or_insert_with(|| {
            self.code_bytes += entry.len();
            self.numbers += 1;
            let decoded = decode::<LedgerEntry>(entry, "code").map(|decoded| decoded.data);
            let has_its_hash = matches!(
                decoded,
                Ok(LedgerEntryData::ContractCode(code)) if sha256(&code.code) == code.hash.0
            );
            Code { entry: entry.clone(), number: self.numbers, has_its_hash }
        })
    }

    /// The number of each code in the job, by its index in the footprint.
    fn number_codes(&mut self, job: &Job) -> Vec<u64> {
        let number = |entry: &JobEntry| match &entry.entry {
            Some(code) if entry.is_code => self.code(code).number,
            _ => 0,
        };
        job.entries.iter().map(number).collect()
    }
}

/// The kind of an answer, its transaction's number, and the execution.
pub fn read_answer(frame: &[u8]) -> io::Result<(u8, u64, Option<Executed>)> {
    let mut parts = Parts(frame);
    Ok((parts.u8()?, parts.u64()?, Executed::read(&mut parts)?))
}

impl Host {
    fn has_room(&self) -> bool {
        !self.alone && self.running.len() < WINDOW
    }

    fn send(&mut self, id: u64, job: &Job, codes: &[u64]) -> io::Result<()> {
        if !self.ledger.as_ref().is_some_and(|ledger| Rc::ptr_eq(ledger, &job.ledger)) {
            self.ledger = Some(job.ledger.clone());
            ledger_frame(&job.ledger).write(&mut self.input)?;
        }
        let settings = &job.ledger.settings;
        if !self.settings.as_ref().is_some_and(|sent| Rc::ptr_eq(sent, settings)) {
            self.settings = Some(settings.clone());
            settings_frame(settings).write(&mut self.input)?;
        }
        if self.code_bytes > CODE_LIMIT_BYTES {
            self.codes.clear();
            self.code_bytes = 0;
            Frame::new(FORGET).write(&mut self.input)?;
        }
        for (entry, number) in job.entries.iter().zip(codes) {
            let Some(code) = entry.entry.as_ref().filter(|_| entry.is_code) else { continue };
            if self.codes.insert(*number) {
                self.code_bytes += code.len();
                let mut frame = Frame::new(CODE);
                frame.u64(*number);
                frame.bytes(code);
                frame.write(&mut self.input)?;
            }
        }
        job_frame(id, job, codes).write(&mut self.input)
    }
}

pub fn ledger_frame(ledger: &LedgerInput) -> Frame {
    let mut frame = Frame::new(LEDGER);
    frame.u32(ledger.protocol);
    frame.u32(ledger.sequence);
    frame.u64(ledger.close_time_unix_seconds);
    frame.raw(&ledger.network_id);
    frame.u32(ledger.base_reserve_stroops);
    frame.raw(&ledger.transaction_set_hash);
    frame
}

pub fn settings_frame(Settings { entries, rent_fee, .. }: &Settings) -> Frame {
    let mut frame = Frame::new(SETTINGS);
    frame.u8(rent_fee.is_some());
    rent_fee.iter().for_each(|fee| frame.i64(*fee));
    frame.u32(entries.len() as u32);
    entries.iter().for_each(|entry| frame.bytes(entry));
    frame
}

pub fn job_frame(id: u64, job: &Job, codes: &[u64]) -> Frame {
    let mut frame = Frame::new(RUN);
    frame.u64(id);
    frame.bytes(&job.envelope);
    frame.u32(job.order);
    frame.i64(job.fee_taken);
    frame.u8(job.refund_is_paid);
    frame.u8(job.diagnostics);
    for (entry, number) in job.entries.iter().zip(codes) {
        frame.u8(entry.restored_earlier);
        match &entry.entry {
            None => {
                frame.u8(ABSENT);
                continue;
            }
            Some(_) if entry.is_code => {
                frame.u8(DEFINED);
                frame.u64(*number);
            }
            Some(bytes) => {
                frame.u8(PRESENT);
                frame.bytes(bytes);
            }
        }
        frame.u32(entry.live_until);
        frame.u8(entry.archived);
        frame.u8(entry.code_cached.map_or(NOT_SAID, u8::from));
    }
    Compared::write(job.compared.as_ref(), &mut frame);
    frame
}
