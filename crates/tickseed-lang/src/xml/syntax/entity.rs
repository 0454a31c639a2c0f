//! Entities: `&lt;` and friends, in both directions.

use std::borrow::Cow;

/// The text behind an attribute's or text's raw form.
///
/// The five named entities and numeric ones are replaced; anything else that starts with `&` is
/// kept as it stands, since `a && b` is common. Line ends become `\n`, as in BehaviorTree.CPP.
pub fn decode(raw: &str) -> Cow<'_, str> {
    if !raw.bytes().any(|b| b == b'&' || b == b'\r') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find(['&', '\r']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if rest.starts_with('\r') {
            out.push('\n');
            rest = &rest[if rest.starts_with("\r\n") { 2 } else { 1 }..];
        } else if let Some((character, length)) = entity(rest) {
            out.push(character);
            rest = &rest[length..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// The entity at the start of `text` and its length in bytes.
fn entity(text: &str) -> Option<(char, usize)> {
    // The longest entity with a meaning is `&#x10FFFF;`; leading zeros are allowed a little room.
    // Looking no farther keeps `&&&&...` linear.
    let end = text.bytes().take(16).position(|b| b == b';')?;
    let character = match &text[1..end] {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        body => {
            let digits = body.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) if hex.bytes().all(|b| b.is_ascii_hexdigit()) => {
                    u32::from_str_radix(hex, 16)
                }
                None if digits.bytes().all(|b| b.is_ascii_digit()) => digits.parse(),
                _ => return None,
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((character, end + 1))
}

/// `text` as it is written between double quotes. [`decode`] gives `text` back.
///
/// Line ends and tabs are written as entities: a strict XML reader would turn them into spaces.
pub fn encode_attribute(text: &str) -> Cow<'_, str> {
    encode(text, |c| {
        matches!(c, '&' | '<' | '"') || c.is_ascii_control()
    })
}

/// `text` as it is written between tags. [`decode`] gives `text` back.
pub fn encode_text(text: &str) -> Cow<'_, str> {
    encode(text, |c| {
        matches!(c, '&' | '<' | '>') || (c.is_ascii_control() && c != '\n' && c != '\t')
    })
}

fn encode(text: &str, special: fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(special) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' if special('>') => out.push_str("&gt;"),
            '"' if special('"') => out.push_str("&quot;"),
            c if special(c) => {
                out.push_str("&#");
                out.push_str(&u32::from(c).to_string());
                out.push(';');
            }
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decodes_what_people_write() {
        let check = |raw: &str, expected: &str| assert_eq!(decode(raw), expected, "{raw}");
        check("plain", "plain");
        check("a && b", "a && b");
        check("a &amp;&amp; b &lt; c", "a && b < c");
        check("&quot;&apos;&gt;", "\"'>");
        check("&#10;&#x41;&#X41;", "\nAA");
        check("&", "&");
        check("&;&unknown;&#;&#x;&#xZZ;", "&;&unknown;&#;&#x;&#xZZ;");
        check("&#x110000;&#xD800;", "&#x110000;&#xD800;");
        check("&#+5;", "&#+5;");
        check("a\r\nb\rc\nd", "a\nb\nc\nd");
        check("&ünï;", "&ünï;");
        check("&aaaaaaaaaaaaaaaé;", "&aaaaaaaaaaaaaaaé;");
    }

    #[test]
    fn encoding_is_undone_by_decoding() {
        for text in [
            "",
            "a && b < \"c\" > 'd'",
            "l1\nl2\r\n\tl3\r",
            "\u{1}\u{7f}",
            "&lt;",
            "]]>",
            "ü",
        ] {
            assert_eq!(decode(&encode_attribute(text)), text);
            assert_eq!(decode(&encode_text(text)), text);
        }
        assert_eq!(
            encode_attribute("a<b && \"c\"\n"),
            "a&lt;b &amp;&amp; &quot;c&quot;&#10;"
        );
    }
}
