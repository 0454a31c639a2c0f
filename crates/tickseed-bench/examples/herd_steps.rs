//! Steps of a herd and nothing else, for callgrind and perf:
//! `herd_steps all|own|due0.1|due1|due10|reload AGENTS STEPS`. Run it for two numbers of steps; the
//! difference is theirs alone.

use tickseed_bench::herds::{Pack, Shared};

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |i: usize| arguments.get(i).and_then(|a| a.parse::<usize>().ok());
    let (Some(agents), Some(steps)) = (number(2), number(3)) else {
        eprintln!("usage: herd_steps all|own|dueSHARE|reload AGENTS STEPS");
        std::process::exit(2);
    };
    let ticked: usize = match arguments[1].as_str() {
        "all" => {
            let mut herd = Shared::new(agents);
            (0..steps).map(|_| herd.tick()).sum()
        }
        "own" => {
            let mut pack = Pack::new(agents);
            (0..steps).map(|_| pack.tick(false)).sum()
        }
        "reload" => {
            let mut pack = Pack::new(agents);
            for _ in 0..20 {
                pack.events(agents / 100);
                pack.tick(true);
            }
            (0..steps).map(|_| pack.reload()).sum()
        }
        kind => {
            let share = kind.strip_prefix("due").and_then(|s| s.parse::<f64>().ok());
            let count = (agents as f64 * share.unwrap_or(1.0) / 100.0) as usize;
            let mut pack = Pack::new(agents);
            let step = |_| {
                pack.events(count);
                pack.tick(true)
            };
            (0..steps).map(step).sum()
        }
    };
    println!("{ticked} ticks");
}
