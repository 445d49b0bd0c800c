//! Recorders between an agent and its modules. A promise block's `path` takes no arguments, and its
//! `interpreter` reads the file itself. So in the agent's sandbox, a recorder replaces the file of
//! the module or of its interpreter, and runs the real one. The policy and the machine's files stay
//! unchanged.

use rustix::fs::Access;
use serde::{Deserialize, Serialize};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use stickler_oracle::Error;
use stickler_session::sandbox::{PlantedFile, Sandbox};

/// A module, exactly as a promise block writes it, since the interpreter gets that text: `/a/./b`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Module {
    /// The interpreter, if the module is no program itself.
    pub interpreter: Option<String>,
    /// The file.
    pub path: String,
}

/// The configuration of a recorder, on the second line of the file that replaces the real one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Orders {
    /// The program to run.
    pub(crate) real: PathBuf,
    /// The directory of the records.
    pub(crate) records: PathBuf,
    /// For an interpreter: the modules to record, by first argument. For other callers, the
    /// recorder only runs the interpreter.
    pub(crate) modules: Option<Vec<String>>,
}

/// The line of a verbose log that reports the start of a module.
const STARTING: &str = "Starting custom promise module '";

/// The modules that an agent's log reports as started.
pub(crate) fn started(output: &str) -> Vec<Module> {
    let mut modules: Vec<Module> = output
        .lines()
        .filter_map(|line| {
            let (_, rest) = line.split_once(STARTING)?;
            let (path, rest) = rest.split_once("' with command '")?;
            let command = rest.strip_suffix('\'')?;
            let interpreter = command.strip_suffix(path)?.strip_suffix(' ');
            Some(Module {
                interpreter: interpreter.map(str::to_owned),
                path: path.to_owned(),
            })
        })
        .collect();
    modules.sort();
    modules.dedup();
    modules
}

/// Replaces modules and interpreters by recorders.
pub(crate) fn plant(
    sandbox: &Sandbox,
    recorder: &Path,
    cwd: &Path,
    modules: &[Module],
) -> Result<(), Error> {
    let records = sandbox.scratch().join("records");
    sandbox.mkdir(records.as_os_str().as_bytes())?;
    let mut done: Vec<PathBuf> = Vec::new();
    for module in modules {
        let place = module.interpreter.as_ref().unwrap_or(&module.path);
        let Some(place) = real_place(&cwd.join(place)) else {
            // There is no program to run or record.
            continue;
        };
        if done.contains(&place) {
            continue;
        }
        let read_by = |other: &&Module| other.interpreter == module.interpreter;
        let names = || {
            let names = modules.iter().filter(read_by);
            names.map(|other| other.path.clone())
        };
        let orders = Orders {
            real: put_aside(sandbox, &place, module.interpreter.is_some())?,
            records: records.clone(),
            modules: module.interpreter.is_some().then(|| names().collect()),
        };
        stand_in(sandbox, recorder, &place, &orders)?;
        done.push(place);
    }
    Ok(())
}

/// The files of a module in the scratch space with a recorder in front of it.
pub fn planted(recorder: &Path, scratch: &Path, path: &Path, script: &str) -> [PlantedFile; 2] {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let real = path.with_file_name(format!(".{name}.recorded"));
    let orders = Orders {
        real: real.clone(),
        records: scratch.join("records"),
        modules: None,
    };
    let file = |path: &Path, text: String| PlantedFile {
        path: path.to_owned(),
        bytes: text.into_bytes(),
        mode: 0o755,
    };
    [
        file(path, stand_in_text(recorder, &orders)),
        file(&real, script.to_owned()),
    ]
}

fn stand_in_text(recorder: &Path, orders: &Orders) -> String {
    let orders = serde_json::to_string(orders).unwrap_or_default();
    format!("#!{} interpose\n{orders}\n", recorder.display())
}

/// The path with the links above the file resolved; `None` if the file can't be run.
fn real_place(path: &Path) -> Option<PathBuf> {
    rustix::fs::access(path, Access::EXEC_OK).ok()?;
    let folder = fs::canonicalize(path.parent()?).ok()?;
    Some(folder.join(path.file_name()?))
}

/// Where the real file is moved. A module finds the files next to it, so it stays in its directory
/// under another name. An interpreter may be anywhere.
fn put_aside(sandbox: &Sandbox, place: &Path, interpreter: bool) -> Result<PathBuf, Error> {
    let target = fs::canonicalize(place).map_err(|source| file(place, source))?;
    if target != place && interpreter {
        return Ok(target);
    }
    let name = place.file_name().unwrap_or_default().to_string_lossy();
    let aside = if interpreter {
        sandbox.scratch().join("real").join(&*name)
    } else {
        place.with_file_name(format!(".{name}.recorded"))
    };
    let content = fs::read(&target).map_err(|source| file(&target, source))?;
    let metadata = fs::metadata(&target).map_err(|source| file(&target, source))?;
    let bytes = aside.as_os_str().as_bytes();
    sandbox.write_file(bytes, &content)?;
    sandbox.chmod(bytes, metadata.permissions().mode() & 0o7777)?;
    Ok(aside)
}

fn stand_in(
    sandbox: &Sandbox,
    recorder: &Path,
    place: &Path,
    orders: &Orders,
) -> Result<(), Error> {
    let text = stand_in_text(recorder, orders);
    let bytes = place.as_os_str().as_bytes();
    sandbox.remove(bytes)?;
    sandbox.write_file(bytes, text.as_bytes())?;
    Ok(sandbox.chmod(bytes, 0o755)?)
}

fn file(path: &Path, source: std::io::Error) -> Error {
    Error::File {
        path: path.to_owned(),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn started_modules_are_read_from_verbose_output() {
        let output = " verbose: Starting custom promise module '/m/./a.py' with command '/usr/bin/python3 /m/./a.py'\n\
             verbose: Starting custom promise module '/m/b c' with command '/m/b c'\n\
             verbose: something else\n";
        let modules = started(output);
        assert_eq!(modules.len(), 2);
        let found = |path: &str| modules.iter().find(|module| module.path == path);
        let a = found("/m/./a.py").expect("a module");
        assert_eq!(a.interpreter.as_deref(), Some("/usr/bin/python3"));
        let b = found("/m/b c").expect("a module");
        assert_eq!(b.interpreter, None);
    }
}
