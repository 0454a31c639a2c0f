//! `tickseed lsp`: the language server, over standard input and output.
//!
//! What is known about files comes from [`tickseed_lang::ide`]; this module has the protocol, its
//! positions, and the open files.

mod files;
mod rpc;
mod server;
mod text;
mod view;

use std::io::{BufReader, Write};

use crate::fail::Fail;

#[derive(clap::Args, Clone, Debug)]
pub(crate) struct Lsp {
    /// Editors pass this; standard input and output are used in any case
    #[arg(long, hide = true)]
    stdio: bool,
}

impl Lsp {
    /// Serves until the client says `exit` or goes away.
    pub(crate) fn run(&self) -> Result<(), Fail> {
        let mut input = BufReader::new(std::io::stdin().lock());
        let mut output = std::io::stdout().lock();
        let mut server = server::Server::default();
        loop {
            let message = match rpc::read(&mut input) {
                Ok(Some(message)) => message,
                // A client that is gone needs no answer.
                Ok(None) => return Ok(()),
                Err(rpc::Bad::Message(error)) => {
                    let answer = rpc::error(&serde_json::Value::Null, -32700, &error);
                    rpc::write(&mut output, &answer)?;
                    continue;
                }
                Err(rpc::Bad::Stream(error)) => return Err(Fail::File("<stdin>".into(), error)),
            };
            for answer in server.handle(&message) {
                rpc::write(&mut output, &answer)?;
            }
            output.flush()?;
            if server.exited() {
                return if server.shut_down() {
                    Ok(())
                } else {
                    // As the protocol wants it.
                    Err(Fail::Findings)
                };
            }
        }
    }
}
