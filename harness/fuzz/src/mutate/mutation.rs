//! What a mutation is: a technique that changes an input once.

use crate::dice::Dice;
use crate::input::{Input, InputItem};
use crate::space::Space;
use crate::technique::Technique;
use stickler_transcript::Value;

/// A way to change an input once.
pub(crate) struct Mutation {
    pub(crate) technique: Technique,
    /// How often it is chosen, compared with the others, until the campaign knows better.
    pub(crate) weight: u32,
    /// Does what it makes need a process of its own?
    pub(crate) needs_process: bool,
    pub(super) change: Change,
}

/// `None` if the input has nothing that can be changed in this way.
pub(super) type Fits = Option<()>;

/// Changes something.
pub(super) type Changing<T> = fn(&mut Means<'_>, &mut T) -> Fits;

/// What a mutation changes: all of an input, or one part of it that is picked at random.
#[derive(Clone, Copy)]
pub(super) enum Change {
    Input(Changing<Input>),
    Item(Changing<InputItem>),
    Value(Changing<Value>),
    List(Changing<Vec<Value>>),
    Object(Changing<Vec<(Vec<u8>, Value)>>),
    Text(Changing<Vec<u8>>),
    /// The bytes of a message.
    Message(Changing<Vec<u8>>),
}

/// What changes are made with.
pub(crate) struct Means<'m> {
    pub(crate) space: &'m Space<'m>,
    pub(crate) dice: &'m mut Dice,
    /// Another input, for splicing.
    pub(crate) other: Option<&'m Input>,
}

impl Means<'_> {
    /// A word of the dictionary.
    pub(super) fn word(&mut self) -> Vec<u8> {
        self.space.dictionary.word(self.dice)
    }
}

impl Mutation {
    pub(super) const fn new(
        name: &'static str,
        sentence: &'static str,
        weight: u32,
        change: Change,
    ) -> Self {
        Mutation {
            technique: Technique { name, sentence },
            weight,
            needs_process: false,
            change,
        }
    }

    /// The same, if what it makes needs a process of its own.
    pub(super) const fn alone(mut self) -> Self {
        self.needs_process = true;
        self
    }
}
