//! Conformance with BehaviorTree.CPP and Nav2: cases with the lines that those engines printed.
//!
//! A case has XML, a plan (what each scripted leaf answers, call by call), commands, and the
//! expected lines. Leaves are `Act` (a `StatefulActionNode`), `Cond` (a condition) and `Sync` (a
//! synchronous action); the plan names them by their instance name. Its letters: `S` success, `F`
//! failure, `R` running, `K` skipped, `X` throws; the last one repeats; without a plan it is `S`.

mod export;
mod leaves;
mod refusals;
mod run;
mod tinyxml;

use std::collections::BTreeMap;

pub use run::run;

/// One case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// The file.
    pub xml: String,
    /// Answers by leaf.
    pub plan: BTreeMap<String, String>,
    /// Commands in order.
    pub commands: Vec<String>,
    /// The lines that are to come.
    pub expected: String,
}

/// What came of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The case's name.
    pub name: String,
    /// The lines that came.
    pub found: String,
    /// The lines that were to come.
    pub expected: String,
}

impl Outcome {
    /// Whether they are the same, spaces at the ends of lines aside.
    #[must_use]
    pub fn passes(&self) -> bool {
        let lines = |text: &str| -> Vec<String> {
            let lines = text
                .trim_end()
                .lines()
                .map(|line| line.trim_end().to_owned());
            lines.collect()
        };
        lines(&self.found) == lines(&self.expected)
    }
}

/// Reads cases from JSON.
///
/// # Errors
/// What is wrong with it.
pub fn cases(json: &str) -> Result<Vec<Case>, String> {
    let value: serde_json::Value = serde_json::from_str(json).map_err(|e| e.to_string())?;
    let list = value.as_array().ok_or("expected a list of cases")?;
    let case = |value: &serde_json::Value| -> Result<Case, String> {
        let text = |name: &str| {
            let text = value.get(name).and_then(|v| v.as_str());
            text.map(str::to_owned)
                .ok_or_else(|| format!("a case has no `{name}`"))
        };
        let plan = value.get("plan").and_then(|v| v.as_object());
        let plan = plan
            .into_iter()
            .flatten()
            .map(|(leaf, answers)| (leaf.clone(), answers.as_str().unwrap_or("S").to_owned()));
        let commands = match value.get("commands") {
            Some(serde_json::Value::String(words)) => {
                words.split_whitespace().map(str::to_owned).collect()
            }
            Some(serde_json::Value::Array(list)) => {
                let texts = list.iter().filter_map(|v| v.as_str());
                texts.map(str::to_owned).collect()
            }
            _ => return Err("a case has no `commands`".to_owned()),
        };
        Ok(Case {
            name: text("name")?,
            xml: text("xml")?,
            plan: plan.collect(),
            commands,
            expected: text("expected")?,
        })
    };
    list.iter().map(case).collect()
}

/// Runs all cases.
#[must_use]
pub fn run_all(cases: &[Case]) -> Vec<Outcome> {
    let outcome = |case: &Case| Outcome {
        name: case.name.clone(),
        found: run(case),
        expected: case.expected.clone(),
    };
    cases.iter().map(outcome).collect()
}
