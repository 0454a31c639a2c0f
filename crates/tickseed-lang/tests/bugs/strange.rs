//! Files of strangers: marks of other systems, hostile sizes, numbers no machine holds. Every
//! reader survives all of them, says where something is wrong, and what it read can be written.

use crate::reading::{TEXT_FORMATS, good, messages, through, tick, write};
use tickseed_lang::fmt::format;
use tickseed_lang::load::{Disk, decode, detect, load_text, read_as};
use tickseed_lang::model::{Document, FileId, Format, MAX_DEPTH, SourceMap};

/// Reads a text in every format, renders all messages, writes what was read in every format.
fn survive(text: &str) -> Vec<(Format, Document, bool)> {
    let mut found = Vec::new();
    for format in TEXT_FORMATS {
        let mut sources = SourceMap::new();
        let file = sources.add("strange", text);
        let (document, diagnostics) = read_as(format, text, file);
        for diagnostic in diagnostics.iter().take(5) {
            let label = diagnostic.primary.as_ref().expect("a place");
            assert!(label.span.end as usize <= text.len(), "{diagnostic:?}");
            assert!(!diagnostic.render(&sources).is_empty());
            assert!(sources.line_column(label.span).is_some());
        }
        let is_ok = !diagnostics.iter().any(|d| d.is_error());
        for other in TEXT_FORMATS {
            let _ = write(other, &document);
        }
        let _ = tickseed_lang::binary::write(&document);
        found.push((format, document, is_ok));
    }
    found
}

#[test]
fn strange_bytes_around_a_good_file() {
    let text = "// a comment\nmain tree A {\n  sequence {\n    Go(to: x, n: 1.5) // end\n  }\n}\n";
    let wanted = tick(text);
    for changed in [
        text.replace('\n', "\r\n"),
        format!("\u{feff}{text}"),
        text.replace("  ", "\t"),
        text.replace('\n', "\n\n\n\n"),
        text.trim_end().to_owned(),
        text.replace('\n', "  \t \n"),
        format!("\n\r\n\t{text}"),
    ] {
        assert!(tick(&changed).same_meaning(&wanted), "{changed:?}");
    }
    let xml = "<root BTCPP_format=\"4\">\n  <!-- a comment -->\n  <BehaviorTree ID=\"A\">\n    <Sequence><Go to=\"{x}\" n=\"1.5\"/></Sequence>\n  </BehaviorTree>\n</root>\n";
    let wanted = good(Format::Xml, xml);
    for changed in [
        xml.replace('\n', "\r\n"),
        format!("\u{feff}{xml}"),
        xml.replace("  ", "\t"),
        format!("\n\n{xml}\n\n"),
        xml.replace('"', "'"),
        xml.replace("<Go ", "<Go\n\n"),
        format!("<?xml version='1.0' encoding='utf-8' standalone='yes'?>\n<!DOCTYPE root>\n{xml}"),
    ] {
        let document = good(Format::Xml, &changed);
        assert!(document.same_meaning(&wanted), "{changed:?}");
        assert_eq!(tickseed_lang::xml::update(&changed, &document), changed);
    }
    let json = write(Format::Json, &tick(text));
    for changed in [
        json.replace('\n', "\r\n"),
        format!("\u{feff}{json}"),
        json.replace("  ", "\t"),
    ] {
        assert!(
            good(Format::Json, &changed).same_meaning(&tick(text)),
            "{changed:?}"
        );
    }
}

#[test]
fn strange_characters_are_kept_or_named() {
    // Letters of any script are letters; what looks empty is named.
    let text = "tree Wächter {\n  sequence \"日本語 🤖\" { 移動(до: цель, n: 1); été }\n}\n";
    let document = tick(text);
    assert_eq!(
        document.tree("Wächter").unwrap().body[0].children[0].kind,
        "移動"
    );
    for format in [Format::Tick, Format::Xml, Format::Json, Format::Binary] {
        let (back, _) = through(format, &document);
        assert!(back.same_meaning(&document), "{format:?}");
    }
    for (bad, column) in [
        ("tree A { B\u{0}C }", 11),
        ("tree A { B \u{200b} }", 12),
        ("tree A { check a \u{2212} b > 0 }", 18),
        ("tree A { B(\u{201c}text\u{201d}) }", 12),
        ("tree A { \u{202e}B }", 10),
    ] {
        let found = messages("t.tick", bad);
        assert!(
            found
                .first()
                .is_some_and(|m| m.starts_with(&format!("1:{column} "))),
            "{bad:?}: {found:?}"
        );
    }
}

#[test]
fn strange_names_of_any_length() {
    for length in [1, 300, 5_000] {
        let long = "n".repeat(length);
        let text = format!("tree {long} {{ {long} \"{long}\" ({long}: {long}) }}");
        let document = tick(&text);
        for format in [Format::Tick, Format::Xml, Format::Json, Format::Binary] {
            assert!(
                through(format, &document).0.same_meaning(&document),
                "{format:?}"
            );
        }
        // A formatted file is formatted.
        let once = format(&document);
        assert_eq!(format(&tick(&once)), once);
    }
}

#[test]
fn strange_numbers_are_refused_or_kept() {
    for (number, is_fine) in [
        ("9223372036854775807", true),
        ("-9223372036854775808", true),
        ("9223372036854775808", false),
        ("99999999999999999999999999", false),
        ("1e308", true),
        ("1e309", false),
        ("1e-400", true),
        ("0.1e5", true),
        ("00007", true),
        ("292y", false),
        ("9223372036s", true),
        ("9223372037s", false),
        ("99999999999999h", false),
        ("106751d", false),
        ("1.0000000001ns", true),
        ("0s", true),
        ("-5s", true),
        ("1e400s", false),
    ] {
        let text = format!("tree A {{ B(x: {number}) }}");
        let (document, diagnostics) = read_as(Format::Tick, &text, FileId(0));
        let found: Vec<_> = diagnostics.iter().map(ToString::to_string).collect();
        assert_eq!(found.is_empty(), is_fine, "{number}: {found:?}");
        if is_fine {
            let again = format(&document);
            assert!(tick(&again).same_meaning(&document), "{number}: {again}");
        } else {
            let place = diagnostics[0].primary.as_ref().expect("a place").span;
            assert!(
                (9..text.len()).contains(&(place.start as usize)),
                "{number}: {found:?}"
            );
        }
    }
    // JSON has its own: none may turn into another number in silence.
    for number in [
        "1e999",
        "123456789012345678901234567890",
        "-0",
        "1E5",
        "01",
        "+1",
        ".5",
        "5.",
        "NaN",
        "Infinity",
        "0x10",
    ] {
        let text = format!(
            "{{\"tickseed\": 1, \"items\": [{{\"tree\": {{\"name\": \"A\", \"body\": [{{\"kind\": \"B\", \"attributes\": [{{\"argument\": \"x\", \"value\": {number}}}]}}]}}}}]}}"
        );
        for (_, document, is_ok) in survive(&text)
            .into_iter()
            .filter(|f| f.0 == Format::Json && f.2)
        {
            let (back, _) = through(Format::Json, &document);
            assert!(back.same_meaning(&document), "{number} {is_ok}");
        }
    }
}

/// Depth is no reason to fall over, in any format and any part of the language.
#[test]
fn strange_depths_are_errors() {
    for depth in [1_000, 100_000] {
        let nest =
            |open: &str, close: &str| format!("{}{}", open.repeat(depth), close.repeat(depth));
        let texts = [
            format!("tree A {{ {} }}", nest("invert { ", "} ")),
            format!("tree A {{ {} }}", nest("if a { ", "} ")),
            format!("tree A {{ {} }}", "if a { B } else ".repeat(depth)),
            format!("tree A {{ check {} }}", nest("(", ")")),
            format!("tree A {{ check {}a }}", "!".repeat(depth)),
            format!("tree A {{ check {}a }}", "-".repeat(depth)),
            format!("tree A {{ check {}a }}", "not ".repeat(depth)),
            format!("tree A {{ check a{} }}", " && a".repeat(depth)),
            format!("tree A {{ check a{} }}", " ? a : a".repeat(depth)),
            format!("tree A {{ check a{} }}", ".x".repeat(depth)),
            format!("tree A {{ check {} }}", nest("f(", ")")),
            format!("tree A {{ B({}) }}", nest("[", "]")),
            format!("tree A {{ B({}) }}", nest("{", "}")),
            format!("tree A {{ {} }}", "off ".repeat(depth)),
            format!("tree A {{ set {{ {} }} }}", "a = 1; ".repeat(depth)),
            format!(
                "keys {{ a: {}int{} }}",
                "list<".repeat(depth),
                ">".repeat(depth)
            ),
            format!("#[a = {}]\ntree A {{ B }}", nest("[", "]")),
            nest("[", "]"),
            nest("{\"items\":[", "]}"),
            format!("{{\"tickseed\": 1, \"items\": {}}}", nest("[", "]")),
            nest("<a>", "</a>"),
            "<a>".repeat(depth),
            "<".repeat(depth),
            "</a>".repeat(depth),
            format!(
                "<root><BehaviorTree ID='A'>{}</BehaviorTree></root>",
                nest("<Inverter>", "</Inverter>")
            ),
            format!(
                "<root><BehaviorTree ID='A'><B _skipIf='{}'/></BehaviorTree></root>",
                nest("(", ")")
            ),
            format!(
                "<root><BehaviorTree ID='A'><B x='{}'/></BehaviorTree></root>",
                nest("{", "}")
            ),
            format!("<!DOCTYPE a {}", "[<!ENTITY a '".repeat(depth)),
            "(".repeat(depth),
            "{".repeat(depth),
            "tree A {".repeat(depth),
            "\"".repeat(depth),
            "`".repeat(depth),
            "/*".repeat(depth),
            "#[".repeat(depth),
        ];
        for text in texts {
            survive(&text);
        }
    }
    // Up to the limit all formats agree.
    let deepest = format!(
        "tree A {{ {} B {} }}",
        "invert { ".repeat(MAX_DEPTH - 1),
        "} ".repeat(MAX_DEPTH - 1)
    );
    let document = tick(&deepest);
    for format in [Format::Tick, Format::Xml, Format::Json, Format::Binary] {
        let (back, diagnostics) = through(format, &document);
        assert!(back.same_meaning(&document), "{format:?} {diagnostics:?}");
    }
}

/// Entities stand for one character each: none can be declared, so nothing grows.
#[test]
fn strange_entities_stay_small() {
    let mut bomb = String::from("<!DOCTYPE root [<!ENTITY a0 'ha'>");
    for level in 1..40 {
        bomb.push_str(&format!(
            "<!ENTITY a{level} '&a{};&a{};'>",
            level - 1,
            level - 1
        ));
    }
    bomb.push_str("]><root><BehaviorTree ID='A'><B x='&a39;'/></BehaviorTree></root>");
    for (format, document, _) in survive(&bomb) {
        if format == Format::Xml {
            let value = document.tree("A").expect("the tree").body[0]
                .argument("x")
                .expect("x")
                .to_attribute();
            assert_eq!(value, "&a39;");
        }
    }
    for entity in [
        "&#0;",
        "&#x110000;",
        "&#xD800;",
        "&#99999999999999;",
        "&#;",
        "&;",
        "&#x;",
        "&lt",
        "&nbsp;",
        "&LT;",
    ] {
        let text = format!("<root><BehaviorTree ID='A'><B x='{entity}'/></BehaviorTree></root>");
        let document = read_as(Format::Xml, &text, FileId(0)).0;
        assert_eq!(tickseed_lang::xml::update(&text, &document), text);
        let (back, _) = through(Format::Xml, &document);
        assert!(back.same_meaning(&document), "{entity}");
    }
}

#[test]
fn strange_paths_stay_where_they_point() {
    use tickseed_lang::load::join;
    for (from, path, wanted) in [
        ("/a/b/c.tick", "../../../../../etc/x", "/etc/x"),
        ("a/b.tick", "../../x", "../x"),
        ("a/b.tick", "", "a"),
        ("a/b.tick", ".", "a"),
        ("a/b.tick", "./././c//d", "a/c/d"),
        ("a b/ü.tick", "c d.tick", "a b/c d.tick"),
        ("", "/x", "/x"),
        ("..", "x", "x"),
    ] {
        assert_eq!(join(from, path), wanted, "{from} {path}");
    }
    for path in [
        "\u{0}",
        "a\u{0}b",
        "/",
        ".",
        "..",
        "con",
        "x/../../..",
        "file:///etc/passwd",
        "http://a/b",
        "\\\\x\\y",
        "*?",
        " ",
    ] {
        let text = format!(
            "import \"{}\"\nmain tree M {{ success }}\n",
            path.replace('\\', "\\\\")
        );
        let loaded = load_text("t.tick", &text, &Disk);
        assert!(!loaded.is_ok(), "{path:?}");
        assert!(
            loaded.render().contains("t.tick:1:8"),
            "{path:?}: {}",
            loaded.render()
        );
    }
}

#[test]
fn strange_encodings_are_named() {
    for (bytes, part) in [
        (b"\xff\xfet\0r\0".as_slice(), "UTF-16"),
        (b"\xfe\xff\0t\0r", "UTF-16"),
        (b"t\0r\0e\0e\0 \0A\0", "UTF-16"),
        (b"tree A { \xe9t\xe9 }", "0xE9"),
        (b"tree A { B }\xff", "0xFF"),
        (b"\xc0\xaf", "0xC0"),
        (b"abc\xe2\x82", "0xE2"),
    ] {
        let problem = decode(bytes).1.map(|problem| problem.in_file(FileId(0)));
        let message = problem.map(|d| d.to_string()).unwrap_or_default();
        assert!(message.contains(part), "{bytes:?}: {message:?}");
    }
    assert_eq!(detect("x", b"\x89TKS\r\n\x1a\n"), Format::Binary);
    assert_eq!(detect("x.json", b"<root/>"), Format::Json);
}

/// Size alone is no mistake, and time stays in proportion.
#[test]
fn strange_sizes_are_read_in_proportion() {
    let started = std::time::Instant::now();
    let nodes = format!(
        "tree A {{ sequence {{\n{} }} }}",
        "Go(to: x, n: 1.5) skip if a < 2 // c\n".repeat(10_000)
    );
    let attributes: String = (0..20_000).map(|i| format!(" a{i}='{i}'")).collect();
    let arguments: String = (0..20_000).map(|i| format!("a{i}: {i}, ")).collect();
    let options: String = (0..20_000).map(|i| format!(" o{i}({i})")).collect();
    for text in [
        nodes,
        format!("<root><BehaviorTree ID='A'><B{attributes}/></BehaviorTree></root>"),
        format!("<root{attributes}><BehaviorTree ID='A'><B/></BehaviorTree></root>"),
        format!("tree A {{ B({arguments}) }}"),
        format!("tree A {{ B{options} }}"),
        format!("tree A({}) {{ B }}", "in a: int, ".repeat(20_000)),
        format!("keys {{ {} }}", "a = 1\n".repeat(20_000)),
        format!("enum E {{ {} }}", "a, ".repeat(20_000)),
        format!(
            "tree A {{ switch x {{ {} }} }}",
            "case 1 { B }\n".repeat(20_000)
        ),
        "tree A { B }\n".repeat(10_000),
        "import \"x\"\n".repeat(20_000),
        "// c\n".repeat(100_000),
        "/// d\n".repeat(100_000),
        "\n".repeat(300_000),
        " ".repeat(300_000),
        "a".repeat(300_000),
        "\"".to_owned() + &"a".repeat(300_000),
        "{} ".repeat(100_000),
        "A ".repeat(100_000),
        "1 ".repeat(100_000),
        "@".repeat(100_000),
        "é".repeat(100_000),
        format!("{{\"tickseed\": 1{}}}", ", \"items\": []".repeat(20_000)),
        format!("{{\"tickseed\": 1{}}}", ", \"x\": 1".repeat(20_000)),
        "<a/>".repeat(100_000),
        "<!---->".repeat(60_000),
        "<!--".repeat(60_000),
        "&amp;".repeat(60_000),
        "<a b=".repeat(100_000),
        "<a '".repeat(100_000),
    ] {
        let before = started.elapsed();
        survive(&text);
        let took = started.elapsed() - before;
        let start: String = text.chars().take(40).collect();
        // Generous for slow machines without optimization; a square would take minutes.
        assert!(took.as_secs() < 60, "{start}... took {took:?}");
    }
}
