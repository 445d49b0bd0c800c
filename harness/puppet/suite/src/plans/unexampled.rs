//! Types of which the author gives no example. Those of remote resources are read on a target, and
//! `canonicalize` gets the rows and resources that are made up.

use crate::deferred::Deferred;
use crate::requests::{ask, deferred, get_all, open};
use crate::shown::Shown;
use crate::site::{self, Site};
use puppet_protocol::{phase, purpose};
use puppet_types::generate::others;
use puppet_types::{Attribute, Behaviour, Definition, Dice, Value};
use stickler_suite::{CaseBuilder, Setting};
use stickler_transcript::{Case, Key};

/// So many resources are made up of each type.
const MADE_UP: usize = 6;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>) -> Vec<Case> {
    let kinds = shown.kinds(setting.config);
    let alone = kinds
        .iter()
        .filter(|kind| !site::has_example(setting, kind));
    let known = alone.filter_map(|kind| Some((kind, shown.definition(kind)?)));
    let cases = known.filter_map(|(kind, definition)| case(setting, kind, &definition));
    cases.collect()
}

fn case(setting: &Setting<'_>, kind: &str, definition: &Definition) -> Option<Case> {
    let mut site = site::usual(setting, kind);
    let was_read = site.target.is_some() || !definition.has_feature("remote_resource");
    if !was_read {
        // Any target may have them.
        let mut targets = setting.config.targets.iter();
        site.target = Some(&targets.find(|one| !one.invalid)?.name);
    }
    let canonicalizes = definition.has_feature("canonicalize");
    if was_read && !canonicalizes {
        return None;
    }
    let mut case = setting.case(format!("unexampled/{kind}"));
    case.about(kind).observing().open();
    open(&mut case, site);
    let send = get_all(&case, purpose::GET.of(kind), site);
    case.send(send);
    if !canonicalizes {
        let send = get_all(&case, purpose::AGAIN.of(kind), site);
        case.send(send);
        return Some(case.terminate().build());
    }
    again(
        &mut case,
        site,
        purpose::GET.of(kind),
        purpose::ROWS.of(kind),
    );
    for (number, resource) in made_up(setting, definition).into_iter().enumerate() {
        let key = purpose::MADE_UP.nth(number + 1).of(kind);
        let params = Value::hash([("resources", Value::Array(vec![resource]))]);
        let send = ask(&case, phase::CANONICALIZE, key.clone(), site, params);
        case.send(send);
        let once_more = key.part(purpose::CANONICAL);
        again(&mut case, site, key, once_more);
    }
    Some(case.terminate().build())
}

/// `canonicalize` gets what another call returned.
fn again(case: &mut CaseBuilder<'_>, site: Site<'_>, rows: Key, key: Key) {
    let what = Deferred::Canonicalize {
        open: site.open_key(),
        rows,
    };
    let send = deferred(case, phase::CANONICALIZE, key, site.open_key(), what);
    case.send(send);
}

/// Resources that the types of the attributes admit.
fn made_up(setting: &Setting<'_>, definition: &Definition) -> Vec<Value> {
    let settable = definition.attributes.iter();
    let settable = settable.filter(|one| one.behaviour != Behaviour::ReadOnly);
    let own: Vec<(&Attribute, Vec<Value>)> = settable
        .filter_map(|one| {
            let mut dice = Dice::new(setting.seed, &format!("made up {}", one.name));
            let all = others(one.data_type.as_ref()?, None, &mut dice).into_iter();
            Some((one, all.map(|other| other.value).collect()))
        })
        .collect();
    let is_named = |name: &&str| {
        let mut all = own.iter();
        all.any(|(one, values)| one.name == **name && !values.is_empty())
    };
    // A resource without a name is none.
    if !definition.namevars().iter().all(is_named) {
        return Vec::new();
    }
    let most = own.iter().map(|(_, values)| values.len()).max();
    let resource = |number: usize| {
        let members = own.iter().filter_map(|(one, values)| {
            let value = values.get(number % values.len().max(1))?;
            Some((Value::symbol(&one.name), value.clone()))
        });
        Value::Hash(members.collect())
    };
    let count = most.unwrap_or_default().min(MADE_UP);
    (0..count).map(resource).collect()
}
