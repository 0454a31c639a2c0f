//! The villager's tree at tick 40, 4.00 s: `earn` decides, the tree answers running.
//!
//! A moment that the studio recorded. The tree is the real one; its leaves are stand-ins that answer
//! as the leaves did, and the keys have the values that they had.

use tickseed::lang::build::{Options, from_loaded};
use tickseed::lang::load::{Memory, load_text};
use tickseed::lang::simulate::{Plan, Sim, registry};
use tickseed::{Status, TickReport, Time};

const TREE: &str = r#"
//! A villager with four needs. Every option has two considerations: the need, and the
//! occasion.

enum Place { inn = 0, home = 1, square = 2, workshop = 3 }

keys {
  hunger: float = 0.0
  tiredness: float = 0.0
  loneliness: float = 0.0
  poverty: float = 0.0
  daylight: float = 0.0
  company: float = 0.0
}

/// Chats until hardly lonely.
action chat
/// Works until hardly poor; it tires.
action earn
/// Eats until hardly hungry; it costs money.
action eat
/// Sleeps until hardly tired.
action sleep
/// Walks to a place; succeeds there.
action walk(in to: Place)

main tree Villager {
  utility "needs" reactive inertia(0.25) dwell(4s) {
    option {
      consider hunger power(2)
      // Who has nothing left cannot pay.
      consider poverty from(1..0.7) smoothstep
      sequence "eat" {
        walk "walk to the inn" (to: .inn)
        eat "have a meal"
      }
    }
    option weight(1.4) {
      consider tiredness logistic(9, 0.45)
      consider daylight from(1..0) linear(0.9, 0.1)
      sequence "sleep" {
        walk "walk home" (to: .home)
        sleep "sleep tight"
      }
    }
    option weight(0.9) {
      consider loneliness power(1.5)
      consider company from(0..0.5) linear(0.4, 0.6)
      sequence "socialise" {
        walk "walk to the square" (to: .square)
        chat
      }
    }
    option weight(0.95) {
      consider poverty table([0, 0.05], [0.5, 0.55], [1, 1])
      consider daylight exponential(0.02)
      sequence "work" {
        walk "walk to the workshop" (to: .workshop)
        earn
      }
    }
  }
}
"#;

/// What each leaf answers: one answer for each time it begins, then the last again and again.
const LEAVES: &str = r#"
needs/work/walk to the workshop = success after 13 ticks
needs/work/earn = running
"#;

/// What the keys are before a tick, from then on.
const KEYS: &str = r#"
1: hunger = 0.4511867165565491, tiredness = 0.22705428302288055, loneliness = 0.25090891122817993, poverty = 0.3816051185131073, daylight = 0.5034906268119812, company = 0.0
2: hunger = 0.45261529088020325, tiredness = 0.2278876155614853, loneliness = 0.25215891003608704, poverty = 0.38243845105171204, daylight = 0.5069810748100281
3: hunger = 0.4540438652038574, tiredness = 0.22872094810009003, loneliness = 0.25340890884399414, poverty = 0.3832717835903168, daylight = 0.5104712247848511
4: hunger = 0.4554724395275116, tiredness = 0.22955428063869476, loneliness = 0.25465890765190125, poverty = 0.3841051161289215, daylight = 0.5139608383178711
5: hunger = 0.45690101385116577, tiredness = 0.2303876131772995, loneliness = 0.25590890645980835, poverty = 0.38493844866752625, daylight = 0.5174497365951538
6: hunger = 0.45832958817481995, tiredness = 0.23122094571590424, loneliness = 0.25715890526771545, poverty = 0.385771781206131, daylight = 0.5209378004074097
7: hunger = 0.4597581624984741, tiredness = 0.23205427825450897, loneliness = 0.25840890407562256, poverty = 0.3866051137447357, daylight = 0.5244249105453491
8: hunger = 0.4611867368221283, tiredness = 0.2328876107931137, loneliness = 0.25965890288352966, poverty = 0.38743844628334045, daylight = 0.5279107689857483
9: hunger = 0.46261531114578247, tiredness = 0.23372094333171844, loneliness = 0.26090890169143677, poverty = 0.3882717788219452, daylight = 0.5313952565193176
10: hunger = 0.46404388546943665, tiredness = 0.23455427587032318, loneliness = 0.26215890049934387, poverty = 0.3891051113605499, daylight = 0.5348782539367676
11: hunger = 0.4654724597930908, tiredness = 0.23538760840892792, loneliness = 0.263408899307251, poverty = 0.38993844389915466, daylight = 0.538359522819519
12: hunger = 0.466901034116745, tiredness = 0.23622094094753265, loneliness = 0.2646588981151581, poverty = 0.3907717764377594, daylight = 0.5418389439582825
13: hunger = 0.46832960844039917, tiredness = 0.2370542734861374, loneliness = 0.2659088969230652, poverty = 0.39160510897636414, daylight = 0.5453162789344788
14: hunger = 0.46975818276405334, loneliness = 0.2671588957309723, daylight = 0.5487914681434631
15: tiredness = 0.23888760805130005, poverty = 0.38643842935562134, hunger = 0.4711867570877075, loneliness = 0.2684088945388794, daylight = 0.5522642135620117
16: tiredness = 0.2407209426164627, poverty = 0.38127174973487854, hunger = 0.4726153314113617, loneliness = 0.2696588933467865, daylight = 0.5557344555854797
17: tiredness = 0.24255427718162537, poverty = 0.37610507011413574, hunger = 0.47404390573501587, loneliness = 0.2709088921546936, daylight = 0.5592019557952881
18: tiredness = 0.24438761174678802, poverty = 0.37093839049339294, hunger = 0.47547248005867004, loneliness = 0.2721588909626007, daylight = 0.5626665949821472
19: tiredness = 0.24622094631195068, poverty = 0.36577171087265015, hunger = 0.4769010543823242, loneliness = 0.2734088897705078, daylight = 0.5661281943321228
20: tiredness = 0.24805428087711334, poverty = 0.36060503125190735, hunger = 0.4783296287059784, loneliness = 0.2746588885784149, daylight = 0.5695865750312805
21: tiredness = 0.249887615442276, poverty = 0.35543835163116455, hunger = 0.47975820302963257, loneliness = 0.275908887386322, daylight = 0.5730414986610413
22: tiredness = 0.25172093510627747, poverty = 0.35027167201042175, hunger = 0.48118677735328674, loneliness = 0.2771588861942291, daylight = 0.5764929056167603
23: tiredness = 0.25355425477027893, poverty = 0.34510499238967896, hunger = 0.4826153516769409, loneliness = 0.27840888500213623, daylight = 0.5799406170845032
24: tiredness = 0.2553875744342804, poverty = 0.33993831276893616, hunger = 0.4840439260005951, loneliness = 0.27965888381004333, daylight = 0.5833843946456909, company = 0.0833333358168602
25: tiredness = 0.25722089409828186, poverty = 0.33477163314819336, hunger = 0.48547250032424927, loneliness = 0.28090888261795044, daylight = 0.5868241190910339
26: tiredness = 0.2590542137622833, poverty = 0.32960495352745056, hunger = 0.48690107464790344, loneliness = 0.28215888142585754, daylight = 0.5902595520019531
27: tiredness = 0.2608875334262848, poverty = 0.32443827390670776, hunger = 0.4883296489715576, loneliness = 0.28340888023376465, daylight = 0.5936906337738037
28: tiredness = 0.26272085309028625, poverty = 0.31927159428596497, hunger = 0.4897582232952118, loneliness = 0.28465887904167175, daylight = 0.5971171855926514
29: tiredness = 0.2645541727542877, poverty = 0.31410491466522217, hunger = 0.49118679761886597, loneliness = 0.28590887784957886, daylight = 0.600538969039917
30: tiredness = 0.2663874924182892, poverty = 0.30893823504447937, hunger = 0.49261537194252014, loneliness = 0.28715887665748596, daylight = 0.603955864906311
31: tiredness = 0.26822081208229065, poverty = 0.3037715554237366, hunger = 0.4940439462661743, loneliness = 0.28840887546539307, daylight = 0.6073676347732544
32: tiredness = 0.2700541317462921, poverty = 0.2986048758029938, hunger = 0.4954725205898285, loneliness = 0.28965887427330017, daylight = 0.6107742786407471
33: tiredness = 0.2718874514102936, poverty = 0.293438196182251, hunger = 0.49690109491348267, loneliness = 0.2909088730812073, daylight = 0.6141754388809204
34: tiredness = 0.27372077107429504, poverty = 0.2882715165615082, hunger = 0.49832966923713684, loneliness = 0.2921588718891144, daylight = 0.6175710558891296
35: tiredness = 0.2755540907382965, poverty = 0.2831048369407654, hunger = 0.499758243560791, loneliness = 0.2934088706970215, daylight = 0.6209609508514404
36: tiredness = 0.277387410402298, poverty = 0.2779381573200226, hunger = 0.5011867880821228, loneliness = 0.2946588695049286, daylight = 0.6243449449539185
37: tiredness = 0.27922073006629944, poverty = 0.2727714776992798, hunger = 0.5026153326034546, loneliness = 0.2959088683128357, daylight = 0.6277228593826294
38: tiredness = 0.2810540497303009, poverty = 0.267604798078537, hunger = 0.5040438771247864, loneliness = 0.2971588671207428, daylight = 0.6310945749282837
39: tiredness = 0.28288736939430237, poverty = 0.2624381184577942, hunger = 0.5054724216461182, loneliness = 0.2984088659286499, daylight = 0.634459912776947
40: tiredness = 0.28472068905830383, poverty = 0.2572714388370514, hunger = 0.50690096616745, loneliness = 0.299658864736557, daylight = 0.6378186941146851
"#;

/// The leaf that decides.
const DECIDES: &str = r#"needs/work/earn"#;

#[test]
fn villager_tick_40() {
    let mut plan = Plan::default();
    for rule in LEAVES.lines().skip(1) {
        plan.add(rule).expect("a rule");
    }
    let files = load_text("villager.tick", TREE, &Memory::default());
    let leaves = registry(&files.documents, &plan);
    let loaded = from_loaded(files, &leaves, &Options::default()).expect("no mistakes");
    let tree = &loaded.tree;
    let mut agent = tree.agent_seeded(7);
    let mut sim = Sim::new(loaded.board());
    let mut report = TickReport::new();
    let split = |line: &'static str| line.split_once(": ");
    let mut keys = KEYS.lines().filter_map(split);
    let mut next = keys.next();
    let mut answer = None;
    for tick in 1..=40 {
        if let Some((_, changes)) = next.filter(|(at, _)| at.parse() == Ok(tick)) {
            for (key, value) in changes.split(", ").filter_map(|c| c.split_once(" = ")) {
                let slot = loaded.layout.find("", key).expect("a key");
                let ty = &loaded.layout.slot(slot).expect("a key").ty;
                let value = loaded.value(ty, value).expect("a value of the key");
                assert!(sim.board.set(slot, value), "{key}");
            }
            next = keys.next();
        }
        let now = Time::from_nanos(100_000_000 + (tick - 1) * 100_000_000);
        report.clear();
        answer = Some(tree.tick_traced(&mut agent, &mut sim, now, &mut report));
    }
    let answer = answer.transpose().expect("no leaf fails with an error");
    assert_eq!(answer, Some(Status::Running));
    let leaf = report.deciding_leaf();
    let leaf = leaf.and_then(|leaf| loaded.instance_of(leaf));
    let leaf = leaf.map(|leaf| loaded.path(leaf));
    assert_eq!(leaf.as_deref(), Some(DECIDES));
}
