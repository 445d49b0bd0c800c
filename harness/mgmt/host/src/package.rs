//! The author's package, as `go list` tells of it.

use crate::error::BuildError;
use crate::said::{Said, said};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A package with resources.
pub(crate) struct Package {
    /// Its folder, without links.
    pub(crate) folder: PathBuf,
    /// Its import path.
    pub(crate) import: String,
    /// The import path of mgmt's engine.
    pub(crate) engine: String,
    /// How many packages it needs.
    pub(crate) needs: usize,
}

/// Starts Go in a folder.
pub(crate) fn go(folder: &Path, arguments: &[&str]) -> Result<Output, BuildError> {
    command(folder, arguments).output().map_err(unstarted)
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("go");
    command
        .args(arguments)
        .current_dir(folder)
        // The author's module decides; nothing is fetched that it does not name, and no file of it changes.
        .env("GOFLAGS", flags());
    command
}

fn unstarted(why: std::io::Error) -> BuildError {
    match why.kind() {
        std::io::ErrorKind::NotFound => BuildError::NoGo,
        _ => BuildError::io("go cannot be started")(why),
    }
}

/// Has Go build with `-v` in a folder: `built` hears of each package. Returns what Go says beside, if it fails.
pub(crate) fn go_builds(
    folder: &Path,
    arguments: &[&str],
    mut built: impl FnMut(&str),
) -> Result<Result<(), String>, BuildError> {
    let mut child = command(folder, arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(unstarted)?;
    let mut text = String::new();
    if let Some(errors) = child.stderr.take() {
        for line in BufReader::new(errors).split(b'\n') {
            let line = line.map_err(BuildError::io("go cannot be heard"))?;
            let line = String::from_utf8_lossy(&line);
            match is_package(&line) {
                true => built(&line),
                false => {
                    text.push_str(&line);
                    text.push('\n');
                }
            }
        }
    }
    let status = child.wait().map_err(BuildError::io("go cannot be heard"))?;
    Ok(match status.success() {
        true => Ok(()),
        false => Err(text),
    })
}

/// Is a line the import path of a package? What else Go says has blanks or colons.
fn is_package(line: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-~+@".contains(&byte);
    !line.is_empty() && line.bytes().all(fits)
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
                let text = match parts.get(3).map_or("", |error| error.trim()) {
                    "" => String::from_utf8_lossy(&listed.stderr).into_owned(),
                    error => error.to_owned(),
                };
                let Said { why, advice } = said(&text, folder, tags);
                let folder = shown();
                return Err(match wants_another_go(&why) {
                    true => BuildError::Toolchain { folder, why },
                    false => BuildError::NoPackage {
                        folder,
                        why,
                        advice,
                    },
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
            needs: deps.len(),
        })
    }
}

/// Why a package seems not to import mgmt's engine: Go does not know the imports of a file that it cannot read.
fn without_engine(folder: &Path, tags: &str) -> BuildError {
    let shown = BuildError::shown(folder);
    match go(folder, &["build", "-tags", tags, "."]) {
        Err(error) => error,
        Ok(built) if !built.status.success() => {
            let text = String::from_utf8_lossy(&built.stderr);
            let Said { why, advice } = said(&text, folder, tags);
            let folder = shown;
            BuildError::Compile {
                folder,
                why,
                advice,
            }
        }
        Ok(_) => BuildError::NoEngine { folder: shown },
    }
}

/// Does Go say that the module needs a newer one?
fn wants_another_go(why: &str) -> bool {
    why.contains("requires go >= ") || why.contains("toolchain not available")
}
