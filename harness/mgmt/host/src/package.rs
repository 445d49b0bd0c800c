//! The author's package, as `go list` tells of it.

use crate::error::BuildError;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A package with resources.
pub(crate) struct Package {
    /// Its folder, without links.
    pub(crate) folder: PathBuf,
    /// Its import path.
    pub(crate) import: String,
    /// The import path of mgmt's engine.
    pub(crate) engine: String,
}

/// Starts Go in a folder.
pub(crate) fn go(folder: &Path, arguments: &[&str]) -> Result<Output, BuildError> {
    let output = Command::new("go")
        .args(arguments)
        .current_dir(folder)
        // The author's module decides; nothing is fetched that it does not name, and no file of it changes.
        .env("GOFLAGS", flags())
        .output();
    output.map_err(|why| match why.kind() {
        std::io::ErrorKind::NotFound => BuildError::NoGo,
        _ => BuildError::io("go cannot be started")(why),
    })
}

/// The user's flags, and none that would write into the module.
fn flags() -> String {
    let own = std::env::var("GOFLAGS").unwrap_or_default();
    format!("{own} -buildvcs=false").trim().to_owned()
}

impl Package {
    /// Looks at the package in a folder.
    ///
    /// # Errors
    /// If there is none, or if it does not use mgmt.
    pub(crate) fn of(folder: &Path, tags: &str) -> Result<Package, BuildError> {
        let shown = || BuildError::shown(folder);
        // With `-e`, files that only an overlay brings may be missing.
        let form = "{{.Name}}\u{1f}{{.ImportPath}}\u{1f}{{.Dir}}\u{1f}{{with .Error}}{{.}}{{end}}";
        let listed = go(folder, &["list", "-e", "-tags", tags, "-f", form, "."])?;
        let text = String::from_utf8_lossy(&listed.stdout).into_owned();
        let parts: Vec<&str> = text.trim_end_matches('\n').split('\u{1f}').collect();
        let (name, import, dir) = match parts.as_slice() {
            [name, import, dir, _] if !name.is_empty() && !dir.is_empty() => (*name, *import, *dir),
            parts => {
                let told = String::from_utf8_lossy(&listed.stderr).trim().to_owned();
                let why = parts.get(3).map_or("", |error| error.trim());
                return Err(BuildError::NoPackage {
                    folder: shown(),
                    why: if why.is_empty() { told } else { why.to_owned() },
                });
            }
        };
        if name == "main" {
            return Err(BuildError::Main { folder: shown() });
        }
        let deps = go(
            folder,
            &[
                "list",
                "-e",
                "-tags",
                tags,
                "-deps",
                "-f",
                "{{.ImportPath}}",
                ".",
            ],
        )?;
        let deps = String::from_utf8_lossy(&deps.stdout).into_owned();
        let deps: Vec<&str> = deps.lines().collect();
        let is_engine = |path: &&&str| {
            path.ends_with("/engine") && deps.contains(&format!("{path}/traits").as_str())
        };
        let engine = deps.iter().find(is_engine);
        let engine = engine.ok_or_else(|| BuildError::NoEngine { folder: shown() })?;
        Ok(Package {
            folder: dir.into(),
            import: import.to_owned(),
            engine: (*engine).to_owned(),
        })
    }
}
