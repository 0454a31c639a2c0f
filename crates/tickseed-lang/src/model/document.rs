//! Documents and the items they are made of.

use super::{Attribute, Category, Dialect, FileId, Form, Name, Node, Role, Span, Value, ValueKind};

/// One file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// The file it was read from.
    pub file: FileId,
    /// The format it was read from. Writers do not need it.
    pub format: Format,
    /// The format's version as the file gives it: `4` for `BTCPP_format="4"`.
    pub version: Option<Name>,
    /// The tree to run, if the file says: `main tree Guard`, `main_tree_to_execute="Guard"`.
    pub main: Option<Name>,
    /// Attributes of the whole file that no reader here knows, in order.
    pub attributes: Vec<Attribute>,
    /// Everything in the file, in order.
    pub items: Vec<Item>,
    /// The file's description.
    pub doc: Option<String>,
    /// Comments before the first item that belong to the file.
    pub trivia: Trivia,
    /// Comments after the last item.
    pub inner: Vec<Comment>,
    /// The whole file.
    pub span: Span,
}

/// The format a document came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Built by a program.
    #[default]
    Built,
    /// `.tick` text.
    Tick,
    /// BehaviorTree.CPP's XML.
    Xml,
    /// JSON.
    Json,
    /// Tickseed's binary.
    Binary,
}

/// One thing in a file.
#[derive(Clone, Debug, PartialEq)]
pub enum Item {
    /// Another file to read first.
    Import(Import),
    /// A tree.
    Tree(Tree),
    /// A description of a node written elsewhere.
    Model(NodeModel),
    /// Keys of the file's blackboard.
    Keys(Keys),
    /// Words for numbers.
    Enum(EnumModel),
}

/// Another file, relative to the one that names it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The path as written.
    pub path: Name,
    /// What else was said: `ros_pkg` in XML.
    pub attributes: Vec<Attribute>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// The whole import.
    pub span: Span,
}

/// A tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tree {
    /// Its name.
    pub name: Name,
    /// What it takes from and gives to its caller.
    pub params: Vec<Port>,
    /// Its own keys.
    pub keys: Vec<Keys>,
    /// Its root. Exactly one is right; readers keep what is there so that checks can point at it.
    pub body: Vec<Node>,
    /// Metadata.
    pub attributes: Vec<Attribute>,
    /// Its description.
    pub doc: Option<String>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// Comments after the body.
    pub inner: Vec<Comment>,
    /// The whole tree.
    pub span: Span,
}

/// A description of a node: what a file can be checked against without the code.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeModel {
    /// What sort of node it is. [`Category::Subtree`] describes the ports of a tree (XML only).
    pub category: Category,
    /// Its kind.
    pub name: Name,
    /// Its ports.
    pub ports: Vec<Port>,
    /// Metadata, in order (`MetadataFields` in XML).
    pub attributes: Vec<Attribute>,
    /// Its description.
    pub doc: Option<String>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// The whole model.
    pub span: Span,
}

/// A port of a node or parameter of a tree.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Port {
    /// Which way values go.
    pub direction: Direction,
    /// Its name.
    pub name: Name,
    /// Its type as written, if any.
    pub ty: Option<Name>,
    /// The value it has when none is given.
    pub default: Option<Value>,
    /// Its description.
    pub doc: Option<String>,
    /// Unknown attributes, in order.
    pub attributes: Vec<Attribute>,
    /// Comments before it.
    pub trivia: Trivia,
    /// The whole port.
    pub span: Span,
}

/// Which way values go through a port, seen from the node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// The node reads.
    #[default]
    In,
    /// The node writes.
    Out,
    /// Both.
    InOut,
}

impl Direction {
    /// The word in `.tick`.
    pub fn word(self) -> &'static str {
        match self {
            Direction::In => "in",
            Direction::Out => "out",
            Direction::InOut => "inout",
        }
    }
}

/// A block of key declarations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Keys {
    /// The keys in order.
    pub keys: Vec<KeyDecl>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// Comments after the last key.
    pub inner: Vec<Comment>,
    /// The whole block.
    pub span: Span,
}

/// A declared key.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct KeyDecl {
    /// Its name.
    pub name: Name,
    /// Its type as written; needed unless the initial value tells it.
    pub ty: Option<Name>,
    /// Its value at the start; without one it is declared but unset.
    pub initial: Option<Value>,
    /// Its description.
    pub doc: Option<String>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// The whole declaration.
    pub span: Span,
}

/// An enumeration: words that stand for numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumModel {
    /// Its name, used as a type.
    pub name: Name,
    /// Its words in order.
    pub words: Vec<EnumWord>,
    /// Its description.
    pub doc: Option<String>,
    /// Comments and blank lines around it.
    pub trivia: Trivia,
    /// The whole enumeration.
    pub span: Span,
}

/// A word of an enumeration. Without a number it has the one after its predecessor's, the first 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EnumWord {
    /// The word.
    pub name: Name,
    /// Its number, if given.
    pub number: Option<i64>,
}

/// Comments and blank lines around a thing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trivia {
    /// Whether a blank line stands before the thing (and its comments).
    pub blank_before: bool,
    /// Comments above it, one entry each.
    pub leading: Vec<Comment>,
    /// A comment behind it on its line.
    pub trailing: Option<Comment>,
}

/// A comment without its marks: `// text`, `<!-- text -->`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comment {
    /// The text, without marks; inner newlines are possible in XML.
    pub text: String,
    /// Whether a blank line follows it.
    pub blank_after: bool,
    /// The comment with its marks.
    pub span: Span,
}

impl Document {
    /// Whether keys are as in BehaviorTree.CPP: each tree has keys of its own, made by naming them, and
    /// the use of a tree maps them. So it is in XML, and in other formats for files that say so:
    /// `#![keys = "btcpp"]`, which [`prepare`](Document::prepare) writes into what was XML.
    #[must_use]
    pub fn has_btcpp_keys(&self) -> bool {
        self.format == Format::Xml || self.attributes.iter().any(is_btcpp_keys)
    }

    /// Whether it names keys and declares none. XML that declares keys was `.tick` once.
    fn relies_on_btcpp_keys(&self) -> bool {
        let declares = self.keys().next().is_some()
            || (self.trees()).any(|tree| !tree.keys.is_empty() || !tree.params.is_empty());
        let mut names = self.models().flat_map(|model| &model.ports).any(|port| {
            let ty = port.ty.as_ref();
            ty.is_some_and(|ty| !TYPES.contains(&ty.as_str()))
        });
        for root in self.trees().flat_map(|tree| &tree.body) {
            root.walk(&mut |node: &Node| {
                let subtree = node.form == Form::Explicit(Category::Subtree);
                names |= node.attributes.iter().any(|attribute| {
                    let kind = attribute.value.as_ref().map(|value| &value.kind);
                    match kind {
                        Some(ValueKind::Key(_) | ValueKind::SameName) => true,
                        Some(ValueKind::Code(code)) => code.dialect == Dialect::BtCpp,
                        _ => subtree && attribute.role == Role::Argument,
                    }
                });
            });
        }
        names && !declares
    }

    /// Makes the document one to be written in a format: another format's version is no version of its,
    /// and what XML means without a word is said elsewhere.
    pub fn prepare(&mut self, format: Format) {
        if self.format != format {
            self.version = None;
        }
        if format == Format::Xml {
            self.attributes
                .retain(|attribute| !is_btcpp_keys(attribute));
        } else if self.format == Format::Xml
            && self.relies_on_btcpp_keys()
            && !self.attributes.iter().any(is_btcpp_keys)
        {
            self.attributes.insert(0, btcpp_keys());
        }
    }

    /// The trees in order.
    pub fn trees(&self) -> impl Iterator<Item = &Tree> {
        self.items.iter().filter_map(|item| match item {
            Item::Tree(tree) => Some(tree),
            _ => None,
        })
    }

    /// The imports in order.
    pub fn imports(&self) -> impl Iterator<Item = &Import> {
        self.items.iter().filter_map(|item| match item {
            Item::Import(import) => Some(import),
            _ => None,
        })
    }

    /// The node models in order.
    pub fn models(&self) -> impl Iterator<Item = &NodeModel> {
        self.items.iter().filter_map(|item| match item {
            Item::Model(model) => Some(model),
            _ => None,
        })
    }

    /// The keys of the file's blackboard in order.
    pub fn keys(&self) -> impl Iterator<Item = &KeyDecl> {
        self.items
            .iter()
            .filter_map(|item| match item {
                Item::Keys(keys) => Some(&keys.keys),
                _ => None,
            })
            .flatten()
    }

    /// The enumerations in order.
    pub fn enums(&self) -> impl Iterator<Item = &EnumModel> {
        self.items.iter().filter_map(|item| match item {
            Item::Enum(model) => Some(model),
            _ => None,
        })
    }

    /// The first tree called `name`.
    pub fn tree(&self, name: &str) -> Option<&Tree> {
        self.trees().find(|tree| tree.name == name)
    }

    /// The tree to run: the one the file names, else its only one.
    pub fn main_tree(&self) -> Option<&Tree> {
        match &self.main {
            Some(name) => self.tree(name.as_str()),
            None => {
                let mut trees = self.trees();
                trees.next().filter(|_| trees.next().is_none())
            }
        }
    }
}

/// Types of `.tick`; descriptions in XML have those of C++.
const TYPES: [&str; 7] = ["bool", "int", "float", "text", "duration", "vec2", "vec3"];

/// The mark of a file whose keys are as in BehaviorTree.CPP.
const KEYS: (&str, &str) = ("keys", "btcpp");

fn btcpp_keys() -> Attribute {
    let span = Span::default();
    Attribute {
        role: Role::Metadata,
        name: Some(Name::new(KEYS.0, span)),
        value: Some(Value::text(KEYS.1, span)),
        span,
    }
}

fn is_btcpp_keys(attribute: &Attribute) -> bool {
    let value = attribute.value.as_ref();
    attribute.name() == KEYS.0 && value.is_some_and(|value| value.to_attribute() == KEYS.1)
}
