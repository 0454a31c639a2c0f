//! Serves the page on the loopback interface.

use std::io::{self, Read};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::{files, http};

/// A client must send the whole head of its request within this time.
const HURRY: Duration = Duration::from_secs(10);
/// Further simultaneous connections are refused.
const MOST_CONNECTIONS: usize = 64;

/// A bound server.
///
/// ```no_run
/// let server = tickseed_studio::Server::bind(0)?;
/// println!("{}", server.address());
/// server.run()
/// # ; Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Server {
    listener: TcpListener,
    at: SocketAddr,
}

impl Server {
    /// Listens on 127.0.0.1 only. Port 0 chooses a free one.
    ///
    /// # Errors
    /// The port is taken or may not be used.
    pub fn bind(port: u16) -> io::Result<Server> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port))?;
        let at = listener.local_addr()?;
        Ok(Server { listener, at })
    }

    /// The page's address.
    #[must_use]
    pub fn address(&self) -> String {
        format!("http://{}/", self.at)
    }

    /// Serves until the process ends.
    pub fn run(&self) -> ! {
        // Every connection's thread holds one.
        let open = Arc::new(());
        loop {
            // A connection that breaks off concerns nobody but itself.
            let Ok((stream, _)) = self.listener.accept() else {
                std::thread::sleep(Duration::from_millis(20));
                continue;
            };
            if Arc::strong_count(&open) > MOST_CONNECTIONS {
                turn_away(&stream);
                continue;
            }
            let (port, place) = (self.at.port(), open.clone());
            // If the system has no thread to give, the connection is closed.
            let _ = std::thread::Builder::new()
                .name("tickseed studio".into())
                .spawn(move || {
                    let _ = answer(&stream, port);
                    drop(place);
                });
        }
    }
}

/// Says that there are too many connections, without ever waiting for this one.
fn turn_away(stream: &TcpStream) {
    let _ = stream.set_nonblocking(true);
    // What was read is not answered with a reset, which could overtake the text.
    let _ = { stream }.read(&mut [0; 2048]);
    let text = b"too many connections are open\n";
    let plain = "text/plain; charset=utf-8";
    let _ = http::write(stream, "503 Service Unavailable", plain, text, true);
    let _ = stream.shutdown(Shutdown::Both);
}

/// Reads until a deadline, however little comes at a time.
struct Until<'a> {
    stream: &'a TcpStream,
    end: Instant,
}

impl Read for Until<'_> {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        let left = self.end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.set_read_timeout(Some(left))?;
        { self.stream }.read(buf)
    }
}

fn answer(stream: &TcpStream, port: u16) -> io::Result<()> {
    let end = Instant::now() + HURRY;
    stream.set_write_timeout(Some(Duration::from_secs(10)))?;
    let plain = "text/plain; charset=utf-8";
    let Some(request) = http::read(Until { stream, end })? else {
        return http::write(stream, "400 Bad Request", plain, b"no HTTP request\n", true);
    };
    // A page of another origin that points a name of its own at this address sends that
    // name here.
    let ours = ["127.0.0.1", "localhost"].map(|h| format!("{h}:{port}"));
    if !ours.contains(&request.host) {
        let text = "this server answers to 127.0.0.1 and localhost only\n";
        return http::write(stream, "403 Forbidden", plain, text.as_bytes(), true);
    }
    let with_body = match request.method.as_str() {
        "GET" => true,
        "HEAD" => false,
        _ => {
            let text = "only GET is understood here\n";
            return http::write(
                stream,
                "405 Method Not Allowed",
                plain,
                text.as_bytes(),
                true,
            );
        }
    };
    let path = request.path.trim_start_matches('/');
    match files::find(path) {
        Some(body) => {
            let media_type = files::media_type(path);
            http::write(stream, "200 OK", media_type, body, with_body)
        }
        None if path.is_empty() => {
            let page = files::NOT_BUILT.as_bytes();
            let html = files::media_type("");
            http::write(stream, "503 Service Unavailable", html, page, with_body)
        }
        None => http::write(stream, "404 Not Found", plain, b"no such file\n", with_body),
    }
}
