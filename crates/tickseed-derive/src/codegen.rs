//! Generates the code.

use proc_macro2::TokenStream;
use quote::quote;

use crate::lower::{Ir, KeyIr, PartIr};
use crate::parse::Part;

/// `impl Context` and the key constants.
pub(crate) fn context(ir: &Ir) -> TokenStream {
    let Ir {
        root,
        own,
        at,
        keys,
        ..
    } = ir;
    let block = ir.part.as_ref().filter(|p| p.what == Part::Keys);
    let blackboard = ir.part.as_ref().filter(|p| p.what == Part::Blackboard);
    let board = ir.part.as_ref().filter(|p| p.what == Part::Board);
    // The keys of the block come first, so that their numbers are the same in any context.
    let base = match block {
        Some(PartIr { ty, .. }) => quote!((<#ty as #root::Keys>::KEYS.len() as u16)),
        None => quote!(0),
    };
    let infos = keys
        .iter()
        .map(|k| info(root, k, &quote!(#root::Place::Call)));
    let first = match block {
        Some(PartIr { ty, .. }) => quote!(<#ty as #root::Keys>::KEYS),
        None => quote!(&[]),
    };
    let constants = keys.iter().map(|k| {
        let index = k.index;
        let id = quote!(#base + #index);
        constant(root, k, own, &id, &quote!(#root::Place::Call))
    });
    let reads = keys.iter().map(|k| read(root, k));
    let writes = keys.iter().map(|k| write(root, k));
    let (part_read, part_write) = match &ir.part {
        Some(part) => part_access(root, part, &base),
        None => (quote!(), quote!()),
    };
    let block_fn = block.map(|PartIr { value, .. }| {
        quote! {
            fn block<'x>(at: &'x Self::At<'_>) -> &'x [u8] {
                #root::bytemuck::bytes_of(&#value)
            }
        }
    });
    let blackboard_fns = blackboard.map(|part| blackboard_fns(root, part));
    let board_fn = board.map(|PartIr { value, .. }| {
        quote! {
            fn own_keys(at: &Self::At<'_>) -> u16 {
                #root::lang::board::Board::key_count(&#value)
            }

            fn block<'x>(at: &'x Self::At<'_>) -> &'x [u8] {
                #root::lang::board::Board::block(&#value)
            }
        }
    });
    let has_board = board.map(|PartIr { value, .. }| {
        quote! {
            #[automatically_derived]
            impl #root::lang::board::HasBoard for #own {
                const BLOCK_IS_BOARD: bool = true;

                fn board<'x>(at: &'x Self::At<'_>) -> &'x #root::lang::board::Board {
                    &#value
                }

                fn board_mut<'x>(
                    at: &'x mut Self::At<'_>,
                ) -> &'x mut #root::lang::board::Board {
                    &mut #value
                }
            }
        }
    });
    let log_fn = ir.log.as_ref().map(|path| {
        quote! {
            fn log(at: &mut Self::At<'_>, line: &str) {
                #path(at, line)
            }
        }
    });
    let has_keys = block.map(|PartIr { ty, .. }| {
        quote! {
            #[automatically_derived]
            impl #root::HasKeys for #own {
                type Keys = #ty;
            }
        }
    });
    quote! {
        #[automatically_derived]
        impl #root::Context for #own {
            type At<'a> = #at;

            fn schema() -> &'static #root::Schema {
                const FIRST: &[#root::KeyInfo] = #first;
                const OWN: &[#root::KeyInfo] = &[#(#infos),*];
                const ALL: [#root::KeyInfo; FIRST.len() + OWN.len()] = #root::join_keys(FIRST, OWN);
                &#root::Schema { keys: &ALL }
            }

            #block_fn

            #[allow(unused_variables)]
            fn read(at: &Self::At<'_>, key: #root::KeyId) -> ::core::option::Option<#root::Scalar> {
                #part_read
                match key.0.wrapping_sub(#base) {
                    #(#reads)*
                    _ => ::core::option::Option::None,
                }
            }

            #[allow(unused_variables)]
            fn write(at: &mut Self::At<'_>, key: #root::KeyId, value: #root::Scalar) -> bool {
                #part_write
                match key.0.wrapping_sub(#base) {
                    #(#writes)*
                    _ => false,
                }
            }

            #blackboard_fns
            #board_fn
            #log_fn
        }

        #has_keys
        #has_board

        #[allow(dead_code)]
        impl #own {
            #(#constants)*
        }
    }
}

/// `impl Keys` and, if the context is named, the key constants.
pub(crate) fn keys(ir: &Ir) -> TokenStream {
    let Ir {
        root, ident, keys, ..
    } = ir;
    let place = |k: &KeyIr| {
        let field = &k.field;
        quote!(#root::Place::Block(::core::mem::offset_of!(#ident, #field) as u32))
    };
    let infos = keys.iter().map(|k| info(root, k, &place(k)));
    let reads = keys.iter().map(|k| read(root, k));
    let writes = keys.iter().map(|k| write(root, k));
    let typed = ir.context.as_ref().map(|context| {
        let constants = keys.iter().map(|k| {
            let index = k.index;
            constant(root, k, &quote!(#context), &quote!(#index), &place(k))
        });
        quote! {
            #[allow(dead_code)]
            impl #ident {
                #(#constants)*
            }

            const _: () = {
                // The numbers and places above hold for that context only if this is its block.
                const fn is_the_block_of<C: #root::HasKeys<Keys = #ident>>() {}
                is_the_block_of::<#context>()
            };
        }
    });
    quote! {
        #[automatically_derived]
        impl #root::Keys for #ident {
            const KEYS: &'static [#root::KeyInfo] = &[#(#infos),*];

            fn get(&self, index: u16) -> ::core::option::Option<#root::Scalar> {
                let at = self;
                match index {
                    #(#reads)*
                    _ => ::core::option::Option::None,
                }
            }

            #[allow(unused_variables)]
            fn set(&mut self, index: u16, value: #root::Scalar) -> bool {
                let at = self;
                match index {
                    #(#writes)*
                    _ => false,
                }
            }
        }

        #typed
    }
}

fn info(root: &TokenStream, k: &KeyIr, place: &TokenStream) -> TokenStream {
    let (name, variant) = (&k.name, &k.variant);
    quote! {
        #root::KeyInfo { name: #name, ty: #root::ScalarType::#variant, place: #place }
    }
}

fn constant(
    root: &TokenStream,
    k: &KeyIr,
    context: &TokenStream,
    id: &TokenStream,
    place: &TokenStream,
) -> TokenStream {
    let KeyIr {
        constant,
        doc,
        vis,
        ty,
        ..
    } = k;
    quote! {
        #[doc = #doc]
        #vis const #constant: #root::Key<#context, #ty> =
            #root::Key::new(#root::KeyId(#id), #place);
    }
}

fn read(root: &TokenStream, k: &KeyIr) -> TokenStream {
    let (index, value) = (k.index, &k.value);
    quote!(#index => ::core::option::Option::Some(#root::KeyType::to_scalar(#value)),)
}

fn write(root: &TokenStream, k: &KeyIr) -> Option<TokenStream> {
    let (index, value) = (k.index, &k.value);
    (!k.read_only).then(|| {
        quote! {
            #index => match #root::KeyType::from_scalar(value) {
                ::core::option::Option::Some(value) => {
                    #value = value;
                    true
                }
                ::core::option::Option::None => false,
            },
        }
    })
}

/// What `read` and `write` do first, for keys that another struct holds.
fn part_access(
    root: &TokenStream,
    part: &PartIr,
    base: &TokenStream,
) -> (TokenStream, TokenStream) {
    let PartIr { ty, value, .. } = part;
    let (owned, get, set) = match part.what {
        Part::Keys => (
            quote!(key.0 < #base),
            quote!(<#ty as #root::Keys>::get(&#value, key.0)),
            quote!(<#ty as #root::Keys>::set(&mut #value, key.0, value)),
        ),
        Part::Blackboard => (
            quote!(#root::Blackboard::owns(key)),
            quote!(#root::Blackboard::read_scalar(&#value, key)),
            quote!(#root::Blackboard::write_scalar(&mut #value, key, value)),
        ),
        Part::Board => (
            quote!(#root::lang::board::Board::owns(key)),
            quote!(#root::lang::board::Board::read_scalar(&#value, key)),
            quote!(#root::lang::board::Board::write_scalar(&mut #value, key, value)),
        ),
    };
    let set = if part.read_only { quote!(false) } else { set };
    (
        quote!(if #owned { return #get; }),
        quote!(if #owned { return #set; }),
    )
}

fn blackboard_fns(root: &TokenStream, part: &PartIr) -> TokenStream {
    let value = &part.value;
    let mutable = if part.read_only {
        quote! {
            let _ = at;
            ::core::option::Option::None
        }
    } else {
        quote!(::core::option::Option::Some(&mut #value))
    };
    quote! {
        fn block<'x>(at: &'x Self::At<'_>) -> &'x [u8] {
            #root::Blackboard::block(&#value)
        }

        fn own_keys(at: &Self::At<'_>) -> u16 {
            #root::Blackboard::key_count(&#value)
        }

        fn blackboard<'x>(
            at: &'x Self::At<'_>,
        ) -> ::core::option::Option<&'x #root::Blackboard> {
            ::core::option::Option::Some(&#value)
        }

        fn blackboard_mut<'x>(
            at: &'x mut Self::At<'_>,
        ) -> ::core::option::Option<&'x mut #root::Blackboard> {
            #mutable
        }
    }
}
