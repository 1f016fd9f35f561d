// A stream of ledgers that the engine folds and runs by itself: those of files, which it opens, or
// those that the caller received. It counts the ledgers that are as the chain recorded them, and
// tells the caller of the others, with their bytes if the caller does not have them.
//
// Invariants: the caller gets every ledger's outcome exactly once. A bounded number of ledgers is
// read, folded and not finished at any time.

use super::key_maps::Keys;
use super::{
    changes::Key,
    files::{Files, LedgerOfFile, Seen, Unread},
    ledger::Ledger,
    mentions::{Collection, Mentions},
    observed::Observed,
    unknown_keys, wire, Engine, Event, Fold, Room, Waiting,
};
use std::{
    cell::Cell,
    collections::{HashSet, VecDeque},
    io,
    rc::Rc,
    sync::{
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::Sender,
        Arc,
    },
    time::{Duration, Instant},
};

/// The bytes of ledgers that are read ahead of the fold.
const MOST_AHEAD_BYTES: usize = 32 << 20;
/// A stream that fits into this is read from the disk once, and a longer one twice.
const MOST_KEPT_BYTES: usize = 32 << 20;
/// The number of ledgers that are folded and not finished.
const MOST_UNFINISHED: usize = 64;
/// The number of ledgers whose keys the caller is asked for before they are folded.
const ASKED_AHEAD: usize = 16;
const COUNTED_TOGETHER: usize = 64;
/// The longest time that a count waits for others.
pub const TICK: Duration = Duration::from_millis(200);
const SIGN_OF_LIFE: Duration = Duration::from_secs(1);

/// A message of the thread that reads files.
pub enum FromFiles {
    Unread(Unread),
    Mentions(Mentions),
    /// A ledger, the index of its file, and its space.
    Ledger(Box<Ledger>, usize, Room),
    End,
}

/// The place of a ledger in its stream.
#[derive(Clone)]
pub struct Place {
    pub shown: Rc<Shown>,
    pub previous: Option<Rc<Shown>>,
    /// The position among those that count. `None` for a ledger that is only folded.
    pub at: Option<u64>,
    /// True if the caller judges its transactions without a digest.
    pub is_left: bool,
}

/// A folded ledger, whose bytes the caller gets at most once, and never if it has them.
pub struct Shown {
    pub number: u64,
    pub file: usize,
    pub ledger: Rc<Ledger>,
    pub is_sent: Cell<bool>,
}

struct Queued {
    ledger: Box<Ledger>,
    file: usize,
    /// True if the caller has its bytes.
    kept: bool,
    _room: Option<Room>,
    /// `None` while the caller was asked and has not answered.
    supplied: Option<Vec<wire::EntryMessage>>,
}

/// A ledger that counts and was not reported.
struct Unreported {
    at: u64,
    /// True if the caller was told of the ledger, and counts it.
    is_told: bool,
    counts: Option<wire::Counts>,
}

pub struct Stream {
    number: u64,
    is_stopped: Arc<AtomicBool>,
    count_from: u32,
    skip: usize,
    queue: VecDeque<Queued>,
    /// The number of ledgers that were taken from the queue.
    taken: u64,
    /// The number of queued ledgers, from the first, whose keys are supplied or asked for.
    asked_ledgers: usize,
    /// `None` before all were collected. No ledger is folded before that.
    mentions: Option<Mentions>,
    /// The mentions of ledgers that the caller received, until it says that these are all.
    collection: Option<Collection>,
    /// True if the caller sends the ledgers.
    is_received: bool,
    /// The ledgers for which the caller has not put yet what it decided of their transactions.
    pub awaited: HashSet<u32>,
    /// The transactions that the caller observes. `None` if the engine verifies all of them.
    pub observed: Option<Observed>,
    asked: Keys,
    told: Keys,
    last: Option<Rc<Shown>>,
    /// The number of ledgers that count, so far.
    counted: u64,
    /// The number of the ledger for which the settings were asked last.
    pub settings_of: u64,
    /// The number of transactions that the caller judges without a digest.
    left: usize,
    unreported: VecDeque<Unreported>,
    group: wire::Counted,
    reported: Instant,
    signed: Instant,
    is_read: bool,
    pub is_ended: bool,
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

static STREAMS: AtomicU64 = AtomicU64::new(0);

impl Stream {
    pub fn open(
        mut files: wire::FilesMessage,
        network_id: [u8; 32],
        events: Sender<Event>,
    ) -> Stream {
        let mut stream = Stream::new(files.count_from, files.skip);
        stream.observed = files.observe.take().map(Observed::new);
        let number = stream.number;
        let reader = Reader {
            send: Box::new(move |event| _ = events.send(Event::Files(number, event))),
            is_stopped: stream.is_stopped.clone(),
            network_id,
            unread: HashSet::new(),
            is_silent: false,
        };
        std::thread::spawn(move || reader.read(&files));
        stream
    }

    /// A stream of ledgers that the caller sends.
    pub fn of_received(message: wire::ReceivedMessage) -> Stream {
        let mut stream = Stream::new(message.count_from, message.skip);
        stream.collection = Some(Collection::new(false));
        stream.is_received = true;
        stream.observed = message.observe.map(Observed::new);
        stream
    }

    fn new(count_from: u32, skip: usize) -> Stream {
        Stream {
            number: STREAMS.fetch_add(1, Ordering::Relaxed),
            is_stopped: Arc::new(AtomicBool::new(false)),
            count_from,
            skip,
            queue: VecDeque::new(),
            taken: 0,
            asked_ledgers: 0,
            mentions: None,
            collection: None,
            is_received: false,
            awaited: HashSet::new(),
            observed: None,
            asked: Keys::default(),
            told: Keys::default(),
            last: None,
            counted: 0,
            settings_of: 0,
            left: 0,
            unreported: VecDeque::new(),
            group: wire::Counted::default(),
            reported: Instant::now(),
            signed: Instant::now(),
            is_read: false,
            is_ended: false,
        }
    }

    /// Adds the next ledger that the caller received. `shows` is false for one whose first mentions
    /// do not count, `kept` for one whose bytes the caller needs if it has to judge something.
    pub fn receive(&mut self, ledger: Box<Ledger>, shows: bool, kept: bool) {
        if let Some(collection) = self.collection.as_mut().filter(|_| shows) {
            if !collection.add(&ledger) {
                self.mentions = self.collection.take().map(Collection::end);
            }
        }
        let supplied = Some(vec![]);
        self.queue.push_back(Queued { ledger, file: 0, kept, _room: None, supplied });
    }

    /// No further ledger shows what was before it. With `last`, none follows.
    pub fn begin(&mut self, last: bool) {
        if let Some(collection) = self.collection.take() {
            self.mentions = Some(collection.end());
        }
        self.is_read |= last;
    }

    /// Adds to a question the facts that the caller needs to decide the settings for a ledger.
    pub fn ask(&mut self, question: &mut serde_json::Value, place: &Place, oldest: Option<u64>) {
        self.settings_of = place.shown.number;
        let later = self.later_of_settings();
        wire::place(question, place, oldest.unwrap_or(place.shown.number), later);
    }

    pub fn leave(&mut self, transactions: usize) {
        self.left = transactions;
    }

    /// Forgets first mentions. They hold only on their side of a gap.
    pub fn forget_mentions(&mut self) {
        self.mentions = Some(Mentions::default());
    }

    /// Returns the first mentions of these keys that were not reported to the caller before.
    pub fn later<'a>(&mut self, keys: impl Iterator<Item = &'a Key>) -> wire::Later {
        let mentions = self.mentions.get_or_insert_with(Mentions::default);
        let mut later = wire::Later::new(mentions.read_to);
        for key in keys {
            if let Some(mention) = mentions.find(key).filter(|_| !self.told.contains(key)) {
                self.told.insert(key.clone());
                later.add(key, mention);
            }
        }
        later
    }

    fn later_of_settings(&mut self) -> wire::Later {
        let mentions = self.mentions.get_or_insert_with(Mentions::default);
        let keys: Vec<Key> = mentions.of_settings().map(|(key, _)| key.clone()).collect();
        self.later(keys.iter())
    }

    pub fn supply(&mut self, number: u64, entries: Vec<wire::EntryMessage>) {
        let at = number.checked_sub(self.taken).and_then(|at| usize::try_from(at).ok());
        if let Some(queued) = at.and_then(|at| self.queue.get_mut(at)) {
            queued.supplied = Some(entries);
        }
    }

    pub fn counts(&mut self, at: u64, counts: wire::Counts) {
        if let Some(ledger) = self.unreported.iter_mut().find(|each| each.at == at) {
            ledger.counts = Some(counts);
        }
    }

    pub fn tell(&mut self, at: u64) {
        if let Some(ledger) = self.unreported.iter_mut().find(|each| each.at == at) {
            ledger.is_told = true;
        }
    }

    pub fn expect(&mut self, at: u64) {
        self.unreported.push_back(Unreported { at, is_told: false, counts: None });
    }

    /// Notes the transactions that the caller judges without a digest.
    pub fn leaves(&mut self, transactions: usize) {
        self.left = self.left.saturating_sub(transactions);
    }
}

/// The keys of transactions' footprints, with those of their TTLs.
fn keys_of_transactions(ledger: &Ledger, orders: impl Iterator<Item = usize>) -> Vec<Key> {
    orders
        .filter_map(|order| ledger.transactions.get(order - 1)?.envelope.soroban.as_ref())
        .flat_map(|soroban| &soroban.footprint)
        .flat_map(|key| std::iter::once(&key.key).chain(&key.ttl_key).cloned())
        .collect()
}

/// The thread that reads files.
struct Reader {
    send: Box<dyn Fn(FromFiles) + Send>,
    is_stopped: Arc<AtomicBool>,
    network_id: [u8; 32],
    /// Files of which it was said that they cannot be read.
    unread: HashSet<usize>,
    /// True while other files are read, of which somebody else says so.
    is_silent: bool,
}

/// The stream was closed, or a ledger cannot be read, so that nothing more is.
struct Stopped;

impl Reader {
    fn read(mut self, files: &wire::FilesMessage) {
        let _ = self.pass(files);
        (self.send)(FromFiles::End);
    }

    fn pass(&mut self, message: &wire::FilesMessage) -> Result<(), Stopped> {
        // The ledgers of other files are read only for what they show.
        let own = message.mentioned_in.is_none();
        let mentioned_in = message.mentioned_in.as_ref().unwrap_or(&message.paths);
        let mut files = Files::new(mentioned_in, message.fold_from);
        self.is_silent = !own;
        let mut collection = Collection::new(message.settings_only);
        let mut kept = VecDeque::new();
        let mut bytes = 0;
        while let Some(ledger) = self.next(&mut files)? {
            bytes += ledger.bytes.len();
            let is_kept = own && bytes <= MOST_KEPT_BYTES;
            if !is_kept {
                kept.clear();
                // Few ledgers have an upgrade.
                if message.settings_only && !ledger.facts.has_upgrades {
                    if !collection.follow(&ledger.facts) {
                        break;
                    }
                    continue;
                }
            }
            let file = ledger.file;
            let ledger = match self.parse(ledger) {
                Err(Stopped) if !own => break,
                parsed => parsed?,
            };
            let goes_on = collection.add(&ledger);
            if is_kept {
                kept.push_back((ledger, file));
            }
            if !goes_on {
                break;
            }
        }
        self.is_silent = false;
        (self.send)(FromFiles::Mentions(collection.end()));
        let waiting = Arc::new(Waiting::default());
        let mut seen = Seen::default();
        if !own || bytes > MOST_KEPT_BYTES {
            files = Files::new(&message.paths, message.fold_from);
        }
        loop {
            let (ledger, file) = match kept.pop_front() {
                Some(known) => known,
                None => {
                    let Some(ledger) = self.next(&mut files)? else { return Ok(()) };
                    let file = ledger.file;
                    (self.parse(ledger)?, file)
                }
            };
            if self.is_stopped.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            if seen.is_new(ledger.facts.sequence, ledger.facts.hash) {
                let room = Room::within(MOST_AHEAD_BYTES, ledger.bytes.len(), &waiting);
                (self.send)(FromFiles::Ledger(Box::new(ledger), file, room));
            }
        }
    }

    /// The next ledger of files that can be read.
    fn next(&mut self, files: &mut Files) -> Result<Option<LedgerOfFile>, Stopped> {
        for each in files {
            if self.is_stopped.load(Ordering::Relaxed) {
                return Err(Stopped);
            }
            match each {
                Ok(ledger) => return Ok(Some(ledger)),
                Err(unread) => self.say(unread),
            }
        }
        Ok(None)
    }

    fn parse(
        &mut self,
        LedgerOfFile { bytes, facts, file }: LedgerOfFile,
    ) -> Result<Ledger, Stopped> {
        Ledger::read(bytes, &self.network_id).map_err(|problem| {
            self.say(Unread { file, next: facts.sequence, is_last: true, problem });
            Stopped
        })
    }

    fn say(&mut self, unread: Unread) {
        if !self.is_silent && self.unread.insert(unread.file) {
            (self.send)(FromFiles::Unread(unread));
        }
    }
}

impl Engine {
    /// # Errors
    ///
    /// A build without files.
    pub fn open_files(&mut self, files: wire::FilesMessage) -> io::Result<()> {
        if !cfg!(feature = "files") {
            return Err(io::ErrorKind::Unsupported.into());
        }
        let network_id = self.fold.network_id;
        self.fold.stream = Some(Stream::open(files, network_id, self.sender.clone()));
        Ok(())
    }

    /// # Errors
    ///
    /// A build without hosts.
    pub fn open_received(&mut self, message: wire::ReceivedMessage) -> io::Result<()> {
        if !cfg!(feature = "files") {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.fold.stream = Some(Stream::of_received(message));
        Ok(())
    }

    pub fn take_from_files(&mut self, number: u64, event: FromFiles) -> io::Result<()> {
        let Some(stream) = self.fold.stream.as_mut().filter(|each| each.number == number) else {
            return Ok(());
        };
        match event {
            FromFiles::Unread(unread) => super::print(&mut self.output, &wire::unread(&unread))?,
            FromFiles::Mentions(mentions) => stream.mentions = Some(mentions),
            FromFiles::Ledger(ledger, file, room) => {
                let supplied = Some(vec![]);
                let room = Some(room);
                stream.queue.push_back(Queued { ledger, file, kept: false, _room: room, supplied });
            }
            FromFiles::End => stream.is_read = true,
        }
        Ok(())
    }

    /// Folds ledgers as far as that is possible now, and reports those that are finished.
    pub fn advance(&mut self) -> io::Result<()> {
        while self.backlog.is_empty() && self.is_next_ready()? {
            self.fold_next()?;
        }
        self.report(false)
    }

    /// True while ledgers of files are to come, so that the engine must not wait without an end.
    pub fn has_stream(&self) -> bool {
        self.fold.stream.as_ref().is_some_and(|stream| !stream.is_ended)
    }

    /// A sign of life, unless hosts are to give one.
    pub fn tick(&mut self) -> io::Result<()> {
        self.report(true)?;
        let Some(stream) = &mut self.fold.stream else { return Ok(()) };
        if self.jobs.is_empty() && stream.signed.elapsed() > SIGN_OF_LIFE {
            stream.signed = Instant::now();
            super::print(&mut self.output, &wire::busy())?;
        }
        Ok(())
    }

    fn is_next_ready(&mut self) -> io::Result<bool> {
        self.ask_ahead()?;
        let Fold { stream: Some(stream), waiting, pending, previous, .. } = &mut self.fold else {
            return Ok(false);
        };
        let is_settled = pending.is_empty() && waiting.is_none();
        let before = previous.as_ref().map(|previous| &previous.facts);
        let Some(next) = stream.queue.front() else {
            if stream.is_read && is_settled && !stream.is_ended {
                self.end_stream(None)?;
            }
            return Ok(false);
        };
        let waits = stream.observed.as_ref().is_some_and(Observed::waits);
        if waits || stream.is_ended || stream.mentions.is_none() || !stream.awaited.is_empty() {
            return Ok(false);
        }
        if let Some(part) = next.ledger.forged {
            let forged = wire::forged(next.file, next.ledger.facts.sequence, part);
            if is_settled {
                self.end_stream(Some(forged))?;
            }
            return Ok(false);
        }
        let facts = &next.ledger.facts;
        // The facts from before a gap are needed until the ledgers before it are finished.
        let is_gap = before.is_some_and(|before| !facts.follows(before));
        Ok(waiting.is_none()
            && (is_settled || !is_gap)
            && next.supplied.is_some()
            && pending.len() < MOST_UNFINISHED
            && !pending.contains_key(&facts.sequence))
    }

    fn end_stream(&mut self, forged: Option<serde_json::Value>) -> io::Result<()> {
        self.report(true)?;
        if let Some(stream) = &mut self.fold.stream {
            stream.is_ended = true;
        }
        super::print(&mut self.output, &wire::ended(forged))
    }

    /// Asks, once for each key, for what the caller makes of what later ledgers show, and of what
    /// nodes show if there are any.
    fn ask_ahead(&mut self) -> io::Result<()> {
        let Fold { stream: Some(stream), state, open, .. } = &mut self.fold else { return Ok(()) };
        let asks = open.asks;
        let Some(mentions) = stream.mentions.as_ref().filter(|each| asks || each.read_to > 0)
        else {
            return Ok(());
        };
        while stream.asked_ledgers < stream.queue.len().min(ASKED_AHEAD) {
            let at = stream.asked_ledgers;
            stream.asked_ledgers += 1;
            let ledger = &stream.queue[at].ledger;
            let sequence = ledger.facts.sequence;
            if asks && sequence < stream.count_from {
                continue;
            }
            let is_shown = |key: &Key| {
                asks || mentions.find(key).is_some_and(|mention| mention.ledger >= sequence)
            };
            let mut keys = unknown_keys(state, ledger, stream.observed.as_ref());
            keys.retain(|key| is_shown(key) && stream.asked.insert(key.clone()));
            if keys.is_empty() {
                continue;
            }
            let wanted: HashSet<&Key> = keys.iter().collect();
            let soroban = ledger.transactions.iter().flat_map(|each| &each.envelope.soroban);
            let named: Vec<Key> = soroban
                .flat_map(|each| &each.footprint)
                .filter(|key| wanted.contains(&key.key))
                .flat_map(|key| std::iter::once(&key.key).chain(&key.ttl_key).cloned())
                .collect();
            let mut later = wire::Later::new(mentions.read_to);
            for key in &named {
                if let Some(mention) = mentions.find(key).filter(|_| !stream.told.contains(key)) {
                    later.add(key, mention);
                    stream.told.insert(key.clone());
                }
            }
            let number = stream.taken + at as u64;
            let lacks = wire::lacks(number, &ledger.facts, &keys, later);
            stream.queue[at].supplied = None;
            super::print(&mut self.output, &lacks)?;
        }
        Ok(())
    }

    /// Tells the caller at once of a folded ledger of files that needs it. One without running
    /// transactions is finished otherwise.
    pub fn tell_early(&mut self, sequence: u32) -> io::Result<()> {
        let Some(pending) = self.fold.pending.get(&sequence) else { return Ok(()) };
        let Some(folded) = &pending.untold else { return Ok(()) };
        match (folded.is_plain(), pending.running) {
            (false, _) => self.tell(sequence),
            (true, 0) => self.settle(sequence),
            (true, _) => Ok(()),
        }
    }

    /// Counts a ledger of files whose transactions have run, or tells the caller what differs.
    pub fn settle(&mut self, sequence: u32) -> io::Result<()> {
        let Fold { pending: all, stream: Some(stream), .. } = &mut self.fold else { return Ok(()) };
        let Some(pending) = all.get_mut(&sequence) else { return Ok(()) };
        let Some(place) = pending.place.clone() else { return Ok(()) };
        if let Some(folded) = pending.untold.as_ref().filter(|_| pending.verdicts.are_equal()) {
            stream.counts(place.at.unwrap_or_default(), folded.counts(&pending.verdicts));
            all.remove(&sequence);
            return Ok(());
        }
        self.tell(sequence)?;
        let oldest = self.fold.oldest_pending().unwrap_or(place.shown.number);
        let Fold { pending: all, stream: Some(stream), .. } = &mut self.fold else { return Ok(()) };
        let Some(pending) = all.get_mut(&sequence) else { return Ok(()) };
        let ledger = pending.ledger.clone();
        let keys = keys_of_transactions(&ledger, pending.verdicts.differing());
        let are_equal = pending.verdicts.are_equal();
        let mut verdicts = pending.verdicts.take();
        if !are_equal {
            wire::place(&mut verdicts["verdicts"], &place, oldest, stream.later(keys.iter()));
        }
        super::print(&mut self.output, &verdicts)
    }

    /// Tells the caller of a folded ledger of files, if it was not told yet.
    fn tell(&mut self, sequence: u32) -> io::Result<()> {
        let oldest = self.fold.oldest_pending();
        let Fold { pending, stream: Some(stream), .. } = &mut self.fold else { return Ok(()) };
        let Some(pending) = pending.get_mut(&sequence) else { return Ok(()) };
        let (Some(place), Some(folded)) = (&pending.place, pending.untold.take()) else {
            return Ok(());
        };
        let at = place.at.unwrap_or_default();
        stream.tell(at);
        if place.is_left {
            stream.leaves(folded.opened());
        }
        if stream.is_received && folded.opened() > 0 {
            stream.awaited.insert(sequence);
        }
        let keys = keys_of_transactions(&pending.ledger, folded.orders());
        let has_open = folded.opened() > 0;
        let mut answer = serde_json::Value::from(folded);
        let told = &mut answer["folded"];
        told["at"] = at.into();
        told["file"] = place.shown.file.into();
        told["left"] = place.is_left.into();
        told["settings_of"] = pending.settings_of.into();
        told["header"] = wire::header(&pending.ledger.facts);
        if has_open {
            let oldest = oldest.unwrap_or(place.shown.number);
            wire::place(told, place, oldest, stream.later(keys.iter()));
        }
        super::print(&mut self.output, &answer)
    }

    fn fold_next(&mut self) -> io::Result<()> {
        let Some(stream) = &mut self.fold.stream else { return Ok(()) };
        let Some(Queued { ledger, file, kept, supplied, .. }) = stream.queue.pop_front() else {
            return Ok(());
        };
        let number = stream.taken;
        stream.taken += 1;
        stream.asked_ledgers = stream.asked_ledgers.saturating_sub(1);
        let is_early = ledger.facts.sequence < stream.count_from;
        let is_passed = is_early || stream.skip > 0;
        if !is_early {
            stream.skip = stream.skip.saturating_sub(1);
        }
        let at = (!is_passed).then_some(stream.counted);
        stream.counted += u64::from(!is_passed);
        let is_left = stream.left > 0;
        let ledger = Rc::new(*ledger);
        let is_sent = Cell::new(kept);
        let shown = Rc::new(Shown { number, file, ledger: ledger.clone(), is_sent });
        let previous = stream.last.replace(shown.clone());
        if let Some(at) = at {
            stream.expect(at);
        }
        let request = wire::Fold {
            run: !is_passed && !is_left,
            want: wire::Want::All(!is_passed && is_left),
            keys: vec![],
            put: supplied.unwrap_or_default(),
            gap: false,
            is_early,
        };
        self.enter_ledger(ledger, request, Some(Place { shown, previous, at, is_left }))
    }

    /// Reports ledgers that are finished, in their order. Without `now` only if they are many, or
    /// waited for long.
    fn report(&mut self, now: bool) -> io::Result<()> {
        let Some(stream) = &mut self.fold.stream else { return Ok(()) };
        while let Some(first) = stream.unreported.front() {
            let at = first.at;
            if first.is_told {
                if stream.group.ledgers > 0 {
                    super::print(&mut self.output, &stream.group.take())?;
                }
                stream.reported = Instant::now();
            } else if let Some(counts) = &first.counts {
                stream.group.add(at, counts);
            } else {
                break;
            }
            stream.unreported.pop_front();
        }
        let is_due =
            now || stream.group.ledgers >= COUNTED_TOGETHER || stream.reported.elapsed() > TICK;
        if stream.group.ledgers > 0 && is_due {
            stream.reported = Instant::now();
            super::print(&mut self.output, &stream.group.take())?;
        }
        Ok(())
    }
}
