// Reads a branch's condition as a person wrote it. Every relation is checked against the numbers
// themselves, so that no optimization of a compiler is misread. A condition that fits no rule is
// not explained.

use super::{
    bits::Bits,
    number::{number_at, Number},
    other_values::Replacement,
    relation::{
        comparison, relation, type_of, Equal, Found, Greater, GreaterOrEqual, Less, LessOrEqual,
        NotEqual, Relation,
    },
    shadow::{Branch, Id, Kind, Node},
    term::Terms,
};
use crate::{
    stepping::code::Op,
    wire::why::{Checks, Condition, Integer, Term, TermKind},
    xdr_codec::{
        encode, to_base64,
        xdr::{ScSymbol, ScVal},
    },
};
use std::{cmp::Ordering, collections::HashSet};

impl Terms<'_> {
    /// What held when the branch was taken.
    pub fn read_branch(&self, branch: &Branch) -> Found {
        let Op::BrTable(targets) = &self.shadow.code.ops[branch.op as usize] else {
            return self.held(branch.condition, branch.value != 0, 0);
        };
        let tested = self.node(branch.condition);
        let (of, offset) = match (tested.kind, tested.extra) {
            (Kind::Binary, 0x6b) => (tested.a, Integer::from(self.constant_of(tested.b)?)),
            (Kind::Binary, 0x6a) => {
                (tested.a, -Integer::from(self.constant_of(tested.b)? as u32 as i32))
            }
            _ => (branch.condition, Integer::ZERO),
        };
        let last = targets.len() - 1;
        let default = targets[last].op == branch.taken;
        let cases = targets[..last].iter().enumerate();
        let chosen = cases.filter(|(_, target)| (target.op == branch.taken) != default);
        let values: Vec<Integer> =
            chosen.map(|(case, _)| Integer::from(case as u64) + offset).collect();
        if let Some(leaf) = self.bits(of).filter(|bits| bits.lowest == 0 && bits.length == 8) {
            let found = self.read_bool(branch.condition, &|value| self.goes(branch, value));
            return found
                .map(|found| vec![found])
                .or_else(|| self.of_type_table(leaf, default, &values));
        }
        if let Some(found) = self.read_choice(branch.condition, &|index| self.goes(branch, index)) {
            return Some(found);
        }
        if let Some(found) = self.read_symbol(of, default, &values) {
            return Some(vec![found]);
        }
        let number = self.number(of, 0).filter(|of| of.term.kind != TermKind::Constant)?;
        if values.contains(&number.value) == default {
            return None;
        }
        let term = number.term.with_number(number.value);
        Some(vec![match (default, &values[..]) {
            (false, [_]) => relation("equal", vec![term, number_at(number.value).term]),
            _ => Condition {
                values: values.iter().map(Integer::to_string).collect(),
                ..relation(if default { "not_one_of" } else { "one_of" }, vec![term])
            },
        }])
    }

    pub fn of_type_table(&self, tag: Bits, default: bool, values: &[Integer]) -> Found {
        let actual = type_of(self.node(tag.leaf).value as u8)?;
        let types: Vec<&str> =
            values.iter().filter_map(|tag| type_of(u8::try_from(*tag).ok()?)).collect();
        let of_type = *types.first()?;
        let only = types.iter().all(|name| *name == of_type);
        (default && only && of_type != actual).then(|| {
            let term = self.leaf(tag.leaf);
            vec![Condition { of_type: Some(of_type), ..relation("not_type", vec![term]) }]
        })
    }

    pub fn is_boolean(&self, id: Id) -> bool {
        self.is_boolean_within(id, 0)
    }

    fn is_boolean_within(&self, id: Id, depth: usize) -> bool {
        if depth > 24 || self.step().is_none() {
            return false;
        }
        let is_boolean = |id: Id| self.is_boolean_within(id, depth + 1);
        let node = self.node(id);
        match node.kind {
            Kind::Unary => {
                matches!(node.extra, 0x45 | 0x50)
                    || matches!(node.extra, 0xa7 | 0xac | 0xad) && is_boolean(node.a)
            }
            Kind::Binary => {
                comparison(node.extra).is_some()
                    || matches!(node.extra, 0x71..=0x73 | 0x83..=0x85)
                        && is_boolean(node.a)
                        && is_boolean(node.b)
            }
            Kind::Select => is_boolean(node.a) && is_boolean(node.b),
            Kind::Load | Kind::Part => self.same(node).is_some_and(is_boolean),
            Kind::Wide => node.extra == 2,
            _ => node.constant && node.value < 2,
        }
    }

    /// The name that the contract was given, among those in its memory.
    fn read_symbol(&self, id: Id, default: bool, values: &[Integer]) -> Option<Condition> {
        let call = self.result_of(self.bits(id)?.leaf, "symbol_index_in_linear_memory")?;
        let chosen = usize::try_from(*values.first()?).ok().filter(|_| values.len() == 1)?;
        let symbol = ScVal::Symbol(ScSymbol(call.names.get(chosen)?.as_str().try_into().ok()?));
        let value_xdr = Some(to_base64(&encode(&symbol)));
        let constant = Term { value_xdr, ..Term::of(TermKind::Constant) };
        let name = if default { "not_equal" } else { "equal" };
        Some(relation(name, vec![self.term(*call.arguments.first()?), constant]))
    }

    /// What held: that the node is zero, or that it is not.
    pub fn held(&self, id: Id, truth: bool, depth: usize) -> Found {
        let by_shape = self.held_by_shape(id, truth, depth);
        by_shape.or_else(|| {
            self.infer_by_computing(id, &|value| u32::from((value as u32 != 0) == truth))
        })
    }

    fn held_by_shape(&self, id: Id, truth: bool, depth: usize) -> Found {
        self.step()?;
        let node = self.node(id);
        if depth > 16 {
            return None;
        }
        if let Some(found) = self.read_bool(id, &|value| u32::from(value as u32 != 0)) {
            return Some(vec![found]);
        }
        if let Some(found) = self.read_search(id) {
            return Some(vec![found]);
        }
        if let Some(found) = self.read_choice(id, &|value| u32::from(value as u32 != 0)) {
            return Some(found);
        }
        match node.kind {
            Kind::Unary if matches!(node.extra, 0x45 | 0x50) && self.is_boolean(node.a) => {
                self.held(node.a, !truth, depth + 1)
            }
            Kind::Unary if matches!(node.extra, 0x45 | 0x50) => {
                self.compared(Equal.when(truth), false, (node.a, None), node.extra == 0x45)
            }
            Kind::Unary if self.is_boolean(node.a) => self.held(node.a, truth, depth + 1),
            Kind::Load | Kind::Part => self.held(self.same(node)?, truth, depth + 1),
            Kind::Wide if node.extra == 2 && truth => {
                let [a_lo, a_hi, b_lo, b_hi] = self.shadow.wides[node.c as usize].parts;
                let (a, b) = (self.pair(a_lo, a_hi, 0)?, self.pair(b_lo, b_hi, 0)?);
                Some(vec![self.not_fitting("*", a, b)?])
            }
            Kind::Binary => self.held_binary(node, id, truth, depth),
            Kind::Select => {
                if let Some(found) = self.wide_comparison(node, truth) {
                    return Some(vec![found]);
                }
                let first = self.node(node.c).value as u32 != 0;
                let (chosen, other) = if first { (node.a, node.b) } else { (node.b, node.a) };
                let mut found = vec![];
                // The choice counts if the other value would have given another answer.
                if (self.node(other).value as u32 != 0) != truth {
                    found = self.held(node.c, first, depth + 1)?;
                }
                if !self.node(chosen).constant {
                    found.extend(self.held(chosen, truth, depth + 1)?);
                }
                (!found.is_empty()).then_some(found)
            }
            _ if node.constant => None,
            _ => self.compared(NotEqual.when(truth), false, (id, None), true),
        }
    }

    /// The condition of a choice between two constants, if the choice alone decides.
    pub fn read_choice(&self, id: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let mut at = id;
        for _ in 0..16 {
            let node = self.node(at);
            at = match node.kind {
                Kind::Select => {
                    let (a, b) = (self.constant_of(node.a)?, self.constant_of(node.b)?);
                    let first = self.node(node.c).value as u32 != 0;
                    let payload = Some(if first { b } else { a });
                    let replacement = [Replacement { leaf: at, payload, number: None }];
                    let other = goes(self.evaluate(id, &replacement)?);
                    let differs = other != goes(self.node(id).value);
                    return if differs { self.held(node.c, first, 1) } else { None };
                }
                Kind::Unary | Kind::Part => node.a,
                Kind::Load if self.node(node.b).constant => node.a,
                Kind::Binary if self.node(node.b).constant => node.a,
                Kind::Binary if self.node(node.a).constant => node.b,
                _ => return None,
            };
        }
        None
    }

    /// The condition under which the code compared with constants and not with other values, if
    /// that choice alone decides.
    pub fn read_chosen_constants(&self, decided: Id, goes: &dyn Fn(u64) -> u32) -> Found {
        let mut chosen = vec![];
        let (mut open, mut seen) = (vec![decided], HashSet::new());
        while let Some(id) = open.pop().filter(|_| seen.len() < 200) {
            let node = self.node(id);
            if node.constant || !seen.insert(id) {
                continue;
            }
            match node.kind {
                Kind::Select => {
                    let truth = self.node(node.c).value as u32 != 0;
                    let (own, other) = if truth { (node.a, node.b) } else { (node.b, node.a) };
                    let is_choice = self.node(own).constant
                        && !self.node(other).constant
                        && !self.node(node.c).constant;
                    match is_choice {
                        true => {
                            let payload = Some(self.node(other).value);
                            chosen.push((
                                node.c,
                                truth,
                                Replacement { leaf: id, payload, number: None },
                            ));
                        }
                        false => open.extend([node.a, node.b, node.c]),
                    }
                }
                Kind::Unary | Kind::Part => open.push(node.a),
                Kind::Load if self.node(node.b).constant => open.push(node.a),
                Kind::Binary | Kind::Join => open.extend([node.a, node.b]),
                _ => {}
            }
        }
        let (condition, truth, _) = *chosen.first()?;
        let replacements: Vec<Replacement> = chosen.iter().map(|choice| choice.2).collect();
        let is_one = chosen.iter().all(|choice| (choice.0, choice.1) == (condition, truth));
        let other = goes(self.evaluate(decided, &replacements)?);
        let decides = is_one && other != goes(self.node(decided).value);
        decides.then(|| self.held(condition, truth, 1))?
    }

    /// The condition under which the host looked into a constant map or vector and not into another
    /// one.
    pub fn read_chosen_collection(&self, decided: Id) -> Found {
        let answer = self.node(self.only_leaf(decided, 0)?);
        let searched = self.shadow.searched(answer).filter(|_| answer.kind == Kind::Host)?;
        let choice = self.node(searched);
        if choice.kind != Kind::Select || self.node(choice.c).constant {
            return None;
        }
        let truth = self.node(choice.c).value as u32 != 0;
        let own = if truth { choice.a } else { choice.b };
        self.node(own).constant.then(|| self.held(choice.c, truth, 1))?
    }

    /// The condition of a single value that is true or false, if it alone decides.
    pub fn read_bool(&self, id: Id, goes: &dyn Fn(u64) -> u32) -> Option<Condition> {
        let leaf = self.only_leaf(id, 0)?;
        if self.node(leaf).value > 1 || self.bits(leaf).is_none() {
            return None;
        }
        let [no, yes] = [0, 1].map(|payload| {
            let replacement = [Replacement { leaf, payload: Some(payload), number: None }];
            self.evaluate(id, &replacement).map(goes)
        });
        (no? != yes?).then(|| self.truth_of(leaf))
    }

    /// The condition that a value is true, or that it is false. For the host's answer whether
    /// something exists, the condition that it does, or that it does not.
    pub fn truth_of(&self, leaf: Id) -> Condition {
        let value = self.node(leaf).value;
        if self.asks_for_existence(leaf) {
            let name = if value == 1 { "present" } else { "absent" };
            return relation(name, vec![self.leaf(leaf)]);
        }
        relation("equal", vec![self.leaf(leaf), self.constant_term(value)])
    }

    /// Says whether a value is the host's answer whether an entry exists, or a map has a key.
    pub fn asks_for_existence(&self, leaf: Id) -> bool {
        let node = self.node(leaf);
        node.kind == Kind::Host
            && matches!(self.host_call(node).function, "has_contract_data" | "map_has")
    }

    /// A constant with the value that the record has for a payload.
    pub fn constant_term(&self, payload: u64) -> Term {
        let xdr = (self.value_of.borrow_mut())(payload);
        Term { value_xdr: xdr.map(|xdr| to_base64(&xdr)), ..Term::of(TermKind::Constant) }
    }

    /// The condition of a search in a sorted vector, if only its success decides. The success is in
    /// the bits above the index.
    fn read_search(&self, id: Id) -> Option<Condition> {
        let leaf = self.only_leaf(id, 0)?;
        self.result_of(leaf, "vec_binary_search")?;
        let payload = self.node(leaf).value ^ 1 << 32;
        let other =
            self.evaluate(id, &[Replacement { leaf, payload: Some(payload), number: None }])?;
        let decides = (other as u32 != 0) != (self.node(id).value as u32 != 0);
        let name = if payload >> 32 == 0 { "present" } else { "absent" };
        decides.then(|| relation(name, vec![self.leaf(leaf)]))
    }

    pub fn held_binary(&self, node: &Node, id: Id, truth: bool, depth: usize) -> Found {
        if let Some((relation, signed)) = comparison(node.extra) {
            let narrow = node.extra < 0x50;
            for (one, other) in [(node.a, node.b), (node.b, node.a)] {
                let Some(value) = self.constant_of(other) else { continue };
                let tests = matches!(relation, Equal | NotEqual) && value < 2;
                if tests && self.is_boolean(one) {
                    let same = (value == 1) == (relation == Equal);
                    return self.held(one, same == truth, depth + 1);
                }
            }
            let sides = (node.a, Some(node.b));
            return self.compared(relation.when(truth), signed, sides, narrow);
        }
        if !self.is_boolean(id) {
            return self.compared(NotEqual.when(truth), false, (id, None), true);
        }
        let sides = [node.a, node.b];
        let value = |id: Id| self.node(id).value as u32 != 0;
        match node.extra {
            0x73 | 0x85 => {
                let (of, by) =
                    if self.node(node.b).constant { (node.a, node.b) } else { (node.b, node.a) };
                let by = self.constant_of(by)?;
                self.held(of, truth != (by == 1), depth + 1)
            }
            // A true `or` has its true operands as reasons, and a false `and` its false ones.
            0x71 | 0x72 | 0x83 | 0x84 => {
                let mut found = vec![];
                for side in sides.into_iter().filter(|side| value(*side) == truth) {
                    if !self.node(side).constant {
                        found.extend(self.held(side, truth, depth + 1)?);
                    }
                }
                (!found.is_empty()).then_some(found)
            }
            _ => None,
        }
    }

    /// A relation that held between two nodes, or between one node and zero.
    pub fn compared(
        &self,
        held: Relation,
        signed: bool,
        (a, b): (Id, Option<Id>),
        narrow: bool,
    ) -> Found {
        let constant = |id: Option<Id>| id.map_or(Some(0), |id| self.constant_of(id));
        let (held, a, b) = match b {
            Some(b) if self.constant_of(a).is_some() => (held.turned(), b, Some(a)),
            _ => (held, a, b),
        };
        let by = constant(b);
        if let (Some(0), Equal | NotEqual) = (by, held) {
            if let Some(found) = self.read_zeros(held, a) {
                return Some(found);
            }
        }
        let found = match by {
            Some(by) => self
                .read_tag(held, a, by)
                .or_else(|| self.read_masked(held, a, by))
                .or_else(|| self.read_payload(held, signed, a, by))
                .or_else(|| self.read_zero_parts(held, a, by))
                .or_else(|| self.read_sign(held, signed, a, by)),
            None => None,
        };
        let found = found.or_else(|| {
            let as_signed = |of: Number, id: Option<Id>| match constant(id) {
                Some(value) if signed && narrow => number_at(Integer::from(value as u32 as i32)),
                Some(value) if signed => number_at(Integer::from(value as i64)),
                _ => of,
            };
            let left = self.number(a, 0)?;
            let right = b.map_or(Some(number_at(0)), |b| self.number(b, 0));
            let right = as_signed(right?, b);
            // An unsigned comparison takes a negative number for a large one.
            let is_order = !matches!(held, Equal | NotEqual);
            let is_misread = is_order && !signed && (left.value < 0 || right.value < 0);
            (!is_misread).then(|| self.between(held, left, right))?
        });
        found.map(|found| vec![found])
    }

    pub fn between(&self, held: Relation, a: Number, b: Number) -> Option<Condition> {
        let named = a.term.kind != TermKind::Constant || b.term.kind != TermKind::Constant;
        if !named || !held.holds(a.value, b.value) {
            return None;
        }
        let (held, b) = match (held, b.value) {
            (LessOrEqual, Integer::ZERO) | (Less, Integer::ONE)
                if a.unsigned && b.leaf.is_none() =>
            {
                (Equal, number_at(0))
            }
            _ => (held, b),
        };
        let (held, b) = match b.leaf {
            None if b.term.kind == TermKind::Constant => as_written(held, b),
            _ => (held, b),
        };
        let around = |value: Integer| [value - 1, value, value + 1];
        let (leaf, numbers) = match (a.leaf, b.leaf) {
            (Some(leaf), other) if other != Some(leaf) => {
                let near = around(b.value).into_iter();
                (leaf, near.map(|number| (number, held.holds(number, b.value))).collect())
            }
            (None, Some(leaf)) => {
                let near = around(a.value).into_iter();
                (leaf, near.map(|number| (number, held.holds(a.value, number))).collect())
            }
            _ => (0, vec![]),
        };
        let terms = vec![a.term.with_number(a.value), b.term.with_number(b.value)];
        Some(Condition { checks: Checks { leaf, numbers }, ..relation(held.name(), terms) })
    }

    pub fn equal(&self, a: Number, b: Number) -> Option<Condition> {
        self.between(Equal, a, b)
    }

    /// The condition of an error that was computed from a value, or looked up in a table by one.
    pub fn computed_of(&self, error: Id) -> Found {
        let mut at = error;
        for _ in 0..24 {
            let number = self.number(at, 0);
            if let Some(number) = number.filter(|number| number.leaf.is_some()) {
                let value = number_at(number.value);
                return self.between(Equal, number, value).map(|held| vec![held]);
            }
            let node = self.node(at);
            // One of two errors was chosen, or an error instead of something else.
            let is_constant = |id: Id| self.node(id).constant;
            if node.kind == Kind::Select && is_constant(node.a) && is_constant(node.b) {
                let place = self.shadow.place(node.op, node.activation);
                return self.infer_by_runs(&[node.c], place).flatten();
            }
            at = match node.kind {
                Kind::Load if self.node(node.a).constant => node.b,
                Kind::Load | Kind::Unary => node.a,
                // The operations that keep different numbers different.
                Kind::Binary
                    if matches!(
                        node.extra,
                        0x6a | 0x6b | 0x7c | 0x7d | 0x74 | 0x86 | 0x84 | 0x72
                    ) && self.node(node.b).constant =>
                {
                    node.a
                }
                Kind::Binary
                    if matches!(node.extra, 0x6a | 0x7c | 0x84 | 0x72)
                        && self.node(node.a).constant =>
                {
                    node.b
                }
                _ => return None,
            };
        }
        None
    }
}

/// The relation as people usually write it: compilers turn `> 100` into `>= 101`.
fn as_written(held: Relation, constant: Number) -> (Relation, Number) {
    let zeros = |number: Integer| {
        let text = number.to_string();
        text.len() - text.trim_end_matches('0').len()
    };
    let (other, number) = match held {
        GreaterOrEqual => (Greater, constant.value - 1),
        LessOrEqual => (Less, constant.value + 1),
        Greater => (GreaterOrEqual, constant.value + 1),
        Less => (LessOrEqual, constant.value - 1),
        same => return (same, constant),
    };
    let strict = matches!(other, Less | Greater);
    let better = match zeros(number).cmp(&zeros(constant.value)) {
        Ordering::Equal => strict,
        order => order == Ordering::Greater,
    };
    match better {
        true => (other, number_at(number)),
        false => (held, constant),
    }
}

/// A condition in which a number that code chose among constants is that constant.
pub fn with_constants(mut held: Condition) -> Condition {
    for term in &mut held.terms {
        let is_chosen =
            term.kind == TermKind::Computed && term.of.is_empty() && term.operator.is_none();
        if is_chosen && term.number.is_some() {
            term.kind = TermKind::Constant;
        }
    }
    let is_turned = held.terms.len() == 2
        && held.terms[0].kind == TermKind::Constant
        && held.terms[1].kind != TermKind::Constant;
    match Relation::named(held.relation).filter(|_| is_turned) {
        Some(relation) => {
            held.terms.reverse();
            Condition { relation: relation.turned().name(), ..held }
        }
        None => held,
    }
}
