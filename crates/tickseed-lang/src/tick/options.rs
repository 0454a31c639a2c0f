//! What follows a node: options, guards and hooks.

use super::Parser;
use crate::builtin::{Builtin, OptionSpec, OptionValue, builtin};
use crate::diagnostics::{Diagnostic, nearest};
use crate::lex::Tok;
use crate::model::{Attribute, Hook, Literal, Name, Node, Role, Value, ValueKind};

impl Parser<'_> {
    /// The hook whose words come next, and how many they are.
    pub(super) fn hook_ahead(&self) -> Option<(Hook, usize)> {
        // Nearly no word begins a hook.
        let token = self.c.peek();
        if token.kind != Tok::Name
            || !matches!(
                self.c.str(token),
                "fail" | "succeed" | "skip" | "while" | "on"
            )
        {
            return None;
        }
        Hook::ALL.iter().find_map(|&(hook, words, _)| {
            let fits = words
                .split(' ')
                .enumerate()
                .all(|(i, word)| self.c.is_word_at(i, word) && !self.c.peek_at(i).newline_before);
            fits.then(|| (hook, words.split(' ').count()))
        })
    }

    pub(super) fn options(&mut self, node: &mut Node, spec: Option<&Builtin>) {
        loop {
            let token = self.c.peek();
            if token.newline_before || self.c.is_word("else") {
                return;
            }
            if let Some((hook, length)) = self.hook_ahead() {
                let start = self.c.span(token);
                for _ in 0..length {
                    self.c.next();
                }
                let words = Name::new(hook.words(), start.to(self.c.last_span()));
                let value = if hook.is_guard() {
                    self.value()
                } else {
                    self.script()
                };
                if let Some(first) = node.with_role(Role::Hook(hook)).next() {
                    let (message, first) = (format!("`{words}` is given twice"), first.span);
                    self.c.report(
                        Diagnostic::error("tick::duplicate-hook", message)
                            .at(words.span, "again here")
                            .and(first, "first here")
                            .help(if hook.is_guard() {
                                "join them with `||` or `&&`"
                            } else {
                                "join them with `;` between braces"
                            }),
                    );
                }
                node.attributes.push(Attribute {
                    role: Role::Hook(hook),
                    name: Some(words),
                    value: Some(value),
                    span: start.to(self.c.last_span()),
                });
                continue;
            }
            if token.kind == Tok::Name
                && matches!(self.c.str(token), "skip" | "fail" | "succeed" | "on")
            {
                let word = self.c.str(token);
                let expected = match word {
                    "on" => "`success`, `failure`, `halt` or `done` after `on`".to_owned(),
                    _ => format!("`if` after `{word}`"),
                };
                self.c.next();
                self.c.expected(&expected);
                return;
            }
            let Some(name) = self.c.name() else { return };
            let option = spec.and_then(|spec| spec.option(name.as_str()));
            if let (Some(spec), None) = (spec, option)
                && let Some(help) = self.misplaced(&name, spec)
            {
                let message = format!("`{}` has no option `{name}`", spec.words);
                self.c.report(
                    Diagnostic::error("tick::unknown-option", message)
                        .at(name.span, "not known here")
                        .help(help),
                );
            } else if let (Some(spec), None) = (spec, option) {
                let mut known: Vec<&str> = spec.options.iter().map(|option| option.name).collect();
                known.extend(
                    crate::builtin::COMMON_OPTIONS
                        .iter()
                        .map(|option| option.name),
                );
                let what = format!("`{}` has no option", spec.words);
                self.unknown("tick::unknown-option", &what, &name, &known);
            }
            if let Some(first) = node.option(name.as_str()) {
                let (message, first) = (format!("the option `{name}` is given twice"), first.span);
                self.c.report(
                    Diagnostic::error("tick::duplicate-option", message)
                        .at(name.span, "again here")
                        .and(first, "first here"),
                );
            }
            let open = self.c.peek();
            let value = if self.c.is("(") && open.start == self.c.last_span().end {
                self.c.group += 1;
                let value = self.option_value(option);
                self.c.group -= 1;
                value
            } else {
                None
            };
            if let Some(option) = option {
                self.check_option(option, &name, value.as_ref());
            }
            let mut attribute = Attribute::option(name, value);
            attribute.span = attribute.span.to(self.c.last_span());
            node.attributes.push(attribute);
        }
    }

    /// What was probably meant by a word that is no option of a built-in.
    fn misplaced(&self, name: &Name, spec: &Builtin) -> Option<String> {
        let word = name.as_str();
        if matches!(word, "then" | "do") && self.c.is("{") {
            return Some(format!("leave `{word}` out: the block follows directly"));
        }
        let known = spec.options.iter().map(|option| option.name);
        let is_node = builtin(word).is_some() || word.starts_with(char::is_uppercase);
        let is_child = spec.children.max > 0 && is_node;
        (is_child && nearest(word, known).is_none())
            .then(|| format!("a child stands between braces: {{ {word} }}"))
    }

    /// The values between an option's parentheses; several become a list.
    fn option_value(&mut self, option: Option<&OptionSpec>) -> Option<Value> {
        let open = self.c.next();
        let open = self.c.span(open);
        let words = matches!(
            option.map(|option| option.value),
            Some(OptionValue::Word(_) | OptionValue::NumberOrAll)
        );
        let mut values = Vec::new();
        while !self.c.is(")") {
            let before = self.c.position();
            let next = self.c.peek();
            if words && next.kind == Tok::Name {
                let name = self.c.name().unwrap_or_default();
                values.push(Value::literal(Literal::Word(name.text), name.span));
            } else {
                values.push(self.value());
            }
            if !self.c.eat(",") || self.c.position() == before {
                break;
            }
        }
        self.c.expect(")", "to end the option");
        let span = open.to(self.c.last_span());
        match values.len() {
            0 => None,
            1 => values.pop(),
            _ => Some(Value::literal(Literal::List(values), span)),
        }
    }

    fn check_option(&mut self, option: &OptionSpec, name: &Name, value: Option<&Value>) {
        let wrong = |expected: String| {
            Diagnostic::error(
                "tick::option-value",
                format!("the option `{name}` takes {expected}"),
            )
            .at(value.map_or(name.span, |value| value.span), "not that")
        };
        match (option.value, value) {
            (OptionValue::Flag, Some(_)) => {
                self.c.report(wrong("nothing".to_owned()));
            }
            (OptionValue::Flag | OptionValue::Values, _) => {
                if option.value == OptionValue::Values && value.is_none() {
                    self.c.report(wrong("values in parentheses".to_owned()));
                }
            }
            (OptionValue::Word(words), value) => match value.map(|value| &value.kind) {
                Some(ValueKind::Literal(Literal::Word(word))) => {
                    if !words.contains(&word.as_str()) {
                        let found =
                            Name::new(word.clone(), value.map_or(name.span, |value| value.span));
                        let what = format!("the option `{name}` does not know");
                        self.unknown("tick::option-value", &what, &found, words);
                    }
                }
                _ => self.c.report(wrong(format!("one of {}", words.join(", ")))),
            },
            (OptionValue::NumberOrAll, value) => {
                let fits = match value.map(|value| &value.kind) {
                    Some(ValueKind::Literal(Literal::Word(word))) => word == "all",
                    Some(ValueKind::Literal(Literal::Int(number))) => number.value >= 0,
                    Some(ValueKind::Key(_) | ValueKind::Code(_)) => true,
                    _ => false,
                };
                if !fits {
                    self.c
                        .report(wrong("a number of children, or `all`".to_owned()));
                }
            }
            (OptionValue::Value, value) => {
                if value.is_none() {
                    self.c.report(wrong("a value in parentheses".to_owned()));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortcut_knows_all_hooks() {
        for (hook, words, _) in Hook::ALL {
            let text = format!("x {words} y");
            let lexed = crate::lex::lex(&text, crate::model::FileId(0), 0);
            let mut c = crate::lex::Cursor::new(&text, crate::model::FileId(0), 0, &lexed);
            c.next();
            let parser = Parser {
                c,
                remarks: &[],
                next_remark: 0,
                depth: 0,
            };
            assert_eq!(parser.hook_ahead(), Some((hook, words.split(' ').count())));
        }
    }
}
