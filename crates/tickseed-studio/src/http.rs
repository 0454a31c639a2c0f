//! As much of HTTP/1.1 as serving files needs: one GET per connection.

use std::io::{self, BufRead, BufReader, Read, Write};

/// No request line and no header block of a browser is longer.
const MOST_BYTES: u64 = 32 * 1024;

/// A request, as far as it matters here.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    pub(crate) method: String,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) host: String,
}

/// Reads a request up to the end of its headers; none if it is no HTTP.
pub(crate) fn read(stream: impl Read) -> io::Result<Option<Request>> {
    let mut lines = BufReader::new(stream.take(MOST_BYTES));
    let mut line = String::new();
    lines.read_line(&mut line)?;
    let mut words = line.split_ascii_whitespace();
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next())
    else {
        return Ok(None);
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Ok(None);
    }
    let path = target.split(['?', '#']).next().unwrap_or("/");
    let mut request = Request {
        method: method.into(),
        path: path.into(),
        host: String::new(),
    };
    loop {
        line.clear();
        if lines.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let header = line.trim_end();
        if header.is_empty() {
            return Ok(Some(request));
        }
        if let Some((name, value)) = header.split_once(':')
            && name.eq_ignore_ascii_case("host")
        {
            request.host = value.trim().into();
        }
    }
}

/// What a browser may load and run in the page: nothing from elsewhere. Scripts in the page's text
/// are allowed, so that this does not keep what a tree is called from becoming one: only the
/// page's escaping does.
pub const CONTENT_SECURITY_POLICY: &str = "default-src 'self'; \
    script-src 'self' 'wasm-unsafe-eval' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data: blob:; connect-src 'self' ws://127.0.0.1:* ws://localhost:*; \
    worker-src 'self' blob:; frame-ancestors 'none'";

/// Writes an answer and its headers.
pub(crate) fn write(
    mut stream: impl Write,
    status: &str,
    media_type: &str,
    body: &[u8],
    with_body: bool,
) -> io::Result<()> {
    write!(
        stream,
        "HTTP/1.1 {status}\r\n\
         Content-Type: {media_type}\r\n\
         Content-Length: {}\r\n\
         Cache-Control: no-cache\r\n\
         Content-Security-Policy: {CONTENT_SECURITY_POLICY}\r\n\
         X-Content-Type-Options: nosniff\r\n\
         Referrer-Policy: no-referrer\r\n\
         Connection: close\r\n\r\n",
        body.len()
    )?;
    if with_body {
        stream.write_all(body)?;
    }
    stream.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_read_whole_or_refused() {
        let text = "GET /a/b.js?x=1 HTTP/1.1\r\nhost: localhost:8\r\n\r\n";
        let expected = Request {
            method: "GET".into(),
            path: "/a/b.js".into(),
            host: "localhost:8".into(),
        };
        assert_eq!(read(text.as_bytes()).unwrap(), Some(expected));
        for bad in [
            "",
            "\r\n\r\n",
            "GET\r\n\r\n",
            "GET / SPDY/3\r\n\r\n",
            "GET http://x/ HTTP/1.1\r\n\r\n",
            "GET / HTTP/1.1\r\nhost: a",
        ] {
            assert_eq!(read(bad.as_bytes()).unwrap(), None, "{bad:?}");
        }
        let endless = format!("GET / HTTP/1.1\r\n{}", "a: b\r\n".repeat(10_000));
        assert_eq!(read(endless.as_bytes()).unwrap(), None);
    }
}
