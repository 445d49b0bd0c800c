//! How a comparison is shown to people.

use anstyle::{AnsiColor, Style};
use std::fmt::Write as _;
use stickler_reading::words::shown;
use stickler_report::{count, diff, visible};
use stickler_suite::equal::{Answer, ComparisonStage, Difference, Held, Round, Verdict, in_words};
use stickler_transcript::Bytes;

/// How many characters of a path are shown.
const PATH: usize = 80;
/// How many lines of a difference of texts are shown.
const LINES: usize = 20;

/// A comparison.
pub struct Comparison<'a> {
    /// The name of the intent.
    pub intent: &'a str,
    /// What the subjects did.
    pub held: &'a [Held],
    /// The result.
    pub verdict: Verdict,
    /// Where they part.
    pub found: &'a [Difference],
    /// The sandbox, in words.
    pub sandbox: &'a str,
    /// Are conversations shown, too?
    pub verbose: bool,
    /// Are colours used?
    pub color: bool,
}

impl Comparison<'_> {
    /// All of it as text.
    pub fn text(&self) -> String {
        let mut text = self.head();
        for stage in ComparisonStage::ALL {
            self.stage(&mut text, stage);
        }
        for (at, one) in self.found.iter().enumerate() {
            // A difference that stays is told once, with all its stages.
            let is_first = !self.found[..at].iter().any(|known| is_same(known, one));
            if is_first {
                self.difference(&mut text, one);
            }
        }
        if self.verbose {
            self.conversations(&mut text);
        }
        self.last(&mut text);
        text
    }

    fn head(&self) -> String {
        let subject = |one: &Held| match one.name == one.dialect {
            true => one.name.clone(),
            false => format!("{} ({})", one.name, one.dialect),
        };
        let subjects = self.held.iter().map(subject).collect::<Vec<_>>().join(", ");
        let intent = visible(self.intent);
        format!("{intent} · {} · {}\n", visible(&subjects), self.sandbox)
    }

    fn stage(&self, text: &mut String, stage: ComparisonStage) {
        let bold = self.style(Style::new().bold());
        let _ = writeln!(text, "\n{bold}{}{bold:#}", stage.name());
        for held in self.held {
            match held.round(stage) {
                Some(round) => self.row(text, held, round),
                None => {
                    let mut out = held.left_out.iter();
                    let why = out
                        .find(|(out, _)| *out == stage)
                        .map_or("", |(_, why)| why);
                    let name = self.name(held);
                    let _ = writeln!(text, "  {name}  not compared: {}", visible(why));
                }
            }
        }
    }

    /// What a subject claims, and what it leaves at the paths that any of them changed.
    fn row(&self, text: &mut String, held: &Held, round: &Round) {
        let claim = round.claim.word(round.stage);
        let style = self.style(match round.claim {
            Answer::Changed | Answer::InSync => Style::new(),
            _ => Style::new().fg_color(Some(AnsiColor::Red.into())),
        });
        let mut left: Vec<String> = self
            .paths(round.stage)
            .into_iter()
            .map(|path| {
                let own = round.left.get(path);
                let state = match own {
                    Some(change) => in_words(change.after.as_ref(), &held.case),
                    None => "unchanged".to_owned(),
                };
                format!("{}  {state}", shown(path, &held.case, PATH))
            })
            .collect();
        if left.is_empty() {
            left.push("changed nothing".to_owned());
        }
        let name = self.name(held);
        let indent = " ".repeat(name.chars().count() + 18);
        for (at, line) in left.iter().enumerate() {
            let line = visible(line);
            let _ = match at {
                0 => writeln!(text, "  {name}  {style}{claim:12}{style:#}  {line}"),
                _ => writeln!(text, "{indent}{line}"),
            };
        }
    }

    /// The paths that any subject changed in a stage.
    fn paths(&self, stage: ComparisonStage) -> Vec<&Bytes> {
        let rounds = self.held.iter().filter_map(|held| held.round(stage));
        let mut paths: Vec<&Bytes> = rounds.flat_map(|round| round.left.keys()).collect();
        paths.sort();
        paths.dedup();
        paths
    }

    /// A subject's name, as wide as the widest.
    fn name(&self, held: &Held) -> String {
        let width = |name: &str| name.chars().count();
        let names = self.held.iter().map(|one| width(&visible(&one.name)));
        let name = visible(&held.name);
        let gap = names.max().unwrap_or_default().saturating_sub(width(&name));
        format!("{name}{}", " ".repeat(gap))
    }

    fn difference(&self, text: &mut String, found: &Difference) {
        let red = self.style(Style::new().bold().fg_color(Some(AnsiColor::Red.into())));
        let who = found
            .subject
            .as_ref()
            .map_or_else(String::new, |name| format!("  {}", visible(name)));
        let stages = self.found.iter().filter(|one| is_same(one, found));
        let stages: Vec<&str> = stages.map(|one| one.stage.name()).collect();
        let stages = stages.join(", ");
        let mut lines = found.message.lines();
        let first = visible(lines.next().unwrap_or_default()).into_owned();
        let _ = writeln!(text, "\n{red}DIFFER{red:#}{who}  {stages}  {first}");
        for line in lines {
            let _ = writeln!(text, "      {}", visible(line));
        }
        if let Some((wanted, own)) = &found.texts {
            text.push_str(&diff(wanted, own, LINES, self.color));
        }
    }

    /// The sessions of those that differ.
    fn conversations(&self, text: &mut String) {
        for held in self.held {
            // Two stages may share a session.
            let mut last = "";
            for round in &held.rounds {
                let differs = |one: &&Difference| {
                    let is_it = one.subject.as_ref().is_none_or(|name| *name == held.name);
                    one.stage == round.stage && is_it
                };
                if !self.found.iter().any(|one| differs(&one)) || round.conversation == last {
                    continue;
                }
                last = &round.conversation;
                let (name, stage) = (visible(&held.name).into_owned(), round.stage.name());
                let _ = writeln!(text, "\n{name}, {stage}:");
                for line in round.conversation.lines() {
                    let _ = writeln!(text, "{}", format!("  {}", visible(line)).trim_end());
                }
            }
        }
    }

    fn last(&self, text: &mut String) {
        let color = match self.verdict {
            Verdict::Agree => AnsiColor::Green,
            Verdict::Differ | Verdict::Nothing => AnsiColor::Red,
        };
        let style = self.style(Style::new().bold().fg_color(Some(color.into())));
        let subjects = count(self.held.len(), "subject");
        let words = match self.verdict {
            Verdict::Agree => format!("{style}agree{style:#}  {subjects}, {}", self.compared()),
            Verdict::Nothing => format!(
                "{style}nothing compared{style:#}  none of {subjects} brought the intent about"
            ),
            Verdict::Differ => {
                let differing = self.held.iter().filter(|held| {
                    let mut found = self.found.iter();
                    found.any(|one| one.subject.as_ref() == Some(&held.name))
                });
                let names: Vec<String> = differing
                    .map(|held| visible(&held.name).into_owned())
                    .collect();
                let who = match names.is_empty() {
                    true => "no side has a majority".to_owned(),
                    false => names.join(" and "),
                };
                let found = count(self.found.len(), "difference");
                format!("{style}differ{style:#}  {who}: {found} among {subjects}")
            }
        };
        let _ = writeln!(text, "\n{words}");
    }

    /// The stages in which at least two subjects were compared.
    fn compared(&self) -> String {
        let held = |stage: &ComparisonStage| {
            self.held
                .iter()
                .filter(|one| one.round(*stage).is_some())
                .count()
        };
        let stages = ComparisonStage::ALL
            .into_iter()
            .filter(|stage| held(stage) > 1);
        let names: Vec<&str> = stages.map(ComparisonStage::name).collect();
        format!("{}: {}", count(names.len(), "stage"), names.join(", "))
    }

    fn style(&self, style: Style) -> Style {
        match self.color {
            true => style,
            false => Style::new(),
        }
    }
}

/// Are these the same difference in two stages?
fn is_same(one: &Difference, other: &Difference) -> bool {
    one.subject == other.subject && one.aspect == other.aspect && one.message == other.message
}
