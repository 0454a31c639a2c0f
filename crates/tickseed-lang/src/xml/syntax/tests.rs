use super::*;

fn errors(source: &str) -> Vec<String> {
    let syntax = Syntax::parse(source, Limits::default());
    syntax
        .errors()
        .iter()
        .map(|e| {
            let at = e.span.start as usize;
            let line = source[..at].matches('\n').count() + 1;
            let column = source[..at]
                .chars()
                .rev()
                .take_while(|&c| c != '\n')
                .count()
                + 1;
            format!("{line}:{column} {}", e.kind)
        })
        .collect()
}

/// The text, put together from the pieces alone: nothing may be lost or stand twice.
fn rebuild(syntax: &Syntax<'_>) -> String {
    fn range(syntax: &Syntax<'_>, from: u32, to: u32) -> String {
        syntax.source()[from as usize..to as usize].to_owned()
    }
    fn inside(syntax: &Syntax<'_>, pieces: Pieces<'_, '_>, from: u32, to: u32) -> String {
        let mut out = String::new();
        let mut at = from;
        for piece in pieces {
            out += &range(syntax, at, piece.span().start);
            if let Some(element) = piece.element() {
                let open = element.open_span();
                let mut cursor = open.start;
                for attribute in element.attributes() {
                    out += &range(syntax, cursor, attribute.name_span.start);
                    out += attribute.name;
                    out += &range(syntax, attribute.name_span.end, attribute.value_span.start);
                    out += attribute.raw;
                    cursor = attribute.value_span.end;
                }
                out += &range(syntax, cursor, open.end);
                if let Some(content) = element.content_span() {
                    out += &inside(syntax, element.pieces(), content.start, content.end);
                    out += &range(syntax, content.end, element.span().end);
                }
            } else {
                out += &range(syntax, piece.span().start, piece.span().end);
            }
            at = piece.span().end;
        }
        out + &range(syntax, at, to)
    }
    inside(syntax, syntax.top(), 0, syntax.source().len() as u32)
}

#[test]
fn keeps_every_byte() {
    for source in [
        "",
        "\u{feff}<?xml version=\"1.0\"?>\r\n<root  a = 'x\"y'\tb=\"1\" >\r\n  <!-- c -- d --><a/><b ></b >t<![CDATA[<&]]></root>\n<!-- end -->\n",
        "<!DOCTYPE root [<!ENTITY x \"y\">]><root/>",
        "<a _skipIf=\"x<2 && y>3\"/>",
    ] {
        let syntax = Syntax::parse(source, Limits::default());
        assert_eq!(syntax.errors(), &[]);
        assert_eq!(rebuild(&syntax), source);
    }
}

#[test]
fn reads_structure() {
    let source = "<?xml version='1.0'?><!-- hi --><root x='1&amp;2'>text <a p=\"l1\nl2\"/> &lt;more<![CDATA[<raw>&amp;]]></root>";
    let syntax = Syntax::parse(source, Limits::default());
    assert_eq!(syntax.errors(), &[]);
    let kinds: Vec<_> = syntax.top().map(|p| p.kind()).collect();
    assert_eq!(kinds, [Kind::Instruction, Kind::Comment, Kind::Element]);
    let root = syntax.root().unwrap();
    assert_eq!(
        (root.name(), root.attribute("x").as_deref()),
        ("root", Some("1&2"))
    );
    assert_eq!(root.characters(), "text  <more<raw>&amp;");
    let a = root.elements().next().unwrap();
    assert_eq!(a.attribute("p").as_deref(), Some("l1\nl2"));
    assert_eq!(a.attributes().next().unwrap().span(), 58..67);
    assert!(a.content_span().is_none() && root.content_span().is_some());
}

#[test]
fn mistakes_have_places_and_expectations() {
    let check = |source: &str, expected: &[&str]| assert_eq!(errors(source), expected, "{source}");
    check(
        "<root>\n  <a>\n</root>",
        &["3:1 expected </a>, found </root>"],
    );
    check(
        "<root><BehaviorTree>",
        &[
            "1:7 the element <BehaviorTree> is never closed: expected </BehaviorTree>",
            "1:1 the element <root> is never closed: expected </root>",
        ],
    );
    check("<root></rot>", &["1:7 expected </root>, found </rot>"]);
    check(
        "<a/></a>",
        &["1:5 </a> closes nothing: no element is open here"],
    );
    check(
        "<a",
        &["1:1 the tag <a> is not finished: expected `>` or `/>`"],
    );
    check(
        "<r><a <b/></a></r>",
        &["1:4 the tag <a> is not finished: expected `>` or `/>`"],
    );
    check(
        "<a b></a>",
        &["1:4 the attribute b has no value: expected `b=\"...\"`"],
    );
    check(
        "<a b=1 c='2'/>",
        &["1:6 expected a quote, found `1`: the value of b must stand in \"...\" or '...'"],
    );
    check(
        "<a b=\"1/>\n",
        &["1:4 the value of b is never closed: expected `\"`"],
    );
    check(
        "<a b='1' c='2'\nb='3'/>",
        &["2:1 the attribute b is given twice"],
    );
    check(
        "<a 2=\"1\"/>",
        &["1:4 expected an attribute, `>` or `/>`, found `2=\"1\"`"],
    );
    check(
        "<a><!-- never",
        &["1:4 `<!--` is never closed: expected `-->`"],
    );
    check(
        "<a>1 < 2</a>",
        &["1:6 `<` starts no tag here: expected a name, `/`, `!` or `?` after it"],
    );
    check(
        "<a/>\0<b>",
        &["1:5 a NUL character: this does not look like a text file"],
    );
    check(
        "<a></a x>",
        &["1:4 expected `>` after the name of an end tag"],
    );
    let many: String = (0..20).map(|i| format!("k{} ='' ", i % 19)).collect();
    check(
        &format!("<a {many}/>"),
        &["1:146 the attribute k0 is given twice"],
    );
}

#[test]
fn a_missing_quote_is_explained() {
    let source = "<S case_1=\"1\" case_2=\"42 case_3=\"666\" >\n</S>";
    assert_eq!(
        errors(source),
        ["1:34 expected an attribute, `>` or `/>`, found `666\"`"]
    );
    let syntax = Syntax::parse(source, Limits::default());
    assert!(syntax.errors()[0].kind.help().unwrap().contains("quote"));
}

#[test]
fn depth_is_limited_without_recursion() {
    let nested = |depth: usize| "<a>".repeat(depth) + &"</a>".repeat(depth);
    assert_eq!(errors(&nested(258)), [""; 0]);
    for depth in [259, 100_000] {
        let errors = errors(&nested(depth));
        assert_eq!(errors.len(), 1);
        assert!(
            errors[0].contains("Maximum XML nesting depth exceeded (limit: 256)"),
            "{errors:?}"
        );
    }
}

#[test]
fn size_and_number_of_mistakes_are_limited() {
    let limits = Limits {
        bytes: 10,
        ..Limits::default()
    };
    let syntax = Syntax::parse("<root></root>", limits);
    assert_eq!(
        syntax.errors()[0].kind,
        SyntaxErrorKind::TooLarge { limit: 10 }
    );
    assert!(syntax.root().is_none());
    let limits = Limits {
        pieces: 3,
        ..Limits::default()
    };
    let syntax = Syntax::parse("<r><a/><b/><c/></r>", limits);
    assert_eq!(
        syntax.errors()[0].kind,
        SyntaxErrorKind::TooManyPieces { limit: 3 }
    );
    assert_eq!(
        (
            syntax.errors().len(),
            syntax.root().unwrap().elements().count()
        ),
        (1, 2)
    );
    let garbage = errors(&"< ".repeat(10_000));
    assert_eq!(garbage.len(), 101);
    assert!(garbage[100].contains("too many mistakes"));
}

/// Inputs that make careless readers quadratic: a second is hundreds of times what is needed.
#[test]
fn hostile_input_takes_linear_time() {
    let n = 400_000;
    let attributes: String = (0..n).map(|i| format!(" a{i}=''")).collect();
    for source in [
        "<".repeat(n),
        "<a".repeat(n),
        "<a>".repeat(n),
        "</a>".repeat(n),
        "<!--".repeat(n),
        "<![CDATA[".repeat(n),
        "<!a".repeat(n),
        "<a b=".repeat(n),
        format!("<a b='{}'/>", "&".repeat(n)),
        format!("<a{attributes}/>"),
        format!("<r>{}</r>", "<a/>".repeat(n)),
    ] {
        let start = std::time::Instant::now();
        let syntax = Syntax::parse(&source, Limits::default());
        for element in syntax.root().iter().flat_map(Element::elements) {
            element.attributes().for_each(|a| drop(a.value()));
        }
        assert!(start.elapsed().as_secs() < 60, "{}...", &source[..20]);
    }
}
