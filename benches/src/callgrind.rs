//! Instructions per tick, counted by valgrind's callgrind: the one figure that repeats exactly.
//!
//! The program runs itself under callgrind, once for *n* ticks and once for *2n*; the difference divided
//! by *n* is a tick's share, with start and end of the program gone.

use std::path::Path;
use std::process::Command;

/// The hidden command by which the program asks itself to tick: `tick WORKLOAD TICKS ENGINE`.
pub const CHILD: &str = "tick";

/// Instructions per tick of an engine on a workload, by their names in the report.
///
/// # Errors
///
/// In words, if valgrind cannot be run, fails, or says something unexpected.
pub fn instructions_per_tick(
    program: &Path,
    workload: &str,
    engine: &str,
    ticks: u64,
) -> Result<f64, String> {
    let once = collected(program, workload, engine, ticks)?;
    let twice = collected(program, workload, engine, 2 * ticks)?;
    Ok(twice.saturating_sub(once) as f64 / ticks as f64)
}

fn collected(program: &Path, workload: &str, engine: &str, ticks: u64) -> Result<u64, String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args([CHILD, workload, &ticks.to_string(), engine])
        .output()
        .map_err(|error| format!("cannot run valgrind: {error}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!(
            "valgrind ended with {}: {}",
            output.status,
            said.trim_end()
        ));
    }
    parse(&said).ok_or_else(|| {
        format!(
            "valgrind did not say what it collected; it said: {}",
            said.trim_end()
        )
    })
}

/// The number in callgrind's line `==PID== Collected : NUMBER`.
fn parse(said: &str) -> Option<u64> {
    said.lines()
        .find_map(|line| line.split_once("Collected :"))
        .and_then(|(_, number)| number.trim().parse().ok())
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn reads_what_callgrind_says() {
        let said =
            "==7== Callgrind, a tool\n==7== Events    : Ir\n==7== Collected : 4052137\n==7==\n";
        assert_eq!(parse(said), Some(4_052_137));
        assert_eq!(parse("==7== Collected : many\n"), None);
        assert_eq!(parse(""), None);
    }
}
