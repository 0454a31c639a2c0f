//! `tickseed studio`: the page, alone or watching a world that runs in this process.

use std::io::Write;
use std::net::Ipv4Addr;
use std::time::{Duration, Instant};

use tickseed_play::Player;
use tickseed_record::message::{Command, Event, Request, Subscription};
use tickseed_record::serve::{Options, Page, Server};

use crate::fail::Fail;

/// For so long at most a request or the next tick is waited for.
const PULSE: Duration = Duration::from_millis(10);

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Studio {
    /// The port on 127.0.0.1; 0 chooses a free one
    #[arg(long, value_name = "N", default_value_t = 7411)]
    port: u16,
    /// Run this world here, in a process, instead of in the page; `tickseed list` names them
    #[arg(long, value_name = "WORLD")]
    process: Option<String>,
    /// The token that watchers of the process must know, to keep its address over restarts [default: drawn anew]
    #[arg(long, value_name = "TEXT", requires = "process")]
    token: Option<String>,
}

impl Studio {
    /// Serves until the process is ended.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        if !tickseed_studio::is_built() {
            eprintln!("this command was compiled without the page: `cargo xtask studio` builds it");
        }
        match &self.process {
            Some(world) => self.serve(world),
            None => {
                let server =
                    tickseed_studio::Server::bind(self.port).map_err(|e| self.taken(&e))?;
                writeln!(std::io::stdout(), "the studio is at {}", server.address())?;
                server.run()
            }
        }
    }

    fn taken(&self, e: &std::io::Error) -> Fail {
        Fail::Usage(format!(
            "port {} of this machine cannot be used ({e}); `--port 0` chooses a free one",
            self.port
        ))
    }

    /// Runs a world here, as fast as real time, for whoever watches.
    fn serve(&self, world: &str) -> Result<(), Fail> {
        let mut player = Player::default();
        let begin = Command::World {
            name: world.to_owned(),
            seed: 7,
            agents: None,
        };
        let mut hello = None;
        for event in player.handle(request(begin)) {
            match event {
                Event::Hello(h) => hello = Some(*h),
                Event::Error { text, .. } => return Err(Fail::Usage(text)),
                _ => {}
            }
        }
        let mut hello = hello.unwrap_or_default();
        // Every start is a session of its own: the server draws a name for it.
        hello.session.clear();
        hello.process.pid = Some(std::process::id());
        let options = Options {
            address: (Ipv4Addr::LOCALHOST, self.port).into(),
            token: self.token.clone(),
            pages: Some(Box::new(|path| {
                let file = tickseed_studio::file(path)?;
                let policy = tickseed_studio::CONTENT_SECURITY_POLICY;
                Some(Page {
                    media_type: file.media_type.into(),
                    headers: vec![("Content-Security-Policy".into(), policy.into())],
                    body: file.body.into(),
                })
            })),
            ..Options::default()
        };
        let server = Server::start(options, hello).map_err(|e| self.taken(&e))?;
        writeln!(std::io::stdout(), "the studio is at {}", server.page())?;
        for event in player.handle(request(Command::Run)) {
            if matches!(event, Event::Control(_)) {
                server.publish(&event);
            }
        }
        let mut last = Instant::now();
        let mut wanted = server.wanted();
        loop {
            if let Some(asked) = server.next_request(PULSE) {
                for event in player.handle(asked.request) {
                    match event {
                        Event::Done { .. } | Event::Error { .. } => {
                            server.reply(asked.watcher, &event)
                        }
                        event => server.publish(&event),
                    }
                }
            }
            let now = server.wanted();
            if now != wanted {
                wanted = now;
                let subscription = Subscription {
                    agents: wanted.agents.iter().copied().take(1).collect(),
                    nodes: true,
                    scene: wanted.scene,
                    summary: wanted.summary,
                    ..Subscription::default()
                };
                player.handle(request(Command::Subscribe(subscription)));
            }
            let passed = last.elapsed();
            last = Instant::now();
            for event in player.advance(passed.as_nanos() as f64) {
                server.publish(&event);
            }
        }
    }
}

fn request(command: Command) -> Request {
    Request { id: None, command }
}
