//! The registry of dialects: the only place that lists them. The command line, the generator of pages,
//! the proofs and the fuzz targets go through it.
//!
//! A dialect is added here: an entry in each of the two macros, and a file with what the registry knows
//! about it. This crate must never know what its users do with a dialect.

mod mgmt;
mod promise_module;
mod registered;
mod resource_api;

pub use cfengine_suite::PromiseModules;
pub use mgmt_suite::Mgmt;
pub use puppet_suite::ResourceApi;
pub use registered::{Proof, Registered};

use std::path::Path;
use stickler_suite::Dialect as _;

/// The dialect of promise modules.
pub const PROMISE_MODULE: &str = "promise-module";
/// The dialect of Puppet's Resource API.
pub const RESOURCE_API: &str = "resource-api";
/// The dialect of mgmt resources.
pub const MGMT: &str = "mgmt";
/// The dialect of a subject whose description names none.
pub const USUAL: &str = PROMISE_MODULE;

/// Evaluates an expression for each dialect; the result is an array.
#[macro_export]
macro_rules! each_dialect {
    ($dialect:ident => $result:expr) => {
        [
            {
                let $dialect = &$crate::PromiseModules::default();
                $result
            },
            {
                let $dialect = &$crate::ResourceApi;
                $result
            },
            {
                let $dialect = &$crate::Mgmt;
                $result
            },
        ]
    };
}

/// Evaluates an expression with the dialect of a name; `None` if there is no such dialect.
#[macro_export]
macro_rules! with_dialect {
    ($name:expr, $dialect:ident => $result:expr) => {
        match $name {
            $crate::PROMISE_MODULE => {
                let $dialect = &$crate::PromiseModules::default();
                Some($result)
            }
            $crate::RESOURCE_API => {
                let $dialect = &$crate::ResourceApi;
                Some($result)
            }
            $crate::MGMT => {
                let $dialect = &$crate::Mgmt;
                Some($result)
            }
            _ => None,
        }
    };
}

/// The names of all dialects.
pub fn names() -> Vec<&'static str> {
    each_dialect!(dialect => dialect.vocabulary().dialect).into()
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
    let claims = each_dialect!(dialect => dialect.claims(folder).map(|why| Claimed {
        dialect: dialect.vocabulary().dialect,
        why,
    }));
    only(claims.into_iter().flatten().collect())
}

fn only(mut claims: Vec<Claimed>) -> Result<Option<Claimed>, Contested> {
    match claims.len() {
        0 | 1 => Ok(claims.pop()),
        _ => Err(Contested(claims)),
    }
}

/// What makes a folder a subject, for each dialect whose subjects are folders.
pub fn sought() -> String {
    let each = each_dialect!(dialect => {
        let subjects = dialect.vocabulary().subjects;
        dialect.sought().map(|sought| format!("{subjects} have {sought}"))
    });
    each.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::{Claimed, RESOURCE_API, claimed, names, only, sought};
    use std::collections::BTreeMap;

    #[test]
    fn each_name_leads_to_the_dialect_that_has_it() {
        use stickler_suite::Dialect as _;
        for name in names() {
            let found = with_dialect!(name, dialect => dialect.vocabulary().dialect);
            assert_eq!(found, Some(name));
        }
        assert_eq!(
            with_dialect!("toy", dialect => dialect.vocabulary().dialect),
            None
        );
    }

    /// What explains a finding may be explained in turn, and that ends somewhere.
    #[test]
    fn no_rule_explains_itself() {
        use stickler_suite::Dialect as _;
        let tables = each_dialect!(dialect => {
            let rules = dialect.rules();
            let causes = rules.iter().map(|rule| (rule.code, rule.explained_by.to_vec()));
            causes.collect::<BTreeMap<_, _>>()
        });
        for causes in tables {
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
