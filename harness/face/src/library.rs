//! A library that the subject did not find when it started: its name, where it lies, and what makes
//! it found.

mod message;
mod near;

use crate::guess;
use message::{Missing, Remedy};
use std::path::{Path, PathBuf};
use stickler_judge::AnySession;
use stickler_report::visible;
use stickler_suite::config::{CONFIG_DIR, Config};
use stickler_transcript::Bytes;

/// A library that was not found, as far as it could be located.
pub struct Library {
    missing: Missing,
    place: Option<Place>,
    /// The interpreter of the same name that the caller's `PATH` finds, if it is another one.
    other: Option<PathBuf>,
}

/// Where a library lies.
struct Place {
    folder: PathBuf,
    /// Is it a folder of a variable in the caller's environment?
    inherited: bool,
}

impl Library {
    /// The library that kept a subject from starting. `folders` are further places to look.
    pub fn missed_by(
        session: &AnySession,
        config: &Config,
        argv: &[Bytes],
        folders: &[PathBuf],
    ) -> Option<Self> {
        let exchange = session.reading().exchange_at(0)?;
        let errors = String::from_utf8_lossy(&exchange.errors);
        let home = home(config, argv);
        let all = message::read(&errors).into_iter().map(|missing| {
            let place = place(&missing, &home, folders);
            Library {
                missing,
                place,
                other: other(config, argv),
            }
        });
        // Code that tries several libraries needs only one of them. The last one ended the program.
        let mut all: Vec<Self> = all.collect();
        let found = all.iter().position(|one| one.place.is_some());
        match found {
            Some(at) => Some(all.swap_remove(at)),
            None => all.pop(),
        }
    }

    /// The variable of the environment that makes it found, and its value in addition to the
    /// configuration's own.
    pub fn variable(&self, config: &Config) -> Option<(&'static str, String)> {
        let Remedy::Variable(name) = self.missing.remedy else {
            return None;
        };
        let folder = self.place.as_ref()?.folder.to_str()?;
        let known = config.subject.env.iter().find(|(key, _)| key == name);
        let value = match known {
            Some((_, value)) if value.split(':').any(|one| one == folder) => return None,
            Some((_, value)) => format!("{value}:{folder}"),
            None => folder.to_owned(),
        };
        Some((name, value))
    }

    /// What `init` did about it.
    pub fn told(&self) -> String {
        let name = visible(&self.missing.name);
        let (folder, inherited) = match &self.place {
            Some(place) => (place.folder.display().to_string(), place.inherited),
            None => return format!("`{name}` is not near the module"),
        };
        let folder = visible(&folder);
        match self.missing.remedy {
            Remedy::Variable(variable) if inherited => format!(
                "`{name}` lies in {folder}; `env` names it, because the module does not inherit your {variable}"
            ),
            _ => format!("`{name}` lies in {folder}; `env` names it"),
        }
    }

    /// What to do: a sentence for a report.
    pub fn hint(&self, subject: &str, config: &Config) -> String {
        let name = visible(&self.missing.name);
        let start = format!("the {subject} did not find its library `{name}`");
        let place = self.place.as_ref();
        let lies = place.map(|place| format!(", which lies in {}", place.folder.display()));
        let lies = visible(&lies.unwrap_or_default()).into_owned();
        let Remedy::Variable(variable) = self.missing.remedy else {
            return format!(
                "{start}{lies}: put it beside the script, and write `source \"$(dirname \"$0\")/{name}\"`"
            );
        };
        let Some((_, value)) = self.variable(config) else {
            let own = self.other.as_ref();
            let own = own.map(|own| format!(", set the interpreter to {}", own.display()));
            return format!(
                "{start}: install it for {}{}, or name its folder: {}",
                self.missing.language,
                own.unwrap_or_default(),
                line(config, variable, "/folder/of/it")
            );
        };
        let why = match place {
            Some(place) if place.inherited => {
                format!(", because it does not inherit your {variable}")
            }
            _ => lies,
        };
        format!("{start}{why}: {}", line(config, variable, &value))
    }
}

/// The folders of a variable as a `stickler.toml` in `home` names them, so that they are found in another
/// checkout, too.
pub fn portable(value: &str, home: &Path) -> String {
    let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let folders = value.split(':').map(|folder| in_checkout(folder, &home));
    folders.collect::<Vec<_>>().join(":")
}

/// A folder relative to that of `stickler.toml`, if it is below it or in the same checkout.
fn in_checkout(folder: &str, home: &Path) -> String {
    let mut above = home.ancestors();
    let top = above.find(|one| one.join(".git").exists()).unwrap_or(home);
    let path = Path::new(folder);
    if !path.starts_with(top) {
        return folder.to_owned();
    }
    let relative = guess::relative(home, path);
    match relative.to_str() {
        Some("") => CONFIG_DIR.to_owned(),
        Some(relative) => format!("{CONFIG_DIR}/{relative}"),
        None => folder.to_owned(),
    }
}

/// The line of `stickler.toml`, or else the option, that sets a variable.
fn line(config: &Config, variable: &str, value: &str) -> String {
    let named = match config.file.as_deref().and_then(Path::parent) {
        Some(home) if home.as_os_str().is_empty() => portable(value, Path::new(".")),
        Some(home) => portable(value, home),
        None => value.to_owned(),
    };
    let value_in_toml = serde_json::Value::from(named).to_string();
    match &config.file {
        Some(file) if config.subject.env.iter().any(|(key, _)| key == variable) => format!(
            "in `env` of [subject] in {}, write {variable} = {value_in_toml}",
            file.display()
        ),
        Some(file) if config.subject.env.is_empty() => format!(
            "in [subject] of {}, write env = {{ {variable} = {value_in_toml} }}",
            file.display()
        ),
        Some(file) => format!(
            "in `env` of [subject] in {}, add {variable} = {value_in_toml}",
            file.display()
        ),
        None => format!(
            "add --env {}",
            stickler_report::command_line(&[format!("{variable}={value}")])
        ),
    }
}

/// The interpreter of the same name that the caller's `PATH` finds, if it is another one.
fn other(config: &Config, argv: &[Bytes]) -> Option<PathBuf> {
    let name = config.subject.interpreter.as_ref()?;
    if name.contains('/') {
        return None;
    }
    let known = PathBuf::from(argv.first()?.lossy().into_owned());
    let path = std::env::var_os("PATH")?;
    let own = std::env::split_paths(&path).map(|folder| folder.join(name));
    let own = own.into_iter().find(|path| path.is_file())?;
    (own.canonicalize().ok()? != known.canonicalize().ok()?).then_some(own)
}

/// The folder of the program's file.
fn home(config: &Config, argv: &[Bytes]) -> PathBuf {
    let path = config.subject.path.clone().or_else(|| {
        let words = argv.iter().map(|word| word.lossy().into_owned());
        // The first word may be an interpreter.
        let mut files = words
            .map(PathBuf::from)
            .filter(|path| config.dir.join(path).is_file());
        files.next_back()
    });
    let path = config.dir.join(path.unwrap_or_default());
    let path = std::path::absolute(&path).unwrap_or(path);
    match path.is_dir() {
        true => path,
        false => path.parent().unwrap_or(Path::new("/")).to_owned(),
    }
}

/// Looks for a library: in the folders of the caller's own variable, near the module, and in the
/// further folders.
fn place(missing: &Missing, home: &Path, folders: &[PathBuf]) -> Option<Place> {
    let holds = |folder: &Path| {
        let mut files = missing.files.iter();
        files.any(|file| folder.join(file).is_file())
    };
    if let Remedy::Variable(variable) = missing.remedy {
        let own = std::env::var_os(variable).unwrap_or_default();
        let found = std::env::split_paths(&own).find(|folder| {
            let is_named = !folder.as_os_str().is_empty();
            is_named && holds(folder)
        });
        if let Some(folder) = found {
            return Some(Place {
                folder: std::path::absolute(&folder).unwrap_or(folder),
                inherited: true,
            });
        }
    }
    let folder = near::find(home, holds).or_else(|| {
        let mut folders = folders.iter();
        folders.find(|&folder| holds(folder)).cloned()
    });
    folder.map(|folder| Place {
        folder,
        inherited: false,
    })
}

#[cfg(test)]
mod tests {
    use super::portable;
    use std::fs;

    #[test]
    fn folders_of_the_same_checkout_are_named_relative_to_the_description() {
        let root = tempfile::tempdir().expect("a folder");
        let root = root.path().canonicalize().expect("a folder");
        let module = root.join("checkout/types/own");
        fs::create_dir_all(module.join("lib")).expect("made");
        let named = |folder: &str| {
            let value = root.join(folder);
            portable(value.to_str().expect("text"), &module)
        };
        let whole = |folder: &str| root.join(folder).display().to_string();
        assert_eq!(named("checkout/types/own/lib"), "{config_dir}/lib");
        assert_eq!(named("checkout/types/own"), "{config_dir}");
        // Without a repository, nothing says what else belongs to it.
        assert_eq!(named("checkout/libraries"), whole("checkout/libraries"));
        fs::create_dir(root.join("checkout/.git")).expect("made");
        assert_eq!(named("checkout/libraries"), "{config_dir}/../../libraries");
        assert_eq!(named("elsewhere"), whole("elsewhere"));
        let two = format!("/x:{}", whole("checkout/libraries"));
        assert_eq!(portable(&two, &module), "/x:{config_dir}/../../libraries");
    }
}
