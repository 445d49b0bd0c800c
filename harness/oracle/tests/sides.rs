//! A whole comparison of a toy: recorded cases, known differences, and the lines of its JSON form.

use serde_json::Value;
use stickler_oracle::{
    AcceptedDifference, Comparison, Difference, Error, Line, RunName, RunVerdict, Sides, Stored,
    Tally, compare, json_schema,
};

/// Both sides print their case; Stickler's is wrong about some.
struct Toy;

const KNOWN: [AcceptedDifference; 1] = [AcceptedDifference {
    covers: |found| found.changed_lines().all(|line| line.contains("clock")),
    reason: "clocks differ",
}];

impl Sides for Toy {
    type Seen = String;

    fn peer(&self) -> &'static str {
        "toy"
    }

    fn known(&self) -> &'static [AcceptedDifference] {
        &KNOWN
    }

    fn options(&self) -> Vec<String> {
        Vec::new()
    }

    fn ours(&self, run: &RunName) -> Result<String, Error> {
        let case = run.case.clone().unwrap_or_default();
        Ok(match &*case {
            "clock" => "clock 2".to_owned(),
            "wrong" => "right".to_owned(),
            other => other.to_owned(),
        })
    }

    fn theirs(&self, _: &RunName) -> Result<String, Error> {
        Err(Error::NoSide("no toy here".to_owned()))
    }

    fn compare(&self, theirs: &String, ours: &String) -> Comparison {
        let found = Difference::of_texts("text", Some(theirs), Some(ours));
        Comparison {
            differences: found.into_iter().collect(),
            exit: "exit code 0".to_owned(),
            rejected: (theirs == "broken" && ours == "broken").then(|| "broken".to_owned()),
            not_compared: vec!["time"],
        }
    }
}

fn run(case: &str) -> RunName {
    RunName {
        case: Some(case.to_owned()),
        mode: "plain".to_owned(),
    }
}

fn stored(cases: &[(&str, &str)]) -> (Stored<String>, Vec<RunName>) {
    let mut stored = Stored::new("toy", "cases.json", &[]);
    for (case, text) in cases {
        let name = run(case).to_string();
        stored.runs.insert(name, (*text).to_owned());
    }
    (stored, cases.iter().map(|(case, _)| run(case)).collect())
}

const CASES: [(&str, &str); 5] = [
    ("a", "a"),
    ("b", "b"),
    ("clock", "clock 1"),
    ("wrong", "wrong"),
    ("broken", "broken"),
];

#[test]
fn each_recorded_case_is_counted_by_its_result() {
    let (recorded, runs) = stored(&CASES);
    let mut verdicts = Vec::new();
    let (tally, again) = compare::<_, Error>(&Toy, "f", &runs, Some(&recorded), |one| {
        verdicts.push(one.verdict);
        Ok(())
    })
    .expect("compared");
    let (agree, known, differ) = (RunVerdict::Agree, RunVerdict::Known, RunVerdict::Differ);
    assert_eq!(
        verdicts,
        [agree, agree, known, differ, RunVerdict::Rejected]
    );
    let expected = Tally {
        agree: 2,
        rejected: 1,
        unsupported: 0,
        known: 1,
        differ: 1,
    };
    assert_eq!((tally, tally.runs()), (expected, 5));
    assert_eq!(again.runs, recorded.runs);
}

#[test]
fn without_stored_runs_the_peer_is_needed() {
    let compared = compare::<_, Error>(&Toy, "f", &[run("a")], None, |_| Ok(()));
    assert!(matches!(compared, Err(Error::NoSide(_))));
}

#[test]
fn every_line_keeps_to_the_schema() {
    let schema: Value = serde_json::from_str(json_schema()).expect("JSON");
    let schema = jsonschema::validator_for(&schema).expect("a schema");
    let check = |line: &Line<'_>| {
        let line: Value = serde_json::from_str(&line.text()).expect("JSON");
        let errors: Vec<String> = schema.iter_errors(&line).map(|e| e.to_string()).collect();
        assert!(errors.is_empty(), "{line}: {errors:?}");
        line
    };
    let (recorded, runs) = stored(&CASES);
    let mut lines = Vec::new();
    let compared = compare::<_, Error>(&Toy, "f", &runs, Some(&recorded), |one| {
        lines.extend(Line::of_run(one).map(|line| check(&line)));
        Ok(())
    });
    let (tally, _) = compared.expect("compared");
    let last = check(&Line::Summary {
        file: Some("f"),
        seed: None,
        peer: "toy",
        runs: tally.runs(),
        tally,
    });
    assert_eq!((&last["agree"], &last["runs"]), (&2.into(), &5.into()));
    let events: Vec<&str> = lines
        .iter()
        .filter_map(|one| one["event"].as_str())
        .collect();
    let mode = "mode";
    assert_eq!(
        events,
        [mode, mode, "difference", mode, "difference", mode, mode]
    );
    assert_eq!(lines[2]["known"], "clocks differ");
    assert_eq!(lines[4]["diff"], "- wrong\n+ right\n");
}
