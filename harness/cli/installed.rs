//! The cf-agent on this machine, and the measured release that behaves most like it.

use crate::programs::{Program, own_path};
use cfengine_protocol::release::Release;
use std::path::Path;

/// Where packages put cf-agent, outside `PATH`.
pub const FOLDERS: [&str; 2] = ["/var/cfengine/bin", "/opt/cfengine/bin"];

/// A cf-agent that says its version.
pub struct Installed {
    version: String,
    /// The measured release of this version, or the nearest one.
    pub release: &'static Release,
}

impl Installed {
    /// The one that this user would start.
    pub fn find() -> Option<Installed> {
        let mut folders = own_path();
        folders.extend(FOLDERS.iter().map(Into::into));
        Installed::of(&Program::find("cf-agent", &folders)?)
    }

    /// The one at a path.
    pub fn at(path: &Path) -> Option<Installed> {
        Installed::of(&Program::at(path))
    }

    /// What a program says of itself.
    pub fn of(program: &Program) -> Option<Installed> {
        let version = program.version()?;
        let release = Release::nearest(&version);
        Some(Installed { version, release })
    }

    /// Whether its behaviour was measured, in words.
    pub fn measured(&self) -> String {
        if self.version == self.release.version {
            "measured".to_owned()
        } else {
            format!(
                "not measured; Stickler compares with the nearest release, {}",
                self.release.version
            )
        }
    }
}
