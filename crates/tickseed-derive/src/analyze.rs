//! Determines what each field is: a key, a reference to one, a key block, or none of these.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Ident, Lifetime, Path, Type, Visibility};

use crate::parse::{Derive, Errors, Field, Parsed, Part};

/// The types that keys can have; each is `ScalarType`'s variant in upper case.
const SCALARS: [(&str, &str); 11] = [
    ("bool", "Bool"),
    ("i8", "I8"),
    ("u8", "U8"),
    ("i16", "I16"),
    ("u16", "U16"),
    ("i32", "I32"),
    ("u32", "U32"),
    ("i64", "I64"),
    ("u64", "U64"),
    ("f32", "F32"),
    ("f64", "F64"),
];

/// What a struct means.
pub(crate) struct Model {
    pub(crate) ident: Ident,
    pub(crate) lifetime: Option<Lifetime>,
    pub(crate) keys: Vec<KeyField>,
    pub(crate) part: Option<PartField>,
    pub(crate) root: Option<Path>,
    pub(crate) log: Option<Path>,
    pub(crate) context: Option<Type>,
}

/// A field that is a key.
pub(crate) struct KeyField {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    /// The scalar's type, without a reference.
    pub(crate) ty: Type,
    /// The variant of `ScalarType`.
    pub(crate) variant: &'static str,
    pub(crate) reference: bool,
    pub(crate) read_only: bool,
    pub(crate) name: String,
}

/// A field that holds further keys.
pub(crate) struct PartField {
    pub(crate) what: Part,
    pub(crate) ident: Ident,
    /// Its type, without a reference.
    pub(crate) ty: Type,
    pub(crate) reference: bool,
    pub(crate) read_only: bool,
}

pub(crate) fn analyze(parsed: Parsed) -> syn::Result<Model> {
    let mut errors = Errors::default();
    if parsed.derive == Derive::Keys && !parsed.repr_c {
        let message = "a key block must be `#[repr(C)]`: its keys are read by offset";
        errors.add(syn::Error::new(parsed.ident.span(), message));
    }
    let mut model = Model {
        ident: parsed.ident,
        lifetime: parsed.lifetime,
        keys: Vec::new(),
        part: None,
        root: parsed.root,
        log: parsed.log,
        context: parsed.context,
    };
    let mut names: Vec<(String, Span)> = Vec::new();
    for field in parsed.fields {
        if let Some((what, span)) = field.part {
            errors.note(part(&mut model, field, what, span));
            continue;
        }
        match key(field, parsed.derive) {
            Ok(None) => {}
            Ok(Some((key, span))) => {
                if names.iter().any(|(n, _)| *n == key.name) {
                    let message =
                        format!("the key name `{}` is taken by an earlier field", key.name);
                    errors.add(syn::Error::new(span, message));
                }
                names.push((key.name.clone(), span));
                model.keys.push(key);
            }
            Err(e) => errors.add(e),
        }
    }
    errors.finish(model)
}

fn part(model: &mut Model, field: Field, what: Part, span: Span) -> syn::Result<()> {
    if let Some(at) = field.key {
        return Err(syn::Error::new(at, "the field is not a key, it holds keys"));
    }
    if model.part.is_some() {
        let message =
            "a context has one key block, blackboard or board, and an earlier field is it";
        return Err(syn::Error::new(span, message));
    }
    let (ty, reference, read_only) = behind(&field.ty);
    if what == Part::Board && read_only {
        let message = "trees from files write their board: borrow it with `&mut`";
        return Err(syn::Error::new(field.ty.span(), message));
    }
    model.part = Some(PartField {
        what,
        ident: field.ident,
        ty: ty.clone(),
        reference,
        read_only,
    });
    Ok(())
}

/// The key that a field is, and where its name comes from.
fn key(field: Field, derive: Derive) -> syn::Result<Option<(KeyField, Span)>> {
    if field.skip {
        return match (&field.name, field.read_only, field.key) {
            (None, false, _) => Ok(None),
            (.., at) => {
                let message =
                    "a skipped field has no name and is not written: remove `skip` or the rest";
                Err(syn::Error::new(at.unwrap_or(field.ident.span()), message))
            }
        };
    }
    let (ty, reference, shared) = behind(&field.ty);
    let Some(variant) = scalar(ty).filter(|_| derive == Derive::Context || !reference) else {
        if let Some(at) = field.key {
            let message = format!(
                "only scalars can be keys ({}): remove the attribute",
                SCALARS.map(|(name, _)| name).join(", ")
            );
            return Err(syn::Error::new(at, message));
        }
        return match derive {
            Derive::Context => Ok(None),
            Derive::Keys if unnamed(&field) => Ok(None),
            Derive::Keys => {
                let message = "a key block holds scalars: mark the field `#[key(skip)]`, or let its name begin with `_`";
                Err(syn::Error::new(field.ty.span(), message))
            }
        };
    };
    if derive == Derive::Keys && unnamed(&field) && field.key.is_none() {
        return Ok(None);
    }
    let plain = field.ident.to_string();
    let plain = plain.trim_start_matches("r#");
    let (name, span) = match &field.name {
        Some(lit) if lit.value().trim().is_empty() => {
            return Err(syn::Error::new(
                lit.span(),
                "the name of a key must not be empty",
            ));
        }
        Some(lit) => (lit.value(), lit.span()),
        None => (plain.to_owned(), field.ident.span()),
    };
    let key = KeyField {
        ty: ty.clone(),
        variant,
        reference,
        read_only: field.read_only || shared,
        name,
        ident: field.ident,
        vis: field.vis,
    };
    Ok(Some((key, span)))
}

fn unnamed(field: &Field) -> bool {
    field.ident.to_string().starts_with('_')
}

/// The type behind a reference, whether it is one, and whether it is a shared one.
fn behind(ty: &Type) -> (&Type, bool, bool) {
    match ty {
        Type::Reference(r) => (&r.elem, true, r.mutability.is_none()),
        ty => (ty, false, false),
    }
}

fn scalar(ty: &Type) -> Option<&'static str> {
    let Type::Path(path) = ty else { return None };
    let ident = path.path.get_ident()?;
    SCALARS
        .iter()
        .find(|(name, _)| ident == name)
        .map(|(_, variant)| *variant)
}
