//! What a user can choose.

use crate::release::Release;
use crate::strict::Strict;

/// The choices of a run.
#[derive(Clone, Debug, Default)]
pub struct RuntimeSettings {
    /// Whose behaviour it has.
    pub release: Release,
    /// What happens if a provider breaks its definition.
    pub strict: Strict,
    /// Only say what would change.
    pub noop: bool,
    /// Does the run apply to a device? Then only remote resources are applied, else only others.
    pub on_device: bool,
    /// The words after a type and a name come from a command line, and are turned into values.
    pub munges: bool,
    /// Definitions are judged elsewhere: where one is wrong, or says what cannot be decided here, the run
    /// goes on, and any value is admitted.
    pub trusting: bool,
    /// What happens if an attribute that is only set at creation is to change; as `strict` says unless
    /// it is given.
    pub init_only: Option<Strict>,
    /// Ask providers with `supports_noop` what they would do, as the specification has it. Libraries
    /// never do.
    pub previews: bool,
    /// Rules judge what the host answers: `get` has to return all rows.
    pub whole: bool,
}
