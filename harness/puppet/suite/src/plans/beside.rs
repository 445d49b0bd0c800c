//! A resource beside others whose names are easily taken for its own: each is made, changed and removed, and
//! some changes are made once more, as if nobody had made them.

use crate::altered::{is_removal, properties, removal, values};
use crate::deferred::{Deferred, Encoded, Pick};
use crate::requests::{about, ask, deferred, get_rows, look, open};
use crate::resource;
use crate::shown::Shown;
use crate::site::Site;
use crate::twins::{lengthy, namevars, neighbours, unrelated};
use puppet_protocol::{phase, purpose};
use puppet_types::{Attribute, Definition, Type, Value};
use std::sync::Arc;
use stickler_suite::plans::subjects;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Provenance, Purpose, Variation};

/// So many neighbours are there at once.
const MOST: usize = 5;
/// So many other values of each property are made canonical together.
const OTHER_VALUES: usize = 3;
/// So many rows are asked for one by one.
const ONE_BY_ONE: usize = 3;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let items = most_telling(shown, setting, effort).into_iter();
    let each = items.map(|(item, definition)| {
        let beside = subjects(setting, effort).into_iter();
        let beside = beside.filter(|one| one.kind == item.kind && !is_removal(one));
        case(shown, setting, &definition, &item, beside.collect())
    });
    each.collect()
}

/// The example of each type that says most, if one makes a resource or resources can be removed.
pub(super) fn most_telling(
    shown: &Shown,
    setting: &Setting<'_>,
    effort: Effort,
) -> Vec<(Instance, Arc<Definition>)> {
    if !setting.sandboxed {
        return Vec::new();
    }
    let mut items = subjects(setting, effort);
    items.retain(|item| setting.knowledge.repaired.contains(&item.info.label) && !is_removal(item));
    let is_new = |item: &Instance| !shown.creates(&item.info.label);
    items.sort_by_key(|item| (is_new(item), std::cmp::Reverse(item.attributes.len())));
    let mut found: Vec<(Instance, Arc<Definition>)> = Vec::new();
    for item in items {
        let is_known = found.iter().any(|(known, _)| known.kind == item.kind);
        if let Some(definition) = shown.definition(&item.kind).filter(|_| !is_known)
            && (shown.creates(&item.info.label) || definition.is_ensurable())
        {
            found.push((item, definition));
        }
    }
    found
}

fn case(
    shown: &Shown,
    setting: &Setting<'_>,
    definition: &Definition,
    item: &Instance,
    examples: Vec<Instance>,
) -> Case {
    let mut others = neighbours(definition, item);
    // The name of the last one is not there.
    let unknown = others.split_off(others.len().saturating_sub(1).min(MOST));
    let mut case = setting.case(format!("beside/{}", item.info.label));
    case.setup(item).observing().open();
    open(&mut case, item);
    let mut scene = Scene {
        shown,
        definition,
        case,
        item,
        read: Key::default(),
        number: 0,
    };
    let bare = others.last().and_then(|last| bare(definition, last));
    scene.look();
    if let Some((bare, _)) = &bare {
        scene.case.evaluate(bare);
        scene.look();
    }
    scene.change(item, true);
    if let Some((bare, gone)) = &bare {
        // Once more, after one that has everything.
        let again = Purpose::EVALUATE.turn(2);
        scene
            .case
            .evaluate(gone)
            .evaluate_as(again, Purpose::VALIDATE, bare);
        others.pop();
    }
    // One that nobody takes for any of them shows what is harmed for the sake of its name.
    let far = unrelated(definition, item);
    for other in far.iter().chain(&others) {
        scene.case.evaluate(other);
    }
    scene.look();
    if definition.has_feature("simple_get_filter") {
        filtered(&mut scene, definition, &unknown);
    }
    if definition.has_feature("canonicalize") {
        let near = others.iter().chain(&unknown).cloned().chain([item.clone()]);
        let all = near.chain(lengthy(definition, item)).chain(examples);
        together(&mut scene.case, definition, item, all.collect());
    }
    // After a difficult text, rules about rows judge nothing.
    let is_plain = |item: &Instance| item.info.variation != Some(Variation::Text);
    let updated = |item: &Instance| {
        let mut all = properties(definition).flat_map(|one| values(setting, definition, item, one));
        all.find(is_plain)
    };
    for (one, twice) in [Some(item), others.first()]
        .into_iter()
        .flatten()
        .zip([true, false])
    {
        if let Some(updated) = updated(one) {
            scene.change(&updated, twice);
        }
    }
    for (one, twice) in [Some(item), others.first()]
        .into_iter()
        .flatten()
        .zip([true, false])
    {
        if let Some(gone) = removal(definition, one, 0) {
            scene.change(&gone, twice);
        }
    }
    scene.case.terminate().build()
}

/// The resource without anything that it need not have, and its removal.
fn bare(definition: &Definition, item: &Instance) -> Option<(Instance, Instance)> {
    let is_free = |one: &&Attribute| {
        one.default.is_none() && matches!(one.data_type, Some(Type::Optional(_)))
    };
    let mut bare = item.clone();
    for property in properties(definition).filter(is_free) {
        bare.remove(&property.name);
    }
    let is_less = bare.attributes.len() < item.attributes.len();
    bare.info.label = format!("{}~bare", item.info.label).into();
    Some((bare, removal(definition, item, 1)?)).filter(|_| is_less)
}

/// A session in which all rows are read after each change.
struct Scene<'a, 's> {
    shown: &'a Shown,
    definition: &'a Definition,
    case: CaseBuilder<'s>,
    item: &'a Instance,
    /// The last time.
    read: Key,
    number: usize,
}

impl Scene<'_, '_> {
    fn look(&mut self) {
        self.number += 1;
        let part = self.number.to_string();
        self.read = purpose::BESIDES.part(&part).of(&self.item.info.label);
        look(
            self.shown,
            &mut self.case,
            self.read.clone(),
            self.item,
            self.definition,
        );
    }

    /// Makes a change, and perhaps once more, as if nobody had.
    fn change(&mut self, item: &Instance, twice: bool) {
        let before = self.read.clone();
        self.case.evaluate(item);
        self.look();
        let key = purpose::REPEATED.into();
        let Some(mut again) = self
            .shown
            .evaluation(&mut self.case, &key, item, false)
            .filter(|_| twice)
        else {
            return;
        };
        // No runtime changes anything before it has read the state.
        let key = purpose::REPEATED.part(purpose::READ).of(&item.info.label);
        let send = get_rows(self.shown, &self.case, key, item);
        self.case.send(send);
        let open = again.open.clone();
        let key = purpose::REPEATED.of(&item.info.label);
        again.rows = Some(before);
        let send = deferred(&self.case, phase::SET, key, open, Deferred::Evaluate(again));
        let mut send = about(send, item);
        send.provenance = send.provenance.max(Provenance::Spec);
        self.case.send(send);
        self.look();
    }
}

/// The rows by name, beside names that are not there.
fn filtered(scene: &mut Scene<'_, '_>, definition: &Definition, unknown: &[Instance]) {
    let names = unknown.iter().filter_map(|one| {
        let values = namevars(definition, one);
        match &definition.namevars()[..] {
            [_] => values.into_iter().next().flatten(),
            several => {
                let values = values
                    .into_iter()
                    .map(|value| value.unwrap_or(Value::Undef));
                Some(Value::hash(several.iter().copied().zip(values)))
            }
        }
    });
    let among = Pick::Among(names.map(Encoded).collect());
    let one_by_one = (0..ONE_BY_ONE).map(Pick::One);
    let open = Site::from(scene.item).look_key();
    for (number, pick) in one_by_one.chain([among]).enumerate() {
        let what = Deferred::Named {
            open: open.clone(),
            rows: scene.read.clone(),
            namevars: definition
                .namevars()
                .into_iter()
                .map(str::to_owned)
                .collect(),
            pick,
        };
        let key = purpose::NAMED
            .part(&number.to_string())
            .of(&scene.item.info.label);
        let send = deferred(&scene.case, phase::GET, key, open.clone(), what);
        scene.case.send(send);
    }
}

/// `canonicalize` gets several resources one by one, then all in one call, in both orders: neighbours, the
/// item as it is and as it is to go, other examples; then the item with other values.
fn together(
    case: &mut CaseBuilder<'_>,
    definition: &Definition,
    item: &Instance,
    mut all: Vec<Instance>,
) {
    let setting = case.setting();
    all.extend(removal(definition, item, 0));
    // Their text may be refused, and then nothing is compared.
    let altered = properties(definition).flat_map(|one| {
        let all = values(setting, definition, item, one).into_iter();
        let plain = all.filter(|one| one.info.variation != Some(Variation::Text));
        plain.take(OTHER_VALUES)
    });
    let altered: Vec<Instance> = altered.collect();
    let mut call = |key: Key, resources: Vec<Value>| {
        let params = Value::hash([("resources", Value::Array(resources))]);
        let mut send = ask(case, phase::CANONICALIZE, key, item, params);
        send.provenance = Provenance::Spec;
        case.send(send);
    };
    let label = &item.info.label;
    let mut number = 0;
    for (part, some) in [("names", all), ("values", altered)] {
        let mut targets: Vec<Value> = Vec::new();
        for one in some.iter().map(|one| resource::target(definition, one)) {
            if !targets.contains(&one) {
                targets.push(one);
            }
        }
        if targets.len() < 2 {
            continue;
        }
        for one in &targets {
            let key = purpose::SINGLE.part(&number.to_string()).of(label);
            call(key, vec![one.clone()]);
            number += 1;
        }
        call(purpose::SEVERAL.part(part).of(label), targets.clone());
        targets.reverse();
        let turned = format!("{part}-turned");
        call(purpose::SEVERAL.part(&turned).of(label), targets);
    }
}
