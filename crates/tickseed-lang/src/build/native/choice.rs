//! Branch, if, while, switch, utility, for, try.

use tickseed_core::nodes::{Choose, Combine, Consideration, Curve, Score};
use tickseed_core::{Cx, Node, nodes};

use super::super::Loader;
use super::super::expand::{Place, values};
use super::super::scope::Index;
use super::judged::noted_if;
use crate::board::{HasBoard, view};
use crate::expr::{Datum, Type};
use crate::model::{self, ValueKind};

impl<'d, C: HasBoard> Loader<'d, C> {
    pub(super) fn branch(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let children = self.children(node, place)?;
        self.two_ways(node, children, self.flag(node, "reactive"))
    }

    fn two_ways(
        &self,
        node: &model::Node,
        children: Vec<Node<C>>,
        reactive: bool,
    ) -> Option<Node<C>> {
        let n = nodes::<C>();
        let mut children = children.into_iter();
        let (condition, then) = (children.next()?, children.next()?);
        let made = match (children.next(), reactive) {
            (Some(other), true) => n.while_do_else(condition, then, other),
            (None, true) => n.while_do(condition, then),
            (Some(other), false) => n.if_then_else(condition, then, other),
            (None, false) => n.if_then(condition, then),
        };
        Some(if reactive {
            self.preempt(node, made)
        } else {
            made
        })
    }

    pub(super) fn conditional(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let condition = match self.head(node) {
            Some(_) => self.check_leaf(node, place),
            None => None,
        };
        let children = self.children(node, place)?;
        let n = nodes::<C>();
        let mut all = vec![condition?];
        all.extend(children);
        if all.len() == 2
            && let Some(word) = self.word(node, "otherwise")
        {
            all.push(n.constant(super::status(word)));
        }
        self.two_ways(node, all, node.kind == "while")
    }

    pub(super) fn switch(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let subject = match self.head(node) {
            Some(value) => self.checked(place.scope, value, &Type::Any),
            None => None,
        };
        let ty = subject
            .as_ref()
            .map_or(Type::Any, |checked| checked.ty.clone());
        let (mut cases, mut branches, mut default) = (Vec::new(), Vec::new(), None);
        let mut ok = subject.is_some();
        for part in node.children.iter().filter(|part| !part.disabled) {
            match part.kind.as_str() {
                "case" => {
                    for value in part.arguments().filter_map(|a| a.value.as_ref()) {
                        match self.constant(place.scope, value, &ty) {
                            Some(datum) => cases.push((datum, branches.len())),
                            None => ok = false,
                        }
                    }
                    match self.part(part, place) {
                        Some(branch) => branches.push(branch),
                        None => ok = false,
                    }
                }
                "default" if default.is_none() => {
                    default = self.part(part, place);
                    ok &= default.is_some();
                }
                "default" => {
                    self.error(
                        "load::default",
                        "a switch has one `default`",
                        part.kind.span,
                    );
                    ok = false;
                }
                other => {
                    let message = format!("a switch holds `case` and `default`, not `{other}`");
                    self.error("load::misplaced", message, part.kind.span);
                    ok = false;
                }
            }
        }
        if !ok {
            return None;
        }
        let subject = super::super::Computed::<C> {
            op: subject?.op,
            functions: std::sync::Arc::clone(&self.functions),
        };
        let fails = !self.cannot_fail(&subject.op);
        let choose = move |at: &C::At<'_>| {
            let found = subject.noted(at);
            let case = cases.iter().find(|(case, _)| Some(case) == found.as_ref());
            case.map_or(usize::MAX, |(_, branch)| *branch)
        };
        let mut made = nodes::<C>().switch(choose, branches);
        if let Some(default) = default {
            made = made.default_case(default);
        }
        if self.flag(node, "reactive") {
            made = self.preempt(node, made.reactive());
        }
        Some(noted_if(fails, "switch", made))
    }

    pub(super) fn utility(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let (mut all, mut fails) = (Vec::new(), false);
        let mut ok = true;
        for part in node.children.iter().filter(|part| !part.disabled) {
            if part.kind != "option" {
                let message = format!("a utility holds `option`, not `{}`", part.kind);
                self.error("load::misplaced", message, part.kind.span);
                ok = false;
                continue;
            }
            let score = self.score(part, place, &mut fails);
            let mut made = Vec::new();
            for child in part.children.iter().filter(|c| c.kind != "consider") {
                match self.written(child, place.scope, Some(place.id)) {
                    super::Made::Node(child) => made.push(child),
                    super::Made::Nothing => {}
                    super::Made::Failed => ok = false,
                }
            }
            let branch = match made.len() {
                1 => made.pop(),
                0 => None,
                _ => Some(nodes::<C>().sequence(made)),
            };
            if branch.is_none() && ok {
                self.error("load::children", "an option needs a branch", part.kind.span);
            }
            match (score, branch) {
                (Some(score), Some(branch)) => all.push((score, branch)),
                _ => ok = false,
            }
        }
        if !ok {
            return None;
        }
        let mut made = nodes::<C>().utility(all);
        let mut choose = Choose::Highest;
        for option in node.options() {
            match option.name() {
                "softmax" => {
                    let value = values(option).next()?;
                    let temperature = self.number(place, value)?;
                    choose = Choose::Softmax { temperature };
                }
                "weighted" => choose = Choose::Weighted,
                _ => {}
            }
        }
        made = made.choose(choose);
        if self.flag(node, "reactive") {
            made = self.preempt(node, made.reactive());
        }
        if let Some(value) = node.option("inertia").and_then(super::value_of) {
            made = made.inertia(self.number(place, value)?);
        }
        if let Some(value) = node.option("dwell").and_then(super::value_of) {
            made = made.min_dwell(self.fixed(place, value)?);
        }
        Some(noted_if(fails, "utility", made))
    }

    fn score(&mut self, part: &'d model::Node, place: Place, fails: &mut bool) -> Option<Score<C>> {
        let weight = match part.option("weight").and_then(super::value_of) {
            Some(value) => self.number(place, value)?,
            None => 1.0,
        };
        let head = part.arguments().find(|a| a.name.is_none());
        if let Some(value) = head.and_then(|a| a.value.as_ref()) {
            let computed = self.computed(place.scope, value, &Type::Float)?;
            *fails |= !self.cannot_fail(&computed.op);
            return Some(nodes::<C>().score(move |at: &C::At<'_>| weight * computed.number(at)));
        }
        let mean = part.option("mean").is_some();
        let mut score = Score::new(weight).combine(if mean {
            Combine::Mean
        } else {
            Combine::Product
        });
        for consider in part
            .children
            .iter()
            .filter(|c| c.kind == "consider" && !c.disabled)
        {
            score = score.consider(self.consider(consider, place, fails)?);
        }
        Some(score)
    }

    fn consider(
        &mut self,
        node: &'d model::Node,
        place: Place,
        fails: &mut bool,
    ) -> Option<Consideration<C>> {
        let value = self.head(node)?;
        let computed = self.computed(place.scope, value, &Type::Float)?;
        *fails |= !self.cannot_fail(&computed.op);
        // What a fact is called where scores are drawn.
        let written = match &value.kind {
            ValueKind::Key(key) => key.name.to_string(),
            ValueKind::Code(code) => code.text.to_string(),
            _ => String::new(),
        };
        let mut curve = Curve::IDENTITY;
        let (mut from, mut to) = (0.0, 1.0);
        for option in node.options() {
            let mut numbers = Vec::new();
            if matches!(
                option.name(),
                "linear" | "power" | "exponential" | "logistic"
            ) {
                for value in values(option) {
                    numbers.push(self.number(place, value)?);
                }
            }
            let number = |i: usize, or: f64| numbers.get(i).copied().unwrap_or(or);
            match option.name() {
                "from" => match option.value.as_ref().map(|v| &v.kind) {
                    Some(ValueKind::Range(least, most)) => {
                        from = self.number(place, least)?;
                        to = self.number(place, most)?;
                    }
                    _ => {
                        self.error(
                            "load::range",
                            "expected a range such as `0..100`",
                            option.span,
                        );
                        return None;
                    }
                },
                "linear" => {
                    curve = Curve::Linear {
                        slope: number(0, 1.0),
                        offset: number(1, 0.0),
                    }
                }
                "power" => {
                    curve = Curve::Power {
                        exponent: number(0, 2.0),
                    }
                }
                "exponential" => {
                    curve = Curve::Exponential {
                        base: number(0, 10.0),
                    }
                }
                "logistic" => {
                    curve = Curve::Logistic {
                        steepness: number(0, 10.0),
                        middle: number(1, 0.5),
                    }
                }
                "smoothstep" => curve = Curve::Smoothstep,
                "table" => curve = Curve::Table(self.points(option, place)?),
                _ => {}
            }
        }
        Some(
            Consideration::new(move |at: &C::At<'_>| computed.number(at))
                .named(written)
                .range(from, to)
                .curve(curve),
        )
    }

    /// Points written `[input, output]`.
    fn points(&mut self, option: &model::Attribute, place: Place) -> Option<Vec<(f64, f64)>> {
        let mut points = Vec::new();
        for value in values(option) {
            let pair = match &value.kind {
                ValueKind::Literal(model::Literal::List(pair)) if pair.len() == 2 => pair,
                _ => {
                    self.error(
                        "load::table",
                        "expected points such as `[0, 0.5]`",
                        value.span,
                    );
                    return None;
                }
            };
            points.push((self.number(place, &pair[0])?, self.number(place, &pair[1])?));
        }
        Some(points)
    }

    pub(super) fn for_each(&mut self, node: &'d model::Node, place: Place) -> Option<Node<C>> {
        let count = match node.argument("count") {
            Some(value) => self.computed(place.scope, value, &Type::Int),
            None => {
                self.error("load::missing-value", "`for` needs a count", node.kind.span);
                None
            }
        };
        let index = match node.argument("index").map(|v| (&v.kind, v.span)) {
            Some((ValueKind::Key(key), span)) => self.enter_index(place.scope, key, span),
            _ => None,
        };
        if let Some(Index { binding, .. }) = &index
            && !Type::Int.fits(&binding.ty)
        {
            let message = format!("the index is a whole number, its key is {}", binding.ty);
            self.error("load::type", message, node.kind.span);
            return None;
        }
        let child = self.only(node, place);
        let slot = index.as_ref().map(|index| index.binding.slot);
        if let Some(index) = index {
            self.leave_index(place.scope, index);
        }
        let count = count?;
        let fails = !self.cannot_fail(&count.op);
        let mut made = nodes::<C>().for_each(
            move |at: &C::At<'_>| count.number(at).max(0.0) as usize,
            move |cx: &mut Cx<'_, '_, C>, i: u32| {
                if let Some(slot) = slot {
                    view::write::<C>(cx.at_mut(), slot, Datum::Int(i.into()));
                }
            },
            child?,
        );
        if let Some(value) = node.option("drain").and_then(super::value_of) {
            made = made.drain(self.whole(place, value, "`drain`")?);
        }
        Some(noted_if(fails, "for", made))
    }
}
