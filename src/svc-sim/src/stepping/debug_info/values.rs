// The values of variables, by type: numbers, structures, enums, references, arrays and strings.

use super::{
    location::number,
    registers::{Contents, Registers},
    types::{Member, Variant, MAX_BYTES},
    DebugInfo, Die,
};

const MAX_NODES: usize = 4000;
const MAX_LEVELS: usize = 8;
const MAX_ELEMENTS: u64 = 256;

/// A variable, or a part of the last node with a smaller depth.
pub struct Node {
    pub depth: usize,
    pub name: String,
    pub of_type: String,
    /// A number or a string. For a value with parts, the name of its type. `None` if it is unknown.
    pub value: Option<String>,
    /// The payload, if the value is in the host's encoding.
    pub payload: Option<u64>,
    /// The address in memory.
    pub address: Option<u32>,
}

pub struct Reading<'a, 'd> {
    info: &'a DebugInfo<'d>,
    registers: Registers<'a>,
    nodes: Vec<Node>,
}

impl<'a, 'd> Reading<'a, 'd> {
    /// The variables of a function at `address`. `inlined` counts inlined functions from the
    /// innermost, which is 0.
    pub fn variables(
        info: &'a DebugInfo<'d>,
        address: u32,
        inlined: usize,
        registers: Registers<'a>,
    ) -> Vec<Node> {
        let mut reading = Reading { info, registers, nodes: vec![] };
        let (variables, function) = info.variables(address, inlined).unwrap_or_default();
        for die in variables {
            let Some(name) = info.name(die) else { continue };
            let of_type = info.type_of(die);
            let size = of_type.map_or(0, |of_type| info.size(of_type));
            let contents = match function {
                Some(function) => info.contents((die, function), address, size, &reading.registers),
                None => Contents::unknown(size),
            };
            reading.add(0, name, of_type, contents);
        }
        reading.nodes
    }

    fn add(&mut self, depth: usize, name: String, of_type: Option<Die>, contents: Contents) {
        if self.nodes.len() >= MAX_NODES {
            return;
        }
        let type_name = of_type.map_or(String::new(), |of_type| self.info.type_name(of_type));
        let at = self.nodes.len();
        let address = contents.address;
        let node = Node { depth, name, of_type: type_name, value: None, payload: None, address };
        self.nodes.push(node);
        if let Some(of_type) = of_type.filter(|_| depth < MAX_LEVELS) {
            self.fill(at, of_type, &contents);
        }
        let has_known_part = self.nodes[at + 1..].iter().any(|part| part.value.is_some());
        if self.nodes.len() > at + 1 && !has_known_part {
            self.nodes.truncate(at + 1);
            self.nodes[at].value = None;
        }
    }

    fn fill(&mut self, at: usize, of_type: Die, contents: &Contents) {
        let info = self.info;
        let of_type = info.plain(of_type);
        let Some(tag) = info.entry(of_type).map(|entry| entry.tag()) else { return };
        let name = || info.type_name(of_type);
        match tag {
            gimli::DW_TAG_base_type => self.nodes[at].value = info.base(of_type, contents),
            gimli::DW_TAG_enumeration_type => {
                self.nodes[at].value = info.enumerator(of_type, contents);
            }
            gimli::DW_TAG_pointer_type => self.pointer(at, of_type, contents),
            gimli::DW_TAG_array_type => {
                let Some(element) = info.type_of(of_type) else { return };
                let size = info.size(element);
                let count = contents.bytes.len().checked_div(size).unwrap_or(0);
                self.nodes[at].value = Some(String::new());
                self.elements(at, element, count as u64, |index| contents.part(index * size, size));
            }
            gimli::DW_TAG_structure_type | gimli::DW_TAG_union_type => {
                if let Some(payload) = info.payload(of_type, contents) {
                    self.nodes[at].payload = Some(payload);
                    self.nodes[at].value = Some(payload.to_string());
                    return;
                }
                if name() == "&str" || name().starts_with("&[") {
                    return self.slice(at, of_type, contents);
                }
                let (shown, members) = match info.variant(of_type, contents) {
                    Variant::None => (name(), info.members(of_type)),
                    Variant::Active(name, inner) => (name, info.members(inner)),
                    Variant::Unknown => return,
                };
                self.nodes[at].value = Some(shown);
                let depth = self.nodes[at].depth + 1;
                for Member { name, of_type, at } in members {
                    let size = of_type.map_or(0, |of_type| info.size(of_type));
                    self.add(depth, name, of_type, contents.part(at, size));
                }
            }
            _ => {}
        }
    }

    fn elements(
        &mut self,
        at: usize,
        element: Die,
        count: u64,
        contents: impl Fn(usize) -> Contents,
    ) {
        let depth = self.nodes[at].depth + 1;
        for index in 0..count.min(MAX_ELEMENTS) as usize {
            self.add(depth, format!("[{index}]"), Some(element), contents(index));
        }
    }

    /// Shows a reference as the value that it refers to.
    fn pointer(&mut self, at: usize, of_type: Die, contents: &Contents) {
        let Some(address) = contents.known().map(|bytes| number(&bytes)) else { return };
        let refers = self.info.type_name(of_type).starts_with('&');
        let target = self.info.type_of(of_type).filter(|_| refers);
        self.nodes[at].value = Some(format!("0x{address:08x}"));
        let Some(target) = target else { return };
        let found = self.registers.at(address, self.info.size(target));
        self.nodes[at].address = found.address;
        self.fill(at, target, &found);
    }

    fn slice(&mut self, at: usize, of_type: Die, contents: &Contents) {
        let members = self.info.members(of_type);
        let field = |name: &str| {
            let found = members.iter().find(|member| member.name == name)?;
            let bytes = contents.part(found.at, self.info.size(found.of_type?)).known()?;
            Some((number(&bytes), found.of_type?))
        };
        let (Some((address, pointer)), Some((length, _))) = (field("data_ptr"), field("length"))
        else {
            return;
        };
        let Some(element) = self.info.type_of(pointer) else { return };
        let size = self.info.size(element) as u64;
        if self.info.type_name(of_type) == "&str" {
            let bytes = self.registers.at(address, length.min(MAX_BYTES) as usize).known();
            let text = bytes.map(|bytes| format!("{:?}", String::from_utf8_lossy(&bytes)));
            self.nodes[at].value = text;
            return;
        }
        self.nodes[at].value = Some(format!("{length} elements"));
        let of = |index: usize| (address.saturating_add(index as u64 * size), size as usize);
        let all: Vec<Contents> = (0..length.min(MAX_ELEMENTS) as usize)
            .map(|index| self.registers.at(of(index).0, of(index).1))
            .collect();
        self.elements(at, element, length, |index| all[index].clone());
    }
}
