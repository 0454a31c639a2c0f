//! Nodes of a tree and their attributes.

use super::{Comment, Name, Span, Trivia, Value, ValueKind};

/// One node as written.
///
/// Some constructs of `.tick` are nodes here that only make sense inside their parent: `case` and
/// `default` in a `switch`, `option` and `consider` in a `utility`, `guards` and `work` in a `filter`
/// or `monitor`. The branches of an `if` and a `while` are simply its first and second child.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// The kind: `sequence`, `MoveTo`, the name of a tree, or the XML element's type.
    pub kind: Name,
    /// How the kind was written.
    pub form: Form,
    /// The name of this one node: `sequence "fight"`, `name="fight"`.
    pub name: Option<Name>,
    /// Arguments, options, hooks and metadata in the order in which they were written. Order matters
    /// within one [`Role`], not between roles.
    pub attributes: Vec<Attribute>,
    /// Children in order.
    pub children: Vec<Node>,
    /// Whether the branch is switched off: it is kept and checked, and the engine never sees it.
    pub disabled: bool,
    /// The node's description, lines joined with `\n`.
    pub doc: Option<String>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// Comments after the last child, before the end of the node.
    pub inner: Vec<Comment>,
    /// The whole node, children included.
    pub span: Span,
}

/// How a node's kind was written. It never changes what the node does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    /// Only the kind: `MoveTo(...)`, `<MoveTo .../>`.
    #[default]
    Compact,
    /// With its category: `action MoveTo(...)`, `<Action ID="MoveTo" .../>`, `<SubTree ID="Guard"/>`.
    Explicit(Category),
}

/// What sort of node something is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Category {
    /// A leaf that does something.
    Action,
    /// A leaf that asks something.
    Condition,
    /// A leaf; whether it acts or asks is not said.
    Leaf,
    /// A node with exactly one child.
    Decorator,
    /// A node with children.
    Control,
    /// A use of another tree.
    Subtree,
}

impl Category {
    /// All categories with their word in `.tick`.
    pub const ALL: [(&'static str, Category); 6] = [
        ("action", Category::Action),
        ("condition", Category::Condition),
        ("leaf", Category::Leaf),
        ("decorator", Category::Decorator),
        ("control", Category::Control),
        ("subtree", Category::Subtree),
    ];

    /// The word in `.tick`.
    pub fn word(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, category)| *category == self)
            .map_or("", |&(word, _)| word)
    }

    /// The category called `word` in `.tick`.
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(name, _)| *name == word)
            .map(|&(_, category)| category)
    }
}

/// Something said about a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Attribute {
    /// What sort of thing it is.
    pub role: Role,
    /// Its name; `None` for an argument given by position. Hooks are named by their [`Hook`], their
    /// name here is what the author wrote.
    pub name: Option<Name>,
    /// Its value; `None` for a bare word such as `reactive`.
    pub value: Option<Value>,
    /// The whole attribute.
    pub span: Span,
}

/// The sorts of attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Role {
    /// An argument: the value of a port or parameter, or the expression of a `check`.
    Argument,
    /// A word that chooses how the node behaves: `reactive`, `drain(100)`. Several values are a list.
    Option,
    /// A guard or script at a point of the node's life.
    Hook(Hook),
    /// Anything else, kept for whoever understands it: layout (`layout`, `collapsed`), XML's unknown
    /// underscore attributes.
    Metadata,
}

/// Points of a node's life where an expression is asked or a script is run, in the order in which
/// the guards are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hook {
    /// Before the start: fail instead (`fail if`, `_failureIf`).
    FailIf,
    /// Before the start: succeed instead (`succeed if`, `_successIf`).
    SucceedIf,
    /// Before the start: count as absent (`skip if`, `_skipIf`).
    SkipIf,
    /// On every tick: when false, halt and count as absent (`while`, `_while`).
    While,
    /// After success (`on success`, `_onSuccess`).
    OnSuccess,
    /// After failure (`on failure`, `_onFailure`).
    OnFailure,
    /// After a halt (`on halt`, `_onHalted`).
    OnHalt,
    /// After success or failure (`on done`, `_post`).
    OnDone,
}

impl Hook {
    /// All hooks: in `.tick` and in XML.
    pub const ALL: [(Hook, &'static str, &'static str); 8] = [
        (Hook::FailIf, "fail if", "_failureIf"),
        (Hook::SucceedIf, "succeed if", "_successIf"),
        (Hook::SkipIf, "skip if", "_skipIf"),
        (Hook::While, "while", "_while"),
        (Hook::OnSuccess, "on success", "_onSuccess"),
        (Hook::OnFailure, "on failure", "_onFailure"),
        (Hook::OnHalt, "on halt", "_onHalted"),
        (Hook::OnDone, "on done", "_post"),
    ];

    /// The words in `.tick`.
    pub fn words(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.1)
    }

    /// The attribute in XML.
    pub fn xml(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|entry| entry.0 == self)
            .map_or("", |entry| entry.2)
    }

    /// The hook of an XML attribute.
    pub fn from_xml(name: &str) -> Option<Hook> {
        Self::ALL
            .iter()
            .find(|entry| entry.2 == name)
            .map(|entry| entry.0)
    }

    /// Whether it asks an expression (else it runs a script).
    pub fn is_guard(self) -> bool {
        self <= Hook::While
    }
}

impl Attribute {
    /// An argument by name.
    pub fn argument(name: Name, value: Value) -> Self {
        let span = name.span.to(value.span);
        Self {
            role: Role::Argument,
            name: Some(name),
            value: Some(value),
            span,
        }
    }

    /// An argument by position.
    pub fn positional(value: Value) -> Self {
        let span = value.span;
        Self {
            role: Role::Argument,
            name: None,
            value: Some(value),
            span,
        }
    }

    /// An option, with a value or without.
    pub fn option(name: Name, value: Option<Value>) -> Self {
        let span = value
            .as_ref()
            .map_or(name.span, |value| name.span.to(value.span));
        Self {
            role: Role::Option,
            name: Some(name),
            value,
            span,
        }
    }

    /// The name, or `""` for an argument by position.
    pub fn name(&self) -> &str {
        self.name.as_ref().map_or("", Name::as_str)
    }

    /// Whether it is a guard or script at a point of the node's life.
    pub fn is_hook(&self) -> bool {
        matches!(self.role, Role::Hook(_))
    }

    /// Whether its value names a key.
    pub fn is_key(&self) -> bool {
        matches!(
            self.value,
            Some(Value {
                kind: ValueKind::Key(_) | ValueKind::SameName,
                ..
            })
        )
    }
}

impl Node {
    /// A node of a kind, with nothing else.
    pub fn new(kind: impl Into<Name>) -> Self {
        Self {
            kind: kind.into(),
            ..Self::default()
        }
    }

    /// The attributes of one role, in order.
    pub fn with_role(&self, role: Role) -> impl Iterator<Item = &Attribute> {
        self.attributes
            .iter()
            .filter(move |attribute| attribute.role == role)
    }

    /// The arguments, in order.
    pub fn arguments(&self) -> impl Iterator<Item = &Attribute> {
        self.with_role(Role::Argument)
    }

    /// The options, in order.
    pub fn options(&self) -> impl Iterator<Item = &Attribute> {
        self.with_role(Role::Option)
    }

    /// The argument called `name`.
    pub fn argument(&self, name: &str) -> Option<&Value> {
        self.arguments()
            .find(|a| a.name() == name)
            .and_then(|a| a.value.as_ref())
    }

    /// The option called `name`.
    pub fn option(&self, name: &str) -> Option<&Attribute> {
        self.options().find(|a| a.name() == name)
    }

    /// A hook's value.
    pub fn hook(&self, hook: Hook) -> Option<&Value> {
        self.with_role(Role::Hook(hook))
            .next()
            .and_then(|a| a.value.as_ref())
    }

    /// The metadata called `name`.
    pub fn metadata(&self, name: &str) -> Option<&Attribute> {
        self.with_role(Role::Metadata).find(|a| a.name() == name)
    }

    /// Calls `visit` for this node and all below it, parents first.
    pub fn walk<'a>(&'a self, visit: &mut impl FnMut(&'a Node)) {
        visit(self);
        for child in &self.children {
            child.walk(visit);
        }
    }
}
