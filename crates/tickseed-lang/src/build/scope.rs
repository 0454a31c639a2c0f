//! Scopes: which slot a key of a subtree is.
//!
//! `.tick` is lexical: a tree sees its parameters, its own keys, the keys of the file, and the keys
//! that the context publishes; anything else is a mistake. In XML a key exists as soon as anything
//! names it, and belongs to the subtree that names it unless it is remapped (as specified by
//! BehaviorTree.CPP: `@key` is the root's; a remapped key is its caller's; with `_autoremap`, all
//! keys except those that begin with `_` are the caller's).

use std::collections::HashMap;
use std::sync::Arc;

use tickseed_core::KeyId;

use super::Loader;
use crate::board::{HasBoard, Mark, field_slot};
use crate::diagnostics::{Diagnostic, nearest};
use crate::expr::{Datum, Key, Names, Slot, Type};
use crate::model::{KeyRef, KeyScope, Span};

/// The number of a scope.
pub(crate) type ScopeId = usize;

/// The root blackboard, which is also the scope of the main tree.
pub(crate) const ROOT: ScopeId = 0;

/// A key as a scope knows it.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) slot: Slot,
    pub(crate) ty: Type,
    pub(crate) span: Option<Span>,
    pub(crate) writable: bool,
}

/// One instance of a tree.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) parent: Option<ScopeId>,
    /// The scope's number in the layout.
    pub(crate) layout: u32,
    /// Keys must be declared.
    pub(crate) lexical: bool,
    /// Keys that are found in the parent under another name.
    pub(crate) remaps: HashMap<String, KeyRef>,
    pub(crate) autoremap: bool,
    pub(crate) keys: HashMap<String, Binding>,
    /// What a use of a tree in XML hands over and nothing inside has named yet.
    pub(super) given: HashMap<String, Span>,
    /// The indices of the `for`s around what is made now, innermost last.
    pub(super) loops: Vec<String>,
    /// The slots of indices whose loops are over; the next loops of the scope use them.
    pub(super) spare: HashMap<String, Vec<Binding>>,
}

/// The index of a `for`, while the nodes inside are made.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) binding: Binding,
    /// Its name, if the loop declares it, and what the name meant before.
    declared: Option<(String, Option<Binding>)>,
}

impl<C: HasBoard> Loader<'_, C> {
    /// The slot of a key, made if the scope makes keys by naming them.
    pub(crate) fn resolve(&mut self, scope: ScopeId, key: &KeyRef, span: Span) -> Option<Binding> {
        // What a name means in a scope never changes, and neighbours often name the same key.
        if let Some((of, name, binding)) = &self.recent
            && *of == scope
            && name == key
        {
            return Some(binding.clone());
        }
        match self.try_resolve(scope, key, span) {
            Ok(binding) => {
                self.recent = Some((scope, key.clone(), binding.clone()));
                Some(binding)
            }
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    fn try_resolve(
        &mut self,
        scope: ScopeId,
        key: &KeyRef,
        span: Span,
    ) -> Result<Binding, Box<Diagnostic>> {
        let name = key.name.as_str();
        if key.scope == KeyScope::Root && scope != ROOT {
            let local = KeyRef {
                scope: KeyScope::Local,
                name: key.name.clone(),
            };
            return self.try_resolve(ROOT, &local, span);
        }
        if !self.scopes[scope].given.is_empty() {
            self.scopes[scope].given.remove(name);
        }
        if let Some(binding) = self.scopes[scope].keys.get(name) {
            return Ok(binding.clone());
        }
        let here = &self.scopes[scope];
        let up = match (here.parent, here.remaps.get(name)) {
            (Some(parent), Some(remap)) => Some((parent, remap.clone())),
            (Some(parent), None) if here.autoremap && !name.starts_with('_') => {
                Some((parent, key.clone()))
            }
            _ => None,
        };
        if let Some((parent, key)) = up {
            let binding = self.try_resolve(parent, &key, span)?;
            self.names = None;
            self.scopes[scope]
                .keys
                .insert(name.to_owned(), binding.clone());
            return Ok(binding);
        }
        let lexical = here.lexical;
        if (lexical || scope == ROOT)
            && let Some(binding) = self.file_keys.get(name)
        {
            return Ok(binding.clone());
        }
        if (lexical || scope == ROOT)
            && let Some((id, info)) = C::schema().find(name)
        {
            return Ok(field(id, info.ty));
        }
        if lexical {
            return Err(Box::new(self.unknown_key(scope, name, span)));
        }
        let slot = self.new_slot(scope, name, Type::Any, Datum::None, Mark::ABSENT, span)?;
        let binding = Binding {
            slot,
            ty: Type::Any,
            span: Some(span),
            writable: true,
        };
        self.names = None;
        self.scopes[scope]
            .keys
            .insert(name.to_owned(), binding.clone());
        Ok(binding)
    }

    fn unknown_key(&self, scope: ScopeId, name: &str, span: Span) -> Diagnostic {
        let known = (self.scopes[scope].keys.keys().map(String::as_str))
            .chain(self.file_keys.keys().map(String::as_str))
            .chain(C::schema().keys.iter().map(|key| key.name));
        let help = match nearest(name, known) {
            Some(near) => format!("did you mean `{near}`?"),
            // Its type is for the author to say; a guess would be the next mistake.
            None => format!(
                "declare it in a `keys` block with a type or a first value (`{name}: bool`, \
                 `{name} = 0.5`), even if the program has it"
            ),
        };
        Diagnostic::error(
            "load::unknown-key",
            format!("no key is called `{name}` here"),
        )
        .at(span, "not known")
        .help(help)
    }

    pub(crate) fn new_slot(
        &mut self,
        scope: ScopeId,
        name: &str,
        ty: Type,
        initial: Datum,
        mark: Mark,
        span: Span,
    ) -> Result<Slot, Box<Diagnostic>> {
        let layout = self.scopes[scope].layout;
        self.layout
            .add(layout, name, ty, initial, mark)
            .map_err(|e| {
                Box::new(Diagnostic::error("load::too-many-keys", e.to_string()).at(span, ""))
            })
    }

    /// Whether a scope has a key of this name: a second declaration is a mistake.
    pub(super) fn is_taken(&mut self, scope: ScopeId, name: &str, span: Span) -> bool {
        let Some(old) = self.scopes[scope].keys.get(name) else {
            return false;
        };
        let mut diagnostic = Diagnostic::error(
            "load::duplicate-key",
            format!("two keys are called `{name}`"),
        )
        .at(span, "again here")
        .help("rename one");
        if let Some(first) = old.span {
            diagnostic = diagnostic.and(first, "first here");
        }
        self.report(diagnostic);
        true
    }

    /// Declares a key of a scope.
    pub(crate) fn declare(
        &mut self,
        scope: ScopeId,
        name: &str,
        ty: Type,
        initial: Datum,
        writable: bool,
        span: Span,
    ) -> Option<Binding> {
        if self.is_taken(scope, name, span) {
            return None;
        }
        match self.new_slot(scope, name, ty.clone(), initial, Mark::ANY, span) {
            Ok(slot) => {
                let binding = Binding {
                    slot,
                    ty,
                    span: Some(span),
                    writable,
                };
                (self.names, self.recent) = (None, None);
                self.scopes[scope]
                    .keys
                    .insert(name.to_owned(), binding.clone());
                Some(binding)
            }
            Err(diagnostic) => {
                self.report(*diagnostic);
                None
            }
        }
    }

    /// The key that counts a `for`'s rounds. In `.tick` it is a name for the nodes inside alone, unless
    /// the tree declares a key of this name; in XML naming a key makes it.
    pub(crate) fn enter_index(
        &mut self,
        scope: ScopeId,
        key: &KeyRef,
        span: Span,
    ) -> Option<Index> {
        let name = key.name.as_str();
        let here = &self.scopes[scope];
        let outer = here.keys.get(name).cloned();
        let is_loops = here.loops.iter().any(|of| of == name);
        if key.scope == KeyScope::Root || !here.lexical || (outer.is_some() && !is_loops) {
            let known = outer.is_some() || self.names(scope).find(key).is_some();
            let binding = if known || key.scope == KeyScope::Root {
                self.resolve(scope, key, span)?
            } else {
                self.declare(scope, name, Type::Int, Datum::Int(0), true, span)?
            };
            let declared = None;
            return Some(Index { binding, declared });
        }
        let spare = self.scopes[scope].spare.get_mut(name).and_then(Vec::pop);
        let binding = match spare {
            Some(binding) => binding,
            None => match self.new_slot(scope, name, Type::Int, Datum::Int(0), Mark::ANY, span) {
                Ok(slot) => Binding {
                    slot,
                    ty: Type::Int,
                    span: Some(span),
                    writable: true,
                },
                Err(diagnostic) => {
                    self.report(*diagnostic);
                    return None;
                }
            },
        };
        (self.names, self.recent) = (None, None);
        let here = &mut self.scopes[scope];
        here.keys.insert(name.to_owned(), binding.clone());
        here.loops.push(name.to_owned());
        let declared = Some((name.to_owned(), outer));
        Some(Index { binding, declared })
    }

    /// The name of an index means again what it meant before the loop.
    pub(crate) fn leave_index(&mut self, scope: ScopeId, index: Index) {
        let Some((name, outer)) = index.declared else {
            return;
        };
        (self.names, self.recent) = (None, None);
        let here = &mut self.scopes[scope];
        here.loops.pop();
        match outer {
            Some(outer) => here.keys.insert(name.clone(), outer),
            None => here.keys.remove(&name),
        };
        here.spare.entry(name).or_default().push(index.binding);
    }

    /// The names an expression of this scope may use.
    pub(crate) fn names(&mut self, scope: ScopeId) -> Arc<Names> {
        if let Some((of, names)) = &self.names
            && *of == scope
        {
            return Arc::clone(names);
        }
        let names = Arc::new(self.collect_names(scope));
        self.names = Some((scope, Arc::clone(&names)));
        names
    }

    fn collect_names(&self, scope: ScopeId) -> Names {
        let mut names = Names::new();
        let entry = |binding: &Binding| Key {
            ty: binding.ty.clone(),
            slot: binding.slot,
            writable: binding.writable,
        };
        for (i, info) in C::schema().keys.iter().enumerate() {
            let binding = field(KeyId(i as u16), info.ty);
            names.insert(KeyScope::Local, info.name, entry(&binding));
            names.insert(KeyScope::Root, info.name, entry(&binding));
        }
        for (name, binding) in &self.file_keys {
            names.insert(KeyScope::Local, name, entry(binding));
            names.insert(KeyScope::Root, name, entry(binding));
        }
        for (name, binding) in &self.scopes[ROOT].keys {
            names.insert(KeyScope::Root, name, entry(binding));
        }
        for (name, binding) in &self.scopes[scope].keys {
            names.insert(KeyScope::Local, name, entry(binding));
        }
        for (name, words) in &self.enums {
            names.add_enum(name.clone(), words.clone());
        }
        for (signature, _) in self.registry.functions() {
            names.add_function(signature.clone());
        }
        names
    }
}

/// A key that the context publishes.
pub(super) fn field(id: KeyId, ty: tickseed_core::ScalarType) -> Binding {
    Binding {
        slot: field_slot(id),
        ty: match ty {
            tickseed_core::ScalarType::Bool => Type::Bool,
            ty if ty.is_float() => Type::Float,
            _ => Type::Int,
        },
        span: None,
        writable: true,
    }
}
