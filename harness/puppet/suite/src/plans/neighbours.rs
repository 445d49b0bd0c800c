//! A resource beside one whose name is easily taken for its own, and beside one with other letters: each is made,
//! changed, and removed while the other is there. A system may take two of these names for one, so these sessions are
//! only compared.

use super::beside::most_telling;
use crate::altered::{properties, removal, values};
use crate::requests::{look, open, renew, was_set};
use crate::shown::Shown;
use crate::twins::{lookalikes, unrelated};
use puppet_protocol::{purpose, relation};
use puppet_types::Definition;
use stickler_suite::{CaseBuilder, Effort, Instance, Setting};
use stickler_transcript::{Case, Key, Purpose, Role, Variation};

/// So many resources with similar names are tried of each type.
const MOST: usize = 8;

pub(super) fn cases(shown: &Shown, setting: &Setting<'_>, effort: Effort) -> Vec<Case> {
    let mut cases = Vec::new();
    for (item, definition) in most_telling(shown, setting, effort) {
        let Some(far) = unrelated(&definition, &item) else {
            continue;
        };
        let similar = lookalikes(&definition, &item);
        let similar = similar.into_iter().take(MOST).map(|other| {
            let words = other.info.description.clone().unwrap_or_default();
            (Role::variant(&words), other)
        });
        for (role, other) in std::iter::once((Role::Beside, far)).chain(similar) {
            cases.push(beside(shown, setting, &definition, [&item, &other], role));
        }
    }
    cases
}

fn beside(
    shown: &Shown,
    setting: &Setting<'_>,
    definition: &Definition,
    [item, other]: [&Instance; 2],
    role: Role,
) -> Case {
    let mut case = setting.case(format!("neighbour/{}", other.info.label));
    case.member(relation::NEIGHBOURS, &item.info.label, role)
        .setup(item)
        .set_up_once(other)
        .open();
    open(&mut case, item);
    let mut scene = Scene {
        shown,
        definition,
        case,
        item,
        number: 0,
    };
    scene.set(Purpose::EVALUATE, item);
    scene.look();
    scene.set(Purpose::EVALUATE, other);
    scene.look();
    let updated = |one: &Instance| {
        let mut all = properties(definition).flat_map(|own| values(setting, definition, one, own));
        all.find(|one| one.info.variation != Some(Variation::Text))
    };
    for one in [item, other] {
        if let Some(updated) = updated(one) {
            scene.set(Purpose::EVALUATE, &updated);
            scene.look();
        }
    }
    if let (Some(gone), Some(other_gone)) =
        (removal(definition, item, 0), removal(definition, other, 0))
    {
        scene.set(Purpose::EVALUATE, &gone);
        scene.look();
        scene.set(Purpose::EVALUATE.turn(2), item);
        scene.look();
        scene.set(Purpose::EVALUATE, &other_gone);
        scene.look();
    }
    scene.case.terminate().build()
}

/// A session in which each change has an instance of its own, and all rows are read after it.
struct Scene<'a, 's> {
    shown: &'a Shown,
    definition: &'a Definition,
    case: CaseBuilder<'s>,
    item: &'a Instance,
    number: usize,
}

impl Scene<'_, '_> {
    fn set(&mut self, key: impl Into<Key>, item: &Instance) {
        if !was_set(&self.case, item) {
            renew(&mut self.case, item);
        }
        self.case.evaluate_as(key, Purpose::VALIDATE, item);
    }

    fn look(&mut self) {
        self.number += 1;
        let part = self.number.to_string();
        let key = purpose::BESIDES.part(&part).of(&self.item.info.label);
        look(self.shown, &mut self.case, key, self.item, self.definition);
    }
}
