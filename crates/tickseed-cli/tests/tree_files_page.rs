//! The page that teaches tree files: its files are run and its commands print what it says.
//! `UPDATE_GOLDEN=1 cargo test -p tickseed-cli --test tree_files_page` writes what they print into
//! the page: read the diff.

mod folder;

use std::path::PathBuf;

use folder::Folder;
use tickseed_lang::model::FileId;
use tickseed_lang::{fmt, tick};

/// A fenced block of the page: its first line's words, its content, and the text before it.
struct Block<'p> {
    language: &'p str,
    content: &'p str,
    before: &'p str,
}

fn page() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/tree-files.md")
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((before, after)) = rest.split_once("```") {
        let (language, after) = after.split_once('\n').expect("a block has lines");
        let (content, after) = after.split_once("```\n").expect("a block ends");
        found.push(Block {
            language,
            content,
            before,
        });
        rest = after;
    }
    found
}

/// The words of a command line; quotes hold words together.
fn words(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quoted = false;
    for c in line.chars() {
        match c {
            '"' => quoted = !quoted,
            ' ' if !quoted => words.push(String::new()),
            c => words.last_mut().expect("there is one").push(c),
        }
    }
    words
}

#[test]
fn the_page_on_tree_files_is_true() {
    let path = page();
    let text = std::fs::read_to_string(&path).expect("docs/tree-files.md");
    let update = std::env::var_os("UPDATE_GOLDEN").is_some();
    let folder = Folder::new("tree_files_page");
    let (mut files, mut commands, mut renewed) = (0, 0, text.clone());
    for block in blocks(&text) {
        match block.language {
            "tick" | "tick broken" | "xml" => {
                // The file's name stands last in the text before it.
                let name = block
                    .before
                    .rsplit('`')
                    .nth(1)
                    .expect("the file has a name");
                folder.write(name, block.content);
                files += 1;
                if block.language == "tick" {
                    let parsed = tick::parse_text(block.content, FileId(0));
                    assert!(parsed.is_ok(), "{name}: {:?}", parsed.diagnostics);
                    assert_eq!(fmt::format(&parsed.document), block.content, "{name}");
                }
            }
            "console" => {
                let lines = block.content.lines();
                let mut shown = String::new();
                for line in lines.filter_map(|line| line.strip_prefix("$ tickseed ")) {
                    let args = words(line);
                    let args: Vec<&str> = args.iter().map(String::as_str).collect();
                    let output = folder.command(&args).output().expect("the binary runs");
                    commands += 1;
                    shown += &format!("$ tickseed {line}\n");
                    for stream in [&output.stdout, &output.stderr] {
                        shown += &String::from_utf8_lossy(stream).replace("\r\n", "\n");
                    }
                }
                if update {
                    renewed = renewed.replace(block.content, &shown);
                } else {
                    assert_eq!(block.content, shown);
                }
            }
            "rust" => {}
            other => panic!("a block of {other:?}"),
        }
    }
    assert!(
        files >= 8 && commands >= 10,
        "{files} files, {commands} commands"
    );
    if update {
        std::fs::write(path, renewed).expect("the page can be written");
    }
}
