//! A connection that reconnects.

use std::time::{Duration, Instant};

use tickseed_record::message::{Command, Event, Subscription};
use tickseed_record::serve::{Client, ClientError};

use crate::fail::Fail;

const RETRY: Duration = Duration::from_millis(400);
/// So long for an answer when trying again.
const TRY: Duration = Duration::from_secs(2);

pub(super) struct Link {
    address: String,
    client: Option<Client>,
    /// The agent that is watched; none: the first there is.
    pub(super) agent: Option<u32>,
    /// What was told last: session and tick.
    seen: Option<(String, u64)>,
    pub(super) lost: Option<(Instant, String)>,
    tried: Instant,
    /// The process said that it ends.
    pub(super) ended: bool,
}

impl Link {
    pub(super) fn open(address: &str, agent: Option<u32>) -> Result<Link, Fail> {
        let client = Client::connect(address).map_err(|e| match e {
            ClientError::Address(_) => Fail::Usage(e.to_string()),
            e => Fail::Other(e.to_string()),
        })?;
        Ok(Link {
            address: address.to_owned(),
            client: Some(client),
            agent,
            seen: None,
            lost: None,
            tried: Instant::now(),
            ended: false,
        })
    }

    pub(super) fn send(&mut self, command: Command) {
        if let Some(client) = &mut self.client
            && let Err(e) = client.send(command)
        {
            self.lose(&e);
        }
    }

    fn lose(&mut self, e: &ClientError) {
        self.client = None;
        self.ended = matches!(e, ClientError::Ended(_));
        self.lost.get_or_insert((Instant::now(), e.to_string()));
        self.tried = Instant::now();
    }

    /// The next event, if one comes in time. While the connection is lost, tries anew.
    pub(super) fn next(&mut self, wait: Duration) -> Option<Event> {
        let Some(client) = &mut self.client else {
            std::thread::sleep(wait.min(RETRY));
            if self.tried.elapsed() >= RETRY {
                self.tried = Instant::now();
                // Keys are not heard meanwhile: one that hangs is tried again instead.
                if let Ok(client) = Client::connect_within(&self.address, TRY) {
                    self.client = Some(client);
                    self.lost = None;
                }
            }
            return None;
        };
        match client.next(wait) {
            Ok(Some(event)) => {
                self.heard(&event);
                Some(event)
            }
            Ok(None) => None,
            Err(e) => {
                self.lose(&e);
                None
            }
        }
    }

    fn heard(&mut self, event: &Event) {
        match event {
            Event::Hello(hello) => {
                let there = |id: &u32| hello.agents.iter().any(|a| a.id == *id);
                let first = hello.agents.first().map(|a| a.id);
                self.agent = self.agent.filter(there).or(first);
                let seen = self.seen.take().filter(|(s, _)| *s == hello.session);
                self.subscribe(seen.clone());
                self.seen = seen.or(Some((hello.session.clone(), 0)));
            }
            Event::Tick(tick) => {
                if let Some((_, seen)) = &mut self.seen {
                    *seen = tick.tick;
                }
            }
            _ => {}
        }
    }

    fn subscribe(&mut self, seen: Option<(String, u64)>) {
        let (session, after) = seen.unzip();
        self.send(Command::Subscribe(Subscription {
            agents: self.agent.into_iter().collect(),
            nodes: true,
            session,
            after,
            ..Subscription::default()
        }));
    }

    /// Watches another agent.
    pub(super) fn watch(&mut self, agent: u32) {
        self.agent = Some(agent);
        self.subscribe(None);
    }
}
