//! How the suite talks to a subject. The verbs know no plans.

use crate::builder::CaseBuilder;
use crate::capabilities::Capabilities;
use crate::instance::Instance;
use crate::knowledge::Knowledge;
use crate::setting::Setting;
use stickler_transcript::{Bytes, Facts, Key, Phase, Send, Value, Variation};

/// What a message asks the subject to do with an item.
#[derive(Clone)]
pub struct Ask<'a> {
    /// The key that names the exchange, with the item's label.
    pub key: Key,
    /// The item.
    pub item: &'a Instance,
    /// The key of the validation that must have been accepted before.
    pub requires: Option<Key>,
}

/// How the suite talks to a subject, as far as it has learned how. Shared plan families use only these
/// verbs.
pub trait Verbs: Sync {
    /// What the dialect notes about each case.
    fn facts(&self, setting: &Setting<'_>) -> Facts;

    /// What the subject can do, as far as the suite has learned it.
    fn capabilities(&self) -> Capabilities;

    /// The subject's name, given its command line: the file name in the last word.
    fn subject_name(&self, argv: &[Bytes]) -> String {
        argv.last().map_or_else(String::new, |word| {
            let text = word.lossy();
            text.rsplit('/').next().unwrap_or(&text).to_owned()
        })
    }

    /// May a subject share one CPU with the harness? That makes exchanges quicker, and a program with
    /// several threads slower.
    fn shares_cpu(&self) -> bool {
        true
    }

    /// Sends a fresh process whatever must come before all other messages.
    fn greet(&self, case: &mut CaseBuilder<'_>);

    /// Asks about an item, as far as [`Capabilities::tells`] says that one can. The subject changes nothing.
    fn validate(&self, case: &mut CaseBuilder<'_>, ask: Ask<'_>, change: &mut dyn FnMut(&mut Send));

    /// Has the subject bring about an item, or check it if [`Instance::dry`] is set. An item that the author
    /// declares invalid comes here if nothing before can tell that it is. `change` is
    /// called once, on the message that may change the system. That message has the key of `ask`;
    /// other messages have keys of their own.
    fn evaluate(&self, case: &mut CaseBuilder<'_>, ask: Ask<'_>, change: &mut dyn FnMut(&mut Send));

    /// An item that the subject takes as well as this one, but that is another: it has another name, and
    /// perhaps other values. By default, its name is longer.
    fn twins(&self, _setting: &Setting<'_>, item: &Instance) -> Vec<Instance> {
        let mut twin = item.altered(Variation::Near, ":twin", "with a longer name".to_owned());
        twin.set_name([item.name(), b"2"].concat());
        vec![twin]
    }

    /// Would an agent hand this item to the subject at all? Nothing is planned for one that it refuses itself.
    fn admits(&self, _setting: &Setting<'_>, _item: &Instance) -> bool {
        true
    }

    /// Is a field set once, when the item is made?
    fn is_fixed(&self, _item: &Instance, _field: &str) -> bool {
        false
    }

    /// Other values that fields of the item may have, as their types or the source say: the name of a field, and a
    /// value, the most telling ones of each field first. Also of fields that the item has not.
    fn others(&self, _setting: &Setting<'_>, _item: &Instance) -> Vec<(String, Value)> {
        Vec::new()
    }

    /// Can it be asked what it would change about this item? `known` is what the suite has learned about it.
    fn can_look(&self, known: &Knowledge, _item: &Instance) -> bool {
        known.dry
    }

    /// May sessions that these verbs plan send this message at all? Not if the subject has nothing that it is for.
    fn may_send(&self, _phase: Phase) -> bool {
        true
    }

    /// The names of what else can be done with an item, beside what all subjects do: campaigns put it between other
    /// steps.
    fn deeds(&self) -> &'static [&'static str] {
        &[]
    }

    /// Does one of [`Verbs::deeds`]. It may end the process and start the next one.
    fn deed(&self, _case: &mut CaseBuilder<'_>, _deed: &str, _item: &Instance) {}

    /// Asks the process to end. Its input is closed afterwards.
    fn farewell(&self, case: &mut CaseBuilder<'_>);
}
