//! The server: accepting, checking, threads.

use std::collections::hash_map::RandomState;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

use super::http::{self, Head, Page};
use super::state::{Asked, Shared, Wanted};
use super::watcher::{Watcher, lock};
use crate::message::{Event, Hello, PROTOCOL, Tick};
use crate::recorded::Sink;

/// A client must send the whole head of its request within this time.
const HURRY: Duration = Duration::from_secs(10);
/// How long the last messages may take at the end.
const FAREWELL: Duration = Duration::from_secs(1);
/// Further simultaneous watchers are refused.
const MOST_WATCHERS: usize = 256;
/// Further simultaneous connections that have not shown the token are refused: they have no part
/// in the watchers' places.
const MOST_STRANGERS: usize = 64;
/// No command is longer: a tree's source is the longest.
const MOST_BYTES: usize = 4 << 20;

/// Finds what to hand out for a path such as `/index.html`.
pub type Pages = dyn Fn(&str) -> Option<Page> + Send + Sync;

/// How to serve.
pub struct Options {
    /// Where to listen; by default, any free port of the loopback interface. Any other interface
    /// can be reached by others on the network, and only the token keeps them from watching and
    /// controlling the process.
    pub address: SocketAddr,
    /// Host names of the server besides `localhost` and its address.
    pub hosts: Vec<String>,
    /// What to serve to browsers; nothing by default.
    pub pages: Option<Box<Pages>>,
    /// The secret that watchers must know; random by default.
    pub token: Option<String>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            address: (Ipv4Addr::LOCALHOST, 0).into(),
            hosts: Vec::new(),
            pages: None,
            token: None,
        }
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("address", &self.address)
            .field("hosts", &self.hosts)
            .field("pages", &self.pages.is_some())
            .finish_non_exhaustive()
    }
}

/// Lets a process be watched.
///
/// ```
/// use std::sync::Arc;
/// use tickseed_core::{Status, Time, nodes};
/// use tickseed_record::message::TreeDef;
/// use tickseed_record::serve::{Options, Server};
/// use tickseed_record::{Head, Recorded};
/// let n = nodes::<()>();
/// let tree = Arc::new(n.action("patrol", |_| Status::Running).build()?);
///
/// let head = Head::new("my game", TreeDef::of(0, "guard", &tree));
/// let server = Server::start(Options::default(), head.into())?;
/// println!("watch with: tickseed watch {}", server.address());
///
/// let mut agent = tree.agent();
/// let mut tree = Recorded::new(tree, server.publisher());
/// tree.tick(0, &mut agent, &mut (), Time::from_millis(16))?; // as fast as before
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// When dropped, it says goodbye to its watchers and ends within a fraction of a second.
pub struct Server {
    inner: Arc<Inner>,
    accepting: Option<JoinHandle<()>>,
}

struct Inner {
    shared: Shared,
    at: SocketAddr,
    token: String,
    hosts: Vec<String>,
    pages: Option<Box<Pages>>,
    /// Of every connection, so that closing can wake its thread.
    open: Mutex<Vec<Connection>>,
    threads: Mutex<Vec<JoinHandle<()>>>,
}

struct Connection {
    id: u64,
    socket: TcpStream,
    /// It has shown the token.
    known: bool,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("at", &self.inner.at)
            .finish_non_exhaustive()
    }
}

impl From<crate::file::Head> for Hello {
    fn from(head: crate::file::Head) -> Hello {
        let can = ["subscribe", "pin", "unpin", "ping"];
        Hello {
            protocol: PROTOCOL,
            process: head.process,
            session: random(),
            trees: head.trees,
            agents: head.agents,
            world: head.world,
            control: crate::message::Control::default(),
            can: can.map(str::to_owned).to_vec(),
        }
    }
}

/// An unguessable number as text: std's hash keys come from the system's randomness.
fn random() -> String {
    let draw = || RandomState::new().build_hasher().finish();
    // Keys of one thread differ by a counter only; hashing makes that unguessable as well.
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u64(draw());
    hasher.write_u32(std::process::id());
    format!("{:016x}{:016x}", draw(), hasher.finish())
}

impl Server {
    /// Starts listening.
    ///
    /// # Errors
    /// The server cannot listen on the address.
    pub fn start(options: Options, mut hello: Hello) -> io::Result<Server> {
        let listener = TcpListener::bind(options.address)?;
        let at = listener.local_addr()?;
        if hello.session.is_empty() {
            hello.session = random();
        }
        let port = at.port();
        let mut hosts = vec![format!("localhost:{port}"), at.to_string()];
        if at.ip().is_loopback() {
            hosts.push(format!("127.0.0.1:{port}"));
            hosts.push(format!("[::1]:{port}"));
        }
        for host in &options.hosts {
            hosts.push(host.to_ascii_lowercase());
            hosts.push(format!("{}:{port}", host.to_ascii_lowercase()));
        }
        let inner = Arc::new(Inner {
            shared: Shared::new(hello),
            at,
            token: options.token.unwrap_or_else(random),
            hosts,
            pages: options.pages,
            open: Mutex::default(),
            threads: Mutex::default(),
        });
        let accepting = std::thread::Builder::new()
            .name("tickseed serve".into())
            .spawn({
                let inner = inner.clone();
                move || accept(&inner, &listener)
            })?;
        Ok(Server {
            inner,
            accepting: Some(accepting),
        })
    }

    /// The address for `tickseed watch`, with the token.
    #[must_use]
    pub fn address(&self) -> String {
        format!("ws://{}/live?token={}", self.inner.at, self.inner.token)
    }

    /// The page's address, with the token.
    #[must_use]
    pub fn page(&self) -> String {
        format!("http://{}/?token={}", self.inner.at, self.inner.token)
    }

    /// The address on which it listens.
    #[must_use]
    pub fn local_addr(&self) -> SocketAddr {
        self.inner.at
    }

    /// Whether any watcher wants this agent's ticks.
    #[must_use]
    pub fn wants(&self, agent: u32) -> bool {
        self.inner.shared.wants(agent)
    }

    /// What all watchers together want.
    #[must_use]
    pub fn wanted(&self) -> Wanted {
        self.inner.shared.wanted()
    }

    /// How many watchers there are.
    #[must_use]
    pub fn watchers(&self) -> usize {
        lock(&self.inner.shared.state).watchers.len()
    }

    /// Sends an event to the watchers that want it, without ever waiting for one. What a new
    /// watcher needs to know from earlier events (trees, agents, the state of the run) is kept. A
    /// hello without a session is given a new one.
    pub fn publish(&self, event: &Event) {
        match event {
            Event::Hello(hello) if hello.session.is_empty() => {
                let mut hello = hello.clone();
                hello.session = random();
                self.inner.shared.publish(&Event::Hello(hello));
            }
            _ => self.inner.shared.publish(event),
        }
    }

    /// A sink for [`Recorded`](crate::Recorded).
    #[must_use]
    pub fn publisher(&self) -> Publisher {
        Publisher(self.inner.clone())
    }

    /// The next command for the process, waiting this long for it. The server itself answers
    /// subscriptions, pins and pings.
    #[must_use]
    pub fn next_request(&self, wait: Duration) -> Option<Asked> {
        self.inner.shared.next_request(wait)
    }

    /// Answers a watcher.
    pub fn reply(&self, watcher: u64, event: &Event) {
        self.inner.shared.reply(watcher, event);
    }

    fn close(&mut self) {
        let inner = &self.inner;
        inner.shared.closing.store(true, Ordering::Release);
        let watchers = lock(&inner.shared.state).watchers.clone();
        inner.shared.publish(&Event::Bye {
            text: "the process ends".into(),
        });
        for watcher in &watchers {
            watcher.close();
        }
        let until = Instant::now() + FAREWELL;
        for watcher in &watchers {
            watcher.wait_sent(until);
            watcher.cut();
        }
        // Wakes the accepting thread, which then sees that it must end.
        let mut to = inner.at;
        if to.ip().is_unspecified() {
            to.set_ip(match to.ip() {
                IpAddr::V4(_) => Ipv4Addr::LOCALHOST.into(),
                IpAddr::V6(_) => Ipv6Addr::LOCALHOST.into(),
            });
        }
        let woken = TcpStream::connect_timeout(&to, Duration::from_millis(200)).is_ok();
        if woken && let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
        for connection in lock(&inner.open).drain(..) {
            let _ = connection.socket.shutdown(std::net::Shutdown::Both);
        }
        for thread in lock(&inner.threads).drain(..) {
            let _ = thread.join();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

/// A sink that sends ticks to watchers, if there are any.
#[derive(Clone)]
pub struct Publisher(Arc<Inner>);

impl fmt::Debug for Publisher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Publisher").field(&self.0.at).finish()
    }
}

impl Sink for Publisher {
    fn wants(&self, agent: u32) -> bool {
        self.0.shared.wants(agent)
    }

    fn tick(&mut self, tick: &Tick) -> io::Result<()> {
        let event = Event::Tick(Box::new(tick.clone()));
        self.0.shared.publish(&event);
        Ok(())
    }
}

fn accept(inner: &Arc<Inner>, listener: &TcpListener) {
    while !inner.shared.closing.load(Ordering::Acquire) {
        let Ok((socket, _)) = listener.accept() else {
            // Out of file descriptors, for example: hopefully not for ever.
            std::thread::sleep(Duration::from_millis(20));
            continue;
        };
        if inner.shared.closing.load(Ordering::Acquire) {
            return;
        }
        let Ok(twin) = socket.try_clone() else {
            continue;
        };
        let id = inner.shared.next_watcher();
        {
            let mut open = lock(&inner.open);
            if open.iter().filter(|c| !c.known).count() >= MOST_STRANGERS {
                drop(open);
                turn_away(&socket);
                continue;
            }
            open.push(Connection {
                id,
                socket: twin,
                known: false,
            });
        }
        let thread = std::thread::Builder::new()
            .name("tickseed watcher".into())
            .spawn({
                let inner = inner.clone();
                move || {
                    // A broken connection affects no other.
                    let _ = inner.serve(id, &socket);
                    let _ = socket.shutdown(std::net::Shutdown::Both);
                    lock(&inner.open).retain(|c| c.id != id);
                }
            });
        if thread.is_err() {
            lock(&inner.open).retain(|c| c.id != id);
        }
        let mut threads = lock(&inner.threads);
        threads.retain(|t| !t.is_finished());
        threads.extend(thread);
    }
}

const FULL: &str = "503 Service Unavailable";

/// Says that there are too many connections, without ever waiting for this one.
fn turn_away(socket: &TcpStream) {
    let _ = socket.set_nonblocking(true);
    // What was read is not answered with a reset, which could overtake the text.
    let _ = { socket }.read(&mut [0; 2048]);
    let _ = http::say(socket, FULL, "too many connections are open");
    let _ = socket.shutdown(std::net::Shutdown::Both);
}

/// Reads until a deadline, however little comes at a time.
struct Until<'a> {
    socket: &'a TcpStream,
    end: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.socket.set_read_timeout(Some(left))?;
        self.socket.read(buf)
    }
}

impl Inner {
    /// Gives a connection that has shown the token a place of a watcher, if there is one.
    fn admit(&self, id: u64) -> bool {
        let mut open = lock(&self.open);
        if open.iter().filter(|c| c.known).count() >= MOST_WATCHERS {
            return false;
        }
        for connection in open.iter_mut().filter(|c| c.id == id) {
            connection.known = true;
        }
        true
    }

    fn serve(&self, id: u64, socket: &TcpStream) -> io::Result<()> {
        let end = Instant::now() + HURRY;
        socket.set_write_timeout(Some(Watcher::PATIENCE))?;
        socket.set_nodelay(true)?;
        let Some(head) = Head::read(Until { socket, end })? else {
            return http::say(socket, "400 Bad Request", "this is no HTTP request");
        };
        // A page that points its own host name at this address sends that name here.
        if !self.hosts.contains(&head.host) {
            let text = format!("this server answers to {} only", self.hosts.join(", "));
            return http::say(socket, "403 Forbidden", &text);
        }
        match &head.key {
            Some(key) if head.path == "/live" => match self.refusal(&head) {
                Some(text) => http::say(socket, "403 Forbidden", text),
                None if !self.admit(id) => http::say(socket, FULL, "there are too many watchers"),
                None => {
                    http::agree(socket, key)?;
                    self.watch(id, socket, head.rest)
                }
            },
            _ => self.page(&head, socket),
        }
    }

    /// Why a client is refused.
    fn refusal(&self, head: &Head) -> Option<&'static str> {
        let own = |origin: &String| {
            let host = origin.strip_prefix("http://");
            host.is_some_and(|h| self.hosts.iter().any(|own| own == h))
        };
        if head.origin.as_ref().is_some_and(|o| !own(o)) {
            return Some("pages of other origins must not watch");
        }
        let token = head.query("token").unwrap_or("");
        if !same(token.as_bytes(), self.token.as_bytes()) {
            return Some("the token is missing or wrong: use the address that the process prints");
        }
        None
    }

    fn page(&self, head: &Head, socket: &TcpStream) -> io::Result<()> {
        let with_body = match head.method.as_str() {
            "GET" => true,
            "HEAD" => false,
            _ => {
                return http::say(
                    socket,
                    "405 Method Not Allowed",
                    "only GET is understood here",
                );
            }
        };
        let page = self.pages.as_ref().and_then(|pages| pages(&head.path));
        match page {
            Some(page) => http::answer(socket, "200 OK", &page, with_body),
            None => http::say(socket, "404 Not Found", "there is nothing at this path"),
        }
    }

    /// Reads a watcher's messages until it leaves.
    fn watch(&self, id: u64, socket: &TcpStream, rest: Vec<u8>) -> io::Result<()> {
        socket.set_read_timeout(None)?;
        let watcher = Arc::new(Watcher::new(id, socket.try_clone()?));
        let out = socket.try_clone()?;
        let writing = std::thread::Builder::new()
            .name("tickseed watcher queue".into())
            .spawn({
                let watcher = watcher.clone();
                move || watcher.write(out)
            })?;
        self.shared.join(watcher.clone());
        if self.shared.closing.load(Ordering::Acquire) {
            watcher.cut();
        }
        let config = WebSocketConfig::default()
            .max_message_size(Some(MOST_BYTES))
            .max_frame_size(Some(MOST_BYTES));
        let half = ReadHalf(socket.try_clone()?);
        let mut reading = WebSocket::from_partially_read(half, rest, Role::Server, Some(config));
        while let Ok(message) = reading.read() {
            match message {
                Message::Text(said) => self.shared.heard(&watcher, said.as_str()),
                Message::Ping(payload) => watcher.pong(payload.to_vec()),
                Message::Close(_) => break,
                _ => {}
            }
        }
        self.shared.leave(id);
        watcher.cut();
        let _ = writing.join();
        Ok(())
    }
}

/// Takes the same time wherever the difference is; a wrong length, which is no secret, is answered
/// at once.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |d, (x, y)| d | (x ^ y)) == 0
}

/// A socket that is only read from: automatic answers of the protocol go through the writing
/// thread, since otherwise two threads would write at once.
struct ReadHalf(TcpStream);

impl Read for ReadHalf {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        self.0.read(buf)
    }
}

impl Write for ReadHalf {
    fn write(&mut self, buf: &[u8]) -> io::Result<usize> {
        Ok(buf.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_sends_a_byte_now_and_then_has_no_more_time_than_others() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let mut slow = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let (socket, _) = listener.accept().unwrap();
        let sending = std::thread::spawn(move || {
            // Until the other end is closed.
            while slow.write_all(b"a").is_ok() {
                std::thread::sleep(Duration::from_millis(10));
            }
        });
        let end = Instant::now() + Duration::from_millis(300);
        let read = Head::read(Until {
            socket: &socket,
            end,
        });
        assert!(read.is_err(), "{read:?}");
        assert!(Instant::now() >= end);
        drop(socket);
        sending.join().unwrap();
    }
}
