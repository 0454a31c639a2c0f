//! Turns the model into what is generated: one entry per key, with the pieces of its code.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote};
use syn::{Ident, Type, Visibility};

use crate::analyze::Model;
use crate::parse::Part;

/// What is generated.
pub(crate) struct Ir {
    /// Where Tickseed is.
    pub(crate) root: TokenStream,
    pub(crate) ident: Ident,
    /// The implementing type: the lifetime put as `'static`.
    pub(crate) own: TokenStream,
    /// What a tick is given, with the lifetime `'a`.
    pub(crate) at: TokenStream,
    pub(crate) keys: Vec<KeyIr>,
    pub(crate) part: Option<PartIr>,
    pub(crate) log: Option<TokenStream>,
    pub(crate) context: Option<Type>,
}

/// One key.
pub(crate) struct KeyIr {
    /// Its index among the struct's own keys.
    pub(crate) index: u16,
    pub(crate) field: Ident,
    pub(crate) constant: Ident,
    pub(crate) doc: String,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    pub(crate) variant: Ident,
    pub(crate) name: String,
    /// The value as a place expression over `at`.
    pub(crate) value: TokenStream,
    pub(crate) read_only: bool,
}

/// The field that holds further keys.
pub(crate) struct PartIr {
    pub(crate) what: Part,
    pub(crate) ty: Type,
    /// It as a place expression over `at`.
    pub(crate) value: TokenStream,
    pub(crate) read_only: bool,
}

pub(crate) fn lower(model: Model) -> Ir {
    let ident = model.ident;
    let (own, at) = match model.lifetime {
        Some(_) => (quote!(#ident<'static>), quote!(#ident<'a>)),
        None => (quote!(#ident), quote!(#ident)),
    };
    let place = |field: &Ident, reference: bool| {
        if reference {
            quote!(*at.#field)
        } else {
            quote!(at.#field)
        }
    };
    let keys = model.keys.into_iter().zip(0..).map(|(key, index)| {
        let plain = key.ident.to_string();
        let plain = plain.trim_start_matches("r#");
        KeyIr {
            index,
            constant: Ident::new(&plain.to_uppercase(), key.ident.span()),
            doc: format!("The key `{}`: the field `{plain}`.", key.name),
            vis: key.vis,
            ty: key.ty,
            variant: Ident::new(key.variant, Span::call_site()),
            name: key.name,
            value: place(&key.ident, key.reference),
            read_only: key.read_only,
            field: key.ident,
        }
    });
    let part = model.part.map(|part| PartIr {
        what: part.what,
        value: place(&part.ident, part.reference),
        ty: part.ty,
        read_only: part.read_only,
    });
    Ir {
        keys: keys.collect(),
        own,
        at,
        part,
        root: match model.root {
            Some(path) => quote!(#path),
            None => {
                let name = format_ident!("tickseed");
                quote!(::#name)
            }
        },
        log: model.log.map(|path| quote!(#path)),
        context: model.context,
        ident,
    }
}
