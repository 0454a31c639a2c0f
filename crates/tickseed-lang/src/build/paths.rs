//! Paths of written nodes, made on demand: most loads never need one.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use tickseed_core::Def;

use super::Instance;
use crate::model::Str;

/// Which of its siblings of one label each instance is: the number its path ends in.
#[derive(Debug, Default)]
pub(crate) struct Twins(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    /// How many children of a node have a label.
    labels: HashMap<(Option<usize>, Str), u32>,
    /// The numbers of the first instances, from 1.
    numbers: Vec<u32>,
}

impl Twins {
    /// Counts on, up to the instance.
    fn number(&self, instances: &[Instance], id: usize) -> u32 {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Counted { labels, numbers } = &mut *counted;
        for instance in instances.get(numbers.len()..=id).unwrap_or_default() {
            let label = (instance.parent, instance.name.clone());
            let count = labels.entry(label).or_insert(0);
            *count += 1;
            numbers.push(*count);
        }
        numbers.get(id).copied().unwrap_or(1)
    }

    /// The path of an instance, of all that are known by now.
    pub(crate) fn path(&self, instances: &[Instance], id: usize) -> String {
        let mut path = String::new();
        let mut way: Vec<usize> = vec![id];
        while let Some(parent) = way.last().and_then(|id| instances[*id].parent) {
            way.push(parent);
        }
        while let Some(id) = way.pop() {
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(&Def::path_part(&instances[id].name));
            let number = self.number(instances, id);
            if number > 1 {
                path.push('#');
                path.push_str(&number.to_string());
            }
        }
        path
    }
}

/// The path that BehaviorTree.CPP gives an instance. `scopes` are the paths of the subtrees.
pub(crate) fn full_path(instances: &[Instance], scopes: &[String], id: usize) -> String {
    let instance = &instances[id];
    let mut path = match scopes.get(instance.scope as usize) {
        Some(scope) if !scope.is_empty() => format!("{scope}/"),
        _ => String::new(),
    };
    path.push_str(&instance.name);
    if !instance.named {
        path.push_str(&format!("::{}", id + 1));
    }
    path
}

/// The place of one node, for whoever makes it: its paths cost something only when asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Whereabouts<'l> {
    pub(crate) instances: &'l [Instance],
    pub(crate) scopes: &'l [String],
    pub(crate) twins: &'l Twins,
    pub(crate) id: usize,
}

impl Whereabouts<'_> {
    pub(crate) fn path(&self) -> String {
        self.twins.path(self.instances, self.id)
    }

    pub(crate) fn full_path(&self) -> String {
        full_path(self.instances, self.scopes, self.id)
    }

    /// The parent's path and kind, as BehaviorTree.CPP names them.
    pub(crate) fn parent(&self) -> Option<(String, String)> {
        let parent = self.instances[self.id].parent?;
        let instance = &self.instances[parent];
        let kind = match instance.subtree {
            Some(_) => "SubTree".to_owned(),
            None => instance.kind.to_string(),
        };
        Some((full_path(self.instances, self.scopes, parent), kind))
    }
}
