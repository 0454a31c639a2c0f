//! Watching live: what is told, who is refused, what a bad watcher cannot do.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use tickseed_core::{Status as Answer, Time, Tree, nodes};
use tickseed_record::message::{
    Command, Event, Hello, KeyChange, Level, Status, Subscription, Tick, TreeDef, Value,
};
use tickseed_record::serve::{Client, ClientError, Options, Page, Server};
use tickseed_record::{Head, Recorded, Sink};

fn tree() -> Arc<Tree<()>> {
    let n = nodes::<()>();
    let tree = n.selector([
        n.sequence([n.fail().named("armed"), n.succeed()]),
        n.action("patrol", |_| Answer::Running),
    ]);
    Arc::new(tree.build().unwrap())
}

fn hello() -> Hello {
    Head::new("test", TreeDef::of(0, "guard", &tree())).into()
}

fn server() -> Server {
    Server::start(Options::default(), hello()).unwrap()
}

/// Whatever is waited for comes long before this on any machine.
const SOON: Duration = Duration::from_secs(60);

/// A client that waits for a slow machine.
fn connect(address: &str) -> Client {
    let mut client = Client::connect_within(address, SOON).unwrap();
    client.set_patience(SOON);
    client
}

fn next(client: &mut Client) -> Event {
    client.next(SOON).unwrap().expect("an event in time")
}

fn next_tick(client: &mut Client) -> Tick {
    loop {
        if let Event::Tick(tick) = next(client) {
            return *tick;
        }
    }
}

fn subscribe(client: &mut Client, subscription: Subscription) {
    let id = client.send(Command::Subscribe(subscription)).unwrap();
    // Ticks that were missed come before the answer.
    loop {
        if matches!(next(client), Event::Done { id: Some(done), .. } if done == id) {
            return;
        }
    }
}

fn agent_0() -> Subscription {
    Subscription {
        agents: vec![0],
        ..Subscription::default()
    }
}

fn tick(tick: u64) -> Event {
    Event::Tick(Box::new(Tick {
        tick,
        status: Some(Status::Running),
        leaves: vec![(2, Some(Status::Failure)), (4, Some(Status::Running))],
        keys: vec![KeyChange {
            key: (tick % 3) as u32,
            value: Value::Int(tick as i64),
            writer: None,
            since: None,
        }],
        ..Tick::default()
    }))
}

#[test]
fn a_recorded_tree_is_watched() {
    let server = server();
    let mut client = connect(&server.address());
    let Event::Hello(hello) = next(&mut client) else {
        panic!("no hello first");
    };
    assert_eq!(hello.process.name, "test");
    assert_eq!(hello.trees[0].nodes[2].label, "armed");
    let publisher = server.publisher();
    assert!(!publisher.wants(0), "nobody has asked");
    subscribe(
        &mut client,
        Subscription {
            nodes: true,
            ..agent_0()
        },
    );
    assert!(publisher.wants(0) && !publisher.wants(1));
    let tree = tree();
    let mut agent = tree.agent();
    let mut tree = Recorded::new(tree, publisher);
    for i in 1..=3 {
        tree.tick(0, &mut agent, &mut (), Time::from_millis(i))
            .unwrap();
    }
    for i in 1..=3 {
        let tick = next_tick(&mut client);
        assert_eq!((tick.tick, tick.deciding), (i, Some(4)));
        let running = Some(Status::Running);
        let failure = Some(Status::Failure);
        // The memory selector goes on at its running child.
        let wanted = if i == 1 {
            vec![(0, running), (1, failure), (2, failure), (4, running)]
        } else {
            vec![(0, running), (4, running)]
        };
        assert_eq!(tick.nodes, wanted);
    }
}

#[test]
fn commands_reach_the_process_and_answers_the_one_who_asked() {
    let server = server();
    let mut a = connect(&server.address());
    let mut b = connect(&server.address());
    let (_, _) = (next(&mut a), next(&mut b));
    let id = a.send(Command::Pause).unwrap();
    let asked = server.next_request(SOON).unwrap();
    assert_eq!(asked.request.command, Command::Pause);
    let done = Event::Done {
        id: asked.request.id,
        answer: None,
    };
    server.reply(asked.watcher, &done);
    assert!(matches!(next(&mut a), Event::Done { id: Some(i), .. } if i == id));
    assert_eq!(b.next(Duration::from_millis(50)).unwrap(), None);
    assert_eq!(server.next_request(Duration::ZERO), None);
}

#[test]
fn a_watcher_that_was_cut_off_is_told_what_it_missed() {
    let server = server();
    let mut client = connect(&server.address());
    let Event::Hello(hello) = next(&mut client) else {
        panic!("no hello");
    };
    subscribe(&mut client, agent_0());
    for i in 1..=10 {
        server.publish(&tick(i));
    }
    for i in 1..=4 {
        assert_eq!(next_tick(&mut client).tick, i);
    }
    drop(client);
    for i in 11..=20 {
        assert!(server.wants(0), "still wanted for those who come back");
        server.publish(&tick(i));
    }
    let back = |session: &str| {
        let mut client = connect(&server.address());
        next(&mut client);
        client
            .send(Command::Subscribe(Subscription {
                after: Some(4),
                session: Some(session.to_owned()),
                ..agent_0()
            }))
            .unwrap();
        client
    };
    let mut client = back(&hello.session);
    for i in 5..=20 {
        let tick = next_tick(&mut client);
        assert_eq!(tick.tick, i);
        assert_eq!(
            tick.keys.len(),
            if i == 5 { 3 } else { 1 },
            "all keys in the first"
        );
    }
    // Of another session nothing is told.
    let mut client = back("another");
    assert!(matches!(next(&mut client), Event::Done { .. }));
    server.publish(&tick(21));
    let tick = next_tick(&mut client);
    assert_eq!((tick.tick, tick.keys.len()), (21, 3));
}

/// One who comes back is there before it says what it wants; what is ticked in between, and
/// when its old connection ends in between, is remembered.
#[test]
fn nothing_is_missed_between_coming_back_and_asking() {
    let server = server();
    let mut old = Client::connect(&server.address()).unwrap();
    let Event::Hello(hello) = next(&mut old) else {
        panic!("no hello");
    };
    subscribe(&mut old, agent_0());
    server.publish(&tick(1));
    next_tick(&mut old);
    let mut back = Client::connect(&server.address()).unwrap();
    assert!(matches!(next(&mut back), Event::Hello(_)));
    assert!(server.wants(0));
    server.publish(&tick(2));
    drop(old);
    // Its end is noticed by a thread of the server, some time.
    while server.watchers() > 1 {
        std::thread::yield_now();
    }
    assert!(server.wants(0), "the new one has not said yet");
    server.publish(&tick(3));
    let asks = Subscription {
        after: Some(1),
        session: Some(hello.session),
        ..agent_0()
    };
    back.send(Command::Subscribe(asks)).unwrap();
    assert_eq!(next_tick(&mut back).tick, 2);
    assert_eq!(next_tick(&mut back).tick, 3);
}

#[test]
fn a_watcher_that_stops_reading_slows_nobody_and_is_told_of_the_gap() {
    let server = server();
    let mut slow = connect(&server.address());
    next(&mut slow);
    subscribe(&mut slow, agent_0());
    let began = Instant::now();
    // If this waited for the watcher it would never end: nobody reads.
    let all = 60_000;
    for i in 1..=all {
        server.publish(&tick(i));
    }
    println!("{all} ticks in {:?}", began.elapsed());
    let (mut last, mut ticks, mut dropped, mut gap) = (0, 0, 0, false);
    server.publish(&tick(all + 1));
    // It reads again; the process goes on meanwhile.
    let mut extra = 0;
    while dropped == 0 || last <= all + 1 {
        match slow.next(Duration::from_millis(100)).unwrap() {
            Some(Event::Tick(tick)) => {
                assert!(tick.tick > last);
                assert!(gap || tick.tick == last + 1, "{last} then {}", tick.tick);
                assert_eq!(
                    tick.keys.len(),
                    if gap || last == 0 {
                        tick.tick.min(3) as usize
                    } else {
                        1
                    }
                );
                (last, gap) = (tick.tick, false);
                ticks += 1;
            }
            Some(Event::Dropped { count }) => {
                dropped += count;
                gap = true;
            }
            Some(_) => {}
            None => {
                extra += 1;
                server.publish(&tick(all + 1 + extra));
                assert!(extra < 20);
            }
        }
    }
    assert_eq!(ticks + dropped, last, "every tick was told or counted");
    assert!(dropped > 1000);
}

/// What a server says to a request: all of it, or its head if the connection stays.
fn ask(server: &Server, request: &str) -> String {
    let mut socket = TcpStream::connect(server.local_addr()).unwrap();
    socket.write_all(request.as_bytes()).unwrap();
    socket.set_read_timeout(Some(SOON)).unwrap();
    let (mut answer, mut part) = (Vec::new(), [0; 4096]);
    loop {
        let n = socket.read(&mut part).unwrap_or(0);
        answer.extend(&part[..n]);
        let text = String::from_utf8_lossy(&answer);
        if n == 0 || text.starts_with("HTTP/1.1 101") && text.contains("\r\n\r\n") {
            return text.into_owned();
        }
    }
}

/// An address of this machine that others can reach, if it has one.
fn reachable() -> Option<std::net::IpAddr> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").ok()?;
    // Nothing is sent: the system only says by which address it would be.
    socket.connect("192.0.2.1:9").ok()?;
    let ip = socket.local_addr().ok()?.ip();
    (!ip.is_loopback() && !ip.is_unspecified()).then_some(ip)
}

#[test]
fn nothing_listens_beyond_loopback_unless_asked() {
    let server = server();
    assert!(server.local_addr().ip().is_loopback());
    let port = server.local_addr().port();
    assert!(TcpStream::connect(("127.0.0.1", port)).is_ok());
    let Some(outside) = reachable() else {
        println!("skipped in part: this machine has no other address");
        return;
    };
    let knock = |port| TcpStream::connect_timeout(&(outside, port).into(), SOON);
    assert!(knock(port).is_err(), "{outside}:{port} answers");
    // Whoever asks for it is heard from there.
    let address = ([0, 0, 0, 0], 0).into();
    let open = Server::start(
        Options {
            address,
            ..Options::default()
        },
        hello(),
    );
    assert!(knock(open.unwrap().local_addr().port()).is_ok());
}

#[test]
fn strangers_are_refused() {
    let server = server();
    let address = server.address();
    let (_, token) = address.split_once("token=").unwrap();
    let at = server.local_addr();
    let upgrade = |host: &str, origin: &str, token: &str| {
        ask(
            &server,
            &format!(
                "GET /live?token={token} HTTP/1.1\r\nHost: {host}\r\n{origin}Connection: Upgrade\r\n\
                 Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
                 Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            ),
        )
    };
    let own = at.to_string();
    let agreed = upgrade(&own, "", token);
    assert!(agreed.starts_with("HTTP/1.1 101"), "{agreed}");
    assert!(agreed.contains("s3pPLMBiTxaQ9kYGzzhZRbK+xOo="), "{agreed}");
    let same_origin = format!("Origin: http://localhost:{}\r\n", at.port());
    assert!(upgrade(&own, &same_origin, token).starts_with("HTTP/1.1 101"));
    for (host, origin, token, wanted) in [
        ("evil.example", "", token, "answers to"),
        (
            &own,
            "Origin: http://evil.example\r\n",
            token,
            "other origins",
        ),
        (&own, "Origin: null\r\n", token, "other origins"),
        (&own, "", "", "token"),
        (&own, "", "0123", "token"),
        ("", "", token, "answers to"),
    ] {
        let answer = upgrade(host, origin, token);
        assert!(answer.starts_with("HTTP/1.1 403"), "{answer}");
        assert!(answer.contains(wanted), "{answer}");
        assert!(!answer.contains("hello"), "{answer}");
    }
    let refused = Client::connect(&format!("ws://{own}/live?token=wrong")).unwrap_err();
    assert!(refused.to_string().contains("token"), "{refused}");
    assert!(matches!(
        Client::connect("nonsense"),
        Err(ClientError::Address(_))
    ));
    assert!(at.ip().is_loopback());
    // Nonsense and too much of it.
    assert!(ask(&server, "nonsense\r\n\r\n").starts_with("HTTP/1.1 400"));
    let mut client = connect(&server.address());
    next(&mut client);
    // Those who were let in above have left, which a server learns by and by.
    let until = Instant::now() + SOON;
    while server.watchers() > 1 {
        assert!(Instant::now() < until, "{} watch", server.watchers());
        std::thread::yield_now();
    }
    assert_eq!(server.watchers(), 1);
}

#[test]
fn strangers_do_not_take_the_places_of_watchers_and_are_told_so() {
    let server = server();
    let mut watchers: Vec<_> = (0..70).map(|_| connect(&server.address())).collect();
    let mute = || TcpStream::connect(server.local_addr()).unwrap();
    let strangers: Vec<_> = (0..64).map(|_| mute()).collect();
    let refused = ask(&server, "");
    assert!(refused.starts_with("HTTP/1.1 503"), "{refused}");
    // Whoever was let in goes on, and one who comes later finds a place.
    assert!(matches!(next(&mut watchers[69]), Event::Hello(_)));
    drop(strangers);
    let began = Instant::now();
    while Client::connect_within(&server.address(), SOON).is_err() {
        assert!(began.elapsed() < SOON);
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn pages_are_handed_out_at_the_same_port() {
    let pages = |path: &str| {
        (path == "/").then(|| Page {
            media_type: "text/html; charset=utf-8".to_owned(),
            headers: vec![("X-Test".to_owned(), "1".to_owned())],
            body: b"<p>page</p>".as_slice().into(),
        })
    };
    let options = Options {
        pages: Some(Box::new(pages)),
        ..Options::default()
    };
    let server = Server::start(options, hello()).unwrap();
    let host = server.local_addr();
    let page = ask(
        &server,
        &format!("GET /?token=1 HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    );
    assert!(page.starts_with("HTTP/1.1 200 OK\r\n"), "{page}");
    assert!(
        page.contains("X-Test: 1\r\n") && page.ends_with("\r\n\r\n<p>page</p>"),
        "{page}"
    );
    let head = ask(&server, &format!("HEAD / HTTP/1.1\r\nHost: {host}\r\n\r\n"));
    assert!(
        head.contains("Content-Length: 11") && head.ends_with("\r\n\r\n"),
        "{head}"
    );
    for (request, status) in [
        (format!("GET /other HTTP/1.1\r\nHost: {host}\r\n\r\n"), 404),
        (format!("POST / HTTP/1.1\r\nHost: {host}\r\n\r\n"), 405),
        (
            "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n".to_owned(),
            403,
        ),
    ] {
        let answer = ask(&server, &request);
        assert!(
            answer.starts_with(&format!("HTTP/1.1 {status}")),
            "{answer}"
        );
    }
}

/// Case E03: a hundred servers come and go in under a second. How long they take is printed;
/// what is asserted is that none waits for one of the server's own time limits, of which the
/// shortest is seconds.
fn come_and_go(what: &str, with: impl Fn(&Server) -> Vec<Client>) {
    let began = Instant::now();
    for _ in 0..100 {
        let server = server();
        let clients = with(&server);
        drop(server);
        drop(clients);
    }
    let spent = began.elapsed();
    assert!(spent < Duration::from_secs(100), "{what}: {spent:?}");
    println!("{what}: {spent:?}");
}

#[test]
fn servers_end_at_once_whatever_their_watchers_do() {
    come_and_go("nobody", |_| vec![]);
    come_and_go("a client that listens", |server| {
        let mut client = connect(&server.address());
        next(&mut client);
        subscribe(&mut client, agent_0());
        server.publish(&tick(1));
        vec![client]
    });
    come_and_go("a silent client", |server| vec![connect(&server.address())]);
    come_and_go("an error in flight", |server| {
        let mut client = connect(&server.address());
        client.send(Command::Seek { tick: 9 }).unwrap();
        client.send(Command::Ping).unwrap();
        vec![client]
    });
}

/// Each of them would wait for seconds if a server waited for those who do not listen.
#[test]
fn a_server_ends_even_if_its_watcher_is_stuck_or_has_not_said_anything() {
    let began = Instant::now();
    for _ in 0..20 {
        let server = server();
        let mute = TcpStream::connect(server.local_addr()).unwrap();
        drop(server);
        drop(mute);
    }
    println!("twenty with a mute watcher: {:?}", began.elapsed());
    // Long texts, of which few fill all that lies between the two.
    let long = Event::Log {
        level: Level::Info,
        text: "long ".repeat(20_000),
    };
    for _ in 0..10 {
        let server = server();
        let mut stuck = connect(&server.address());
        next(&mut stuck);
        subscribe(&mut stuck, agent_0());
        for _ in 0..400 {
            server.publish(&long);
        }
        drop(server);
    }
    let spent = began.elapsed();
    println!("and ten with a stuck one: {spent:?}");
    assert!(spent < Duration::from_secs(90), "{spent:?}");
}

#[test]
fn a_goodbye_is_told_and_a_hang_is_noticed_within_two_seconds() {
    let server = server();
    let mut client = connect(&server.address());
    next(&mut client);
    drop(server);
    let lost = client.next(SOON).unwrap_err();
    assert!(lost.to_string().contains("the process ends"), "{lost}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (done, noticed) = mpsc::channel::<()>();
    let hung = std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let socket = tungstenite::accept(socket).unwrap();
        let _ = noticed.recv();
        drop(socket);
    });
    let address = format!("ws://{at}/live?token=1");
    let mut client = Client::connect_within(&address, SOON).unwrap();
    let began = Instant::now();
    let lost = client.next(SOON).unwrap_err();
    println!("a hang was noticed after {:?}", began.elapsed());
    assert!(lost.to_string().contains("does not answer"), "{lost}");
    // What it takes beyond that is the machine's.
    assert!(Client::PATIENCE < Duration::from_secs(2));
    assert!(began.elapsed() >= Client::PATIENCE);
    drop(done);
    hung.join().unwrap();
}

#[test]
fn whoever_was_busy_for_long_still_finds_what_came_in_the_meantime() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let at = listener.local_addr().unwrap();
    let (there, sent) = mpsc::channel();
    let (done, over) = mpsc::channel::<()>();
    let process = std::thread::spawn(move || {
        let (socket, _) = listener.accept().unwrap();
        let mut socket = tungstenite::accept(socket).unwrap();
        let text = serde_json::to_string(&tick(1)).unwrap();
        socket.send(tungstenite::Message::text(text)).unwrap();
        there.send(()).unwrap();
        let _ = over.recv();
    });
    let address = format!("ws://{at}/live?token=1");
    let mut client = Client::connect_within(&address, SOON).unwrap();
    client.set_patience(Duration::from_millis(4));
    sent.recv().unwrap();
    // Five times as long as a process that is listened to may be silent.
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(next_tick(&mut client).tick, 1);
    drop(done);
    process.join().unwrap();
}
