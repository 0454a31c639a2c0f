//! Another tree for a running world, and time travel past the change.

use tickseed_play::Player;
use tickseed_record::message::{Break, Command, Event, Moves, Request, Tick, TreeDef};

/// The robot's tree with a branch more, which drives to a corner and back for ever.
const EDITED: &str = r#"
main tree Robot {
  selector reactive {
    sequence reactive {
      check "battery low" battery_low
      recharge
    }
    sequence "alarm" reactive {
      check "near the end" waypoint >= 0
      running "stand still"
    }
    patrol
  }
}
"#;

const BROKEN: &str = "main tree Robot {\n  selector reactive {\n    recharge\n    patrl\n  }\n}\n";

fn play(world: &str, agents: Option<u32>) -> Player {
    let mut player = Player::default();
    let name = world.into();
    let seed = 7;
    player.handle(Request {
        id: None,
        command: Command::World { name, seed, agents },
    });
    player
}

#[track_caller]
fn send(player: &mut Player, command: Command) -> Vec<Event> {
    let events = player.handle(Request { id: None, command });
    if let Some(Event::Error { text, mistakes, .. }) = events.last() {
        panic!("{text}: {mistakes:?}");
    }
    events
}

fn step(player: &mut Player, ticks: u64) -> Vec<Event> {
    send(player, Command::Step { ticks })
}

fn reload(tree: u32, source: &str) -> Command {
    Command::Reload {
        tree,
        source: source.into(),
    }
}

fn reloaded(events: &[Event]) -> Vec<(u32, &TreeDef, &Moves, u64)> {
    let mut told = Vec::new();
    for event in events {
        if let Event::Reloaded {
            old,
            tree,
            moves,
            since,
        } = event
        {
            told.push((*old, &**tree, moves, *since));
        }
    }
    told
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

fn last(events: &[Event]) -> &Tick {
    ticks(events).pop().expect("a tick was told")
}

fn prints(events: &[Event]) -> Vec<(u64, String)> {
    let one = |t: &Tick| (t.tick, t.fingerprint.clone().unwrap());
    ticks(events).into_iter().map(one).collect()
}

#[test]
fn a_text_with_mistakes_changes_nothing_and_says_where_they_are() {
    let mut player = play("robot", None);
    step(&mut player, 20);
    let request = Request {
        id: Some(9),
        command: reload(0, BROKEN),
    };
    let events = player.handle(request);
    let [Event::Error { id, text, mistakes }] = &events[..] else {
        panic!("{events:?}")
    };
    assert_eq!(*id, Some(9));
    assert_eq!(text, "the text has a mistake: the tree runs on as it was");
    assert_eq!(mistakes.len(), 1);
    assert_eq!(mistakes[0]["labels"][0]["line"], 4);
    assert_eq!(mistakes[0]["help"], "did you mean `patrol`?");

    let mut other = play("robot", None);
    step(&mut other, 20);
    assert_eq!(
        prints(&step(&mut player, 30)),
        prints(&step(&mut other, 30))
    );
}

#[test]
fn a_reload_says_what_went_on_and_what_is_gone() {
    let mut player = play("robot", None);
    step(&mut player, 20);
    let events = send(&mut player, reload(0, EDITED));
    let told = reloaded(&events);
    let (old, tree, moves, since) = told[0];
    assert_eq!((old, tree.id, since), (0, 1, 20));
    assert_eq!(tree.source.as_deref(), Some(EDITED));
    assert_eq!(moves.moved, ["reactive selector/patrol"]);
    assert!(moves.restarted.is_empty() && moves.gone.is_empty());
    assert_eq!(moves.agents, 1);
    let alarm = tree.nodes.iter().find(|n| n.label == "alarm").unwrap();
    assert_eq!(alarm.span.as_ref().unwrap().line, 8);

    let tick = step(&mut player, 1);
    let leaf = last(&tick).deciding.unwrap();
    assert_eq!(tree.nodes[leaf as usize].label, "stand still");
    // The leaf that it takes over from runs no more, so this reload finds another one gone.
    let own = tickseed_worlds::WORLDS[0].source;
    let events = send(&mut player, reload(1, own));
    let moves = reloaded(&events)[0].2;
    assert_eq!(moves.gone, ["reactive selector/alarm/stand still"]);
    assert!(moves.moved.is_empty());
}

#[test]
fn a_leaf_that_is_gone_is_halted() {
    let mut player = play("robot", None);
    let drain = serde_json::json!({ "input": "drain", "agent": 0 });
    send(&mut player, Command::Input { input: drain });
    step(&mut player, 1);
    let charging = |player: &mut Player| {
        let events = send(player, Command::StepBack { ticks: 0 });
        let keys = &last(&events).keys;
        keys.iter()
            .any(|k| k.key == 9 && k.value.to_string() == "true")
    };
    for _ in 0..400 {
        if charging(&mut player) {
            break;
        }
        step(&mut player, 1);
    }
    assert!(charging(&mut player));
    send(&mut player, reload(0, "tree Idle { running }"));
    step(&mut player, 1);
    assert!(!charging(&mut player), "its halt took it off the charger");
}

#[test]
fn time_travel_past_a_reload_shows_the_tree_of_each_tick() {
    let mut player = play("robot", None);
    let mut first = prints(&step(&mut player, 40));
    send(&mut player, reload(0, EDITED));
    first.extend(prints(&step(&mut player, 40)));

    // Back before it: the tree as it was.
    let events = send(&mut player, Command::Seek { tick: 30 });
    let told = reloaded(&events);
    assert_eq!((told[0].0, told[0].1.id, told[0].3), (1, 0, 0));
    assert_eq!(prints(&events), [first[29].clone()]);

    // The tick before which it happened belongs to the old tree, too.
    let events = send(&mut player, Command::Seek { tick: 40 });
    assert!(reloaded(&events).is_empty());
    assert_eq!(prints(&events), [first[39].clone()]);

    // On by steps: the new tree comes with its first tick.
    let events = step(&mut player, 1);
    let told = reloaded(&events);
    assert_eq!((told[0].0, told[0].1.id, told[0].3), (0, 1, 40));
    assert_eq!(prints(&events), [first[40].clone()]);

    // Every tick, in both directions.
    for tick in [80, 41, 12, 40, 79, 1, 60] {
        let events = send(&mut player, Command::Seek { tick });
        assert_eq!(prints(&events), [first[tick as usize - 1].clone()]);
    }
    // And playing on from the past repeats it.
    send(&mut player, Command::Seek { tick: 20 });
    assert_eq!(prints(&step(&mut player, 60)), first[20..]);
}

#[test]
fn the_latest_tick_is_shown_as_it_was_and_then_the_tree_that_goes_on() {
    let mut player = play("robot", None);
    let first = prints(&step(&mut player, 40));
    send(&mut player, reload(0, EDITED));
    send(&mut player, Command::Seek { tick: 10 });
    let events = send(&mut player, Command::Live);
    assert_eq!(prints(&events), [first[39].clone()]);
    assert!(!last(&events).nodes.is_empty(), "the tick of the old tree");
    assert_eq!(reloaded(&events)[0].1.id, 1);
}

#[test]
fn a_reload_in_the_past_forgets_what_came_after() {
    let mut player = play("robot", None);
    step(&mut player, 60);
    send(&mut player, reload(0, EDITED));
    step(&mut player, 20);
    send(&mut player, Command::Seek { tick: 30 });
    let events = send(&mut player, reload(0, "tree Idle { running }"));
    let latest = events.iter().find_map(|e| match e {
        Event::Control(c) => Some(c.latest),
        _ => None,
    });
    assert_eq!(latest, Some(30));
    let events = step(&mut player, 40);
    assert_eq!(last(&events).leaves.len(), 1, "the second edit never was");
}

#[test]
fn breakpoints_follow_their_nodes() {
    let mut player = play("robot", None);
    step(&mut player, 5);
    for node in [6, 7] {
        let agent = None;
        send(&mut player, Command::Break(Break::Entered { node, agent }));
    }
    // `approach` is gone with its sequence; `patrol` has another number.
    let events = send(&mut player, reload(0, EDITED));
    let said = events.iter().find_map(|e| match e {
        Event::Log { text, .. } => Some(text.as_str()),
        _ => None,
    });
    let expected = "the breakpoint on `reactive selector/reactive sequence#2/approach` is gone: this tree has no such node";
    assert_eq!(said, Some(expected));
}

#[test]
fn an_error_of_the_text_stops_the_run_and_a_better_text_mends_it() {
    let mut player = play("robot", None);
    step(&mut player, 10);
    let fails = "keys { goal: float }\ntree Robot { check goal > 1 }";
    send(&mut player, reload(0, fails));
    let events = step(&mut player, 5);
    assert_eq!(last(&events).tick, 11, "it stops there");
    assert!(last(&events).failure.is_some());
    send(&mut player, reload(1, EDITED));
    let on = prints(&step(&mut player, 5));
    assert_eq!(on.len(), 5);
    // The failed tick is a part of the past.
    send(&mut player, Command::Seek { tick: 3 });
    let events = send(&mut player, Command::Live);
    assert_eq!(prints(&events), [on[4].clone()]);
}

#[test]
fn keys_of_a_text_keep_their_values_over_a_reload() {
    let counts =
        "keys { n: int = 0 }\ntree Robot { sequence { set n += 1; check n < 5; running } }";
    let more = "keys { n: int = 0; m: int = 3 }\ntree Robot { selector { check n == 1; running } }";
    let mut player = play("robot", None);
    send(&mut player, reload(0, counts));
    step(&mut player, 1);
    send(&mut player, reload(1, more));
    let events = step(&mut player, 1);
    assert_eq!(
        last(&events).status,
        Some(tickseed_record::message::Status::Success)
    );
}

#[test]
fn five_thousand_agents_are_taken_over_at_once() {
    let mut player = play("boss", Some(5000));
    step(&mut player, 40);
    let source = tickseed_worlds::WORLDS[4].source;
    let other = source.replace("500ms", "250ms");
    assert_ne!(other, source);
    let start = std::time::Instant::now();
    let events = send(&mut player, reload(0, &other));
    let took = start.elapsed();
    let moves = reloaded(&events)[0].2;
    assert_eq!(moves.agents, 5000);
    assert!(moves.moved.iter().any(|p| p == "root/idle"), "{moves:?}");
    assert!(moves.gone.is_empty() && moves.restarted.is_empty());
    println!("5,000 agents in {took:?}");
}

#[test]
fn every_world_reloads_its_own_text_and_goes_on_as_if_nothing_had_been() {
    for world in tickseed_worlds::WORLDS {
        let mut player = play(world.name, None);
        let mut other = play(world.name, None);
        step(&mut player, 50);
        step(&mut other, 50);
        let events = send(&mut player, reload(0, world.source));
        let moves = reloaded(&events)[0].2;
        assert!(
            moves.restarted.is_empty() && moves.gone.is_empty(),
            "{}: {moves:?}",
            world.name
        );
        assert!(moves.forgotten.is_empty() && moves.renamed.is_empty());
        assert_eq!(
            prints(&step(&mut player, 50)),
            prints(&step(&mut other, 50)),
            "{}",
            world.name
        );
    }
}

#[test]
fn a_text_can_be_checked_without_running_it() {
    let mut player = play("robot", None);
    let ask = |player: &mut Player, source: &str| {
        let question = serde_json::json!({ "id": 1, "ask": "check", "source": source });
        let answer = player.handle_json(question.to_string().as_bytes());
        let events: serde_json::Value = serde_json::from_str(&answer).unwrap();
        events[0]["answer"]["mistakes"].clone()
    };
    assert_eq!(ask(&mut player, EDITED).as_array().unwrap().len(), 0);
    let mistakes = ask(&mut player, BROKEN);
    assert_eq!(mistakes[0]["code"], "load::unknown-node");
    assert!(ask(&mut player, "tree").as_array().unwrap().len() == 1);
    assert!(
        !ask(&mut player, "import \"x.tick\"\ntree A { patrol }")
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_reload_of_a_tree_that_is_gone_is_refused() {
    let mut player = play("robot", None);
    send(&mut player, reload(0, EDITED));
    let request = Request {
        id: None,
        command: reload(0, EDITED),
    };
    match player.handle(request).pop() {
        Some(Event::Error { text, .. }) => {
            assert_eq!(text, "tree 0 is not the one that runs now: that is 1");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_offered_branch_is_an_edit_that_can_be_taken_back() {
    let mut player = play("robot", None);
    step(&mut player, 5);
    let ask = |player: &mut Player| -> String {
        let answer = player.handle_json(br#"{"id":1,"ask":"offer"}"#);
        let events: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let text = events[0]["answer"].as_str();
        text.unwrap_or_else(|| panic!("{answer}")).to_owned()
    };
    let with = ask(&mut player);
    let events = send(&mut player, reload(0, &with));
    let (_, tree, moves, _) = reloaded(&events)[0];
    assert_eq!(tree.nodes.len(), 11);
    assert_eq!(moves.moved, ["reactive selector/patrol"]);
    let last_but_one = tree.nodes.iter().find(|n| n.label == "dock").unwrap();
    assert!(last_but_one.id < tree.nodes.iter().find(|n| n.label == "patrol").unwrap().id);
    // It waits there once nobody has asked for anything for a while.
    let events = step(&mut player, 300);
    let leaf = last(&events).deciding.unwrap();
    assert_eq!(leaf, last_but_one.id);
    assert_eq!(ask(&mut player), tickseed_worlds::WORLDS[0].source);
    // Where there is no place for it, that is said.
    send(&mut player, reload(1, "tree Idle { running }"));
    let answer = player.handle_json(br#"{"id":1,"ask":"offer"}"#);
    assert!(answer.contains("the tree has no place for it"), "{answer}");
}

#[test]
fn leaves_keys_and_words_of_the_world_are_offered_while_typing() {
    let mut player = play("villager", None);
    let mut ask = |source: &str| -> Vec<String> {
        let offset = source.find('|').unwrap();
        let source = source.replace('|', "");
        let question = serde_json::json!({ "ask": "complete", "source": source, "offset": offset });
        let answer = player.handle_json(question.to_string().as_bytes());
        let events: serde_json::Value = serde_json::from_str(&answer).unwrap();
        let all = events[0]["answer"].as_array().unwrap();
        let label = |c: &serde_json::Value| c["label"].as_str().unwrap().to_owned();
        all.iter().map(label).collect()
    };
    let has = |all: &[String], word: &str| all.iter().any(|l| l == word);
    let nodes = ask("tree A {\n  sequence {\n    |\n  }\n}\n");
    for word in ["walk", "earn", "sequence", "check"] {
        assert!(has(&nodes, word), "{word}: {nodes:?}");
    }
    let keys = ask("tree A {\n  check hun|\n}\n");
    assert!(has(&keys, "hunger"), "{keys:?}");
    let ports = ask("tree A {\n  walk(|)\n}\n");
    assert!(has(&ports, "to"), "{ports:?}");
}
