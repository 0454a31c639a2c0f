//! The player's commands, as a watcher gives them.

use tickseed_play::Player;
use tickseed_record::message::{Command, Event, Request, Tick, Writer};

fn play(world: &str, seed: u64) -> Player {
    let mut player = Player::default();
    let agents = None;
    let name = world.into();
    let events = send(&mut player, Command::World { name, seed, agents });
    assert!(matches!(&events[0], Event::Hello(h) if h.trees.len() == 1));
    player
}

#[track_caller]
fn send(player: &mut Player, command: Command) -> Vec<Event> {
    let events = player.handle(Request { id: None, command });
    if let Some(Event::Error { text, .. }) = events.last() {
        panic!("{text}");
    }
    events
}

#[track_caller]
fn refused(player: &mut Player, command: Command) -> String {
    match player
        .handle(Request {
            id: Some(4),
            command,
        })
        .pop()
    {
        Some(Event::Error {
            id: Some(4), text, ..
        }) => text,
        other => panic!("not refused: {other:?}"),
    }
}

fn ticks(events: &[Event]) -> Vec<&Tick> {
    let mut found = Vec::new();
    for event in events {
        if let Event::Tick(tick) = event {
            found.push(&**tick);
        }
    }
    found
}

fn print(events: &[Event]) -> Vec<(u64, String)> {
    let one = |t: &&Tick| (t.tick, t.fingerprint.clone().unwrap());
    ticks(events).iter().map(one).collect()
}

fn click() -> Command {
    let input = serde_json::json!({ "input": "click", "x": 20.0, "y": 12.0 });
    Command::Input { input }
}

#[test]
fn going_back_and_playing_again_gives_the_same_ticks_in_every_world() {
    for world in tickseed_worlds::WORLDS {
        let mut p = play(world.name, 3);
        send(&mut p, Command::Step { ticks: 30 });
        send(&mut p, click());
        let first = print(&send(&mut p, Command::Step { ticks: 40 }));
        assert_eq!(first.len(), 40);
        let there = print(&send(&mut p, Command::Seek { tick: 50 }));
        assert_eq!(
            there,
            [first[19].clone()],
            "{}: scrubbed = played",
            world.name
        );
        send(&mut p, Command::Seek { tick: 30 });
        let again = print(&send(&mut p, Command::Step { ticks: 40 }));
        assert_eq!(first, again, "{}", world.name);
        // To the very tick at which the input came, as the latest.
        let mut p = play(world.name, 3);
        send(&mut p, Command::Step { ticks: 30 });
        send(&mut p, click());
        send(&mut p, Command::Seek { tick: 10 });
        send(&mut p, Command::Live);
        let live = print(&send(&mut p, Command::Step { ticks: 40 }));
        assert_eq!(first, live, "{}", world.name);
    }
}

#[test]
fn an_input_in_the_past_forgets_what_came_after() {
    let mut p = play("robot", 1);
    send(&mut p, Command::Step { ticks: 100 });
    send(&mut p, Command::Seek { tick: 40 });
    let events = send(&mut p, click());
    let control = events.iter().find_map(|e| match e {
        Event::Control(c) => Some(*c),
        _ => None,
    });
    assert_eq!(control.map(|c| (c.tick, c.latest)), Some((40, 40)));
    assert!(refused(&mut p, Command::Seek { tick: 41 }).contains("the latest is 40"));
    let events = send(&mut p, Command::Step { ticks: 1 });
    assert_eq!(ticks(&events)[0].inputs.len(), 1, "recorded with its tick");
}

#[test]
fn time_is_played_at_the_speed_that_was_asked_for() {
    let mut p = play("robot", 1);
    assert!(p.advance(1e9).is_empty(), "paused");
    send(&mut p, Command::Run);
    let mut n = 0;
    for _ in 0..60 {
        n += ticks(&p.advance(1e9 / 60.0)).len();
    }
    assert!((19..=20).contains(&n), "{n} ticks of 50 ms in a second");
    send(&mut p, Command::Speed { factor: 4.0 });
    assert_eq!(ticks(&p.advance(0.25e9)).len(), 20);
    assert!(
        ticks(&p.advance(1e18)).len() <= 400,
        "a long sleep is not made up for"
    );
    assert!(refused(&mut p, Command::Speed { factor: 0.0 }).contains("no speed"));
    send(&mut p, Command::Pause);
    assert!(p.advance(1e9).is_empty());
}

#[test]
fn breakpoints_pause_where_they_are_met() {
    let mut p = play("robot", 1);
    let recharge = Command::Break(serde_json::from_str(r#"{"when":"entered","node":3}"#).unwrap());
    send(&mut p, recharge);
    let low = r#"{"when":"key","key":3,"is":"<","value":0.5}"#;
    send(&mut p, Command::Break(serde_json::from_str(low).unwrap()));
    send(&mut p, Command::Step { ticks: 5 });
    let drain = serde_json::json!({ "input": "drain", "agent": 0 });
    send(&mut p, Command::Input { input: drain });
    send(&mut p, Command::Run);
    let events = p.advance(1e9);
    let hits: Vec<_> = events
        .iter()
        .filter_map(|e| match e {
            Event::Hit { tick, text, .. } => Some((*tick, text.as_str())),
            _ => None,
        })
        .collect();
    assert_eq!(ticks(&events).len(), 1, "not a tick further");
    assert_eq!(hits.len(), 2, "{hits:?}");
    assert_eq!(hits[0], (6, "recharge was entered"));
    assert!(hits[1].1.starts_with("battery is 0.1"), "{hits:?}");
    assert!(p.advance(1e9).is_empty());
    send(&mut p, Command::Run);
    assert!(ticks(&p.advance(1e9)).len() > 10, "it does not stop again");
    assert!(refused(&mut p, Command::Unbreak { breakpoint: 9 }).contains("no breakpoint 9"));
}

/// What was so before, whether or not a breakpoint was there to see it, is no news.
#[test]
fn breakpoints_are_not_met_by_what_goes_on() {
    let stop = |text: &str| Command::Break(serde_json::from_str(text).unwrap());
    let hits = |events: &[Event]| {
        let hit = |e: &Event| match e {
            Event::Hit { text, .. } => Some(text.clone()),
            _ => None,
        };
        events.iter().filter_map(hit).collect::<Vec<_>>()
    };
    let mut p = play("robot", 1);
    send(&mut p, Command::Step { ticks: 5 });
    // It patrols already, and its battery is not full.
    send(&mut p, stop(r#"{"when":"entered","node":7}"#));
    let low = r#"{"when":"key","key":3,"is":"<","value":0.99}"#;
    send(&mut p, stop(low));
    let none: Vec<String> = Vec::new();
    assert_eq!(hits(&send(&mut p, Command::Step { ticks: 5 })), none);
    // Nor by going back and on.
    send(&mut p, Command::Seek { tick: 3 });
    assert_eq!(hits(&send(&mut p, Command::Step { ticks: 2 })), none);
    send(&mut p, Command::Live);
    assert_eq!(hits(&send(&mut p, Command::Step { ticks: 1 })), none);
    // Nor by an edit over which it runs on.
    let source = robot_source().replace("reactive {", "reactive { // edited");
    send(&mut p, Command::Reload { tree: 0, source });
    assert_eq!(hits(&send(&mut p, Command::Step { ticks: 1 })), none);
}

fn robot_source() -> String {
    let world = tickseed_worlds::WORLDS.iter().find(|w| w.name == "robot");
    (world.unwrap().make)(1, 1).source().to_owned()
}

#[test]
fn editing_a_key_is_a_recorded_input() {
    let mut p = play("robot", 1);
    send(&mut p, Command::Step { ticks: 2 });
    let set = Command::SetKey {
        agent: 0,
        key: 3,
        value: tickseed_record::message::Value::Float(0.1),
    };
    send(&mut p, set);
    let events = send(&mut p, Command::Step { ticks: 1 });
    let tick = ticks(&events)[0];
    assert_eq!(tick.inputs[0]["input"], "set");
    assert_eq!(tick.deciding, Some(3), "the battery is low at once");
    let wrong = Command::SetKey {
        agent: 0,
        key: 2,
        value: tickseed_record::message::Value::Float(0.1),
    };
    assert!(refused(&mut p, wrong).contains("heading"), "read only");
}

#[test]
fn nonsense_is_answered_with_errors() {
    let mut p = Player::default();
    for bad in [
        "",
        "[]",
        "{}",
        r#"{"do":"fly"}"#,
        r#"{"do":"seek","tick":-1}"#,
        "\u{0}",
    ] {
        let answer = p.handle_json(bad.as_bytes());
        assert!(answer.contains(r#""event":"error""#), "{bad}: {answer}");
    }
    let world = |name: &str| Command::World {
        name: name.into(),
        seed: 0,
        agents: None,
    };
    assert!(refused(&mut p, world("rowboat")).contains("there are robot"));
}

#[test]
fn a_crowd_is_summed_up_agent_by_agent() {
    let mut p = Player::default();
    let world = Command::World {
        name: "boss".into(),
        seed: 2,
        agents: Some(200),
    };
    send(&mut p, world);
    let subscribe = r#"{"do":"subscribe","agents":[17],"summary":true}"#;
    let Request { command, .. } = serde_json::from_str(subscribe).unwrap();
    send(&mut p, command);
    let events = send(&mut p, Command::Step { ticks: 400 });
    let Some(Event::Summary { tick: 400, agents }) =
        events.iter().rfind(|e| matches!(e, Event::Summary { .. }))
    else {
        panic!("no summary");
    };
    assert_eq!(agents.len(), 200);
    assert!(
        ticks(&events).iter().all(|t| t.agent == 17),
        "the pinned one is traced"
    );
    let leaves: std::collections::BTreeSet<_> = agents.iter().filter_map(|a| a.leaf).collect();
    assert!(leaves.len() >= 2, "some idle, some fight: {leaves:?}");
    assert!(agents.iter().any(|a| a.flips > 0.1));
    assert!(
        agents.iter().any(|a| a.age > 20),
        "idlers stay where they are"
    );
}

#[test]
fn pictures_are_laid_out_and_drawn_for_the_page() {
    let mut p = Player::default();
    let tree = r#"{"name":"t","room":[900,600],"nodes":[
        {"parent":null,"kind":"selector","status":"running","now":true},
        {"parent":0,"name":"a","kind":"action"},{"parent":0,"name":"b","kind":"action"}]}"#;
    let laid = p.handle_json(format!(r#"{{"id":1,"ask":"layout","tree":{tree}}}"#).as_bytes());
    let laid: serde_json::Value = serde_json::from_str(&laid).unwrap();
    let laid = &laid[0]["answer"];
    let count = |column: &str| laid[column].as_array().unwrap().len();
    assert_eq!(
        (count("nodes"), count("places"), count("titles")),
        (3, 12, 3)
    );
    assert_eq!((count("pairs"), count("ends"), count("labels")), (4, 8, 2));
    assert_eq!(laid["titles"][2], "b");
    assert_eq!(laid["right"], false);
    let svg = p.handle_json(format!(r#"{{"id":1,"ask":"svg","tree":{tree}}}"#).as_bytes());
    assert!(svg.contains("<svg") && svg.contains("running"), "{svg}");
    // Each kind has its look: the selector is no action, and nobody's icon is missing.
    assert!(svg.contains("k-selector") && svg.contains("k-act"), "{svg}");
    assert!(!svg.contains(r#"<text class=\"g\""#), "{svg}");
    let bad = r#"{"id":2,"ask":"layout","tree":{"name":"t","nodes":[{"parent":null,"kind":"x"},{"parent":5,"kind":"x"}]}}"#;
    assert!(p.handle_json(bad.as_bytes()).contains("before its parent"));
    let bare = r#"{"id":2,"ask":"layout"}"#;
    assert!(p.handle_json(bare.as_bytes()).contains("`tree` is missing"));
}

/// A key of the robot, by name.
fn key(player: &mut Player, name: &str) -> u32 {
    let world = Command::World {
        name: "robot".into(),
        seed: 7,
        agents: None,
    };
    let events = send(player, world);
    let Event::Hello(hello) = &events[0] else {
        panic!("no hello");
    };
    let keys = &hello.trees[0].keys;
    keys.iter().position(|k| k.name == name).unwrap() as u32
}

#[test]
fn keys_tell_who_wrote_them_and_since_when() {
    let mut p = Player::default();
    let visible = key(&mut p, "target_visible");
    let charging = key(&mut p, "charging");
    let battery = key(&mut p, "battery");
    let writer = |events: &[Event], key: u32| {
        let found = ticks(events);
        let changes = found.iter().flat_map(|t| &t.keys);
        changes
            .filter(|c| c.key == key)
            .map(|c| c.writer)
            .collect::<Vec<_>>()
    };
    send(&mut p, Command::Step { ticks: 5 });
    send(&mut p, click());
    let clicked = send(&mut p, Command::Step { ticks: 1 });
    assert_eq!(writer(&clicked, visible), [Some(Writer::INPUT)]);
    assert_eq!(writer(&clicked, battery), [None], "the world drains it");
    let on = send(&mut p, Command::Step { ticks: 400 });
    let approach = Writer::Node(6);
    assert_eq!(writer(&on, visible), [Some(approach)], "it got there");
    let arrived = ticks(&on)
        .iter()
        .find(|t| t.keys.iter().any(|c| c.key == visible))
        .unwrap()
        .tick;
    // A tick that is sought holds all keys, each with its history.
    let sought = send(&mut p, Command::Seek { tick: arrived + 20 });
    let all = &ticks(&sought)[0].keys;
    let change = all.iter().find(|c| c.key == visible).unwrap();
    assert_eq!(
        (change.writer, change.since),
        (Some(approach), Some(arrived))
    );
    // What a node writes while it is halted is its doing.
    send(&mut p, Command::Live);
    let drain = serde_json::json!({ "input": "drain", "agent": 0 });
    send(&mut p, Command::Input { input: drain });
    let charge = send(&mut p, Command::Step { ticks: 700 });
    let recharge = Some(Writer::Node(3));
    assert_eq!(
        writer(&charge, charging),
        [recharge, recharge],
        "on and off again"
    );
}

#[test]
fn a_tick_is_walked_answer_by_answer() {
    let mut p = play("robot", 7);
    send(&mut p, Command::Step { ticks: 3 });
    let answered = |events: &[Event]| {
        let control = events.iter().rev().find_map(|e| match e {
            Event::Control(c) => Some(*c),
            _ => None,
        });
        control.map(|c| (c.tick, c.answered, c.paused))
    };
    let first = send(&mut p, Command::StepNode);
    assert_eq!(ticks(&first).len(), 1, "the next tick is made as a whole");
    assert_eq!(answered(&first), Some((4, Some(1), true)));
    // battery low, sequence, target visible, sequence, patrol, selector.
    for n in 2..=6 {
        let next = send(&mut p, Command::StepNode);
        assert!(ticks(&next).is_empty());
        assert_eq!(answered(&next), Some((4, Some(n), true)));
    }
    let next = send(&mut p, Command::StepNode);
    assert_eq!(answered(&next), Some((5, Some(1), true)));
    // Anything else shows the whole of a tick again.
    let back = send(&mut p, Command::StepBack { ticks: 1 });
    assert_eq!(answered(&back), Some((4, None, true)));
    let again = send(&mut p, Command::StepNode);
    assert_eq!(answered(&again), Some((5, Some(1), true)));
    assert_eq!(
        print(&again),
        print(&send(&mut p, Command::Seek { tick: 5 }))
    );
}

#[test]
fn seeking_far_back_comes_to_the_same_tick() {
    for world in ["robot", "boss"] {
        let mut p = play(world, 3);
        let mut marks = Vec::new();
        for _ in 0..30 {
            let part = send(&mut p, Command::Step { ticks: 250 });
            marks.push(print(&part).pop().unwrap());
        }
        assert_eq!(marks.last().unwrap().0, 7500);
        let began = std::time::Instant::now();
        for mark in marks.iter().rev() {
            let there = print(&send(&mut p, Command::Seek { tick: mark.0 }));
            assert_eq!(there.first(), Some(mark), "{world}");
        }
        // That no more than 500 ticks are played again is tested where copies are made.
        println!("{world}: {:?} a seek", began.elapsed() / marks.len() as u32);
    }
}

#[test]
fn an_input_in_the_past_leaves_no_copies_of_the_future() {
    let mut p = play("robot", 3);
    send(&mut p, Command::Step { ticks: 2000 });
    send(&mut p, Command::Seek { tick: 700 });
    send(&mut p, click());
    let forked = print(&send(&mut p, Command::Step { ticks: 1300 }));
    send(&mut p, Command::Seek { tick: 100 });
    let again = print(&send(&mut p, Command::Seek { tick: 1600 }));
    assert_eq!(again, [forked[899].clone()]);
}

#[test]
fn an_agent_that_is_pinned_while_paused_shows_its_tick_at_once() {
    let mut p = play("villager", 3);
    let there = print(&send(&mut p, Command::Step { ticks: 600 }))
        .pop()
        .unwrap();
    let pinned = send(&mut p, Command::Pin { agent: 5 });
    assert_eq!(ticks(&pinned)[0].agent, 5);
    assert_eq!(print(&pinned), [there]);
    assert!(!ticks(&pinned)[0].leaves.is_empty());
}

#[test]
fn the_process_says_why() {
    let mut p = play("robot", 7);
    send(&mut p, Command::Step { ticks: 9 });
    let ask = |node, tick| Command::Why {
        agent: 0,
        tick,
        node,
    };
    let events = send(&mut p, ask(3, None));
    let Event::Done {
        answer: Some(answer),
        ..
    } = &events[0]
    else {
        panic!("no answer");
    };
    assert_eq!(answer["ticked"], false);
    let text = answer["reasons"][1]["text"].as_str().unwrap();
    assert_eq!(
        text,
        "`battery low` answered failure: battery_low is false (since tick 1)"
    );
    let wrong = refused(&mut p, ask(3, Some(4)));
    assert_eq!(wrong, "tick 9 is shown: `seek` the one to ask about first");
    let wrong = refused(&mut p, ask(99, None));
    assert_eq!(wrong, "no node 99: the tree has 8, counted from 0");
}

#[test]
fn crowds_beyond_all_memory_and_agents_that_are_not_there_are_refused() {
    let mut player = play("robot", 1);
    let boss = Command::World {
        name: "boss".into(),
        seed: 1,
        agents: Some(4_000_000_000),
    };
    let text = refused(&mut player, boss);
    assert_eq!(text, "4000000000 agents: expected at most 100000");
    let mut set = |agent| {
        let value = serde_json::from_str("1").unwrap();
        let key = 0;
        refused(&mut player, Command::SetKey { agent, key, value })
    };
    assert_eq!(set(7), "no agent 7: there is 1");
    let mut player = play("boss", 1);
    let value = serde_json::from_str("1").unwrap();
    let (agent, key) = (1000, 0);
    let text = refused(&mut player, Command::SetKey { agent, key, value });
    assert_eq!(text, "no agent 1000: there are 1000");
}
