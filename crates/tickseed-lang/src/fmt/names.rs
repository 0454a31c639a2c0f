//! Spelling of names: with backticks where they need them.

use crate::builtin::{ALIASES, BUILTINS, RESERVED, builtin};
use crate::lex::{is_plain_name, quote_name};

/// A name where any word may stand.
pub(super) fn name(name: &str) -> String {
    if is_plain_name(name) {
        name.to_owned()
    } else {
        quote_name(name)
    }
}

/// A node's kind, without what makes it a built-in.
pub(crate) fn kind(kind: &str) -> String {
    let begins_two_words = BUILTINS.iter().any(|builtin| {
        builtin
            .words
            .split_once(' ')
            .is_some_and(|(first, _)| first == kind)
    });
    let reserved = RESERVED.contains(&kind)
        || builtin(kind).is_some()
        || ALIASES.iter().any(|(alias, _)| *alias == kind)
        || begins_two_words;
    if reserved {
        quote_name(kind)
    } else {
        name(kind)
    }
}

/// Words that end an expression or begin something else where options stand.
const NO_OPTION: [&str; 9] = [
    "and", "or", "not", "in", "skip", "fail", "succeed", "on", "while",
];

/// An option's word.
pub(super) fn option(option: &str) -> String {
    if NO_OPTION.contains(&option) || option == "else" {
        quote_name(option)
    } else {
        name(option)
    }
}

/// A type: as it is if it reads as one, else between backticks.
pub(super) fn type_name(ty: &str) -> String {
    let mut rest = ty;
    if is_type(&mut rest, 0) && rest.is_empty() {
        ty.to_owned()
    } else {
        quote_name(ty)
    }
}

fn is_type(rest: &mut &str, depth: usize) -> bool {
    let end = rest.find(['<', '>', ',', ' ']).unwrap_or(rest.len());
    let (head, tail) = rest.split_at(end);
    *rest = tail;
    if !is_plain_name(head) || depth > 8 {
        return false;
    }
    let Some(inner) = rest.strip_prefix('<') else {
        return true;
    };
    *rest = inner;
    loop {
        if !is_type(rest, depth + 1) {
            return false;
        }
        match rest.strip_prefix(", ") {
            Some(more) => *rest = more,
            None => break,
        }
    }
    match rest.strip_prefix('>') {
        Some(more) => {
            *rest = more;
            true
        }
        None => false,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn types_that_read_as_types_stay_bare() {
        assert_eq!(super::type_name("list<int>"), "list<int>");
        assert_eq!(
            super::type_name("map<text, list<int>>"),
            "map<text, list<int>>"
        );
        assert_eq!(
            super::type_name("std::vector<double>"),
            "`std::vector<double>`"
        );
        assert_eq!(super::type_name("list<int"), "`list<int`");
        assert_eq!(super::type_name("a,b"), "`a,b`");
    }
}
