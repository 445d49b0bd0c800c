//! What a run has learned about the subject, with what only one dialect learns.

use crate::knowledge::Knowledge;
use crate::verbs::Verbs;
use std::any::Any;
use std::fmt::Debug;

/// What is known about the subject: what any dialect learns, and what this one learns.
#[derive(Clone, Debug)]
pub struct Learned {
    /// What any dialect learns.
    pub common: Knowledge,
    own: Box<dyn Own>,
}

impl Learned {
    /// What a dialect knows about a subject before its first session.
    pub fn new(own: impl Own) -> Self {
        Learned {
            common: Knowledge::default(),
            own: Box::new(own),
        }
    }

    /// How to talk to the subject.
    pub fn verbs(&self) -> &dyn Verbs {
        &*self.own
    }

    /// What only this dialect learns.
    ///
    /// # Panics
    /// If that is of another type: a dialect never gets what another one has learned.
    #[track_caller]
    pub fn own<L: Own>(&self) -> &L {
        let any: &dyn Any = &*self.own;
        match any.downcast_ref() {
            Some(own) => own,
            None => panic!("{self:?} is of another dialect"),
        }
    }

    /// Both, to add to them.
    ///
    /// # Panics
    /// As [`Learned::own`].
    #[track_caller]
    pub fn parts<L: Own>(&mut self) -> (&mut Knowledge, &mut L) {
        let any: &mut dyn Any = &mut *self.own;
        match any.downcast_mut() {
            Some(own) => (&mut self.common, own),
            None => panic!("what is known is of another dialect"),
        }
    }
}

/// What only one dialect learns. It knows how to talk to the subject.
pub trait Own: Verbs + Any + Debug + std::marker::Send {
    /// A copy.
    fn copy(&self) -> Box<dyn Own>;
}

impl<L: Verbs + Any + Clone + Debug + std::marker::Send> Own for L {
    fn copy(&self) -> Box<dyn Own> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Own> {
    fn clone(&self) -> Self {
        (**self).copy()
    }
}
