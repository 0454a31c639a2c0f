//! Reads a leaf's struct: its name, its description, its ports.

use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DeriveInput, Expr, ExprLit, Fields, GenericArgument, Ident, Lit, LitStr, Path,
    PathArguments, Type,
};

/// The struct.
pub(super) struct Leaf {
    pub(super) ident: Ident,
    /// Its name in files.
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) condition: bool,
    /// Where `tickseed_lang` is.
    pub(super) root: Option<Path>,
    pub(super) fields: Vec<Field>,
}

/// A field.
pub(super) struct Field {
    pub(super) ident: Ident,
    pub(super) name: String,
    pub(super) doc: String,
    pub(super) kind: Kind,
    pub(super) default: Option<String>,
    pub(super) optional: bool,
}

/// What a field is.
pub(super) enum Kind {
    /// `In<T>`, `Out<T>`, `InOut<T>`.
    Port(Way, Box<Type>),
    /// `Const<T>`, or any other type: a value written in the file.
    Constant { wrapped: bool, ty: Box<Type> },
    /// `#[port(skip)]`: not a port; made by `Default`.
    Skipped,
}

/// Which way values go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    In,
    Out,
    InOut,
}

pub(super) fn parse(input: DeriveInput) -> syn::Result<Leaf> {
    if let Some(param) = input.generics.params.first() {
        let message = "a leaf is registered as one type: it cannot have parameters";
        return Err(syn::Error::new(param.span(), message));
    }
    let mut leaf = Leaf {
        name: input.ident.to_string(),
        doc: doc(&input.attrs),
        ident: input.ident,
        condition: false,
        root: None,
        fields: Vec::new(),
    };
    for attr in input.attrs.iter().filter(|a| a.path().is_ident("leaf")) {
        attr.parse_nested_meta(|meta| container(&meta, &mut leaf))?;
    }
    let named = match input.data {
        Data::Struct(data) => match data.fields {
            Fields::Named(named) => named.named,
            Fields::Unit => Default::default(),
            Fields::Unnamed(f) => {
                let message = "ports are named after fields: give the fields names";
                return Err(syn::Error::new(f.span(), message));
            }
        },
        Data::Enum(e) => return Err(only_structs(e.enum_token.span())),
        Data::Union(u) => return Err(only_structs(u.union_token.span())),
    };
    let mut errors: Option<syn::Error> = None;
    for f in named {
        match field(f) {
            Ok(f) => leaf.fields.push(f),
            Err(e) => match &mut errors {
                Some(all) => all.combine(e),
                None => errors = Some(e),
            },
        }
    }
    match errors {
        Some(errors) => Err(errors),
        None => Ok(leaf),
    }
}

fn only_structs(span: proc_macro2::Span) -> syn::Error {
    syn::Error::new(span, "only structs can be leaves")
}

fn container(meta: &ParseNestedMeta<'_>, leaf: &mut Leaf) -> syn::Result<()> {
    if meta.path.is_ident("name") {
        leaf.name = meta.value()?.parse::<LitStr>()?.value();
    } else if meta.path.is_ident("condition") {
        leaf.condition = true;
    } else if meta.path.is_ident("crate") {
        leaf.root = Some(meta.value()?.parse()?);
    } else {
        return Err(meta.error(
            "unknown option: the struct takes `name = \"..\"`, `condition`, `crate = path`",
        ));
    }
    Ok(())
}

fn field(field: syn::Field) -> syn::Result<Field> {
    let Some(ident) = field.ident else {
        return Err(syn::Error::new(field.ty.span(), "the field has no name"));
    };
    let mut out = Field {
        name: ident.to_string().trim_start_matches("r#").to_owned(),
        doc: doc(&field.attrs),
        kind: kind(&field.ty),
        default: None,
        optional: false,
        ident,
    };
    for attr in field.attrs.iter().filter(|a| a.path().is_ident("port")) {
        attr.parse_nested_meta(|meta| {
            if meta.path.is_ident("name") {
                out.name = meta.value()?.parse::<LitStr>()?.value();
            } else if meta.path.is_ident("default") {
                out.default = Some(literal(&meta.value()?.parse()?)?);
            } else if meta.path.is_ident("optional") {
                out.optional = true;
            } else if meta.path.is_ident("skip") {
                out.kind = Kind::Skipped;
            } else {
                return Err(meta.error(
                    "unknown option: a field takes `name = \"..\"`, `default = ..`, `optional`, `skip`",
                ));
            }
            Ok(())
        })?;
    }
    if out.optional && matches!(out.kind, Kind::Constant { .. }) {
        let message = "a constant always has a value: give it a `default`, or make it an `In`";
        return Err(syn::Error::new(out.ident.span(), message));
    }
    if let (Some(default), Kind::Port(Way::Out, _)) = (&out.default, &out.kind)
        && !default.starts_with('{')
    {
        let message = "the default of an output is a key: `default = \"{key}\"`";
        return Err(syn::Error::new(out.ident.span(), message));
    }
    Ok(out)
}

/// A default, as the text that a file would hold.
fn literal(expr: &Expr) -> syn::Result<String> {
    let (sign, expr) = match expr {
        Expr::Unary(unary) if matches!(unary.op, syn::UnOp::Neg(_)) => ("-", &*unary.expr),
        expr => ("", expr),
    };
    if let Expr::Lit(ExprLit { lit, .. }) = expr {
        let text = match lit {
            Lit::Str(text) => Some(text.value()),
            Lit::Int(int) => Some(int.base10_digits().to_owned()),
            Lit::Float(float) => Some(float.base10_digits().to_owned()),
            Lit::Bool(b) => Some(b.value.to_string()),
            _ => None,
        };
        if let Some(text) = text {
            return Ok(format!("{sign}{text}"));
        }
    }
    let message = "a default is a number, `true`, `false`, or text as it would stand in a file";
    Err(syn::Error::new(expr.span(), message))
}

fn kind(ty: &Type) -> Kind {
    let constant = |wrapped: bool, ty: &Type| Kind::Constant {
        wrapped,
        ty: Box::new(ty.clone()),
    };
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
        && let PathArguments::AngleBracketed(arguments) = &last.arguments
        && let Some(GenericArgument::Type(inner)) = arguments.args.first()
        && arguments.args.len() == 1
    {
        let way = match last.ident.to_string().as_str() {
            "In" => Way::In,
            "Out" => Way::Out,
            "InOut" => Way::InOut,
            "Const" => return constant(true, inner),
            _ => return constant(false, ty),
        };
        return Kind::Port(way, Box::new(inner.clone()));
    }
    constant(false, ty)
}

/// The text of doc comments.
fn doc(attrs: &[Attribute]) -> String {
    let mut lines = Vec::new();
    for attr in attrs.iter().filter(|a| a.path().is_ident("doc")) {
        if let syn::Meta::NameValue(pair) = &attr.meta
            && let Expr::Lit(ExprLit {
                lit: Lit::Str(text),
                ..
            }) = &pair.value
        {
            lines.push(text.value().trim().to_owned());
        }
    }
    lines.join("\n").trim().to_owned()
}
