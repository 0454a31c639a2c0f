//! See Cargo.toml; filled below.
