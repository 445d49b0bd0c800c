//! `stickler judge`: judges stored transcripts. It starts no process.

use crate::args::JudgeArgs;
use crate::check::{selected, show};
use crate::outputs;
use crate::transcripts;
use std::collections::BTreeSet;
use std::time::Instant;
use stickler_face::{Chosen, Dialects, Done, Face, description, subject};
use stickler_judge::{
    AnySession, Expectations, Explained, Pages, Report, Reported, Timeline, Verdict,
};
use stickler_suite::{Vocabulary, behind, expectations, judged};
use stickler_transcript::Transcript;

/// The message for a rule without a verdict.
const SILENT: &str = "these transcripts do not exercise this rule";

pub fn run(dialects: &Dialects, args: &JudgeArgs) -> Done {
    let began = Instant::now();
    let mut run = Run::default();
    for (index, file) in args.files.iter().enumerate() {
        if args.files[..index].contains(file) {
            continue;
        }
        run.add(index, transcripts::read(file)?);
    }
    let taken = run.taken.iter().map(|(_, transcript)| transcript);
    let dialect = transcripts::dialect(dialects, taken)?;
    judge(&dialects.named(&dialect)?, args, run, began)
}

fn judge(chosen: &Chosen<'_>, args: &JudgeArgs, run: Run, began: Instant) -> Done {
    let face = chosen.face;
    let dialect = face.dialect();
    let mut rules = selected(&args.report, &dialect.all_rules())?;
    let mut outputs = outputs::open(&args.report)?;
    let expectations = match &args.config {
        Some(file) if !file.exists() => return Err(stickler_face::missing::missing(file)),
        Some(file) => expectations(&description::read(chosen, file)?),
        None => Expectations::default(),
    };
    let (sources, transcripts): (Vec<usize>, Vec<Transcript>) = run.taken.into_iter().unzip();
    let sessions: Vec<AnySession> = transcripts
        .into_iter()
        .map(|one| dialect.read(one))
        .collect();
    if args.report.select.is_empty() && !sessions.iter().any(|one| one.case().is_driven()) {
        let agents = dialect.rules_for_agents();
        rules.retain(|rule| !agents.iter().any(|other| other.code == rule.code));
    }
    let report = |outcome: Explained| -> Reported {
        let outcome = match outcome.verdict {
            Verdict::NotExercised => outcome.because(SILENT),
            _ => outcome,
        };
        let reproducer = reproducer(&outcome, &sessions, &sources)
            .filter(|source| args.files[*source].as_os_str() != "-")
            .map(|source| args.files[source].display().to_string());
        let timelines = timelines(&outcome, &sessions);
        outcome.reported(reproducer, timelines)
    };
    let outcomes = judged(dialect, &rules, &sessions, &expectations).into_iter();
    let outcomes = outcomes.map(report).collect();
    let report = Report {
        subject: subjects(&sessions, face.vocabulary()),
        location: args
            .files
            .first()
            .map(|file| transcripts::name(file))
            .unwrap_or_default(),
        files: Vec::new(),
        command: String::new(),
        began: String::new(),
        rules_page: dialect.rules_page(),
        pages: Pages::of_rules(dialect.all_rules()),
        facts: facts(face, &sessions, args.files.len()),
        exchanges: sessions.iter().map(|one| one.reading().length()).sum(),
        sessions: sessions.len(),
        seconds: began.elapsed().as_secs_f64(),
        strict: args.report.strict,
        hints: hints(&sessions),
        interrupted: false,
        idle: false,
        without_examples: false,
        seed: sessions.first().map_or(0, |session| session.case().seed),
        outcomes,
    };
    show(&report, &args.report, &mut outputs)?;
    Ok(report.exit())
}

/// Transcripts of several files, arranged so that only sessions of the same run share groups.
#[derive(Default)]
struct Run {
    /// The file's index and the session.
    taken: Vec<(usize, Transcript)>,
    /// The runs found so far: the subject, and the sessions in their original form.
    runs: Vec<(Vec<u8>, Vec<Transcript>)>,
}

impl Run {
    /// Adds a file. Identical sessions are added once: two reproducers of one run contain the same
    /// baseline. If a file has a different session with a known name, it comes from another run.
    fn add(&mut self, file: usize, transcripts: Vec<Transcript>) {
        let subject = transcripts.first().map(subject).unwrap_or_default();
        let fits = |known: &[Transcript]| {
            transcripts.iter().all(|new| {
                known
                    .iter()
                    .all(|old| old.case.id != new.case.id || old == new)
            })
        };
        let number = self
            .runs
            .iter()
            .position(|(who, known)| *who == subject && fits(known))
            .unwrap_or_else(|| {
                self.runs.push((subject, Vec::new()));
                self.runs.len() - 1
            });
        let known = self.runs[number].1.len();
        for transcript in transcripts {
            if self.runs[number].1[..known].contains(&transcript) {
                continue;
            }
            let mut taken = transcript.clone();
            for membership in &mut taken.case.groups {
                membership.group = format!("{number}/{}", membership.group);
            }
            self.runs[number].1.push(transcript);
            self.taken.push((file, taken));
        }
    }
}

/// Identifies the subject.
fn subject(transcript: &Transcript) -> Vec<u8> {
    let case = &transcript.case;
    let argv = case
        .plan
        .iter()
        .flat_map(|plan| plan.commands.first())
        .flat_map(|command| &command.argv)
        .flat_map(|word| [&word[..], b"\0"].concat());
    case.subject
        .name
        .bytes()
        .chain(*b"\0")
        .chain(argv)
        .collect()
}

/// The file that contains everything needed to reproduce the first finding.
fn reproducer(outcome: &Explained, sessions: &[AnySession], sources: &[usize]) -> Option<usize> {
    if !outcome.verdict.is_failure() {
        return None;
    }
    let needed = behind(sessions, outcome);
    let files: BTreeSet<usize> = needed.iter().map(|index| sources[*index]).collect();
    let planned = needed
        .iter()
        .all(|index| sessions[*index].case().plan.is_some());
    match files.iter().collect::<Vec<_>>()[..] {
        [file] if planned => Some(*file),
        _ => None,
    }
}

/// The sessions behind the first finding of a failed rule.
fn timelines(outcome: &Explained, sessions: &[AnySession]) -> Vec<Timeline> {
    if !outcome.verdict.is_failure() {
        return Vec::new();
    }
    let needed = behind(sessions, outcome).into_iter();
    needed
        .map(|index| Timeline::of(sessions[index].reading().transcript()))
        .collect()
}

fn subjects(sessions: &[AnySession], words: &Vocabulary) -> String {
    let names: BTreeSet<&str> = sessions
        .iter()
        .map(|session| &session.case().subject.name[..])
        .filter(|name| !name.is_empty())
        .collect();
    match names.len() {
        0 => format!("a {}", words.subject),
        _ => names.into_iter().collect::<Vec<_>>().join(", "),
    }
}

fn facts(face: &dyn Face, sessions: &[AnySession], files: usize) -> Vec<String> {
    let mut facts = vec![face.described(&face.traits(sessions))];
    if sessions.iter().any(|one| one.case().is_driven()) {
        facts.push("recorded".to_owned());
    }
    let tiers: BTreeSet<&str> = sessions.iter().map(|s| &s.case().tier[..]).collect();
    facts.extend(
        tiers
            .iter()
            .filter(|tier| !tier.is_empty())
            .map(|tier| subject::sandbox(tier)),
    );
    facts.push(match files {
        1 => "1 file".to_owned(),
        n => format!("{n} files"),
    });
    facts
}

fn hints(sessions: &[AnySession]) -> Vec<String> {
    let recorded = sessions.iter().any(|one| one.case().is_driven());
    if recorded {
        vec![
            "an agent drove these sessions, so rules that compare sessions were not exercised; `stickler check` exercises all rules"
                .to_owned(),
        ]
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::Run;
    use stickler_transcript::{Case, Event, Membership, Relation, Role, Transcript};

    fn transcript(id: &str, group: &str, t: u64) -> Transcript {
        Transcript {
            case: Case {
                id: id.into(),
                groups: vec![Membership {
                    group: group.into(),
                    relation: Relation::ENVIRONMENT,
                    role: Role::variant(id),
                }],
                ..Case::default()
            },
            events: vec![Event::End { t, complete: true }],
        }
    }

    fn groups(run: &Run) -> Vec<(usize, &str, &str)> {
        run.taken
            .iter()
            .map(|(file, t)| (*file, &t.case.id[..], &t.case.groups[0].group[..]))
            .collect()
    }

    #[test]
    fn sessions_shared_by_two_reproducers_are_judged_once() {
        let mut run = Run::default();
        run.add(
            0,
            vec![transcript("baseline", "g", 1), transcript("a", "g", 1)],
        );
        run.add(
            1,
            vec![transcript("baseline", "g", 1), transcript("b", "g", 1)],
        );
        assert_eq!(
            groups(&run),
            [(0, "baseline", "0/g"), (0, "a", "0/g"), (1, "b", "0/g")]
        );
    }

    #[test]
    fn sessions_of_two_runs_are_not_compared() {
        let mut run = Run::default();
        run.add(
            0,
            vec![transcript("baseline", "g", 1), transcript("a", "g", 1)],
        );
        run.add(
            1,
            vec![transcript("baseline", "g", 2), transcript("b", "g", 2)],
        );
        assert_eq!(
            groups(&run),
            [
                (0, "baseline", "0/g"),
                (0, "a", "0/g"),
                (1, "baseline", "1/g"),
                (1, "b", "1/g")
            ]
        );
    }
}
