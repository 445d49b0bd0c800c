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
pub(crate) fn flags() -> String {
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
                let why = match parts.get(3).map_or("", |error| error.trim()) {
                    "" => said(&listed),
                    error => error.to_owned(),
                };
                let folder = shown();
                return Err(match wants_another_go(&why) {
                    true => BuildError::Toolchain { folder, why },
                    false => BuildError::NoPackage { folder, why },
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
        let Some(engine) = engine else {
            return Err(without_engine(folder, tags));
        };
        Ok(Package {
            folder: dir.into(),
            import: import.to_owned(),
            engine: (*engine).to_owned(),
        })
    }
}

/// Why a package seems not to import mgmt's engine: Go does not know the imports of a file that it cannot read.
fn without_engine(folder: &Path, tags: &str) -> BuildError {
    let shown = BuildError::shown(folder);
    match go(folder, &["build", "-tags", tags, "."]) {
        Err(error) => error,
        Ok(built) if !built.status.success() => BuildError::Compile {
            folder: shown,
            why: said(&built),
        },
        Ok(_) => BuildError::NoEngine { folder: shown },
    }
}

/// Does Go say that the module needs a newer one?
fn wants_another_go(why: &str) -> bool {
    why.contains("requires go >= ") || why.contains("toolchain not available")
}

/// What Go says on standard error, each line once.
fn said(output: &Output) -> String {
    let text = String::from_utf8_lossy(&output.stderr);
    let mut lines: Vec<&str> = text.trim().lines().collect();
    lines.dedup();
    lines.join("\n")
}
