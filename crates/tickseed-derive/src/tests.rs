//! Errors: the message, and the source text that it points at.

use syn::DeriveInput;

/// Expands `source` and compares the errors, one a line: the text pointed at, then the message.
#[track_caller]
fn check(
    derive: fn(DeriveInput) -> syn::Result<proc_macro2::TokenStream>,
    source: &str,
    expected: &[(&str, &str)],
) {
    let input = syn::parse_str(source).expect("the test's struct must parse");
    let errors = match derive(input) {
        Ok(code) => {
            syn::parse2::<syn::File>(code).expect("the generated code must parse");
            Vec::new()
        }
        Err(e) => e
            .into_iter()
            .map(|e| (e.span().source_text().unwrap_or_default(), e.to_string()))
            .collect(),
    };
    let expected: Vec<_> = expected
        .iter()
        .map(|(at, message)| (String::from(*at), String::from(*message)))
        .collect();
    assert_eq!(errors, expected);
}

use super::{context, keys};

#[test]
fn every_shape_expands() {
    check(context, "struct Empty;", &[]);
    check(context, "struct A { x: f32, r#type: u8, v: Vec<f32> }", &[]);
    check(
        context,
        "struct V<'w> { x: &'w f32, y: &'w mut i64, #[context(keys)] k: &'w mut Block }",
        &[],
    );
    check(
        context,
        "struct B { #[context(blackboard)] bb: Blackboard }",
        &[],
    );
    check(
        context,
        "struct F<'w> { hp: i32, #[context(board)] board: &'w mut Board }",
        &[],
    );
    check(keys, "#[repr(C)] struct K { x: f32, _pad: [u8; 4] }", &[]);
    check(
        keys,
        "#[repr(C, align(8))] #[keys(context = V<'static>)] struct K { x: f64 }",
        &[],
    );
}

#[test]
fn a_board_behind_a_shared_reference_cannot_be_written() {
    check(
        context,
        "struct F<'w> { #[context(board)] board: &'w Board }",
        &[(
            "&'w Board",
            "trees from files write their board: borrow it with `&mut`",
        )],
    );
}

#[test]
fn unknown_options_name_the_known_ones() {
    check(
        context,
        "#[context(lgo = f)] struct A { #[key(readonly)] x: f32, #[context(key)] k: B }",
        &[
            (
                "lgo",
                "no such option: on the struct expected `crate = path` or `log = path`",
            ),
            (
                "readonly",
                "no such option: on a field expected `skip` or `name = \"..\"` or `read_only`",
            ),
            (
                "key",
                "no such option: on a field expected `keys` or `blackboard` or `board`",
            ),
        ],
    );
    check(
        keys,
        "#[keys(ctx = A)] #[repr(C)] struct K { x: f32 }",
        &[(
            "ctx",
            "no such option: on the struct expected `context = Type` or `crate = path`",
        )],
    );
}

#[test]
fn names_are_checked() {
    check(
        context,
        "struct A { x: f32, #[key(name = \"x\")] y: f32, #[key(name = \"\")] z: i32, #[key(name = \"a\", name = \"b\")] w: i32 }",
        &[("name", "this option was given before")],
    );
    check(
        context,
        "struct A { x: f32, #[key(name = \"x\")] y: f32, #[key(name = \"\")] z: i32 }",
        &[
            ("\"x\"", "the key name `x` is taken by an earlier field"),
            ("\"\"", "the name of a key must not be empty"),
        ],
    );
}

#[test]
fn only_scalars_are_keys() {
    check(
        context,
        "struct A { #[key(read_only)] target: Option<f32>, #[key(skip, read_only)] x: f32 }",
        &[
            (
                "#[key(read_only)]",
                "only scalars can be keys (bool, i8, u8, i16, u16, i32, u32, i64, u64, f32, f64): remove the attribute",
            ),
            (
                "#[key(skip, read_only)]",
                "a skipped field has no name and is not written: remove `skip` or the rest",
            ),
        ],
    );
}

#[test]
fn shapes_that_cannot_be() {
    check(
        context,
        "enum E { A }",
        &[("enum", "only structs can be derived")],
    );
    check(
        context,
        "struct T(f32);",
        &[(
            "(f32)",
            "keys are named after fields: give the fields names",
        )],
    );
    check(
        context,
        "struct A<'a, 'b> { x: &'a &'b f32 }",
        &[(
            "'b",
            "a context borrows for one lifetime: use the same for all its fields",
        )],
    );
    check(
        context,
        "struct A<T> { x: T }",
        &[(
            "T",
            "keys are constants of one type: type and const parameters are not supported",
        )],
    );
    check(
        context,
        "struct A { #[context(keys)] a: K, #[context(blackboard)] b: Blackboard }",
        &[(
            "blackboard",
            "a context has one key block, blackboard or board, and an earlier field is it",
        )],
    );
    check(
        context,
        "struct A { #[context(keys)] #[key(skip)] a: K }",
        &[("#[key(skip)]", "the field is not a key, it holds keys")],
    );
}

#[test]
fn key_blocks_are_plain() {
    check(
        keys,
        "struct K { x: f32, v: Vec<f32>, #[key(skip)] w: [f32; 2] }",
        &[
            (
                "K",
                "a key block must be `#[repr(C)]`: its keys are read by offset",
            ),
            (
                "Vec<f32>",
                "a key block holds scalars: mark the field `#[key(skip)]`, or let its name begin with `_`",
            ),
        ],
    );
    check(
        keys,
        "#[repr(C)] struct K<'a> { x: &'a f32 }",
        &[("'a", "a key block is plain data: it cannot borrow")],
    );
}
