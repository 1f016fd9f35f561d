// Describes what a value is: what the contract was given, read or asked for, and from what it was
// computed.

use super::{
    bits::{is_raw, is_whole},
    number::{number_at, number_in, Number},
    shadow::{HostCall, Id, Kind, Node},
    term::Terms,
};
use crate::{
    stepping::journal::Written,
    wire::why::{Integer, Term, TermKind},
    xdr_codec::{
        encode, to_base64,
        xdr::{ScBytes, ScString, ScSymbol, ScVal},
    },
};
use std::collections::HashSet;

const MOST_PARTS: u32 = 8;
/// The number of nodes in which the values are sought from which a number was computed.
const MOST_SEEN: usize = 4_000;
/// The number of values from which a number is said to be computed.
const MOST_SOURCES: usize = 6;

impl Terms<'_> {
    /// A 128-bit number that was computed in a way that fits no rule: its value, and the values
    /// from which it was computed.
    pub fn unnamed(&self, lo: Id, hi: Id) -> Number {
        let value =
            ((u128::from(self.node(hi).value) << 64) | u128::from(self.node(lo).value)) as i128;
        let value = Integer::from(value);
        let of = self.leaves_of(vec![lo, hi]).unwrap_or_default();
        let term = Term { of, ..Term::of(TermKind::Computed) };
        Number { term: term.with_number(value), ..number_at(value) }
    }

    /// The host values from which nodes were computed. The last one is unnamed if there are more.
    /// `None` if one of them is unknown.
    fn leaves_of(&self, mut open: Vec<Id>) -> Option<Vec<Term>> {
        let (mut leaves, mut seen) = (vec![], HashSet::new());
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            if seen.len() > MOST_SEEN {
                return None;
            }
            match node.kind {
                Kind::Host if computes(self.host_call(node).function) => {
                    open.extend(&self.host_call(node).arguments);
                }
                Kind::Host | Kind::Unpacked if self.byte_of_number(id).is_some() => {
                    open.extend(self.byte_of_number(id).map(|(number, _)| number));
                }
                Kind::Host => match self.element_put_in(self.host_call(node)) {
                    Some(element) => open.push(element),
                    None => leaves.push(id),
                },
                Kind::Argument | Kind::Unpacked => leaves.push(id),
                Kind::Older | Kind::Lost => return None,
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                Kind::Select => open.push(self.chosen(node)),
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        leaves.sort_unstable();
        let mut seen = HashSet::new();
        let leaves = leaves.into_iter().map(|leaf| self.leaf(leaf));
        let is_new = |leaf: &Term| seen.insert(serde_json::to_string(leaf).unwrap_or_default());
        let mut sources: Vec<Term> = leaves.filter(is_new).collect();
        // Of many, those that a user chose are named.
        if sources.len() > MOST_SOURCES {
            sources.retain(of_argument);
            sources.truncate(MOST_SOURCES);
            sources.push(Term::of(TermKind::Unnamed));
        }
        Some(sources)
    }

    /// A host value, as the contract received it.
    pub fn leaf(&self, id: Id) -> Term {
        let node = self.node(id);
        let within = self.within.get();
        if within >= MOST_PARTS || self.step().is_none() {
            return Term::of(TermKind::Unnamed);
        }
        self.within.set(within + 1);
        let value = (self.value_of.borrow_mut())(node.value);
        let mut term = match node.kind {
            _ if node.constant => Term::of(TermKind::Constant),
            Kind::Argument => Term { index: Some(node.c), ..Term::of(TermKind::Argument) },
            Kind::Host => self.of_call(node),
            Kind::Unpacked => self.unpacked(node),
            _ => Term::of(TermKind::Unnamed),
        };
        self.within.set(within);
        let value = value.or_else(|| self.made_text(node));
        term.value_xdr = value.map(|xdr| to_base64(&xdr));
        term
    }

    /// A text in the contract's memory.
    fn made_text(&self, node: &Node) -> Option<Vec<u8>> {
        let call = (node.kind == Kind::Host && node.constant).then(|| self.host_call(node))?;
        let text = call.text.clone()?;
        let value = match call.function {
            "string_new_from_linear_memory" => ScVal::String(ScString(text.try_into().ok()?)),
            "symbol_new_from_linear_memory" => ScVal::Symbol(ScSymbol(text.try_into().ok()?)),
            "bytes_new_from_linear_memory" => ScVal::Bytes(ScBytes(text.try_into().ok()?)),
            _ => return None,
        };
        Some(encode(&value))
    }

    /// The value that the node passes on. It is unnamed if it was computed.
    pub fn term(&self, id: Id) -> Term {
        match self.bits(id).filter(is_whole) {
            Some(bits) => self.leaf(bits.leaf),
            None => self.leaf(id),
        }
    }

    /// The values of which a value was built, without constants.
    pub fn parts_of(&self, id: Option<Id>, depth: usize) -> Vec<Term> {
        let Some(id) = id.filter(|id| !self.node(*id).constant && depth < 4) else { return vec![] };
        let of = self.bits(id).filter(is_whole).map_or(id, |bits| bits.leaf);
        let node = self.node(of);
        if node.kind == Kind::Host {
            let call = self.host_call(node);
            let builds = call.function.contains("_new") || call.function.contains("_push_");
            if builds && !call.function.starts_with("prng") {
                let made_of = call.arguments.iter().chain(&call.read);
                return made_of.flat_map(|id| self.parts_of(Some(*id), depth + 1)).collect();
            }
        }
        vec![self.computed_term(of)]
    }

    /// The entry that a storage function was asked for.
    pub fn entry_of(&self, call: &HostCall) -> Option<Term> {
        let key = (self.called)(call.number)?.arguments.first()?.clone()?;
        let at = if call.function.starts_with("put_") { 2 } else { 1 };
        let durability = call.arguments.get(at)?;
        Some(Term {
            key_xdr: Some(to_base64(&key)),
            durability: Some(durability_of(self.node(*durability).value)),
            of: self.parts_of(call.arguments.first().copied(), 0),
            ..Term::of(TermKind::Entry)
        })
    }

    /// A value as it was given or computed. A value that was built has its parts.
    pub fn with_parts(&self, id: Id) -> Term {
        let term = self.computed_term(id);
        match term.kind {
            TermKind::Unnamed => Term { of: self.parts_of(Some(id), 0), ..term },
            _ => term,
        }
    }

    /// A host value, as it was given or as the code computed it.
    pub fn computed_term(&self, id: Id) -> Term {
        let passed_on = self.bits(id).filter(is_whole);
        let number = if passed_on.is_none() { self.encoded(id) } else { None };
        match number {
            Some(number) => {
                let xdr = (self.value_of.borrow_mut())(self.node(id).value);
                Term { value_xdr: xdr.map(|xdr| to_base64(&xdr)), ..number.term }
                    .with_number(number.value)
            }
            None if passed_on.is_none() => {
                self.computed_number(id).unwrap_or_else(|| self.term(id))
            }
            None => self.term(id),
        }
    }

    /// A number that was computed in a way that fits no rule, with the values from which it was
    /// computed.
    pub fn computed_number(&self, id: Id) -> Option<Term> {
        let value = number_in(&self.payload(self.node(id).value)?)?;
        let of = self.leaves_of(vec![id])?;
        let xdr = (self.value_of.borrow_mut())(self.node(id).value)?;
        let term = Term { of, value_xdr: Some(to_base64(&xdr)), ..Term::of(TermKind::Computed) };
        Some(term.with_number(value))
    }

    fn unpacked(&self, node: &Node) -> Term {
        let call = self.host_call(node);
        let parent = call.arguments.first().map(|of| self.term(*of));
        let of = parent.into_iter().collect();
        match call.function {
            "vec_unpack_to_linear_memory" => {
                Term { index: Some(node.b), of, ..Term::of(TermKind::Element) }
            }
            "map_unpack_to_linear_memory" | "sparse_map_unpack_to_linear_memory" => {
                let name = call.names.get(node.b as usize).cloned();
                Term { name, of, ..Term::of(TermKind::Field) }
            }
            "bytes_copy_to_linear_memory" | "string_copy_to_linear_memory" => {
                let first =
                    call.arguments.get(1).map_or(0, |id| (self.node(*id).value >> 32) as u32);
                Term { index: Some(first + node.b), of, ..Term::of(TermKind::Element) }
            }
            _ => Term::of(TermKind::Unnamed),
        }
    }

    fn of_call(&self, node: &Node) -> Term {
        let call = self.host_call(node);
        let known = (self.called)(call.number);
        let argument = |at: usize| call.arguments.get(at).map(|id| self.term(*id));
        let xdr = |at: usize| {
            let known = known.as_ref()?.arguments.get(at)?.clone();
            known.map(|xdr| to_base64(&xdr))
        };
        let first =
            |kind: TermKind| Term { of: argument(0).into_iter().collect(), ..Term::of(kind) };
        let ledger = |name: &str| Term { name: Some(name.into()), ..Term::of(TermKind::Ledger) };
        match call.function {
            "get_contract_data" | "has_contract_data" => {
                let written = match known.as_ref().map(|known| known.written) {
                    Some(Written::Before) => false,
                    Some(Written::By(..)) => true,
                    // The writer of the value cannot be determined.
                    Some(Written::Unknown) | None => return Term::of(TermKind::Unnamed),
                };
                let kind = match (call.function, written) {
                    ("get_contract_data", false) => TermKind::Storage,
                    ("get_contract_data", true) => TermKind::Written,
                    _ => TermKind::Entry,
                };
                let durability = self.node(*call.arguments.last().unwrap_or(&0)).value;
                Term {
                    key_xdr: xdr(0),
                    durability: Some(durability_of(durability)),
                    written: written.then_some(true),
                    call: Some(call.number),
                    of: self.parts_of(call.arguments.first().copied(), 0),
                    ..Term::of(kind)
                }
            }
            "get_ledger_timestamp" => ledger("time"),
            "get_ledger_sequence" => ledger("sequence"),
            "get_ledger_version" => ledger("protocol"),
            "get_max_live_until_ledger" => ledger("max_live_until"),
            "get_ledger_network_id" => ledger("network"),
            "get_current_contract_address" => Term::of(TermKind::Contract),
            "call" | "try_call" => Term {
                contract: known.as_ref().and_then(|known| known.contract.clone()),
                name: known.and_then(|known| known.function),
                call: Some(call.number),
                ..Term::of(TermKind::Result)
            },
            "vec_len" | "bytes_len" | "map_len" | "string_len" | "symbol_len" => {
                first(TermKind::Length)
            }
            "vec_get" | "vec_front" | "vec_back" | "bytes_get" | "bytes_front" | "bytes_back" => {
                let index = match call.function {
                    "vec_get" | "bytes_get" => {
                        call.arguments.get(1).map(|id| (self.node(*id).value >> 32) as u32)
                    }
                    "vec_front" | "bytes_front" => Some(0),
                    _ => None,
                };
                match index {
                    Some(_) => Term { index, ..first(TermKind::Element) },
                    None => Term { name: Some("last".into()), ..first(TermKind::Element) },
                }
            }
            "bytes_slice" | "vec_slice" => {
                let bounds = [1, 2]
                    .map(|at| call.arguments.get(at).map_or(0, |id| self.node(*id).value >> 32));
                let [from, to] = bounds;
                Term { name: Some(format!("{from}..{to}")), ..first(TermKind::Element) }
            }
            "compute_hash_sha256" | "compute_hash_keccak256" => {
                let name = call.function.trim_start_matches("compute_hash_");
                Term { name: Some(name.into()), ..first(TermKind::Computed) }
            }
            "map_get" => Term { key_xdr: xdr(1), ..first(TermKind::Field) },
            "map_val_by_pos" => {
                let of = call.arguments.first().and_then(|id| self.payload(self.node(*id).value));
                let at = call.arguments.get(1).map(|id| (self.node(*id).value >> 32) as usize);
                let key = match (of, at) {
                    (Some(ScVal::Map(Some(entries))), Some(at)) => {
                        entries.get(at).map(|entry| encode(&entry.key))
                    }
                    _ => None,
                };
                Term { key_xdr: key.map(|xdr| to_base64(&xdr)), ..first(TermKind::Field) }
            }
            // Says whether a vector has an element.
            "vec_first_index_of" | "vec_binary_search" => Term {
                key_xdr: xdr(1),
                name: Some("element".into()),
                of: argument(0)
                    .into_iter()
                    .chain(self.parts_of(call.arguments.get(1).copied(), 0))
                    .collect(),
                ..Term::of(TermKind::Key)
            },
            "map_has" => Term {
                key_xdr: xdr(1),
                of: argument(0)
                    .into_iter()
                    .chain(self.parts_of(call.arguments.get(1).copied(), 0))
                    .collect(),
                ..Term::of(TermKind::Key)
            },
            name if name.starts_with("prng_") => Term::of(TermKind::Random),
            _ => Term::of(TermKind::Unnamed),
        }
    }
}

/// Says whether a value is an argument, or a part of one.
fn of_argument(term: &Term) -> bool {
    match term.kind {
        TermKind::Argument => true,
        TermKind::Element | TermKind::Field => term.of.first().is_some_and(of_argument),
        _ => false,
    }
}

/// Says whether a host function computes its result from the numbers in its arguments.
fn computes(function: &str) -> bool {
    let wide = function.starts_with("u256_") || function.starts_with("i256_");
    let raw = is_raw(function) && !function.starts_with("prng_");
    raw || wide || function.contains("obj_from_")
}

fn durability_of(storage_type: u64) -> &'static str {
    match storage_type {
        0 => "temporary",
        1 => "persistent",
        _ => "instance",
    }
}
