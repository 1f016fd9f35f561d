// Follows values through vectors and bytes: what the contract put in and read out again, and the
// bytes of which a 256-bit number consists.

use super::{
    bits::is_raw,
    shadow::{HostCall, Id, Kind},
    term::Terms,
};
use crate::xdr_codec::xdr::ScVal;
use std::collections::HashSet;

/// The number of changes of a vector through which an element is followed.
const MOST_CHANGES: usize = 64;

impl Terms<'_> {
    /// Says whether a node is one of the bytes that the host wrote to memory.
    pub fn is_byte(&self, id: Id) -> bool {
        let node = self.node(id);
        node.kind == Kind::Unpacked && self.host_call(node).function.contains("copy")
    }

    /// The 256-bit number of which the node is a byte, and the byte's index from the highest.
    pub fn byte_of_number(&self, id: Id) -> Option<(Id, u32)> {
        if !matches!(self.node(id).kind, Kind::Host | Kind::Unpacked) {
            return None;
        }
        if let Some(known) = self.bytes.borrow().get(&id) {
            return *known;
        }
        let found = self.find_byte_of_number(id);
        self.bytes.borrow_mut().insert(id, found);
        found
    }

    fn find_byte_of_number(&self, id: Id) -> Option<(Id, u32)> {
        let first = |of: Option<&Id>| Some((self.constant_of(*of?)? >> 32) as u32);
        let node = self.node(id);
        let mut call = self.host_call(node);
        let mut at = match call.function {
            _ if self.is_byte(id) => node.b + first(call.arguments.get(1))?,
            "bytes_front" => 0,
            "bytes_get" => first(call.arguments.get(1))?,
            _ => return None,
        };
        // Code that walks through bytes removes them one by one.
        for _ in 0..40 {
            let of = self.original_node(*call.arguments.first()?);
            call = (self.node(of).kind == Kind::Host).then(|| self.host_call(self.node(of)))?;
            match call.function {
                "bytes_slice" => at += first(call.arguments.get(1))?,
                "u256_val_to_be_bytes" | "i256_val_to_be_bytes" => {
                    let number = self.original_node(*call.arguments.first()?);
                    return (at < 32).then_some((number, at));
                }
                _ => return None,
            }
        }
        None
    }

    /// The only host value of which the contract made the bytes.
    pub fn only_in_bytes(&self, bytes: Id) -> Option<Id> {
        let mut leaf = None;
        let mut open = vec![bytes];
        let mut seen = HashSet::new();
        while let Some(id) = open.pop() {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            self.step()?;
            match node.kind {
                Kind::Host if self.host_call(node).function.starts_with("bytes_") => {
                    let call = self.host_call(node);
                    open.extend(call.arguments.iter().chain(&call.read));
                }
                Kind::Host if is_raw(self.host_call(node).function) => {
                    open.extend(&self.host_call(node).arguments);
                }
                Kind::Older | Kind::Lost => return None,
                Kind::Argument | Kind::Host | Kind::Unpacked => {
                    if leaf.replace(id).is_some_and(|other| other != id) {
                        return None;
                    }
                }
                Kind::Select => open.extend([node.a, node.b, node.c]),
                Kind::Wide => open.extend(self.shadow.wides[node.c as usize].parts),
                _ => open.extend([node.a, node.b].into_iter().filter(|id| *id > 0)),
            }
        }
        leaf
    }

    /// The node that the contract put into a vector and that a call read out of it again. `None` if
    /// the vector came from elsewhere.
    pub fn element_put_in(&self, call: &HostCall) -> Option<Id> {
        let vector = *call.arguments.first()?;
        let index = match call.function {
            "vec_get" => (self.node(*call.arguments.get(1)?).value >> 32) as usize,
            "vec_front" => 0,
            "vec_back" => self.length_of(vector)?.checked_sub(1)?,
            _ => return None,
        };
        self.element_of(vector, index)
    }

    fn element_of(&self, mut vector: Id, mut index: usize) -> Option<Id> {
        for _ in 0..MOST_CHANGES {
            self.step()?;
            let node = self.node(self.original_node(vector));
            let call = (node.kind == Kind::Host).then(|| self.host_call(node))?;
            let argument = |at: usize| call.arguments.get(at).copied();
            let place = |at: usize| Some((self.node(argument(at)?).value >> 32) as usize);
            match call.function {
                "vec_new_from_linear_memory" => return call.read.get(index).copied(),
                "vec_push_back" if self.length_of(argument(0)?)? == index => return argument(1),
                "vec_push_front" if index == 0 => return argument(1),
                "vec_put" if place(1)? == index => return argument(2),
                "vec_push_front" => index -= 1,
                "vec_pop_front" => index += 1,
                "vec_slice" => index += place(1)?,
                "vec_push_back" | "vec_put" | "vec_pop_back" => {}
                _ => return None,
            }
            vector = argument(0)?;
        }
        None
    }

    fn length_of(&self, vector: Id) -> Option<usize> {
        match self.payload(self.node(vector).value)? {
            ScVal::Vec(Some(elements)) => Some(elements.len()),
            _ => None,
        }
    }
}
