//! Compares XML nodes with the descriptions in the files.
//!
//! BehaviorTree.CPP ignores descriptions of leaves, and the program that registers them may know
//! more, so mismatches are warnings. An editor such as Groot refuses them.

use std::collections::HashMap;

use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{Category, Document, Hook, Literal, Node, NodeModel, Port, Value, ValueKind};

/// Warns of arguments in XML that the description of their node does not know or whose type cannot
/// be read from them, and of descriptions that contradict themselves.
///
/// ```
/// use tickseed_lang::{check, load::{Memory, load_text}};
/// let text = "<root BTCPP_format='4'><BehaviorTree ID='A'><Go gaol='x'/></BehaviorTree>
///     <TreeNodesModel><Action ID='Go'><input_port name='goal'/></Action></TreeNodesModel></root>";
/// let loaded = load_text("a.xml", text, &Memory::default());
/// let messages = check::described(&loaded.documents);
/// assert_eq!(messages[0].help.as_deref(), Some("did you mean `goal`?"));
/// ```
pub fn described<'d>(documents: impl IntoIterator<Item = &'d Document> + Clone) -> Vec<Diagnostic> {
    let mut models: HashMap<&str, &NodeModel> = HashMap::new();
    let mut found = Vec::new();
    for document in documents.clone() {
        for model in document.models() {
            if document.has_btcpp_keys() {
                ports(model, &mut found);
            }
            if model.category == Category::Subtree {
                continue;
            }
            if let Some(first) = models.insert(model.name.as_str(), model)
                && first.ports != model.ports
                && document.has_btcpp_keys()
            {
                let message = format!("`{}` is described in two ways", model.name);
                found.push(
                    Diagnostic::warning("xml::duplicate-model", message)
                        .at(model.name.span, "this one counts")
                        .and(first.name.span, "first here"),
                );
            }
        }
    }
    for document in documents {
        if !document.has_btcpp_keys() {
            continue;
        }
        for root in document.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                if let Some(model) = models.get(node.kind.as_str()) {
                    arguments(node, model, &mut found);
                }
            });
        }
    }
    found
}

/// The ports of one description.
fn ports(model: &NodeModel, found: &mut Vec<Diagnostic>) {
    for (i, port) in model.ports.iter().enumerate() {
        let first = model.ports[..i]
            .iter()
            .find(|first| first.name.text == port.name.text);
        if let Some(first) = first.filter(|_| !port.name.as_str().is_empty()) {
            let message = format!("`{}` has two ports called `{}`", model.name, port.name);
            found.push(
                Diagnostic::warning("xml::duplicate-port", message)
                    .at(port.name.span, "again here")
                    .and(first.name.span, "first here"),
            );
        }
        if let Some(default) = &port.default {
            unreadable(model, port, default, "the default", found);
        }
    }
}

fn arguments(node: &Node, model: &NodeModel, found: &mut Vec<Diagnostic>) {
    for argument in node.arguments() {
        let (Some(name), Some(value)) = (&argument.name, &argument.value) else {
            continue;
        };
        let Some(port) = model.ports.iter().find(|port| port.name.text == name.text) else {
            // A hook without its underscore has a message of its own.
            let hook = Hook::from_xml(&format!("_{name}")).is_some();
            let known = model.ports.iter().map(|port| port.name.as_str());
            let help = match nearest(name.as_str(), known.clone()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if model.ports.is_empty() => "it is described without ports".into(),
                None => format!("its ports are {}", known.collect::<Vec<_>>().join(", ")),
            };
            if !hook {
                let message = format!("`{}` is described without a port `{name}`", node.kind);
                found.push(
                    Diagnostic::warning("xml::unknown-port", message)
                        .at(name.span, "not known")
                        .and(model.name.span, "the description")
                        .help(help),
                );
            }
            continue;
        };
        unreadable(model, port, value, "this", found);
    }
}

/// Warns of a value that the port's type cannot be read from.
fn unreadable(
    model: &NodeModel,
    port: &Port,
    value: &Value,
    what: &str,
    found: &mut Vec<Diagnostic>,
) {
    let (ValueKind::Literal(literal), Some(ty)) = (&value.kind, &port.ty) else {
        return;
    };
    // An empty text is what editors write for a port that is left open.
    // Some write what stands in the program: `numeric_limits<double>::infinity()`.
    let text = literal.to_attribute();
    if text.is_empty()
        || text.contains("::")
        || matches!(literal, Literal::None)
        || reads(ty.as_str(), &text)
    {
        return;
    }
    let message = format!(
        "{what} is no {ty}, which the port `{}` of `{}` is described as: found `{text}`",
        port.name, model.name
    );
    let comma = text.contains(',') && reads(ty.as_str(), &text.replacen(',', ".", 1));
    let help = comma.then(|| "fractions are written with a point".to_owned());
    found.push(
        Diagnostic::warning("xml::port-type", message)
            .at(value.span, "")
            .and(ty.span, "described here")
            .maybe_help(help),
    );
}

/// Whether text is a value of a type of C++. Only numbers and truth values are judged: the others'
/// readers are the program's, and so are words that stand for numbers.
fn reads(ty: &str, text: &str) -> bool {
    let word = |c: char| c.is_alphabetic() || c == '_';
    let is_word = text.starts_with(word) && text.chars().all(|c| c.is_alphanumeric() || c == '_');
    let whole = |least: i128, most: i128| {
        let number: Result<i128, _> = text.trim().parse();
        is_word || number.is_ok_and(|number| (least..=most).contains(&number))
    };
    match ty.trim_start_matches("std::") {
        "double" | "float" => is_word || text.trim().parse::<f64>().is_ok(),
        "bool" => matches!(
            text,
            "0" | "1" | "true" | "false" | "True" | "False" | "TRUE" | "FALSE"
        ),
        "int" | "int32_t" => whole(i32::MIN.into(), i32::MAX.into()),
        "unsigned" | "unsigned int" | "uint32_t" => whole(0, u32::MAX.into()),
        "uint8_t" | "unsigned char" => whole(0, u8::MAX.into()),
        "int8_t" => whole(i8::MIN.into(), i8::MAX.into()),
        "uint16_t" | "unsigned short" => whole(0, u16::MAX.into()),
        "int16_t" | "short" => whole(i16::MIN.into(), i16::MAX.into()),
        "int64_t" | "long" => whole(i64::MIN.into(), i64::MAX.into()),
        "uint64_t" | "unsigned long" | "size_t" => whole(0, u64::MAX.into()),
        _ => true,
    }
}
