//! `--type`: what a check of some types needs of a description.

use puppet_suite::Found;
use std::fs;
use std::path::Path;
use stickler_suite::config::{Config, Device, Example, Service};
use stickler_transcript::Value;

/// Leaves only the examples of some types. If none of these lives on a device, no device is tried, and no service
/// that only devices need is started.
pub(crate) fn narrow(config: &mut Config, kinds: &[String], folder: &Path, found: &Found) {
    // An example without a type is of the first one.
    let usual = config
        .subject
        .kinds
        .first()
        .or(found.types.first())
        .cloned();
    for example in config.examples.iter_mut().chain(&mut config.invalid) {
        example.kind = example.kind.take().or_else(|| usual.clone());
    }
    let is_of_these = |example: &Example| {
        let kind = example.kind.as_ref();
        kind.is_none_or(|kind| kinds.contains(kind))
    };
    config.examples.retain(is_of_these);
    config.invalid.retain(is_of_these);
    for known in [&mut config.xfail, &mut config.waive] {
        known.retain(|one| one.kind.as_ref().is_none_or(|kind| kinds.contains(kind)));
    }
    config.subject.kinds = kinds.to_vec();
    let mut examples = config.examples.iter().chain(&config.invalid);
    let is_on_device = examples.any(|example| example.target.is_some())
        || kinds.iter().any(|kind| may_be_remote(folder, kind));
    if !is_on_device {
        let devices = std::mem::take(&mut config.targets);
        let is_of_a_device = |service: &Service| devices.iter().any(|one| reaches(one, service));
        config.services.retain(|service| !is_of_a_device(service));
    }
}

/// Does the source of a type name the feature of resources on devices?
fn may_be_remote(folder: &Path, kind: &str) -> bool {
    let file = folder.join("lib/puppet/type").join(format!("{kind}.rb"));
    fs::read_to_string(file).is_ok_and(|text| text.contains("remote_resource"))
}

/// Does a device's connection lead to a service?
fn reaches(device: &Device, service: &Service) -> bool {
    let Some(address) = &service.ready else {
        return false;
    };
    let port = address.rsplit(':').next().unwrap_or(address);
    let values = device.connection_info.iter();
    values.map(|(_, value)| value).any(|value| match value {
        Value::Number(number) => number == port,
        Value::Text(text) => {
            let text = String::from_utf8_lossy(text);
            text == port || text.contains(&address[..])
        }
        _ => false,
    })
}
