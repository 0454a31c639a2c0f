//! The first complaint of tinyxml2, the reference's reader, about a text, in its words.
//!
//! Our own reader says more and continues after a mistake; a comparison needs what the reference
//! says.

/// A complaint: its name and number, the line, the element.
struct Complaint {
    what: &'static str,
    number: u8,
    line: usize,
    element: Option<String>,
}

/// The first complaint as the reference shows it.
pub(super) fn error(text: &str) -> Option<String> {
    let mut reader = Reader {
        text: text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes(),
        at: 0,
        line: 1,
    };
    let found = reader.document().err()?;
    let Complaint {
        what, number, line, ..
    } = found;
    let element = (found.element).map_or(String::new(), |name| format!(": XMLElement name={name}"));
    Some(format!(
        "Error parsing the XML: Error=XML_ERROR_{what} ErrorID={number} (0x{number:x}) Line number={line}{element}"
    ))
}

fn complain<T>(
    what: &'static str,
    number: u8,
    line: usize,
    element: Option<&str>,
) -> Result<T, Complaint> {
    Err(Complaint {
        what,
        number,
        line,
        element: element.map(str::to_owned),
    })
}

struct Reader<'t> {
    text: &'t [u8],
    at: usize,
    line: usize,
}

/// An element that is open, and the line of its `<`.
struct Open {
    name: String,
    line: usize,
}

/// How a tag ends.
#[derive(PartialEq, Eq)]
enum Tag {
    Opens,
    Closed,
    Ends,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn starts(&self, what: &str) -> bool {
        self.text[self.at..].starts_with(what.as_bytes())
    }

    /// Goes on to `to`, counting lines.
    fn go(&mut self, to: usize) {
        self.line += self.text[self.at..to]
            .iter()
            .filter(|b| **b == b'\n')
            .count();
        self.at = to;
    }

    fn space(&mut self) {
        let rest = &self.text[self.at..];
        let space = rest.iter().take_while(|b| b" \t\n\r\x0b\x0c".contains(b));
        self.go(self.at + space.count());
    }

    /// Goes behind the next `end`; `false` if there is none.
    fn behind(&mut self, end: &str) -> bool {
        let rest = &self.text[self.at..];
        let found = rest.windows(end.len()).position(|w| w == end.as_bytes());
        self.go(found.map_or(self.text.len(), |found| self.at + found + end.len()));
        found.is_some()
    }

    fn name(&mut self) -> String {
        let starts = |b: u8| b >= 128 || b.is_ascii_alphabetic() || b == b':' || b == b'_';
        let goes_on = |b: u8| starts(b) || b.is_ascii_digit() || b == b'.' || b == b'-';
        let rest = &self.text[self.at..];
        let length = match rest.first() {
            Some(first) if starts(*first) => rest.iter().take_while(|b| goes_on(**b)).count(),
            _ => 0,
        };
        let name = String::from_utf8_lossy(&rest[..length]).into_owned();
        self.at += length;
        name
    }

    fn document(&mut self) -> Result<(), Complaint> {
        self.space();
        if self.peek().is_none() {
            return complain("EMPTY_DOCUMENT", 13, 0, None);
        }
        let mut open: Vec<Open> = Vec::new();
        loop {
            let (before, before_line) = (self.at, self.line);
            self.space();
            let line = self.line;
            if self.peek().is_none() {
                return match open.last() {
                    // Who waits for an end tag learns that the text is over.
                    Some(open) => complain("PARSING", 15, open.line, None),
                    None => Ok(()),
                };
            }
            let passed = [
                ("<?", "?>", "PARSING_DECLARATION", 11),
                ("<!--", "-->", "PARSING_COMMENT", 10),
                ("<![CDATA[", "]]>", "PARSING_CDATA", 9),
                ("<!", ">", "PARSING_UNKNOWN", 12),
            ];
            if let Some((start, end, what, number)) =
                passed.into_iter().find(|(start, ..)| self.starts(start))
            {
                self.at += start.len();
                if !self.behind(end) {
                    return complain(what, number, line, None);
                }
                continue;
            }
            if self.peek() != Some(b'<') {
                (self.at, self.line) = (before, before_line);
                if !self.behind("<") {
                    return complain("PARSING_TEXT", 8, before_line, None);
                }
                self.at -= 1;
                continue;
            }
            let (name, tag) = self.tag()?;
            match tag {
                Tag::Closed => {}
                // What stands behind the last end tag is looked at by nobody.
                Tag::Opens if self.peek().is_none() => {
                    return complain("MISMATCHED_ELEMENT", 14, line, Some(&name));
                }
                Tag::Opens => open.push(Open { name, line }),
                Tag::Ends => match open.pop() {
                    None => return Ok(()),
                    Some(open) if open.name == name => {}
                    Some(open) => {
                        return complain("MISMATCHED_ELEMENT", 14, open.line, Some(&open.name));
                    }
                },
            }
        }
    }

    fn tag(&mut self) -> Result<(String, Tag), Complaint> {
        let line = self.line;
        self.at += 1;
        self.space();
        let ends = self.peek() == Some(b'/');
        self.at += usize::from(ends);
        let name = self.name();
        if name.is_empty() {
            return complain("PARSING", 15, line, None);
        }
        let mut seen: Vec<String> = Vec::new();
        loop {
            self.space();
            match self.peek() {
                None => return complain("PARSING_ELEMENT", 6, line, Some(&name)),
                Some(b'>') => {
                    self.at += 1;
                    return Ok((name, if ends { Tag::Ends } else { Tag::Opens }));
                }
                Some(b'/') if self.starts("/>") => {
                    self.at += 2;
                    return Ok((name, Tag::Closed));
                }
                Some(_) => {
                    let here = self.line;
                    let attribute = self.name();
                    if attribute.is_empty() {
                        return complain("PARSING_ELEMENT", 6, line, None);
                    }
                    if !self.value() || seen.contains(&attribute) {
                        return complain("PARSING_ATTRIBUTE", 7, here, Some(&name));
                    }
                    seen.push(attribute);
                }
            }
        }
    }

    /// `= "..."`.
    fn value(&mut self) -> bool {
        self.space();
        if self.peek() != Some(b'=') {
            return false;
        }
        self.at += 1;
        self.space();
        match self.peek() {
            Some(quote @ (b'"' | b'\'')) => {
                self.at += 1;
                self.behind(if quote == b'"' { "\"" } else { "'" })
            }
            _ => false,
        }
    }
}
