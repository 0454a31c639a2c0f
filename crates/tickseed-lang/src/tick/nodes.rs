//! Nodes: their heads, arguments and children.

use super::Parser;
use super::values::is_broken;
use crate::builtin::{ALIASES, BUILTINS, Builtin, Head, builtin};
use crate::diagnostics::Diagnostic;
use crate::expr;
use crate::lex::Tok;
use crate::model::{
    Attribute, Category, Code, Comment, Dialect, Form, Keys, MAX_DEPTH, Name, Node, Span, Value,
    ValueKind,
};

/// The built-ins of two words that begin with `first`.
fn two_words(first: &str) -> impl Iterator<Item = &'static Builtin> {
    // Nearly no word begins one.
    let all = if matches!(first, "force" | "until" | "wait") {
        BUILTINS
    } else {
        &[]
    };
    all.iter().filter(move |builtin| {
        builtin
            .words
            .strip_prefix(first)
            .is_some_and(|rest| rest.starts_with(' '))
    })
}

impl Parser<'_> {
    /// Nodes up to a closing brace, which is left. Keys are read too where there is a place for them.
    pub(super) fn nodes(&mut self, mut keys: Option<&mut Vec<Keys>>) -> (Vec<Node>, Vec<Comment>) {
        let mut nodes = Vec::new();
        loop {
            while self.c.eat(";") {}
            let above = self.above();
            if self.c.is("}") || self.c.at_end() || self.at_item() {
                return (nodes, self.stray(above));
            }
            if self.c.is_word("keys") && self.c.is_at(1, "{") {
                let span = self.c.span(self.c.peek());
                let block = self.keys(above);
                match &mut keys {
                    Some(keys) => keys.push(block),
                    None => self.c.report(
                        Diagnostic::error("tick::keys-place", "keys belong to a tree or a file")
                            .at(span, "inside a node")
                            .help("move them to the top of the tree"),
                    ),
                }
                continue;
            }
            let before = self.c.position();
            let start = self.c.span(self.c.peek());
            let Some(mut node) = self.node(start) else {
                self.stray(above);
                self.recover(before);
                continue;
            };
            node.trivia.blank_before = above.trivia.blank_before;
            let mut comments = above.trivia.leading;
            comments.append(&mut node.trivia.leading);
            node.trivia.leading = comments;
            node.doc = above.doc;
            if !above.metadata.is_empty() {
                let mut attributes = above.metadata;
                attributes.append(&mut node.attributes);
                node.attributes = attributes;
            }
            nodes.push(node);
            let next = self.c.peek();
            if !next.newline_before && !self.c.is("}") && !self.c.is(";") {
                let help = nodes.last().and_then(|node| self.after_a_node(node));
                self.c.expected_with("a new line or `;` after a node", help);
                self.recover(before);
            }
        }
    }

    /// What was probably meant by what follows a node on its line.
    fn after_a_node(&self, node: &Node) -> Option<&'static str> {
        let hook = ["on", "while", "fail", "succeed", "skip"];
        if !node.children.is_empty() && hook.iter().any(|word| self.c.is_word(word)) {
            return Some(
                "guards and hooks stand before the braces: sequence on success n = 1 { ... }",
            );
        }
        let found = self.c.peek();
        let Tok::Mark(mark) = found.kind else {
            let words = ["elif", "elseif", "elsif"];
            return match found.kind {
                Tok::Text if node.name.is_none() && builtin(node.kind.as_str()).is_some() => Some(
                    "the name of a node stands right behind its kind: sequence \"name\" reactive",
                ),
                _ if node.kind == "if" && words.iter().any(|word| self.c.is_word(word)) => {
                    Some("write `else if`")
                }
                _ if node.options().any(|option| option.name() == "within") => {
                    Some("the value of an option stands in parentheses: within(3s)")
                }
                _ => (node.kind == "set").then_some("an assignment is written `key = value`"),
            };
        };
        Some(match mark {
            "=" if node.kind == "set" => return None,
            "=" if builtin(node.kind.as_str()).is_some() => {
                "`==` compares; `set key = value` assigns"
            }
            "=" => "`set key = value` assigns; arguments stand in parentheses: (name: value)",
            "," => "nodes are parted by new lines or `;`, not by commas",
            "/" if self.c.is_at(1, "*") => "comments are written `// text`",
            ":" if matches!(node.kind.as_str(), "in" | "out" | "inout") => {
                "parameters stand behind the name of their tree: tree Name(in x: int)"
            }
            ":" => "arguments stand in parentheses: (name: value)",
            ")" => "there is one closing parenthesis too many",
            "[" => "expressions read no single element of a list: a function of the program can",
            _ => return None,
        })
    }

    /// One node without what stands above it.
    fn node(&mut self, start: Span) -> Option<Node> {
        let mut node = Node::default();
        if self.c.is_word("off") && self.is_name_at(1) {
            self.c.next();
            node.disabled = true;
        }
        self.kind(&mut node)?;
        let spec = match node.form {
            Form::Compact => builtin(node.kind.as_str()),
            Form::Explicit(_) => None,
        };
        let misread = self.instance_name(&mut node, spec);
        if let (Some(spec), false) = (spec, misread) {
            self.head(&mut node, spec);
        }
        if self.c.is("(") && !self.c.peek().newline_before {
            self.c.group += 1;
            self.arguments(&mut node);
            self.c.group -= 1;
        }
        self.options(&mut node, spec);
        self.swallow(&mut node.trivia);
        if self.c.is("{") {
            self.children(&mut node);
        } else {
            node.trivia.trailing = self.trailing();
        }
        node.span = start.to(self.c.last_span());
        Some(node)
    }

    fn is_name_at(&self, ahead: usize) -> bool {
        let token = self.c.peek_at(ahead);
        matches!(token.kind, Tok::Name | Tok::QuotedName) && !token.newline_before
    }

    fn kind(&mut self, node: &mut Node) -> Option<()> {
        let token = self.c.peek();
        let word = if token.kind == Tok::Name {
            self.c.str(token)
        } else {
            ""
        };
        if let Some(category) = Category::from_word(word)
            && self.is_name_at(1)
        {
            self.c.next();
            node.form = Form::Explicit(category);
            node.kind = self.c.name()?;
            return Some(());
        }
        // Two words before one: `wait until` before `wait`.
        for two in two_words(word) {
            if let Some((_, second)) = two.words.split_once(' ')
                && self.c.is_word_at(1, second)
                && self.is_name_at(1)
            {
                let span = self.c.span(token).to(self.c.span(self.c.peek_at(1)));
                self.c.next();
                self.c.next();
                node.kind = Name::new(two.name, span);
                return Some(());
            }
        }
        if matches!(
            word,
            "else"
                | "tree"
                | "import"
                | "enum"
                | "main"
                | "keys"
                | "skip"
                | "fail"
                | "succeed"
                | "on"
        ) {
            self.c.syntax_error(
                Diagnostic::error("tick::reserved", format!("`{word}` does not begin a node"))
                    .at(self.c.span(token), "not expected here")
                    .help(match word {
                        "else" => "`else` follows the closing brace of an `if` or a `while`".into(),
                        "skip" | "fail" | "succeed" | "on" => {
                            "guards and hooks stand on the line of their node".into()
                        }
                        _ => format!("a node of that name is written `{word}` between backticks"),
                    }),
            );
            return None;
        }
        let Some(mut name) = self.c.name() else {
            self.c.unexpected("a node");
            return None;
        };
        if token.kind == Tok::Name
            && let Some((_, kind)) = ALIASES.iter().find(|(alias, _)| *alias == name.text)
        {
            name.text = (*kind).to_owned().into();
        }
        if self.c.is(":") && self.c.is_at(1, ":") {
            self.c.syntax_error(
                Diagnostic::error("tick::name", "a name holds letters, digits and `_`")
                    .at(name.span.to(self.c.span(self.c.peek_at(1))), "not a name")
                    .help(format!(
                        "write other names between backticks: `{name}::...`"
                    )),
            );
        }
        node.kind = name;
        Some(())
    }

    /// The text behind a kind. Says whether it was meant as something else, which was reported.
    fn instance_name(&mut self, node: &mut Node, spec: Option<&Builtin>) -> bool {
        if self.c.peek().kind != Tok::Text || self.c.peek().newline_before {
            return false;
        }
        // `log "text"` is a message; only `log "name" "text"` and `log "name" (text)` have a name.
        if spec.is_some_and(|spec| spec.head.takes_text()) {
            let next = self.c.peek_at(1);
            let group = next.kind == Tok::Mark("(") && !self.is_argument_list_at(1);
            let foreign = self.c.is_word_at(1, "btcpp") && self.c.peek_at(2).kind == Tok::Text;
            if next.newline_before || !(next.kind == Tok::Text || group || foreign) {
                return false;
            }
        }
        node.name = self.c.quoted_text();
        if let Tok::Mark(mark @ ("==" | "!=" | "+" | "<" | ">" | "<=" | ">=")) = self.c.peek().kind
        {
            let name = node.name.clone().unwrap_or_default();
            self.c.syntax_error(
                Diagnostic::error("tick::name-first", "a text behind a node is its name")
                    .at(name.span, format!("read as a name, but `{mark}` follows"))
                    .help("put the expression in parentheses if it begins with a text"),
            );
            node.name = None;
            self.c.next();
            expr::expression(&mut self.c);
            return true;
        }
        false
    }

    /// What stands behind a built-in's words.
    fn head(&mut self, node: &mut Node, spec: &Builtin) {
        if self.is_argument_list_at(0) {
            return;
        }
        let ended = self.head_ended();
        match spec.head {
            Head::None => {}
            Head::OptionalValue => {
                let option = self.c.peek();
                let is_option =
                    option.kind == Tok::Name && spec.option(self.c.str(option)).is_some();
                let is_hook = self.hook_ahead().is_some();
                if !ended && !is_option && !is_hook {
                    let value = self.value();
                    node.attributes.push(Attribute::positional(value));
                }
            }
            Head::Script => {
                if ended && !self.c.is("{") {
                    self.c.expected("an assignment such as `key = value`");
                } else {
                    let value = self.script();
                    node.attributes.push(Attribute::positional(value));
                }
            }
            _ if ended => {
                let what = match spec.head {
                    Head::Condition => "a condition such as `battery < 0.2`",
                    Head::Duration => "a duration such as `500ms`",
                    Head::Message => "a message such as `\"hello\"`",
                    Head::Count => "a count, as in `for i in 3`",
                    _ if matches!(spec.name, "retry" | "repeat") => "a number of times such as `3`",
                    _ => "a value",
                };
                self.c.expected(&format!("{what} behind `{}`", spec.words));
            }
            Head::Condition | Head::Value | Head::Duration | Head::Message => {
                let value = self.value();
                node.attributes.push(Attribute::positional(value));
            }
            Head::Values => loop {
                let value = self.value();
                node.attributes.push(Attribute::positional(value));
                if !self.c.eat(",") {
                    break;
                }
            },
            Head::Count => {
                if self.c.is_word_at(1, "in")
                    && let Some(name) = self.c.name()
                {
                    self.c.next();
                    let index = Value::key(name.text, name.span);
                    node.attributes
                        .push(Attribute::argument(Name::new("index", name.span), index));
                }
                let value = self.value();
                let name = Name::new("count", value.span);
                node.attributes.push(Attribute::argument(name, value));
            }
        }
    }

    /// Whether nothing that could be a value follows on the line.
    fn head_ended(&self) -> bool {
        let next = self.c.peek();
        next.newline_before
            || matches!(
                next.kind,
                Tok::End | Tok::Mark("{" | "}" | ";" | ")" | "]" | ",")
            )
    }

    /// `(name: ...`, `()` or `(=`: arguments, not an expression.
    fn is_argument_list_at(&self, ahead: usize) -> bool {
        let name = matches!(self.c.peek_at(ahead + 1).kind, Tok::Name | Tok::QuotedName);
        self.c.is_at(ahead, "(")
            && !self.c.peek_at(ahead).newline_before
            && (self.c.is_at(ahead + 1, ")")
                || self.c.is_at(ahead + 1, "=")
                || name && self.c.is_at(ahead + 2, ":"))
    }

    /// One statement, or several between braces.
    pub(super) fn script(&mut self) -> Value {
        let start = self.c.span(self.c.peek());
        if self.c.is_word("btcpp") && self.c.peek_at(1).kind == Tok::Text {
            return self.value();
        }
        if !self.c.is("{") {
            let statement = expr::statement(&mut self.c);
            let span = start.to(self.c.last_span());
            let kind = match &statement.kind {
                expr::StatementKind::Expr(expr) => self.value_kind(expr, span),
                expr::StatementKind::Assign { .. } => {
                    let text = self.c.slice(span).to_owned();
                    ValueKind::Code(Code {
                        text: text.into(),
                        dialect: Dialect::Tick,
                    })
                }
            };
            return Value { kind, span };
        }
        self.c.next();
        let first = self.c.span(self.c.peek());
        let script = expr::statements(&mut self.c, |cursor| cursor.is("}"));
        let end = self.c.last_span();
        if script.statements.is_empty() {
            self.c.expected("a statement such as `key = value`");
        }
        self.close(start, "the script");
        let span = if end.end >= first.start {
            first.to(end)
        } else {
            first
        };
        let text = self
            .c
            .slice(span)
            .trim_end_matches([';', ' ', '\n'])
            .to_owned();
        let kind = match &script.statements[..] {
            [
                expr::Statement {
                    kind: expr::StatementKind::Expr(expr),
                    ..
                },
            ] if !is_broken(expr) => self.value_kind(expr, span),
            _ => ValueKind::Code(Code {
                text: text.into(),
                dialect: Dialect::Tick,
            }),
        };
        Value { kind, span }
    }

    /// Arguments between parentheses; the next token is the opening one.
    fn arguments(&mut self, node: &mut Node) {
        self.c.next();
        while !self.c.is(")") {
            let before = self.c.position();
            let named =
                matches!(self.c.peek().kind, Tok::Name | Tok::QuotedName) && self.c.is_at(1, ":");
            if named && let Some(name) = self.c.name() {
                self.c.next();
                let value = self.value();
                let duplicate = node.arguments().find(|other| other.name() == name.text);
                if let Some(other) = duplicate {
                    let first = other.span;
                    self.c.report(
                        Diagnostic::error(
                            "tick::duplicate-argument",
                            format!("the argument `{name}` is given twice"),
                        )
                        .at(name.span, "again here")
                        .and(first, "first here"),
                    );
                }
                node.attributes.push(Attribute::argument(name, value));
            } else {
                let value = self.value();
                node.attributes.push(Attribute::positional(value));
                if self.c.is("=") && !self.c.at_end() {
                    self.c.syntax_error(
                        Diagnostic::error("tick::argument", "an argument is written `name: value`")
                            .at(self.c.span(self.c.peek()), "expected `:`"),
                    );
                    self.c.next();
                    self.value();
                }
            }
            if self.c.eat(",") {
                continue;
            }
            if self.c.is(")") {
                break;
            }
            self.c.expected("`,` or `)` after an argument");
            let lost = self.c.peek();
            if lost.newline_before || self.c.is("{") || self.c.is("}") || self.c.at_end() {
                return;
            }
            if self.c.position() == before {
                self.c.next();
            }
        }
        self.c.eat(")");
    }

    /// Children between braces, and the `else` that may follow them.
    fn children(&mut self, node: &mut Node) {
        let (nodes, inner) = self.block(node);
        node.children = nodes;
        node.inner = inner;
        let kind = node.kind.text.clone();
        match kind.as_str() {
            "if" | "while" => {
                self.one_branch(node, 0);
                if self.c.is_word("else") {
                    let comments = self.inner();
                    node.inner.extend(comments);
                    self.c.next();
                    self.else_branch(node);
                    self.one_branch(node, 1);
                }
            }
            _ => {}
        }
    }

    fn block(&mut self, node: &mut Node) -> (Vec<Node>, Vec<Comment>) {
        let open = self.c.span(self.c.peek());
        if self.depth >= MAX_DEPTH {
            self.too_deep();
            self.skip_block();
            return (Vec::new(), Vec::new());
        }
        self.c.next();
        if node.trivia.trailing.is_none() {
            node.trivia.trailing = self.trailing();
        }
        self.depth += 1;
        let result = self.nodes(None);
        self.depth -= 1;
        self.close(open, &format!("the children of `{}`", node.kind));
        result
    }

    fn too_deep(&mut self) {
        let span = self.c.span(self.c.peek());
        let message = format!("nodes are nested more than {MAX_DEPTH} levels deep");
        self.c.syntax_error(
            Diagnostic::error("tick::too-deep", message)
                .at(span, "too deep")
                .help("move a part into a tree of its own"),
        );
    }

    /// Passes over a block without looking inside.
    fn skip_block(&mut self) {
        let mut open = 0_usize;
        while !self.c.at_end() {
            match self.c.next().kind {
                Tok::Mark("{") => open += 1,
                Tok::Mark("}") => {
                    open = open.saturating_sub(1);
                    if open == 0 {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    fn else_branch(&mut self, node: &mut Node) {
        if self.c.is("{") {
            let (nodes, inner) = self.block(&mut Node::new("else"));
            node.children.extend(nodes);
            node.inner.extend(inner);
        } else if self.c.is_word("if") && self.depth >= MAX_DEPTH {
            self.too_deep();
            self.recover(self.c.position());
        } else if self.c.is_word("if") {
            self.depth += 1;
            let start = self.c.span(self.c.peek());
            let child = self.node(start);
            self.depth -= 1;
            node.children.extend(child);
        } else {
            self.c.expected("`{` or `if` after `else`");
        }
    }

    /// Makes sure that exactly one child stands from index `from` on.
    fn one_branch(&mut self, node: &mut Node, from: usize) {
        let count = node.children.len().saturating_sub(from);
        if count == 1 {
            return;
        }
        let branch = if from == 0 { "first" } else { "second" };
        let (message, help) = if count == 0 {
            (
                format!("the {branch} branch of `{}` is empty", node.kind),
                "write `success` or `skipped` for nothing to do",
            )
        } else {
            (
                format!(
                    "the {branch} branch of `{}` holds {count} nodes, expected one",
                    node.kind
                ),
                "wrap them: sequence { ... }",
            )
        };
        let span = node
            .children
            .get(from + 1)
            .map_or(self.c.last_span(), |child| child.span);
        self.c.report(
            Diagnostic::error("tick::branch", message)
                .at(span, "here")
                .help(help),
        );
        let rest = node.children.split_off(from.min(node.children.len()));
        let mut stand_in = Node::new(if count == 0 { "success" } else { "sequence" });
        stand_in.span = rest.first().map_or(span, |first| first.span);
        stand_in.children = rest;
        node.children.push(stand_in);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shortcut_knows_all_built_ins_of_two_words() {
        for builtin in BUILTINS {
            if let Some((first, _)) = builtin.words.split_once(' ') {
                assert!(two_words(first).any(|found| found.name == builtin.name));
            }
        }
    }
}
