//! Serves the studio's page on a free port and prints its address: what `tickseed studio` does,
//! without the rest of the command. The page's tests use it.

fn main() -> std::io::Result<()> {
    let server = tickseed_studio::Server::bind(0)?;
    println!("{}", server.address());
    server.run()
}
