//! What a Puppet module holds.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use stickler_suite::config::Config;

/// The files of a module that Stickler tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// The names of its types, by the names of their files.
    pub types: Vec<String>,
    /// The names of the schemas of its transports.
    pub transports: Vec<String>,
}

/// What makes a folder a Puppet module, in words: its types, providers or transports.
pub(crate) fn claims(folder: &Path) -> Option<String> {
    let parts = ["type", "provider", "transport"].into_iter();
    let mut below = parts.map(|part| format!("lib/puppet/{part}"));
    let found = below.find(|below| folder.join(below).is_dir())?;
    Some(format!("it holds {found}"))
}

/// Does a folder hold types, providers or transports?
pub fn is_module(folder: &Path) -> bool {
    claims(folder).is_some()
}

/// Looks for types and transports in a module's folder.
///
/// # Errors
/// If a folder cannot be read.
pub fn find(folder: &Path) -> io::Result<Found> {
    let puppet = folder.join("lib/puppet");
    let mut types = names(&puppet.join("type"))?;
    types.retain(|(_, file)| {
        // Types of the older interface and helpers beside them are not of the Resource API.
        fs::read(file).is_ok_and(|text| contains(&text, b"register_type"))
    });
    let transports = names(&puppet.join("transport/schema"))?;
    let only_names = |found: Vec<(String, PathBuf)>| found.into_iter().map(|(name, _)| name);
    Ok(Found {
        types: only_names(types).collect(),
        transports: only_names(transports).collect(),
    })
}

/// The folder of the module that a description names.
pub fn folder(config: &Config) -> Option<PathBuf> {
    let path = config.subject.path.as_ref()?;
    // As people would write it.
    let folder: PathBuf = config.dir.join(path).components().collect();
    Some(match folder.as_os_str().is_empty() {
        true => ".".into(),
        false => folder,
    })
}

/// Does the module have a folder for the providers of a type?
pub(crate) fn has_provider(config: &Config, kind: &str) -> bool {
    let folder = folder(config);
    folder.is_none_or(|folder| folder.join("lib/puppet/provider").join(kind).is_dir())
}

/// The names of its schemas. A folder that cannot be read has none.
pub(crate) fn transports(config: &Config) -> Vec<String> {
    let found = folder(config).and_then(|folder| find(&folder).ok());
    found.unwrap_or_default().transports
}

fn contains(text: &[u8], word: &[u8]) -> bool {
    text.windows(word.len()).any(|part| part == word)
}

/// The Ruby files in a folder, sorted, by their names without the ending.
fn names(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let path = entry?.path();
        let is_ruby = path.extension().is_some_and(|end| end == "rb");
        let name = path.file_stem().and_then(|name| name.to_str());
        if let (true, Some(name)) = (is_ruby, name) {
            found.push((name.to_owned(), path.clone()));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Found, find, is_module};
    use std::fs;

    #[test]
    fn types_of_the_resource_api_are_found() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_module(folder.path()));
        assert_eq!(find(folder.path()).expect("read"), Found::default());
        let types = folder.path().join("lib/puppet/type");
        let schemas = folder.path().join("lib/puppet/transport/schema");
        for dir in [&types, &schemas] {
            fs::create_dir_all(dir).expect("a folder");
        }
        let write = |path, text: &str| fs::write(path, text).expect("written");
        write(
            types.join("b.rb"),
            "Puppet::ResourceApi.register_type(name: 'b')",
        );
        write(
            types.join("a.rb"),
            "Puppet::ResourceApi.register_type(name: 'a')",
        );
        write(types.join("old.rb"), "Puppet::Type.newtype(:old) do\nend");
        write(types.join("README.md"), "register_type");
        write(schemas.join("nexus.rb"), "register_transport");
        assert!(is_module(folder.path()));
        assert_eq!(
            find(folder.path()).expect("read"),
            Found {
                types: vec!["a".into(), "b".into()],
                transports: vec!["nexus".into()],
            }
        );
    }
}
