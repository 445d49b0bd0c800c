//! Many variants of an example, tried in one process one after the other, if a process may get several.

use crate::builder::{CaseBuilder, group_name};
use crate::capabilities::Tells;
use crate::instance::{Instance, SCRATCH};
use crate::setting::Setting;
use crate::values::CANARY;
use std::collections::BTreeMap;
use std::ops::Range;
use stickler_judge::AnySession;
use stickler_transcript::{Bytes, Case, Drift, Fate, Name, Purpose, Relation, Role, Trap};

/// Many variants, tried in one process one after the other.
#[derive(Clone)]
pub struct Batch {
    /// Name of the case.
    pub id: String,
    /// The unchanged example, whose setup runs.
    pub origin: Instance,
    /// The variants.
    pub variants: Vec<Instance>,
    /// Which part of a divided batch this is, from 0.
    pub part: usize,
    /// The relation of its cases.
    pub relation: Relation,
    /// The group that compares them with the example, if any.
    pub group: Option<String>,
    /// The traps to lay out.
    pub traps: Vec<Trap>,
    /// Is each valid variant evaluated?
    pub evaluate: bool,
    /// Is it evaluated a second time, to see whether it stays kept?
    pub again: bool,
    /// Files that the example makes; they are removed before each variant.
    pub undone: Vec<Vec<u8>>,
    /// By the label of a variant that changes several fields: each of these changes alone.
    pub apart: BTreeMap<Name, Vec<Instance>>,
    /// Are the variants compared with one another, so that the batch is never divided?
    pub whole: bool,
    /// See [`CaseBuilder::partner`].
    pub partner: Option<&'static str>,
}

impl Batch {
    /// The name of the group of its cases.
    pub(crate) fn group(&self) -> String {
        group_name(self.relation, self.group.as_ref().unwrap_or(&self.id))
    }

    /// Divides it into batches with about as many variants each.
    pub(crate) fn divided(self, parts: usize) -> impl Iterator<Item = Batch> {
        let size = self.variants.len().div_ceil(parts).max(1);
        let parts: Vec<Vec<Instance>> = self.variants.chunks(size).map(<[_]>::to_vec).collect();
        parts
            .into_iter()
            .enumerate()
            .map(move |(part, variants)| Batch {
                variants,
                part,
                ..self.clone()
            })
    }

    /// What the variants of this range change together, one by one, as far as the session did not bring it
    /// about. `None` if nothing is left.
    pub(crate) fn apart(&self, session: &AnySession, tried: Range<usize>) -> Option<Batch> {
        let claims = session.claims();
        let is_taken = |label: &Name| {
            let mut own = claims.iter().filter(|claim| claim.item == *label);
            own.any(|claim| matches!(claim.fate, Fate::Changed | Fate::Unchanged))
        };
        let labels = self.variants.get(tried)?.iter().map(|one| &one.info.label);
        let refused = labels.filter(|label| !is_taken(label));
        let apart = refused.filter_map(|label| self.apart.get(label));
        let mut variants: Vec<Instance> = Vec::new();
        for one in apart.flatten() {
            if variants
                .iter()
                .all(|known| known.info.label != one.info.label)
            {
                variants.push(one.clone());
            }
        }
        (!variants.is_empty()).then(|| Batch {
            id: format!("{}/apart", self.id),
            variants,
            apart: BTreeMap::new(),
            ..self.clone()
        })
    }

    /// The case for the variants from `first` on.
    pub fn case(&self, setting: &Setting<'_>, first: usize, try_number: usize) -> Case {
        let mut id = self.id.clone();
        if self.part > 0 {
            id.push_str(&format!("/part-{}", self.part + 1));
        }
        if try_number > 0 {
            id.push_str(&format!("/{}", try_number + 1));
        }
        let mut case = setting.case(&id);
        case.partner = self.partner;
        match &self.group {
            Some(group) => {
                let number = match self.part {
                    0 => try_number.to_string(),
                    part => format!("{part}-{try_number}"),
                };
                let role = Role::variant(&format!("{}-{number}", self.relation));
                case.member(self.relation, group, role)
            }
            None => case.member(self.relation, &id, Role::Baseline),
        };
        for trap in &self.traps {
            case.trap(trap.clone());
        }
        if !self.traps.is_empty() {
            lay(&mut case);
        }
        case.setup(&self.origin);
        // A source file may contain the name itself; a variant with another text would then fail
        // without a defect.
        let follows = |variant: &&Instance| {
            self.group.is_none()
                || (variant.info.field.as_deref()).is_some_and(|field| variant.is_identity(field))
        };
        let variants = self.variants[first..].iter().filter(follows);
        if let Some(command) = self.origin.lays_out(variants) {
            case.run(command);
        }
        case.observing().open();
        for (process, variant) in self.variants[first..].iter().enumerate() {
            if process > 0 && !setting.capabilities().many_items {
                case.terminate().start(process).greet();
            }
            if !self.undone.is_empty() {
                self.undo(&mut case);
            }
            // Who only tells the state tells it while the item is evaluated, too.
            if setting.capabilities().tells != Tells::State || !self.evaluate {
                case.validate(variant);
            }
            if self.evaluate {
                case.evaluate(variant);
                if self.again {
                    case.evaluate_as(Purpose::EVALUATE.turn(2), Purpose::VALIDATE, variant);
                }
            }
        }
        case.terminate().build()
    }

    /// Removes what earlier variants made, so that the next one has something to do.
    fn undo(&self, case: &mut CaseBuilder<'_>) {
        for path in &self.undone {
            case.drift(Drift::Remove {
                path: Bytes::from(&path[..]),
            });
        }
        for command in &self.origin.setup {
            // Parts of the setup may still exist.
            let tolerant = ["sh", "-c", "\"$@\" 2>/dev/null || :", "sh"].map(Bytes::from);
            case.run(
                tolerant
                    .into_iter()
                    .chain(command.iter().cloned())
                    .collect(),
            );
        }
        case.observe("undone");
    }
}

/// Installs the command that leaves a trace.
fn lay(case: &mut CaseBuilder<'_>) {
    let script = format!("#!/bin/sh\n: > {SCRATCH}/canary.\"$1\"\n");
    case.plant(
        &format!("{SCRATCH}/bin/{CANARY}"),
        script.into_bytes(),
        0o755,
    )
    .surroundings(|command| {
        for (name, value) in &mut command.env {
            let bin = format!("{SCRATCH}/bin");
            if name.lossy() == "PATH" && !value.starts_with(bin.as_bytes()) {
                *value = format!("{bin}:{}", value.lossy()).into();
            }
        }
    });
}
