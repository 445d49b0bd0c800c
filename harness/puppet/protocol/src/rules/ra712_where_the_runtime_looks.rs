//! # A transport's files and classes are where the runtime looks
//!
//! ## What it requires
//! A transport NAME has its schema in `puppet/transport/schema/NAME.rb`, its class
//! `Puppet::Transport::Name` in `puppet/transport/NAME.rb`, and a class
//! `Puppet::Util::NetworkDevice::Name::Device` in `puppet/util/network_device/NAME/device.rb`,
//! which inherits from `Puppet::ResourceApi::Transport::Wrapper`.
//!
//! ## Why
//! The runtime finds them by these names alone. `puppet device` constructs the class for devices.
//!
//! ## How it is judged
//! - Judged: whether each of them can be loaded; a connection through the class for devices.
//! - Not judged: files that need a library that is not installed; providers (RA116).
//!
//! ## Example
//! The schema in `nexus.rb` registers the name `cisco_nexus`.
//!
//! ## How to fix
//! Name files and classes after the transport: the class for `cisco_nexus` is `CiscoNexus`, the
//! module for its device is `Cisco_nexus`.
//!
//! ## Source
//! Resource API specification, "Transports", "Bridging into Puppet".

use crate::message::Failure;
use crate::phase;
use crate::purpose;
use crate::session::Session;
use crate::targets::{TRANSPORTS, keyed, raised, returned};
use puppet_types::Value;
use stickler_judge::{Check, Ledger, Variant};

pub(super) const CHECKS: super::Checks = &[Check::Session(TRANSPORTS, check)];

/// The schema has another name.
const SCHEMA: Variant = Variant::new("schema");
/// The transport is not there.
const TRANSPORT: Variant = Variant::new("transport");
/// The class for devices is not there, or is no wrapper.
const DEVICE: Variant = Variant::new("device");

fn check(session: &Session, ledger: &mut Ledger) {
    super::loads(session, ledger, "transport");
    for (call, answer) in session.calls(phase::LOAD) {
        let Some(name) = call.param("transport") else {
            continue;
        };
        if answer.failure().is_some() {
            continue;
        }
        let schemas = session.transports.iter();
        let own = schemas.filter(|loaded| loaded.exchange == call.number);
        let names: Vec<String> = own
            .filter_map(|loaded| loaded.definition.name.clone())
            .collect();
        let name = name.as_str().unwrap_or_default();
        let broken = (!names.iter().any(|one| one == name)).then(|| {
            let found = match names.first() {
                Some(other) => format!("registers `{other}`"),
                None => "registers no transport".to_owned(),
            };
            SCHEMA.says(format!("puppet/transport/schema/{name}.rb {found}"))
        });
        ledger.check(call.number, call.provenance, broken);
    }
    for (call, answer) in session.calls(phase::DESCRIBE) {
        let device = call.param("device");
        let (variant, what) = match &device {
            Some(name) => (
                DEVICE,
                format!("util/network_device/{}/device", name.to_text()),
            ),
            None => {
                let name = call
                    .param("transport")
                    .map_or_else(String::new, |name| name.to_text());
                (TRANSPORT, format!("transport/{name}"))
            }
        };
        if let Some(failure) = answer.failure() {
            match lacks(failure, &what) {
                true => {
                    let message = format!("puppet/{what}.rb: {}", failure.message);
                    ledger.check(call.number, call.provenance, Some(variant.says(message)));
                }
                false => ledger.skip(format!(
                    "puppet/{what}.rb cannot be loaded here: {}",
                    failure.in_words()
                )),
            }
            continue;
        }
        let Some(Value::Array(above)) = answer.value("ancestors") else {
            continue;
        };
        let is_wrapper = above
            .iter()
            .any(|one| one.as_str() == Some("Puppet::ResourceApi::Transport::Wrapper"));
        let broken = (device.is_some() && !is_wrapper).then(|| {
            let class = answer.text("class").unwrap_or_default();
            variant.says(format!(
                "{class} does not inherit from Puppet::ResourceApi::Transport::Wrapper"
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
    let by_device = keyed(session, purpose::BY_DEVICE);
    let others = [purpose::BY_AUTOLOAD, purpose::BY_NONE].map(|key| returned(keyed(session, key)));
    if let Some((call, answer)) = by_device.filter(|_| others.contains(&true)) {
        let why = answer.failure().filter(|_| raised(by_device));
        let broken = why.map(|failure| {
            DEVICE.says(format!(
                "the class for devices cannot be built: {}",
                failure.in_words()
            ))
        });
        ledger.check(call.number, call.provenance, broken);
    }
}

/// Is the file itself or its class not there? Otherwise something went wrong in it.
fn lacks(failure: &Failure, file: &str) -> bool {
    match failure.class.as_deref() {
        Some("LoadError") => failure.message.ends_with(&format!("puppet/{file}")),
        Some("NameError") => failure.at.is_none(),
        _ => false,
    }
}
