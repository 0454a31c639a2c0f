//! Finds the known name that is nearest to a mistyped one, for error messages.

use alloc::string::String;
use alloc::vec::Vec;

/// The known name that is the fewest edits away from `name`, if these are few for its length.
pub(crate) fn nearest<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = (name.chars().count() / 3).max(1);
    known
        .map(|k| (edits(name, k), k))
        .filter(|(d, _)| *d <= limit)
        .min_by_key(|(d, _)| *d)
        .map(|(_, k)| k.into())
}

/// Insertions, deletions, replacements and case changes from `a` to `b`.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["battery", "target", "hp"];
        let find = |name| nearest(name, known.into_iter());
        assert_eq!(find("batery").as_deref(), Some("battery"));
        assert_eq!(find("hq").as_deref(), Some("hp"));
        assert_eq!(find("speed"), None);
    }
}
