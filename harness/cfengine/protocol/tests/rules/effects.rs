//! PM8xx: broken, and the nearest thing that is not.

use crate::common::{
    DIR, Dialogue, PROMISER, answer, ask, changed, created, deleted, dialogue, evaluated, file,
    messages, opened, promise, request, variant, verdict,
};
use cfengine_protocol::Session;
use cfengine_protocol::rules::RULES;
use stickler_judge::{
    AnySession, Confirmed, Expectation, Expectations, Level, Scope, Verdict, conclude, judge,
};
use stickler_transcript::{
    Bytes, Change, ChangeKind, Drift, Event, FileType, Protection, Trap, TrapKind,
};

#[test]
fn only_evaluations_change_things() {
    let validated = |effects| {
        ask(dialogue("json", &[("observe", "start")]), "v", "")
            .then(&[("←", &answer("validate", "valid", ""))])
            .effects(effects)
    };
    assert_eq!(verdict("PM801", vec![validated(vec![])]), (1, vec![]));
    let (_, found) = verdict("PM801", vec![validated(vec![created("sub", "")])]);
    assert_eq!(found[0].message, "validation creates `{dir}/sub`");
    assert_eq!(found[0].level, Level::Must);
    let (_, found) = verdict(
        "PM801",
        vec![validated(vec![created("/var/lib/m/state", "")])],
    );
    assert_eq!(found[0].level, Level::Should);
    // Caches never count.
    let cache = created("/usr/lib/m/__pycache__/x.cpython-311.pyc", "");
    assert_eq!(verdict("PM801", vec![validated(vec![cache])]), (1, vec![]));
}

#[test]
fn header_and_terminate_may_have_state_of_their_own() {
    let ended = |before, effects| {
        let first = evaluated(opened("json"), "e", "", "log_info=x\nrepaired", before);
        first
            .then(&[
                ("→ terminate", r#"{"operation":"terminate"}"#),
                ("←", &answer("terminate", "success", "")),
            ])
            .effects(effects)
    };
    let own = || vec![created("a", "hello"), created(".lock", "")];
    assert_eq!(
        verdict("PM801", vec![ended(own(), vec![deleted(".lock")])]).1,
        []
    );
    assert_eq!(
        verdict(
            "PM801",
            vec![ended(own(), vec![created("/run/m.state", "")])]
        )
        .1,
        []
    );
    assert_eq!(
        messages("PM801", vec![ended(own(), vec![created("done", "")])]),
        ["`terminate` creates `{dir}/done`"]
    );
}

#[test]
fn kept_means_nothing_changed() {
    let kept = |text: &str, effects| evaluated(opened("json"), "e", "", text, effects);
    assert_eq!(
        messages("PM802", vec![kept("kept", vec![changed("a", "x", "x")])]),
        ["`kept`, but it writes `{dir}/a` again"]
    );
    assert_eq!(
        verdict("PM802", vec![kept("log_warning=Careful\nkept", vec![])]),
        (1, vec![])
    );
    let state = || vec![created("/var/lib/m/db", "")];
    assert_eq!(
        verdict("PM802", vec![kept("log_notice=Set up\nkept", state())]),
        (1, vec![])
    );
    assert_eq!(
        verdict("PM802", vec![kept("kept", state())]).1[0].level,
        Level::Should
    );
    // In a folder of its own for temporary files, a module may use any name.
    let in_folder = |folder: &str| {
        let file = format!("{folder}/hello");
        let made = vec![created(folder, ""), created(&file, "")];
        let first = evaluated(opened("json"), "e", "", "log_info=x\nrepaired", made);
        let again = vec![changed(&file, "x", "x")];
        verdict("PM802", vec![evaluated(first, "e2", "", "kept", again)]).1
    };
    assert_eq!(in_folder("/tmp/tmp.Ab12Cd34Ef"), []);
    assert_eq!(in_folder("/var/lib/m").len(), 1);
}

#[test]
fn repaired_means_something_changed() {
    let repaired = |text: &str, effects| evaluated(opened("json"), "e", "", text, effects);
    let hello = || vec![created("a", "hello")];
    assert_eq!(
        verdict("PM803", vec![repaired("log_info=x\nrepaired", hello())]),
        (1, vec![])
    );
    assert_eq!(
        messages("PM803", vec![repaired("log_info=x\nrepaired", vec![])]),
        ["`repaired`, but nothing changed"]
    );
    let state = vec![created("/var/lib/m/db", "")];
    assert_eq!(
        messages(
            "PM803",
            vec![repaired("log_notice=Set up\nrepaired", state)]
        )
        .len(),
        1
    );
    // What the author ignores may have been the change.
    let ignored = repaired("log_info=x\nrepaired", hello())
        .case(|case| case.subject.ignore = vec![format!("{DIR}/*")]);
    assert_eq!(verdict("PM803", vec![ignored]), (0, vec![]));
}

#[test]
fn elsewhere_a_change_is_missed_only_where_another_session_had_it() {
    let elsewhere = |role: &str, effects| {
        let text = request("evaluate", "nginx", "{}");
        dialogue(
            "json",
            &[
                ("observe", ""),
                ("→ e:e1", &text),
                ("←", &answer("evaluate", "repaired", "")),
            ],
        )
        .effects(effects)
        .member("keys", role)
    };
    assert_eq!(
        verdict("PM803", vec![elsewhere("baseline", vec![])]),
        (0, vec![])
    );
    let group = vec![
        elsewhere("baseline", vec![created("/etc/nginx", "")]),
        elsewhere("unknown-key", vec![]),
    ];
    assert_eq!(messages("PM803", group).len(), 1);
}

#[test]
fn a_false_repaired_is_a_must_if_the_module_met_a_failure() {
    let level = |session| verdict("PM803", vec![session]).1[0].level;
    let claims = |session, effects| evaluated(session, "e", "", "log_info=x\nrepaired", effects);
    assert_eq!(level(claims(opened("json"), vec![])), Level::Should);
    let closed = opened("json").with(|t| Event::Protected {
        t,
        how: Protection::ReadOnly,
    });
    assert_eq!(level(claims(closed, vec![])), Level::Must);
}

#[test]
fn a_repaired_promise_is_kept_when_evaluated_again() {
    let twice = |second: &str| {
        let first = evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![created("a", "1")],
        );
        evaluated(first, "e2", "", second, vec![])
    };
    assert_eq!(verdict("PM804", vec![twice("kept")]), (1, vec![]));
    assert_eq!(
        messages("PM804", vec![twice("repaired")]),
        ["evaluated again after `repaired`, the promise is `repaired`"]
    );
    assert_eq!(verdict("PM804", vec![twice("valid")]), (0, vec![]));
    // Another promise has undone it in between, whatever its policy.
    for policy in ["fix", "warn"] {
        let first = evaluated(opened("json"), "e", "", "repaired", vec![created("a", "1")]);
        let attributes = format!(r#"{{"action_policy":"{policy}","text":"other"}}"#);
        let between = first
            .then(&[
                ("→ e:e2", &request("evaluate", PROMISER, &attributes)),
                ("←", &answer("evaluate", "repaired", "")),
            ])
            .effects(vec![changed("a", "1", "2")]);
        let again = vec![changed("a", "2", "1")];
        let again = evaluated(between, "e2", "", "repaired", again);
        assert_eq!(verdict("PM804", vec![again]), (0, vec![]), "{policy}");
    }
    let mut declared = promise("e1");
    declared.expect = vec!["repaired".into()];
    assert_eq!(
        verdict("PM804", vec![twice("repaired").about(declared)]),
        (0, vec![])
    );
}

fn ended(effects: Vec<Change>) -> Dialogue {
    evaluated(opened("json"), "e", "", "log_info=x\nrepaired", effects)
        .then(&[
            ("→ terminate", r#"{"operation":"terminate"}"#),
            ("←", &answer("terminate", "success", "")),
        ])
        .then(&[("close", ""), ("exit", "0")])
        .effects(vec![])
}

#[test]
fn temporary_files_are_not_left() {
    let left = |path: &str| {
        messages(
            "PM805",
            vec![ended(vec![created("a", "hello"), created(path, "")])],
        )
    };
    assert_eq!(
        left("/tmp/tmp.Ab12Cd34Ef"),
        ["leaves `/tmp/tmp.Ab12Cd34Ef` behind"]
    );
    assert_eq!(
        left("/var/tmp/anything"),
        ["leaves `/var/tmp/anything` behind"]
    );
    assert_eq!(left("a.tmp"), ["leaves `{dir}/a.tmp` behind"]);
    assert_eq!(left(".a.Xk29dPq1"), ["leaves `{dir}/.a.Xk29dPq1` behind"]);
    for fine in [
        "b",
        "a.bak",
        "a.sha256",
        "/tmp/stickler/home/.netrc",
        "/var/lib/m/state",
    ] {
        assert_eq!(left(fine), [""; 0], "{fine}");
    }
    assert_eq!(
        verdict("PM805", vec![ended(vec![created("a", "hello")])]),
        (1, vec![])
    );
    // What the harness made.
    let outside = ended(vec![created("a", "hello")])
        .with(|t| Event::Drifted {
            t,
            drift: Box::new(Drift::Directory {
                path: "/tmp/tmp.Ab12Cd34Ef/a".into(),
            }),
            failed: None,
            alone: false,
        })
        .effects(vec![
            created("/tmp/tmp.Ab12Cd34Ef", ""),
            created("/tmp/tmp.Ab12Cd34Ef/a", ""),
        ]);
    assert_eq!(verdict("PM805", vec![outside]), (1, vec![]));
    // Removed again before the end.
    let removed = evaluated(
        opened("json"),
        "e",
        "",
        "log_info=x\nrepaired",
        vec![created("a.tmp", "")],
    )
    .then(&[
        ("→ terminate", r#"{"operation":"terminate"}"#),
        ("←", &answer("terminate", "success", "")),
    ])
    .then(&[("close", ""), ("exit", "0")])
    .effects(vec![deleted("a.tmp")]);
    assert_eq!(verdict("PM805", vec![removed]), (1, vec![]));
    // A session that did not end by itself says nothing.
    let killed = evaluated(
        opened("json"),
        "e",
        "",
        "log_info=x\nrepaired",
        vec![created("a.tmp", "")],
    )
    .then(&[("kill", "")]);
    assert_eq!(verdict("PM805", vec![killed]), (0, vec![]));
}

/// Killed in the evaluation, then a second process.
fn killed(second: &str, left: Vec<Change>, then: Vec<Change>) -> Dialogue {
    let first = ask(opened("json"), "e", "")
        .then(&[("kill", "")])
        .effects(left);
    let again = ask(first.then(&[("process", "1")]), "v", "")
        .then(&[("←", &answer("validate", "valid", ""))])
        .effects(vec![]);
    evaluated(again, "e", "", second, then).member("kill", "in evaluation")
}

#[test]
fn a_second_run_repairs_the_state_left_by_a_kill() {
    let base = || {
        let first = evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![created("a", "hello")],
        );
        evaluated(first, "e2", "", "kept", vec![]).member("kill", "baseline")
    };
    let half = || vec![created("a", "he")];
    let mended = killed(
        "log_info=x\nrepaired",
        half(),
        vec![changed("a", "he", "hello")],
    );
    assert_eq!(verdict("PM806", vec![base(), mended]), (1, vec![]));
    assert_eq!(
        messages("PM806", vec![base(), killed("kept", half(), vec![])]),
        ["after a kill and a second run, `{dir}/a` begins with `he` instead of `hello`"]
    );
    assert_eq!(
        messages(
            "PM806",
            vec![base(), killed("log_error=Locked\nnot_kept", half(), vec![])]
        ),
        ["after a kill, the evaluation is `not_kept`"]
    );
    // A temporary file may be left by a process that was killed.
    let temporary = killed(
        "log_info=x\nrepaired",
        vec![created(".a.tmp", "he")],
        vec![created("a", "hello")],
    );
    assert_eq!(verdict("PM806", vec![base(), temporary]), (1, vec![]));
    // So may a temporary folder, hidden or with a generated name, with what is in it.
    let folder = |name: &str| {
        let mut folder = created(name, "");
        if let Some(entry) = &mut folder.after {
            entry.kind = FileType::Directory;
            entry.content = None;
        }
        folder
    };
    let left =
        |changes: Vec<Change>| killed("log_info=x\nrepaired", changes, vec![created("a", "hello")]);
    let hidden = left(vec![
        folder(".new-qwertyui"),
        created(".new-qwertyui/a", "he"),
    ]);
    assert_eq!(verdict("PM806", vec![base(), hidden]), (1, vec![]));
    let generated = ["qwertyui", "asdfghjk"].map(|end| left(vec![folder(&format!("new-{end}"))]));
    let [one, other] = generated.map(|it| it);
    assert_eq!(verdict("PM806", vec![base(), one, other]), (2, vec![]));
    // One with a name of its own is a part of the end state.
    let other = left(vec![folder("leftover")]);
    assert_eq!(
        messages("PM806", vec![base(), other]),
        ["after a kill and a second run, `{dir}/leftover` also exists"]
    );
}

/// An evaluation on a full target.
pub fn refused(text: &str, effects: Vec<Change>) -> Dialogue {
    let closed = opened("json").with(|t| Event::Protected {
        t,
        how: Protection::Full,
    });
    evaluated(closed, "e", "", text, effects)
        .case(|case| case.protection = Some(Protection::Full))
        .member("protect", "full")
}

#[test]
fn refused_writes_are_reported_and_leave_nothing_half_done() {
    let base = || {
        evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![created("a", "hello")],
        )
        .member("protect", "baseline")
    };
    let group = |variant| vec![base(), variant];
    assert_eq!(
        verdict("PM807", group(refused("log_error=Full\nnot_kept", vec![]))),
        (1, vec![])
    );
    assert_eq!(
        messages(
            "PM807",
            group(refused("log_error=Full\nnot_kept", vec![created("a", "")]))
        ),
        ["on a full target: `not_kept`, but it creates `{dir}/a`"]
    );
    let (_, claimed) = verdict("PM807", group(refused("log_info=x\nrepaired", vec![])));
    assert_eq!(
        claimed[0].message,
        "on a full target: the evaluation answers `repaired`, but the target refuses writes"
    );
    assert_eq!(claimed[0].level, Level::Must);
    // It succeeded all the same.
    let wrote = refused("log_info=x\nrepaired", vec![created("a", "hello")]);
    assert_eq!(verdict("PM807", group(wrote)), (0, vec![]));
    // `error` here is PM807's, not PM405's.
    let error = || refused("log_critical=x\nerror", vec![]);
    assert_eq!(verdict("PM807", group(error())).1[0].level, Level::Should);
    assert_eq!(verdict("PM405", group(error())).1, []);
}

#[test]
fn a_finding_that_follows_from_another_is_set_aside() {
    let concluded = |dialogues: Vec<Dialogue>, expectations: &Expectations| {
        let sessions: Vec<AnySession> = dialogues
            .into_iter()
            .map(|dialogue| AnySession::new(Session::new(dialogue.build())))
            .collect();
        let codes = ["PM803", "PM807"];
        let rules: Vec<_> = RULES
            .iter()
            .filter(|rule| codes.contains(&rule.code))
            .collect();
        let ledgers = judge(&rules, &sessions);
        let judged = conclude(&rules, &ledgers, &sessions, expectations);
        judged.into_iter().map(Confirmed::from).collect::<Vec<_>>()
    };
    let verdicts = |outcomes: &[Confirmed]| {
        let each = outcomes.iter();
        each.map(|one| (one.verdict, one.explained_by, one.explains.len()))
            .collect::<Vec<_>>()
    };
    let cause = Some("PM807");
    let claims = |effects| evaluated(opened("json"), "e", "", "log_info=x\nrepaired", effects);
    let base = claims(vec![created("a", "hello")]).member("protect", "baseline");
    let closed = refused("log_info=x\nrepaired", vec![]);
    let group = vec![base, closed];
    let none = Expectations::default();
    let mut outcomes = concluded(group.clone(), &none);
    Confirmed::set_aside(&mut outcomes);
    let expected = [(Verdict::Skipped, cause, 0), (Verdict::Fail, None, 1)];
    assert_eq!(verdicts(&outcomes), expected);
    let why = outcomes[0].message.as_deref().unwrap_or_default();
    assert!(why.starts_with("follows from PM807: "), "{why}");
    // What is set aside stays so, and says it once.
    let once = outcomes.clone();
    Confirmed::set_aside(&mut outcomes);
    assert_eq!(outcomes, once);
    // A cause that does not come again explains nothing.
    let mut outcomes = concluded(group.clone(), &none);
    outcomes[1].never_again();
    Confirmed::set_aside(&mut outcomes);
    let expected = [(Verdict::Fail, None, 0), (Verdict::Flaky, None, 0)];
    assert_eq!(verdicts(&outcomes), expected);
    // Where the author declared the cause, its consequences are declared, too.
    let known = Expectation {
        rule: "PM807".into(),
        reason: "a known one".into(),
        scope: Scope::default(),
        expired: None,
    };
    let declared = Expectations {
        xfail: vec![known],
        ..Expectations::default()
    };
    let mut outcomes = concluded(group.clone(), &declared);
    Confirmed::set_aside(&mut outcomes);
    assert_eq!(outcomes[0].verdict, Verdict::Skipped);
    assert_eq!(outcomes[1].verdict, Verdict::Xfail);
    // What it does elsewhere is its own defect, and the only one that it shows.
    let more = [group, vec![claims(vec![])]].concat();
    let mut outcomes = concluded(more, &none);
    Confirmed::set_aside(&mut outcomes);
    let expected = [(Verdict::Fail, None, 0), (Verdict::Fail, None, 0)];
    assert_eq!(verdicts(&outcomes), expected);
    let places = outcomes[0].places.broken.iter().map(|place| place.session);
    assert_eq!(places.collect::<Vec<_>>(), [2]);
}

#[test]
fn a_failed_call_that_damages_the_promised_file_is_a_must_finding() {
    let told = |role: &str, failed: Option<u32>, effects| {
        let begun = ask(opened("json"), "e", "");
        let begun = begun.then(&[("←", &answer("evaluate", "repaired", ""))]);
        let counted = begun.with(|t| Event::Writes {
            t,
            process: 0,
            count: 2,
            failed,
            call: None,
            foreign: Vec::new(),
            own: Vec::new(),
        });
        let ended = counted.effects(effects).member("write", role);
        evaluated(ended, "e2", "", "kept", vec![])
    };
    let lost = |kept: &str, other: &str| {
        let usual = vec![created("a", "hello"), created("notes", "x")];
        let left = vec![created("a", kept), created("notes", other)];
        let group = vec![
            told("baseline", None, usual),
            told("write 1 of 2 fails", Some(1), left),
        ];
        let found = verdict("PM807", group).1;
        found.first().map(|finding| finding.level)
    };
    assert_eq!(lost("he", "x"), Some(Level::Must));
    // No promise names it.
    assert_eq!(lost("hello", ""), Some(Level::Should));
    assert_eq!(lost("hello", "x"), None);
}

fn drifted(mode: u32, uid: u32, attributes: &str) -> Dialogue {
    let path = || Bytes::from(PROMISER);
    let first = evaluated(
        opened("json"),
        "e",
        "",
        "log_info=x\nrepaired",
        vec![created("a", "hello")],
    );
    let spoilt = [
        Drift::Write {
            path: path(),
            content: "foreign".into(),
        },
        Drift::Mode {
            path: path(),
            mode: 0o604,
        },
        Drift::Owner {
            path: path(),
            uid: 12345,
            gid: 12345,
        },
    ]
    .into_iter()
    .fold(first, |dialogue, drift| {
        dialogue.with(|t| Event::Drifted {
            t,
            drift: Box::new(drift),
            failed: None,
            alone: false,
        })
    })
    .then(&[("observe", "drifted")]);
    let mut after = file("hello");
    (after.mode, after.uid, after.gid) = (mode, uid, uid);
    spoilt
        .then(&[
            ("→ e2:e1", &request("evaluate", PROMISER, attributes)),
            ("←", &answer("evaluate", "repaired", "")),
        ])
        .effects(vec![Change {
            path: path(),
            kind: ChangeKind::Changed,
            before: Some(file("foreign")),
            after: Some(after),
        }])
}

#[test]
fn a_replaced_file_keeps_mode_and_owner() {
    assert_eq!(
        verdict("PM808", vec![drifted(0o604, 12345, "{}")]),
        (1, vec![])
    );
    assert_eq!(
        messages("PM808", vec![drifted(0o644, 12345, "{}")]),
        ["`{dir}/a` had mode 0604, and has 0644 after the repair"]
    );
    assert_eq!(
        messages("PM808", vec![drifted(0o604, 0, "{}")]),
        ["`{dir}/a` belonged to 12345:12345, and belongs to 0:0 after the repair"]
    );
    assert_eq!(
        verdict("PM808", vec![drifted(0o644, 12345, r#"{"mode":"0644"}"#)]),
        (1, vec![])
    );
    assert_eq!(
        verdict(
            "PM808",
            vec![drifted(0o644, 0, r#"{"perms":{"owner":"root"}}"#)]
        ),
        (0, vec![])
    );
    // And the repair itself converged from the harness's change: no PM804.
    assert_eq!(
        verdict("PM804", vec![drifted(0o604, 12345, "{}")]),
        (0, vec![])
    );
}

#[test]
fn values_do_not_lead_out() {
    let ask = |dialogue: Dialogue, key: &str, name: &str, result: &str, effects| {
        let attributes = format!(r#"{{"name":"{name}"}}"#);
        dialogue
            .then(&[("observe", "start")])
            .then(&[
                (
                    &format!("→ e:{key}"),
                    &request("evaluate", "/tmp/stickler/dir/root", &attributes),
                ),
                ("←", &answer("evaluate", result, "")),
            ])
            .effects(effects)
    };
    let base = || {
        ask(
            dialogue("json", &[]),
            "e1",
            "x",
            "repaired",
            vec![created("root/x", "hello")],
        )
        .member("escape", "baseline")
    };
    let group = |sign: &str, result: &str, effects| {
        let label = "e1~escape:name:up";
        let variant = ask(dialogue("json", &[]), label, "../out", result, effects)
            .about(variant(label, "escape", "name"))
            .member("escape", "escape")
            .case(|case| {
                case.traps.push(Trap {
                    kind: TrapKind::Escape,
                    sign: sign.into(),
                    bait: "../out".into(),
                    field: None,
                });
            });
        vec![base(), variant]
    };
    for sign in ["out", "/tmp/stickler/dir/out"] {
        assert_eq!(
            messages(
                "PM809",
                group(sign, "repaired", vec![created("out", "hello")])
            ),
            ["outside its directory, the module creates `{dir}/out`"]
        );
        // The name alone was taken: it stays inside.
        let inside = vec![created("root/out", "hello")];
        assert_eq!(
            verdict("PM809", group(sign, "repaired", inside)),
            (1, vec![])
        );
        assert_eq!(
            verdict("PM809", group(sign, "not_kept", vec![])),
            (1, vec![])
        );
    }
    // What a stand-in for a command writes for such a name is not the module's.
    let with_stand_in = |made: &str| {
        let made = vec![created(made, "")];
        let own = vec![created("root/x.conf", ""), created("root/x.active", "")];
        let usual = ask(dialogue("json", &[]), "e1", "x", "repaired", own);
        let mut variants = group("out", "repaired", made).into_iter().skip(1);
        let variant = variants.next().expect("a variant").case(|case| {
            let theirs = format!("{DIR}/root/x.active");
            case.subject.foreign = vec![theirs.as_str().into()];
        });
        let group = vec![usual.member("escape", "baseline"), variant];
        messages("PM809", group)
    };
    assert_eq!(with_stand_in("out.active"), [""; 0]);
    assert_eq!(
        with_stand_in("out.conf"),
        ["outside its directory, the module creates `{dir}/out.conf`"]
    );
}

/// Sessions of all shapes, sound and broken.
fn zoo() -> Vec<Dialogue> {
    vec![
        ended(vec![created("a", "hello"), created("/tmp/x", "")]),
        killed("kept", vec![created("a", "he")], vec![]),
        refused("log_error=Full\nnot_kept", vec![created("a", "")]),
        drifted(0o644, 0, "{}"),
    ]
}

#[test]
fn no_transcript_makes_a_rule_panic() {
    let whole: Vec<_> = zoo().into_iter().map(Dialogue::build).collect();
    for victim in 0..whole.len() {
        for index in 0..whole[victim].events.len() {
            for change in 0..3 {
                let mut transcripts = whole.clone();
                let events = &mut transcripts[victim].events;
                match change {
                    0 => drop(events.remove(index)),
                    1 => events.truncate(index),
                    _ => events.swap(index, 0),
                }
                let sessions: Vec<_> = transcripts
                    .into_iter()
                    .map(|one| AnySession::new(cfengine_protocol::Session::new(one)))
                    .collect();
                let rules: Vec<_> = cfengine_protocol::rules::RULES.iter().collect();
                let ledgers = stickler_judge::judge(&rules, &sessions);
                assert_eq!(ledgers.len(), rules.len());
            }
        }
    }
}
