//! Snapshot files in insta's format: metadata between lines of `---`, then the text. `cargo insta`
//! can also review them.

use anyhow::{Context, bail};
use std::fs;
use std::path::Path;

/// A snapshot file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnapFile {
    /// The source: the module.
    pub source: String,
    /// The example that it shows.
    pub description: String,
    /// What was requested.
    pub expression: String,
    /// The text.
    pub body: String,
}

impl SnapFile {
    /// The file's text.
    pub fn text(&self) -> String {
        format!(
            "---\nsource: {}\ndescription: {}\nexpression: {}\n---\n{}\n",
            scalar(&self.source),
            scalar(&self.description),
            scalar(&self.expression),
            self.body.trim_end()
        )
    }

    /// Writes a temporary file and renames it.
    ///
    /// # Errors
    /// If that fails.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".part");
        fs::write(&unfinished, self.text())
            .and_then(|()| fs::rename(&unfinished, path))
            .with_context(|| format!("writing {}", path.display()))
    }
}

/// The body of a snapshot file; `None` if the file does not exist.
///
/// # Errors
/// If it cannot be read, or is no snapshot.
pub fn body(path: &Path) -> anyhow::Result<Option<String>> {
    let bytes = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    let Ok(text) = String::from_utf8(bytes) else {
        bail!(
            "{}: is not UTF-8 text; remove it, and run `stickler snap --accept`",
            path.display()
        );
    };
    let text = text.replace("\r\n", "\n");
    let body = text
        .strip_prefix("---\n")
        .and_then(|rest| rest.split_once("\n---\n").map(|(_, body)| body));
    match body {
        Some(body) => Ok(Some(format!("{}\n", body.trim_end()))),
        None => bail!(
            "{}: is not a snapshot: a snapshot begins with a header between two lines of `---`\n  \
             remove it, and run `stickler snap --accept`",
            path.display()
        ),
    }
}

/// A YAML scalar, quoted unless it is a plain word. JSON strings are valid YAML.
fn scalar(text: &str) -> String {
    let plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && !["true", "false", "yes", "no", "on", "off", "null", "y", "n"]
            .contains(&&text.to_ascii_lowercase()[..]);
    if plain {
        text.to_owned()
    } else {
        serde_json::Value::from(text).to_string()
    }
}

/// The name of a snapshot without its extension: `git_py__clones_a_repository`.
pub fn name(module: &str, example: &str) -> String {
    format!("{}__{}", word(module), word(example))
}

fn word(text: &str) -> String {
    let mut word = String::new();
    for c in text.chars().take(80) {
        if c.is_alphanumeric() || c == '-' {
            word.push(c);
        } else if !word.ends_with('_') {
            word.push('_');
        }
    }
    match word.trim_matches('_') {
        "" => "_".to_owned(),
        word => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{SnapFile, body, name};

    #[test]
    fn names_are_safe_as_file_names() {
        assert_eq!(
            name("git.py", "clones a repository"),
            "git_py__clones_a_repository"
        );
        assert_eq!(name("../x", "a/../../b"), "x__a_b");
        assert_eq!(name("x", "…"), "x___");
    }

    #[test]
    fn a_written_snapshot_reads_back_unchanged() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a.snap");
        assert_eq!(body(&path).expect("no error"), None);
        let file = SnapFile {
            source: "git.py".into(),
            description: "example \"a: b\"".into(),
            expression: "stickler snap".into(),
            body: "→ a\n\n---\n  b\n".into(),
        };
        file.write(&path).expect("written");
        assert_eq!(
            body(&path).expect("read").as_deref(),
            Some("→ a\n\n---\n  b\n")
        );
        std::fs::write(&path, "hello\n").expect("written");
        assert!(
            body(&path)
                .expect_err("no snapshot")
                .to_string()
                .contains("is not a snapshot")
        );
    }
}
