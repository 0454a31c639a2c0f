use super::*;

fn error(source: &str) -> String {
    let input = syn::parse_str(source).expect("the source is Rust");
    let error = derive(input).expect_err("there is a mistake");
    let messages: Vec<String> = error.into_iter().map(|e| e.to_string()).collect();
    messages.join(" | ")
}

#[test]
fn mistakes_say_what_is_allowed() {
    for (source, expected) in [
        ("enum E {}", "only structs can be leaves"),
        ("struct S<T> { a: In<T> }", "cannot have parameters"),
        ("struct S(In<i32>);", "give the fields names"),
        ("#[leaf(nme = \"x\")] struct S;", "the struct takes `name"),
        (
            "struct S { #[port(dflt = 1)] a: f32 }",
            "a field takes `name",
        ),
        (
            "struct S { #[port(default = f())] a: f32 }",
            "a default is a number",
        ),
        (
            "struct S { #[port(optional)] a: f32 }",
            "give it a `default`",
        ),
        (
            "struct S { #[port(default = 1)] a: Out<i32> }",
            "the default of an output is a key",
        ),
        (
            "struct S { #[port(optional)] a: f32, #[port(dflt = 1)] b: f32 }",
            "`default`, or make it an `In` | unknown option",
        ),
    ] {
        let found = error(source);
        assert!(found.contains(expected), "{source}: {found}");
    }
}

#[test]
fn what_is_generated_names_every_port() {
    let source = "/// Goes there.\n#[leaf(crate = lang)] struct MoveTo { goal: In<Pose>, #[port(default = -1.5)] speed: f32, out: Out<bool> }";
    let tokens = derive(syn::parse_str(source).unwrap()).unwrap().to_string();
    for part in [
        "\"MoveTo\"",
        "\"Goes there.\"",
        "\"goal\"",
        "\"-1.5\"",
        ". constant ()",
        ". output",
    ] {
        assert!(tokens.contains(part), "{part} is missing in {tokens}");
    }
}
