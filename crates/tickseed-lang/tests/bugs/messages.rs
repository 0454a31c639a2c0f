//! What a stranger is told about files that are wrong: the whole messages, as they are shown.
//! `UPDATE_GOLDEN=1 cargo test -p tickseed-lang --test bugs messages` writes them anew: read the
//! diff as someone who has never seen the language.

use tickseed_lang::check::{Options, check};
use tickseed_lang::diagnostics::render_all;
use tickseed_lang::load::{Memory, load};

/// Shows all messages about each text, and compares them with the golden file.
fn golden(reader: &str, name: &str, texts: &[&str]) {
    let mut shown = String::new();
    for (index, text) in texts.iter().enumerate() {
        let mut files = Memory::default();
        files.add(name, *text);
        let loaded = load(name, &files);
        let mut diagnostics = loaded.diagnostics.clone();
        if diagnostics.is_empty() && name.ends_with(".tick") {
            let documents: Vec<_> = loaded.documents.iter().collect();
            diagnostics = check(&documents, &Options::default());
        }
        assert!(!diagnostics.is_empty(), "nothing is said about {text}");
        for diagnostic in &diagnostics {
            assert!(diagnostic.primary.is_some(), "{diagnostic} has no place");
        }
        let rendered = render_all(&diagnostics, &loaded.sources);
        shown.push_str(&format!("---- {}\n{rendered}\n", index + 1));
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/bugs/messages")
        .join(format!("{reader}.txt"));
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &shown).expect("the golden file is written");
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(shown == expected, "{} differs:\n{shown}", path.display());
}

#[test]
fn messages_of_the_tick_reader() {
    golden(
        "tick",
        "guard.tick",
        &[
            "tree Guard\n  sequence\n    MoveTo\n",
            "tree Guard {\n  sequence {\n    MoveTo(goal = home)\n  }\n}\n",
            "tree Guard {\n  sequence {\n    MoveTo(goal: home\n    Attack(target)\n  }\n}\n",
            "tree Guard {\n  if battery < 0.2 then { Recharge }\n}\n",
            "tree Guard {\n  check battery = 0.2\n}\n",
            "tree Guard {\n  check battery < 0.2 & armed\n}\n",
            "tree Guard {\n  timeout 5 { Attack }\n}\n",
            "tree Guard {\n  timeout 5sec { Attack }\n}\n",
            "tree Guard {\n  retry { Attack }\n  repeat 3 Attack\n}\n",
            "tree Guard {\n  sequence(reactive) {\n    success\n  }\n}\n",
            "tree Guard {\n  sequence {\n    success,\n    success\n  }\n}\n",
            "tree Guard {\n  # a comment\n  success /* another */\n}\n",
            "tree Guard {\n  selector {\n    success\n  else {\n    failure\n  }\n}\n",
            "tree Guard() {\n  in speed: float\n  success\n}\n",
            "tree Guard(speed float, in goal) {\n  success\n}\n",
            "keys {\n  battery: flaot = 1.0\n  mode\n  route: list<vec2 = []\n}\ntree Guard { check batery < 1 }\n",
            "import 'lib.tick'\nimport lib.tick\ntree Guard { success }\n",
            "sequence {\n  MoveTo\n  Attack\n}\n",
            "tree Guard { set battery 5 }\n",
            "tree Guard {\n  parallel success(2) {\n    Attack skipif armed\n    success\n  }\n}\n",
            "main tree A { success }\nmain tree B { success }\ntree A { success }\n",
            "leaf MoveTo(in goal: vec2, in speed: float = 1.0)\ntree Guard {\n  sequence {\n    MoveTo\n    MoveTo(gaol: [1, 2])\n    MoveTo([1, 2], 3, 4)\n    MoveTo(goal: \"home\")\n  }\n}\n",
            "keys { place = vec2(0, 0); route = [1] }\ntree Guard {\n  sequence {\n    set place.x = 3\n    check route[0] == 1\n  }\n}\n",
            "keys { route = [1] }\ntree Guard {\n  for i in route { success }\n}\n",
        ],
    );
}

#[test]
fn messages_of_the_xml_reader() {
    let tree = |body: &str| {
        format!(
            "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"Main\">\n    {body}\n  </BehaviorTree>\n</root>\n"
        )
    };
    let texts = [
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"Main\">\n    <Sequence>\n      <MoveTo/>\n  </BehaviorTree>\n</root>\n".to_owned(),
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"Main\">\n    <MoveTo goal=home/>\n  </BehaviorTree>\n</root>\n".to_owned(),
        "<root BTCPP_format=\"4\">\n  <BehaviorTree ID=\"Main>\n    <MoveTo goal=\"home\"/>\n  </BehaviorTree>\n</root>\n".to_owned(),
        "<root BTCPP_format=\"4\">\n  <behaviortree id=\"Main\">\n    <MoveTo/>\n  </behaviortree>\n</root>\n".to_owned(),
        "<BehaviorTree ID=\"Main\">\n  <MoveTo/>\n</BehaviorTree>\n".to_owned(),
        "<root BTCPP_format=\"4\" main_tree_to_execute=\"Mian\">\n  <BehaviorTree ID=\"Main\">\n    <MoveTo/>\n  </BehaviorTree>\n  <BehaviorTree ID=\"Main\"/>\n</root>\n".to_owned(),
        "<root BTCPP_format=\"4\">\n  <include/>\n  <include path=\"\"/>\n  <include path=\"gone.xml\"/>\n</root>\n".to_owned(),
        tree("<Inverter/>"),
        tree("<Sequence/>\n    <Fallback/>"),
        tree("<MoveTo goal=\"a\" goal=\"b\"/>"),
        tree("<RetryUntilSuccesful num_attempts=\"3\"><MoveTo/></RetryUntilSuccesful>"),
        tree("<SubTree/>"),
        tree("<SubTree ID=\"Sub\"><MoveTo/></SubTree>"),
        tree("<Action ID=\"\"/>"),
        tree("<MoveTo/> < Attack/>"),
        tree("<MoveTo _skipif=\"a\" _onSucces=\"b\"/>"),
        tree("<!-- open -- <MoveTo/>"),
        tree("move to the door"),
        "tree Guard {\n  MoveTo\n}\n".to_owned(),
        "{\"tickseed\": 1}\n".to_owned(),
        tree("<Subtree ID=\"Main\"/>"),
        tree("<SubTree id=\"Main\"/>"),
        tree("<MoveTo skipIf=\"home\" _onsuccess=\"n := 1\"/>"),
        tree("<MoveTo goal=\"${home}\"/>"),
        tree("<MoveTo goal=\"${home}\"/>").replace(" BTCPP_format=\"4\"", ""),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    golden("xml", "guard.xml", &texts);
}

#[test]
fn messages_of_the_json_reader() {
    let tree = |body: &str| {
        format!(
            "{{\n  \"tickseed\": 1,\n  \"items\": [\n    {{\"tree\": {{\"name\": \"Guard\", \"body\": [\n      {body}\n    ]}}}}\n  ]\n}}\n"
        )
    };
    let texts = [
        "{\n  \"tickseed\": 1\n  \"items\": []\n}\n".to_owned(),
        "{\n  \"tickseed\": 1,\n  \"items\": [],\n}\n".to_owned(),
        "{\n  // a comment\n  \"tickseed\": 1\n}\n".to_owned(),
        "{\n  tickseed: 1\n}\n".to_owned(),
        "{\n  'tickseed': 1\n}\n".to_owned(),
        "{\"tickseed\": \"1\"}\n".to_owned(),
        "{\"tickseed\": 2}\n".to_owned(),
        "{\"items\": []}\n".to_owned(),
        "{\"tickseed\": 1, \"trees\": []}\n".to_owned(),
        tree("{\"kind\": \"Sequence\", \"childs\": []}"),
        tree("{\"type\": \"Sequence\"}"),
        tree("{\"kind\": \"MoveTo\", \"attributes\": {\"goal\": \"home\"}}"),
        tree(
            "{\"kind\": \"MoveTo\", \"attributes\": [{\"argument\": \"goal\", \"value\": {\"kye\": \"home\"}}]}",
        ),
        tree(
            "{\"kind\": \"MoveTo\", \"attributes\": [{\"argument\": \"goal\", \"value\": {\"duration\": \"5 sec\"}}]}",
        ),
        tree("{\"kind\": \"MoveTo\", \"attributes\": [{\"hook\": \"skip\", \"value\": true}]}"),
        tree("\"MoveTo\""),
        tree("{\"kind\": \"Mo\\qve\"}"),
        "{\"tickseed\": 1, \"items\": [{\"tre\": {}}]}\n".to_owned(),
        "<root BTCPP_format=\"4\"/>\n".to_owned(),
        "tree Guard { MoveTo }\n".to_owned(),
    ];
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    golden("json", "guard.json", &texts);
}
