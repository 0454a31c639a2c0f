//! Random documents for tests: every construct, awkward texts, every combination that readers and
//! writers must survive. The same seed always gives the same document.

use super::*;

/// A small generator of random numbers (splitmix64): tests must not depend on a crate's stream.
pub(crate) struct Random(u64);

/// Which lot of random cases tests take: `TICKSEED_LOT=1`, `2`, ... for long hunts.
pub(crate) fn lot() -> u64 {
    let lot = std::env::var("TICKSEED_LOT").ok();
    lot.and_then(|lot| lot.parse().ok()).unwrap_or(0)
}

/// The seeds of a test that takes `count` of them.
pub(crate) fn seeds(count: u64) -> std::ops::Range<u64> {
    lot() * count..(lot() + 1) * count
}

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `limit`, which must not be 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    pub(crate) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub(crate) fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }

    fn some<T>(&mut self, percent: usize, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.chance(percent) {
            Some(make(self))
        } else {
            None
        }
    }

    fn many<T>(&mut self, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.below(most + 1)).map(|_| make(self)).collect()
    }
}

/// Names as people choose them, and names no one should.
const NAMES: &[&str] = &[
    "Guard",
    "MoveTo",
    "Patrol",
    "sequence",
    "Sequence",
    "goal",
    "within",
    "target",
    "x",
    "fight",
    "reactive",
    "Sub",
    "SubTree",
    "Action",
    "name",
    "ID",
    "_x",
    "_skipIf",
    "_description",
    "root",
    "with space",
    "a.b",
    "a-b",
    "1st",
    "",
    "é",
    "中文",
    "\"q\"",
    "'",
    "<&>",
    "a\nb",
    "collapsed",
    "disabled",
    "autoremap",
    "tick.0",
    "xml:x",
    "case",
    "default",
    "if",
    "while",
    "none",
    "true",
    "Keys",
    "@x",
    "{x}",
];

const TEXTS: &[&str] = &[
    "",
    " ",
    "plain",
    "two words",
    "{key}",
    "{=}",
    "{",
    "1",
    "01",
    "1.5",
    "-3",
    "true",
    "none",
    "800ms",
    "a;b",
    "\"quoted\"",
    "it's",
    "<tag> && more",
    "&amp;",
    "l1\nl2",
    "tab\tcr\rcrlf\r\n",
    "-- dashes --",
    "]]>",
    "\\n",
    "é中文😀",
    "\u{1}\u{0}\u{7f}",
    "// no comment",
    ".word",
    " padded ",
    "{\"json\": [1]}",
];

/// A random document. Sizes are small: many seeds find more than large documents.
pub(crate) fn document(seed: u64) -> Document {
    let r = &mut Random::new(seed);
    Document {
        main: r.some(50, name),
        version: r.some(20, |_| Name::from("4")),
        attributes: attributes(r, &[Role::Metadata]),
        items: r.many(4, item),
        doc: r.some(20, doc),
        trivia: trivia(r),
        inner: comments(r),
        ..Document::default()
    }
}

fn item(r: &mut Random) -> Item {
    match r.below(10) {
        0 => Item::Import(Import {
            path: name(r),
            attributes: attributes(r, &[Role::Metadata]),
            trivia: trivia(r),
            ..Import::default()
        }),
        1 | 2 => Item::Model(NodeModel {
            category: category(r),
            name: name(r),
            ports: r.many(3, port),
            attributes: attributes(r, &[Role::Metadata]),
            doc: r.some(30, doc),
            trivia: trivia(r),
            span: Span::default(),
        }),
        3 => Item::Keys(keys(r)),
        4 => Item::Enum(EnumModel {
            name: name(r),
            words: r.many(4, |r| EnumWord {
                name: name(r),
                number: r.some(40, |r| r.next() as i64),
            }),
            doc: r.some(30, doc),
            trivia: trivia(r),
            ..EnumModel::default()
        }),
        _ => Item::Tree(Tree {
            name: name(r),
            params: r.many(2, port),
            keys: r.many(1, keys),
            body: if r.chance(90) {
                vec![node(r, 0)]
            } else {
                r.many(2, |r| node(r, 3))
            },
            attributes: attributes(r, &[Role::Metadata]),
            doc: r.some(30, doc),
            trivia: trivia(r),
            inner: comments(r),
            ..Tree::default()
        }),
    }
}

fn node(r: &mut Random, depth: usize) -> Node {
    let hook = r.pick(&Hook::ALL).0;
    Node {
        kind: name(r),
        form: if r.chance(70) {
            Form::Compact
        } else {
            Form::Explicit(category(r))
        },
        name: r.some(30, name),
        attributes: attributes(
            r,
            &[
                Role::Argument,
                Role::Argument,
                Role::Option,
                Role::Hook(hook),
                Role::Metadata,
            ],
        ),
        children: if depth < 4 {
            r.many(3, |r| node(r, depth + 1))
        } else {
            Vec::new()
        },
        disabled: r.chance(10),
        doc: r.some(15, doc),
        trivia: trivia(r),
        inner: comments(r),
        ..Node::default()
    }
}

fn attributes(r: &mut Random, roles: &[Role]) -> Vec<Attribute> {
    r.many(3, |r| {
        let role = r.pick(roles);
        let positional = role == Role::Argument && r.chance(20);
        let bare = r.chance(10) && !positional && !matches!(role, Role::Hook(_));
        Attribute {
            role,
            name: match role {
                Role::Hook(hook) => Some(hook.words().into()),
                _ if positional => None,
                _ => Some(name(r)),
            },
            value: if bare { None } else { Some(value(r, 0)) },
            span: Span::default(),
        }
    })
}

fn port(r: &mut Random) -> Port {
    Port {
        direction: r.pick(&[Direction::In, Direction::Out, Direction::InOut]),
        name: name(r),
        ty: r.some(50, name),
        default: r.some(50, |r| value(r, 0)),
        doc: r.some(20, doc),
        attributes: attributes(r, &[Role::Metadata]),
        trivia: trivia(r),
        ..Port::default()
    }
}

fn keys(r: &mut Random) -> Keys {
    Keys {
        keys: r.many(3, |r| KeyDecl {
            name: name(r),
            ty: r.some(50, name),
            initial: r.some(50, |r| value(r, 0)),
            doc: r.some(20, doc),
            trivia: trivia(r),
            ..KeyDecl::default()
        }),
        trivia: trivia(r),
        inner: comments(r),
        ..Keys::default()
    }
}

fn value(r: &mut Random, depth: usize) -> Value {
    let kind = match r.below(if depth < 2 { 9 } else { 7 }) {
        0 => ValueKind::Key(KeyRef {
            scope: r.pick(&[KeyScope::Local, KeyScope::Root]),
            name: name(r).text,
        }),
        1 => ValueKind::SameName,
        2 => ValueKind::Code(Code {
            text: text(r).into(),
            dialect: r.pick(&[Dialect::Tick, Dialect::BtCpp]),
        }),
        7 => ValueKind::Range(Box::new(value(r, depth + 1)), Box::new(value(r, depth + 1))),
        8 => ValueKind::Literal(Literal::List(r.many(3, |r| value(r, depth + 1)))),
        _ => ValueKind::Literal(literal(r)),
    };
    Value {
        kind,
        span: Span::default(),
    }
}

fn literal(r: &mut Random) -> Literal {
    match r.below(8) {
        0 => Literal::None,
        1 => Literal::Bool(r.chance(50)),
        2 => {
            let (value, raw) = r.pick(&[
                (3, "3"),
                (-7, "-7"),
                (1000, "1_000"),
                (31, "0x1F"),
                (i64::MIN, "-9223372036854775808"),
            ]);
            Literal::Int(Number {
                value,
                raw: raw.into(),
            })
        }
        3 => {
            let (value, raw) = r.pick(&[
                (1.5, "1.50"),
                (1000.0, "1e3"),
                (-0.0, "-0.0"),
                (1e300, "1e300"),
                (f64::INFINITY, "1e999"),
                (1000.5, "1_000.5"),
            ]);
            Literal::Float(Number {
                value,
                raw: raw.into(),
            })
        }
        4 => {
            let (value, raw) = r.pick(&[
                (800_000_000, "800ms"),
                (90_000_000_000, "1.5min"),
                (0, "0s"),
                (5, "odd"),
            ]);
            Literal::Duration(Number {
                value,
                raw: raw.into(),
            })
        }
        5 => Literal::Word(name(r).text),
        _ => Literal::Text(text(r).into()),
    }
}

fn category(r: &mut Random) -> Category {
    r.pick(&Category::ALL).1
}

fn name(r: &mut Random) -> Name {
    // Sane names more often, so that structures with references arise.
    let limit = if r.chance(70) { 12 } else { NAMES.len() };
    Name::from(NAMES[r.below(limit)])
}

fn text(r: &mut Random) -> String {
    r.pick(TEXTS).to_owned()
}

/// A description: readers drop space at the ends of its lines.
fn doc(r: &mut Random) -> String {
    let text = text(r);
    let lines: Vec<_> = text.split('\n').map(str::trim_end).collect();
    lines.join("\n")
}

fn trivia(r: &mut Random) -> Trivia {
    Trivia {
        blank_before: r.chance(20),
        leading: comments(r),
        trailing: r.some(10, comment),
    }
}

fn comments(r: &mut Random) -> Vec<Comment> {
    if r.chance(85) {
        Vec::new()
    } else {
        r.many(2, comment)
    }
}

fn comment(r: &mut Random) -> Comment {
    Comment {
        text: text(r),
        blank_after: r.chance(20),
        span: Span::default(),
    }
}
