//! A world that serves, watched from other processes.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use tickseed_record::message::{Command as Do, Event, Subscription};
use tickseed_record::serve::Client;

fn tickseed() -> Command {
    Command::new(env!("CARGO_BIN_EXE_tickseed"))
}

/// A process that serves; killed at the end.
struct Serving(Child, String);

impl Serving {
    fn start(args: &[&str]) -> Serving {
        let mut child = tickseed()
            .args(["run", "--serve", "--quiet"])
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut address = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut address).unwrap();
        Serving(child, address.trim().to_owned())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_run_that_serves_hands_out_the_page_and_the_studio_can_be_watched() {
    let serving = Serving::start(&["robot"]);
    let host = serving.1.strip_prefix("ws://").unwrap();
    let host = host.split('/').next().unwrap();
    let mut socket = std::net::TcpStream::connect(host).unwrap();
    write!(socket, "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
    let mut page = String::new();
    socket.read_to_string(&mut page).unwrap();
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.contains("Content-Security-Policy"), "{page}");
    assert!(page.contains("<title>Tickseed studio</title>"), "{page}");
    // The same loop behind `studio --process`.
    let studio = tickseed()
        .args([
            "studio",
            "--process",
            "robot",
            "--port",
            "0",
            "--token",
            "t",
        ])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut studio = Serving(studio, String::new());
    let mut line = String::new();
    let out = studio.0.stdout.as_mut().unwrap();
    BufReader::new(out).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("the studio is at ").unwrap();
    let out = tickseed()
        .args(["watch", address, "--ticks", "3"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("running  patrol"), "{text}");
}

#[test]
fn a_world_is_watched_as_lines_and_as_json() {
    let serving = Serving::start(&["robot", "--seed", "1"]);
    assert!(serving.1.starts_with("ws://127.0.0.1:"), "{}", serving.1);
    let out = tickseed()
        .args(["watch", &serving.1, "--ticks", "5"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(out.status.success());
    assert!(text.starts_with("tickseed: 1 agent\n"), "{text}");
    assert!(text.contains("    condition battery low\n"), "{text}");
    assert!(text.contains("running  patrol"), "{text}");
    assert!(text.contains("battery_low false"), "{text}");
    let out = tickseed()
        .args(["watch", &serving.1, "--ticks", "5", "--json"])
        .output()
        .unwrap();
    let lines: Vec<Value> = String::from_utf8(out.stdout)
        .unwrap()
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(lines[0]["event"], "hello");
    let ticks: Vec<_> = lines.iter().filter(|l| l["event"] == "tick").collect();
    assert_eq!(ticks.len(), 5);
    assert_eq!(ticks[0]["nodes"][0][1], "running");
    assert!(
        ticks[0]["keys"].as_array().unwrap().len() > 5,
        "all keys first"
    );
    assert!(
        ticks[4]["keys"].as_array().unwrap().len() < ticks[0]["keys"].as_array().unwrap().len()
    );
}

#[test]
fn a_watcher_steers() {
    let serving = Serving::start(&["robot"]);
    let mut client = Client::connect(&serving.1).unwrap();
    let wait = Duration::from_secs(60);
    client.set_patience(wait);
    let subscription = Subscription {
        agents: vec![0],
        ..Subscription::default()
    };
    client.send(Do::Subscribe(subscription)).unwrap();
    client.send(Do::Pause).unwrap();
    client
        .send(Do::Input {
            input: serde_json::json!({"input": "click", "x": 3.0, "y": 4.0}),
        })
        .unwrap();
    let asked = client.send(Do::Step { ticks: 1 }).unwrap();
    let mut clicked = false;
    loop {
        match client.next(wait).unwrap().expect("an answer") {
            Event::Tick(tick) => clicked |= tick.inputs.iter().any(|i| i["input"] == "click"),
            Event::Done { id, .. } if id == Some(asked) => break,
            Event::Error { text, .. } => panic!("{text}"),
            _ => {}
        }
    }
    assert!(clicked);
    let asked = client.send(Do::Seek { tick: 1 << 40 }).unwrap();
    loop {
        if let Event::Error { id, text, .. } = client.next(wait).unwrap().expect("an answer") {
            assert_eq!(id, Some(asked));
            assert!(text.contains("has not come yet"), "{text}");
            break;
        }
    }
}

#[test]
fn a_watcher_is_told_why() {
    let serving = Serving::start(&["robot", "--seed", "1"]);
    let out = tickseed()
        .args(["watch", &serving.1, "--ticks", "2", "--why", "battery low"])
        .output()
        .unwrap();
    let text = String::from_utf8(out.stdout).unwrap();
    assert!(text.contains("`battery low` answered "), "{text}");
    assert!(text.contains(": battery_low is "), "{text}");
    let out = tickseed()
        .args(["watch", &serving.1, "--why", "flight"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
    let errors = String::from_utf8(out.stderr).unwrap();
    assert!(errors.contains("no node is named `flight`"), "{errors}");
}

#[test]
fn the_end_of_a_process_is_noticed() {
    let mut serving = Serving::start(&["robot"]);
    let mut watching = tickseed()
        .args(["watch", &serving.1])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = String::new();
    let mut out = BufReader::new(watching.stdout.take().unwrap());
    out.read_line(&mut first).unwrap();
    // Killed without a word: given up after some tries.
    serving.0.kill().unwrap();
    let status = watching.wait().unwrap();
    assert_eq!(status.code(), Some(1));
    let mut errors = String::new();
    watching
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut errors)
        .unwrap();
    assert!(errors.contains("the connection is lost"), "{errors}");
}

#[test]
fn a_run_of_so_many_ticks_ends_and_says_goodbye() {
    // It stands still until somebody watches, and ends then at once; with no more ticks than
    // lie between two sockets, for a process that ends waits for nobody who reads slowly.
    let mut serving = Serving::start(&["robot", "--ticks", "400"]);
    let mut client = Client::connect(&serving.1).unwrap();
    client.send(Do::Pause).unwrap();
    let mut watching = tickseed()
        .args(["watch", &serving.1])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(watching.stdout.take().unwrap());
    out.read_line(&mut String::new()).unwrap();
    client.send(Do::Step { ticks: 400 }).unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    let ended = watching.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{errors}");
    assert!(serving.0.wait().unwrap().success());
}

#[test]
fn wrong_addresses_are_explained() {
    let serving = Serving::start(&["robot"]);
    let bare = serving.1.split('?').next().unwrap().to_owned();
    for (address, code, wanted) in [
        ("robot", 2, "is no address"),
        (&bare, 1, "the token is missing or wrong"),
        ("ws://127.0.0.1:1/live?token=1", 1, "failed to connect"),
    ] {
        let out = tickseed().args(["watch", address]).output().unwrap();
        assert_eq!(out.status.code(), Some(code), "{address}");
        let errors = String::from_utf8(out.stderr).unwrap();
        assert!(errors.contains(wanted), "{errors}");
    }
    let out = tickseed()
        .args(["run", "robot", "--serve", "--click", "1:2,3"])
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(2));
}
