//! The keys of a loaded tree: names, owners, types and places.

use tickseed_core::{ScalarType, TreeKey};

use crate::expr::{Datum, Slot, Type};

/// All keys of a loaded tree. Made when a tree is loaded, shared by the boards of all its agents.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layout {
    slots: Vec<SlotInfo>,
    scopes: Vec<String>,
    types: Vec<String>,
    block: u32,
}

/// What is known about one slot.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SlotInfo {
    /// The key's name in the scope that owns it.
    pub name: String,
    /// The scope that owns it: its place in [`Layout::scopes`].
    pub scope: u32,
    /// Its type; [`Type::Any`] if nothing declares one.
    pub ty: Type,
    /// Its value in a new board; [`Datum::None`] for unset.
    pub initial: Datum,
    /// Its byte offset in the board's block, for scalars that always have a value.
    pub place: Option<u32>,
    /// The mark of its entry in a new board.
    pub mark: Mark,
}

/// What a board knows about an entry beyond its value. The dialects of BehaviorTree.CPP distinguish
/// keys that nothing has made yet, and remember by which type an entry was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark(pub u16);

impl Mark {
    /// Nothing has made the entry yet.
    pub const ABSENT: Mark = Mark(0);
    /// The entry takes any type.
    pub const ANY: Mark = Mark(1);
}

impl Layout {
    /// Adds a scope; the first one is the root. Its name is the path of the subtree.
    pub fn add_scope(&mut self, path: impl Into<String>) -> u32 {
        self.scopes.push(path.into());
        self.scopes.len() as u32 - 1
    }

    /// Adds a slot. A scalar with a value is placed in the block, where guards read it as data.
    ///
    /// # Errors
    /// There are 65,535 slots already.
    pub fn add(
        &mut self,
        scope: u32,
        name: impl Into<String>,
        ty: Type,
        initial: Datum,
        mark: Mark,
    ) -> Result<Slot, TooMany> {
        if self.slots.len() >= usize::from(u16::MAX) {
            return Err(TooMany);
        }
        let size = match (&ty, &initial) {
            (Type::Bool, Datum::Bool(_)) => Some(1),
            (Type::Int, Datum::Int(_)) | (Type::Float, Datum::Float(_)) => Some(8),
            _ => None,
        };
        let place = size.map(|size| {
            let at = self.block.next_multiple_of(size);
            self.block = at + size;
            at
        });
        self.slots.push(SlotInfo {
            name: name.into(),
            scope,
            ty,
            initial,
            place,
            mark,
        });
        Ok(Slot(self.slots.len() as u32 - 1))
    }

    /// A slot's description.
    #[must_use]
    pub fn slot(&self, slot: Slot) -> Option<&SlotInfo> {
        self.slots.get(slot.0 as usize)
    }

    /// All slots in order.
    pub fn slots(&self) -> impl Iterator<Item = (Slot, &SlotInfo)> {
        self.slots
            .iter()
            .enumerate()
            .map(|(i, info)| (Slot(i as u32), info))
    }

    /// How many slots there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The paths of all scopes; the root's is empty.
    #[must_use]
    pub fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// The slot of a key of the scope at `path`. For tools and set-up: ticks never look up names.
    #[must_use]
    pub fn find(&self, path: &str, name: &str) -> Option<Slot> {
        let scope = self.scopes.iter().position(|p| p == path)? as u32;
        self.slots()
            .find(|(_, info)| info.scope == scope && info.name == name)
            .map(|(slot, _)| slot)
    }

    /// The scalar keys as the engine names them: those of the root by their names, those of subtrees
    /// behind the subtree's path. Keys of XML are declared nowhere; those have the type that a
    /// node's port gives them.
    pub fn tree_keys(&self) -> impl Iterator<Item = TreeKey> + '_ {
        let scalar = |ty: &Type| match ty {
            Type::Bool => Some(ScalarType::Bool),
            Type::Int => Some(ScalarType::I64),
            Type::Float => Some(ScalarType::F64),
            _ => None,
        };
        self.slots().filter_map(move |(slot, info)| {
            let ty = match &info.ty {
                Type::Any => scalar(&Type::parse(self.type_of(info.mark)?, |_| false))?,
                ty => scalar(ty)?,
            };
            let name = match self.scopes.get(info.scope as usize) {
                Some(scope) if !scope.is_empty() => format!("{scope}/{}", info.name),
                _ => info.name.clone(),
            };
            let id = super::key_of(slot)?;
            Some(TreeKey { id, name, ty })
        })
    }

    /// The mark for entries made by a type of this name.
    pub fn mark(&mut self, ty: &str) -> Mark {
        let at = self
            .types
            .iter()
            .position(|known| known == ty)
            .unwrap_or_else(|| {
                self.types.push(ty.to_owned());
                self.types.len() - 1
            });
        Mark(u16::try_from(at + 2).unwrap_or(Mark::ANY.0))
    }

    /// The mark of a type that was noted before.
    #[must_use]
    pub fn find_mark(&self, ty: &str) -> Option<Mark> {
        let at = self.types.iter().position(|known| known == ty)?;
        u16::try_from(at + 2).ok().map(Mark)
    }

    /// The type a mark stands for; `None` for absent and untyped entries.
    #[must_use]
    pub fn type_of(&self, mark: Mark) -> Option<&str> {
        let at = mark.0.checked_sub(2)?;
        self.types.get(usize::from(at)).map(String::as_str)
    }

    pub(crate) fn block_size(&self) -> usize {
        self.block as usize
    }

    /// Makes a slot's type and first value known after it was added; its place stays.
    pub(crate) fn refine(&mut self, slot: Slot, ty: Option<Type>, mark: Option<Mark>) {
        if let Some(info) = self.slots.get_mut(slot.0 as usize) {
            if let Some(ty) = ty {
                info.ty = ty;
            }
            if let Some(mark) = mark {
                info.mark = mark;
            }
        }
    }
}

/// A tree has more keys than slots can be numbered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooMany;

impl std::fmt::Display for TooMany {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the tree has more than 65,535 keys")
    }
}

impl std::error::Error for TooMany {}
