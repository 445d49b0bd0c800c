//! Packages, and the address and version that they name.

use crate::common::{Call, STICKLER, root};
use std::fs;
use std::path::{Path, PathBuf};

/// The one address; `Cargo.toml` holds it.
const ADDRESS: &str = env!("CARGO_PKG_REPOSITORY");

#[test]
fn a_binary_is_packed_with_its_manual_pages_and_completions() {
    let target = tempfile::tempdir().expect("a folder");
    // Packing the debug information would take most of the time.
    let binary = target.path().join("stripped");
    let stripped = Call::of("strip")
        .args(["--strip-all", STICKLER, "-o"])
        .arg(&binary)
        .status();
    assert!(stripped.expect("strip runs").success());
    let output = Call::of(root().join("ci/release"))
        .arg("--binary")
        .arg(&binary)
        .arg("tar")
        .env("CARGO_TARGET_DIR", target.path())
        .output()
        .expect("ci/release runs");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success(), "{text}");
    assert!(text.contains("tar      tested"), "{text}");
    let packages = target.path().join("release-packages");
    let name = format!(
        "stickler-{}-{}-linux",
        env!("CARGO_PKG_VERSION"),
        std::env::consts::ARCH
    );
    let listed = Call::of("tar")
        .arg("-tf")
        .arg(packages.join(format!("{name}.tar.gz")))
        .output()
        .expect("tar runs");
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    for file in [
        "bin/stickler",
        "man/stickler-check.1",
        "completions/stickler.bash",
        "completions/_stickler",
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
    ] {
        let file = format!("{name}/{file}");
        assert!(listed.lines().any(|line| line == file), "{file}:\n{listed}");
    }
    let sums = fs::read_to_string(packages.join("SHA256SUMS")).expect("sums");
    assert!(sums.contains(&format!("  {name}.tar.gz\n")), "{sums}");
}

#[test]
fn ci_release_refuses_unknown_arguments() {
    let output = Call::of(root().join("ci/release"))
        .arg("rpm")
        .output()
        .expect("ci/release runs");
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(
        text.contains("unknown argument \"rpm\": known are"),
        "{text}"
    );
}

#[test]
fn packages_the_action_and_the_help_have_the_description_of_the_manifest() {
    let description = env!("CARGO_PKG_DESCRIPTION");
    for name in ["README.md", "action.yml", "ci/packages/Containerfile"] {
        let text = fs::read_to_string(root().join(name)).expect("a text");
        let words: Vec<&str> = text.split_whitespace().collect();
        assert!(words.join(" ").contains(description), "{name}");
    }
    let python = fs::read_to_string(root().join("pyproject.toml")).expect("a text");
    assert!(
        python.contains("\"description\""),
        "maturin takes it from Cargo.toml"
    );
    let help = crate::common::stickler().arg("--help").output();
    let help = String::from_utf8(help.expect("the binary runs").stdout).expect("a text");
    assert!(help.starts_with(description), "{help}");
}

/// Pages and workflows that may name the address.
fn pages() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = ["README.md", "CONTRIBUTING.md", "DESIGN.md", "action.yml"]
        .map(|name| root().join(name))
        .to_vec();
    let mut folders = ["docs", ".github", "ci", "templates"]
        .map(|name| root().join(name))
        .to_vec();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.push(path);
            }
        }
    }
    found
}

/// What is wrong with the addresses in a line.
fn wrong(line: &str) -> Option<String> {
    let owned = ADDRESS.trim_start_matches("https://github.com/");
    for (at, _) in line.match_indices("https://") {
        let end = line[at..].find(|c: char| c.is_whitespace() || "\"')`".contains(c));
        let address = &line[at..end.map_or(line.len(), |end| at + end)];
        if address.contains("stickler") && !address.starts_with(ADDRESS) {
            return Some(format!("{address} is not below {ADDRESS}"));
        }
    }
    let action = line.split("uses: ").nth(1)?.trim();
    let expected = format!("{owned}@v{}", env!("CARGO_PKG_VERSION"));
    (action.contains("stickler") && action != expected)
        .then(|| format!("{action} should be {expected}"))
}

#[test]
fn pages_and_workflows_name_the_address_of_the_manifest() {
    let shown = |path: &Path| {
        path.strip_prefix(root())
            .unwrap_or(path)
            .display()
            .to_string()
    };
    let mut mistakes = Vec::new();
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a text");
        for (number, line) in text.lines().enumerate() {
            if let Some(what) = wrong(line) {
                mistakes.push(format!("{}:{}: {what}", shown(&path), number + 1));
            }
        }
    }
    assert!(mistakes.is_empty(), "{}", mistakes.join("\n"));
    // A second source of the address would go stale.
    for name in ["action.yml", "ci/action", "ci/release", "pyproject.toml"] {
        let text = fs::read_to_string(root().join(name)).expect("a text");
        assert!(!text.contains(ADDRESS), "{name} repeats {ADDRESS}");
    }
}

#[test]
fn cargo_installs_with_locked_versions() {
    for path in pages() {
        let text = fs::read_to_string(&path).expect("a text");
        for line in text.lines().filter(|line| line.contains("cargo install ")) {
            assert!(line.contains("--locked"), "{}: {line}", path.display());
        }
    }
}
