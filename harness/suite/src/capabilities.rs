//! What the subjects of a dialect can do, as far as plans depend on it.

/// What the subjects of a dialect can do. Plan families choose by it whether they have anything to plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// What a subject tells about an item before it has to bring it about.
    pub tells: Tells,
    /// Which values the suite can send in a field.
    pub values: Values,
    /// May one process get several items, one after the other?
    pub many_items: bool,
}

/// What a subject tells about an item when it is asked and changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tells {
    /// Whether the item is valid.
    Validity,
    /// The state of the system. Who may refuse an invalid item does so when the item is brought about.
    State,
    /// Nothing: there is no such message.
    Nothing,
}

/// Which values the suite can send in a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Each value of JSON.
    Any,
    /// Texts without line ends.
    Lines,
    /// Values of the field's own type. There are no other fields.
    Typed,
}
