//! Reads a struct and its attributes, without interpreting the fields' types.

use proc_macro2::Span;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Fields, GenericParam, Ident, Lifetime, LitStr, Path, Type,
    Visibility,
};

/// Which derive is at work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Derive {
    Context,
    Keys,
}

/// The struct as written.
pub(crate) struct Parsed {
    pub(crate) derive: Derive,
    pub(crate) ident: Ident,
    /// A context's one lifetime.
    pub(crate) lifetime: Option<Lifetime>,
    pub(crate) fields: Vec<Field>,
    /// `crate = path`.
    pub(crate) root: Option<Path>,
    /// `log = path`.
    pub(crate) log: Option<Path>,
    /// `context = Type`.
    pub(crate) context: Option<Type>,
    pub(crate) repr_c: bool,
}

/// A field as written.
pub(crate) struct Field {
    pub(crate) ident: Ident,
    pub(crate) vis: Visibility,
    pub(crate) ty: Type,
    /// Where `#[key(..)]` is, if the field has it.
    pub(crate) key: Option<Span>,
    pub(crate) skip: bool,
    pub(crate) read_only: bool,
    pub(crate) name: Option<LitStr>,
    /// `#[context(keys)]`, `#[context(blackboard)]` or `#[context(board)]`.
    pub(crate) part: Option<(Part, Span)>,
}

/// A field that holds further keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    Keys,
    Blackboard,
    /// The board of a tree file.
    Board,
}

pub(crate) fn parse(input: DeriveInput, derive: Derive) -> syn::Result<Parsed> {
    let mut parsed = Parsed {
        derive,
        lifetime: lifetime(&input, derive)?,
        fields: Vec::new(),
        root: None,
        log: None,
        context: None,
        repr_c: false,
        ident: input.ident,
    };
    let mut errors = Errors::default();
    for attr in &input.attrs {
        errors.note(container(attr, &mut parsed));
    }
    let fields = match input.data {
        Data::Struct(data) => data.fields,
        Data::Enum(e) => return Err(only_structs(e.enum_token.span)),
        Data::Union(u) => return Err(only_structs(u.union_token.span)),
    };
    let named = match fields {
        Fields::Named(named) => named.named,
        Fields::Unit => Default::default(),
        Fields::Unnamed(f) => {
            let message = "keys are named after fields: give the fields names";
            return Err(syn::Error::new(f.span(), message));
        }
    };
    for field in named {
        match parse_field(field, derive) {
            Ok(f) => parsed.fields.push(f),
            Err(e) => errors.note(Err(e)),
        }
    }
    errors.finish(parsed)
}

fn only_structs(span: Span) -> syn::Error {
    syn::Error::new(span, "only structs can be derived")
}

fn lifetime(input: &DeriveInput, derive: Derive) -> syn::Result<Option<Lifetime>> {
    let mut found = None;
    for param in &input.generics.params {
        match param {
            GenericParam::Lifetime(l) if derive == Derive::Context && found.is_none() => {
                found = Some(l.lifetime.clone());
            }
            GenericParam::Lifetime(l) if derive == Derive::Context => {
                let message = "a context borrows for one lifetime: use the same for all its fields";
                return Err(syn::Error::new(l.span(), message));
            }
            GenericParam::Lifetime(l) => {
                let message = "a key block is plain data: it cannot borrow";
                return Err(syn::Error::new(l.span(), message));
            }
            GenericParam::Type(_) | GenericParam::Const(_) => {
                let message =
                    "keys are constants of one type: type and const parameters are not supported";
                return Err(syn::Error::new(param.span(), message));
            }
        }
    }
    Ok(found)
}

fn container(attr: &Attribute, parsed: &mut Parsed) -> syn::Result<()> {
    if attr.path().is_ident("repr") {
        return attr.parse_nested_meta(|meta| {
            parsed.repr_c |= meta.path.is_ident("C");
            // `align(8)` and the like have arguments that do not matter here.
            if meta.input.peek(syn::token::Paren) {
                let inside;
                syn::parenthesized!(inside in meta.input);
                inside.parse::<proc_macro2::TokenStream>()?;
            }
            Ok(())
        });
    }
    match parsed.derive {
        Derive::Context if attr.path().is_ident("context") => attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                once(&meta, &mut parsed.root)
            } else if meta.path.is_ident("log") {
                once(&meta, &mut parsed.log)
            } else {
                Err(unknown(
                    &meta,
                    "the struct",
                    &["crate = path", "log = path"],
                ))
            }
        }),
        Derive::Keys if attr.path().is_ident("keys") => attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                once(&meta, &mut parsed.root)
            } else if meta.path.is_ident("context") {
                once(&meta, &mut parsed.context)
            } else {
                Err(unknown(
                    &meta,
                    "the struct",
                    &["context = Type", "crate = path"],
                ))
            }
        }),
        _ => Ok(()),
    }
}

fn parse_field(field: syn::Field, derive: Derive) -> syn::Result<Field> {
    let Some(ident) = field.ident else {
        return Err(syn::Error::new(field.ty.span(), "the field has no name"));
    };
    let mut out = Field {
        ident,
        vis: field.vis,
        ty: field.ty,
        key: None,
        skip: false,
        read_only: false,
        name: None,
        part: None,
    };
    for attr in &field.attrs {
        if attr.path().is_ident("key") {
            out.key = Some(attr.span());
            attr.parse_nested_meta(|meta| {
                if meta.path.is_ident("skip") {
                    out.skip = true;
                } else if meta.path.is_ident("read_only") {
                    out.read_only = true;
                } else if meta.path.is_ident("name") {
                    return once(&meta, &mut out.name);
                } else {
                    let known = ["skip", "name = \"..\"", "read_only"];
                    return Err(unknown(&meta, "a field", &known));
                }
                Ok(())
            })?;
        } else if derive == Derive::Context && attr.path().is_ident("context") {
            attr.parse_nested_meta(|meta| {
                let part = if meta.path.is_ident("keys") {
                    Part::Keys
                } else if meta.path.is_ident("blackboard") {
                    Part::Blackboard
                } else if meta.path.is_ident("board") {
                    Part::Board
                } else {
                    let known = ["keys", "blackboard", "board"];
                    return Err(unknown(&meta, "a field", &known));
                };
                out.part = Some((part, meta.path.span()));
                Ok(())
            })?;
        }
    }
    Ok(out)
}

/// Takes the value of an option that may be given once.
fn once<T: syn::parse::Parse>(meta: &ParseNestedMeta<'_>, to: &mut Option<T>) -> syn::Result<()> {
    if to.is_some() {
        return Err(meta.error("this option was given before"));
    }
    *to = Some(meta.value()?.parse()?);
    Ok(())
}

fn unknown(meta: &ParseNestedMeta<'_>, place: &str, known: &[&str]) -> syn::Error {
    let options: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
    meta.error(format!(
        "no such option: on {place} expected {}",
        options.join(" or ")
    ))
}

/// Collects errors, so that one run shows them all.
#[derive(Default)]
pub(crate) struct Errors(Option<syn::Error>);

impl Errors {
    pub(crate) fn note(&mut self, result: syn::Result<()>) {
        if let Err(e) = result {
            self.add(e);
        }
    }

    pub(crate) fn add(&mut self, e: syn::Error) {
        match &mut self.0 {
            Some(first) => first.combine(e),
            none => *none = Some(e),
        }
    }

    pub(crate) fn finish<T>(self, ok: T) -> syn::Result<T> {
        self.0.map_or(Ok(ok), Err)
    }
}
