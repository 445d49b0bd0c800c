//! The cf-agent on this machine, and the measured release that behaves most like it.

use cfengine_protocol::release::Release;
use std::path::Path;
use stickler_face::programs::{Program, own_path};

/// Where packages put cf-agent, outside `PATH`.
pub const FOLDERS: [&str; 2] = ["/var/cfengine/bin", "/opt/cfengine/bin"];

/// The measured release that behaves most like the cf-agent at a path, or like the one that this user would start.
/// The newest one, if there is none.
pub fn release(named: Option<&Path>) -> &'static Release {
    let program = named.map(Program::at).or_else(|| {
        let mut folders = own_path();
        folders.extend(FOLDERS.iter().map(Into::into));
        Program::find("cf-agent", &folders)
    });
    let version = program.and_then(|program| program.version());
    version.map_or_else(Release::newest, |version| Release::nearest(&version))
}

/// Whether the behaviour of a version was measured, in words.
pub fn measured(version: &str) -> String {
    let release = Release::nearest(version);
    if version == release.version {
        "measured".to_owned()
    } else {
        format!(
            "not measured; Stickler compares with the nearest release, {}",
            release.version
        )
    }
}
