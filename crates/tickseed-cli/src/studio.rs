//! `tickseed studio`: the page, alone or watching a world that runs in this process.

use std::io::Write;
use std::net::Ipv4Addr;

use tickseed_record::message::Command;

use crate::fail::Fail;
use crate::serving::{self, Served};

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
                say_how_to_stop();
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
        let served = Served {
            begin: Command::World {
                name: world.to_owned(),
                seed: 7,
                agents: None,
            },
            at: (Ipv4Addr::LOCALHOST, self.port).into(),
            token: self.token.clone(),
            ticks: None,
            quiet: false,
        };
        serving::run(served, |server| {
            writeln!(std::io::stdout(), "the studio is at {}", server.page())?;
            say_how_to_stop();
            Ok(())
        })
    }
}

/// To people only: programs read the address from standard output.
fn say_how_to_stop() {
    eprintln!("Ctrl-C stops it");
}
