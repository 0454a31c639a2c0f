//! Names of leaves that nearly match those of built-in nodes.

use std::collections::HashSet;

use crate::builtin::{BUILTINS, builtin};
use crate::compat;
use crate::diagnostics::{Diagnostic, nearest};
use crate::foreign::foreign;
use crate::model::{Category, Document, Form, Format, Node};

/// Shorter names resemble each other by chance: a leaf `Look` is no misspelt `loop`.
const SHORTEST: usize = 6;

/// Warns of nodes that nothing describes and whose names are a slip away from a built-in's:
/// `selectr`, `Sequnce`. Where leaves are written in code that is not at hand such a node could be
/// one of them, so it is no error; a description, `leaf selectr`, or the form `action selectr` says
/// that it is meant.
///
/// ```
/// use tickseed_lang::{check, model::SourceMap, tick};
/// let mut sources = SourceMap::new();
/// let file = sources.add("a.tick", "tree A { selectr { Fight; Patrol } }");
/// let document = tick::parse(&sources, file).document;
/// let messages = check::misspelt([&document]);
/// assert_eq!(messages[0].help.as_deref(), Some("did you mean `selector`?"));
/// ```
pub fn misspelt<'d>(documents: impl IntoIterator<Item = &'d Document> + Clone) -> Vec<Diagnostic> {
    let all = || documents.clone().into_iter();
    let theirs: HashSet<&str> = all()
        .flat_map(|document| {
            let trees = document.trees().map(|tree| tree.name.as_str());
            trees.chain(document.models().map(|model| model.name.as_str()))
        })
        .chain(compat::models().map(|model| model.name.as_str()))
        .collect();
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    for document in all() {
        let ours = document.format != Format::Xml;
        for root in document.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                let kind = node.kind.as_str();
                let known = theirs.contains(kind) || (ours && builtin(kind).is_some());
                // One message for each name.
                if node.form == Form::Compact
                    && !known
                    && seen.insert(kind)
                    && let Some(near) = near(node, ours)
                {
                    let message = format!("`{kind}` is no built-in node, and nothing describes it");
                    found.push(
                        Diagnostic::warning("tick::misspelt", message)
                            .at(node.kind.span, "taken for a node of the program")
                            .help(format!("did you mean `{near}`?")),
                    );
                }
            });
        }
    }
    found
}

/// The built-in node that was probably meant. Names of leaves and of `.tick`'s own nodes differ in
/// their first letter's case, so `Wait` is no misspelt `wait`. Nav2's condition `GoalUpdated` is no
/// misspelt decorator `GoalUpdater`: it has no child.
fn near(node: &Node, ours: bool) -> Option<&'static str> {
    let kind = node.kind.as_str();
    let first = kind.chars().next()?;
    // Only composites and decorators: leaves are called as one likes.
    if !node.children.is_empty() {
        let same = |name: &&str| name.eq_ignore_ascii_case(kind);
        let own = BUILTINS.iter().filter(|_| ours).map(|own| own.words);
        let mut all = own.chain(compat::models().map(|model| model.name.as_str()));
        if let Some(near) = all.find(same).or_else(|| foreign(kind, !ours)) {
            return Some(near);
        }
    }
    if kind.chars().count() < SHORTEST {
        return None;
    }
    let own = BUILTINS
        .iter()
        .filter(|_| ours)
        .map(|builtin| builtin.words);
    let theirs = compat::models().filter(|model| {
        let has_children = matches!(model.category, Category::Control | Category::Decorator);
        has_children != node.children.is_empty()
    });
    let names = own.chain(theirs.map(|model| model.name.as_str()));
    nearest(kind, names.filter(|name| name.starts_with(first)))
}

#[cfg(test)]
mod tests {
    use super::misspelt;
    use crate::load::{Memory, load_text};

    fn helps(file: &str, text: &str) -> Vec<String> {
        let loaded = load_text(file, text, &Memory::default());
        assert!(loaded.is_ok(), "{:?}", loaded.diagnostics);
        let found = misspelt(&loaded.documents).into_iter();
        found.filter_map(|diagnostic| diagnostic.help).collect()
    }

    #[test]
    fn slips_are_found_once_and_leaves_are_left_alone() {
        let text = "tree A { selectr { sequnce { Look; Patrol }; sequnce { Go; Recharge } } }";
        assert_eq!(
            helps("a.tick", text),
            ["did you mean `selector`?", "did you mean `sequence`?"]
        );
        assert_eq!(
            helps("a.tick", "tree A { Fallbak { Success; Failure } }"),
            ["did you mean `Fallback`?"]
        );
        let meant = "leaf selectr\ntree A { sequence { selectr; action sequnce; fallbak } }\ntree fallbak { success }";
        assert!(helps("a.tick", meant).is_empty());
    }

    #[test]
    fn xml_has_its_own_names() {
        let xml = |node| {
            format!("<root BTCPP_format='4'><BehaviorTree ID='A'>{node}</BehaviorTree></root>")
        };
        assert_eq!(
            helps("a.xml", &xml("<ReactiveSequnce><A/><B/></ReactiveSequnce>")),
            ["did you mean `ReactiveSequence`?"]
        );
        // A leaf may have any name; what has children is called otherwise by others.
        assert!(helps("a.xml", &xml("<selector/>")).is_empty());
        for (theirs, near) in [
            ("selector", "Fallback"),
            ("Selector", "Fallback"),
            ("sequence", "Sequence"),
            ("Reactive_Selector", "ReactiveFallback"),
        ] {
            let node = format!("<{theirs}><A/><B/></{theirs}>").leak();
            let text = xml(node);
            assert_eq!(helps("a.xml", &text), [format!("did you mean `{near}`?")]);
        }
        for (theirs, near) in [
            ("Selector", "selector"),
            ("Inverter_", "invert"),
            ("Succeeder", "force success"),
        ] {
            let text = format!("tree A {{ {theirs} {{ Go }} }}");
            assert_eq!(helps("a.tick", &text), [format!("did you mean `{near}`?")]);
        }
        assert!(helps("a.xml", &xml("<Action ID='Sequnce'/>")).is_empty());
        assert!(helps("a.xml", &xml("<GoalUpdated/>")).is_empty());
        assert_eq!(
            helps("a.xml", &xml("<GoalUpdated><A/></GoalUpdated>")),
            ["did you mean `GoalUpdater`?"]
        );
    }
}
