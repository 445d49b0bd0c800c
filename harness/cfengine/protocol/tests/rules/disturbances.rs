//! PM8xx: what the harness's own disturbances do, and names that differ from run to run, is not the
//! module's fault.

use crate::common::{
    Dialogue, PROMISER, absolute, answer, ask, changed, created, deleted, evaluated, messages,
    opened, verdict,
};
use crate::effects::refused;
use stickler_judge::Level;
use stickler_transcript::{Call, Change, Event, FileType};

#[test]
fn the_target_is_named_and_not_a_backup() {
    let base = || {
        evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![created("a", "hello"), created("a-20260131-120000", "old")],
        )
        .member("protect", "baseline")
    };
    let half = vec![
        changed("a-20260131-120059", "old", ""),
        changed("a", "old", ""),
    ];
    let backup = absolute("a-20260131-120059");
    let told =
        refused("log_error=Full\nnot_kept", half).case(|case| case.subject.own = vec![backup]);
    assert_eq!(
        messages("PM807", vec![base(), told]),
        ["on a full target: `not_kept`, but it changes `{dir}/a`"]
    );
}

/// An evaluation with a failed call, and one after it.
fn failed(call: Call, first: &str, left: Vec<Change>, second: &str, then: Vec<Change>) -> Dialogue {
    let writes = |t| Event::Writes {
        t,
        process: 0,
        count: 3,
        failed: Some(2),
        call: Some(Box::new(call)),
        foreign: vec![],
        own: vec![],
    };
    let first = ask(opened("json"), "e", "")
        .then(&[("←", &answer("evaluate", first, ""))])
        .with(writes)
        .effects(left);
    evaluated(first, "after", "", second, then).member("write", "write 2 of 3 fails")
}

fn call(name: &str, path: &str) -> Call {
    Call {
        name: name.into(),
        path: Some(path.into()),
        program: None,
        stand_in: false,
    }
}

#[test]
fn a_kept_promise_may_delete_files_left_by_a_failed_call() {
    let call = || call("rename", PROMISER);
    let left = || vec![created(".a.tmp", "hello")];
    let tidied = failed(call(), "not_kept", left(), "kept", vec![deleted(".a.tmp")]);
    assert_eq!(verdict("PM802", vec![tidied]), (1, vec![]));
    let other = failed(call(), "not_kept", left(), "kept", vec![deleted("b")]);
    assert_eq!(
        messages("PM802", vec![other]),
        ["`kept`, but it deletes `{dir}/b`"]
    );
    // PM807 judges the evaluation with the failed call.
    let kept = failed(call(), "kept", left(), "kept", vec![]);
    assert_eq!(verdict("PM802", vec![kept]), (1, vec![]));
}

#[test]
fn a_process_that_ends_in_a_validation_may_tidy_up() {
    let made = vec![created("a", "hello"), created(".state", "")];
    let ends = |effects| {
        let first = evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            made.clone(),
        );
        ask(first, "v2", "").then(&[("exit", "1")]).effects(effects)
    };
    assert_eq!(verdict("PM801", vec![ends(vec![deleted(".state")])]).1, []);
    assert_eq!(
        messages("PM801", vec![ends(vec![deleted("foreign")])]),
        ["validation deletes `{dir}/foreign`"]
    );
}

#[test]
fn a_killed_stand_in_causes_no_finding_against_the_module() {
    let session = |stand_in: bool| {
        let call = Call {
            stand_in,
            ..call("write", "/var/lib/settings/a")
        };
        let writes = |t| Event::Writes {
            t,
            process: 0,
            count: 2,
            failed: None,
            call: Some(Box::new(call)),
            foreign: vec![],
            own: vec![],
        };
        let first = ask(opened("json"), "e", "")
            .with(writes)
            .then(&[("kill", "")]);
        let again = ask(first.then(&[("process", "1")]), "v", "")
            .then(&[("←", &answer("validate", "valid", ""))])
            .effects(vec![]);
        let repaired = evaluated(again, "e", "", "log_info=x\nrepaired", vec![]);
        evaluated(repaired, "e2", "", "log_info=x\nrepaired", vec![])
    };
    // What a tool that was killed leaves behind may keep the module from its work.
    let failed = {
        let first = ask(opened("json"), "e", "").then(&[("kill", "")]);
        let again = ask(first.then(&[("process", "1")]), "v", "")
            .then(&[("←", &answer("validate", "valid", ""))])
            .effects(vec![]);
        let repaired = evaluated(again, "e", "", "log_info=x\nrepaired", vec![]);
        evaluated(repaired, "e2", "", "log_error=Locked\nnot_kept", vec![])
    };
    assert_eq!(verdict("PM804", vec![failed]), (0, vec![]));
    for code in ["PM803", "PM804"] {
        assert_ne!(messages(code, vec![session(false)]).len(), 0, "{code}");
        assert_eq!(verdict(code, vec![session(true)]), (0, vec![]), "{code}");
    }
}

#[test]
fn names_that_differ_from_run_to_run_are_not_lost() {
    let base = |role: &str, backup: &str, stage: &str| {
        evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![
                created("a", "hello"),
                created(backup, "old"),
                created(stage, ""),
            ],
        )
        .member("write", role)
    };
    let failed = |files| failed(call("chmod", PROMISER), "repaired", files, "kept", vec![]);
    let group = |variant| {
        vec![
            base("baseline", "a.20260131-120000", "stage.9.kwzpqr/in"),
            base("again", "a.20260131-120000", "stage.12.hnvbty/in"),
            variant,
        ]
    };
    let renamed = failed(vec![
        created("a", "hello"),
        created("a.20260131-120001", "old"),
        created("stage.7.bbbbbb/in", ""),
    ]);
    assert_eq!(verdict("PM807", group(renamed)).1, []);
    let lost = failed(vec![
        created("a", "hello"),
        created("stage.7.bbbbbb/in", ""),
    ]);
    assert_eq!(messages("PM807", group(lost)).len(), 1);
}

#[test]
fn names_of_the_process_itself_are_not_lost_wherever_they_are() {
    let base = |role: &str, files: [&str; 2]| {
        let files = files.map(|path| created(path, "")).to_vec();
        let text = "log_info=x\nrepaired";
        evaluated(opened("json"), "e", "", text, files).member("write", role)
    };
    let group = |files: [&str; 2]| {
        let files = files.map(|path| created(path, "")).to_vec();
        vec![
            base("baseline", ["9.x6MSzM.stage/in", "kwzpqr-9/in"]),
            base("again", ["12.Ab3dEf.stage/in", "hnvbty-12/in"]),
            failed(call("chmod", PROMISER), "repaired", files, "kept", vec![]),
        ]
    };
    let renamed = group(["7.Qq9wWe.stage/in", "bbbbbb-7/in"]);
    assert_eq!(verdict("PM807", renamed).1, []);
}

#[test]
fn a_random_name_in_place_of_another_is_not_lost() {
    let group = |usual: &str, now: &str| {
        let text = "log_info=x\nrepaired";
        let base = evaluated(opened("json"), "e", "", text, vec![created(usual, "")]);
        let left = vec![created(now, "")];
        let failed = failed(call("chmod", PROMISER), "repaired", left, "kept", vec![]);
        vec![base.member("write", "baseline"), failed]
    };
    let renamed = group("site.d/XXDWg9.2.release", "site.d/Qq9wWe.3.release");
    assert_eq!(verdict("PM807", renamed).1, []);
    assert_eq!(messages("PM807", group("config", "backup")).len(), 1);
}

#[test]
fn links_to_names_of_the_process_itself_lead_to_the_same() {
    let link = |to: &str| {
        let mut link = created("site", &format!("/tmp/stickler/dir/site.d/{to}"));
        if let Some(after) = &mut link.after {
            after.kind = FileType::Link;
        }
        vec![link]
    };
    let group = |to: &str| {
        let text = "log_info=x\nrepaired";
        let base = evaluated(opened("json"), "e", "", text, link("RbjgOx.9.release"));
        let failed = failed(
            call("chmod", PROMISER),
            "repaired",
            link(to),
            "kept",
            vec![],
        );
        vec![base.member("write", "baseline"), failed]
    };
    assert_eq!(verdict("PM807", group("RnbDWx.12.release")).1, []);
    assert_eq!(messages("PM807", group("previous")).len(), 1);
}

#[test]
fn a_process_may_replace_the_name_that_an_earlier_one_chose() {
    let session = |new: &str| {
        let first = evaluated(
            opened("json"),
            "e",
            "",
            "log_info=x\nrepaired",
            vec![created("a", "hello"), created("9.x6MSzM.run", "")],
        );
        let next = ask(first.then(&[("process", "1"), ("header", "")]), "v2", "")
            .then(&[("←", &answer("validate", "valid", ""))])
            .effects(vec![]);
        let effects = vec![deleted("9.x6MSzM.run"), created(new, "")];
        evaluated(next, "e2", "", "kept", effects)
    };
    assert_eq!(
        verdict("PM802", vec![session("12.Ab3dEf.run")]),
        (1, vec![])
    );
    assert_eq!(messages("PM802", vec![session("other")]).len(), 1);
}

#[test]
fn a_stand_in_may_touch_its_own_file() {
    let session = |stand_ins: &[&str], after: &str| {
        let effects = vec![changed("/tmp/stickler/home/.units", "web", after)];
        let mut session = evaluated(opened("json"), "e", "", "kept", effects);
        for name in stand_ins {
            session = session.stand_in(name);
        }
        session
    };
    assert_eq!(verdict("PM802", vec![session(&["unitctl"], "web")]).1, []);
    assert_eq!(messages("PM802", vec![session(&[], "web")]).len(), 1);
    assert_eq!(
        messages("PM802", vec![session(&["unitctl"], "mail")]).len(),
        1
    );
}

#[test]
fn what_a_tool_keeps_for_itself_is_its_own_business() {
    let kept = |path: &str| {
        let effects = vec![created(path, "x")];
        evaluated(opened("json"), "e", "", "kept", effects)
    };
    let level = |path: &str| verdict("PM802", vec![kept(path)]).1[0].level;
    assert_eq!(level("clone/.git/FETCH_HEAD"), Level::May);
    assert_ne!(level("clone/.gitignore"), Level::May);
}
