//! Quoting and unquoting of texts and names.

use crate::model::Str;

/// `text` between double quotes, escaped so that it stays on one line.
pub(crate) fn quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\0' => out.push_str("\\0"),
            // Line and paragraph separators and control characters would be invisible.
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                out.push_str(&format!("\\u{{{:x}}}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// The text of a quoted token, or the offset and length of the first bad escape.
pub(crate) fn unquote(raw: &str) -> Result<Str, (usize, usize)> {
    let inner = raw.get(1..raw.len() - 1).unwrap_or("");
    if !inner.as_bytes().contains(&b'\\') {
        return Ok(inner.into());
    }
    let mut out = Str::with_capacity(inner.len());
    let mut chars = inner.char_indices();
    while let Some((at, c)) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        let at = at + 1;
        match chars.next() {
            Some((_, 'n')) => out.push('\n'),
            Some((_, 'r')) => out.push('\r'),
            Some((_, 't')) => out.push('\t'),
            Some((_, '0')) => out.push('\0'),
            Some((_, c @ ('\\' | '"' | '\''))) => out.push(c),
            Some((_, 'u')) => {
                let rest = chars.as_str();
                let code = rest.strip_prefix('{').and_then(|r| r.split_once('}'));
                let code = code.filter(|(digits, _)| (1..=6).contains(&digits.len()));
                let c = code
                    .and_then(|(digits, _)| u32::from_str_radix(digits, 16).ok())
                    .and_then(char::from_u32)
                    .ok_or((at, 2))?;
                out.push(c);
                for (_, c) in chars.by_ref() {
                    if c == '}' {
                        break;
                    }
                }
            }
            Some((_, c)) => return Err((at, 1 + c.len_utf8())),
            None => return Err((at, 1)),
        }
    }
    Ok(out)
}

/// Whether a name can be written without backticks (if it is no keyword where it stands).
pub(crate) fn is_plain_name(name: &str) -> bool {
    let mut chars = name.chars();
    chars.next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && chars.all(|c| c.is_alphanumeric() || c == '_')
}

/// A name between backticks. A backtick, a line break and `%` inside are written as in URLs, by
/// their hexadecimal number.
pub(crate) fn quote_name(name: &str) -> String {
    let mut out = String::from("`");
    for c in name.chars() {
        match c {
            '`' | '%' | '\n' | '\r' => out.push_str(&format!("%{:02x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('`');
    out
}

/// The name of a token in backticks.
pub(crate) fn unquote_name(raw: &str) -> Option<Str> {
    let inner = raw.get(1..raw.len() - 1)?;
    let mut out = Str::with_capacity(inner.len());
    let mut parts = inner.split('%');
    out.push_str(parts.next()?);
    for part in parts {
        let digits = part.get(..2)?;
        let code = u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii)?;
        out.push(char::from(code));
        out.push_str(&part[2..]);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn text_survives_quoting(text in any::<String>()) {
            let quoted = quote(&text);
            prop_assert!(!quoted.contains('\n'));
            prop_assert_eq!(unquote(&quoted), Ok(text.into()));
        }

        #[test]
        fn names_survive_quoting(name in "[^\0]{1,20}") {
            let quoted = quote_name(&name);
            prop_assert_eq!(unquote_name(&quoted), Some(name.into()));
        }
    }
}
