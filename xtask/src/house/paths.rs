//! Documents that name files, held to name such as exist.

/// What a document names in backquotes and means as a path from the workspace's root: it has a
/// slash in it and begins with one of our folders. Groups are taken apart: `{a,b}`, and a star
/// stands for any ending.
fn named(text: &str, folders: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    // Code between fences is no prose.
    for prose in text.split("```").step_by(2) {
        for word in prose.split('`').skip(1).step_by(2) {
            let ours = word
                .split_once('/')
                .is_some_and(|(first, _)| folders.iter().any(|f| f == first));
            if ours && !word.contains(['<', ' ']) {
                found.extend(ungroup(word));
            }
        }
        for target in prose
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split_once(')'))
        {
            let path = target.0.split('#').next().unwrap_or_default();
            if !path.is_empty() && !path.contains(':') {
                found.push(path.to_owned());
            }
        }
    }
    found
}

fn ungroup(word: &str) -> Vec<String> {
    match word
        .split_once('{')
        .and_then(|(a, rest)| Some((a, rest.split_once('}')?)))
    {
        Some((before, (group, after))) => {
            let each = group
                .split(',')
                .map(|part| format!("{before}{}{after}", part.trim()));
            each.flat_map(|word| ungroup(&word)).collect()
        }
        None => vec![word.split('*').next().unwrap_or_default().to_owned()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::house::root;

    #[test]
    fn paths_are_found_in_prose() {
        let folders = ["crates".to_owned()];
        let text = "see `crates/a/{b,c}.rs`, `nodes/x`, [d](docs/d.md#part), [e](https://e.org)\n\
                    ```\n`crates/none`\n```\n`crates/f/*`, `crates/<name>`";
        let found = named(text, &folders);
        // Backquotes first, then links.
        assert_eq!(
            found,
            ["crates/a/b.rs", "crates/a/c.rs", "docs/d.md", "crates/f/"]
        );
    }

    #[test]
    fn documents_name_what_exists() {
        let mut entries = std::fs::read_dir(root()).expect("the root can be read");
        let folders: Vec<String> = entries
            .by_ref()
            .filter_map(|e| Some(e.ok()?.file_name().to_str()?.to_owned()))
            .collect();
        let (mut seen, mut missing) = (0, Vec::new());
        let docs = std::fs::read_dir(root().join("docs")).expect("the documents can be read");
        let docs = docs.filter_map(|e| Some(e.ok()?.path()));
        let top = ["README.md", "ARCHITECTURE.md", "CHANGELOG.md"].map(|name| root().join(name));
        for file in top.into_iter().chain(docs) {
            if file.extension().is_none_or(|e| e != "md") {
                continue;
            }
            let text = std::fs::read_to_string(&file).expect("the document can be read");
            for path in named(&text, &folders) {
                seen += 1;
                let beside = file
                    .parent()
                    .is_some_and(|folder| folder.join(&path).exists());
                if !beside && !root().join(&path).exists() {
                    missing.push(format!("{} names `{path}`", file.display()));
                }
            }
        }
        assert!(
            missing.is_empty(),
            "there is no such file:\n{}",
            missing.join("\n")
        );
        assert!(
            seen > 15,
            "only {seen} paths were found: does the search still work?"
        );
    }

    /// The map of core names its modules as `nodes/*`, `run/{exec,rare}`: they exist too.
    #[test]
    fn the_map_of_core_names_its_modules() {
        let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("it can be read");
        let map = text
            .split("### In `tickseed-core`")
            .nth(1)
            .expect("there is a map of core");
        let map = map.split("\n## ").next().unwrap_or_default();
        let source = root().join("crates/tickseed-core/src");
        let rows = map.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut seen = 0;
        for cell in rows.filter_map(|row| row.split(" |").next()) {
            for word in cell.split('`').step_by(2).flat_map(ungroup) {
                let file = source.join(format!("{word}.rs"));
                assert!(
                    file.exists() || source.join(&word).is_dir(),
                    "core has no module `{word}`"
                );
                seen += 1;
            }
        }
        assert!(seen > 15, "only {seen} modules were found");
    }
}
