//! Random documents are printed and read back; mutated sources never bring the parser down.

use proptest::prelude::*;
use tickseed_lang::builtin::{BUILTINS, Head, OptionValue};
use tickseed_lang::diagnostics::Severity;
use tickseed_lang::fmt::format;
use tickseed_lang::model::{
    Attribute, Category, Comment, Dialect, Direction, Document, EnumModel, EnumWord, FileId, Form,
    Hook, Import, Item, KeyDecl, KeyRef, KeyScope, Keys, Literal, Name, Node, NodeModel, Number,
    Port, Role, Span, Tree, Trivia, Value, ValueKind,
};
use tickseed_lang::tick::parse_text;

fn name() -> impl Strategy<Value = Name> {
    prop_oneof![
        6 => "[a-zA-Z_][a-zA-Z0-9_]{0,8}",
        1 => "[a-z :.<>%`é-]{1,8}",
        1 => prop::sample::select(vec![
            "in", "out", "not", "and", "true", "none", "if", "else", "tree", "off", "skip", "fail",
            "on", "while", "keys", "main", "import", "sequence", "until", "force", "fallback",
            "action", "leaf", "btcpp", "drain", "reactive",
        ]).prop_map(str::to_owned),
    ]
    .prop_map(|text| Name::new(text, Span::default()))
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof!["[ -~]{0,12}", any::<String>()]
}

/// Text of one line that does not end in a space, as docs have.
fn doc() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(
        0.2,
        prop::collection::vec("([a-z/!`]( [a-z`]+)?)?", 1..3).prop_map(|l| l.join("\n")),
    )
}

fn number() -> impl Strategy<Value = Literal> {
    prop_oneof![
        any::<i32>().prop_map(|v| Literal::Int(Number {
            value: v.into(),
            raw: v.to_string().into()
        })),
        (0_u32..99, 0_u32..99).prop_map(|(a, b)| {
            let raw = format!("{a}.{b:02}");
            Literal::Float(Number {
                value: raw.parse().unwrap(),
                raw: raw.into(),
            })
        }),
        (
            0_i64..999,
            prop::sample::select(vec![("ms", 1_000_000), ("s", 1_000_000_000)])
        )
            .prop_map(|(n, (unit, nanos))| {
                Literal::Duration(Number {
                    value: n * nanos,
                    raw: format!("{n}{unit}").into(),
                })
            }),
    ]
}

fn simple_literal() -> impl Strategy<Value = Literal> {
    prop_oneof![
        Just(Literal::None),
        any::<bool>().prop_map(Literal::Bool),
        number(),
        text().prop_map(|text| Literal::Text(text.into())),
        name().prop_map(|name| Literal::Word(name.text)),
    ]
}

fn literal_value() -> impl Strategy<Value = Value> {
    let leaf = simple_literal().prop_map(|literal| Value::literal(literal, Span::default()));
    leaf.prop_recursive(2, 6, 3, |inner| {
        prop::collection::vec(inner, 0..3)
            .prop_map(|items| Value::literal(Literal::List(items), Span::default()))
    })
}

fn key() -> impl Strategy<Value = Value> {
    (any::<bool>(), name()).prop_map(|(root, name)| {
        let scope = if root {
            KeyScope::Root
        } else {
            KeyScope::Local
        };
        let kind = ValueKind::Key(KeyRef {
            scope,
            name: name.text,
        });
        Value {
            kind,
            span: Span::default(),
        }
    })
}

fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        "[a-d]",
        "[0-9]{1,3}",
        Just("\"t\"".to_owned()),
        Just("@r".to_owned())
    ];
    leaf.prop_recursive(4, 16, 3, |inner| {
        let op = prop::sample::select(vec!["+", "-", "*", "/", "%", "&&", "||"]);
        let compare = prop::sample::select(vec!["<", "<=", "==", "!=", ">", "in"]);
        prop_oneof![
            (inner.clone(), op, inner.clone()).prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            (inner.clone(), compare, inner.clone())
                .prop_map(|(a, op, b)| format!("({a}) {op} ({b})")),
            inner.clone().prop_map(|a| format!("!({a})")),
            inner.clone().prop_map(|a| format!("-({a})")),
            inner.clone().prop_map(|a| format!("({a}).x")),
            (inner.clone(), inner.clone(), inner.clone())
                .prop_map(|(a, b, c)| format!("({a}) ? ({b}) : ({c})")),
            prop::collection::vec(inner, 0..3).prop_map(|args| format!("f({})", args.join(", "))),
        ]
    })
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        3 => literal_value(),
        3 => key(),
        2 => expression().prop_map(|text| Value::code(text, Dialect::Tick, Span::default())),
        1 => text().prop_map(|text| Value::code(text, Dialect::BtCpp, Span::default())),
        1 => (number(), prop_oneof![number().prop_map(|n| Value::literal(n, Span::default())), key()])
            .prop_map(|(a, b)| {
                let a = Value::literal(a, Span::default());
                Value { kind: ValueKind::Range(Box::new(a), Box::new(b)), span: Span::default() }
            }),
    ]
}

fn script() -> impl Strategy<Value = Value> {
    let statement = (name(), expression()).prop_map(|(name, value)| {
        let key = Value::key(name.text, Span::default());
        let mut node = Node::new("set");
        node.attributes.push(Attribute::positional(key));
        // The printer knows how the key is spelled.
        let printed = format(&document(vec![node]));
        let key = printed
            .lines()
            .nth(1)
            .unwrap_or_default()
            .trim()
            .trim_start_matches("set ");
        format!("{key} = {value}")
    });
    prop_oneof![
        4 => prop::collection::vec(statement, 1..4)
            .prop_map(|list| Value::code(list.join("; "), Dialect::Tick, Span::default())),
        1 => text().prop_map(|text| Value::code(text, Dialect::BtCpp, Span::default())),
    ]
}

fn trivia() -> impl Strategy<Value = Trivia> {
    let comment = || {
        ("[a-z/! ]{0,10}", any::<bool>()).prop_map(|(text, blank_after)| Comment {
            text: text.trim().to_owned(),
            blank_after,
            span: Span::default(),
        })
    };
    (
        any::<bool>(),
        prop::collection::vec(comment(), 0..2),
        prop::option::weighted(0.1, comment()),
    )
        .prop_map(|(blank_before, leading, trailing)| Trivia {
            blank_before,
            leading,
            trailing,
        })
}

fn hooks() -> impl Strategy<Value = Vec<Attribute>> {
    let one = prop::sample::select(Hook::ALL.to_vec()).prop_flat_map(|(hook, words, _)| {
        let value = if hook.is_guard() {
            value().boxed()
        } else {
            script().boxed()
        };
        value.prop_map(move |value| Attribute {
            role: Role::Hook(hook),
            name: Some(Name::from(words)),
            value: Some(value),
            span: Span::default(),
        })
    });
    prop::collection::vec(one, 0..2).prop_map(|mut list| {
        list.dedup_by_key(|a| a.role);
        list
    })
}

fn metadata() -> impl Strategy<Value = Vec<Attribute>> {
    let one = (name(), prop::option::of(literal_value())).prop_map(|(name, value)| Attribute {
        role: Role::Metadata,
        name: Some(name),
        value,
        span: Span::default(),
    });
    prop::collection::vec(one, 0..2)
}

fn custom_node() -> impl Strategy<Value = Node> {
    let arguments = prop::collection::vec((prop::option::of(name()), value()), 0..3);
    let options = prop::collection::vec((name(), prop::option::of(value())), 0..2);
    let form = prop_oneof![
        3 => Just(Form::Compact),
        1 => prop::sample::select(Category::ALL.to_vec()).prop_map(|(_, c)| Form::Explicit(c)),
    ];
    (name(), form, arguments, options).prop_map(|(kind, form, arguments, options)| {
        let native = BUILTINS.iter().any(|builtin| builtin.name == kind.text);
        let mut node = Node::new("x");
        node.kind = if native { Name::from("Custom") } else { kind };
        node.form = form;
        for (name, value) in arguments {
            let same = |a: &Attribute| name.as_ref().is_some_and(|n| a.name() == n.text);
            if !node.arguments().any(same) {
                node.attributes.push(Attribute {
                    role: Role::Argument,
                    name,
                    value: Some(value),
                    span: Span::default(),
                });
            }
        }
        for (name, value) in options {
            // An option in parentheses without values has none.
            if node.option(name.as_str()).is_none() {
                node.attributes.push(Attribute::option(name, value));
            }
        }
        node
    })
}

fn native_node() -> impl Strategy<Value = Node> {
    let pick = prop::sample::select(BUILTINS.to_vec());
    pick.prop_flat_map(|builtin| {
        let head = match builtin.head {
            Head::None => Just(vec![]).boxed(),
            Head::OptionalValue => prop::collection::vec(value(), 0..2).boxed(),
            Head::Values => prop::collection::vec(value(), 1..3).boxed(),
            Head::Script => script().prop_map(|value| vec![value]).boxed(),
            _ => value().prop_map(|value| vec![value]).boxed(),
        };
        let pick =
            prop::sample::subsequence(builtin.options.to_vec(), 0..=builtin.options.len().min(2));
        (head, pick, value(), name()).prop_map(move |(head, options, given, index)| {
            let mut node = Node::new(builtin.name);
            for value in head {
                if builtin.head == Head::Count {
                    if index.text.len() % 2 == 0 {
                        let key = Value::key(index.text.clone(), Span::default());
                        node.attributes
                            .push(Attribute::argument(Name::from("index"), key));
                    }
                    node.attributes
                        .push(Attribute::argument(Name::from("count"), value));
                } else {
                    node.attributes.push(Attribute::positional(value));
                }
            }
            for option in options {
                let value = match option.value {
                    OptionValue::Flag => None,
                    OptionValue::Word(words) => {
                        let word = Literal::Word(words[0].to_owned().into());
                        Some(Value::literal(word, Span::default()))
                    }
                    OptionValue::NumberOrAll => Some(Value::int(2, Span::default())),
                    _ => Some(given.clone()),
                };
                node.attributes
                    .push(Attribute::option(Name::from(option.name), value));
            }
            node
        })
    })
}

fn node() -> impl Strategy<Value = Node> {
    let bare = prop_oneof![custom_node(), native_node()];
    let extras = (
        prop::option::weighted(0.2, text()),
        hooks(),
        metadata(),
        doc(),
        trivia(),
        prop::bool::weighted(0.1),
    );
    let leaf = (bare, extras).prop_map(
        |(mut node, (name, hooks, metadata, doc, trivia, disabled))| {
            // A named message cannot be a range, which would mean nothing.
            let range = |a: &Attribute| {
                matches!(
                    &a.value,
                    Some(Value {
                        kind: ValueKind::Range(..),
                        ..
                    })
                )
            };
            let log = matches!(node.kind.as_str(), "log" | "case") && node.arguments().any(range);
            node.name = name
                .filter(|_| !log)
                .map(|text| Name::new(text, Span::default()));
            node.attributes.extend(hooks);
            node.attributes.extend(metadata);
            node.doc = doc;
            node.trivia = trivia;
            node.disabled = disabled;
            node
        },
    );
    let leaf = leaf.boxed();
    leaf.clone().prop_recursive(4, 24, 3, move |inner| {
        (leaf.clone(), prop::collection::vec(inner, 0..4)).prop_map(|(mut node, children)| {
            node.children = children;
            // These have room for one or two children only.
            if matches!(node.kind.as_str(), "if" | "while") && node.form == Form::Compact {
                node.children.truncate(2);
            }
            node
        })
    })
}

fn port() -> impl Strategy<Value = Port> {
    let direction = prop::sample::select(vec![Direction::In, Direction::Out, Direction::InOut]);
    let ty = prop::option::of(prop_oneof![Just(Name::from("list<int>")), name()]);
    (
        direction,
        name(),
        ty,
        prop::option::of(value()),
        doc(),
        metadata(),
    )
        .prop_map(|(direction, name, ty, default, doc, attributes)| Port {
            direction,
            name,
            ty,
            default,
            doc,
            attributes,
            ..Port::default()
        })
}

fn item() -> impl Strategy<Value = Item> {
    let ports = || prop::collection::vec(port(), 0..3);
    let keys = || {
        let key = (name(), prop::option::of(name()), value(), doc(), trivia());
        (prop::collection::vec(key, 0..3), trivia()).prop_map(|(keys, trivia)| {
            let keys = keys.into_iter().map(|(name, ty, initial, doc, trivia)| {
                // A declaration without a type needs a value.
                let initial = (ty.is_none() || name.text.len() > 3).then_some(initial);
                KeyDecl {
                    name,
                    ty,
                    initial,
                    doc,
                    trivia,
                    span: Span::default(),
                }
            });
            Keys {
                keys: keys.collect(),
                trivia,
                ..Keys::default()
            }
        })
    };
    let tree = (
        name(),
        ports(),
        prop::collection::vec(keys(), 0..2),
        prop::collection::vec(node(), 0..3),
        metadata(),
        doc(),
        trivia(),
    )
        .prop_map(|(name, params, keys, body, attributes, doc, trivia)| {
            Item::Tree(Tree {
                name,
                params,
                keys,
                body,
                attributes,
                doc,
                trivia,
                ..Tree::default()
            })
        });
    let model = (
        prop::sample::select(Category::ALL.to_vec()),
        name(),
        ports(),
        metadata(),
        doc(),
        trivia(),
    )
        .prop_map(|((_, category), name, ports, attributes, doc, trivia)| {
            Item::Model(NodeModel {
                category,
                name,
                ports,
                attributes,
                doc,
                trivia,
                span: Span::default(),
            })
        });
    let enumeration = (
        name(),
        prop::collection::vec((name(), prop::option::of(any::<i64>())), 0..4),
        doc(),
    )
        .prop_map(|(name, words, doc)| {
            let mut model = EnumModel {
                name,
                doc,
                ..EnumModel::default()
            };
            for (name, number) in words {
                let number = number.map(|number| number.max(-i64::MAX));
                if model.words.iter().all(|word| word.name != name) {
                    model.words.push(EnumWord { name, number });
                }
            }
            Item::Enum(model)
        });
    let import = (text(), metadata(), trivia()).prop_map(|(path, attributes, trivia)| {
        let path = Name::new(path, Span::default());
        Item::Import(Import {
            path,
            attributes,
            trivia,
            span: Span::default(),
        })
    });
    prop_oneof![3 => tree, 1 => model, 1 => keys().prop_map(Item::Keys), 1 => enumeration, 1 => import]
}

/// A document that is shown as text when a test fails.
#[derive(Clone)]
struct Shown(Document);

impl std::fmt::Debug for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "document:\n{}", format(&self.0))
    }
}

fn documents() -> impl Strategy<Value = Shown> {
    (
        prop::collection::vec(item(), 0..4),
        prop::option::of(name()),
        metadata(),
        doc(),
        prop::option::of(text()),
    )
        .prop_map(|(items, main, attributes, doc, version)| {
            let mut document = Document {
                items,
                attributes,
                doc,
                ..Document::default()
            };
            document.version = version.map(|text| Name::new(text, Span::default()));
            document.main = main;
            document
                .attributes
                .retain(|attribute| !matches!(attribute.name(), "version" | "main"));
            Shown(document)
        })
}

fn document(body: Vec<Node>) -> Document {
    let tree = Tree {
        name: Name::from("T"),
        body,
        ..Tree::default()
    };
    Document {
        items: vec![Item::Tree(tree)],
        ..Document::default()
    }
}

fn comments(document: &str) -> usize {
    document
        .lines()
        .filter(|line| line.trim_start().starts_with("//"))
        .count()
}

fn check_round_trip(document: &Document) -> Result<(), TestCaseError> {
    let printed = format(document);
    let parsed = parse_text(&printed, FileId(0));
    let messages: Vec<_> = parsed.diagnostics.iter().map(ToString::to_string).collect();
    prop_assert!(parsed.is_ok(), "{messages:#?}");
    let (want, got) = (document.meaning(), parsed.document.meaning());
    if want != got {
        let (want, got) = (format!("{want:#?}"), format!("{got:#?}"));
        let differ = want
            .lines()
            .zip(got.lines())
            .position(|(a, b)| a != b)
            .unwrap_or(0);
        let near = |text: &str| {
            text.lines()
                .skip(differ.saturating_sub(10))
                .take(20)
                .collect::<Vec<_>>()
                .join("\n")
        };
        prop_assert!(false, "wanted\n{}\ngot\n{}", near(&want), near(&got));
    }
    let again = format(&parsed.document);
    prop_assert_eq!(&again, &printed, "formatting twice changes the text");
    prop_assert_eq!(comments(&again), comments(&printed));
    Ok(())
}

/// Cases of each test; `PROPTEST_CASES` gives more for long hunts.
fn cases() -> u32 {
    let given = std::env::var("PROPTEST_CASES").ok();
    given.and_then(|cases| cases.parse().ok()).unwrap_or(300)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn printed_documents_read_back_the_same(document in documents()) {
        check_round_trip(&document.0)?;
    }

    #[test]
    fn damaged_sources_are_survived(
        document in documents(),
        cuts in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), "[{}()\\[\\]\"`.,:;=<a-z\n#@ /-]{0,3}"), 1..6),
    ) {
        let mut text: Vec<char> = format(&document.0).chars().collect();
        for (from, length, put) in cuts {
            let from = from.index(text.len() + 1);
            let to = (from + length.index(4)).min(text.len());
            text.splice(from..to, put.chars());
        }
        let text: String = text.into_iter().collect();
        survives(&text)?;
    }

    #[test]
    fn any_text_is_survived(text in any::<String>()) {
        survives(&text)?;
    }

    #[test]
    fn token_soup_is_survived(words in prop::collection::vec(prop::sample::select(vec![
        "tree", "main", "A", "{", "}", "(", ")", "[", "]", ":", "=", ",", ";", "\n", "if", "else",
        "while", "check", "set", "for", "in", "loop", "catch", "off", "action", "1s", "..", "2",
        "\"t\"", "`q`", "#[", "#![", "skip", "on", "success", "&&", "!", "-", "?", ".", "@", "keys",
        "enum", "import", "leaf", "///d\n", "//c\n", "log", "wait", "until", "x", "repeat",
    ]), 0..60)) {
        survives(&words.join(" "))?;
    }
}

/// Reads a text, renders its messages, formats what was read; good text stays good.
fn survives(text: &str) -> Result<(), TestCaseError> {
    let mut sources = tickseed_lang::model::SourceMap::new();
    let file = sources.add("random.tick", text);
    let parsed = parse_text(text, file);
    for diagnostic in &parsed.diagnostics {
        prop_assert!(!diagnostic.render(&sources).is_empty());
        let place = diagnostic.primary.as_ref().map(|label| label.span);
        let inside = place.is_some_and(|span| span.end as usize <= text.len());
        prop_assert!(inside, "{diagnostic:?}");
    }
    let printed = format(&parsed.document);
    if parsed
        .diagnostics
        .iter()
        .all(|d| d.severity < Severity::Warning)
    {
        let again = parse_text(&printed, file);
        prop_assert!(
            again.is_ok(),
            "{text}\n----\n{printed}\n{:#?}",
            again.diagnostics
        );
        prop_assert!(
            parsed.document.same_meaning(&again.document),
            "{text}\n----\n{printed}"
        );
        prop_assert_eq!(format(&again.document), printed);
    }
    Ok(())
}
