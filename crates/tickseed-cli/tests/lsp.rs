//! The Language Server as an editor meets it: the binary is driven over its pipes.

mod folder;

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use folder::Folder;
use serde_json::{Value, json};

/// An editor.
struct Editor {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: i64,
    /// Notifications in the order in which they came.
    told: Vec<Value>,
    root: String,
}

impl Editor {
    fn start(folder: &Folder) -> Editor {
        let mut editor = Editor::silent(folder);
        let root = editor.root.clone();
        let params = json!({
            "rootUri": root,
            "capabilities": {"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}},
        });
        let result = editor.ask("initialize", params);
        assert_eq!(result["capabilities"]["positionEncoding"], "utf-16");
        editor.tell("initialized", json!({}));
        editor
    }

    /// Without the greeting.
    fn silent(folder: &Folder) -> Editor {
        let mut child = folder
            .command(&["lsp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary runs");
        Editor {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
            next: 0,
            told: Vec::new(),
            root: format!(
                "file://{}",
                folder.path("").to_str().unwrap().trim_end_matches('/')
            ),
        }
    }

    fn uri(&self, name: &str) -> String {
        format!("{}/{name}", self.root)
    }

    fn send(&mut self, message: &Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(
                self.output.read_line(&mut line).unwrap() > 0,
                "the server ended"
            );
            if line == "\r\n" {
                break;
            }
            length = line
                .trim()
                .strip_prefix("Content-Length: ")
                .unwrap()
                .parse()
                .unwrap();
        }
        let mut body = vec![0; length];
        self.output.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// A request's whole answer.
    fn request(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        loop {
            let message = self.receive();
            if message["id"] == id {
                return message;
            }
            self.told.push(message);
        }
    }

    #[track_caller]
    fn ask(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params);
        assert_eq!(answer["error"], Value::Null, "{answer}");
        answer["result"].take()
    }

    fn open(&mut self, name: &str, text: &str) {
        let uri = self.uri(name);
        let document = json!({"uri": uri, "languageId": "tick", "version": 1, "text": text});
        self.tell("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// The codes of the messages that a file has now.
    fn codes(&mut self, name: &str) -> Vec<String> {
        // Messages are sent before anything that is asked later is answered.
        self.request("nothing", json!({}));
        let uri = self.uri(name);
        let last = self.told.iter().rev().find(|m| m["params"]["uri"] == *uri);
        let list = last.map(|m| m["params"]["diagnostics"].as_array().unwrap().clone());
        let list = list.unwrap_or_else(|| panic!("nothing was said about {name}"));
        list.iter()
            .map(|d| d["code"].as_str().unwrap().to_owned())
            .collect()
    }

    /// A request about a place: `line` and `character` from 0.
    #[track_caller]
    fn at(&mut self, method: &str, name: &str, line: u32, character: u32) -> Value {
        let params = json!({
            "textDocument": {"uri": self.uri(name)},
            "position": {"line": line, "character": character},
            "context": {"includeDeclaration": true},
        });
        self.ask(method, params)
    }

    fn end(mut self) -> i32 {
        self.ask("shutdown", Value::Null);
        self.tell("exit", Value::Null);
        self.child.wait().unwrap().code().unwrap()
    }
}

fn range(line: u32, from: u32, to: u32) -> Value {
    json!({"start": {"line": line, "character": from}, "end": {"line": line, "character": to}})
}

#[test]
fn messages_follow_what_is_typed() {
    let f = Folder::new("lsp_messages");
    let mut e = Editor::start(&f);
    e.open("a.tick", "leaf Patrol\ntree A { Patrl }\n");
    assert_eq!(e.codes("a.tick"), ["tick::unknown-node"]);
    let change = |text: &str, range: Value| json!({"range": range, "text": text});
    let uri = e.uri("a.tick");
    // Two edits of one message: each counts on the text that the one before left.
    e.tell(
        "textDocument/didChange",
        json!({
            "textDocument": {"uri": uri, "version": 2},
            "contentChanges": [change("é😀", range(0, 11, 11)), change("o", range(1, 13, 13))],
        }),
    );
    assert_eq!(e.codes("a.tick"), ["tick::unexpected-character"]);
    e.tell(
        "textDocument/didChange",
        json!({"textDocument": {"uri": uri, "version": 3}, "contentChanges": [change("", range(0, 11, 14))]}),
    );
    assert_eq!(e.codes("a.tick"), [""; 0]);
    e.tell("textDocument/didChange", json!({"textDocument": {"uri": uri, "version": 4}, "contentChanges": [{"text": "tree A {"}]}));
    assert_ne!(e.codes("a.tick"), [""; 0]);
    e.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(e.codes("a.tick"), [""; 0]);
    assert_eq!(e.end(), 0);
}

#[test]
fn files_that_are_open_count_as_typed_for_those_that_include_them() {
    let f = Folder::new("lsp_includes");
    f.write("lib.tick", "tree Walk { success }\n");
    let mut e = Editor::start(&f);
    e.open(
        "a.tick",
        "import \"lib.tick\"\nmain tree A { subtree Walk }\n",
    );
    assert_eq!(e.codes("a.tick"), [""; 0]);
    e.open("lib.tick", "tree Run { success }\n");
    assert_eq!(e.codes("a.tick"), ["load::unknown-tree"]);
    let uri = e.uri("lib.tick");
    e.tell(
        "textDocument/didClose",
        json!({"textDocument": {"uri": uri}}),
    );
    assert_eq!(e.codes("a.tick"), [""; 0]);
}

#[test]
fn completion_replaces_the_word_that_is_typed() {
    let f = Folder::new("lsp_completion");
    let mut e = Editor::start(&f);
    e.open("a.tick", "leaf Patrol(in route: text)\ntree A {\n  Pa\n}\n");
    let list = e.at("textDocument/completion", "a.tick", 2, 4);
    let item = list
        .as_array()
        .unwrap()
        .iter()
        .find(|c| c["label"] == "Patrol")
        .unwrap();
    assert_eq!(
        item["textEdit"],
        json!({"range": range(2, 2, 4), "newText": "Patrol($0)"})
    );
    assert!(
        list.as_array()
            .unwrap()
            .iter()
            .any(|c| c["label"] == "selector")
    );
}

#[test]
fn hover_definition_references_and_outline() {
    let f = Folder::new("lsp_navigation");
    f.write("lib.tick", "/// On foot.\ntree Walk { success }\n");
    f.write("other.tick", "import \"lib.tick\"\nmain tree B { Walk }\n");
    let mut e = Editor::start(&f);
    let text = "import \"lib.tick\"\nmain tree A {\n  sequence {\n    Walk\n  }\n}\n";
    f.write("a.tick", text);
    e.open("a.tick", text);
    let hover = e.at("textDocument/hover", "a.tick", 3, 5);
    assert!(
        hover["contents"]["value"]
            .as_str()
            .unwrap()
            .contains("On foot.")
    );
    assert_eq!(hover["range"], range(3, 4, 8));
    let definition = e.at("textDocument/definition", "a.tick", 3, 5);
    assert_eq!(
        definition,
        json!({"uri": e.uri("lib.tick"), "range": range(1, 5, 9)})
    );
    let definition = e.at("textDocument/definition", "a.tick", 0, 10);
    assert_eq!(definition["uri"], e.uri("lib.tick"));
    // Uses in files that are not open are found too, from wherever one asks.
    for (name, line) in [("a.tick", 3), ("lib.tick", 1)] {
        let list = e.at("textDocument/references", name, line, 6);
        let mut files: Vec<_> = list
            .as_array()
            .unwrap()
            .iter()
            .map(|l| l["uri"].as_str().unwrap().to_owned())
            .collect();
        files.sort();
        assert_eq!(
            files,
            [e.uri("a.tick"), e.uri("lib.tick"), e.uri("other.tick")],
            "{name}"
        );
    }
    let symbols = e.at("textDocument/documentSymbol", "a.tick", 0, 0);
    assert_eq!(symbols[0]["name"], "A");
    assert_eq!(symbols[0]["children"][0]["children"][0]["name"], "Walk");
    assert_eq!(e.at("textDocument/hover", "a.tick", 5, 0), Value::Null);
}

#[test]
fn rename_reaches_other_files_and_refuses_nonsense() {
    let f = Folder::new("lsp_rename");
    f.write("lib.tick", "tree Walk { success }\n");
    f.write("other.tick", "import \"lib.tick\"\nmain tree B { Walk }\n");
    let mut e = Editor::start(&f);
    e.open("lib.tick", "tree Walk { success }\n");
    let mut params = json!({
        "textDocument": {"uri": e.uri("lib.tick")},
        "position": {"line": 0, "character": 6},
        "newName": "Stroll",
    });
    let place = e.ask("textDocument/prepareRename", params.clone());
    assert_eq!(
        place,
        json!({"range": range(0, 5, 9), "placeholder": "Walk"})
    );
    let changes = e.ask("textDocument/rename", params.clone());
    let edit = |r: Value| json!([{"range": r, "newText": "Stroll"}]);
    assert_eq!(
        changes["changes"],
        json!({ e.uri("lib.tick"): edit(range(0, 5, 9)), e.uri("other.tick"): edit(range(1, 14, 18)) })
    );
    params["position"]["character"] = 14.into();
    let refused = e.request("textDocument/rename", params);
    assert!(
        refused["error"]["message"]
            .as_str()
            .unwrap()
            .contains("built in")
    );
}

#[test]
fn formatting_and_quick_fixes() {
    let f = Folder::new("lsp_formatting");
    let mut e = Editor::start(&f);
    e.open("a.tick", "leaf Patrol\ntree A{Patrl}");
    let edits = e.at("textDocument/formatting", "a.tick", 0, 0);
    assert_eq!(edits[0]["newText"], "leaf Patrol\n\ntree A {\n  Patrl\n}\n");
    e.codes("a.tick");
    let shown = e.told.last().unwrap()["params"]["diagnostics"].clone();
    let params = json!({
        "textDocument": {"uri": e.uri("a.tick")},
        "range": range(1, 7, 12),
        "context": {"diagnostics": shown},
    });
    let actions = e.ask("textDocument/codeAction", params);
    let edit = &actions[0]["edit"]["changes"][e.uri("a.tick")][0];
    assert_eq!(
        edit,
        &json!({"range": range(1, 7, 12), "newText": "Patrol"})
    );
    e.open("b.tick", "tree B {");
    assert_eq!(e.at("textDocument/formatting", "b.tick", 0, 0), Value::Null);
    e.open(
        "c.xml",
        "<root><BehaviorTree  ID='A'><Go/></BehaviorTree></root>",
    );
    assert_eq!(e.at("textDocument/formatting", "c.xml", 0, 0), Value::Null);
}

#[test]
fn the_protocol_is_kept() {
    let f = Folder::new("lsp_protocol");
    let mut e = Editor::silent(&f);
    let early = e.request("textDocument/hover", json!({}));
    assert_eq!(early["error"]["code"], -32002);
    e.ask(
        "initialize",
        json!({"capabilities": {"general": {"positionEncodings": ["utf-8", "utf-16"]}}}),
    );
    let unknown = e.request("no/such", json!({}));
    assert_eq!(unknown["error"]["code"], -32601);
    // Requests about files that are not there, and without sense, are answered.
    for method in [
        "hover",
        "definition",
        "completion",
        "references",
        "documentSymbol",
        "formatting",
    ] {
        let method = format!("textDocument/{method}");
        e.request(&method, json!({}));
        e.request(&method, json!({"textDocument": {"uri": e.uri("absent.tick")}, "position": {"line": 9, "character": 9}}));
    }
    // Text that is no JSON is refused; the server goes on.
    write!(e.input, "Content-Length: 3\r\n\r\n{{x}}").unwrap();
    assert_eq!(e.receive()["error"]["code"], -32700);
    assert_eq!(e.end(), 0);
    // Without `shutdown` the exit is not a clean one.
    let mut e = Editor::start(&f);
    e.tell("exit", Value::Null);
    assert_eq!(e.child.wait().unwrap().code(), Some(1));
    // A client that goes away ends the server.
    let e = Editor::start(&f);
    let Editor {
        mut child, input, ..
    } = e;
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
