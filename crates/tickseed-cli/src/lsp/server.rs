//! Requests and their answers.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use serde_json::{Value, json};
use tickseed_lang::load::Loaded;
use tickseed_lang::model::{FileId, Format, Span};
use tickseed_lang::{fmt, ide};

use super::files::{Files, clean};
use super::rpc;
use super::text::{Lines, uri_of};
use super::view;
use crate::files::findings;

/// What the server remembers between messages.
#[derive(Default)]
pub(crate) struct Server {
    files: Files,
    utf8: bool,
    snippets: bool,
    initialized: bool,
    shut_down: bool,
    exited: bool,
    /// Files that messages were shown for.
    shown: BTreeSet<String>,
}

/// A refusal: a code of the protocol and a sentence.
type Refusal = (i32, String);

/// A request about a place in a file.
struct Asked {
    loaded: Rc<Loaded>,
    file: FileId,
    offset: usize,
}

impl Server {
    /// Whether the client said `exit`.
    pub(crate) fn exited(&self) -> bool {
        self.exited
    }

    /// Whether the client said `shutdown` first.
    pub(crate) fn shut_down(&self) -> bool {
        self.shut_down
    }

    /// Takes a message and gives what is to be sent.
    pub(crate) fn handle(&mut self, message: &Value) -> Vec<Value> {
        let method = message["method"].as_str();
        let params = &message["params"];
        match (method, message.get("id")) {
            (Some(method), Some(id)) => {
                let answered = if self.shut_down {
                    Err((-32600, "the server was shut down".to_owned()))
                } else if !self.initialized && method != "initialize" {
                    Err((-32002, "the first request is `initialize`".to_owned()))
                } else {
                    self.request(method, params)
                };
                vec![match answered {
                    Ok(result) => rpc::answer(id, result),
                    Err((code, why)) => rpc::error(id, code, &why),
                }]
            }
            (Some(method), None) => self.notified(method, params),
            // An answer: nothing was asked.
            (None, _) => Vec::new(),
        }
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value, Refusal> {
        match method {
            "initialize" => Ok(self.initialize(params)),
            "shutdown" => {
                self.shut_down = true;
                Ok(Value::Null)
            }
            "textDocument/completion" => Ok(self.completion(params)),
            "textDocument/hover" => Ok(self.hover(params)),
            "textDocument/definition" => Ok(self.definition(params)),
            "textDocument/references" => Ok(self.references(params)),
            "textDocument/documentHighlight" => Ok(self.highlights(params)),
            "textDocument/prepareRename" => self.prepare_rename(params),
            "textDocument/rename" => self.rename(params),
            "textDocument/documentSymbol" => Ok(self.symbols(params)),
            "textDocument/formatting" => Ok(self.formatting(params)),
            "textDocument/codeAction" => Ok(code_actions(params)),
            _ => Err((-32601, format!("`{method}` is not served"))),
        }
    }

    fn notified(&mut self, method: &str, params: &Value) -> Vec<Value> {
        let document = &params["textDocument"];
        let uri = document["uri"].as_str().unwrap_or("");
        match method {
            "textDocument/didOpen" => {
                let text = document["text"].as_str().unwrap_or("").to_owned();
                self.files.open(uri, document["version"].clone(), text);
            }
            "textDocument/didChange" => {
                let changes = params["contentChanges"].as_array();
                let changes = changes.map_or(&[][..], Vec::as_slice);
                let version = document["version"].clone();
                self.files.change(uri, version, changes, self.utf8);
            }
            "textDocument/didClose" => self.files.close(uri),
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => self.files.changed(),
            "exit" => {
                self.exited = true;
                return Vec::new();
            }
            _ => return Vec::new(),
        }
        self.diagnostics()
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.initialized = true;
        let encodings = params["capabilities"]["general"]["positionEncodings"].as_array();
        self.utf8 = encodings.is_some_and(|list| list.iter().any(|e| e == "utf-8"));
        let items = &params["capabilities"]["textDocument"]["completion"]["completionItem"];
        self.snippets = items["snippetSupport"] == true;
        let folders = params["workspaceFolders"].as_array();
        let folders = folders.into_iter().flatten().map(|folder| &folder["uri"]);
        let mut folders: Vec<&Value> = folders.collect();
        if folders.is_empty() {
            folders.push(&params["rootUri"]);
        }
        for uri in folders.into_iter().filter_map(Value::as_str) {
            self.files.add_folder(uri);
        }
        json!({
            "capabilities": {
                "positionEncoding": if self.utf8 { "utf-8" } else { "utf-16" },
                "textDocumentSync": {"openClose": true, "change": 2, "save": true},
                "completionProvider": {"triggerCharacters": [".", "(", "<", "{"]},
                "hoverProvider": true,
                "definitionProvider": true,
                "referencesProvider": true,
                "documentHighlightProvider": true,
                "renameProvider": {"prepareProvider": true},
                "documentSymbolProvider": true,
                "documentFormattingProvider": true,
                "codeActionProvider": {"codeActionKinds": ["quickfix"]},
            },
            "serverInfo": {"name": "tickseed", "version": env!("CARGO_PKG_VERSION")},
        })
    }

    /// Messages about all open files and what they include; files that had messages and have none
    /// any more are cleared.
    fn diagnostics(&mut self) -> Vec<Value> {
        let mut all: BTreeMap<String, (Value, Vec<Value>)> = BTreeMap::new();
        for (path, open) in self.files.opened() {
            all.insert(open.uri.clone(), (open.version.clone(), Vec::new()));
            let loaded = self.files.load(path);
            for diagnostic in findings(&loaded, false) {
                let label = diagnostic.primary.as_ref();
                let file = label.map(|label| label.span.file);
                let source = file.and_then(|file| loaded.sources.file(file));
                let name = source.map_or(path, |source| source.name());
                // An open file that is included speaks for itself.
                if name != path && self.files.is_open(name) {
                    continue;
                }
                let uri = if name == path {
                    open.uri.clone()
                } else {
                    uri_of(name)
                };
                let lines = Lines::new(source.map_or("", |source| source.text()), self.utf8);
                let shown = view::diagnostic(&diagnostic, &lines, &loaded.sources, self.utf8);
                let list = &mut all.entry(uri).or_default().1;
                if !list.contains(&shown) {
                    list.push(shown);
                }
            }
        }
        let before = std::mem::take(&mut self.shown);
        for uri in before {
            all.entry(uri).or_default();
        }
        let mut messages = Vec::new();
        for (uri, (version, list)) in all {
            let mut params = json!({"uri": uri, "diagnostics": list});
            if version.is_i64() {
                params["version"] = version;
            }
            if !list.is_empty() {
                self.shown.insert(uri);
            }
            messages.push(rpc::notification("textDocument/publishDiagnostics", params));
        }
        messages
    }

    /// What a request is about.
    fn asked(&self, params: &Value) -> Option<Asked> {
        let path = clean(params["textDocument"]["uri"].as_str()?);
        let loaded = self.files.load(&path);
        let file = loaded.document()?.file;
        let text = loaded.sources.file(file)?.text();
        let offset = match params.get("position") {
            Some(position) => Lines::new(text, self.utf8).offset(position)?,
            None => 0,
        };
        Some(Asked {
            loaded,
            file,
            offset,
        })
    }

    fn completion(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let lines = asked.lines(self.utf8);
        let list = ide::Files::new(&asked.loaded).complete(asked.file, asked.offset);
        let items = list.iter().enumerate();
        items
            .map(|(i, completion)| view::completion(completion, i, &lines, self.snippets))
            .collect()
    }

    fn hover(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let hover = ide::Files::new(&asked.loaded).hover(asked.file, asked.offset);
        let lines = asked.lines(self.utf8);
        hover.map_or(Value::Null, |hover| {
            json!({
                "contents": {"kind": "markdown", "value": hover.text},
                "range": lines.range(hover.span.range()),
            })
        })
    }

    fn definition(&self, params: &Value) -> Value {
        let found = self.asked(params).and_then(|asked| {
            let span = ide::Files::new(&asked.loaded).definition(asked.file, asked.offset)?;
            view::location(&asked.loaded.sources, span, self.utf8)
        });
        found.unwrap_or(Value::Null)
    }

    /// Calls `each` for every load that may name the asked thing, with a place where it is named.
    ///
    /// The place is that of its declaration: whoever knows the thing has read that file.
    fn everywhere(&self, asked: &Asked, mut each: impl FnMut(&Loaded, FileId, usize)) {
        let declared = ide::Files::new(&asked.loaded).definition(asked.file, asked.offset);
        let (file, offset) = match declared {
            Some(span) => (span.file, span.start as usize),
            None => (asked.file, asked.offset),
        };
        let Some(source) = asked.loaded.sources.file(file) else {
            return;
        };
        for loaded in self.files.loads_with(source.name()) {
            let mut files = loaded.sources.files();
            let found = files.find(|(_, other)| other.name() == source.name());
            if let Some((file, _)) = found {
                each(&loaded, file, offset);
            }
        }
    }

    fn references(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let declarations = params["context"]["includeDeclaration"] != false;
        let mut list: Vec<Value> = Vec::new();
        self.everywhere(&asked, |loaded, file, offset| {
            for found in ide::Files::new(loaded).references(file, offset) {
                if (found.declares && !declarations) || found.symbol.name().is_empty() {
                    continue;
                }
                if let Some(place) = view::location(&loaded.sources, found.span, self.utf8)
                    && !list.contains(&place)
                {
                    list.push(place);
                }
            }
        });
        list.into()
    }

    fn highlights(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let lines = asked.lines(self.utf8);
        let files = ide::Files::new(&asked.loaded);
        let list = files.references(asked.file, asked.offset);
        let here = list.iter().filter(|found| found.span.file == asked.file);
        here.map(|found| {
            let kind = if found.declares { 3 } else { 2 };
            json!({"range": lines.range(found.span.range()), "kind": kind})
        })
        .collect()
    }

    fn prepare_rename(&self, params: &Value) -> Result<Value, Refusal> {
        let refused = |why: String| (-32602, why);
        let asked = self
            .asked(params)
            .ok_or_else(|| refused("the file is not known".to_owned()))?;
        let files = ide::Files::new(&asked.loaded);
        let found = files.at(asked.file, asked.offset);
        let name = found.map_or("", |found| found.symbol.name()).to_owned();
        files
            .rename(asked.file, asked.offset, &name)
            .map_err(|error| refused(error.to_string()))?;
        let span = found.map_or(Span::default(), |found| found.span);
        let lines = asked.lines(self.utf8);
        Ok(json!({"range": lines.range(span.range()), "placeholder": name}))
    }

    fn rename(&self, params: &Value) -> Result<Value, Refusal> {
        let asked = self
            .asked(params)
            .ok_or_else(|| (-32602, "the file is not known".to_owned()))?;
        let name = params["newName"].as_str().unwrap_or("");
        let mut changes: BTreeMap<String, Vec<Value>> = BTreeMap::new();
        let mut refused = None;
        self.everywhere(&asked, |loaded, file, offset| {
            let edits = match ide::Files::new(loaded).rename(file, offset, name) {
                Ok(edits) => edits,
                Err(error) => {
                    refused.get_or_insert(error);
                    return;
                }
            };
            for (span, text) in edits {
                let Some(source) = loaded.sources.file(span.file) else {
                    continue;
                };
                let lines = Lines::new(source.text(), self.utf8);
                let edit = json!({"range": lines.range(span.range()), "newText": text});
                let list = changes.entry(uri_of(source.name())).or_default();
                if !list.contains(&edit) {
                    list.push(edit);
                }
            }
        });
        match refused {
            Some(error) => Err((-32803, error.to_string())),
            None => Ok(json!({ "changes": changes })),
        }
    }

    fn symbols(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let list = ide::Files::new(&asked.loaded).outline(asked.file);
        view::outline(&list, &asked.lines(self.utf8))
    }

    /// The file in its canonical form; nothing while it has errors, and for other formats.
    fn formatting(&self, params: &Value) -> Value {
        let Some(asked) = self.asked(params) else {
            return Value::Null;
        };
        let text = asked.text();
        let parsed = tickseed_lang::tick::parse_text(text, asked.file);
        let is_tick = asked
            .loaded
            .document()
            .is_some_and(|d| d.format == Format::Tick);
        if !is_tick || !parsed.is_ok() {
            return Value::Null;
        }
        let formatted = fmt::format(&parsed.document);
        if formatted == text {
            return Value::Array(Vec::new());
        }
        let lines = asked.lines(self.utf8);
        json!([{"range": lines.range(0..text.len()), "newText": formatted}])
    }
}

impl Asked {
    fn text(&self) -> &str {
        let source = self.loaded.sources.file(self.file);
        source.map_or("", |source| source.text())
    }

    fn lines(&self, utf8: bool) -> Lines<'_> {
        Lines::new(self.text(), utf8)
    }
}

/// Quick fixes for messages that propose a name.
fn code_actions(params: &Value) -> Value {
    let uri = params["textDocument"]["uri"].as_str().unwrap_or("");
    let diagnostics = params["context"]["diagnostics"].as_array();
    diagnostics
        .into_iter()
        .flatten()
        .filter_map(|diagnostic| {
            let name = diagnostic["data"].as_str()?;
            let edit = json!({"range": diagnostic["range"], "newText": name});
            Some(json!({
                "title": format!("write `{name}`"),
                "kind": "quickfix",
                "diagnostics": [diagnostic],
                "isPreferred": true,
                "edit": {"changes": {uri: [edit]}},
            }))
        })
        .collect()
}
