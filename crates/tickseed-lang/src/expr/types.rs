//! Types of values, and the names an expression may use.

use std::collections::HashMap;
use std::fmt;

use super::Datum;
use crate::model::{KeyRef, KeyScope};

/// The type of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Type {
    /// `bool`
    Bool,
    /// `int`: 64 bits with sign.
    Int,
    /// `float`: 64 bits.
    Float,
    /// `text`
    Text,
    /// `duration`, in nanoseconds.
    Duration,
    /// `vec2`
    Vec2,
    /// `vec3`
    Vec3,
    /// `list<T>`
    List(Box<Type>),
    /// A declared enumeration.
    Enum(String),
    /// Something only the code knows, such as `entity`: it can be compared for equality, tested for
    /// `none`, copied, and handed to functions.
    Opaque(String),
    /// Fits everything. What `none` has, and what a mistake that was reported leaves.
    Any,
}

impl Type {
    /// The type written as `text`; `is_enum` says which names are enumerations. The spellings of
    /// C++ that occur in BehaviorTree.CPP's files are understood too.
    pub fn parse(text: &str, is_enum: impl Fn(&str) -> bool) -> Type {
        Self::parse_within(text.trim(), &is_enum, 0)
    }

    fn parse_within(text: &str, is_enum: &dyn Fn(&str) -> bool, depth: usize) -> Type {
        let list = ["list<", "std::vector<", "vector<"]
            .iter()
            .find_map(|start| text.strip_prefix(start)?.strip_suffix('>'));
        if let Some(inner) = list
            && depth < 8
        {
            return Type::List(Box::new(Self::parse_within(
                inner.trim(),
                is_enum,
                depth + 1,
            )));
        }
        match text {
            "bool" => Type::Bool,
            "int" | "unsigned int" | "unsigned" | "int8" | "int16" | "int32" | "int64"
            | "uint8" | "uint16" | "uint32" | "uint64" | "int8_t" | "int16_t" | "int32_t"
            | "int64_t" | "uint8_t" | "uint16_t" | "uint32_t" | "uint64_t" => Type::Int,
            "float" | "double" => Type::Float,
            "text" | "string" | "std::string" => Type::Text,
            "duration" => Type::Duration,
            "vec2" => Type::Vec2,
            "vec3" => Type::Vec3,
            "any" | "" | "BT::Any" | "AnyTypeAllowed" => Type::Any,
            name if is_enum(name) => Type::Enum(name.to_owned()),
            name => Type::Opaque(name.to_owned()),
        }
    }

    /// The type that values of both have, if there is one: numbers become `float` together.
    pub fn join(&self, other: &Type) -> Option<Type> {
        match (self, other) {
            (Type::Any, ty) | (ty, Type::Any) => Some(ty.clone()),
            (Type::Int, Type::Float) | (Type::Float, Type::Int) => Some(Type::Float),
            (Type::List(a), Type::List(b)) => Some(Type::List(Box::new(a.join(b)?))),
            (a, b) => (a == b).then(|| a.clone()),
        }
    }

    /// Whether a value of this type can stand where `wanted` is.
    pub fn fits(&self, wanted: &Type) -> bool {
        match (self, wanted) {
            (Type::Any, _) | (_, Type::Any) => true,
            (Type::List(a), Type::List(b)) => a == b || a.as_ref() == &Type::Any,
            (Type::Int, Type::Float) => true,
            (a, b) => a == b,
        }
    }

    /// Whether it is, or holds, a `list` that does not say of what.
    pub(crate) fn is_bare_list(&self) -> bool {
        match self {
            Type::List(inner) => inner.is_bare_list(),
            Type::Opaque(name) => name == "list",
            _ => false,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Type::Int | Type::Float)
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Bool => f.write_str("bool"),
            Type::Int => f.write_str("int"),
            Type::Float => f.write_str("float"),
            Type::Text => f.write_str("text"),
            Type::Duration => f.write_str("duration"),
            Type::Vec2 => f.write_str("vec2"),
            Type::Vec3 => f.write_str("vec3"),
            Type::List(inner) => write!(f, "list<{inner}>"),
            Type::Enum(name) | Type::Opaque(name) => f.write_str(name),
            Type::Any => f.write_str("any"),
        }
    }
}

/// The number of a key. Evaluation knows keys by it alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot(pub u32);

/// The number of a function that the user registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FunctionId(pub u32);

/// What is known about a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// Its type.
    pub ty: Type,
    /// Its number.
    pub slot: Slot,
    /// Whether scripts may write it.
    pub writable: bool,
}

/// A function of the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its name. Several functions of one name are told apart by their parameters.
    pub name: String,
    /// The types of its parameters.
    pub parameters: Vec<Type>,
    /// The type of its result.
    pub result: Type,
}

/// The names an expression may use: keys, words of enumerations, functions.
///
/// ```
/// use tickseed_lang::expr::{Names, Type};
/// let mut names = Names::new();
/// let battery = names.add_key("battery", Type::Float);
/// assert_eq!(names.key("battery").unwrap().slot, battery);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Names {
    local: HashMap<String, Key>,
    root: HashMap<String, Key>,
    enums: HashMap<String, Vec<(String, i64)>>,
    functions: Vec<Signature>,
    next_slot: u32,
}

impl Names {
    /// No names but the built-in functions.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key of the scope itself with the next free slot. One of the same name is shadowed.
    pub fn add_key(&mut self, name: impl Into<String>, ty: Type) -> Slot {
        let slot = Slot(self.next_slot);
        self.insert(
            KeyScope::Local,
            name,
            Key {
                ty,
                slot,
                writable: true,
            },
        );
        slot
    }

    /// Adds a key with a slot of the caller's choice.
    pub fn insert(&mut self, scope: KeyScope, name: impl Into<String>, key: Key) {
        self.next_slot = self.next_slot.max(key.slot.0.saturating_add(1));
        let keys = match scope {
            KeyScope::Local => &mut self.local,
            KeyScope::Root => &mut self.root,
        };
        keys.insert(name.into(), key);
    }

    /// Adds an enumeration with its words and their numbers.
    pub fn add_enum(&mut self, name: impl Into<String>, words: Vec<(String, i64)>) {
        self.enums.insert(name.into(), words);
    }

    /// Adds a function; calls reach [`super::Scope::call`] with its number.
    pub fn add_function(&mut self, signature: Signature) -> FunctionId {
        self.functions.push(signature);
        FunctionId(self.functions.len() as u32 - 1)
    }

    /// The key called `name` in the scope itself.
    pub fn key(&self, name: &str) -> Option<&Key> {
        self.local.get(name)
    }

    /// The key that a reference names.
    pub fn find(&self, key: &KeyRef) -> Option<&Key> {
        match key.scope {
            KeyScope::Local => self.local.get(key.name.as_str()),
            KeyScope::Root => self.root.get(key.name.as_str()),
        }
    }

    /// The names of all keys of a scope, sorted.
    pub fn keys(&self, scope: KeyScope) -> Vec<&str> {
        let keys = match scope {
            KeyScope::Local => &self.local,
            KeyScope::Root => &self.root,
        };
        let mut names: Vec<_> = keys.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// The name of a slot, for messages.
    pub fn slot_name(&self, slot: Slot) -> Option<&str> {
        let all = self.local.iter().chain(&self.root);
        // Of several names for one slot the first in the alphabet, so that messages do not vary.
        all.filter(|(_, key)| key.slot == slot)
            .map(|(name, _)| name.as_str())
            .min()
    }

    /// The names of the enumerations.
    pub(crate) fn enum_names(&self) -> impl Iterator<Item = &str> {
        self.enums.keys().map(String::as_str)
    }

    /// Whether `name` is an enumeration.
    pub fn is_enum(&self, name: &str) -> bool {
        self.enums.contains_key(name)
    }

    /// The words of an enumeration.
    pub fn words(&self, name: &str) -> &[(String, i64)] {
        self.enums.get(name).map_or(&[], Vec::as_slice)
    }

    /// The user's functions of a name.
    pub fn functions<'a>(
        &'a self,
        name: &'a str,
    ) -> impl Iterator<Item = (FunctionId, &'a Signature)> {
        let all = self.functions.iter().enumerate();
        all.filter(move |(_, f)| f.name == name)
            .map(|(i, f)| (FunctionId(i as u32), f))
    }

    /// The names of all functions of the user.
    pub fn function_names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().map(|f| f.name.as_str())
    }

    /// An enumeration that has a word.
    pub(crate) fn enum_with_word(&self, word: &str) -> Option<&str> {
        let all = self.enums.iter();
        let with = all.filter(|(_, words)| words.iter().any(|(name, _)| name == word));
        with.map(|(name, _)| name.as_str()).min()
    }

    /// The word of an enumeration as a value.
    pub(crate) fn word(&self, of: &str, word: &str) -> Option<Datum> {
        self.words(of)
            .iter()
            .find(|(name, _)| name == word)
            .map(|&(_, n)| Datum::Word(n))
    }
}
