//! The server over a real socket.
use std::io::{Read, Write};
use std::net::TcpStream;

use tickseed_studio::{Server, is_built};

fn ask(request: &str) -> String {
    let server = Server::bind(0).unwrap();
    let at = server.address();
    let at = at
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    std::thread::spawn(move || server.run());
    let mut stream = TcpStream::connect(&at).unwrap();
    let request = request.replace("HERE", &at);
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).into_owned()
}

#[test]
fn the_page_or_how_to_build_it() {
    let answer = ask("GET / HTTP/1.1\r\nHost: HERE\r\n\r\n");
    if is_built() {
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.contains("text/html"));
    } else {
        assert!(answer.starts_with("HTTP/1.1 503"), "{answer}");
        assert!(answer.contains("cargo xtask studio"));
    }
    assert!(answer.contains("Content-Security-Policy"));
}

#[test]
fn other_names_methods_and_files_are_refused() {
    let foreign = ask("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
    assert!(foreign.starts_with("HTTP/1.1 403"), "{foreign}");
    let post = ask("POST / HTTP/1.1\r\nHost: HERE\r\n\r\n");
    assert!(post.starts_with("HTTP/1.1 405"), "{post}");
    for path in ["/../Cargo.toml", "/nothing.js"] {
        let missing = ask(&format!("GET {path} HTTP/1.1\r\nHost: HERE\r\n\r\n"));
        assert!(missing.starts_with("HTTP/1.1 404"), "{missing}");
    }
    assert!(ask("hello\r\n\r\n").starts_with("HTTP/1.1 400"));
}

#[test]
fn surplus_connections_are_told_so() {
    let server = Server::bind(0).unwrap();
    let at = server.address();
    let at = at
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    std::thread::spawn(move || server.run());
    let mute: Vec<_> = (0..64).map(|_| TcpStream::connect(&at).unwrap()).collect();
    let answer = || {
        let mut stream = TcpStream::connect(&at).unwrap();
        let _ = stream.write_all(format!("GET / HTTP/1.1\r\nHost: {at}\r\n\r\n").as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        String::from_utf8_lossy(&answer).into_owned()
    };
    let mut surplus = TcpStream::connect(&at).unwrap();
    let mut text = String::new();
    surplus.read_to_string(&mut text).unwrap();
    assert!(text.contains("too many connections"), "{text}");
    drop(mute);
    // Their places are free again.
    while !answer().contains("text/html") {
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}
