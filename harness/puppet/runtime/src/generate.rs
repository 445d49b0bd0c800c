//! What Puppet puts into a catalog before it applies it: what `resources` removes, and what the providers
//! of types with the feature `custom_generate` give.

use crate::built_in::Contained;
use crate::fault::{Fault, Raised};
use crate::kind::Runtime;
use crate::log::Severity;
use crate::release::Generating;
use crate::resource::{Relation, Resource};
use crate::row::no_method;
use puppet_manifest::{Reference, Resource as Declared};
use puppet_types::Value;
use std::collections::{BTreeSet, VecDeque};

/// So many resources that were generated are asked in their turn.
const MOST: usize = 1000;

impl Runtime<'_> {
    /// Asks for further resources because of one alone, and at most so often because of those that come of it.
    ///
    /// # Errors
    /// If Puppet refuses what the provider gives, or would not end.
    pub fn generate_alone(&mut self, declared: &Declared, most: usize) -> Result<(), Fault> {
        let mut all = vec![(self.declared(declared)?, None)];
        self.generate_at_most(&mut all, most)
    }

    /// Puts what is generated behind the resources that it is generated for.
    pub(crate) fn generate_all(&mut self, all: &mut Vec<Contained>) -> Result<(), Fault> {
        self.generate_at_most(all, MOST)
    }

    fn generate_at_most(&mut self, all: &mut Vec<Contained>, most: usize) -> Result<(), Fault> {
        let own = all.iter().filter(|(resource, _)| generates(resource));
        let own = own.map(|(resource, _)| reference(resource));
        let mut asked: VecDeque<(Reference, bool)> = own.map(|one| (one, false)).collect();
        let mut count = 0;
        while let Some((parent, is_generated)) = asked.pop_front() {
            let Some(at) = place(all, &parent) else {
                continue;
            };
            count += usize::from(is_generated);
            if count > most {
                let message = format!(
                    "{parent}: its `generate` gives resources of its own type, which are asked in their \
                     turn: Puppet does not end, Stickler stops after {most}"
                );
                return Err(Raised::puppet(message).into());
            }
            let generated = match self.generated(at, all) {
                Ok(generated) => generated,
                Err(Fault::Raised(raised)) if raised.standard => {
                    let source = all[at].0.log_path();
                    let message = format!(
                        "Failed to generate additional resources using 'generate': {}",
                        raised.message
                    );
                    self.log(Severity::Err, Some(&source), message);
                    continue;
                }
                Err(fault) => return Err(fault),
            };
            let more = self.insert(at, generated, all)?;
            // What is generated is asked before what comes after it.
            more.into_iter()
                .rev()
                .for_each(|one| asked.push_front((one, true)));
        }
        Ok(())
    }

    /// What is generated for a resource.
    fn generated(&mut self, at: usize, all: &mut [Contained]) -> Result<Generated, Fault> {
        let parent = &all[at].0;
        if self.is_purge(parent)? {
            let parent = parent.clone();
            let (made, known) = self.unmanaged(&parent, all)?;
            return Ok(Generated::Purged { made, known });
        }
        let generating = self.settings.release.api.generating;
        let has_feature = parent.kind.definition.has_feature("custom_generate");
        if !has_feature || generating == Generating::Never {
            return Ok(Generated::Nothing);
        }
        let resource = &mut all[at].0;
        let kind = resource.kind.clone();
        let should = self.target(resource)?;
        let is = match generating {
            Generating::WithRow => self.current(resource)?,
            Generating::WithKept | Generating::Never => {
                match self.kept(&kind).get(&resource.name()).is_some() {
                    true => self.current(resource)?,
                    false => Value::Undef,
                }
            }
        };
        let name = resource.name();
        let Some((given, resources)) = self.generate(&kind, &name, &is, &should)? else {
            let message = "No generate method found within the types provider";
            return Err(Raised::developer(message).into());
        };
        let items = match given {
            Value::Undef | Value::Bool(false) => return Ok(Generated::Nothing),
            Value::Array(items) => items,
            other => vec![other],
        };
        let told = resources.as_array().unwrap_or_default();
        let mut made = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            made.push(match told.get(index).filter(|told| !told.is_nil()) {
                Some(told) => Ok(self.told_of(told)?),
                None => Err(item),
            });
        }
        Ok(Generated::Given(made))
    }

    /// Puts the resources into the catalog. Returns all that are to be asked in their turn.
    fn insert(
        &mut self,
        at: usize,
        generated: Generated,
        all: &mut Vec<Contained>,
    ) -> Result<Vec<Reference>, Fault> {
        let (parent, container) = all[at].clone();
        let own = reference(&parent);
        let mut made = Vec::new();
        let mut after = Vec::new();
        match generated {
            Generated::Nothing => return Ok(Vec::new()),
            Generated::Purged { made: new, known } => {
                after.extend(known.into_iter().map(|index| reference(&all[index].0)));
                made = new;
            }
            Generated::Given(items) => {
                for item in items {
                    let mut resource = item.map_err(|other| no_method("ref", &other))?;
                    let known = reference(&resource);
                    if place(all, &known).is_some() {
                        after.push(known);
                        continue;
                    }
                    resource.path.clone_from(&parent.path);
                    resource.tags.extend(parent.tags.iter().cloned());
                    made.push(resource);
                }
            }
        }
        // Of two of one name, Puppet takes the last.
        let mut seen = BTreeSet::new();
        made.reverse();
        made.retain(|one| seen.insert((one.kind.name.clone(), one.title.to_text())));
        made.reverse();
        let is_related = |one: &Resource, other: &Reference| {
            one.relations.iter().any(|(_, all)| all.contains(other))
        };
        // What a provider gives is asked in its turn, be it new or not.
        let new = made.iter().filter(|one| generates(one)).map(reference);
        let known = after.iter().filter(|_| !parent.kind.is_built_in);
        let asked: Vec<Reference> = new.chain(known.cloned()).collect();
        after.retain(|other| {
            let Some(index) = place(all, other) else {
                return false;
            };
            *other != own && !is_related(&all[index].0, &own) && !is_related(&parent, other)
        });
        // One that says that it comes before is not behind.
        let is_first = |one: &Resource| {
            let outgoing = one.relations.iter().filter(|(way, _)| !way.is_incoming());
            outgoing.into_iter().any(|(_, all)| all.contains(&own))
        };
        let behind = made.iter().filter(|one| !is_first(one)).map(reference);
        let before = behind.chain(after).collect();
        all[at].0.relations.push((Relation::Before, before));
        let made = made.into_iter().map(|one| (one, container.clone()));
        all.splice(at + 1..at + 1, made);
        Ok(asked)
    }

    /// A resource of which the host tells.
    fn told_of(&mut self, told: &Value) -> Result<Resource, Fault> {
        let member = |name: &str| told.get(name).cloned().unwrap_or(Value::Undef);
        let kind = self.kind(&member("type").to_text())?;
        let parameters = member("parameters");
        let words = parameters.as_hash().unwrap_or_default().iter();
        let attributes = words.map(|(name, value)| (name.to_text(), value.clone()));
        let attributes: Vec<(String, Value)> = attributes.collect();
        self.generated_resource(&kind, attributes)
    }
}

/// What is generated.
enum Generated {
    Nothing,
    /// What is to be removed, and where the resources are that are listed under another title.
    Purged {
        made: Vec<Resource>,
        known: Vec<usize>,
    },
    /// What a provider gave: resources, and what is none.
    Given(Vec<Result<Resource, Value>>),
}

/// Can Puppet ask for more because of this resource?
fn generates(resource: &Resource) -> bool {
    let kind = &resource.kind;
    kind.name == "resources" || kind.definition.has_feature("custom_generate")
}

fn place(all: &[Contained], wanted: &Reference) -> Option<usize> {
    all.iter()
        .position(|(resource, _)| reference(resource) == *wanted)
}

fn reference(resource: &Resource) -> Reference {
    Reference {
        kind: resource.kind.name.clone(),
        title: resource.title.to_text(),
    }
}
