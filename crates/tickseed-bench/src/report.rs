//! The table, for people and as JSON.

use std::fmt::Write as _;

use crate::herds;
use crate::measure::{Figures, Role, Table};

struct Derived {
    ratio_hot: f64,
    ratio_cold: f64,
    net_per_node: f64,
}

/// Ratios to the hand-written code, and what a visited node costs beyond the input.
fn derived(table: &Table, row: &Figures) -> Derived {
    let of = |role| {
        table
            .rows
            .iter()
            .find(|row| row.role == role)
            .expect("input and baseline are always measured")
    };
    let (input, baseline) = (of(Role::Input), of(Role::Baseline));
    Derived {
        ratio_hot: row.hot / baseline.hot,
        ratio_cold: row.cold / baseline.cold,
        net_per_node: (row.hot - input.hot) / table.visits,
    }
}

fn nanoseconds(value: f64) -> String {
    if value < 100.0 {
        format!("{value:.1}")
    } else {
        format!("{value:.0}")
    }
}

/// The table as text: a block per workload, a line per engine.
pub fn text(tables: &[Table]) -> String {
    let mut out = String::new();
    for table in tables {
        let _ = writeln!(
            out,
            "{}: {} nodes, {:.1} visited per tick; checksums {:016x} hot, {:016x} cold: all agree",
            table.title, table.nodes, table.visits, table.checksums.0, table.checksums.1
        );
        let _ = writeln!(
            out,
            "  {:<24} {:>8} {:>7} {:>8} {:>7} {:>9} {:>9} {:>8} {:>8}",
            "engine",
            "hot ns",
            "x hand",
            "cold ns",
            "x hand",
            "net/node",
            "B/agent",
            "allocs",
            "instr"
        );
        for row in &table.rows {
            let figures = derived(table, row);
            let instructions = row
                .instructions
                .map_or("-".into(), |count| format!("{count:.0}"));
            let times = |ratio: f64| {
                if row.role == Role::Input {
                    String::new()
                } else {
                    format!("{ratio:.1}x")
                }
            };
            let node = if row.role == Role::Input {
                String::new()
            } else {
                format!("{:.2}", figures.net_per_node)
            };
            let _ = writeln!(
                out,
                "  {:<24} {:>8} {:>7} {:>8} {:>7} {:>9} {:>9} {:>8} {:>8}",
                row.engine,
                nanoseconds(row.hot),
                times(figures.ratio_hot),
                nanoseconds(row.cold),
                times(figures.ratio_cold),
                node,
                row.bytes.map_or("-".into(), |n| format!("{n:.0}")),
                row.allocations.map_or("-".into(), |n| format!("{n:.2}")),
                instructions
            );
        }
        for ours in table.rows.iter().filter(|row| row.role == Role::Tickseed) {
            if let Some(objects) = table.rows.iter().find(|row| row.role == Role::Layout) {
                let _ = writeln!(
                    out,
                    "  {}: {:.1}x as fast as {}, hot; {:.1}x cold",
                    ours.engine,
                    objects.hot / ours.hot,
                    objects.engine,
                    objects.cold / ours.cold
                );
            }
            if let Some(peer) = fastest_peer(table) {
                let _ = writeln!(
                    out,
                    "  {}: {:.1}x as fast as {}, the fastest peer measured, hot; {:.1}x cold",
                    ours.engine,
                    peer.hot / ours.hot,
                    peer.engine,
                    peer.cold / ours.cold
                );
            }
        }
        out.push('\n');
    }
    out.push_str(
        "hot: one agent; cold: many, round robin; ns per agent and tick, input included, medians.\n\
         x hand: ratio to hand-written. net/node: hot ns less input, per node the tree definition visits.\n\
         B/agent: bytes per agent. allocs: allocations per tick. instr: instructions per tick, if counted.\n",
    );
    out
}

/// Herds as text.
pub fn herds(figures: &herds::Figures) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "Herds: {} agents of W1 monster, a step is {} ms of simulated time",
        figures.agents, figures.step_ms
    );
    let _ = writeln!(
        out,
        "  {:<22} {:>9} {:>8} {:>8} {:>9} {:>9} {:>8} {:>8} {:>7}",
        "", "ms/step", "x hand", "x object", "M/s", "ticked", "asleep", "B/agent", "allocs"
    );
    let of = |role| figures.rows.iter().find(|row| row.role == role);
    let times = |ms: f64, than: Option<&herds::Row>| {
        than.map_or("-".into(), |than| {
            let ratio = ms / than.ms;
            if ratio < 0.095 {
                format!("{ratio:.3}x")
            } else {
                format!("{ratio:.2}x")
            }
        })
    };
    for row in &figures.rows {
        let _ = writeln!(
            out,
            "  {:<22} {:>9.3} {:>8} {:>8} {:>9.1} {:>9} {:>8} {:>8} {:>7}",
            row.name,
            row.ms,
            times(row.ms, of(Role::Baseline)),
            times(row.ms, of(Role::Layout)),
            figures.agents as f64 / row.ms / 1e3,
            row.ticked,
            row.asleep
                .map_or("-".into(), |share| format!("{:.1} %", share * 100.0)),
            row.bytes.map_or("-".into(), |(state, scheduling)| {
                if scheduling > 0.0 {
                    format!("{state:.1}+{scheduling:.1}")
                } else {
                    format!("{state:.1}")
                }
            }),
            row.allocations.map_or("-".into(), |n| format!("{n:.2}")),
        );
    }
    let (save, load, bytes) = figures.snapshot;
    let _ = writeln!(
        out,
        "  snapshot of the herd with 1 % events: {save:.1} ms to save, {load:.1} ms to load, {bytes:.1} bytes an agent"
    );
    let _ = writeln!(
        out,
        "M/s: million agents that a step takes care of, a second. B/agent: of state + of scheduling.\n\
         all cores: {} threads. allocs: allocations a step. own inputs: each agent has its own, guards are data.",
        figures.threads
    );
    out
}

/// Herds as JSON.
pub fn herds_json(figures: &herds::Figures) -> String {
    let rows: Vec<String> = figures
        .rows
        .iter()
        .map(|row| {
            format!(
                "{{\"name\":\"{}\",\"role\":\"{}\",\"ms_per_step\":{:.4},\"ticked\":{},\"asleep\":{},\
                 \"state_bytes\":{},\"scheduling_bytes\":{},\"allocations_per_step\":{}}}",
                row.name,
                role(row.role),
                row.ms,
                row.ticked,
                number(row.asleep, 4),
                number(row.bytes.map(|b| b.0), 3),
                number(row.bytes.map(|b| b.1), 3),
                number(row.allocations, 3),
            )
        })
        .collect();
    let (save, load, bytes) = figures.snapshot;
    format!(
        "{{\"agents\":{},\"threads\":{},\"step_ms\":{},\"rows\":[{}],\
         \"snapshot\":{{\"save_ms\":{save:.3},\"load_ms\":{load:.3},\"bytes_per_agent\":{bytes:.3}}}}}",
        figures.agents,
        figures.threads,
        figures.step_ms,
        rows.join(",")
    )
}

fn fastest_peer(table: &Table) -> Option<&Figures> {
    table
        .rows
        .iter()
        .filter(|row| row.role == Role::Peer)
        .min_by(|a, b| a.hot.total_cmp(&b.hot))
}

/// The same as JSON: an array of workloads with an array of engines each.
pub fn json(tables: &[Table]) -> String {
    // Names are ours and hold nothing that JSON would have escaped.
    let workloads: Vec<String> = tables
        .iter()
        .map(|table| {
            let engines: Vec<String> = table
                .rows
                .iter()
                .map(|row| {
                    let figures = derived(table, row);
                    format!(
                        "{{\"engine\":\"{}\",\"role\":\"{}\",\"hot_ns\":{:.3},\"cold_ns\":{:.3},\"hot_ratio\":{:.3},\
                         \"cold_ratio\":{:.3},\"net_ns_per_node\":{:.3},\"bytes_per_agent\":{},\
                         \"allocations_per_tick\":{},\"instructions_per_tick\":{}}}",
                        row.engine,
                        role(row.role),
                        row.hot,
                        row.cold,
                        figures.ratio_hot,
                        figures.ratio_cold,
                        figures.net_per_node,
                        number(row.bytes, 1),
                        number(row.allocations, 3),
                        number(row.instructions, 1)
                    )
                })
                .collect();
            format!(
                "{{\"workload\":\"{}\",\"title\":\"{}\",\"nodes\":{},\"visits_per_tick\":{:.3},\
                 \"checksum_hot\":\"{:016x}\",\"checksum_cold\":\"{:016x}\",\"engines\":[{}]}}",
                table.name,
                table.title,
                table.nodes,
                table.visits,
                table.checksums.0,
                table.checksums.1,
                engines.join(",")
            )
        })
        .collect();
    format!("[{}]\n", workloads.join(","))
}

/// A number in JSON, or null.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or("null".into(), |n| format!("{n:.digits$}"))
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Baseline => "baseline",
        Role::Layout => "layout",
        Role::Peer => "peer",
        Role::Tickseed => "tickseed",
    }
}
