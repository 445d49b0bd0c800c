//! The registry of dialects: the only place that lists them. The command line, the generator of pages,
//! the proofs and the fuzz targets go through it.
//!
//! A dialect is added here, as a line in the list. This crate must never know what its users do with a dialect.

#[cfg(feature = "faces")]
use stickler_face::Face;
use stickler_suite::Vocabulary;

pub use stickler_suite::{Proof, Registered};

/// Declares the functions that return all dialects, from a dialect and its face a line. The first dialect is that of
/// subjects whose description names none.
macro_rules! registry {
    ($($dialect:expr, $face:expr;)*) => {
        /// All dialects.
        pub fn all() -> Vec<Box<dyn Registered>> {
            vec![$(Box::new($dialect)),*]
        }

        /// What each of them adds to the command line.
        #[cfg(feature = "faces")]
        pub fn faces() -> Vec<Box<dyn Face>> {
            vec![$(Box::new($face)),*]
        }
    };
}

registry! {
    cfengine_suite::PromiseModules::default(), cfengine_cli::Cfengine::default();
    puppet_suite::ResourceApi, puppet_cli::Puppet;
    mgmt_suite::Mgmt, mgmt_cli::Mgmt;
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

#[cfg(test)]
mod tests {
    use super::{all, named, names};
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
            let causes = rules.iter().map(|rule| {
                (
                    rule.code,
                    [rule.explained_by, rule.after, rule.beside].concat(),
                )
            });
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

    #[test]
    fn each_rule_that_another_one_names_exists() {
        for dialect in all() {
            let rules = dialect.rules();
            let known: BTreeSet<&str> = rules.iter().map(|rule| rule.code).collect();
            for rule in &rules {
                let calls = rule.source.split(".follows(\"").skip(1);
                let followed = calls.filter_map(|call| call.split('"').next());
                for named in followed.chain(rule.presumes.iter().copied()) {
                    assert!(known.contains(named), "{} names {named}", rule.code);
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

    #[cfg(feature = "faces")]
    #[test]
    fn each_dialect_has_its_face() {
        let faces = super::faces().into_iter();
        let faces = faces.map(|face| face.vocabulary().dialect);
        assert_eq!(faces.collect::<Vec<_>>(), names());
    }
}
