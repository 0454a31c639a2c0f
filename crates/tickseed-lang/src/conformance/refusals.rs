//! What the reference refuses, in its words: ours say more or accept more.

use crate::board::Board;
use crate::diagnostics::Diagnostic;
use crate::expr::Type;
use crate::model::{Category, Document, FileId, Form, Node, SourceMap, Span, ValueKind};
use crate::registry::Registry;

/// Spellings that we read with a warning, or that `.tick` has, are unknown to the reference.
pub(super) fn old_spellings(
    document: &Document,
    text: &str,
    registry: &Registry<Board>,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let mut found = Vec::new();
    for diagnostic in diagnostics.iter() {
        let Some(label) = &diagnostic.primary else {
            continue;
        };
        let Some(written) = text.get(label.span.range()) else {
            continue;
        };
        let attribute = match diagnostic.code {
            "xml::compact-subtree" => false,
            "xml::old-spelling" => !written.starts_with(|c: char| c.is_ascii_uppercase()),
            _ => continue,
        };
        if attribute && written.starts_with('_') {
            continue;
        }
        let error = if attribute {
            let node = node_around(document, label.span);
            let kind = node.map_or("", |node| node.kind.as_str());
            let message = format!(
                "a port with name [{written}] is found in the XML (<{kind}>) but not in the providedPorts() of its registered node type."
            );
            let span = node.map_or(label.span, |node| node.kind.span);
            Diagnostic::error("load::unknown-port", message).at(span, "")
        } else {
            let message = format!("Node not recognized: {written}");
            Diagnostic::error("load::unknown-node", message).at(label.span, "")
        };
        found.push(error);
    }
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            let kind = node.kind.as_str();
            let is_tree = document.tree(kind).is_some();
            if node.form != Form::Explicit(Category::Subtree)
                && !is_tree
                && !crate::compat::is_known(kind)
                && registry.model(kind).is_none()
            {
                let message = format!("Node not recognized: {kind}");
                let error = Diagnostic::error("load::unknown-node", message);
                found.push(error.at(node.kind.span, ""));
            }
        });
    }
    diagnostics.extend(found);
}

/// Spaces around the key of a port that the reference wants a number or `true` or `false` for: it
/// looks at the text before it looks for a key.
pub(super) fn spaced_keys(document: &Document, text: &str, diagnostics: &mut Vec<Diagnostic>) {
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            let kind = node.kind.as_str();
            let model = crate::compat::models().find(|model| model.name == kind);
            for port in model.iter().flat_map(|model| &model.ports) {
                let key = (node.argument(&port.name))
                    .filter(|value| matches!(value.kind, ValueKind::Key(_)));
                let Some(written) = key.and_then(|value| text.get(value.span.range())) else {
                    continue;
                };
                if matches!(port.ty, Type::Int | Type::Float | Type::Bool)
                    && written != written.trim_matches(' ')
                {
                    let ty = crate::compat::port_type(kind, port);
                    let ty = ty.map_or_else(|| port.ty.to_string(), str::to_owned);
                    let message = format!(
                        "The port with name \"{}\" and value \"{written}\" can not be converted to {ty}",
                        port.name
                    );
                    let error = Diagnostic::error("load::port-value", message);
                    diagnostics.push(error.at(node.kind.span, ""));
                }
            }
        });
    }
}

/// The node whose attributes include a place.
fn node_around(document: &Document, span: Span) -> Option<&Node> {
    let mut found = None;
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            if node.attributes.iter().any(|a| {
                a.span.range().start <= span.range().start && span.range().end <= a.span.range().end
            }) {
                found = Some(node);
            }
        });
    }
    found
}

/// The node whose kind stands at a place.
fn node_at(document: &Document, span: Span) -> Option<&Node> {
    let mut found = None;
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            if node.kind.span == span {
                found = Some(node);
            }
        });
    }
    found
}

/// The first error in the words of the reference, which says the line of the element before some.
pub(super) fn message(
    diagnostics: &[Diagnostic],
    sources: &SourceMap,
    file: FileId,
    document: &Document,
) -> String {
    let errors = diagnostics.iter().filter(|d| d.is_error());
    let place = |d: &Diagnostic| (d.primary.as_ref()).map_or(0, |label| label.span.range().start);
    let Some(error) = errors.min_by_key(|d| (order(d.code), place(d))) else {
        return "no error was reported".to_owned();
    };
    let line = (error.primary.as_ref())
        .filter(|label| label.span.file == file)
        .map(|label| match error.code {
            // The reference names the parent's line, we the child's.
            "xml::async-children" => parent_of(document, label.span).unwrap_or(label.span),
            _ => label.span,
        })
        .and_then(|span| sources.line_column(span))
        .map_or(0, |at| at.line);
    if error
        .message
        .starts_with("Invalid XML: missing root element")
    {
        return "Invalid XML: missing root element".to_owned();
    }
    if error.message.starts_with("The XML must have a root node") {
        let end = error.message.find(", found").unwrap_or(error.message.len());
        return error.message[..end].to_owned();
    }
    // What was found is not said by the reference.
    let text = match error.message.rsplit_once(", found ") {
        Some((text, found)) if found.bytes().all(|b| b.is_ascii_digit()) => text,
        _ => error.message.as_str(),
    };
    // Ours says what was expected as well, and its place is the message's own.
    if let Some((start, _)) = text.split_once(": expected ")
        && start.starts_with("The port with name")
    {
        return start.to_owned();
    }
    if text.starts_with("a port with name") {
        return text.replacen(">)", &format!(">, line {line})"), 1);
    }
    if let Some((start, _)) = text.split_once("'. ")
        && start.starts_with("Duplicate SubTree path")
    {
        return format!(
            "{start}'. Multiple SubTree nodes with the same 'name' attribute under the same parent are not allowed. Please use unique names or omit the 'name' attribute to auto-generate unique paths."
        );
    }
    let kind = (error.primary.as_ref())
        .and_then(|label| {
            node_at(document, label.span).or_else(|| node_around(document, label.span))
        })
        .map_or("", |node| node.kind.as_str());
    if text.ends_with("can not be converted to a list") {
        let ty = crate::compat::models()
            .find(|model| model.name == kind)
            .and_then(|model| model.ports.iter().find(|port| port.name == "queue"))
            .and_then(|port| crate::compat::port_type(kind, port));
        return text.replace("a list", ty.unwrap_or("a list"));
    }
    match error.code {
        "load::no-tree" => return "[main_tree_to_execute] was not specified correctly".to_owned(),
        "load::autoremap" => return "convertFromString(): invalid bool conversion".to_owned(),
        "load::script" => return format!("Missing port [code] in {kind}"),
        "xml::missing-port" | "load::missing-port" if kind == "Precondition" => {
            return "Missing parameter [if] in Precondition".to_owned();
        }
        "load::missing-port" if kind.starts_with("Loop") => return "[queue] not found".to_owned(),
        "xml::no-id" if text.starts_with("Missing attribute 'ID'") => return text.to_owned(),
        "xml::no-port-name" => {
            return "Missing attribute [name] in port (SubTree model)".to_owned();
        }
        "xml::misplaced" => {
            let tag = text.split(['<', '>']).nth(1).unwrap_or_default();
            return format!("Error at line {line}: -> Node not recognized: {tag}");
        }
        "xml::second-models" => return format!("Error at line {line}: ->  {text}"),
        _ => {}
    }
    match error.code {
        "xml::children"
        | "xml::async-children"
        | "xml::reserved-name"
        | "load::children"
        | "xml::explicit-child"
        | "load::unknown-node"
        | "xml::no-id" => {
            format!("Error at line {line}: -> {text}")
        }
        "xml::bad-name" => format!("Error at line {line}: {text}"),
        _ => text.to_owned(),
    }
}

/// Where the parent of the node at a place stands.
fn parent_of(document: &Document, span: Span) -> Option<Span> {
    let mut found = None;
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            if node.children.iter().any(|child| child.kind.span == span) {
                found = Some(node.kind.span);
            }
        });
    }
    found
}

/// A fault of the reference (4.7 to 4.10): it does not know explicit forms directly under a reactive
/// sequence. We read them, since files have them; a comparison must refuse them. What is really unknown
/// has another message there than elsewhere.
pub(super) fn reactive_child(
    document: &Document,
    sources: &SourceMap,
    registry: &Registry<Board>,
) -> Option<String> {
    let mut found = None;
    for root in document.trees().flat_map(|tree| &tree.body) {
        root.walk(&mut |node| {
            let reactive = node.kind == "ReactiveSequence";
            for child in node.children.iter().filter(|_| reactive) {
                let kind = child.kind.as_str();
                let tag = match child.form {
                    Form::Explicit(Category::Subtree) => continue,
                    Form::Explicit(Category::Condition) => "Condition",
                    Form::Explicit(Category::Control) => "Control",
                    Form::Explicit(Category::Decorator) => "Decorator",
                    Form::Explicit(_) => "Action",
                    Form::Compact
                        if crate::compat::is_known(kind) || registry.model(kind).is_some() =>
                    {
                        continue;
                    }
                    Form::Compact => kind,
                };
                found.get_or_insert((child.span, tag.to_owned()));
            }
        });
    }
    let (span, tag) = found?;
    let line = sources.line_column(span)?.line;
    Some(format!("Error at line {line}: -> Unknown node type: {tag}"))
}

/// The order in which the reference makes its checks.
fn order(code: &str) -> u8 {
    match code {
        "xml::syntax" | "xml::no-root" => 0,
        "xml::unknown-tree" | "xml::id-in-compact" | "xml::missing-port" => 3,
        code if code.starts_with("xml::") => 1,
        "load::unknown-node" | "load::children" => 1,
        "load::missing-port" => 4,
        _ => 3,
    }
}
