//! From files and texts to trees.

use super::{Failed, Loaded, Loader, Options};
use crate::board::HasBoard;
use crate::load::{self, Disk};
use crate::registry::Registry;

/// Reads a file of any format, with what it includes, and builds its main tree.
///
/// # Errors
/// All mistakes found.
pub fn from_file<C: HasBoard>(
    path: &str,
    registry: &Registry<C>,
    options: &Options,
) -> Result<Loaded<C>, Failed> {
    from_loaded(load::load(path, &Disk), registry, options)
}

/// Builds the main tree of a text; the end of its name tells the format.
///
/// # Errors
/// All mistakes found.
pub fn from_text<C: HasBoard>(
    name: &str,
    text: &str,
    registry: &Registry<C>,
) -> Result<Loaded<C>, Failed> {
    let loaded = load::load_text(name, text, &Disk);
    from_loaded(loaded, registry, &Options::default())
}

/// Builds the main tree of files that were read already.
///
/// # Errors
/// All mistakes found, in reading as well.
pub fn from_loaded<C: HasBoard>(
    files: load::Loaded,
    registry: &Registry<C>,
    options: &Options,
) -> Result<Loaded<C>, Failed> {
    // The last document is the one that was asked for.
    let mut documents = files.documents;
    documents.reverse();
    let builder = Loader::new(&documents, registry, options);
    builder.load(files.sources, files.diagnostics)
}
