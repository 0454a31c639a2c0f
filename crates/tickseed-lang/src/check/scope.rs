//! The names that a tree sees.

use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{self, Expr, ExprKind, Key, Names, Slot, Type};
use crate::model::{
    Code, Dialect, Direction, Document, KeyDecl, KeyScope, Keys, Literal, Name, Span, Tree, Value,
    ValueKind,
};

/// The names of one tree.
#[derive(Clone, Debug, Default)]
pub struct TreeNames {
    /// All names: parameters before the tree's keys before the files' keys.
    pub names: Names,
    /// What is wrong with the declarations.
    pub diagnostics: Vec<Diagnostic>,
}

/// The names that a tree sees: its parameters, its keys, the keys of all documents (which are the
/// root blackboard's keys too). Slots are given in this order: files' keys, parameters, own keys;
/// the files' keys have the same slots in every tree. `base` holds the program's names.
pub fn tree_names(tree: Option<&Tree>, documents: &[&Document], base: &Names) -> TreeNames {
    let mut scope = TreeNames {
        names: base.clone(),
        diagnostics: Vec::new(),
    };
    for document in documents {
        for model in document.enums() {
            let mut next = 0_i64;
            let words = model.words.iter().map(|word| {
                let number = word.number.unwrap_or(next);
                next = number.wrapping_add(1);
                (word.name.text.to_string(), number)
            });
            scope
                .names
                .add_enum(model.name.text.clone(), words.collect());
        }
    }
    for document in documents {
        for key in document.keys() {
            let slot = scope.declare(key);
            if let Some(found) = scope.names.key(key.name.as_str()).cloned() {
                let root = Key { slot, ..found };
                scope
                    .names
                    .insert(KeyScope::Root, key.name.text.clone(), root);
            }
        }
    }
    let Some(tree) = tree else { return scope };
    let mut seen: Vec<(&str, Span)> = Vec::new();
    for param in &tree.params {
        let ty = match (&param.ty, &param.default) {
            (Some(ty), value) => scope.parse_type(ty, value.is_some()),
            (None, Some(value)) => scope.type_of(value),
            (None, None) => Type::Any,
        };
        if let (Some(value), Some(_)) = (&param.default, &param.ty) {
            scope.check_initial(value, &ty);
        }
        let slot = scope.names.add_key(param.name.text.clone(), ty.clone());
        // What only comes in is not the tree's to change.
        let writable = param.direction != Direction::In;
        let key = Key { ty, slot, writable };
        scope
            .names
            .insert(KeyScope::Local, param.name.text.clone(), key);
        scope.unique(&mut seen, &param.name);
    }
    for key in tree.keys.iter().flat_map(|keys: &Keys| &keys.keys) {
        scope.declare(key);
        scope.unique(&mut seen, &key.name);
    }
    scope
}

/// The type that was probably meant by a name that is none.
fn near_type<'n>(name: &str, names: &'n Names) -> Option<&'n str> {
    Some(match name.to_ascii_lowercase().as_str() {
        "boolean" => "bool",
        "integer" | "long" | "uint" | "i32" | "i64" | "u32" | "u64" => "int",
        "number" | "real" | "f32" | "f64" => "float",
        "str" => "text",
        "vector2" => "vec2",
        "vector3" => "vec3",
        _ => {
            let known = ["bool", "int", "float", "text", "duration", "vec2", "vec3"];
            return nearest(name, known.into_iter().chain(names.enum_names()));
        }
    })
}

impl TreeNames {
    fn unique<'t>(&mut self, seen: &mut Vec<(&'t str, Span)>, name: &'t Name) {
        if let Some((_, first)) = seen.iter().find(|(other, _)| *other == name.text) {
            self.diagnostics.push(
                Diagnostic::error("tick::duplicate-key", format!("`{name}` is declared twice"))
                    .at(name.span, "again here")
                    .and(*first, "first here"),
            );
        }
        seen.push((name.as_str(), name.span));
    }

    /// A type by its name. A first value of another type has a message of its own.
    fn parse_type(&mut self, name: &Name, has_value: bool) -> Type {
        let ty = Type::parse(name.as_str(), |name| self.names.is_enum(name));
        if ty.is_bare_list() {
            self.diagnostics.push(bare_list(name.span));
            return Type::Any;
        }
        if let Type::Opaque(unknown) = &ty
            && !has_value
            && let Some(near) = near_type(unknown, &self.names)
        {
            let message =
                format!("`{unknown}` is no type here: it is taken for one of the program's");
            self.diagnostics.push(
                Diagnostic::warning("tick::misspelt-type", message)
                    .at(name.span, "not known")
                    .help(format!("did you mean `{near}`?")),
            );
        }
        ty
    }

    fn declare(&mut self, key: &KeyDecl) -> Slot {
        let ty = match (&key.ty, &key.initial) {
            (Some(ty), value) => self.parse_type(ty, value.is_some()),
            (None, Some(value)) => self.type_of(value),
            (None, None) => Type::Any,
        };
        if let (Some(value), Some(_)) = (&key.initial, &key.ty) {
            self.check_initial(value, &ty);
        }
        self.names.add_key(key.name.text.clone(), ty)
    }

    /// The type of a value that declares a key.
    fn type_of(&mut self, value: &Value) -> Type {
        let Some(Ok(expr)) = expression(value, "") else {
            return Type::Any;
        };
        match expr::check(&expr, &Type::Any, &Names::new()) {
            Ok(checked) => checked.ty,
            Err(_) => {
                self.diagnostics.push(
                    Diagnostic::error("tick::initial-value", "this value does not tell its type")
                        .at(value.span, "expected a constant")
                        .help("write the type: `key: type = value`"),
                );
                Type::Any
            }
        }
    }

    fn check_initial(&mut self, value: &Value, ty: &Type) {
        let none = matches!(value.kind, ValueKind::Literal(Literal::None));
        if none || *ty == Type::Any {
            return;
        }
        let Some(Ok(expr)) = expression(value, "") else {
            return;
        };
        match expr::check(&expr, ty, &self.names) {
            Ok(_) => {}
            Err(mut errors) => {
                if let Type::Opaque(name) = ty {
                    let help = match nearest(name, TYPES.iter().copied()) {
                        Some(near) => format!("did you mean the type `{near}`?"),
                        None => format!(
                            "`{name}` is a type of the program's own: the key is declared without a value"
                        ),
                    };
                    for error in &mut errors {
                        error.help.get_or_insert_with(|| help.clone());
                    }
                }
                self.diagnostics.extend(errors);
            }
        }
    }
}

/// A `list` without the type of its items would be a type of the program's own that holds nothing.
pub(crate) fn bare_list(span: Span) -> Diagnostic {
    Diagnostic::error("tick::list", "`list` does not say what it holds")
        .at(span, "expected the type of its items")
        .help("write it behind: `list<float>`")
}

/// What types are called in tree files, beside enumerations.
const TYPES: &[&str] = &[
    "bool", "int", "float", "text", "duration", "vec2", "vec3", "any",
];

/// A value as an expression; `port` is the name that `=` stands for. `None` for what is not one:
/// ranges and code of another language.
pub(super) fn expression(value: &Value, port: &str) -> Option<Result<Expr, Vec<Diagnostic>>> {
    let simple = |kind| Some(Ok(Expr::new(kind, value.span)));
    match &value.kind {
        ValueKind::Literal(Literal::List(items)) => {
            let mut list = Vec::new();
            for item in items {
                match expression(item, port)? {
                    Ok(expr) => list.push(expr),
                    Err(errors) => return Some(Err(errors)),
                }
            }
            simple(ExprKind::List(list))
        }
        ValueKind::Literal(literal) => simple(ExprKind::Literal(literal.clone())),
        ValueKind::Key(key) => simple(ExprKind::Key(key.clone())),
        ValueKind::SameName => simple(ExprKind::Key(crate::model::KeyRef {
            scope: KeyScope::Local,
            name: port.to_owned().into(),
        })),
        ValueKind::Code(Code {
            text,
            dialect: Dialect::Tick,
        }) => Some(expr::parse_expression(text, value.span)),
        ValueKind::Code(_) | ValueKind::Range(..) => None,
    }
}
