//! Is there a Go toolchain, and does it fit the module of this folder? Hosts of mgmt resources are built with it.

use std::path::{Path, PathBuf};
use stickler_face::doctor::{Item, Topic};
use stickler_face::programs::{Program, own_path};

/// The topic of all items.
const GO: Topic = Topic("go", "Go (for mgmt resources)");
/// Where Go's own packages install it, outside `PATH`.
const USUAL: &str = "/usr/local/go/bin";
const INSTALL: &str =
    "install Go from https://go.dev/dl; only packages with mgmt resources need it";

/// The items about Go.
pub fn items() -> Vec<Item> {
    let Some(go) = Program::find("go", &own_path()) else {
        return vec![without()];
    };
    let Some(settings) = Settings::of(&go) else {
        let detail = format!("{}: `go env` fails or hangs", go.path.display());
        return vec![
            Item::new(GO, "toolchain", false, detail)
                .optional()
                .advised(INSTALL),
        ];
    };
    let detail = format!(
        "{}  {}, GOTOOLCHAIN={}",
        go.path.display(),
        settings.version,
        settings.toolchain
    );
    let mut items = vec![Item::new(GO, "toolchain", true, detail).optional()];
    let here = std::env::current_dir().unwrap_or_default();
    items.extend(module(&here, &settings));
    items.push(race(&settings));
    items
}

/// There is none in `PATH`.
fn without() -> Item {
    match Program::find("go", &[PathBuf::from(USUAL)]) {
        Some(go) => Item::new(
            GO,
            "toolchain",
            false,
            format!("{}, which is not in PATH", go.path.display()),
        )
        .advised(&format!("export PATH=\"$PATH:{USUAL}\"")),
        None => Item::new(GO, "toolchain", false, "not found").advised(INSTALL),
    }
    .optional()
}

/// What `go env` says.
#[derive(Default)]
struct Settings {
    /// The installed version, without what `go.mod` asks for: `1.26.8`.
    version: String,
    /// May it fetch another version?
    toolchain: String,
    cgo: bool,
    compiler: String,
}

impl Settings {
    fn of(go: &Program) -> Option<Settings> {
        let names = ["env", "GOVERSION", "GOTOOLCHAIN", "CGO_ENABLED", "CC"];
        // In the module's folder, go could fetch a toolchain.
        let text = go.prints(&names, Path::new("/"))?;
        let lines: Vec<&str> = text.lines().collect();
        let [version, toolchain, cgo, compiler] = lines[..] else {
            return None;
        };
        Some(Settings {
            version: version.strip_prefix("go").unwrap_or(version).to_owned(),
            // Before 1.21, there was no such setting, and nothing was fetched.
            toolchain: if toolchain.is_empty() {
                "local"
            } else {
                toolchain
            }
            .to_owned(),
            cgo: cgo == "1",
            compiler: compiler.to_owned(),
        })
    }

    /// May go use a version that is not the installed one?
    fn may_switch(&self) -> bool {
        let mut words = self.toolchain.split('+');
        words.any(|word| word == "auto" || word == "path")
    }
}

/// Does the toolchain fit the module of a folder, if it lies in one?
fn module(folder: &Path, settings: &Settings) -> Option<Item> {
    let file = folder
        .ancestors()
        .map(|at| at.join("go.mod"))
        .find(|file| file.is_file())?;
    let text = std::fs::read_to_string(&file).ok()?;
    let wanted = wanted(&text)?;
    let shown = format!("{} asks for {wanted}", file.display());
    let item = |ok, detail| Item::new(GO, "module", ok, detail).optional();
    Some(match numbers(wanted) <= numbers(&settings.version) {
        true => item(true, format!("{shown}: {} fits", settings.version)),
        false if settings.may_switch() => item(
            true,
            format!(
                "{shown}: go has to find or fetch it (GOTOOLCHAIN={})",
                settings.toolchain
            ),
        ),
        false => item(
            false,
            format!(
                "{shown}: {} is older, and GOTOOLCHAIN={} forbids another",
                settings.version, settings.toolchain
            ),
        )
        .advised(&format!("install Go {wanted} from https://go.dev/dl,"))
        .advised("or let go fetch it: export GOTOOLCHAIN=auto"),
    })
}

/// The version in the line `go` of a `go.mod`.
fn wanted(text: &str) -> Option<&str> {
    text.lines().find_map(|line| {
        let mut words = line.split_whitespace();
        (words.next() == Some("go")).then(|| words.next()).flatten()
    })
}

/// A version as numbers. One that is not released yet, such as `1.27rc1`, counts as its release.
fn numbers(version: &str) -> Vec<u32> {
    let parts = version.split('.');
    let mut numbers: Vec<u32> = parts
        .map(|part| {
            let end = part
                .find(|one: char| !one.is_ascii_digit())
                .unwrap_or(part.len());
            part[..end].parse().unwrap_or(0)
        })
        .collect();
    numbers.resize(3, 0);
    numbers
}

/// The race detector needs cgo, which needs a C compiler.
fn race(settings: &Settings) -> Item {
    let compiler = settings.compiler.split_whitespace().next().unwrap_or("gcc");
    let found = Program::find(compiler, &own_path()).map(|program| program.path);
    let found = found.or_else(|| {
        Some(PathBuf::from(compiler)).filter(|path| path.is_absolute() && path.is_file())
    });
    let item = |ok, detail: String| Item::new(GO, "race detector", ok, detail).optional();
    match (settings.cgo, found) {
        (true, Some(path)) => item(
            true,
            format!(
                "works, with cgo and {}: `check --race` can run",
                path.display()
            ),
        ),
        (_, None) => item(
            false,
            format!("needs a C compiler; {compiler} is not in PATH"),
        )
        .advised("install one (apt-get install gcc)"),
        (false, Some(_)) => item(false, "needs cgo, and CGO_ENABLED is 0".to_owned())
            .advised("export CGO_ENABLED=1"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_names_the_version_that_it_asks_for() {
        let text = "module example.com/a\n\ngo 1.22.1 // as mgmt\n\nrequire x v1.0.0\n";
        assert_eq!(wanted(text), Some("1.22.1"));
        assert_eq!(wanted("module example.com/going\n"), None);
    }

    #[test]
    fn versions_are_ordered_by_their_numbers() {
        assert!(numbers("1.9") < numbers("1.19"));
        assert!(numbers("1.26.8") < numbers("1.27rc1"));
        assert!(numbers("1.26") <= numbers("1.26.0"));
    }

    #[test]
    fn an_older_toolchain_fits_only_if_it_may_fetch_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let below = folder.path().join("res");
        std::fs::create_dir(&below).expect("a folder");
        std::fs::write(folder.path().join("go.mod"), "module a\ngo 1.30\n").expect("written");
        let ok = |version: &str, toolchain: &str| {
            let settings = Settings {
                version: version.to_owned(),
                toolchain: toolchain.to_owned(),
                ..Settings::default()
            };
            module(&below, &settings).expect("an item").ok
        };
        assert!(ok("1.30.1", "local"));
        assert!(!ok("1.26.8", "local"));
        assert!(!ok("1.26.8", "go1.26.8"));
        assert!(ok("1.26.8", "auto"));
        assert!(ok("1.26.8", "go1.26.8+path"));
    }
}
