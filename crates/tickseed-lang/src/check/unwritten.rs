//! Keys of BehaviorTree.CPP's trees that are read, never written, and a slip away from one that is.

use std::collections::{HashMap, HashSet};

use crate::compat::{self, script};
use crate::diagnostics::{Diagnostic, nearest};
use crate::model::{
    Category, Dialect, Direction, Document, Form, Node, NodeModel, Role, Span, Tree, ValueKind,
};

/// Shorter names resemble each other by chance.
const SHORTEST: usize = 4;

/// What the nodes of one tree do with its keys.
#[derive(Default)]
struct Uses {
    /// Where a key is read first.
    reads: HashMap<String, Span>,
    writes: HashSet<String>,
    /// Keys that somebody else may write: a leaf without a description, another tree.
    open: HashSet<String>,
}

/// Warns of keys in trees whose keys need no declaration that are only read, where another key of the
/// tree is written and called almost the same: `batery` beside `battery`. A program may write any key,
/// so nothing is said of others.
///
/// ```
/// use tickseed_lang::{check, load::{Memory, load_text}};
/// let text = "<root BTCPP_format='4'><BehaviorTree ID='A'><Sequence><Script code='battery := 1'/>
///     <ScriptCondition code='batery > 0'/></Sequence></BehaviorTree></root>";
/// let loaded = load_text("a.xml", text, &Memory::default());
/// let messages = check::unwritten(&loaded.documents);
/// assert_eq!(messages[0].help.as_deref(), Some("did you mean `battery`?"));
/// ```
pub fn unwritten<'d>(documents: impl IntoIterator<Item = &'d Document> + Clone) -> Vec<Diagnostic> {
    let mut models: HashMap<&str, &NodeModel> = HashMap::new();
    // What is handed to the trees: by name, and whether everything may be.
    let mut given: HashMap<&str, HashSet<&str>> = HashMap::new();
    let mut shared: HashSet<&str> = HashSet::new();
    let mut words: HashSet<&str> = HashSet::new();
    for document in documents.clone() {
        models.extend(document.models().map(|model| (model.name.as_str(), model)));
        words.extend((document.enums().flat_map(|e| &e.words)).map(|word| word.name.as_str()));
        for root in document.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                if node.form == Form::Explicit(Category::Subtree) {
                    let names = given.entry(node.kind.as_str()).or_default();
                    names.extend(node.arguments().map(|argument| argument.name()));
                    if node.option("autoremap").is_some() {
                        shared.insert(node.kind.as_str());
                    }
                }
            });
        }
    }
    let mut found = Vec::new();
    for document in documents {
        for tree in document.trees().filter(|_| document.has_btcpp_keys()) {
            let name = tree.name.as_str();
            let mut shares = shared.contains(name);
            for root in &tree.body {
                root.walk(&mut |node: &Node| shares |= node.option("autoremap").is_some());
            }
            // What others write into its keys is not known here.
            if shares {
                continue;
            }
            let uses = uses(tree, &models);
            let handed = given.get(name);
            for (key, span) in &uses.reads {
                let known = uses.writes.contains(key)
                    || uses.open.contains(key)
                    || handed.is_some_and(|names| names.contains(key.as_str()))
                    || words.contains(key.as_str());
                if known || key.chars().count() < SHORTEST || key.starts_with('@') {
                    continue;
                }
                let theirs = handed.into_iter().flatten().copied();
                let near = nearest(key, uses.writes.iter().map(String::as_str).chain(theirs));
                if let Some(near) = near.filter(|near| is_slip(key, near)) {
                    found.push(
                        Diagnostic::warning(
                            "check::unwritten",
                            format!("the key `{key}` is read here, and no node writes it"),
                        )
                        .at(*span, "")
                        .help(format!("did you mean `{near}`?")),
                    );
                }
            }
        }
    }
    found.sort_by_key(|d| {
        d.primary
            .as_ref()
            .map_or((0, 0), |l| (l.span.file.0, l.span.start))
    });
    found
}

/// Whether one name is the other with one slip inside. `goal` and `goals`, `pose1` and `pose2`, `MIN` and
/// `min` are meant to differ.
fn is_slip(a: &str, b: &str) -> bool {
    let shouts = |name: &str| !name.chars().any(|c| c.is_lowercase());
    let letters = |name: &str| {
        name.trim_end_matches('s')
            .replace(|c: char| c.is_ascii_digit(), "")
    };
    let common = a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let (longer, shorter) = (
        a.chars().count().max(b.chars().count()),
        a.chars().count().min(b.chars().count()),
    );
    !shouts(a)
        && letters(a) != letters(b)
        && longer - shorter <= 1
        && common + 1 < longer
        && common > 0
}

fn uses(tree: &Tree, models: &HashMap<&str, &NodeModel>) -> Uses {
    let mut uses = Uses::default();
    for root in &tree.body {
        root.walk(&mut |node: &Node| node_uses(node, models, &mut uses));
    }
    uses
}

fn node_uses(node: &Node, models: &HashMap<&str, &NodeModel>, uses: &mut Uses) {
    let kind = node.kind.as_str();
    let written_name = matches!(kind, "SetBlackboard" | "UnsetBlackboard");
    for attribute in &node.attributes {
        let Some(value) = &attribute.value else {
            continue;
        };
        match &value.kind {
            ValueKind::Code(code) if code.dialect == Dialect::BtCpp => {
                let (reads, writes) = script::touched(&code.text);
                uses.writes.extend(writes);
                for key in reads {
                    uses.reads.entry(key).or_insert(value.span);
                }
            }
            ValueKind::Key(key) => {
                let name = key.name.to_string();
                match direction(node, attribute.name(), models) {
                    Some(Direction::In) if attribute.role == Role::Argument => {
                        uses.reads.entry(name).or_insert(value.span);
                    }
                    Some(Direction::Out) => {
                        uses.writes.insert(name);
                    }
                    _ => {
                        uses.open.insert(name);
                    }
                }
            }
            ValueKind::SameName => {
                uses.open.insert(attribute.name().to_owned());
            }
            _ if written_name && attribute.name() != "value" => {
                uses.writes.insert(value.to_attribute().to_string());
            }
            _ => {}
        }
    }
}

/// Which way a port goes, if somebody describes it.
fn direction(node: &Node, port: &str, models: &HashMap<&str, &NodeModel>) -> Option<Direction> {
    let kind = node.kind.as_str();
    if node.form == Form::Explicit(Category::Subtree) {
        return None;
    }
    let described = models.get(kind).map(|model| {
        let port = model.ports.iter().find(|p| p.name.as_str() == port);
        port.map(|port| port.direction)
    });
    described.flatten().or_else(|| {
        let model = compat::models().find(|model| model.name == kind)?;
        let port = model.ports.iter().find(|p| p.name == port)?;
        Some(port.direction)
    })
}
