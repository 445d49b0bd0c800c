//! The generated file that hands mgmt's own engine to the host.

use crate::error::BuildError;
use crate::package::{Package, go};
use std::path::Path;

/// The file. Its names stand in all known forms of the engine.
///
/// # Errors
/// If the module of the package does not have the engine's packages.
pub(crate) fn real_engine(package: &Package) -> Result<String, BuildError> {
    let engine = &package.engine;
    let root = engine.strip_suffix("/engine").unwrap_or(engine);
    let converger = format!("{root}/converger");
    // Older forms have a function that makes one.
    let made = match has_new(package, &converger)? {
        true => "converger.New(-1)",
        false => "&converger.Coordinator{}",
    };
    Ok(format!(
        "package main\n\nimport (\n\t{converger:?}\n\t{engine:?}\n\t\"{engine}/graph\"\n\
         \t\"{engine}/graph/autogroup\"\n\t\"{root}/pgraph\"\n)\n\n\
         func init() {{\n\treal = &parts{{\n\
         \t\tengine:    func() interface{{}} {{ return &graph.Engine{{}} }},\n\
         \t\tconverger: func() interface{{}} {{ return {made} }},\n\
         \t\tgrouper:   func() interface{{}} {{ return &autogroup.NonReachabilityGrouper{{}} }},\n\
         \t\tgraph:     func() (interface{{}}, error) {{ return pgraph.NewGraph(\"stickler\") }},\n\
         \t\tedge: func(name string, notify bool) interface{{}} {{\n\
         \t\t\treturn &engine.Edge{{Name: name, Notify: notify}}\n\t\t}},\n\t}}\n}}\n"
    ))
}

/// Does a package have a function `New`?
fn has_new(package: &Package, import: &str) -> Result<bool, BuildError> {
    let listed = go(
        &package.folder,
        &[
            "list",
            "-f",
            "{{$dir := .Dir}}{{range .GoFiles}}{{$dir}}/{{.}}{{\"\\n\"}}{{end}}",
            import,
        ],
    )?;
    if !listed.status.success() {
        return Err(BuildError::RealEngine {
            folder: BuildError::shown(&package.folder),
            why: String::from_utf8_lossy(&listed.stderr).trim().to_owned(),
        });
    }
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let has = |file: &str| {
        std::fs::read_to_string(Path::new(file))
            .is_ok_and(|text| text.lines().any(|line| line.starts_with("func New(")))
    };
    Ok(files.lines().any(has))
}
