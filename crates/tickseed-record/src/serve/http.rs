//! As much of HTTP as is needed: one request per connection, for a page or a WebSocket.

use std::io::{self, Read, Write};

/// No browser sends more before the body.
const MOST_BYTES: usize = 32 * 1024;

/// A request's head.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Head {
    pub(super) method: String,
    /// Without the query.
    pub(super) path: String,
    pub(super) query: String,
    pub(super) host: String,
    pub(super) origin: Option<String>,
    /// The key of a client that wants a WebSocket.
    pub(super) key: Option<String>,
    /// What arrived after the head.
    pub(super) rest: Vec<u8>,
}

impl Head {
    /// Reads a head; none if it is no HTTP.
    pub(super) fn read(mut from: impl Read) -> io::Result<Option<Head>> {
        let mut bytes = Vec::new();
        // The end is not before this.
        let mut seen: usize = 0;
        let end = loop {
            let mut new = bytes[seen..].windows(4);
            if let Some(end) = new.position(|w| w == b"\r\n\r\n") {
                break seen + end;
            }
            seen = bytes.len().saturating_sub(3);
            if bytes.len() > MOST_BYTES {
                return Ok(None);
            }
            let mut part = [0; 2048];
            match from.read(&mut part)? {
                0 => return Ok(None),
                n => bytes.extend_from_slice(&part[..n]),
            }
        };
        let rest = bytes.split_off(end + 4);
        let Ok(text) = String::from_utf8(bytes) else {
            return Ok(None);
        };
        Ok(Head::parse(&text, rest))
    }

    fn parse(text: &str, rest: Vec<u8>) -> Option<Head> {
        let mut lines = text.split("\r\n");
        let mut words = lines.next()?.split(' ');
        let (method, target, version) = (words.next()?, words.next()?, words.next()?);
        if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
            return None;
        }
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut head = Head {
            method: method.to_owned(),
            path: path.to_owned(),
            query: query.to_owned(),
            rest,
            ..Head::default()
        };
        let mut upgrade = false;
        for (name, value) in lines.filter_map(|l| l.split_once(':')) {
            let value = value.trim();
            match name.to_ascii_lowercase().as_str() {
                "host" => head.host = value.to_ascii_lowercase(),
                "origin" => head.origin = Some(value.to_ascii_lowercase()),
                "upgrade" => upgrade = value.eq_ignore_ascii_case("websocket"),
                "sec-websocket-key" => head.key = Some(value.to_owned()),
                _ => {}
            }
        }
        if !upgrade {
            head.key = None;
        }
        Some(head)
    }

    /// A value in the query.
    pub(super) fn query(&self, name: &str) -> Option<&str> {
        let mut pairs = self.query.split('&').filter_map(|p| p.split_once('='));
        pairs.find(|(n, _)| *n == name).map(|(_, v)| v)
    }
}

/// What is served for a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Page {
    /// Its media type, such as `text/html; charset=utf-8`.
    pub media_type: String,
    /// Further headers.
    pub headers: Vec<(String, String)>,
    /// Itself.
    pub body: std::borrow::Cow<'static, [u8]>,
}

impl Page {
    fn plain(text: &str) -> Page {
        Page {
            media_type: "text/plain; charset=utf-8".to_owned(),
            headers: Vec::new(),
            body: format!("{text}\n").into_bytes().into(),
        }
    }
}

/// Refuses or fails in words.
pub(super) fn say(to: impl Write, status: &str, text: &str) -> io::Result<()> {
    answer(to, status, &Page::plain(text), true)
}

pub(super) fn answer(
    mut to: impl Write,
    status: &str,
    page: &Page,
    with_body: bool,
) -> io::Result<()> {
    let mut head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n\
         Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n",
        page.media_type,
        page.body.len()
    );
    for (name, value) in &page.headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    // In one piece: clients that ask for a WebSocket read the text of a refusal only if it arrives
    // together with the head.
    let mut all = head.into_bytes();
    if with_body {
        all.extend_from_slice(&page.body);
    }
    to.write_all(&all)?;
    to.flush()
}

/// Accepts a WebSocket.
pub(super) fn agree(mut to: impl Write, key: &str) -> io::Result<()> {
    let accept = tungstenite::handshake::derive_accept_key(key.as_bytes());
    write!(
        to,
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Accept: {accept}\r\n\r\n"
    )?;
    to.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_whole_or_refused() {
        let text = "GET /live?a=1&token=x HTTP/1.1\r\nHost: LocalHost:8\r\nUpgrade: WebSocket\r\n\
                    Sec-WebSocket-Key: k==\r\norigin: http://localhost:8\r\n\r\nrest";
        let head = Head::read(text.as_bytes()).unwrap().unwrap();
        assert_eq!(
            (head.path.as_str(), head.query("token")),
            ("/live", Some("x"))
        );
        assert_eq!(
            (head.host.as_str(), head.key.as_deref()),
            ("localhost:8", Some("k=="))
        );
        assert_eq!(head.origin.as_deref(), Some("http://localhost:8"));
        assert_eq!(head.rest, b"rest");
        // Byte by byte, the end is found as well.
        struct Slow<'a>(&'a [u8]);
        impl Read for Slow<'_> {
            fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
                self.0.read(&mut to[..1])
            }
        }
        let slow = Head::read(Slow(text.as_bytes())).unwrap().unwrap();
        assert_eq!(
            (slow.path, slow.host, slow.rest),
            (head.path, head.host, Vec::new())
        );
        for bad in [
            "",
            "\r\n\r\n",
            "GET\r\n\r\n",
            "GET / SPDY/3\r\n\r\n",
            "GET http://x/ HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a",
        ] {
            assert_eq!(Head::read(bad.as_bytes()).unwrap(), None, "{bad:?}");
        }
        let endless = format!("GET / HTTP/1.1\r\n{}", "a: b\r\n".repeat(10_000));
        assert_eq!(Head::read(endless.as_bytes()).unwrap(), None);
    }
}
