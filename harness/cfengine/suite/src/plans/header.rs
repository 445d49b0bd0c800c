//! Headers of other agents.

use cfengine_protocol::relation;
use cfengine_protocol::{phase, purpose};
use stickler_suite::plans::subjects;
use stickler_suite::{Effort, Setting};
use stickler_transcript::{Case, Piece, Provenance, Purpose, Role, Step};

/// The header alone. Until the module answers it, the suite does not know how to send more.
pub(super) fn first(setting: &Setting<'_>, _: Effort) -> Vec<Case> {
    vec![plain(setting)]
}

fn plain(setting: &Setting<'_>) -> Case {
    setting
        .case("header/plain")
        .observing()
        .open()
        .close_and_wait()
        .build()
}

pub(super) fn cases(setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let known = ["3.7.0", "3.10.7", "3.16.0", "3.24.3", "3.21.0a.1b2"].map(|version| {
        (
            format!("version-{version}"),
            format!("cf-agent {version} v1"),
            Provenance::Agent,
        )
    });
    let foreign = [
        ("stickler", "stickler 1.0.0 v1"),
        ("major", "cf-agent 4.0.0 v1"),
        ("v2", "cf-agent 3.21.0 v2"),
        ("v9", "cf-agent 3.21.0 v9"),
    ]
    .map(|(name, line)| {
        (
            format!("foreign-{name}"),
            line.to_owned(),
            Provenance::Beyond,
        )
    });
    let mut cases: Vec<Case> = known
        .into_iter()
        .chain(foreign)
        .map(|(name, line, provenance)| spoken(setting, &name, &line, provenance, effort))
        .collect();
    cases.push(waiting(setting));
    cases
}

fn spoken(
    setting: &Setting<'_>,
    name: &str,
    line: &str,
    provenance: Provenance,
    effort: Effort,
) -> Case {
    let mut case = setting.case(format!("header/{name}"));
    let instance = subjects(setting, effort).into_iter().next();
    if let Some(instance) = &instance {
        case.member(relation::HEADER, &instance.info.label, Role::variant(name))
            .setup(instance);
    }
    case.start(0);
    let mut send = case.message(
        phase::HEADER,
        purpose::HEADER,
        format!("{line}\n\n").into_bytes(),
    );
    send.provenance = provenance;
    case.send(send);
    if let Some(instance) = &instance {
        case.validate_with(Purpose::VALIDATE, instance, |send| {
            send.provenance = send.provenance.max(provenance);
        });
    }
    case.terminate().build()
}

/// Sends the header late and in pieces. The module must print nothing before it.
fn waiting(setting: &Setting<'_>) -> Case {
    let mut case = setting.case("header/waiting");
    case.start(0).step(Step::Pause { us: 60_000 });
    let mut send = case.message(phase::HEADER, purpose::HEADER, b"cf-agent 3.21".to_vec());
    send.pieces.push(Piece {
        pause_us: 30_000,
        data: "\u{2e}0 v1\n".into(),
    });
    send.pieces.push(Piece {
        pause_us: 30_000,
        data: "\n".into(),
    });
    send.provenance = Provenance::Spec;
    case.send(send).terminate().build()
}
