//! What simulated leaves do, in words.

use std::fmt;

use crate::diagnostics::nearest;
use crate::model::parse_duration;

/// Which leaf does what. Of several rules that fit a leaf the first counts.
///
/// A rule is `PATTERN = BEHAVIOUR`. The pattern is compared with a leaf's kind, its name and its path;
/// `*` stands for any characters and `?` for one. A behaviour is
///
/// | | |
/// |---|---|
/// | `success` | answers at once; also `failure`, `skipped`, `running` (for ever), `error` |
/// | `success after 2s` | runs for two seconds first; `after 1s..3s` draws how long |
/// | `running 3 ticks then failure` | runs for three ticks first; the same as `failure after 3 ticks` |
/// | `success 80%` | fails else; `success 80% else skipped` |
/// | `failure, failure, success` | one answer each time it begins, then the last again and again |
/// | `failure, success, ...` | the same, and then from the start |
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    rules: Vec<(String, Behaviour)>,
    default: Option<Behaviour>,
}

/// What a leaf does, activation by activation.
#[derive(Clone, Debug, PartialEq)]
pub struct Behaviour {
    /// At least one.
    activations: Vec<Activation>,
    /// Whether it starts over after the last; else the last repeats.
    cycles: bool,
}

/// What a leaf does from a beginning to its end.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Activation {
    /// How long it runs first.
    pub length: Length,
    /// What it answers then.
    pub verdict: Verdict,
    /// How likely that is, if it is not certain.
    pub chance: Option<Chance>,
}

/// How likely a verdict is, and what comes else.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chance {
    /// From 0 to 1.
    pub of: f64,
    /// The other verdict.
    pub or: Verdict,
}

/// How long a leaf runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// For so many ticks.
    Ticks(u32),
    /// For between so many nanoseconds.
    Time(u64, u64),
}

/// How a leaf ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Success.
    Success,
    /// Failure.
    Failure,
    /// As if it were not there.
    Skipped,
    /// It does not end.
    Running,
    /// With an error, which stops the agent.
    Error,
}

/// What is wrong with a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanError {
    /// The line, from 1; none for a rule by itself.
    pub line: Option<usize>,
    /// What was found and what was expected.
    pub message: String,
}

impl fmt::Display for PlanError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl std::error::Error for PlanError {}

impl Plan {
    /// Adds a rule, `PATTERN = BEHAVIOUR`, behind those that are there.
    ///
    /// # Errors
    /// It is no rule.
    pub fn add(&mut self, rule: &str) -> Result<(), PlanError> {
        let Some((pattern, behaviour)) = rule.split_once('=') else {
            return Err(wrong(format!(
                "`{rule}` is no rule: expected PATTERN = BEHAVIOUR, such as `Move* = success after 2s`"
            )));
        };
        let pattern = pattern.trim();
        if pattern.is_empty() {
            return Err(wrong(format!(
                "`{rule}` has no pattern before `=`; `*` stands for every leaf"
            )));
        }
        let behaviour = Behaviour::parse(behaviour)?;
        self.rules.push((pattern.to_owned(), behaviour));
        Ok(())
    }

    /// Sets what leaves do that no rule fits.
    ///
    /// # Errors
    /// It is no behaviour.
    pub fn set_default(&mut self, behaviour: &str) -> Result<(), PlanError> {
        self.default = Some(Behaviour::parse(behaviour)?);
        Ok(())
    }

    /// Adds the rules of a text: one a line; `default = BEHAVIOUR` for all other leaves; `#` begins a
    /// remark.
    ///
    /// # Errors
    /// The first line that is no rule.
    pub fn read(&mut self, text: &str) -> Result<(), PlanError> {
        for (i, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or("").trim();
            if line.is_empty() {
                continue;
            }
            let default = line
                .strip_prefix("default")
                .and_then(|rest| rest.trim_start().strip_prefix('='));
            let added = match default {
                Some(behaviour) => self.set_default(behaviour),
                None => self.add(line),
            };
            added.map_err(|error| PlanError {
                line: Some(i + 1),
                ..error
            })?;
        }
        Ok(())
    }

    /// The patterns that fit none of these leaves (kind, name and path each): probably mistyped.
    pub fn unused<'p>(&'p self, leaves: &[[&str; 3]]) -> Vec<&'p str> {
        let fits = |pattern: &str| leaves.iter().flatten().any(|name| matches(pattern, name));
        let patterns = self.rules.iter().map(|(pattern, _)| pattern.as_str());
        patterns.filter(|pattern| !fits(pattern)).collect()
    }

    /// What a leaf of these names does. By default conditions succeed, and all else runs for three
    /// ticks and succeeds then.
    pub(super) fn of(&self, names: &[&str], condition: bool) -> Behaviour {
        let rule = self
            .rules
            .iter()
            .find(|(pattern, _)| names.iter().any(|name| matches(pattern, name)));
        if let Some((_, behaviour)) = rule {
            return behaviour.clone();
        }
        self.default.clone().unwrap_or_else(|| Behaviour {
            activations: vec![Activation {
                length: Length::Ticks(if condition { 0 } else { 3 }),
                verdict: Verdict::Success,
                chance: None,
            }],
            cycles: false,
        })
    }
}

impl Behaviour {
    /// Reads a behaviour.
    ///
    /// # Errors
    /// What was found and what was expected.
    pub fn parse(text: &str) -> Result<Behaviour, PlanError> {
        let mut parts: Vec<&str> = text.split(',').map(str::trim).collect();
        let cycles = parts.len() > 1 && parts.last() == Some(&"...");
        if cycles {
            parts.pop();
        }
        let activations: Result<Vec<_>, _> = parts.into_iter().map(activation).collect();
        Ok(Behaviour {
            activations: activations?,
            cycles,
        })
    }

    /// Whether it can answer that it does not apply.
    pub(super) fn may_skip(&self) -> bool {
        self.activations.iter().any(|activation| {
            let or = activation.chance.map(|chance| chance.or);
            activation.verdict == Verdict::Skipped || or == Some(Verdict::Skipped)
        })
    }

    /// What happens the `count`-th time, from 0.
    pub(super) fn activation(&self, count: u32) -> Activation {
        let last = self.activations.len() - 1;
        let at = if self.cycles {
            count as usize % self.activations.len()
        } else {
            (count as usize).min(last)
        };
        self.activations[at]
    }
}

fn wrong(message: String) -> PlanError {
    PlanError {
        line: None,
        message,
    }
}

const VERDICTS: [(&str, Verdict); 5] = [
    ("success", Verdict::Success),
    ("failure", Verdict::Failure),
    ("skipped", Verdict::Skipped),
    ("running", Verdict::Running),
    ("error", Verdict::Error),
];

/// Words of one activation and the place among them.
struct Words<'t> {
    text: &'t str,
    words: Vec<&'t str>,
    at: usize,
}

impl<'t> Words<'t> {
    fn peek(&self) -> Option<&'t str> {
        self.words.get(self.at).copied()
    }

    fn eat(&mut self, word: &str) -> bool {
        let found = self
            .peek()
            .is_some_and(|next| next.eq_ignore_ascii_case(word));
        self.at += usize::from(found);
        found
    }

    fn expected(&self, what: &str) -> PlanError {
        let found = match self.peek() {
            Some(word) => format!("found `{word}`"),
            None => "found its end".to_owned(),
        };
        wrong(format!("in `{}`: {found}, expected {what}", self.text))
    }

    fn verdict(&mut self) -> Result<Verdict, PlanError> {
        let word = self.peek().unwrap_or("");
        let found = VERDICTS
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(word));
        if let Some((_, verdict)) = found {
            self.at += 1;
            return Ok(*verdict);
        }
        let error = self.expected("`success`, `failure`, `skipped`, `running` or `error`");
        Err(match nearest(word, VERDICTS.map(|(name, _)| name)) {
            Some(near) => wrong(format!("{}; did you mean `{near}`?", error.message)),
            None => error,
        })
    }

    /// `3 ticks`, `2s`, `1s..3s`.
    fn length(&mut self) -> Result<Length, PlanError> {
        let what = "how long: `3 ticks`, `2s` or `1s..3s`";
        let word = self.peek().ok_or_else(|| self.expected(what))?;
        if let Ok(ticks) = word.parse::<u32>() {
            self.at += 1;
            if !(self.eat("ticks") || self.eat("tick")) {
                return Err(self.expected("`ticks` behind the number, or a unit: `2s`"));
            }
            return Ok(Length::Ticks(ticks));
        }
        let time = |text: &str| parse_duration(text).and_then(|nanos| u64::try_from(nanos).ok());
        let range = match word.split_once("..") {
            Some((from, to)) => time(from).zip(time(to)).filter(|(from, to)| from <= to),
            None => time(word).map(|nanos| (nanos, nanos)),
        };
        let (from, to) = range.ok_or_else(|| self.expected(what))?;
        self.at += 1;
        Ok(Length::Time(from, to))
    }
}

fn activation(text: &str) -> Result<Activation, PlanError> {
    let mut words = Words {
        text,
        words: text.split_whitespace().collect(),
        at: 0,
    };
    let mut length = Length::Ticks(0);
    let mut verdict = words.verdict()?;
    // `running 3 ticks then success`, `running for 2s then success`.
    if verdict == Verdict::Running && words.peek().is_some() && !words.eat("after") {
        words.eat("for");
        length = words.length()?;
        if !words.eat("then") {
            return Err(words.expected("`then` and an answer"));
        }
        verdict = words.verdict()?;
    }
    let mut chance = None;
    if let Some(percent) = words.peek().and_then(|word| word.strip_suffix('%')) {
        let of = percent
            .parse::<f64>()
            .ok()
            .filter(|p| (0.0..=100.0).contains(p));
        let of = of.ok_or_else(|| words.expected("a percentage from 0% to 100%"))?;
        words.at += 1;
        let or = if words.eat("else") {
            words.verdict()?
        } else if verdict == Verdict::Failure {
            Verdict::Success
        } else {
            Verdict::Failure
        };
        chance = Some(Chance { of: of / 100.0, or });
    }
    if length == Length::Ticks(0) && words.eat("after") {
        length = words.length()?;
    }
    if words.peek().is_some() {
        return Err(words.expected("its end, `after` and how long, or `,` and the next answer"));
    }
    Ok(Activation {
        length,
        verdict,
        chance,
    })
}

/// Whether a pattern with `*` and `?` fits all of a name. Time grows with the product of their
/// lengths only.
fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut p, mut n) = (0, 0);
    // Where the last star stood, and how much of the name it stands for.
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(c) if *c == '?' || *c == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match &mut star {
                Some((at, taken)) => {
                    *taken += 1;
                    p = *at + 1;
                    n = *taken;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '*')
}
