// The terms in which a call's values are described, and what a description needs: the watched run,
// what the record has for its payloads, and how much may still be tried.

use super::shadow::{HostCall, Id, Kind, Node, Shadow};
use crate::{
    hosts::recorded::RecordedRun,
    stepping::{journal::Written, record::FrameRecord, track::Track},
    wire::why::Condition,
    xdr_codec::xdr::{Limits, ReadXdr, ScVal},
};
use std::{
    cell::{Cell, RefCell},
    collections::HashMap,
};

pub const MOST_STEPS: u32 = 200_000;

/// Looks up the XDR that the record has for a payload of the code.
pub type ValueOf<'a> = &'a RefCell<dyn FnMut(u64) -> Option<Vec<u8>> + 'a>;

/// Facts about a host call besides its arguments.
pub struct Called {
    /// The arguments as XDR.
    pub arguments: Vec<Option<Vec<u8>>>,
    /// The contract and the function that the host call called.
    pub contract: Option<String>,
    pub function: Option<String>,
    /// The write whose value it read.
    pub written: Written,
}

pub struct Terms<'a> {
    pub shadow: &'a Shadow,
    pub track: &'a Track,
    pub record: &'a FrameRecord,
    pub run: &'a RecordedRun,
    pub value_of: ValueOf<'a>,
    pub called: &'a dyn Fn(usize) -> Option<Called>,
    /// The remaining steps. Shared nodes are visited once for each path to them.
    pub left: Cell<u32>,
    /// The remaining instructions for runs with other values.
    pub instructions: Cell<u64>,
    /// The nesting of values of which a value is a part.
    pub within: Cell<u32>,
    /// The numbers whose bytes host values are, as far as they were looked up.
    pub bytes: RefCell<HashMap<Id, Option<(Id, u32)>>>,
    /// True while a number is described that the contract put into a vector.
    pub in_vector: Cell<bool>,
    /// True while a constant that was chosen is read as its number, because its reason is known.
    pub takes_chosen: Cell<bool>,
    /// What also held and may have decided. Only runs show that.
    pub others: RefCell<Vec<Condition>>,
}

impl<'a> Terms<'a> {
    pub fn node(&self, id: Id) -> &'a Node {
        self.shadow.get(id)
    }

    /// Takes a step. `None` if there were too many.
    pub fn step(&self) -> Option<()> {
        self.left.set(self.left.get().checked_sub(1)?);
        Some(())
    }

    pub fn host_call(&self, node: &Node) -> &'a HostCall {
        &self.shadow.host_calls[node.c as usize]
    }

    pub fn constant_of(&self, id: Id) -> Option<u64> {
        let node = self.node(id);
        node.constant.then_some(node.value)
    }

    /// The host call of this function whose result the node is.
    pub fn result_of(&self, id: Id, function: &str) -> Option<&'a HostCall> {
        let node = self.node(id);
        let call = (node.kind == Kind::Host).then(|| self.host_call(node))?;
        (call.function == function).then_some(call)
    }

    pub fn payload(&self, payload: u64) -> Option<ScVal> {
        let xdr = (self.value_of.borrow_mut())(payload)?;
        ScVal::from_xdr(&xdr, Limits { depth: 200, len: xdr.len() }).ok()
    }
}
