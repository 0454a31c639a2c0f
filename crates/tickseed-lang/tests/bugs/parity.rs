//! Where BehaviorTree.CPP's releases differ, or do what helps nobody: what is done here.

use crate::world::{World, name_of, xml};
use tickseed_core::{TickError, Time};
use tickseed_lang::build::from_text;

fn main_of(body: &str) -> String {
    xml(&[("Main", body)])
}

#[test]
fn c01_an_action_that_answers_skipped_has_ended() {
    // It is not halted afterwards (in the reference it goes on running for its parent, which halts it
    // when the sequence ends), and begins anew.
    let world = World::new().plan("work", "RK");
    let mut running = world.build(&main_of(
        "<Sequence><Act name='work'/><AlwaysSuccess/></Sequence>",
    ));
    assert_eq!(running.tick(), 'R');
    assert_eq!(running.tick(), 'S');
    assert_eq!(running.tick(), 'R');
    assert_eq!(world.log(), ["start work", "tick work", "start work"]);
}

#[test]
fn c02_set_blackboard_writes_over_a_scripts_number_with_a_number() {
    // The reference (4.8) loses the value; a text would let the next script fail.
    let body = "<Sequence><Script code=\"n := 7; x := 1.5; b := true\"/>
        <SetBlackboard value='2' output_key='n'/><SetBlackboard value='2.5' output_key='x'/>
        <SetBlackboard value='false' output_key='b'/>
        <Script code=\"n += 1; x += 1\"/><ScriptCondition code=\"n == 3 &amp;&amp; x == 3.5 &amp;&amp; !b\"/></Sequence>";
    assert_eq!(World::new().build(&main_of(body)).tick(), 'S');
    // What is no number stays a text.
    let body = "<Sequence><Script code=\"n := 7\"/><SetBlackboard value='many' output_key='n'/>
        <ScriptCondition code=\"n == 'many'\"/></Sequence>";
    assert_eq!(World::new().build(&main_of(body)).tick(), 'S');
}

#[test]
fn c03_a_case_of_a_switch_is_compared_as_a_whole() {
    // Release 4.8 also took ` 1`, `0x1` and `1abc` for 1; later ones do not.
    for (variable, taken) in [
        ("1", true),
        ("1.0", true),
        ("1abc", false),
        ("0x1", false),
        (" 1", false),
    ] {
        let body = format!(
            "<Switch2 variable='{variable}' case_1='1' case_2='2'><AlwaysSuccess/><AlwaysFailure/><AlwaysFailure/></Switch2>"
        );
        let answer = World::new().build(&main_of(&body)).tick();
        assert_eq!(answer == 'S', taken, "{variable}");
    }
}

#[test]
fn e09_errors_of_ticks_name_nodes_as_the_file_does() {
    for text in [
        "main tree A { keys { n: int }\n sequence { success; success; check true; check n > 1 } }"
            .to_owned(),
        main_of(
            "<Sequence><Inverter _skipIf='false'><AlwaysFailure/></Inverter><ScriptCondition code='a'/><ScriptCondition code='b == 1' _while='true'/></Sequence>",
        ),
        main_of(
            "<Sequence><ScriptCondition code=\"a := 1\"/><ScriptCondition code='b == 1' _while='true'/></Sequence>",
        ),
    ] {
        let world = World::new();
        let loaded = from_text(name_of(&text), &text, &world.registry()).expect("no mistakes");
        let (mut agent, mut board) = (loaded.tree.agent(), loaded.board());
        let error = loaded.tree.tick(&mut agent, &mut board, Time::ZERO);
        let Err(TickError::Leaf { node, path, .. }) = error else {
            panic!("{text}: {error:?}");
        };
        let instance = loaded.instance_of(node).expect("a written node");
        assert_eq!(path, loaded.path(instance));
    }
}
