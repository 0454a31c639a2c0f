//! Where BehaviorTree.CPP's releases differ, or do what helps nobody: what is done here.

use crate::world::{World, xml};

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
