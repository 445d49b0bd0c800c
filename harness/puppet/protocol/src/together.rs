//! Several resources in one call of `set`.

use crate::after::after_each;
use crate::session::Session;
use puppet_types::Value;

/// Was a resource brought about in a call of its own, later in the session?
pub(crate) fn works_alone(session: &Session, name: &Value) -> bool {
    let all = after_each(session);
    let mut alone = all.iter().filter(|one| one.set.key.starts_with("alone:"));
    alone.any(|one| one.name == *name && one.wrong.is_none())
}
