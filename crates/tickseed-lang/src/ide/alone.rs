//! A file that needs no program to be understood.

use super::{Files, Owner, Symbol};
use crate::fmt::format;
use crate::load::{Memory, load_text};
use crate::model::{
    Document, EnumModel, FileId, Item, KeyDecl, Keys, Literal, Name, NodeModel, Number, Span,
    Trivia, Value,
};

/// A `.tick` text with descriptions of all that it uses of a program and does not describe itself:
/// nodes, the program's keys, words. With them it can be checked, simulated and tested where the
/// program is not at hand. `offered` is what the program has, as
/// [`Registry::document`](crate::registry::Registry::document) tells it; its keys begin with
/// `false` or zero. Nothing if the text has mistakes.
///
/// ```
/// # use tickseed_lang::{board::Board, ide::alone, registry::Registry, model::Document};
/// let mut registry = Registry::<Board>::new();
/// registry.condition("Hungry", |_| true);
/// let text = "main tree A {\n  Hungry\n}\n";
/// assert_eq!(alone(text, &registry.document()).unwrap(), "condition Hungry\n\nmain tree A {\n  Hungry\n}\n");
/// ```
#[must_use]
pub fn alone(text: &str, offered: &Document) -> Option<String> {
    let mut loaded = load_text("", text, &Memory::default());
    if loaded.diagnostics.iter().any(|d| d.is_error()) {
        return None;
    }
    let mut document = loaded.document()?.clone();
    loaded.documents.insert(
        0,
        Document {
            file: FileId(u32::MAX),
            ..offered.clone()
        },
    );
    let files = Files::new(&loaded);
    let uses = |symbol: Symbol| {
        let mut all = files.occurrences().iter();
        all.any(|o| o.span.file == document.file && o.symbol == symbol)
    };
    let models: Vec<NodeModel> = offered
        .models()
        .filter(|model| uses(Symbol::Node(model.name.to_string())))
        .filter(|model| document.models().all(|own| own.name != model.name.as_str()))
        .cloned()
        .collect();
    let keys: Vec<KeyDecl> = offered
        .keys()
        .filter(|key| {
            let (owner, name) = (Owner::Root, key.name.to_string());
            uses(Symbol::Key { owner, name })
        })
        .filter(|key| document.keys().all(|own| own.name != key.name.as_str()))
        .map(begun)
        .collect();
    let typed = |of: &EnumModel| {
        let mut ports = models.iter().flat_map(|model| &model.ports);
        ports.any(|port| port.ty.as_ref().is_some_and(|ty| *ty == *of.name.as_str()))
    };
    let enums: Vec<EnumModel> = offered
        .enums()
        .filter(|of| typed(of) || (of.words.iter()).any(|w| uses(Symbol::Word(w.name.to_string()))))
        .filter(|of| document.enums().all(|own| own.name != of.name.as_str()))
        .cloned()
        .collect();
    let mut items: Vec<Item> = enums.into_iter().map(Item::Enum).collect();
    if !keys.is_empty() {
        let trivia = apart(!items.is_empty());
        items.push(Item::Keys(Keys {
            keys,
            trivia,
            ..Keys::default()
        }));
    }
    for (i, mut model) in models.into_iter().enumerate() {
        model.trivia = apart(i == 0 && !items.is_empty());
        items.push(Item::Model(model));
    }
    document.items.splice(0..0, items);
    Some(format(&document))
}

/// Whether a blank line stands before it.
fn apart(blank_before: bool) -> Trivia {
    Trivia {
        blank_before,
        ..Trivia::default()
    }
}

/// A key of the program with a first value.
fn begun(key: &KeyDecl) -> KeyDecl {
    let literal = match key.ty.as_ref().map(Name::as_str) {
        Some("bool") => Literal::Bool(false),
        Some("float") => Literal::Float(Number {
            value: 0.0,
            raw: "0.0".into(),
        }),
        _ => Literal::Int(Number {
            value: 0,
            raw: "0".into(),
        }),
    };
    KeyDecl {
        initial: Some(Value::literal(literal, Span::default())),
        ..key.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OFFERED: &str = "\
enum Place { inn, home }
enum Mood { calm }
keys {
  hunger: float
  tired: bool
  unused: int
}
action walk(in to: Place)
action sleep
condition dark
";

    #[test]
    fn what_a_file_uses_of_the_program_is_described_in_it_once() {
        let offered = crate::tick::parse_text(OFFERED, FileId(0)).document;
        let text = "\
//! About the file.

keys {
  tired = false
}

condition dark

main tree A {
  sequence {
    check hunger > 0.5 && !tired
    dark
    walk(to: .inn)
  }
}
";
        let alone = alone(text, &offered).expect("no mistakes");
        let wanted = "\
//! About the file.

enum Place { inn, home }

keys {
  hunger: float = 0.0
}

action walk(in to: Place)

keys {
  tired = false
}
";
        assert!(alone.starts_with(wanted), "{alone}");
        assert!(!alone.contains("Mood") && !alone.contains("unused") && !alone.contains("sleep"));
        assert_eq!(alone.matches("condition dark").count(), 1, "{alone}");
        // It is complete: nothing is added to it.
        assert_eq!(super::alone(&alone, &offered).unwrap(), alone);
        assert_eq!(super::alone("tree A {", &offered), None);
    }
}
