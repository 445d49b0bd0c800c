//! The suite knows no dialect: a toy one goes through runner, judge, reports, snapshots and
//! replay.

#[path = "toy/dialect.rs"]
mod dialect;

use dialect::{Mute, Toy, ToySession};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use stickler_judge::{AnySession, Level, Report, Reported, Verdict};
use stickler_report::{Format, Options, render};
use stickler_session::sandbox::{Host, HostOptions, Tier};
use stickler_suite::config::{Config, from_text, json_schema};
use stickler_suite::{
    Became, Bench, Checked, Checking, Dialect, Observer, Quiet, Redactor, RunEvent, RunObserver,
    RunSettings, check, plain_sessions, rerun, spoken,
};
use stickler_transcript::{
    Bytes, Event, Purpose, Relation, Transcript, Value, read_transcripts, write_transcripts,
};

/// Keeps to the protocol.
const SOUND: &str = r#"
if [ -e /proc/self/fd/4 ]; then
  echo "what a library prints"
  exec 0<&3 1>&4
  echo "news ready"
  after="news idle"
fi
while read -r verb file value; do
  [ -z "$half" ] || echo "$half"
  case $verb in
    may|MAY) case $file in /*) echo yes ;; *) echo no ;; esac ;;
    put|PUT|try|TRY)
      if [ -f "$file" ] && [ "$(cat "$file")" = "$value" ]; then echo was
      elif [ "$verb" = try ] || [ "$verb" = TRY ]; then echo would
      elif { printf '%s\n' "$value" > "$file"; } 2>/dev/null; then echo did
      else echo cannot; fi ;;
    *) echo no ;;
  esac
  # News between two messages, and half of some more.
  [ -z "$after" ] || { printf '%s\n%s' "$after" "news "; half=whole; }
done
"#;

const DESCRIPTION: &str = r#"
[subject]
dialect = "toy"
command = ["sh", "-c", "…"]

[[example]]
label = "a number"
name = "{dir}/one"
fields = { value = 17 }
expect = ["did", "was"]

[[invalid]]
label = "no path"
name = "one"
fields = { value = "x" }
"#;

/// Nobody ends these runs.
static GOES_ON: AtomicBool = AtomicBool::new(false);

/// Wants to be told failures, and stops the run at the first one if asked to.
#[derive(Default)]
struct Told {
    stop: AtomicBool,
    stops: bool,
    /// Has the last repetition of the example been held?
    late: AtomicBool,
    /// The failures, and whether that was so.
    failures: Mutex<Vec<(Reported, bool)>>,
}

impl Observer<RunEvent<'_>> for Told {
    fn tell(&self, event: RunEvent<'_>) {
        match event {
            RunEvent::Done(case) => {
                self.late.fetch_or(case == "late/e1", Ordering::Relaxed);
            }
            RunEvent::Failed(outcome) => {
                let late = self.late.load(Ordering::Relaxed);
                let mut failures = self.failures.lock().expect("sound");
                failures.push((outcome.clone(), late));
                self.stop.store(self.stops, Ordering::Relaxed);
            }
            RunEvent::Planned(_) | RunEvent::Left(_) => {}
        }
    }
    fn stop(&self) -> &AtomicBool {
        &self.stop
    }
}

/// Takes a while to start, so that a run is not over before anything is told.
fn slow(script: &str) -> String {
    format!("sleep 0.3\n{script}")
}

fn config() -> Config {
    from_text(
        Path::new("stickler.toml"),
        DESCRIPTION,
        Toy::default().vocabulary(),
    )
    .expect("sound")
}

fn argv(script: &str) -> Vec<Bytes> {
    ["/bin/sh", "-c", script].map(Bytes::from).to_vec()
}

fn host() -> Host {
    Host::probe(Some(Tier::Overlay), HostOptions::default()).expect("user namespaces")
}

fn checked(toy: &Toy, script: &str, relations: Option<Relation>) -> Checked {
    checked_as(toy, script, relations, &config())
}

fn checked_as(
    toy: &dyn Dialect,
    script: &str,
    relations: Option<Relation>,
    config: &Config,
) -> Checked {
    let settings = RunSettings {
        relations: relations.map(|relation| [relation].into()),
        ..settings()
    };
    held(toy, script, config, &settings, &Quiet(&GOES_ON))
}

fn followed(toy: &Toy, script: &str, told: &Told) -> Checked {
    let settings = RunSettings {
        live: Some(Level::Must),
        ..settings()
    };
    held(toy, script, &config(), &settings, told)
}

fn settings() -> RunSettings {
    RunSettings {
        jobs: 2,
        seed: 1,
        ..RunSettings::default()
    }
}

fn held(
    toy: &dyn Dialect,
    script: &str,
    config: &Config,
    settings: &RunSettings,
    observer: &RunObserver<'_>,
) -> Checked {
    let (host, argv, rules) = (host(), argv(script), toy.rules());
    let checking = Checking {
        bench: Bench {
            dialect: toy,
            host: &host,
            config,
            argv: &argv,
        },
        settings,
        rules: &rules,
        reproducers: Path::new("repros"),
        name: "toy",
    };
    check(&checking, observer).expect("it is held")
}

fn verdict(outcomes: &[Reported], code: &str) -> Verdict {
    let outcome = outcomes.iter().find(|outcome| outcome.code == code);
    outcome.expect("it is judged").verdict
}

/// Reads a description with a further text at its end.
fn described(more: &str) -> Result<Config, String> {
    let text = format!("{DESCRIPTION}{more}");
    let read = from_text(
        Path::new("stickler.toml"),
        &text,
        Toy::default().vocabulary(),
    );
    read.map_err(|error| error.to_string())
}

#[test]
fn an_item_may_be_identified_by_its_name() {
    let config = config();
    let example = &config.examples[0];
    assert_eq!(example.name, "a number");
    let identity = ("name".to_owned(), Value::text("{dir}/one"));
    assert_eq!(example.identity, [identity]);
    // People and expectations refer to the label.
    let known = "[[xfail]]\nrule = \"TY101\"\nreason = \"x\"\nexample = ";
    assert_eq!(described(&format!("{known}\"a number\"")).map(drop), Ok(()));
    let error = described(&format!("{known}\"{{dir}}/one\"")).expect_err("no label");
    assert!(error.contains("there is no example"), "{error}");
    // A label is not needed.
    let config = described("[[example]]\nname = \"/x\"\n").expect("sound");
    assert_eq!(config.examples[1].name, "example 2");
    let error = described("[[example]]\nlabel = \"x\"\n").expect_err("nothing identifies it");
    assert!(error.contains("this [[example]] has no name"), "{error}");
}

#[test]
fn a_dialect_declares_keys_that_only_it_reads() {
    let text = "spoil = [[\"rm\", \"{dir}/one\"]]\n";
    let more = format!("[[example]]\nname = \"/x\"\n{text}");
    let config = described(&more).expect("sound");
    assert_eq!(
        config.examples[1].own.commands("spoil"),
        [["rm", "{dir}/one"]]
    );
    assert_eq!(
        config.examples[0].own.commands("spoil"),
        [] as [Vec<String>; 0]
    );
    let marked = DESCRIPTION.replace("[subject]\n", "[subject]\nmarks = [\"a\", \"b\"]\n");
    let words = Toy::default();
    let read = |text: &str| from_text(Path::new("stickler.toml"), text, words.vocabulary());
    assert_eq!(
        read(&marked).expect("sound").subject.own.texts("marks"),
        ["a", "b"]
    );
    let wrong = read(&marked.replace("[\"a\", \"b\"]", "1")).expect_err("a number");
    assert!(wrong.to_string().contains("a list of texts"), "{wrong}");
    // It is a key about evaluations.
    let error = described(&more.replace("example", "invalid")).expect_err("no outcome");
    assert!(error.contains("never evaluated"), "{error}");
    // The schema follows.
    let schema: serde_json::Value =
        serde_json::from_str(&json_schema(words.vocabulary())).expect("JSON");
    let tables = &schema["properties"];
    let marks = &tables["subject"]["properties"]["marks"];
    assert_eq!(marks["description"], "The marks of the keeper.");
    assert_eq!(marks["items"]["type"], "string");
    assert!(tables["example"]["items"]["properties"]["spoil"].is_object());
    assert!(tables["invalid"]["items"]["properties"]["spoil"].is_null());
}

#[test]
fn an_expectation_may_be_limited_to_a_kind() {
    let toy = Toy::default();
    let rude = SOUND.replace("echo was", "echo same");
    let two = DESCRIPTION.replace("[subject]\n", "[subject]\nkinds = [\"one\", \"two\"]\n");
    let with = |kind: &str| {
        let limit = format!("[[waive]]\nrule = \"TY101\"\nreason = \"x\"\nkind = \"{kind}\"\n");
        let text = format!("{two}{limit}");
        let config = from_text(Path::new("stickler.toml"), &text, toy.vocabulary());
        let config = config.expect("sound");
        let checked = checked_as(&toy, &rude, Some(dialect::NO_SESSION), &config);
        let cases = checked.sessions.iter().map(|one| one.case());
        let mut items = cases.flat_map(|case| &case.items);
        assert!(items.all(|item| item.kind == "one"));
        verdict(&checked.outcomes, "TY101")
    };
    assert_eq!(with("one"), Verdict::Waived);
    assert_eq!(with("two"), Verdict::Fail);
}

#[test]
fn a_sound_subject_passes_the_shared_families_and_its_own() {
    let toy = Toy::default();
    let checked = checked(&toy, SOUND, None);
    for outcome in &checked.outcomes {
        assert_eq!(
            outcome.verdict,
            Verdict::Pass,
            "{}: {:#?}",
            outcome.code,
            outcome.findings
        );
    }
    assert!(checked.knowledge.repaired.contains("e1") && checked.knowledge.dry);
    let relations: BTreeSet<String> = checked
        .sessions
        .iter()
        .flat_map(|session| &session.case().groups)
        .map(|member| member.relation.to_string())
        .collect();
    for family in [
        "capitals",
        "kill",
        "drift",
        "warn",
        "environment",
        "fields",
        "traps",
        "near",
    ] {
        assert!(
            relations.contains(family),
            "{family} is missing in {relations:?}"
        );
    }
    assert!(checked.left_out.is_empty(), "{:?}", checked.left_out);
    assert!(toy.read.load(Ordering::Relaxed) >= checked.sessions.len());
}

#[test]
fn the_suite_adapts_to_a_dialect_without_validation_or_shared_processes() {
    let mute = Mute::default();
    // It knows no other verbs, and a process keeps to its first file.
    let script = r#"
if [ -e /proc/self/fd/4 ]; then
  exec 0<&3 1>&4
  echo "news ready"
fi
while read -r verb file value; do
  first=${first:-$file}
  case $verb in
    put|PUT|try|TRY)
      if [ "$file" != "$first" ]; then echo other
      elif [ -f "$file" ] && [ "$(cat "$file")" = "$value" ]; then echo was
      elif [ "$verb" = try ] || [ "$verb" = TRY ]; then echo would
      elif { printf '%s\n' "$value" > "$file"; } 2>/dev/null; then echo did
      else echo cannot; fi ;;
    *) echo unknown ;;
  esac
done
"#;
    let checked = checked_as(&mute, script, None, &config());
    let outcome = &checked.outcomes[0];
    assert_eq!(outcome.verdict, Verdict::Pass, "{:#?}", outcome.findings);
    let cases = checked.sessions.iter().map(|one| one.case());
    let ids: BTreeSet<&str> = cases.map(|case| &case.id[..]).collect();
    // What needs a validation or several items is left out; what does without is there.
    for family in [
        "near/",
        "bare-after/",
        "invalid-between/",
        "order/",
        "canary-names/",
        "types/",
    ] {
        assert!(!ids.iter().any(|id| id.starts_with(family)), "{family}");
    }
    for case in [
        "baseline/e1",
        "invalid/i1",
        "kill/e1/0",
        "undone/e1",
        "restarted/e1",
        "growth/e1",
    ] {
        assert!(ids.contains(case), "{case} is missing in {ids:?}");
    }
    let all = |start: &str| {
        let mut sessions = checked.sessions.iter();
        let found = sessions.find(|one| one.case().id.starts_with(start));
        let found = found.unwrap_or_else(|| panic!("{start} is missing in {ids:?}"));
        &found.typed::<ToySession>().0
    };
    // The author's invalid entry has to be refused instead.
    assert!(all("invalid/").exchanges[0].key.is(Purpose::REFUSED));
    // Each variant has a process of its own.
    let baits = all("canary/e1/name");
    assert_eq!(baits.processes.len(), baits.exchanges.len());
    assert!(baits.processes.len() > 3);
}

#[test]
fn a_defect_is_found_confirmed_and_reported() {
    let toy = Toy::default();
    let deaf = SOUND.replace("may|MAY", "may");
    let checked = checked(&toy, &deaf, Some(dialect::CAPITALS));
    assert_eq!(verdict(&checked.outcomes, "TY101"), Verdict::Pass);
    assert_eq!(verdict(&checked.outcomes, "TY102"), Verdict::Fail);
    let found = &checked.outcomes[1];
    assert!(found.is_confirmed);
    assert_eq!(
        found.findings[0].agent.as_deref(),
        Some("a toy agent would wonder")
    );
    let path = found.reproducer.as_deref().expect("it is reproducible");
    assert!(
        checked
            .reproducers
            .iter()
            .any(|(known, _)| known == Path::new(path))
    );
    // Only sessions of its relation were held, beside the examples as they are.
    let foreign = |session: &&AnySession| session.case().id.starts_with("kill/");
    assert!(!checked.sessions.iter().any(|session| foreign(&session)));
    let report = Report {
        subject: "keeper".into(),
        location: "keeper.sh".into(),
        files: Vec::new(),
        command: String::new(),
        began: String::new(),
        rules_page: "docs/rules-toy.md",
        pages: stickler_judge::Pages::of_rules(Vec::new()),
        facts: vec!["toy".into()],
        exchanges: checked.exchanges(),
        sessions: checked.sessions.len(),
        seconds: 0.0,
        strict: false,
        hints: Vec::new(),
        seed: 1,
        interrupted: false,
        idle: false,
        without_examples: false,
        outcomes: vec![found.clone()],
    };
    let mut text = Vec::new();
    render(&report, Format::Pretty, &Options::default(), &mut text).expect("a buffer takes it");
    let text = String::from_utf8(text).expect("text");
    for words in [
        "TY102",
        "in capitals",
        "MAY {dir}/one 17",
        "a toy agent would wonder",
    ] {
        assert!(
            text.replace("/tmp/stickler/dir", "{dir}").contains(words),
            "{words}: {text}"
        );
    }
}

#[test]
fn a_failure_is_shown_during_the_run() {
    let toy = Toy::default();
    let told = Told::default();
    let rude = slow(&SOUND.replace("echo was", "echo same"));
    let checked = followed(&toy, &rude, &told);
    let failures = told.failures.lock().expect("sound");
    let codes: Vec<(&str, bool)> = failures
        .iter()
        .map(|(one, late)| (&one.code[..], *late))
        .collect();
    assert_eq!(codes, [("TY101", false)]);
    assert!(failures[0].0.is_confirmed);
    assert_eq!(verdict(&checked.outcomes, "TY101"), Verdict::Fail);
}

#[test]
fn a_comparison_is_not_shown_before_all_its_sessions_ran() {
    let toy = Toy::default();
    let told = Told::default();
    let deaf = slow(&SOUND.replace("may|MAY", "may"));
    let checked = followed(&toy, &deaf, &told);
    assert_eq!(verdict(&checked.outcomes, "TY102"), Verdict::Fail);
    // The repetition could show that the difference says nothing.
    let failures = told.failures.lock().expect("sound");
    assert!(failures.iter().all(|(_, late)| *late), "{failures:#?}");
}

#[test]
fn failures_shown_early_are_confirmed_if_the_run_is_interrupted() {
    let toy = Toy::default();
    let told = Told {
        stops: true,
        ..Told::default()
    };
    let rude = slow(&SOUND.replace("echo was", "echo same"));
    let checked = followed(&toy, &rude, &told);
    assert!(checked.interrupted && checked.not_held > 0);
    let failed = checked.outcomes.iter().find(|one| one.code == "TY101");
    let failed = failed.filter(|one| one.is_confirmed);
    assert_eq!(failed.map(|one| one.verdict), Some(Verdict::Fail));
    let first = failed.and_then(|one| one.findings.first());
    let told = told.failures.lock().expect("sound");
    assert_eq!(
        first.map(|found| found.message.clone()),
        told[0]
            .0
            .findings
            .first()
            .map(|found| found.message.clone())
    );
}

#[test]
fn a_channel_separates_the_protocol_from_printed_output() {
    let checked = checked(&Toy::default(), SOUND, Some(Relation::ENVIRONMENT));
    let mut sessions = checked.sessions.iter();
    let session = sessions
        .find(|one| one.case().id == "channel/e1")
        .expect("it is held");
    let session = &session.typed::<ToySession>().0;
    let news = &session.processes[0].notifications;
    let texts: Vec<&[u8]> = news.iter().map(|one| &one.message[..]).collect();
    assert_eq!(
        texts,
        [
            &b"news ready\n"[..],
            b"news idle\n",
            b"news whole\n",
            b"news idle\n"
        ]
    );
    // It was waited for, so that it belongs to no exchange.
    assert_eq!(news[0].exchange, None);
    let events = &session.transcript.events;
    let printed = events.iter().filter_map(|event| match event {
        Event::Printed { data, .. } => Some(data.to_vec()),
        _ => None,
    });
    assert_eq!(
        printed.collect::<Vec<_>>().concat(),
        b"what a library prints\n"
    );
    // Half a message at the end stays what it is.
    assert_eq!(&session.exchanges[1].output[..], b"did\nnews ");
    assert!(session.complete && !session.left.holds_stdout);
}

#[test]
fn a_stored_finding_is_run_again() {
    let toy = Toy::default();
    let rude = SOUND.replace("echo was", "echo same");
    let first = checked(&toy, &rude, Some(dialect::NO_SESSION));
    assert_eq!(verdict(&first.outcomes, "TY101"), Verdict::Fail);
    let (_, stored) = first.reproducers.first().expect("there is one");
    let mut bytes = Vec::new();
    write_transcripts(&mut bytes, stored).expect("a buffer takes it");
    let stored: Vec<Transcript> = read_transcripts(&bytes[..]).expect("it was just written");
    let sessions: Vec<AnySession> = stored.into_iter().map(|one| toy.read(one)).collect();
    let again = |script: &str| {
        let mut cases: Vec<_> = sessions.iter().map(|one| one.case().clone()).collect();
        for command in cases
            .iter_mut()
            .flat_map(|case| &mut case.plan)
            .flat_map(|plan| &mut plan.commands)
        {
            if command.argv[0] == Bytes::from("/bin/sh") {
                command.argv = argv(script);
            }
        }
        let quiet = Quiet(&GOES_ON);
        let bench = Bench {
            dialect: &toy,
            host: &host(),
            config: &config(),
            argv: &[],
        };
        rerun(
            &bench,
            None,
            &sessions,
            &cases,
            &Redactor::default(),
            &quiet,
        )
        .expect("it is held")
    };
    let same = again(&rude);
    assert_eq!(same.changes[0].became, Became::StillFailing);
    assert!(same.differences.is_empty(), "{:#?}", same.differences);
    let mended = again(SOUND);
    assert_eq!(mended.changes[0].became, Became::Fixed);
    assert!(!mended.differences.is_empty());
}

#[test]
fn a_conversation_is_a_snapshot() {
    let toy = Toy::default();
    let quiet = Quiet(&GOES_ON);
    let bench = Bench {
        dialect: &toy,
        host: &host(),
        config: &config(),
        argv: &argv(SOUND),
    };
    let plain = plain_sessions(&bench, 2, &quiet).expect("held");
    let mut all = String::new();
    for spoken in plain
        .iter()
        .filter_map(|one| spoken(&toy, one, &Redactor::default()))
    {
        let _ = writeln!(all, "{}\n{}", spoken.what, spoken.text);
    }
    insta::with_settings!({ snapshot_path => "../../../snapshots/suite" }, {
        insta::assert_snapshot!(all);
    });
}
