//! Several resources in one call of `set`.

use crate::after::after_each;
use crate::purpose;
use crate::session::{Call, Session};
use puppet_types::Value;

/// Was a resource set in a call of its own, later in the session?
pub(crate) fn works_alone(session: &Session, name: &Value) -> bool {
    let all = after_each(session);
    let mut alone = all.iter().filter(|one| one.set.key.is(purpose::ALONE));
    alone.any(|one| one.name == *name && one.wrong.is_none())
}

/// Calls of `set` for a resource alone, which were needed although the call before made it too: the
/// resource is as it was to be only now.
pub(crate) fn needed_alone(session: &Session) -> Vec<&Call> {
    let all = session.exchanges.iter();
    let alone = all.filter(|call| {
        let Some(label) = call.key.label().filter(|_| call.key.is(purpose::ALONE)) else {
            return false;
        };
        let settled = purpose::SETTLED.of(label);
        // Where nothing is to be set, the state is only read.
        let read = session.exchange(&settled.part(purpose::READ));
        let is_read = read.is_some_and(|read| read.answer.is_some() && !read.fails());
        let settled = session.exchange(&settled);
        !call.fails() && call.answer.is_some() && settled.is_none() && is_read
    });
    alone.collect()
}
