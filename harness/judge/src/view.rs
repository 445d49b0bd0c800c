//! What rules read: a session as a dialect reads it.

use crate::{ExcerptLine, Finding};
use std::any::Any;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;
use stickler_reading::{AnyReading, Exchange};
use stickler_transcript::{Case, Fate, Item, Key, Name, Relation};

/// A transcript as a dialect reads it for its rules.
pub trait View: Any + Send + Sync {
    /// The messages, the answers and the changes.
    fn reading(&self) -> &dyn AnyReading;
    /// The shortest excerpt that shows a finding.
    fn excerpt(&self, finding: &Finding, session: usize) -> Vec<ExcerptLine>;

    /// What the subject claims about its items, in the order of the exchanges.
    fn claims(&self) -> Vec<Claim>;

    /// What it claims where it was only to say what it would change: `Changed` means that it would change
    /// something.
    fn forecasts(&self) -> Vec<Claim> {
        self.claims()
    }

    /// The case.
    fn case(&self) -> &Case {
        &self.reading().transcript().case
    }

    /// Does it evaluate examples as they are?
    fn is_usual(&self) -> bool {
        let mut groups = self.case().groups.iter();
        groups.any(|member| member.relation == Relation::USUAL)
    }

    /// Does it only serve comparisons? Then no rule judges it alone.
    fn is_only_compared(&self) -> bool {
        serves_comparisons(self.case())
    }

    /// What was missing on this machine by an exchange, so that what the subject did there says nothing about it.
    fn lack(&self, _exchange: usize) -> Option<String> {
        None
    }

    /// The item of an exchange (numbered from 1), if it is about one.
    fn item_of(&self, exchange: usize) -> Option<&Item> {
        let mut exchanges = self.reading().exchanges();
        let exchange: &Exchange = exchanges.find(|one| one.number == exchange)?;
        self.case().items.get(exchange.item_at?)
    }
}

/// What a subject claims about an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The number of the exchange.
    pub exchange: usize,
    /// The key of what was asked.
    pub key: Key,
    /// The label of the item.
    pub item: Name,
    /// What it claims.
    pub fate: Fate,
}

/// A session of any dialect. To clone it costs nothing.
#[derive(Clone)]
pub struct AnySession(Arc<dyn View>);

impl AnySession {
    /// A session as its dialect reads it.
    pub fn new(session: impl View) -> Self {
        AnySession(Arc::new(session))
    }

    /// The session as its dialect reads it.
    ///
    /// # Panics
    /// If it is a session of another dialect: rules and sessions of several dialects never meet.
    #[track_caller]
    pub fn typed<V: View>(&self) -> &V {
        let any: &dyn Any = &*self.0;
        match any.downcast_ref() {
            Some(session) => session,
            None => panic!("{self:?} is no {}", std::any::type_name::<V>()),
        }
    }
}

impl Deref for AnySession {
    type Target = dyn View;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for AnySession {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("AnySession").field(&self.case().id).finish()
    }
}

/// Does a case only serve comparisons in any dialect? What the harness wrote into a file is nobody's fault.
pub fn serves_comparisons(case: &Case) -> bool {
    let mut groups = case.groups.iter();
    groups.any(|member| member.relation == Relation::FOREIGN && !member.role.is_reference())
}
