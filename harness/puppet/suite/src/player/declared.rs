//! A planned evaluation as the runtime gets it.

use crate::deferred::Evaluation;
use puppet_manifest::{Parameter, Resource as Declared};
use puppet_runtime::{Release, RuntimeSettings, Strict};

/// The resource as a manifest would declare it.
pub(super) fn declared(evaluation: &Evaluation) -> Declared {
    let parameters = evaluation.parameters.iter();
    let parameters =
        parameters.map(|(name, value)| (name.clone(), Parameter::Value(value.0.clone())));
    Declared {
        kind: evaluation.kind.clone(),
        title: evaluation.title.clone(),
        parameters: parameters.collect(),
        tags: Vec::new(),
        place: None,
        path: Vec::new(),
        container: None,
        exported: false,
        is_virtual: false,
    }
}

/// How the runtime evaluates: what only makes `strict` Puppet refuse a resource is judged by rules, but an
/// attribute that is set at creation alone is never changed.
pub(super) fn settings(evaluation: &Evaluation, strict: Strict) -> RuntimeSettings {
    RuntimeSettings {
        release: Release::named(&evaluation.version).unwrap_or_default(),
        strict,
        noop: evaluation.noop,
        on_device: evaluation.on_device,
        munges: false,
        trusting: true,
        init_only: Some(Strict::Error),
        previews: true,
        whole: true,
    }
}
