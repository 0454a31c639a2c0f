//! Generates the implementation.

use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};

use super::parse::{Field, Kind, Leaf, Way};

pub(super) fn generate(leaf: &Leaf) -> Tokens {
    let root = match &leaf.root {
        Some(path) => quote!(#path),
        None => quote!(::tickseed::lang),
    };
    let (ident, name, doc) = (&leaf.ident, &leaf.name, &leaf.doc);
    let category = if leaf.condition {
        quote!(Condition)
    } else {
        quote!(Action)
    };
    let ports = leaf.fields.iter().filter_map(|field| port(field, &root));
    let reads = leaf.fields.iter().map(read);
    let fields = leaf.fields.iter().map(|field| {
        let (ident, local) = (&field.ident, local(field));
        quote!(#ident: #local?)
    });
    quote! {
        #[automatically_derived]
        impl #root::registry::FromPorts for #ident {
            fn model() -> #root::registry::Model {
                let mut model =
                    #root::registry::Model::new(#name, #root::model::Category::#category);
                model.doc = ::std::string::String::from(#doc);
                #(model = model.port(#ports);)*
                model
            }

            fn from_ports(ports: &mut #root::registry::Ports<'_>) -> ::core::option::Option<Self> {
                // All are read before any error is returned, so that all mistakes are reported.
                #(#reads)*
                let _ = &ports;
                ::core::option::Option::Some(Self { #(#fields),* })
            }
        }
    }
}

/// The variable that holds a field while the leaf is made.
fn local(field: &Field) -> syn::Ident {
    format_ident!("__{}", field.name_for_local())
}

impl Field {
    fn name_for_local(&self) -> String {
        self.ident.to_string().trim_start_matches("r#").to_owned()
    }
}

fn port(field: &Field, root: &Tokens) -> Option<Tokens> {
    let (ty, way, constant) = match &field.kind {
        Kind::Port(way, ty) => (ty, *way, false),
        Kind::Constant { ty, .. } => (ty, Way::In, true),
        Kind::Skipped => return None,
    };
    let way = match way {
        Way::In => quote!(In),
        Way::Out => quote!(Out),
        Way::InOut => quote!(InOut),
    };
    let (name, doc) = (&field.name, &field.doc);
    let default = field.default.as_ref().map(|text| quote!(.or(#text)));
    let optional = field.optional.then(|| quote!(.optional()));
    let constant = constant.then(|| quote!(.constant()));
    Some(quote! {
        #root::registry::PortModel::new(
            #name,
            #root::model::Direction::#way,
            <#ty as #root::registry::PortType>::ty(),
        )
        .doc(#doc)
        #default
        #optional
        #constant
    })
}

fn read(field: &Field) -> Tokens {
    let (local, name) = (local(field), &field.name);
    match &field.kind {
        Kind::Port(Way::In, ty) => quote!(let #local = ports.input::<#ty>(#name);),
        Kind::Port(Way::Out, ty) => quote!(let #local = ports.output::<#ty>(#name);),
        Kind::Port(Way::InOut, ty) => quote!(let #local = ports.inout::<#ty>(#name);),
        Kind::Constant { wrapped: true, ty } => quote!(let #local = ports.constant::<#ty>(#name);),
        Kind::Constant { wrapped: false, ty } => {
            quote!(let #local = ports.constant::<#ty>(#name).map(|constant| constant.0);)
        }
        Kind::Skipped => {
            quote!(let #local = ::core::option::Option::Some(::core::default::Default::default());)
        }
    }
}
