//! `#[derive(Leaf)]`: a struct whose fields are the ports of a leaf for tree files.

mod codegen;
mod parse;
#[cfg(test)]
mod tests;

use proc_macro2::TokenStream as Tokens;
use syn::DeriveInput;

/// The implementation for a struct.
pub(crate) fn derive(input: DeriveInput) -> syn::Result<Tokens> {
    Ok(codegen::generate(&parse::parse(input)?))
}
