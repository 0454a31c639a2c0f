//! Each shape that the derives take, beside a twin written by hand: both must agree on the
//! schema, on every read and write, and in the ticks of a tree.
#![cfg(feature = "derive")]
#![forbid(unsafe_code)]

use tickseed::bytemuck::{self, NoUninit};
use tickseed::{
    Context, Guard, HasKeys, Key, KeyId, KeyInfo, KeyType, Keys, Place, Scalar, ScalarType, Schema,
    Status, Time, nodes,
};

const VALUES: [Scalar; 6] = [
    Scalar::Bool(true),
    Scalar::Int(7),
    Scalar::Int(-1),
    Scalar::Int(70_000),
    Scalar::Float(0.5),
    Scalar::Float(f64::NAN),
];

/// Writes every value to every key of both and compares what can be read afterwards.
fn same<A: Context, B: Context>(a: &mut A::At<'_>, b: &mut B::At<'_>) {
    assert_eq!(A::schema(), B::schema());
    let keys = A::schema().keys.len() as u16;
    let state = |a: &A::At<'_>, b: &B::At<'_>| {
        for k in (0..keys + 2).map(KeyId) {
            // Debug text, since NaN differs from itself.
            let (x, y) = (A::read(a, k), B::read(b, k));
            assert_eq!(format!("{x:?}"), format!("{y:?}"), "{k:?}");
        }
        assert_eq!(A::block(a), B::block(b));
    };
    state(a, b);
    for value in VALUES {
        for k in (0..keys + 2).map(KeyId) {
            let (x, y) = (A::write(a, k, value), B::write(b, k, value));
            assert_eq!(x, y, "{k:?} {value:?}");
            state(a, b);
        }
    }
}

fn call(name: &'static str, ty: ScalarType) -> KeyInfo {
    let place = Place::Call;
    KeyInfo { name, ty, place }
}

fn write<T: KeyType>(to: &mut T, value: Scalar) -> bool {
    T::from_scalar(value).map(|v| *to = v).is_some()
}

mod owned {
    use super::*;

    #[derive(Context)]
    #[context(log = Derived::log_line)]
    pub(crate) struct Derived {
        pub battery: f32,
        #[key(name = "hit points")]
        pub hp: i32,
        pub seen: bool,
        #[key(read_only)]
        pub clock: u64,
        #[key(skip)]
        pub secret: u8,
        pub target: Option<(f32, f32)>,
        pub lines: Vec<String>,
        pub r#type: u8,
    }

    impl Derived {
        fn log_line(at: &mut Derived, line: &str) {
            at.lines.push(line.into());
        }
    }

    pub(crate) struct Twin {
        pub battery: f32,
        pub hp: i32,
        pub seen: bool,
        pub clock: u64,
        pub kind: u8,
    }

    impl Context for Twin {
        type At<'a> = Twin;
        fn schema() -> &'static Schema {
            const KEYS: &[KeyInfo] = &[
                KeyInfo {
                    name: "battery",
                    ty: ScalarType::F32,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "hit points",
                    ty: ScalarType::I32,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "seen",
                    ty: ScalarType::Bool,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "clock",
                    ty: ScalarType::U64,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "type",
                    ty: ScalarType::U8,
                    place: Place::Call,
                },
            ];
            &Schema { keys: KEYS }
        }
        fn read(at: &Twin, key: KeyId) -> Option<Scalar> {
            Some(match key.0 {
                0 => at.battery.to_scalar(),
                1 => at.hp.to_scalar(),
                2 => at.seen.to_scalar(),
                3 => at.clock.to_scalar(),
                4 => at.kind.to_scalar(),
                _ => return None,
            })
        }
        fn write(at: &mut Twin, key: KeyId, value: Scalar) -> bool {
            match key.0 {
                0 => write(&mut at.battery, value),
                1 => write(&mut at.hp, value),
                2 => write(&mut at.seen, value),
                4 => write(&mut at.kind, value),
                _ => false,
            }
        }
    }

    pub(crate) fn derived() -> Derived {
        Derived {
            battery: 0.1,
            hp: 3,
            seen: false,
            clock: 9,
            secret: 1,
            target: None,
            lines: Vec::new(),
            r#type: 2,
        }
    }
}

#[test]
fn an_owned_struct() {
    use owned::*;
    let mut twin = Twin {
        battery: 0.1,
        hp: 3,
        seen: false,
        clock: 9,
        kind: 2,
    };
    let mut derived = derived();
    same::<Derived, Twin>(&mut derived, &mut twin);
    assert_eq!((derived.secret, derived.target), (1, None));
    assert_eq!(Derived::CLOCK.id(), KeyId(3));
    assert_eq!(Derived::TYPE.id(), KeyId(4));
}

#[test]
fn keys_and_log_work_in_trees() {
    use owned::*;
    let n = nodes::<Derived>();
    let tree = n
        .sequence([
            n.check(
                Derived::BATTERY
                    .lt(0.2)
                    .and(Derived::HP.ge(3))
                    .and(!Derived::SEEN.is_true()),
            ),
            n.log("low"),
        ])
        .build()
        .unwrap();
    let mut robot = derived();
    let mut agent = tree.agent();
    assert_eq!(
        tree.tick(&mut agent, &mut robot, Time::ZERO).unwrap(),
        Status::Success
    );
    robot.seen = true;
    assert_eq!(
        tree.tick(&mut agent, &mut robot, Time::ZERO).unwrap(),
        Status::Failure
    );
    assert_eq!(robot.lines, ["low"]);
}

mod view {
    use super::*;

    #[derive(Context)]
    pub(crate) struct Derived<'w> {
        pub hp: &'w mut i32,
        pub light: &'w f32,
        pub seen: bool,
        #[allow(dead_code, reason = "stands for what a view usually borrows")]
        pub names: &'w [String],
    }

    pub(crate) struct Twin<'w> {
        pub hp: &'w mut i32,
        pub light: &'w f32,
        pub seen: bool,
    }

    impl Context for Twin<'static> {
        type At<'a> = Twin<'a>;
        fn schema() -> &'static Schema {
            const KEYS: &[KeyInfo] = &[
                KeyInfo {
                    name: "hp",
                    ty: ScalarType::I32,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "light",
                    ty: ScalarType::F32,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "seen",
                    ty: ScalarType::Bool,
                    place: Place::Call,
                },
            ];
            &Schema { keys: KEYS }
        }
        fn read(at: &Twin<'_>, key: KeyId) -> Option<Scalar> {
            Some(match key.0 {
                0 => at.hp.to_scalar(),
                1 => at.light.to_scalar(),
                2 => at.seen.to_scalar(),
                _ => return None,
            })
        }
        fn write(at: &mut Twin<'_>, key: KeyId, value: Scalar) -> bool {
            match key.0 {
                0 => write(at.hp, value),
                2 => write(&mut at.seen, value),
                _ => false,
            }
        }
    }
}

#[test]
fn a_view_that_borrows() {
    let (mut a, mut b, light) = (5, 5, 0.25);
    let names = vec![String::from("x")];
    let mut derived = view::Derived {
        hp: &mut a,
        light: &light,
        seen: true,
        names: &names,
    };
    let mut twin = view::Twin {
        hp: &mut b,
        light: &light,
        seen: true,
    };
    same::<view::Derived<'static>, view::Twin<'static>>(&mut derived, &mut twin);
    let guard: Guard<view::Derived<'static>> = view::Derived::LIGHT.lt(0.3);
    assert!(guard.holds(&derived));
    assert_eq!((a, b), (70_000, 70_000));
}

mod block {
    use super::*;

    #[derive(Clone, Copy, Keys, NoUninit)]
    #[bytemuck(crate = "tickseed::bytemuck")]
    #[keys(context = Derived<'static>)]
    #[repr(C)]
    pub(crate) struct Vitals {
        pub health: f64,
        #[key(name = "the mana")]
        pub mana: f32,
        #[key(read_only)]
        pub level: u16,
        pub seen: bool,
        pub _pad: u8,
    }

    #[derive(Context)]
    pub(crate) struct Derived<'w> {
        pub alarm: bool,
        #[context(keys)]
        pub vitals: &'w mut Vitals,
        pub doors: i16,
    }

    pub(crate) struct Twin<'w> {
        pub alarm: bool,
        pub vitals: &'w mut Vitals,
        pub doors: i16,
    }

    impl HasKeys for Twin<'static> {
        type Keys = Vitals;
    }

    impl Context for Twin<'static> {
        type At<'a> = Twin<'a>;
        fn schema() -> &'static Schema {
            const KEYS: &[KeyInfo] = &[
                KeyInfo {
                    name: "health",
                    ty: ScalarType::F64,
                    place: Place::Block(0),
                },
                KeyInfo {
                    name: "the mana",
                    ty: ScalarType::F32,
                    place: Place::Block(8),
                },
                KeyInfo {
                    name: "level",
                    ty: ScalarType::U16,
                    place: Place::Block(12),
                },
                KeyInfo {
                    name: "seen",
                    ty: ScalarType::Bool,
                    place: Place::Block(14),
                },
                KeyInfo {
                    name: "alarm",
                    ty: ScalarType::Bool,
                    place: Place::Call,
                },
                KeyInfo {
                    name: "doors",
                    ty: ScalarType::I16,
                    place: Place::Call,
                },
            ];
            &Schema { keys: KEYS }
        }
        fn block<'x>(at: &'x Twin<'_>) -> &'x [u8] {
            bytemuck::bytes_of(&*at.vitals)
        }
        fn read(at: &Twin<'_>, key: KeyId) -> Option<Scalar> {
            Some(match key.0 {
                0 => at.vitals.health.to_scalar(),
                1 => at.vitals.mana.to_scalar(),
                2 => at.vitals.level.to_scalar(),
                3 => at.vitals.seen.to_scalar(),
                4 => at.alarm.to_scalar(),
                5 => at.doors.to_scalar(),
                _ => return None,
            })
        }
        fn write(at: &mut Twin<'_>, key: KeyId, value: Scalar) -> bool {
            match key.0 {
                0 => write(&mut at.vitals.health, value),
                1 => write(&mut at.vitals.mana, value),
                3 => write(&mut at.vitals.seen, value),
                4 => write(&mut at.alarm, value),
                5 => write(&mut at.doors, value),
                _ => false,
            }
        }
    }
}

#[test]
fn a_view_with_a_key_block() {
    use block::*;
    let vitals = Vitals {
        health: 2.0,
        mana: 1.0,
        level: 4,
        seen: false,
        _pad: 0,
    };
    let (mut a, mut b) = (vitals, vitals);
    let mut derived = Derived {
        alarm: false,
        vitals: &mut a,
        doors: 1,
    };
    let mut twin = Twin {
        alarm: false,
        vitals: &mut b,
        doors: 1,
    };
    same::<Derived<'static>, Twin<'static>>(&mut derived, &mut twin);
}

#[test]
fn guards_on_a_block_and_on_fields_mix() {
    use block::*;
    let mut vitals = Vitals {
        health: 2.0,
        mana: 1.0,
        level: 4,
        seen: false,
        _pad: 0,
    };
    let at = Derived {
        alarm: true,
        vitals: &mut vitals,
        doors: 3,
    };
    let guard = Vitals::HEALTH
        .gt(1.5)
        .and(Vitals::LEVEL.eq(4))
        .and(Derived::DOORS.eq(3));
    assert!(guard.holds(&at));
    at.vitals.level = 5;
    assert!(!guard.holds(&at));
    assert_eq!(Derived::ALARM.id(), KeyId(4));
    assert_eq!(Vitals::MANA.place(), Place::Block(8));
}

mod empty {
    use super::*;
    #[derive(Context)]
    pub(crate) struct Derived;
    pub(crate) struct Twin;
    impl Context for Twin {
        type At<'a> = Twin;
    }
}

#[test]
fn a_struct_without_keys() {
    same::<empty::Derived, empty::Twin>(&mut empty::Derived, &mut empty::Twin);
}

#[test]
fn a_name_that_two_parts_share_is_found_when_compiling() {
    // What the generated code calls in a constant.
    let clash = std::panic::catch_unwind(|| {
        let one = [call("hp", ScalarType::I32)];
        tickseed::join_keys::<2>(&one, &one)
    });
    assert!(clash.is_err());
}

#[test]
fn constants_carry_their_types() {
    let _: Key<owned::Derived, f32> = owned::Derived::BATTERY;
    let _: Key<block::Derived<'static>, f64> = block::Vitals::HEALTH;
}

#[test]
fn a_blackboard_beside_fields() {
    use tickseed::{Blackboard, Layout};

    #[derive(Context)]
    struct Agent<'w> {
        tired: bool,
        #[context(blackboard)]
        memory: &'w mut Blackboard,
    }

    let mut keys = Layout::builder();
    keys.scalar("hunger", 0.0_f32).unwrap();
    let goal = keys.declare::<i32>("goal").unwrap();
    let layout = keys.finish();
    let hunger = layout.key::<Agent<'static>, f32>("hunger").unwrap();
    let guard = hunger.gt(0.5).and(Agent::TIRED.eq(false));

    let mut board = Blackboard::new(layout);
    let mut at = Agent {
        tired: false,
        memory: &mut board,
    };
    assert!(!guard.holds(&at));
    at.memory.set("hunger", 0.75_f32).unwrap();
    assert!(guard.holds(&at));
    assert_eq!(<Agent<'static> as Context>::read(&at, goal), None);
    assert!(<Agent<'static> as Context>::write(
        &mut at,
        goal,
        Scalar::Int(4)
    ));
    assert!(<Agent<'static> as Context>::write(
        &mut at,
        KeyId(0),
        Scalar::Bool(true)
    ));
    assert!(!<Agent<'static> as Context>::write(
        &mut at,
        KeyId(1),
        Scalar::Bool(true)
    ));
    assert!(!guard.holds(&at));
    let seen = <Agent<'static> as Context>::blackboard(&at).unwrap();
    assert_eq!(seen.get::<i32>(goal).unwrap(), 4);
}

#[cfg(feature = "lang")]
#[test]
fn a_board_of_a_tree_file_beside_fields() {
    use tickseed::lang::board::{Board, HasBoard, key_of};
    use tickseed::lang::expr::Datum;
    use tickseed::lang::{build, registry::Registry};
    use tickseed::{Kind, NodeId};

    #[derive(Context)]
    struct Robot<'w> {
        battery: &'w mut f64,
        #[context(board)]
        board: &'w mut Board,
    }

    let file = "keys { text = \"\"; n = 3 } tree T { check n < 4 && battery > 0.5 }";
    let registry = Registry::<Robot<'static>>::new();
    let loaded = build::from_text("t.tick", file, &registry).unwrap();
    let Kind::Condition(guard) = &loaded.tree.node(NodeId::ROOT).kind else {
        panic!("{:?}", loaded.tree.node(NodeId::ROOT).kind)
    };
    // The board's key is no call, and its number is not that of the field `battery`.
    let n = loaded.layout.find("", "n").and_then(key_of).unwrap();
    let mut keys = Vec::new();
    assert!(!guard.reads(&mut |key| keys.push(key)));
    assert_eq!(keys, [n, KeyId(0)]);
    assert!(Board::owns(n) && !Board::owns(KeyId(0)));

    let (mut battery, mut board) = (1.0, loaded.board());
    let mut robot = Robot {
        battery: &mut battery,
        board: &mut board,
    };
    type At = Robot<'static>;
    let mut agent = loaded.tree.agent();
    let mut tick = |robot: &mut Robot<'_>| loaded.tree.tick(&mut agent, robot, Time::ZERO);
    assert_eq!(tick(&mut robot).unwrap(), Status::Success);
    assert_eq!(At::read(&robot, n), Some(Scalar::Int(3)));
    assert!(At::write(&mut robot, n, Scalar::Int(4)));
    assert!(!At::write(&mut robot, n, Scalar::Bool(true)));
    assert_eq!(tick(&mut robot).unwrap(), Status::Failure);
    assert_eq!(At::board(&robot).by_name("", "n"), Some(Datum::Int(4)));
    assert!(At::write(&mut robot, n, Scalar::Int(0)));
    assert!(At::write(&mut robot, KeyId(0), Scalar::Float(0.25)));
    assert_eq!(tick(&mut robot).unwrap(), Status::Failure);
}

#[cfg(feature = "lang")]
#[test]
fn a_file_may_declare_the_contexts_fields() {
    use tickseed::lang::board::Board;
    use tickseed::lang::{build, registry::Registry};

    #[derive(Context)]
    struct Robot {
        hp: i32,
        alarm: bool,
        #[context(board)]
        board: Board,
    }
    let registry = Registry::<Robot>::new();
    let load = |file: &str| build::from_text("t.tick", file, &registry);

    // Declared, the file can be checked without the program; in it the key is the field.
    let file = "keys { hp: int; alarm = true; n = 0 }
        tree T { sequence { check hp < 30 && !alarm; set { hp += 5; n += 1 } } }";
    let loaded = load(file).unwrap();
    assert!(loaded.layout.find("", "hp").is_none());
    let mut robot = Robot {
        hp: 20,
        alarm: false,
        board: loaded.board(),
    };
    let mut agent = loaded.tree.agent();
    for expected in [Status::Success, Status::Success, Status::Failure] {
        let status = loaded.tree.tick(&mut agent, &mut robot, Time::ZERO);
        assert_eq!(status.unwrap(), expected);
    }
    assert_eq!(robot.hp, 30);

    // A tree's own key is its own.
    let own = load("tree T { keys { hp = 1 } check hp == 1 }").unwrap();
    robot.board = own.board();
    let status = own.tree.tick(&mut own.tree.agent(), &mut robot, Time::ZERO);
    assert_eq!(status.unwrap(), Status::Success);

    let wrong = load("keys { hp: float }\ntree T { check hp > 0.5 }").unwrap_err();
    let text = wrong.to_string();
    assert!(
        text.contains("the key `hp` is float here and int in the program"),
        "{text}"
    );
    assert!(
        text.contains("t.tick:1:8") && text.contains("write `hp: int`"),
        "{text}"
    );
    let wrong = load("keys { alarm = 3 }\ntree T { check alarm }").unwrap_err();
    assert!(wrong.to_string().contains("expected bool"), "{wrong}");
    let twice = load("keys { hp: int; hp: int }\ntree T { check hp > 0 }").unwrap_err();
    assert!(twice.to_string().contains("`hp`"), "{twice}");
}
