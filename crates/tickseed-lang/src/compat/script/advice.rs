//! What was probably meant by a script that is wrong, or right by accident.

/// What to write instead of what a script stumbles over at a byte.
pub(crate) fn help(text: &str, at: usize) -> Option<&'static str> {
    let rest = text.get(at..)?;
    let before = text[..at].trim_end();
    Some(match rest.chars().next()? {
        '"' => "texts stand in single quotes: 'text'",
        '%' => "there is no operator for remainders",
        '[' | ']' => "entries are single values: scripts know no lists",
        '.' => "names have no dots: scripts know no parts of values",
        '$' | '{' | '}' => "a key stands alone, without braces: `key`",
        '+' if before.ends_with('+') => "write `x += 1`",
        '-' if before.ends_with('-') => "write `x -= 1`",
        '=' if before.ends_with("==") || before.ends_with("!=") => "write `==` or `!=`",
        '#' => "scripts have no comments",
        _ => return None,
    })
}

/// What was probably meant where a statement begins at `at` with no `;` before it: `x := not y` is
/// read as `x := not; y`.
pub(crate) fn run_on(text: &str, at: usize) -> String {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '@';
    let before = text[..at].trim_end();
    let last = before.rsplit(|c| !is_letter(c)).next().unwrap_or_default();
    let next = text[at..]
        .split(|c| !is_letter(c))
        .next()
        .unwrap_or_default();
    let rest = &text[at..];
    match (last, next) {
        ("not", _) => "`not` is read as a key: write `!`".into(),
        ("and", _) | (_, "and") => "`and` is read as a key: write `&&`".into(),
        ("or", _) | (_, "or") => "`or` is read as a key: write `||`".into(),
        ("if" | "else" | "while" | "return" | "then", _) | (_, "else" | "then") => {
            "scripts know no such words: choose with `condition ? a : b`, or with nodes".into()
        }
        (word, "") if !word.is_empty() && rest.starts_with('(') => {
            format!("`{word}` is read as a key: scripts know no functions")
        }
        _ => "write `;` between them, as BehaviorTree.CPP before 4.10 demands".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::{help, run_on};

    #[test]
    fn words_of_other_languages_are_pointed_at() {
        for (text, at, part) in [
            ("x := not y", 9, "`!`"),
            ("x := y and z", 7, "`&&`"),
            ("if (x) y := 1", 3, "? a : b"),
            ("x := sqrt(2)", 9, "no functions"),
            ("a := 1 b := 2", 7, "4.10"),
        ] {
            let told = run_on(text, at);
            assert!(told.contains(part), "{text}: {told}");
        }
        assert_eq!(help("x++", 2), Some("write `x += 1`"));
        assert_eq!(help("x := y", 0), None);
    }
}
