//! Watching another process.

use std::fmt;
use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use tungstenite::handshake::HandshakeError;
use tungstenite::{Message, WebSocket};

use crate::message::{Command, Event, PROTOCOL, Request};

/// A connection to a process that serves.
#[derive(Debug)]
pub struct Client {
    socket: WebSocket<TcpStream>,
    patience: Duration,
    /// How long the process has been listened to since it last said something, and up to when
    /// that is counted.
    silent: Duration,
    listened: Instant,
    /// Whether the process was pinged and has said nothing since.
    asked: bool,
    next: u64,
}

/// Why a process cannot be watched.
#[derive(Debug)]
#[non_exhaustive]
pub enum ClientError {
    /// The given text is not an address.
    Address(String),
    /// Nobody answers there.
    Connect(io::Error),
    /// The connection was refused, with this text.
    Refused(String),
    /// The process speaks another version of the protocol.
    Protocol(u32),
    /// The process has ended the connection, with this text.
    Ended(String),
    /// The connection is over.
    Lost(String),
}

impl fmt::Display for ClientError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClientError::Address(what) => write!(
                f,
                "`{what}` is no address: expected ws://HOST:PORT/live?token=TOKEN, as the \
                 process prints it"
            ),
            ClientError::Connect(e) => write!(f, "failed to connect: {e}"),
            ClientError::Refused(why) => write!(f, "refused: {why}"),
            ClientError::Protocol(v) => write!(
                f,
                "the process speaks version {v} of the protocol, this speaks {PROTOCOL}: use \
                 the same version of Tickseed on both sides"
            ),
            ClientError::Ended(why) => f.write_str(why),
            ClientError::Lost(why) => write!(f, "the connection is lost: {why}"),
        }
    }
}

impl std::error::Error for ClientError {}

impl Client {
    /// A process that says nothing for this long, although the client listens and has pinged it, is
    /// considered gone, unless [`set_patience`](Client::set_patience) says otherwise.
    pub const PATIENCE: Duration = Duration::from_millis(1800);

    /// Connects to an address with its token.
    ///
    /// # Errors
    /// The text is not an address, nothing answers within ten seconds, or the token is wrong.
    pub fn connect(address: &str) -> Result<Client, ClientError> {
        Client::connect_within(address, Duration::from_secs(10))
    }

    /// Connects to an address with its token, waiting this long for an answer.
    ///
    /// # Errors
    /// The text is not an address, nothing answers in time, or the token is wrong.
    pub fn connect_within(address: &str, wait: Duration) -> Result<Client, ClientError> {
        let wrong = || ClientError::Address(address.to_owned());
        let rest = address
            .strip_prefix("ws://")
            .or_else(|| address.strip_prefix("http://"))
            .ok_or_else(wrong)?;
        let (host, path) = rest.split_once('/').ok_or_else(wrong)?;
        let query = path.split_once('?').map_or("", |(_, q)| q);
        let at = host
            .to_socket_addrs()
            .map_err(|_| wrong())?
            .next()
            .ok_or_else(wrong)?;
        let wait = wait.max(Duration::from_millis(1));
        let socket = TcpStream::connect_timeout(&at, wait).map_err(ClientError::Connect)?;
        let set = socket
            .set_read_timeout(Some(wait))
            .and_then(|()| socket.set_write_timeout(Some(wait)))
            .and_then(|()| socket.set_nodelay(true));
        set.map_err(ClientError::Connect)?;
        let address = format!("ws://{host}/live?{query}");
        let (socket, _) =
            tungstenite::client::client(address.as_str(), socket).map_err(|e| match e {
                HandshakeError::Failure(tungstenite::Error::Http(answer)) => {
                    let why = answer.body().as_deref().unwrap_or_default();
                    let why = String::from_utf8_lossy(why).trim().to_owned();
                    let status = answer.status();
                    ClientError::Refused(if why.is_empty() {
                        status.to_string()
                    } else {
                        why
                    })
                }
                other => ClientError::Refused(other.to_string()),
            })?;
        Ok(Client {
            socket,
            patience: Client::PATIENCE,
            silent: Duration::ZERO,
            listened: Instant::now(),
            asked: false,
            next: 1,
        })
    }

    /// Sets after how long a silent process is considered gone. It is pinged after half of that.
    pub fn set_patience(&mut self, patience: Duration) {
        self.patience = patience;
    }

    /// Sends a command and returns its number, which comes back with the answer.
    ///
    /// # Errors
    /// The connection is over.
    pub fn send(&mut self, command: Command) -> Result<u64, ClientError> {
        let id = self.next;
        self.next += 1;
        let request = Request {
            id: Some(id),
            command,
        };
        let text = serde_json::to_string(&request);
        let text = text.map_err(|e| ClientError::Lost(e.to_string()))?;
        let sent = self.socket.send(Message::text(text));
        sent.map_err(|e| ClientError::Lost(e.to_string()))?;
        Ok(id)
    }

    /// The next event, waiting this long for it; `None` if there is none by then. A process that
    /// was killed or hangs is noticed within two seconds, as long as this is called continually. A
    /// long pause between two calls counts as a quarter of the patience at most, since a caller
    /// that was busy elsewhere, or not scheduled, has not listened.
    ///
    /// # Errors
    /// The connection is over, or the process speaks another version of the protocol.
    pub fn next(&mut self, wait: Duration) -> Result<Option<Event>, ClientError> {
        let until = Instant::now() + wait;
        let most = (self.patience / 4).max(Duration::from_millis(1));
        loop {
            if self.silent >= self.patience {
                return Err(ClientError::Lost("the process does not answer".into()));
            }
            if self.silent >= self.patience / 2 && !self.asked {
                self.asked = true;
                self.send(Command::Ping)?;
            }
            let left = until.saturating_duration_since(Instant::now());
            let wait = left.clamp(Duration::from_millis(1), most);
            let socket = self.socket.get_ref();
            let set = socket.set_read_timeout(Some(wait));
            set.map_err(|e| ClientError::Lost(e.to_string()))?;
            match self.socket.read() {
                Ok(message) => {
                    self.silent = Duration::ZERO;
                    self.asked = false;
                    self.listened = Instant::now();
                    // Or an event of an unknown kind.
                    if let Message::Text(text) = message
                        && let Ok(event) = serde_json::from_str(text.as_str())
                    {
                        return match event {
                            Event::Bye { text } => Err(ClientError::Ended(text)),
                            Event::Hello(hello) if hello.protocol != PROTOCOL => {
                                Err(ClientError::Protocol(hello.protocol))
                            }
                            event => Ok(Some(event)),
                        };
                    }
                }
                // Every handled signal cuts a read with a timeout short, for example when the
                // terminal changes its size.
                Err(tungstenite::Error::Io(e))
                    if matches!(
                        e.kind(),
                        io::ErrorKind::WouldBlock
                            | io::ErrorKind::TimedOut
                            | io::ErrorKind::Interrupted
                    ) =>
                {
                    self.silent += self.listened.elapsed().min(most);
                    self.listened = Instant::now();
                }
                Err(e) => return Err(ClientError::Lost(e.to_string())),
            }
            if left.is_zero() {
                return Ok(None);
            }
        }
    }
}
