//! Reading scripts.

use super::{Assign, Binary, Comparison, Node, Unary};
use crate::expr::{Datum, Slot};

/// What a name in a script stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Name {
    /// A key.
    Key(Slot),
    /// A word of an enumeration.
    Number(i64),
}

/// How deep parentheses and operators may be nested.
const DEPTH: usize = 128;
/// How many operators between operands a statement may have: `1+1+1` is a tree as deep as it is long,
/// and whatever goes through it calls itself for each of them.
const OPERATORS: usize = 1000;

#[derive(Clone, Debug, PartialEq)]
enum Token {
    Value(Datum),
    Word(String),
    Mark(&'static str),
    End,
}

/// Marks, longer ones first.
const MARKS: &[&str] = &[
    "..", ":=", "+=", "-=", "*=", "/=", "==", "!=", "<=", ">=", "&&", "||", "=", "<", ">", "+",
    "-", "*", "/", "&", "|", "^", "~", "!", "?", ":", "(", ")", ";",
];

type Fault = (usize, String);

struct Parser<'r> {
    tokens: Vec<(Token, usize, usize)>,
    text: String,
    at: usize,
    depth: usize,
    /// How many operators the statement has so far.
    operators: usize,
    resolve: &'r mut dyn FnMut(&str) -> Option<Name>,
}

/// What a script's text says.
pub(super) struct Parsed {
    pub(super) statements: Vec<Node>,
    /// Where statements begin that no `;` parts from the one before.
    pub(super) run_on: Vec<usize>,
}

pub(super) fn parse(
    text: &str,
    resolve: &mut dyn FnMut(&str) -> Option<Name>,
) -> Result<Parsed, Fault> {
    let mut parser = Parser {
        tokens: tokens(text)?,
        text: text.to_owned(),
        at: 0,
        depth: 0,
        operators: 0,
        resolve,
    };
    if parser.peek() == &Token::End {
        return Err((0, "Empty Script".to_owned()));
    }
    let mut statements = vec![parser.expression()?];
    let mut run_on = Vec::new();
    loop {
        let mut parted = false;
        while parser.eat(";") {
            parted = true;
        }
        if parser.peek() == &Token::End {
            return Ok(Parsed { statements, run_on });
        }
        if !parted {
            run_on.push(parser.tokens[parser.at].1);
        }
        parser.operators = 0;
        statements.push(parser.expression()?);
    }
}

fn tokens(text: &str) -> Result<Vec<(Token, usize, usize)>, Fault> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let token = if byte == b'\'' {
            let Some(length) = text[at + 1..].find('\'') else {
                return Err(invalid(text, start, text.len()));
            };
            at += length + 2;
            Token::Value(Datum::Text(text[start + 1..at - 1].into()))
        } else if byte.is_ascii_digit() {
            let (value, end) = number(text, at)?;
            at = end;
            Token::Value(value)
        } else if byte.is_ascii_alphabetic() || byte == b'_' || byte == b'@' {
            at += 1;
            while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                at += 1;
            }
            match &text[start..at] {
                // Truth values are numbers in this language.
                "true" => Token::Value(Datum::Float(1.0)),
                "false" => Token::Value(Datum::Float(0.0)),
                word => Token::Word(word.to_owned()),
            }
        } else if let Some(mark) = MARKS.iter().find(|mark| text[at..].starts_with(**mark)) {
            at += mark.len();
            Token::Mark(mark)
        } else {
            let length = text[at..].chars().next().map_or(1, char::len_utf8);
            return Err(invalid(text, start, start + length));
        };
        out.push((token, start, at));
    }
    out.push((Token::End, text.len(), text.len()));
    Ok(out)
}

fn invalid(text: &str, start: usize, end: usize) -> Fault {
    let found = &text[start..end];
    (
        start,
        format!("Invalid token '{found}' at position {start}"),
    )
}

/// A whole number, one in hexadecimal, or one with a fraction or exponent.
fn number(text: &str, start: usize) -> Result<(Datum, usize), Fault> {
    let bytes = text.as_bytes();
    let digits = |mut at: usize| {
        while bytes.get(at).is_some_and(u8::is_ascii_digit) {
            at += 1;
        }
        at
    };
    // Letters, digits and dots that cling to a number belong to it, and make it wrong.
    let clinging = |mut at: usize| {
        while bytes
            .get(at)
            .is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
        {
            at += 1;
        }
        at
    };
    let wrong = |end: usize| Err(invalid(text, start, end));
    if text[start..].starts_with("0x") || text[start..].starts_with("0X") {
        let end = clinging(start + 2);
        return match i64::from_str_radix(&text[start + 2..end], 16) {
            Ok(value) => Ok((Datum::Int(value), end)),
            Err(_) => wrong(end),
        };
    }
    let mut end = digits(start);
    let mut whole = true;
    // `1..x` is a number and a concatenation.
    if bytes.get(end) == Some(&b'.') && bytes.get(end + 1) != Some(&b'.') {
        let fraction = digits(end + 1);
        if fraction == end + 1 {
            return wrong(clinging(fraction));
        }
        (end, whole) = (fraction, false);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        let exponent = digits(end + 1 + sign);
        if exponent == end + 1 + sign {
            return wrong(clinging(exponent));
        }
        (end, whole) = (exponent, false);
    }
    let stop = clinging(end);
    if stop != end {
        return wrong(stop);
    }
    let digits = &text[start..end];
    if whole && let Ok(value) = digits.parse() {
        return Ok((Datum::Int(value), end));
    }
    match digits.parse() {
        Ok(value) if !whole => Ok((Datum::Float(value), end)),
        _ => wrong(end),
    }
}

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.at].0
    }

    fn next(&mut self) -> Token {
        let token = self.tokens[self.at].0.clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    fn is(&self, mark: &str) -> bool {
        matches!(self.peek(), Token::Mark(found) if *found == mark)
    }

    fn eat(&mut self, mark: &str) -> bool {
        let found = self.is(mark);
        if found {
            self.next();
        }
        found
    }

    fn fault<T>(&self, what: impl FnOnce(usize, &str) -> String) -> Result<T, Fault> {
        let (_, start, end) = self.tokens[self.at];
        Err((start, what(start, &self.text[start..end])))
    }

    fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= DEPTH {
            return self.fault(|at, _| format!("Parse error at position {at}: nested too deeply"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// An assignment or anything that binds tighter.
    fn expression(&mut self) -> Result<Node, Fault> {
        self.deeper(|p| {
            let start = p.at;
            let left = p.ternary()?;
            let how = match p.peek() {
                Token::Mark(":=") => Assign::Create,
                Token::Mark("=") => Assign::Set,
                Token::Mark("+=") => Assign::Add,
                Token::Mark("-=") => Assign::Sub,
                Token::Mark("*=") => Assign::Mul,
                Token::Mark("/=") => Assign::Div,
                _ => return Ok(left),
            };
            let Node::Key { slot, name } = left else {
                p.at = start.max(p.at);
                return p.fault(|at, _| {
                    format!("Parse error at position {at}: left operand of an assignment must be a variable name")
                });
            };
            p.next();
            let value = Box::new(p.expression()?);
            Ok(Node::Assign {
                slot,
                name,
                how,
                value,
            })
        })
    }

    fn ternary(&mut self) -> Result<Node, Fault> {
        let condition = self.binary(0)?;
        if !self.eat("?") {
            return Ok(condition);
        }
        let yes = self.expression()?;
        self.expect(":")?;
        let no = self.expression()?;
        Ok(Node::Ternary(condition.into(), yes.into(), no.into()))
    }

    fn expect(&mut self, mark: &str) -> Result<(), Fault> {
        if self.eat(mark) {
            return Ok(());
        }
        self.fault(|at, found| {
            format!("Parse error at position {at}: expected '{mark}' (got '{found}')")
        })
    }

    /// Operators between operands, weakest first.
    fn binary(&mut self, level: usize) -> Result<Node, Fault> {
        use Binary::{Add, And, BitAnd, BitOr, BitXor, Concat, Div, Mul, Or, Sub};
        const LEVELS: &[&[(&str, Binary)]] = &[
            &[("||", Or)],
            &[("&&", And)],
            // Comparisons stand here.
            &[],
            &[("|", BitOr), ("^", BitXor)],
            &[("&", BitAnd)],
            &[("+", Add), ("-", Sub), ("..", Concat)],
            &[("*", Mul), ("/", Div)],
        ];
        let Some(operators) = LEVELS.get(level) else {
            return self.unary();
        };
        if operators.is_empty() {
            return self.comparison(level);
        }
        let mut left = self.binary(level + 1)?;
        while let Some((_, operator)) = operators.iter().find(|(mark, _)| self.is(mark)) {
            if self.operators >= OPERATORS {
                return self.fault(|at, _| {
                    format!("Parse error at position {at}: more than {OPERATORS} operators in one statement")
                });
            }
            self.operators += 1;
            self.next();
            let right = self.binary(level + 1)?;
            left = Node::Binary(*operator, left.into(), right.into());
        }
        Ok(left)
    }

    fn comparison(&mut self, level: usize) -> Result<Node, Fault> {
        const COMPARISONS: &[(&str, Comparison)] = &[
            ("==", Comparison::Eq),
            ("!=", Comparison::Ne),
            ("<", Comparison::Lt),
            (">", Comparison::Gt),
            ("<=", Comparison::Le),
            (">=", Comparison::Ge),
        ];
        let first = self.binary(level + 1)?;
        let mut rest = Vec::new();
        while let Some((_, comparison)) = COMPARISONS.iter().find(|(mark, _)| self.is(mark)) {
            self.next();
            rest.push((*comparison, self.binary(level + 1)?));
        }
        Ok(if rest.is_empty() {
            first
        } else {
            Node::Chain(first.into(), rest)
        })
    }

    fn unary(&mut self) -> Result<Node, Fault> {
        let operator = match self.peek() {
            Token::Mark("-") => Unary::Minus,
            Token::Mark("~") => Unary::Complement,
            Token::Mark("!") => Unary::Not,
            _ => return self.operand(),
        };
        self.next();
        let operand = self.deeper(Self::unary)?;
        Ok(Node::Unary(operator, operand.into()))
    }

    fn operand(&mut self) -> Result<Node, Fault> {
        match self.peek().clone() {
            Token::Value(value) => {
                self.next();
                Ok(Node::Constant(value))
            }
            Token::Word(name) => {
                let resolved = (self.resolve)(&name);
                let node = match resolved {
                    Some(Name::Key(slot)) => Node::Key { slot, name },
                    Some(Name::Number(number)) => Node::Constant(Datum::Int(number)),
                    None => {
                        return self.fault(|at, found| {
                            format!("Parse error at position {at}: '{found}' cannot be used here")
                        });
                    }
                };
                self.next();
                Ok(node)
            }
            Token::Mark("(") => {
                self.next();
                let inner = self.expression()?;
                self.expect(")")?;
                Ok(inner)
            }
            _ => {
                self.fault(|at, found| format!("Expected operand at position {at} (got '{found}')"))
            }
        }
    }
}
