//! Sound providers and resources with changed files.

use crate::common::compile;
use crate::puppet::copy;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use toml::Table;

/// A provider or a package of resources as a table describes it.
#[derive(Clone)]
pub struct Provider {
    module: PathBuf,
    /// The source of its program, if it has to be compiled.
    build: Option<String>,
    edits: Vec<Edit>,
}

/// A change of a file. Without a text to replace, the file is new.
#[derive(Clone)]
struct Edit {
    file: String,
    from: Option<String>,
    to: String,
}

impl Provider {
    pub(super) fn of(folder: &Path, keys: &Table) -> Provider {
        let text = |table: &Table, key: &str| Some(table.get(key)?.as_str()?.to_owned());
        let edits = keys["edit"].as_array().expect("[[subject.edit]]").iter();
        let edits = edits.map(|edit| {
            let edit = edit.as_table().expect("a table");
            Edit {
                file: text(edit, "file").expect("file"),
                from: text(edit, "from"),
                to: text(edit, "to").expect("to"),
            }
        });
        Provider {
            module: folder.join(text(keys, "module").expect("module")),
            build: text(keys, "build"),
            edits: edits.collect(),
        }
    }

    pub(super) fn name(&self) -> String {
        let name = self.module.file_name().expect("a name");
        name.to_string_lossy().into_owned()
    }

    /// Writes it into a folder.
    pub(super) fn prepare(&self, folder: &Path) {
        copy(&self.module, folder);
        // Its `replace` names a folder beside it.
        let go_mod = folder.join("go.mod");
        if let Ok(text) = fs::read_to_string(&go_mod) {
            let beside = self.module.parent().expect("a folder").display();
            fs::write(&go_mod, text.replace("=> ../", &format!("=> {beside}/"))).expect("written");
        }
        for Edit { file, from, to } in &self.edits {
            let path = folder.join(file);
            let text = match from {
                None => to.clone(),
                Some(from) => {
                    let text = fs::read_to_string(&path).expect("a file");
                    assert!(text.contains(from), "{}: {from}", path.display());
                    text.replacen(from, to, 1)
                }
            };
            fs::create_dir_all(path.parent().expect("a folder")).expect("made");
            fs::write(&path, &text).expect("written");
            if from.is_none() && text.starts_with("#!") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
            }
        }
        if let Some(source) = &self.build {
            let source = folder.join(source);
            let program = compile(&source, folder, &[]);
            fs::rename(program, source.with_extension("")).expect("renamed");
        }
    }
}
