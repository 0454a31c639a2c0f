//! Which licences a dependency may have.

use serde_json::Value;

/// Those that ask for no more than to be named, and the MPL, which asks only for its own files.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// A line for each package, however deep, whose licence does not allow its use, and for each of
/// ours whose manifest lacks what a registry asks for.
pub(crate) fn faults(metadata: &Value) -> Vec<String> {
    let mut faults = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let what = |key: &str| package[key].as_str().unwrap_or_default();
        let (name, version) = (what("name"), what("version"));
        match package["license"].as_str() {
            None => faults.push(format!("{name} {version}: its manifest names no licence")),
            Some(text) if !allows(text) => faults.push(format!(
                "{name} {version}: the licence `{text}` is none of {}",
                ALLOWED.join(", ")
            )),
            Some(_) => {}
        }
        if package["source"].is_null() {
            let missing = ["description", "license"]
                .into_iter()
                .filter(|key| what(key).is_empty());
            faults.extend(missing.map(|key| format!("{name}: its Cargo.toml lacks `{key}`")));
        }
    }
    faults
}

/// Whether an expression such as `(MIT OR GPL-2.0) AND Unicode-3.0` can be met with allowed
/// licences. Old manifests write `/` for `OR`.
fn allows(text: &str) -> bool {
    let spaced = text
        .replace('(', " ( ")
        .replace(')', " ) ")
        .replace('/', " OR ");
    let mut words = spaced.split_whitespace().peekable();
    let met = any(&mut words);
    met && words.next().is_none()
}

type Words<'t> = std::iter::Peekable<std::str::SplitWhitespace<'t>>;

fn any(words: &mut Words<'_>) -> bool {
    let mut met = all(words);
    while words.next_if_eq(&"OR").is_some() {
        met |= all(words);
    }
    met
}

fn all(words: &mut Words<'_>) -> bool {
    let mut met = one(words);
    while words.next_if_eq(&"AND").is_some() {
        met &= one(words);
    }
    met
}

fn one(words: &mut Words<'_>) -> bool {
    if words.next_if_eq(&"(").is_some() {
        let met = any(words);
        return words.next_if_eq(&")").is_some() && met;
    }
    let met = words.next().is_some_and(|word| ALLOWED.contains(&word));
    // An exception only ever permits more.
    if words.next_if_eq(&"WITH").is_some() {
        words.next();
    }
    met
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_met_or_not() {
        for good in [
            "MIT",
            "MIT OR Apache-2.0",
            "MIT/Apache-2.0",
            "GPL-3.0 OR MIT",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception",
            "Apache-2.0 WITH LLVM-exception OR GPL-2.0",
        ] {
            assert!(allows(good), "{good}");
        }
        for bad in [
            "",
            "GPL-3.0",
            "MIT AND GPL-3.0",
            "(MIT OR Apache-2.0) AND GPL-3.0",
            "(MIT",
            "MIT )",
            "MIT MIT",
        ] {
            assert!(!allows(bad), "{bad}");
        }
    }

    #[test]
    fn faults_name_the_package() {
        let metadata = serde_json::json!({"packages": [
            {"name": "ours", "version": "1.0.0", "license": "MIT", "source": null},
            {"name": "theirs", "version": "2.0.0", "license": "SSPL-1.0", "source": "registry"},
            {"name": "nobodys", "version": "3.0.0", "license": null, "source": "registry"},
        ]});
        let faults = faults(&metadata);
        assert_eq!(faults.len(), 3, "{faults:?}");
        assert!(faults[0].contains("ours: its Cargo.toml lacks `description`"));
        assert!(faults[1].contains("theirs 2.0.0: the licence `SSPL-1.0`"));
        assert!(faults[2].contains("nobodys 3.0.0"));
    }
}
