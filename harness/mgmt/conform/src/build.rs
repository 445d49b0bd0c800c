//! Builds the program that plays cases, as virtual files in a checkout: nothing is written there.

use anyhow::{Context, bail};
use serde_json::{Map, Value};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The files of the program.
const FILES: [(&str, &str); 7] = [
    ("check.go", include_str!("../go/check.go")),
    ("driver.go", include_str!("../go/driver.go")),
    ("edges.go", include_str!("../go/edges.go")),
    ("main.go", include_str!("../go/main.go")),
    ("resource.go", include_str!("../go/resource.go")),
    ("trace.go", include_str!("../go/trace.go")),
    ("watch.go", include_str!("../go/watch.go")),
];

/// The folder of the virtual files, below the checkout.
const FOLDER: &str = "sticklerrecorder";

/// Builds the program in a folder of the caller's, and returns its path and the checkout's version.
pub(crate) fn build(checkout: &Path, folder: &Path) -> anyhow::Result<(PathBuf, String)> {
    let checkout = checkout
        .canonicalize()
        .with_context(|| checkout.display().to_string())?;
    if !checkout.join("engine/graph").is_dir() {
        bail!(
            "{} is no checkout of mgmt: it has no engine/graph",
            checkout.display()
        );
    }
    let kinds = kinds();
    let mut replaced = Map::new();
    for (name, text) in FILES.iter().copied().chain([("kinds.go", &*kinds)]) {
        let real = folder.join(name);
        fs::write(&real, text)?;
        let file = checkout.join(FOLDER).join(name);
        replaced.insert(
            file.to_string_lossy().into_owned(),
            Value::from(real.to_string_lossy()),
        );
    }
    let overlay = folder.join("overlay.json");
    fs::write(
        &overlay,
        serde_json::json!({ "Replace": replaced }).to_string(),
    )?;
    let program = folder.join("recorder");
    let built = Command::new("go")
        .args(["build", "-overlay"])
        .arg(&overlay)
        .arg("-o")
        .arg(&program)
        .arg(format!("./{FOLDER}"))
        .current_dir(&checkout)
        .output()
        .context("go")?;
    if !built.status.success() {
        let why = String::from_utf8_lossy(&built.stderr).into_owned();
        bail!(
            "the program does not compile in {}\n{why}",
            checkout.display()
        );
    }
    Ok((program, version(&checkout)))
}

/// The commit of a checkout.
fn version(checkout: &Path) -> String {
    let mut git = Command::new("git");
    git.args(["describe", "--always", "--tags"])
        .current_dir(checkout);
    let said = git.output().map(|said| said.stdout).unwrap_or_default();
    match String::from_utf8_lossy(&said).trim() {
        "" => "without a version".to_owned(),
        version => version.to_owned(),
    }
}

/// Traits as scripts name them, and mgmt's types for them.
const TRAITS: [(&str, &str); 5] = [
    ("refresh", "Refreshable"),
    ("send", "Sendable"),
    ("recv", "Recvable"),
    ("group", "Groupable"),
    ("edge", "Edgeable"),
];

/// A file with a type for each set of traits: mgmt's engine asks a type what it can do.
fn kinds() -> String {
    let mut types = String::new();
    let mut made = String::new();
    for set in 0..1 << TRAITS.len() {
        let own = TRAITS.iter().enumerate();
        let own = own.filter(|(at, _)| set >> at & 1 == 1);
        let own: Vec<(&str, &str)> = own.map(|(_, one)| *one).collect();
        let embedded: String = own
            .iter()
            .map(|(_, name)| format!("\ttraits.{name}\n"))
            .collect();
        let _ = write!(
            types,
            "type res{set} struct {{\n\t*core\n{embedded}\tIn string `lang:\"in\"`\n\
             \tIn2 string `lang:\"in2\"`\n\tNum int64 `lang:\"num\"`\n\tPtr *string `lang:\"ptr\"`\n}}\n\n\
             func (obj *res{set}) slots() slots {{ return slots{{&obj.In, &obj.In2, &obj.Num, &obj.Ptr}} }}\n\n"
        );
        if own.iter().any(|(name, _)| *name == "group") {
            let _ = write!(
                types,
                "func (obj *res{set}) GroupCmp(res engine.GroupableRes) error {{ return obj.groupCmp(res) }}\n\n"
            );
        }
        if own.iter().any(|(name, _)| *name == "send") {
            let _ = write!(
                types,
                "func (obj *res{set}) Sends() interface{{}} {{ return &sent{{}} }}\n\n"
            );
        }
        let _ = write!(made, "\tcase {set}:\n\t\treturn &res{set}{{core: own}}\n");
    }
    let named: String = TRAITS
        .iter()
        .enumerate()
        .map(|(at, (name, _))| format!("\t\tcase {name:?}:\n\t\t\tset |= {}\n", 1 << at))
        .collect();
    format!(
        "package main\n\nimport (\n\t\"github.com/purpleidea/mgmt/engine\"\n\
         \t\"github.com/purpleidea/mgmt/engine/traits\"\n)\n\n{types}\
         func withTraits(own *core, names []string) scripted {{\n\tset := 0\n\
         \tfor _, name := range names {{\n\t\tswitch name {{\n{named}\t\t}}\n\t}}\n\
         \tswitch set {{\n{made}\t}}\n\treturn nil\n}}\n"
    )
}
