//! The table, for people and as JSON.

use std::fmt::Write as _;

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
                "  {:<24} {:>8} {:>7} {:>8} {:>7} {:>9} {:>9.0} {:>8.2} {:>8}",
                row.engine,
                nanoseconds(row.hot),
                times(figures.ratio_hot),
                nanoseconds(row.cold),
                times(figures.ratio_cold),
                node,
                row.bytes,
                row.allocations,
                instructions
            );
        }
        for ours in table.rows.iter().filter(|row| row.role == Role::Tickseed) {
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
         B/agent: bytes per agent. allocs: allocations per tick. instr: instructions per tick (--instructions).\n",
    );
    out
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
                    let instructions = row.instructions.map_or("null".into(), |count| format!("{count:.1}"));
                    format!(
                        "{{\"engine\":\"{}\",\"role\":\"{}\",\"hot_ns\":{:.3},\"cold_ns\":{:.3},\"hot_ratio\":{:.3},\
                         \"cold_ratio\":{:.3},\"net_ns_per_node\":{:.3},\"bytes_per_agent\":{:.1},\
                         \"allocations_per_tick\":{:.3},\"instructions_per_tick\":{}}}",
                        row.engine,
                        role(row.role),
                        row.hot,
                        row.cold,
                        figures.ratio_hot,
                        figures.ratio_cold,
                        figures.net_per_node,
                        row.bytes,
                        row.allocations,
                        instructions
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

fn role(role: Role) -> &'static str {
    match role {
        Role::Input => "input",
        Role::Baseline => "baseline",
        Role::Layout => "layout",
        Role::Peer => "peer",
        Role::Tickseed => "tickseed",
    }
}
