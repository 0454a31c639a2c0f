//! The XML that BehaviorTree.CPP writes for a running tree.

use std::fmt::Write;

use crate::board::Board;
use crate::build::{Instance, Loaded};
use crate::model::Category;
use crate::registry::Registry;

fn escape(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            c => out.push(c),
        }
    }
    out
}

/// One `<BehaviorTree>` for each instance of a tree, then the models of the registered nodes.
pub(super) fn export(loaded: &Loaded<Board>, main: &str, registry: &Registry<Board>) -> String {
    let mut out = String::from("<root BTCPP_format=\"4\">\n");
    let roots = std::iter::once((main, String::new(), 0)).chain(
        (loaded.instances.iter().enumerate())
            .filter(|(_, instance)| instance.subtree.is_some())
            .map(|(i, instance)| (instance.kind.as_str(), loaded.full_path(i), i + 1)),
    );
    for (tree, path, root) in roots {
        let _ = writeln!(
            out,
            "    <BehaviorTree ID=\"{}\" _fullpath=\"{}\">",
            escape(tree),
            escape(&path)
        );
        if root < loaded.instances.len() {
            node(&mut out, loaded, root, 2);
        }
        out.push_str("    </BehaviorTree>\n");
    }
    out.push_str("    <TreeNodesModel>\n");
    for model in registry.models() {
        let tag = match model.category {
            Category::Condition => "Condition",
            Category::Control => "Control",
            Category::Decorator => "Decorator",
            _ => "Action",
        };
        let _ = writeln!(out, "        <{tag} ID=\"{}\"/>", escape(&model.name));
    }
    out.push_str("    </TreeNodesModel>\n</root>");
    out
}

fn attributes(out: &mut String, instance: &Instance, hooks: bool) {
    for (name, value) in &instance.shown {
        if name.starts_with('_') == hooks {
            let _ = write!(out, " {name}=\"{}\"", escape(value));
        }
    }
}

fn node(out: &mut String, loaded: &Loaded<Board>, id: usize, depth: usize) {
    let instance = &loaded.instances[id];
    let indent = "    ".repeat(depth);
    if instance.subtree.is_some() {
        let _ = write!(
            out,
            "{indent}<SubTree ID=\"{}\" _fullpath=\"{}\"",
            escape(&instance.kind),
            escape(&loaded.full_path(id))
        );
        attributes(out, instance, false);
        attributes(out, instance, true);
        out.push_str("/>\n");
        return;
    }
    let _ = write!(
        out,
        "{indent}<{} name=\"{}\"",
        instance.kind,
        escape(&instance.name)
    );
    attributes(out, instance, false);
    attributes(out, instance, true);
    let children: Vec<usize> = (loaded.instances.iter().enumerate())
        .filter(|(_, other)| other.parent == Some(id))
        .map(|(i, _)| i)
        .collect();
    if children.is_empty() {
        out.push_str("/>\n");
        return;
    }
    out.push_str(">\n");
    for child in children {
        node(out, loaded, child, depth + 1);
    }
    let _ = writeln!(out, "{indent}</{}>", instance.kind);
}
