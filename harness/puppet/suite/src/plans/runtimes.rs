//! The types under other versions of the library, under other Rubies, and under the installed Puppet.

use crate::find::has_provider;
use crate::host::interpreter;
use crate::keys::INTERPRETERS;
use crate::requests::{get_all, greet, load, open};
use crate::shown::Shown;
use crate::site::{self, Site};
use crate::versions::{is_real, others, usual};
use puppet_protocol::relation;
use puppet_protocol::{purpose, rules};
use std::collections::BTreeSet;
use std::os::unix::ffi::OsStringExt;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Purpose, Role};

/// The group of the sessions in which all types are read.
const ALL: &str = "all types";

/// What a session has in place of the usual runtime.
enum Other<'a> {
    Version(&'a str),
    Ruby(&'a str),
    Puppet,
}

impl Other<'_> {
    fn role(&self) -> Role {
        match self {
            Other::Version(version) => Role::variant(version),
            Other::Ruby(ruby) => Role::variant(ruby),
            Other::Puppet => Role::variant(rules::PUPPET),
        }
    }

    fn greet(&self, case: &mut CaseBuilder<'_>) {
        if let Other::Ruby(ruby) = self {
            let ruby = interpreter(case.setting().config, ruby).into_os_string();
            case.surroundings(|command| {
                if let Some(first) = command.argv.first_mut() {
                    *first = ruby.into_vec().into();
                }
            });
        }
        case.start(0);
        let usual = usual(case.setting().config);
        greet(
            case,
            match self {
                Other::Version(version) => Some(version),
                Other::Ruby(_) => Some(usual),
                Other::Puppet => None,
            },
        );
    }
}

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let rubies = setting.config.subject.own.texts(INTERPRETERS).iter();
    let is_real = is_real(setting.config);
    // The installed Puppet has one version, and is compared with nothing.
    let mut others = match is_real {
        true => Vec::new(),
        false => {
            let versions = others(setting.config).into_iter();
            versions.map(Other::Version).collect()
        }
    };
    others.extend(rubies.map(|ruby| Other::Ruby(ruby)));
    let kinds = shown.kinds(setting.config);
    let mut cases = Vec::new();
    let usual = Other::Version(usual(setting.config));
    for (name, role) in [("once", Role::Baseline), ("twice", Role::Again)] {
        cases.push(all(setting, &kinds, name, role, &usual));
    }
    let items = subjects(setting, effort);
    let items = items.iter().filter(|item| item.target.is_none());
    let items: Vec<&Instance> = items.collect();
    for other in &others {
        let role = other.role();
        cases.push(all(setting, &kinds, role.name(), role.clone(), other));
        cases.extend(items.iter().map(|item| one(setting, item, other)));
    }
    if is_real {
        return cases;
    }
    // The real library takes long to load: an example of each type shows most, and the types without
    // one share a process.
    let mut seen = BTreeSet::new();
    let puppet = Other::Puppet;
    let items = items.iter().filter(|item| {
        let is_first = shown.creates(&item.info.label) && seen.insert(&item.kind);
        is_first || effort == Effort::Deep
    });
    cases.extend(items.map(|item| one(setting, item, &puppet)));
    let rest: Vec<String> = kinds
        .into_iter()
        .filter(|kind| !seen.contains(kind))
        .collect();
    if !rest.is_empty() {
        cases.push(all(setting, &rest, rules::PUPPET, puppet.role(), &puppet));
    }
    cases
}

/// Several types in one process, as an agent has them.
fn all(setting: &Setting<'_>, kinds: &[String], name: &str, role: Role, other: &Other<'_>) -> Case {
    let mut case = setting.case(format!("runtime/{name}/all"));
    case.member(relation::RUNTIME, ALL, role).observing();
    if let [kind] = kinds {
        case.about(kind);
    }
    other.greet(&mut case);
    for kind in kinds {
        // Without its device, a type may have another provider, or none.
        let is_elsewhere = site::usual(setting, kind).target.is_some();
        if is_elsewhere || !has_provider(setting.config, kind) {
            load(&mut case, kind);
            continue;
        }
        let site = Site { kind, target: None };
        open(&mut case, site);
        let send = get_all(&case, purpose::STATE.of(kind), site);
        case.send(send);
    }
    case.terminate().build()
}

/// An example, evaluated twice.
fn one(setting: &Setting<'_>, item: &Instance, other: &Other<'_>) -> Case {
    let (role, label) = (other.role(), &item.info.label);
    let mut case = setting.case(format!("runtime/{role}/{label}"));
    case.member(relation::RUNTIME, label, role);
    case.setup(item).observing();
    other.greet(&mut case);
    case.validate(item)
        .evaluate(item)
        .evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, item)
        .terminate()
        .build()
}
