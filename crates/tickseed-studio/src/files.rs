//! The built page, embedded.

const FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// What is served where the page was not built.
pub(crate) const NOT_BUILT: &str = r#"<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tickseed studio</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:34rem;margin:18vh auto;padding:0 1.5rem;color:#23282b;background:#faf9f6}code{background:#eceae3;padding:.15em .4em;border-radius:4px}</style>
<h1>The studio's page is not built</h1>
<p>This copy of Tickseed was compiled without it. In the repository, with Rust and Node on the machine, run</p>
<p><code>cargo xtask studio</code></p>
<p>which builds the page and starts it. <code>cargo xtask ui</code> builds it only; compile the command again afterwards.</p>
</html>
"#;

/// Whether the page was built before this crate was compiled.
#[must_use]
pub fn is_built() -> bool {
    find("index.html").is_some()
}

/// A file of the page, by its path without a leading slash.
pub(crate) fn find(path: &str) -> Option<&'static [u8]> {
    let path = if path.is_empty() { "index.html" } else { path };
    FILES.iter().find(|(name, _)| *name == path).map(|f| f.1)
}

/// A file of the page, for servers of others.
#[derive(Clone, Copy, Debug)]
pub struct File {
    /// Its media type.
    pub media_type: &'static str,
    /// Its content.
    pub body: &'static [u8],
}

/// The page's file at a path such as `/index.html` or `/`. Where the page was not built, `/` is
/// one that says how to build it.
#[must_use]
pub fn file(path: &str) -> Option<File> {
    let path = path.trim_start_matches('/');
    let missing = || path.is_empty().then_some(NOT_BUILT.as_bytes());
    Some(File {
        media_type: media_type(path),
        body: find(path).or_else(missing)?,
    })
}

/// The media type of a file.
pub(crate) fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map_or("html", |p| p.1) {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "wasm" => "application/wasm",
        "json" => "application/json",
        _ => "application/octet-stream",
    }
}
