//! The proof of the rules: each mutant is caught by its rule and by no other, no near miss is caught, and
//! the rules of a near miss pass. The table rule × subject is written to `target/mutants.txt`.

mod families;
pub mod modules;
mod providers;

use crate::calls::is_nightly;
use crate::common::{Checked, check_with, judge, root, several_a_cpu};
use crate::digest;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use stickler_proof::{Kind, Proof, Subjects, proofs, read, unproven};

/// A subject of a table, and what is run.
#[derive(Clone)]
pub struct Subject {
    pub about: stickler_proof::Subject,
    /// Its rules, its kind and its files, in words.
    pub name: String,
    pub material: Material,
}

/// A part of the suite, cheaper ones first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A transcript is only judged.
    Judged,
    /// The quick sessions of the first example that its rules and their companions read.
    Example,
    /// These sessions of all examples.
    Quick,
    /// All sessions that these rules read.
    Rules,
    /// The whole suite.
    Whole,
    /// The whole suite, whose sessions are kept.
    Kept,
}

impl Part {
    /// As `needs` in a table and the column of the result name it.
    fn name(self) -> &'static str {
        match self {
            Part::Judged => "judged",
            Part::Example => "example",
            Part::Quick => "quick",
            Part::Rules => "rules",
            Part::Whole | Part::Kept => "whole",
        }
    }
}

/// What is run of a subject at once.
#[derive(Clone, Copy, Debug)]
struct Try {
    part: Part,
    /// As little as may show it: a mutant's sessions up to the first failure, few ones of a near miss.
    is_short: bool,
}

impl Try {
    /// As the column of the result names it.
    fn name(self) -> String {
        let short = if self.is_short { "short " } else { "" };
        format!("{short}{}", self.part.name())
    }
}

/// How many sessions of a near miss are held first, beside those of its examples as they are.
const FEW: &str = "6";

/// The name of the first example in a folder's `stickler.toml`.
fn first_example(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("stickler.toml")).ok()?;
    let described: toml::Table = text.parse().ok()?;
    let examples = described.get("example")?.as_array()?;
    let example = examples.first()?;
    // The name of a resource is not its example's.
    let name = example.get("label").or(example.get("name"))?;
    Some(name.as_str()?.to_owned())
}

/// What a subject is made of.
#[derive(Clone)]
pub enum Material {
    /// A promise module.
    Module(modules::Module),
    /// A sound provider with changed files.
    Provider(providers::Provider),
    /// A session that was recorded.
    Transcript(PathBuf),
}

impl Subject {
    fn of(subjects: &Subjects, about: stickler_proof::Subject) -> Subject {
        let (material, files) = if let Some(file) = about.keys.get("transcript") {
            let file = file.as_str().expect("a path").to_owned();
            (Material::Transcript(subjects.folder.join(&file)), file)
        } else if about.keys.contains_key("module") {
            let provider = providers::Provider::of(&subjects.folder, &about.keys);
            let files = provider.name();
            (Material::Provider(provider), files)
        } else {
            let module = modules::Module::of(subjects, &about.keys);
            let files = module.name();
            (Material::Module(module), files)
        };
        Subject {
            name: format!("{} {} {files}", about.rules.join(","), about.kind.name()),
            about,
            material,
        }
    }

    /// The rules that may fail.
    fn may_fail(&self) -> BTreeSet<&str> {
        let own = match self.about.kind {
            Kind::Mutant => &self.about.rules[..],
            Kind::Near => &[],
        };
        own.iter()
            .chain(&self.about.companions)
            .map(String::as_str)
            .collect()
    }

    /// A new folder for it, always at the same path: a compiler then finds what it has compiled, and sessions that
    /// name a file of it are known.
    fn folder(&self) -> PathBuf {
        let mut hasher = blake3::Hasher::new();
        hasher.update(format!("{:?}", self.about).as_bytes());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("proof");
        let folder = folder.join(digest::short(&hasher));
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    /// Runs a part of the suite on it, in a folder.
    fn check(&self, folder: &Path, Try { part, is_short }: Try) -> Checked {
        let mut files = Vec::new();
        match &self.material {
            Material::Module(module) => {
                module.prepare(folder);
                files = module.files();
            }
            Material::Provider(provider) => provider.prepare(folder),
            // It holds what the rules of its table read, and nothing else.
            Material::Transcript(file) => return judge(file, &self.about.rules[0][..2]),
        }
        let codes = self.about.rules.iter().chain(&self.about.companions);
        let codes: Vec<&str> = codes.map(String::as_str).collect();
        let codes = codes.join(",");
        let text = |key: &str| self.about.keys.get(key).and_then(toml::Value::as_str);
        // Examples of another kind have nothing to tell.
        let kind = text("kind_under_test");
        let example = first_example(folder).filter(|_| kind.is_none());
        let mut arguments = vec!["--jobs", "1"];
        arguments.extend(kind.iter().flat_map(|kind| ["--kind", kind]));
        arguments.extend(text("option"));
        match part {
            Part::Judged | Part::Whole => {}
            Part::Kept => arguments.push("--keep"),
            Part::Rules => arguments.extend(["--sessions-for", &codes]),
            Part::Quick => arguments.extend(["--quick", "--sessions-for", &codes]),
            Part::Example => {
                arguments.extend(["--quick", "--sessions-for", &codes]);
                arguments.extend(example.iter().flat_map(|name| ["--example", name]));
            }
        }
        match (is_short, self.about.kind) {
            (false, _) => {}
            (true, Kind::Mutant) => arguments.push("--exit-first"),
            (true, Kind::Near) => arguments.extend(["--sessions", FEW]),
        }
        check_with(folder, &files, &arguments)
    }

    /// What to try. If the verdicts of one are wrong or doubtful, the next runs. The whole suite runs twice, because a
    /// busy machine may have missed a deadline.
    fn tries(&self, thorough: bool) -> Vec<Try> {
        let whole = |part| Try {
            part,
            is_short: false,
        };
        if matches!(self.material, Material::Transcript(_)) {
            return vec![whole(Part::Judged)];
        }
        if thorough {
            return vec![whole(Part::Kept); 2];
        }
        let needs = self.about.keys.get("needs").and_then(toml::Value::as_str);
        let needs = needs.unwrap_or(Part::Example.name());
        let all = [
            Part::Example,
            Part::Quick,
            Part::Rules,
            Part::Whole,
            Part::Whole,
        ];
        let first = all.iter().position(|part| part.name() == needs);
        let all = &all[first.expect("`needs` names a part")..];
        let short = Try {
            part: all[0],
            is_short: true,
        };
        [
            &[short],
            &all.iter().copied().map(whole).collect::<Vec<_>>()[..],
        ]
        .concat()
    }

    /// The verdict on the rules of a near miss. A rule may be silent about it on purpose.
    fn passes_with(&self) -> &str {
        let own = self.about.keys.get("verdict");
        own.map_or("pass", |verdict| verdict.as_str().expect("a verdict"))
    }

    /// What is wrong with the verdicts; `None` if nothing is.
    fn complaint(&self, checked: &Checked) -> Option<String> {
        if checked.rules.is_empty() {
            return Some(format!("no verdicts: {}", checked.stderr));
        }
        for rule in &self.about.rules {
            let own = checked.verdict(rule);
            let is_right = match self.about.kind {
                Kind::Mutant => ["fail", "advice"].contains(&own),
                Kind::Near => own == self.passes_with(),
            };
            if !is_right {
                let failed = checked.with(&["fail", "flaky"]);
                return Some(format!("{rule} is {own}; failed: {failed:?}"));
            }
        }
        let failed = checked.with(&["fail", "flaky"]);
        let may_fail = self.may_fail();
        let others = failed.iter().filter(|code| !may_fail.contains(&***code));
        let others: Vec<&String> = others.collect();
        (!others.is_empty()).then(|| format!("fails beside it: {others:?}"))
    }
}

/// The subjects of all tables, but those in a folder that `ci/test` names: it knows that their proof would come out
/// the same.
fn subjects() -> Vec<Subject> {
    let root = root();
    let unchanged = std::env::var("STICKLER_TEST_UNCHANGED").unwrap_or_default();
    let is_wanted = |proof: &Proof| {
        let mut unchanged = unchanged.split_whitespace();
        !unchanged.any(|folder| Path::new(proof.table).starts_with(folder))
    };
    let all = proofs().into_iter().filter(is_wanted);
    let tables = all.map(|proof| read(&proof, &root).expect("a table"));
    let all = tables.into_iter().flat_map(|mut table| {
        let entries = std::mem::take(&mut table.all).into_iter();
        entries
            .map(|about| Subject::of(&table, about))
            .collect::<Vec<_>>()
    });
    all.collect()
}

/// The first mutant of each rule in its table, and its last near miss. A push proves these; the nightly `ci/prove`
/// proves all.
fn outermost(subjects: Vec<Subject>) -> Vec<Subject> {
    let mut chosen: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (index, subject) in subjects.iter().enumerate() {
        for rule in &subject.about.rules {
            let key = (&**rule, subject.about.kind.name());
            let known = chosen.entry(key).or_insert(index);
            if subject.about.kind == Kind::Near {
                *known = index;
            }
        }
    }
    let chosen: BTreeSet<usize> = chosen.into_values().collect();
    let numbered = subjects.into_iter().enumerate();
    let numbered = numbered.filter(|(index, _)| chosen.contains(index));
    numbered.map(|(_, subject)| subject).collect()
}

/// The last try of a subject.
struct Tried {
    /// What ran.
    tried: Try,
    checked: Checked,
    complaint: Option<String>,
    /// The families that caught it, if the sessions are kept.
    families: BTreeSet<String>,
    /// The time of all tries, and the number of their sessions.
    seconds: f64,
    sessions: u64,
}

fn prove(subject: &Subject, thorough: bool) -> Tried {
    let begin = std::time::Instant::now();
    let mut last = None;
    let mut sessions = 0;
    for one in subject.tries(thorough) {
        let folder = subject.folder();
        let checked = subject.check(&folder, one);
        sessions += checked.sessions;
        let tried = last.insert(Tried {
            sessions,
            tried: one,
            families: families::of(&folder, subject),
            complaint: subject.complaint(&checked),
            checked,
            seconds: begin.elapsed().as_secs_f64(),
        });
        let _ = std::fs::remove_dir_all(&folder);
        if tried.complaint.is_none() {
            break;
        }
    }
    let tried = last.expect("at least one try");
    if let Some(complaint) = &tried.complaint {
        // Prints at once, because the whole table takes a while.
        let _ = writeln!(
            std::io::stderr(),
            "{} ({}): {complaint}",
            subject.name,
            subject.about.why
        );
    }
    tried
}

#[test]
fn each_mutant_is_caught_by_its_rule_alone_and_no_near_miss_is() {
    // `ci/prove` sets both.
    let only = std::env::var("STICKLER_MUTANTS").unwrap_or_default();
    let thorough = is_nightly();
    let mut subjects = subjects();
    subjects.retain(|subject| subject.name.contains(&only));
    assert!(
        !subjects.is_empty() || only.is_empty(),
        "no subject has `{only}` in its name"
    );
    if only.is_empty() && !thorough {
        subjects = outermost(subjects);
    }
    let results = several_a_cpu(3, &subjects, |subject| prove(subject, thorough));
    let mut lines = String::new();
    let mut complaints = String::new();
    for (subject, tried) in subjects.iter().zip(&results) {
        let Tried {
            tried: last,
            seconds,
            sessions,
            ..
        } = tried;
        let failed = tried.checked.with(&["fail", "flaky"]).join(" ");
        let advice = tried.checked.with(&["advice"]).join(" ");
        let _ = writeln!(
            lines,
            "{:<48} {seconds:5.1} s  {sessions:4} sessions  {:<13}  fails: {failed}  advice: {advice}  # {}",
            subject.name,
            last.name(),
            subject.about.why
        );
        if let Some(complaint) = &tried.complaint {
            let _ = writeln!(
                complaints,
                "{} ({}): {complaint}",
                subject.name, subject.about.why
            );
            let _ = writeln!(complaints, "{}", tried.checked.failures().trim_end());
        }
    }
    let _ = std::fs::write(root().join("target/mutants.txt"), &lines);
    if thorough {
        let caught = subjects.iter().zip(results);
        let caught: Vec<_> = caught
            .filter(|(subject, _)| subject.about.kind == Kind::Mutant)
            .map(|(subject, tried)| (subject, tried.families))
            .collect();
        let _ = std::fs::write(root().join("target/families.md"), families::table(&caught));
    }
    assert!(complaints.is_empty(), "\n{complaints}");
}

#[test]
fn every_rule_has_a_mutant_and_a_near_miss() {
    let unproven = unproven(&root()).expect("the tables");
    assert!(
        unproven.is_empty(),
        "without a mutant or a near miss: {unproven:?}"
    );
}
