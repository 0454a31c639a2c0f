//! A world that others can watch and control: `tickseed run WORLD --serve`, `tickseed studio
//! --process WORLD`.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use tickseed_play::Player;
use tickseed_record::message::{Command, Event, Hello, Level, Request, Subscription};
use tickseed_record::serve::{Options, Page, Server, Wanted};

use crate::fail::Fail;

/// How often the world goes on: more often than any screen shows.
const BEAT: Duration = Duration::from_millis(8);

/// What is served, and where.
pub(crate) struct Served {
    /// Begins the world.
    pub(crate) begin: Command,
    pub(crate) at: SocketAddr,
    /// What watchers must know; drawn anew unless told.
    pub(crate) token: Option<String>,
    /// So many ticks, then it ends.
    pub(crate) ticks: Option<u64>,
    /// No notes on standard error.
    pub(crate) quiet: bool,
}

/// Runs until told to stop; `announce` tells where to watch.
pub(crate) fn run(
    served: Served,
    announce: impl FnOnce(&Server) -> std::io::Result<()>,
) -> Result<(), Fail> {
    let stop = crate::stop::flag()?;
    let mut player = Player::default();
    let mut hello = None;
    for event in player.handle(request(served.begin)) {
        match event {
            Event::Hello(h) => hello = Some(*h),
            Event::Error { text, .. } => return Err(Fail::Usage(text)),
            _ => {}
        }
    }
    let Some(hello) = hello else {
        return Err(Fail::Other("the world could not be begun".to_owned()));
    };
    let at = served.at;
    let options = Options {
        address: at,
        token: served.token,
        pages: Some(Box::new(page)),
        ..Options::default()
    };
    let server = Server::start(options, own(hello)).map_err(|e| {
        let choose = "; port 0 chooses a free one";
        Fail::Other(format!("failed to listen at {at}: {e}{choose}"))
    })?;
    announce(&server)?;
    if !at.ip().is_loopback() && !served.quiet {
        eprintln!("note: whoever on the network knows the token can watch and steer this run");
    }
    let mut host = Host {
        player,
        server,
        wanted: Wanted::default(),
        latest: 0,
    };
    host.carry_out(None, Command::Run);
    let mut last = Instant::now();
    while !stop.load(Ordering::Relaxed) && served.ticks.is_none_or(|most| host.latest < most) {
        let mut wait = BEAT;
        while let Some(asked) = host.server.next_request(wait) {
            host.carry_out(
                Some((asked.watcher, asked.request.id)),
                asked.request.command,
            );
            wait = Duration::ZERO;
        }
        host.attend();
        let passed = last.elapsed();
        last = Instant::now();
        for event in host.player.advance(passed.as_nanos() as f64) {
            host.tell(event);
        }
    }
    Ok(())
}

/// A file of the studio's page.
fn page(path: &str) -> Option<Page> {
    let file = tickseed_studio::file(path)?;
    let policy = tickseed_studio::CONTENT_SECURITY_POLICY;
    Some(Page {
        media_type: file.media_type.into(),
        headers: vec![("Content-Security-Policy".into(), policy.into())],
        body: file.body.into(),
    })
}

fn request(command: Command) -> Request {
    Request { id: None, command }
}

/// A player's hello as that of this process: with its number, and a session of its own.
fn own(mut hello: Hello) -> Hello {
    hello.session.clear();
    hello.process.pid = Some(std::process::id());
    for more in ["subscribe", "pin", "unpin", "ping"] {
        if !hello.can.iter().any(|c| c == more) {
            hello.can.push(more.to_owned());
        }
    }
    hello
}

struct Host {
    player: Player,
    server: Server,
    wanted: Wanted,
    latest: u64,
}

impl Host {
    /// Carries out a command and tells what comes of it: its answer to the one who asked,
    /// all else to all.
    fn carry_out(&mut self, from: Option<(u64, Option<u64>)>, command: Command) {
        let id = from.and_then(|f| f.1);
        for event in self.player.handle(Request { id, command }) {
            match (&event, from) {
                (Event::Done { .. } | Event::Error { .. }, Some((watcher, _))) => {
                    self.server.reply(watcher, &event);
                }
                (Event::Done { .. }, None) => {}
                _ => self.tell(event),
            }
        }
    }

    /// Has the player tell what the watchers want. It traces one agent: the first wanted.
    fn attend(&mut self) {
        let wanted = self.server.wanted();
        if wanted == self.wanted {
            return;
        }
        let subscription = Subscription {
            agents: wanted.agents.first().copied().into_iter().collect(),
            scene: wanted.scene,
            summary: wanted.summary,
            ..Subscription::default()
        };
        if wanted.agents.len() > 1 && wanted.agents != self.wanted.agents {
            let first = wanted.agents.first().copied().unwrap_or(0);
            let text = format!("of the agents asked for, only {first} can be traced here");
            self.tell(Event::Log {
                level: Level::Warning,
                text,
            });
        }
        self.wanted = wanted;
        self.carry_out(None, Command::Subscribe(subscription));
    }

    fn tell(&mut self, event: Event) {
        match event {
            Event::Tick(tick) => {
                self.latest = self.latest.max(tick.tick);
                if self.server.wants(tick.agent) {
                    self.server.publish(&Event::Tick(tick));
                }
            }
            Event::Hello(hello) => {
                self.latest = 0;
                self.server.publish(&Event::Hello(Box::new(own(*hello))));
            }
            event => self.server.publish(&event),
        }
    }
}
