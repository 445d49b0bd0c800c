//! The registry of dialects: the only place that lists them. The command line, the generator of pages,
//! the proofs and the fuzz targets go through it.
//!
//! A dialect is added here, as an entry in the macro. This crate must never know what its users do with a dialect.

pub use cfengine_suite::PromiseModules;
pub use mgmt_suite::Mgmt;
pub use puppet_suite::ResourceApi;
pub use stickler_suite::{Proof, Registered};

use std::path::Path;
use stickler_suite::Vocabulary;

/// The dialect of promise modules.
pub const PROMISE_MODULE: &str = "promise-module";
/// The dialect of Puppet's Resource API.
pub const RESOURCE_API: &str = "resource-api";
/// The dialect of mgmt resources.
pub const MGMT: &str = "mgmt";
/// The dialect of a subject whose description names none.
pub const USUAL: &str = PROMISE_MODULE;

/// A vector with all dialects, each in a box of what the caller takes it for, such as `Box<dyn Registered>`.
#[macro_export]
macro_rules! dialects {
    () => {
        vec![
            Box::new($crate::PromiseModules::default()),
            Box::new($crate::ResourceApi),
            Box::new($crate::Mgmt),
        ]
    };
}

/// All dialects.
pub fn all() -> Vec<Box<dyn Registered>> {
    dialects!()
}

/// The dialect of a name, if there is one.
pub fn named(name: &str) -> Option<Box<dyn Registered>> {
    let mut all = all().into_iter();
    all.find(|dialect| dialect.vocabulary().dialect == name)
}

/// The words of all dialects.
pub fn words() -> Vec<&'static Vocabulary> {
    all().iter().map(|dialect| dialect.vocabulary()).collect()
}

/// The names of all dialects.
pub fn names() -> Vec<&'static str> {
    words().iter().map(|words| words.dialect).collect()
}

/// A folder that belongs to a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claimed {
    /// The dialect's name.
    pub dialect: &'static str,
    /// Why: what is in the folder.
    pub why: String,
}

/// Several dialects claim a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contested(pub Vec<Claimed>);

impl std::fmt::Display for Contested {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let claims = self.0.iter();
        let claims = claims.map(|one| format!("{} ({})", one.dialect, one.why));
        let claims = claims.collect::<Vec<_>>().join(" and ");
        write!(f, "the dialects {claims} claim the folder")
    }
}

/// The dialect whose subject a folder is, if there is one.
///
/// # Errors
/// If several dialects claim it.
pub fn claimed(folder: &Path) -> Result<Option<Claimed>, Contested> {
    let claims = all().into_iter().filter_map(|dialect| {
        let why = dialect.claims(folder)?;
        let dialect = dialect.vocabulary().dialect;
        Some(Claimed { dialect, why })
    });
    only(claims.collect())
}

fn only(mut claims: Vec<Claimed>) -> Result<Option<Claimed>, Contested> {
    match claims.len() {
        0 | 1 => Ok(claims.pop()),
        _ => Err(Contested(claims)),
    }
}

/// What makes a folder a subject, for each dialect whose subjects are folders.
pub fn sought() -> String {
    let sought = all().into_iter().filter_map(|dialect| {
        let subjects = dialect.vocabulary().subjects;
        let sought = dialect.sought()?;
        Some(format!("{subjects} have {sought}"))
    });
    sought.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::{Claimed, RESOURCE_API, all, claimed, named, names, only, sought};
    use std::collections::{BTreeMap, BTreeSet};
    use stickler_judge::Rule;
    use stickler_suite::plans::shared;
    use stickler_transcript::Relation;

    #[test]
    fn each_name_leads_to_the_dialect_that_has_it() {
        for name in names() {
            let found = named(name).expect("a dialect");
            assert_eq!(found.vocabulary().dialect, name);
        }
        assert!(named("toy").is_none());
    }

    /// What explains a finding may be explained in turn, and that ends somewhere.
    #[test]
    fn no_rule_explains_itself() {
        for dialect in all() {
            let rules = dialect.rules();
            let causes = rules
                .iter()
                .map(|rule| (rule.code, rule.explained_by.to_vec()));
            let causes: BTreeMap<_, _> = causes.collect();
            for start in causes.keys() {
                let mut reached: Vec<&str> = causes[start].clone();
                let mut at = 0;
                while let Some(code) = reached.get(at).copied() {
                    assert_ne!(code, *start, "{start} explains itself: {reached:?}");
                    let next = causes
                        .get(code)
                        .unwrap_or_else(|| panic!("{start} names {code}"));
                    let next = next.iter().filter(|next| !reached.contains(next));
                    let next: Vec<&str> = next.copied().collect();
                    reached.extend(next);
                    at += 1;
                }
            }
        }
    }

    /// The relations that a dialect's rules read.
    fn read(rules: &[&'static Rule]) -> BTreeSet<Relation> {
        rules.iter().flat_map(|rule| rule.relations()).collect()
    }

    #[test]
    fn each_relation_that_a_rule_reads_is_planned_and_the_reverse() {
        for dialect in all() {
            let name = dialect.vocabulary().dialect;
            let read = read(&dialect.rules());
            let own: BTreeSet<Relation> = dialect.own_relations().into_iter().collect();
            let can = dialect.unknown().verbs().capabilities();
            let serving = shared()
                .into_iter()
                .filter(|family| family.serves(&read, can));
            let mut planned: BTreeSet<Relation> = serving
                .flat_map(|family| family.relations)
                .copied()
                .collect();
            planned.insert(Relation::USUAL);
            planned.extend(&own);
            let unplanned: Vec<_> = read.difference(&planned).collect();
            assert!(
                unplanned.is_empty(),
                "{name}: rules read {unplanned:?}, which no family plans"
            );
            let unread: Vec<_> = own.difference(&read).collect();
            assert!(
                unread.is_empty(),
                "{name}: families plan {unread:?}, which no rule reads"
            );
        }
    }

    #[test]
    fn each_shared_family_serves_a_dialect_and_each_of_its_relations_is_read() {
        let all = all();
        let read: Vec<_> = all.iter().map(|dialect| read(&dialect.rules())).collect();
        for family in shared() {
            let mut each = all.iter().zip(&read);
            let serves = each.any(|(dialect, read)| {
                family.serves(read, dialect.unknown().verbs().capabilities())
            });
            assert!(serves, "{} serves no dialect", family.name);
            for relation in family.relations {
                assert!(
                    read.iter().any(|read| read.contains(relation)),
                    "{relation}"
                );
            }
        }
    }

    #[test]
    fn a_dialect_describes_each_relation_that_it_has_in_a_sentence() {
        for dialect in all() {
            let words = dialect.vocabulary();
            for relation in read(&dialect.rules()) {
                let mut declared = words.relations.iter().copied().flatten();
                let own = declared.any(|(one, _)| *one == relation);
                assert!(own || relation.about().is_some(), "{relation}");
                let about = words.about(relation);
                assert!(about.ends_with('.'), "{relation}: {about}");
            }
        }
    }

    #[test]
    fn a_folder_is_claimed_with_a_reason() {
        let folder = tempfile::tempdir().expect("a folder");
        assert_eq!(claimed(folder.path()), Ok(None));
        std::fs::create_dir_all(folder.path().join("lib/puppet/type")).expect("made");
        let claimed = claimed(folder.path()).expect("one dialect");
        let claimed = claimed.expect("a Puppet module");
        assert_eq!(claimed.dialect, RESOURCE_API);
        assert_eq!(claimed.why, "it holds lib/puppet/type");
        assert!(sought().contains("lib/puppet/type"), "{}", sought());
    }

    #[test]
    fn a_folder_that_two_dialects_claim_is_no_ones() {
        let claim = |dialect, why: &str| Claimed {
            dialect,
            why: why.to_owned(),
        };
        let both = vec![claim("one", "it holds a"), claim("two", "it holds b")];
        let contested = only(both).expect_err("two");
        assert_eq!(
            contested.to_string(),
            "the dialects one (it holds a) and two (it holds b) claim the folder"
        );
    }
}
