//! What has changed since results were blessed: for a person, for a review, for continuous integration.

use serde_json::{Map, Value, json};

use super::figures::figure;
use super::page::shell_word;
use crate::measure::{Better, Measure};
use crate::model::{Axis, MODEL_VERSION};
use crate::regression::{Change, Judged, Kind, LENGTH, Parting, Status, Verdict};

/// How scenarios stand, the worst first.
#[derive(Clone, Debug)]
pub struct RegressionReport {
    judged: Vec<Judged>,
    /// Runs a policy.
    runs: u64,
}

impl RegressionReport {
    /// A report; `runs` is how many runs of each policy were made.
    pub fn new(mut judged: Vec<Judged>, runs: u64) -> RegressionReport {
        judged.sort_by(|a, b| (a.status.rank(), &a.file).cmp(&(b.status.rank(), &b.file)));
        RegressionReport { judged, runs }
    }

    /// For a terminal. Of what is the same nothing is said.
    pub fn table(&self) -> String {
        let mut text = String::new();
        for judged in self.not_same() {
            text += &format!("{}: {}\n", judged.file, headline(&judged.status));
            for line in self.details(judged) {
                text += &format!("  {line}\n");
            }
        }
        text + &self.summary() + "\n"
    }

    /// For a comment on a pull request.
    pub fn markdown(&self) -> String {
        let mut text = format!("**{}**\n", self.summary());
        for judged in self.not_same() {
            text += &format!("\n- `{}`: {}\n", judged.file, headline(&judged.status));
            for line in self.details(judged) {
                text += &match line.strip_prefix("    ") {
                    Some(command) => format!("    `{}`\n", command.trim()),
                    None => format!("  - {line}\n"),
                };
            }
        }
        text
    }

    /// Workflow commands of GitHub Actions, each of which becomes an annotation of the scenario's file.
    pub fn github(&self) -> String {
        let mut text = String::new();
        for judged in self.not_same() {
            let message =
                [headline(&judged.status)].into_iter().chain(self.details(judged)).collect::<Vec<_>>().join("\n");
            text += &format!(
                "::error file={},title=rehearsal regress::{}\n",
                data(&judged.file).replace(':', "%3A").replace(',', "%2C"),
                data(&message)
            );
        }
        text + &self.summary() + "\n"
    }

    /// As JUnit's XML: a test case a scenario.
    pub fn junit(&self) -> String {
        let mut report = quick_junit::Report::new("rehearsal regress");
        let mut suite = quick_junit::TestSuite::new("rehearsal regress");
        for judged in &self.judged {
            let mut status = match judged.status {
                Status::Same => quick_junit::TestCaseStatus::success(),
                Status::Wrong(_) => quick_junit::TestCaseStatus::non_success(quick_junit::NonSuccessKind::Error),
                _ => quick_junit::TestCaseStatus::non_success(quick_junit::NonSuccessKind::Failure),
            };
            if !judged.status.is_same() {
                status.set_message(headline(&judged.status)).set_description(self.details(judged).join("\n"));
            }
            suite.add_test_case(quick_junit::TestCase::new(judged.file.as_str(), status));
        }
        report.add_test_suite(suite);
        report.to_string().expect("text can be written to memory")
    }

    /// As JSON.
    pub fn json(&self) -> Value {
        let counts: Map<String, Value> =
            self.counts().into_iter().map(|(word, count)| (word.to_owned(), json!(count))).collect();
        json!({
            "model": MODEL_VERSION,
            "runs": self.runs,
            "scenarios": self.judged.iter().map(judged_as_json).collect::<Vec<_>>(),
            "summary": counts,
        })
    }

    /// How many stand how, in a sentence.
    pub fn summary(&self) -> String {
        let s = |count: usize| if count == 1 { "" } else { "s" };
        let number = self.judged.len();
        let counts = self.counts().into_iter().filter(|&(_, count)| count > 0);
        let counts: Vec<String> = counts.map(|(word, count)| format!("{count} {word}")).collect();
        let flips = self.flips();
        let mut text = format!("{number} scenario{}, {} run{} a policy", s(number), self.runs, s(self.runs as usize));
        if !counts.is_empty() {
            text += &format!(": {}", counts.join(", "));
        }
        if flips > 0 {
            text += &format!("; {flips} verdict{} flipped", s(flips));
        }
        text
    }

    fn flips(&self) -> usize {
        let changes = self.judged.iter().filter_map(|judged| match &judged.status {
            Status::Changed { changes, .. } => Some(changes),
            _ => None,
        });
        changes.flatten().filter(|change| change.is_flip()).count()
    }

    fn counts(&self) -> Vec<(&'static str, usize)> {
        ["same", "changed", "of another model", "new", "gone", "wrong"]
            .into_iter()
            .map(|word| (word, self.judged.iter().filter(|judged| word_of(&judged.status) == word).count()))
            .collect()
    }

    fn not_same(&self) -> impl Iterator<Item = &Judged> {
        self.judged.iter().filter(|judged| !judged.status.is_same())
    }

    /// A line a change; a command stands indented under what it shows.
    fn details(&self, judged: &Judged) -> Vec<String> {
        let mut lines = Vec::new();
        if let Status::Changed { changes, .. } = &judged.status {
            for change in changes {
                lines.push(self.words(change));
                if matches!(&change.kind, Kind::Flipped { to: Some(Verdict::Fails), .. }) {
                    lines.push(format!("    rehearsal validate {} --runs {}", shell_word(&judged.file), self.runs));
                }
                if let (Kind::Parted(parting), Some(policy)) = (&change.kind, &change.policy) {
                    let (file, policy) = (shell_word(&judged.file), shell_word(policy));
                    lines.push(format!("    rehearsal run {file} --policy {policy} --seed {} -v", parting.seed));
                }
            }
        }
        lines
    }

    fn words(&self, change: &Change) -> String {
        let of = change.policy.as_ref().map(|policy| format!("{policy}: ")).unwrap_or_default();
        let what = match &change.kind {
            Kind::Flipped { says, from: Some(from), to: Some(to) } => {
                format!("VERDICT FLIPPED from {} to {}: {says}", from.name(), to.name())
            }
            Kind::Flipped { says, from: None, to } => {
                format!("new expectation, which {}: {says}", to.map_or("is gone", Verdict::name))
            }
            Kind::Flipped { says, to: None, .. } => format!("expectation gone: {says}"),
            Kind::Appeared => "a policy that was not there".to_owned(),
            Kind::Vanished => "the policy is gone".to_owned(),
            Kind::Outcomes { outcome, from, to } => {
                format!("{from} → {to} of {} runs {}", self.runs, outcome.name())
            }
            Kind::Moved { measure, from, to } => moved(measure, *from, *to),
            Kind::Parted(parting) => self.parted(parting),
        };
        of + &what
    }

    fn parted(&self, parting: &Parting) -> String {
        let Parting { seed, runs, fact, now } = parting;
        let often = format!("{runs} of {} runs have other facts", self.runs);
        match (fact, now) {
            (Some(fact), Some(now)) => format!("{often}; that of seed {seed} from fact {} on, now: {now}", fact + 1),
            (Some(fact), None) => format!("{often}; that of seed {seed} ends before fact {}, which it had", fact + 1),
            (None, _) => format!(
                "{often}; the first is that of seed {seed}, after more than {LENGTH} facts or beyond the first seed"
            ),
        }
    }
}

fn word_of(status: &Status) -> &'static str {
    match status {
        Status::Same => "same",
        Status::Changed { .. } => "changed",
        Status::OtherModel(_) => "of another model",
        Status::New => "new",
        Status::Gone => "gone",
        Status::Wrong(_) => "wrong",
    }
}

fn headline(status: &Status) -> String {
    match status {
        Status::Same => "same".to_owned(),
        Status::Changed { edited: true, changes } if changes.is_empty() => {
            "its text changed, and it comes to the same".to_owned()
        }
        Status::Changed { edited: true, .. } => "changed, and so did its text".to_owned(),
        Status::Changed { edited: false, .. } => "changed, though its text did not".to_owned(),
        Status::OtherModel(was) => {
            format!("blessed by version {was} of the model, and not compared: this is version {MODEL_VERSION}")
        }
        Status::New => "there is no blessed result".to_owned(),
        Status::Gone => "there is a blessed result, but no scenario".to_owned(),
        Status::Wrong(message) => message.clone(),
    }
}

fn moved(measure: &Measure, from: Option<f64>, to: Option<f64>) -> String {
    let (was, is) = (from.unwrap_or(0.0), to.unwrap_or(0.0));
    let word = match (measure.better, is > was) {
        (Better::Neither, _) => "",
        (Better::Lower, true) | (Better::Higher, false) => ", worse",
        _ => ", better",
    };
    let (mut old, mut new) = (figure(measure.kind, was), figure(measure.kind, is));
    if old == new {
        // What a person would round away is still a change.
        (old, new) = (was.to_string(), is.to_string());
    }
    format!("mean {} {old} → {new}{word}", measure.name)
}

fn judged_as_json(judged: &Judged) -> Value {
    let mut object = Map::new();
    object.insert("file".into(), json!(judged.file));
    object.insert("status".into(), json!(word_of(&judged.status)));
    match &judged.status {
        Status::Changed { edited, changes } => {
            object.insert("edited".into(), json!(edited));
            object.insert("changes".into(), changes.iter().map(change_as_json).collect());
        }
        Status::OtherModel(was) => {
            object.insert("model".into(), json!(was));
        }
        Status::Wrong(message) => {
            object.insert("error".into(), json!(message));
        }
        Status::Same | Status::New | Status::Gone => {}
    }
    Value::Object(object)
}

fn change_as_json(change: &Change) -> Value {
    let policy = &change.policy;
    match &change.kind {
        Kind::Flipped { says, from, to } => {
            let name = |verdict: &Option<Verdict>| verdict.map(Verdict::name);
            json!({ "kind": "verdict", "expectation": says, "from": name(from), "to": name(to) })
        }
        Kind::Appeared => json!({ "kind": "appeared", "policy": policy }),
        Kind::Vanished => json!({ "kind": "vanished", "policy": policy }),
        Kind::Outcomes { outcome, from, to } => {
            json!({ "kind": "outcome", "policy": policy, "outcome": outcome.name(), "from": from, "to": to })
        }
        Kind::Moved { measure, from, to } => {
            json!({ "kind": "mean", "policy": policy, "measure": measure.name, "from": from, "to": to })
        }
        Kind::Parted(Parting { seed, runs, fact, now }) => {
            let fact = fact.map(|fact| fact + 1);
            json!({ "kind": "facts", "policy": policy, "runs": runs, "seed": seed, "fact": fact, "now": now })
        }
    }
}

/// Text as a workflow command carries it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}
