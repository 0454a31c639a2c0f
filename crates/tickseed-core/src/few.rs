//! A list that mostly has at most one item and then needs no allocation: the functions of a node,
//! the resume points of a leaf.

use alloc::vec;
use alloc::vec::Vec;
use core::iter::Chain;
use core::ops::{Deref, DerefMut};
use core::option;

/// The list.
#[derive(Clone, Debug)]
pub(crate) enum Few<T> {
    None,
    One([T; 1]),
    Many(Vec<T>),
}

impl<T> Few<T> {
    pub(crate) fn push(&mut self, item: T) {
        *self = match core::mem::replace(self, Few::None) {
            Few::None => Few::One([item]),
            Few::One([first]) => Few::Many(vec![first, item]),
            Few::Many(mut items) => {
                items.push(item);
                Few::Many(items)
            }
        };
    }
}

impl<T> Deref for Few<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Few::None => &[],
            Few::One(item) => item,
            Few::Many(items) => items,
        }
    }
}

impl<T> DerefMut for Few<T> {
    fn deref_mut(&mut self) -> &mut [T] {
        match self {
            Few::None => &mut [],
            Few::One(item) => item,
            Few::Many(items) => items,
        }
    }
}

impl<T> From<Vec<T>> for Few<T> {
    fn from(mut items: Vec<T>) -> Self {
        match items.len() {
            0 => Few::None,
            1 => items.pop().map_or(Few::None, |item| Few::One([item])),
            _ => Few::Many(items),
        }
    }
}

impl<T, const N: usize> From<[T; N]> for Few<T> {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T> FromIterator<T> for Few<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut items = items.into_iter();
        match (items.next(), items.next()) {
            (None, _) => Few::None,
            (Some(item), None) => Few::One([item]),
            (Some(first), Some(second)) => {
                let mut all = Vec::with_capacity(2 + items.size_hint().0);
                all.extend([first, second]);
                all.extend(items);
                Few::Many(all)
            }
        }
    }
}

impl<T> IntoIterator for Few<T> {
    type Item = T;
    type IntoIter = Chain<option::IntoIter<T>, vec::IntoIter<T>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, many) = match self {
            Few::None => (None, Vec::new()),
            Few::One([item]) => (Some(item), Vec::new()),
            Few::Many(items) => (None, items),
        };
        one.into_iter().chain(many)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_any_length_holds_its_items_in_order() {
        let mut pushed = Few::None;
        for n in 0..4u32 {
            let expected: Vec<u32> = (0..n).collect();
            assert_eq!(&*pushed, &*expected);
            assert_eq!(&*Few::from(expected.clone()), &*expected);
            let collected: Few<u32> = expected.iter().copied().collect();
            assert_eq!(collected.into_iter().collect::<Vec<_>>(), expected);
            pushed.push(n);
        }
        pushed[0] = 7;
        assert_eq!(&*pushed, &[7, 1, 2, 3]);
    }
}
