//! BehaviorTree.CPP's scripting language: a second front end besides `.tick`'s expressions.
//!
//! Its rules differ from ours in most respects (results are numbers of type `double`, both sides of
//! `&&` are evaluated, entries are created by assignment and keep the kind of their first value),
//! so it has its own evaluator over the same slots. Names are resolved when a script is parsed.

mod advice;
mod eval;
mod parse;
mod told;

pub(crate) use advice::{help, run_on};
pub(crate) use eval::{EPSILON, Entries, text};
pub(crate) use parse::Name;

use crate::expr::{Datum, Slot};

/// A parsed script.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Script {
    text: String,
    statements: Vec<Node>,
    /// Where statements begin that no `;` parts from the one before.
    pub(crate) run_on: Vec<usize>,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Constant(Datum),
    Key {
        slot: Slot,
        name: String,
    },
    Unary(Unary, Box<Node>),
    Binary(Binary, Box<Node>, Box<Node>),
    /// `a < b < c`: every pair of neighbours.
    Chain(Box<Node>, Vec<(Comparison, Node)>),
    Ternary(Box<Node>, Box<Node>, Box<Node>),
    Assign {
        slot: Slot,
        name: String,
        how: Assign,
        value: Box<Node>,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Unary {
    Minus,
    Complement,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Binary {
    Add,
    Sub,
    Concat,
    Mul,
    Div,
    BitAnd,
    BitOr,
    BitXor,
    And,
    Or,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Eq,
    Ne,
    Lt,
    Gt,
    Le,
    Ge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Assign {
    Create,
    Set,
    Add,
    Sub,
    Mul,
    Div,
}

impl Assign {
    fn symbol(self) -> &'static str {
        match self {
            Assign::Create => ":=",
            Assign::Set => "=",
            Assign::Add => "+=",
            Assign::Sub => "-=",
            Assign::Mul => "*=",
            Assign::Div => "/=",
        }
    }
}

/// Why a script did not run to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptError {
    message: String,
    /// Whether the reference puts the script's text before the message.
    names_script: bool,
}

impl ScriptError {
    fn new(message: impl Into<String>) -> Self {
        ScriptError {
            message: message.into(),
            names_script: true,
        }
    }

    fn bare(message: impl Into<String>) -> Self {
        ScriptError {
            message: message.into(),
            names_script: false,
        }
    }
}

impl Script {
    /// Parses a script; `resolve` says what a name stands for.
    ///
    /// # Errors
    /// The first mistake, in the reference's words, with its byte offset.
    pub(crate) fn parse(
        text: &str,
        resolve: &mut dyn FnMut(&str) -> Option<Name>,
    ) -> Result<Script, (usize, String)> {
        let parsed = parse::parse(text, resolve)?;
        Ok(Script {
            text: text.to_owned(),
            statements: parsed.statements,
            run_on: parsed.run_on,
        })
    }

    /// Runs it; the value is that of the last statement.
    ///
    /// # Errors
    /// What went wrong, in the reference's words; then what the keys of the statement hold.
    pub(crate) fn run(&self, entries: &mut dyn Entries) -> Result<Datum, String> {
        let mut value = Datum::None;
        for statement in &self.statements {
            value = match eval::eval(statement, entries) {
                Ok(value) => value,
                Err(error) => return Err(self.failed(statement, &error, entries)),
            };
        }
        Ok(value)
    }

    #[cold]
    fn failed(&self, statement: &Node, error: &ScriptError, entries: &dyn Entries) -> String {
        let mut text = match error.names_script {
            true => format!("Error in script [{}]\n{}", self.text, error.message),
            false => error.message.clone(),
        };
        if let Some(keys) = entries
            .tells()
            .then(|| told::keys(statement, entries))
            .flatten()
        {
            if !error.names_script {
                text = format!("Error in script [{}]\n{text}", self.text);
            }
            text.push('\n');
            text.push_str(&keys);
        }
        text
    }

    /// Runs it and tells whether its value counts as true.
    ///
    /// # Errors
    /// As [`run`](Script::run); or the value is neither.
    pub(crate) fn test(&self, entries: &mut dyn Entries) -> Result<bool, String> {
        let value = self.run(entries)?;
        eval::as_bool(&value).map_err(|error| match self.statements.last() {
            Some(last) => self.failed(last, &error, entries),
            None => error.message,
        })
    }
}

/// The keys that a script reads and those that it writes; none if it is no script.
pub(crate) fn touched(text: &str) -> (Vec<String>, Vec<String>) {
    fn walk(node: &Node, reads: &mut Vec<String>, writes: &mut Vec<String>) {
        match node {
            Node::Constant(_) => {}
            Node::Key { name, .. } => reads.push(name.clone()),
            Node::Unary(_, a) => walk(a, reads, writes),
            Node::Binary(_, a, b) => [a, b].iter().for_each(|a| walk(a, reads, writes)),
            Node::Chain(first, rest) => {
                walk(first, reads, writes);
                rest.iter().for_each(|(_, node)| walk(node, reads, writes));
            }
            Node::Ternary(a, b, c) => [a, b, c].iter().for_each(|a| walk(a, reads, writes)),
            Node::Assign { name, value, .. } => {
                writes.push(name.clone());
                walk(value, reads, writes);
            }
        }
    }
    let (mut reads, mut writes) = (Vec::new(), Vec::new());
    if let Ok(script) = Script::parse(text, &mut |_| Some(Name::Key(Slot(0)))) {
        let statements = script.statements.iter();
        statements.for_each(|node| walk(node, &mut reads, &mut writes));
    }
    (reads, writes)
}

/// The names in a script, for programs that must know which keys it touches.
pub(crate) fn names(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for word in text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_' || c == '@')) {
        if word.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_' || c == '@')
            && !matches!(word, "true" | "false")
        {
            found.push(word.to_owned());
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests;
