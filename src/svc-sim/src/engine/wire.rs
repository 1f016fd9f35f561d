// The messages of the engine; README.md, "The ledger engine", describes them.

use super::{
    changes::{ttl_key, Key},
    files::Unread,
    judge::{Decided, KeyState},
    ledger::{Facts, FootprintKey, Ledger},
    mentions::{Before, Mention},
    rehearsal::BothRuns,
    state::{Entry, Knowledge, Mismatch, NodeClaim, Row, State, StateFacts, Value},
    stream::{Place, Shown},
};
use crate::xdr_codec::{decode, encode, from_base64, from_hex32, hex, to_base64, xdr::LedgerEntry};
use serde::{Deserialize, Deserializer};
use serde_json::{json, Value as Json};
use std::{collections::BTreeMap, sync::Arc};

/// Bytes that are base64 in JSON.
#[derive(Clone)]
pub struct Xdr(pub Vec<u8>);

impl<'de> Deserialize<'de> for Xdr {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        from_base64(&text, "XDR").map(Xdr).map_err(|e| serde::de::Error::custom(e.message))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    Open(Open),
    Resume {
        facts: FactsMessage,
        last: bool,
    },
    Keep {
        rows: Vec<RowMessage>,
    },
    Ledger {
        bytes: usize,
        /// A ledger with a number is only checked, and kept until it is taken or dropped.
        #[serde(default)]
        number: Option<u64>,
    },
    Fold(Fold),
    Settings(Option<SettingsMessage>),
    Put {
        sequence: u32,
        entries: Vec<EntryMessage>,
    },
    Run(Run),
    Done {
        sequence: u32,
    },
    Files(FilesMessage),
    Received(ReceivedMessage),
    /// The next ledger of those that the caller received.
    Take {
        number: u64,
        /// True if the states that it shows before its changes held since the stream began.
        shows: bool,
        /// True if the caller keeps its bytes.
        kept: bool,
    },
    Drop {
        number: u64,
    },
    /// The ledgers that were taken show what is known of later ledgers. With `last`, no ledger
    /// follows.
    Begin {
        last: bool,
    },
    /// The answer to `lacks`.
    Supplied {
        number: u64,
        entries: Vec<EntryMessage>,
    },
    /// The caller judges the next transactions of files without a digest.
    Leave {
        transactions: usize,
    },
}

#[derive(Deserialize)]
pub struct FilesMessage {
    pub paths: Vec<String>,
    /// Ledgers before this one are not read.
    pub fold_from: u32,
    /// Ledgers before this one are folded and not counted.
    pub count_from: u32,
    /// The number of ledgers, from `count_from` on, that were counted before.
    pub skip: usize,
    /// True for a stream from genesis, of which only settings are unknown.
    pub settings_only: bool,
    /// The files whose ledgers may show what was before them. `None` for the same.
    #[serde(default)]
    pub mentioned_in: Option<Vec<String>>,
    #[serde(default)]
    pub observe: Option<Observe>,
}

/// The transactions that the caller observes.
#[derive(Deserialize)]
pub struct Observe {
    /// LedgerKeys of contracts' instances: a transaction with one of them is observed.
    pub keys: Vec<Xdr>,
    /// True if a transaction is also observed that uses what an observed one before it may change.
    pub grows: bool,
    /// The hashes of the transactions that can be observed. `None` for all.
    pub only: Option<Vec<HashMessage>>,
    /// True if the engine runs them with new code too, as soon as the caller has named it. Else the
    /// caller gets the evidence of each.
    pub again: bool,
}

/// A hash that is hexadecimal in JSON.
pub struct HashMessage(pub [u8; 32]);

impl<'de> Deserialize<'de> for HashMessage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        from_hex32(&text, "hash")
            .map(HashMessage)
            .map_err(|error| serde::de::Error::custom(error.message))
    }
}

#[derive(Deserialize)]
pub struct ReceivedMessage {
    /// The same as in `FilesMessage`.
    pub count_from: u32,
    pub skip: usize,
    #[serde(default)]
    pub observe: Option<Observe>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub struct Open {
    pub network_passphrase: String,
    /// LedgerEntry of the only account in a stream that begins with genesis.
    pub genesis: Option<Xdr>,
    pub maximum_bytes: usize,
    pub keeps_recent: bool,
    pub keeps_rows: bool,
    /// True if the answer to a ledger lists the keys that no ledger has shown yet.
    pub asks: bool,
    pub hosts: usize,
}

#[derive(Deserialize)]
pub struct Fold {
    pub run: bool,
    #[serde(default)]
    pub want: Want,
    /// Keys whose state the caller wants with each of those transactions, after the footprint's.
    #[serde(default)]
    pub keys: Vec<KeyWanted>,
    /// The states of keys just before the ledger, from other sources than the ledgers.
    #[serde(default)]
    pub put: Vec<EntryMessage>,
    /// True if the ledger does not follow the one before.
    #[serde(skip)]
    pub gap: bool,
    /// True if the ledger is before the first one that counts, so that it is only folded.
    #[serde(skip)]
    pub is_early: bool,
}

pub struct KeyWanted(pub FootprintKey);

impl<'de> Deserialize<'de> for KeyWanted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Xdr(bytes) = Xdr::deserialize(deserializer)?;
        let key = decode(&bytes, "key").map_err(|e| serde::de::Error::custom(e.message))?;
        Ok(KeyWanted(FootprintKey::of(&key, true, false)))
    }
}

/// The transactions, from 1, whose evidence the caller always wants.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Want {
    All(bool),
    These(Vec<usize>),
}

impl Default for Want {
    fn default() -> Self {
        Want::All(false)
    }
}

impl Want {
    pub fn has(&self, order: usize) -> bool {
        match self {
            Want::All(all) => *all,
            Want::These(orders) => orders.contains(&order),
        }
    }

    pub fn is_nothing(&self) -> bool {
        match self {
            Want::All(all) => !all,
            Want::These(orders) => orders.is_empty(),
        }
    }
}

#[derive(Deserialize)]
pub struct FactsMessage {
    first_ledger: u32,
    young_since: u32,
    generation: u64,
    complete: bool,
}

impl From<FactsMessage> for StateFacts {
    fn from(message: FactsMessage) -> StateFacts {
        let FactsMessage { first_ledger, young_since, generation, complete } = message;
        StateFacts { first_ledger, young_since, generation, complete }
    }
}

/// A letter and a key, as an answer's rows have them.
#[derive(Deserialize)]
pub struct RowMessage {
    key: String,
    value: Json,
    generation: u64,
}

impl RowMessage {
    pub fn keep(self, state: &mut State) {
        let generation = self.generation;
        if let Some((key, row)) = self.parts() {
            state.keep(key, row, generation);
        }
    }

    /// The letter, the key and the row. `None` if the letter is unknown.
    fn parts(self) -> Option<(Key, Row)> {
        let bytes = |text: &str| from_base64(text, "row").unwrap_or_default();
        let (letter, key) = self.key.split_at_checked(1)?;
        let entry = self.value.as_str().map(|text| Arc::from(bytes(text)));
        let row = match letter {
            "e" => Row::Entry(entry),
            "a" => entry.map_or(Row::Gone, Row::Archived),
            _ => Row::LiveUntil(self.value.as_u64().map(|ledger| ledger as u32)),
        };
        Some((bytes(key).into(), row))
    }
}

#[derive(Deserialize)]
pub struct SettingsMessage {
    entries: Vec<Xdr>,
    rent_fee: Option<String>,
    unconfirmed: bool,
}

impl From<SettingsMessage> for super::hosts::Settings {
    fn from(message: SettingsMessage) -> Self {
        super::hosts::Settings {
            entries: message.entries.into_iter().map(|xdr| xdr.0).collect(),
            rent_fee: message.rent_fee.and_then(|fee| fee.parse().ok()),
            unconfirmed: message.unconfirmed,
        }
    }
}

#[derive(Deserialize)]
pub struct EntryMessage {
    pub key: Xdr,
    pub entry: Option<Xdr>,
    /// The TTL alone, if a ledger has shown the entry.
    #[serde(default)]
    ttl_only: bool,
    live_until: Option<u32>,
    provisional: bool,
    bounded: bool,
    unconfirmed: bool,
    /// The smallest possible entry, if its absence is assumed.
    #[serde(default)]
    least: Option<Xdr>,
}

impl EntryMessage {
    /// Adds the entry to the state. The same entry is shared if it was supplied before.
    pub fn add_to(self, state: &mut State) -> Option<Entry> {
        let key = Key::from(self.key.0);
        let known = state.claimed_entry(&key).and_then(|claim| claim.value.clone());
        let entry = match (known, self.entry) {
            (Some(known), Some(xdr)) if *known == *xdr.0 => Some(known),
            (_, xdr) => xdr.map(|xdr| Arc::from(xdr.0)),
        };
        let EntryMessage { provisional, bounded, unconfirmed, .. } = self;
        let claim = NodeClaim { value: None, unconfirmed, provisional, bounded, least: None };
        let ttl = self.live_until.map(|ledger| NodeClaim { value: Some(ledger), ..claim });
        if self.ttl_only {
            ttl.into_iter().for_each(|ttl| state.add_ttl_claim(ttl_key(&key), ttl));
        } else {
            let least = self.least.map(|xdr| Arc::from(xdr.0));
            let value = entry.clone();
            let claim = NodeClaim { value, unconfirmed, provisional: false, bounded: false, least };
            state.add_claim(key, claim, ttl);
        }
        entry
    }
}

#[derive(Deserialize)]
pub struct Run {
    pub sequence: u32,
    pub order: usize,
    /// The keys of the footprint, in its order.
    keys: Vec<KeyMessage>,
    /// A second run with other code of contracts.
    #[serde(default)]
    pub again: Option<Again>,
}

#[derive(Deserialize)]
pub struct Again {
    /// LedgerEntries of code that was not sent before, by number.
    pub define: Vec<(u64, Xdr)>,
    /// The LedgerKeys of instances, with the number of their new code.
    pub code: Vec<(Xdr, u64)>,
    /// The LedgerKeys of instances whose new code is the former code.
    pub keeps: Vec<Xdr>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct KeyMessage {
    /// Absent if the value is that of the fold, or the one that was supplied for this ledger.
    #[serde(deserialize_with = "present")]
    entry: Option<Option<Xdr>>,
    live_until: Option<u32>,
    archived: bool,
    code_cached: Option<bool>,
    restored_earlier: bool,
    provisional: bool,
    bounded: bool,
    unconfirmed: bool,
    absent_by_node: bool,
    least: Option<Xdr>,
}

fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<Xdr>>, D::Error> {
    Option::<Xdr>::deserialize(deserializer).map(Some)
}

impl Run {
    /// The caller's decisions. `shown` has the entries that it supplied for this ledger. `None` if a
    /// key is not known.
    pub fn decided(
        self,
        footprint: &[FootprintKey],
        keys: &[KeyState],
        shown: impl Fn(&Key) -> Option<Option<Entry>>,
    ) -> Option<Vec<Decided>> {
        let known = |key: &FootprintKey, state: &KeyState| match (&state.archived, &state.entry) {
            (Some(archived), _) => Some(Some(archived.clone())),
            (None, Knowledge::Known(entry)) => Some(entry.clone()),
            (None, Knowledge::Unknown) => shown(&key.key),
        };
        let each = |(message, (key, state)): (KeyMessage, (&FootprintKey, &KeyState))| {
            Some(Decided {
                entry: match message.entry {
                    Some(entry) => entry.map(|xdr| Arc::from(xdr.0)),
                    None => known(key, state)?,
                },
                live_until: message.live_until,
                archived: message.archived,
                code_cached: message.code_cached,
                restored_earlier: message.restored_earlier,
                provisional: message.provisional,
                bounded: message.bounded,
                unconfirmed: message.unconfirmed,
                absent_by_node: message.absent_by_node,
                least: message.least.map(|xdr| Arc::from(xdr.0)),
            })
        };
        if self.keys.len() != footprint.len() || keys.len() < footprint.len() {
            return None;
        }
        self.keys.into_iter().zip(footprint.iter().zip(keys)).map(each).collect()
    }
}

/// Decodes a LedgerEntry, together with its key.
pub fn keyed_entry(bytes: &[u8]) -> Option<(Key, LedgerEntry)> {
    let entry: LedgerEntry = decode(bytes, "entry").ok()?;
    Some((encode(&entry.to_key()).into(), entry))
}

pub fn unreadable(problem: &str) -> Json {
    json!({ "unreadable": problem })
}

pub fn read(ledger: &Ledger, unknown: &[Key]) -> Json {
    let keys: Vec<String> = unknown.iter().map(|key| to_base64(key)).collect();
    json!({ "read": {
        "sequence": ledger.facts.sequence,
        "hash": hex(&ledger.facts.hash),
        "protocol_version": ledger.facts.protocol_version,
        "close_time_unix_seconds": ledger.facts.close_time_unix_seconds.to_string(),
        "forged": ledger.forged,
        "unknown_keys": keys,
    } })
}

fn text(entry: &Option<Entry>) -> Json {
    entry.as_ref().map_or(Json::Null, |entry| to_base64(entry).into())
}

pub fn settings(gap: bool, facts: &StateFacts, entries: &[(Key, Option<Entry>)]) -> Json {
    let entries: serde_json::Map<_, _> =
        entries.iter().map(|(key, entry)| (to_base64(key), text(entry))).collect();
    json!({ "settings": { "gap": gap, "facts": facts_of(facts), "entries": entries } })
}

/// The facts that ledgers show about keys when they first mention them.
pub struct Later {
    read_to: u32,
    rows: Vec<Json>,
}

impl Later {
    pub fn new(read_to: u32) -> Later {
        Later { read_to, rows: vec![] }
    }

    pub fn add(&mut self, key: &Key, mention: &Mention) {
        let (kind, entry, live_until) = match &mention.before {
            Before::Entry { entry, live_until } => ("entry", text(entry), *live_until),
            Before::Absent => ("absent", Json::Null, None),
            Before::Archived { entry } => ("archived", text(entry), None),
            Before::Evicted => ("evicted", Json::Null, None),
            Before::Unclear => ("unclear", Json::Null, None),
        };
        let (key, ledger) = (to_base64(key), mention.ledger);
        self.rows.push(json!({
            "key": key, "ledger": ledger, "kind": kind, "entry": entry, "live_until": live_until,
        }));
    }
}

impl From<Later> for Json {
    fn from(Later { read_to, rows }: Later) -> Json {
        json!({ "read_to": read_to, "rows": rows })
    }
}

/// Adds a ledger's place, what is known of later ledgers, and the bytes that the caller lacks.
/// `oldest` is the number of the first ledger that a later answer can need.
pub fn place(answer: &mut Json, place: &Place, oldest: u64, later: Later) {
    let bytes = |shown: &Shown| match shown.is_sent.replace(true) {
        true => Json::Null,
        false => to_base64(&shown.ledger.bytes).into(),
    };
    let previous = place
        .previous
        .as_ref()
        .map(|shown| json!({ "number": shown.number, "ledger": bytes(shown) }));
    let shown = &place.shown;
    answer["place"] = json!({
        "number": shown.number,
        "file": shown.file,
        "sequence": shown.ledger.facts.sequence,
        "ledger": bytes(shown),
        "previous": previous,
        "later": Json::from(later),
        "oldest": oldest,
    });
}

/// The facts of a ledger that are in its header.
pub fn header(facts: &Facts) -> Json {
    json!({
        "sequence": facts.sequence,
        "hash": hex(&facts.hash),
        "protocol_version": facts.protocol_version,
        "close_time_unix_seconds": facts.close_time_unix_seconds.to_string(),
        "forged": Json::Null,
        "unknown_keys": [],
    })
}

/// Asks for what the caller makes of what later ledgers show of keys.
pub fn lacks(number: u64, facts: &Facts, keys: &[Key], later: Later) -> Json {
    let keys: Vec<String> = keys.iter().map(|key| to_base64(key)).collect();
    json!({ "lacks": {
        "number": number,
        "sequence": facts.sequence,
        "protocol_version": facts.protocol_version,
        "keys": keys,
        "later": Json::from(later),
    } })
}

pub fn unread(Unread { file, next, is_last, problem }: &Unread) -> Json {
    json!({ "unread": { "file": file, "next": next, "last": is_last, "problem": problem } })
}

pub fn forged(file: usize, sequence: u32, part: &str) -> Json {
    json!({ "file": file, "sequence": sequence, "part": part })
}

/// The end of a stream of files. After a forged ledger nothing is read.
pub fn ended(forged: Option<Json>) -> Json {
    json!({ "ended": { "forged": forged } })
}

/// The counts of one ledger whose transactions are as the chain recorded them.
#[derive(Clone, Copy)]
pub struct Counts {
    pub protocol: u32,
    pub equal: usize,
    pub unconfirmed: usize,
    pub classic: usize,
    pub refused: usize,
}

/// The counts of consecutive ledgers.
#[derive(Default)]
pub struct Counted {
    /// The place of the first.
    from: u64,
    pub ledgers: usize,
    /// The number of equal transactions, by the protocol in which they ran.
    equal: BTreeMap<u32, usize>,
    unconfirmed: usize,
    classic: usize,
    refused: usize,
}

impl Counted {
    pub fn add(&mut self, at: u64, counts: &Counts) {
        if self.ledgers == 0 {
            self.from = at;
        }
        self.ledgers += 1;
        if counts.equal > 0 {
            *self.equal.entry(counts.protocol).or_default() += counts.equal;
        }
        self.unconfirmed += counts.unconfirmed;
        self.classic += counts.classic;
        self.refused += counts.refused;
    }

    pub fn take(&mut self) -> Json {
        let Counted { from, ledgers, equal, unconfirmed, classic, refused } = std::mem::take(self);
        json!({ "counted": {
            "from": from,
            "ledgers": ledgers,
            "equal": equal,
            "unconfirmed": unconfirmed,
            "classic": classic,
            "refused": refused,
        } })
    }
}

pub fn busy() -> Json {
    json!({ "busy": true })
}

pub fn ran(
    sequence: u32,
    order: usize,
    equal: bool,
    broken: bool,
    both: Option<&BothRuns>,
) -> Json {
    let mut ran = json!({ "sequence": sequence, "order": order, "equal": equal, "broken": broken });
    if let Some(both) = both {
        ran["again"] = again(both);
    }
    json!({ "ran": ran })
}

/// What both runs of a transaction show.
pub fn again(both: &BothRuns) -> Json {
    let reached: Vec<_> = both
        .reached()
        .iter()
        .map(|each| json!([each.contract, each.function, each.nested]))
        .collect();
    let same = both.costs_of_same();
    let costs = same.flatten().map(|runs| runs.map(|costs| costs.map(|cost| cost.to_string())));
    json!({ "reached": reached, "same": same.is_some(), "costs": costs })
}

/// The fold's knowledge of a transaction's footprint, in the footprint's order.
fn evidence(order: usize, keys: &[KeyState]) -> Json {
    let keys = keys.iter().map(|state| {
        let mut row = serde_json::Map::new();
        if let Knowledge::Known(entry) = &state.entry {
            row.insert("entry".into(), text(entry));
        }
        if let Knowledge::Known(ledger) = &state.live_until {
            row.insert("live_until".into(), json!(ledger));
        }
        if state.archived.is_some() {
            row.insert("archived".into(), text(&state.archived));
        }
        let flags = [
            ("changed", state.changed),
            ("ttl_changed", state.ttl_changed),
            ("restored", state.restored),
            ("new_code", state.new_code),
            ("revived_code", state.revived_code),
        ];
        let flags = flags.into_iter().filter(|(_, flag)| *flag);
        row.extend(flags.map(|(name, _)| (name.into(), true.into())));
        Json::Object(row)
    });
    json!({ "order": order, "keys": keys.collect::<Vec<_>>() })
}

pub struct Folded {
    sequence: u32,
    protocol: u32,
    gap: bool,
    facts: Json,
    pub soroban: usize,
    pub refused: usize,
    pub classic: usize,
    pub running: usize,
    /// The number of transactions that ran and that the caller does not observe.
    pub unobserved: usize,
    open: Vec<Json>,
    mismatches: Vec<Json>,
    rows: Json,
}

impl Folded {
    /// True if nothing of the ledger needs the caller so far.
    pub fn is_plain(&self) -> bool {
        self.open.is_empty() && self.mismatches.is_empty()
    }

    pub fn opened(&self) -> usize {
        self.open.len()
    }

    pub fn counts(&self, verdicts: &Verdicts) -> Counts {
        Counts {
            protocol: self.protocol,
            equal: verdicts.equal,
            unconfirmed: verdicts.unconfirmed,
            classic: self.classic,
            refused: self.refused,
        }
    }
}

fn facts_of(facts: &StateFacts) -> Json {
    json!({
        "first_ledger": facts.first_ledger,
        "young_since": facts.young_since,
        "generation": facts.generation,
        "complete": facts.complete,
    })
}

impl Folded {
    /// The positions, from 1, of the open transactions.
    pub fn orders(&self) -> impl Iterator<Item = usize> + '_ {
        self.open.iter().filter_map(|each| each["order"].as_u64()).map(|order| order as usize)
    }

    pub fn new(sequence: u32, protocol: u32, gap: bool, facts: &StateFacts) -> Folded {
        Folded {
            sequence,
            protocol,
            gap,
            facts: facts_of(facts),
            soroban: 0,
            refused: 0,
            classic: 0,
            running: 0,
            unobserved: 0,
            open: vec![],
            mismatches: vec![],
            rows: Json::Null,
        }
    }

    pub fn open(&mut self, order: usize, keys: &[KeyState]) {
        self.open.push(evidence(order, keys));
    }

    pub fn mismatches(&mut self, mismatches: &[Mismatch]) {
        let value = |value: &Option<Value>| match value {
            None => Json::Null,
            Some(Value::Entry(entry)) => to_base64(entry).into(),
            Some(Value::LiveUntil(ledger)) => ledger.to_string().into(),
        };
        self.mismatches = mismatches
            .iter()
            .map(|each| {
                let kind = if each.restored { "restored" } else { "state" };
                let (folded, on_chain) = (value(&each.folded), value(&each.on_chain));
                let key = to_base64(&each.key);
                json!({ "kind": kind, "key": key, "folded": folded, "on_chain": on_chain })
            })
            .collect();
    }

    /// Adds the rows that were learnt or used since the last ledger.
    pub fn rows(&mut self, state: &mut State) {
        let (reset, rows) = state.take_rows();
        let rows = rows.into_iter().map(|(letter, key, row)| {
            let key = format!("{letter}{}", to_base64(&key));
            match row {
                Row::Gone => json!([key]),
                Row::Entry(entry) => json!([key, text(&entry)]),
                Row::LiveUntil(ledger) => json!([key, ledger]),
                Row::Archived(entry) => json!([key, to_base64(&entry)]),
            }
        });
        let rows: Vec<_> = rows.collect();
        self.rows = json!({ "reset": reset, "facts": facts_of(&state.facts), "rows": rows });
    }
}

impl From<Folded> for Json {
    fn from(folded: Folded) -> Json {
        json!({ "folded": {
            "sequence": folded.sequence,
            "protocol_version": folded.protocol,
            "gap": folded.gap,
            "facts": folded.facts,
            "soroban": folded.soroban,
            "refused": folded.refused,
            "classic": folded.classic,
            "running": folded.running,
            "unobserved": folded.unobserved,
            "open": folded.open,
            "mismatches": folded.mismatches,
            "rows": folded.rows,
        } })
    }
}

/// The verdicts on transactions that the engine ran without being asked.
pub struct Verdicts {
    sequence: u32,
    pub equal: usize,
    pub unconfirmed: usize,
    /// The number of transactions whose runs ended without a result.
    pub broken: usize,
    differ: Vec<Json>,
    /// The evidence of equal transactions that do something else with new code.
    changed: Vec<Json>,
}

impl Verdicts {
    pub fn new(sequence: u32) -> Verdicts {
        let (equal, unconfirmed, broken) = (0, 0, 0);
        Verdicts { sequence, equal, unconfirmed, broken, differ: vec![], changed: vec![] }
    }

    /// True if the caller needs the evidence of no transaction.
    pub fn are_equal(&self) -> bool {
        self.differ.is_empty() && self.changed.is_empty()
    }

    /// The positions, from 1, of the transactions whose evidence the caller gets.
    pub fn differing(&self) -> impl Iterator<Item = usize> + '_ {
        let all = self.differ.iter().chain(&self.changed);
        all.filter_map(|each| each["order"].as_u64()).map(|order| order as usize)
    }

    pub fn differs(&mut self, order: usize, keys: &[KeyState]) {
        self.differ.push(evidence(order, keys));
    }

    pub fn changes(&mut self, order: usize, keys: &[KeyState]) {
        self.changed.push(evidence(order, keys));
    }

    pub fn take(&mut self) -> Json {
        json!({ "verdicts": {
            "sequence": self.sequence,
            "equal": self.equal,
            "unconfirmed": self.unconfirmed,
            "broken": self.broken,
            "differ": std::mem::take(&mut self.differ),
            "changed": std::mem::take(&mut self.changed),
        } })
    }
}
