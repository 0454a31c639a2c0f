//! JSON-RPC messages with their headers.

use std::io::{self, BufRead, Write};

use serde_json::{Value, json};

/// More than any editor sends: a larger length is a mistake, not a message.
const MAX_BYTES: usize = 256 << 20;

/// Why there is no message.
#[derive(Debug)]
pub(crate) enum Bad {
    /// What came is no message, but the next one may be.
    Message(String),
    /// The stream is broken.
    Stream(io::Error),
}

impl From<io::Error> for Bad {
    fn from(error: io::Error) -> Bad {
        Bad::Stream(error)
    }
}

/// The next message; nothing at the end of the stream.
pub(crate) fn read(input: &mut impl BufRead) -> Result<Option<Value>, Bad> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse::<usize>().ok();
        }
    }
    let length = length
        .filter(|length| *length <= MAX_BYTES)
        .ok_or_else(|| Bad::Stream(io::Error::other("a message without a Content-Length")))?;
    let mut body = Vec::new();
    // Memory grows with what really comes, not with what the header promises.
    let read = io::Read::take(&mut *input, length as u64);
    let mut read = read;
    io::Read::read_to_end(&mut read, &mut body)?;
    if body.len() < length {
        return Ok(None);
    }
    serde_json::from_slice(&body)
        .map(Some)
        .map_err(|error| Bad::Message(error.to_string()))
}

/// Writes a message.
pub(crate) fn write(output: &mut impl Write, message: &Value) -> io::Result<()> {
    let body = message.to_string();
    write!(output, "Content-Length: {}\r\n\r\n{body}", body.len())?;
    output.flush()
}

/// The answer to a request.
pub(crate) fn answer(id: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

/// The refusal of a request.
pub(crate) fn error(id: &Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// A message that wants no answer.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}
