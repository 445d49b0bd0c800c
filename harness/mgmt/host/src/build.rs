//! Builds the host around a package: as virtual files in a folder below it, so that nothing is written there.

use crate::HOST;
use crate::built::{Built, Options, keep};
use crate::error::BuildError;
use crate::package::{Package, flags, go_builds};
use crate::real::real_engine;
use crate::said::{Said, said};
use crate::stale::remove_stale;
use serde_json::json;
use std::fs;
use std::path::{Path, PathBuf};
use stickler_rpc::{cache_folder, digest, write};

/// The name of a host's program.
pub const NAME: &str = "stickler-mgmt-host";

/// The folder of the host's virtual files, below the package: Go's rule about `internal` allows the import there.
const FOLDER: &str = "sticklerhost";

/// After so many packages, Go's cache is not what makes a build quick: people have to wait.
const MANY: usize = 8;

/// After so many more, it is told how far it is.
const STEP: usize = 50;

/// Says how far a build is that takes long.
struct Progress<'p> {
    say: &'p dyn Fn(&str),
    built: usize,
    all: usize,
}

impl Progress<'_> {
    fn built(&mut self) {
        self.built += 1;
        let Progress { built, all, .. } = *self;
        // The host has packages of its own.
        let all = all.max(built);
        if built == MANY {
            (self.say)(&format!(
                "go builds up to {all} packages: the first time, this takes a minute or more"
            ));
        } else if built > MANY && built.is_multiple_of(STEP) {
            (self.say)(&format!("go has built {built} of up to {all} packages"));
        }
    }
}

/// Builds the host of the package in a folder, and returns its path. Go's cache makes this quick where nothing changed;
/// else `say` tells how far it is.
///
/// # Errors
/// If there is no such package, or if it does not compile; the message says what to do.
pub fn build(folder: &Path, options: &Options, say: &dyn Fn(&str)) -> Result<PathBuf, BuildError> {
    let tags = options.tags.join(",");
    let package = Package::of(folder, &tags)?;
    let cannot =
        |what: &str| BuildError::io(format!("{what}; XDG_CACHE_HOME names another folder"));
    let cache = cache_folder(&HOST.version()).map_err(cannot("the host cannot be kept"))?;
    HOST.install(&cache)
        .map_err(cannot("the host cannot be written"))?;
    // Each package and each set of options has a folder of its own.
    let key = format!("{:?}\n{options:?}", package.folder);
    let own = cache.join(digest([&*key]));
    if !own.is_dir() {
        remove_stale(&cache);
    }
    fs::create_dir_all(&own).map_err(cannot("the host cannot be kept"))?;
    let register = own.join("register.go");
    write(&register, &registering(&package, options.init.as_deref()))
        .map_err(cannot("the host cannot be written"))?;
    let built = Built {
        folder: package.folder.clone(),
        options: options.clone(),
    };
    let mut generated = vec![("register.go", register)];
    if options.engine {
        let real = own.join("real.go");
        write(&real, &real_engine(&package)?).map_err(cannot("the host cannot be written"))?;
        generated.push(("real.go", real));
    }
    // Without this file, the description says how the host is built again.
    keep(&own, &built).map_err(cannot("the host cannot be kept"))?;
    let overlay = own.join("overlay.json");
    write(
        &overlay,
        &overlaid(&package, &cache, &generated, &options.overlay),
    )
    .map_err(cannot("the host cannot be written"))?;
    // Several runs may build at once: each writes a file of its own, and puts it in place as a whole.
    let unfinished = own.join(format!(".{NAME}.{}", std::process::id()));
    let path = own.join(NAME);
    // Go does not link anew what it finds there as it would be. On the first run, there is nothing to copy.
    let _ = fs::copy(&path, &unfinished);
    let target = format!("{}/{FOLDER}", package.import);
    let (overlay, output) = (overlay.to_string_lossy(), unfinished.to_string_lossy());
    let mut arguments = vec![
        "build", "-v", "-overlay", &*overlay, "-tags", &*tags, "-o", &*output,
    ];
    if options.race {
        arguments.push("-race");
    }
    if !flags().contains("-ldflags") {
        // Nobody debugs the host: without symbols, it is linked faster.
        arguments.extend(["-ldflags", "-s -w"]);
    }
    arguments.push(&target);
    let mut progress = Progress {
        say,
        built: 0,
        all: package.needs,
    };
    if let Err(text) = go_builds(&package.folder, &arguments, |_| progress.built())? {
        let _ = fs::remove_file(&unfinished);
        let Said { why, advice } = said(&text, folder, &tags);
        let folder = BuildError::shown(folder);
        return Err(match options.engine {
            true => BuildError::RealEngine { folder, why },
            false => BuildError::Compile {
                folder,
                why,
                advice,
            },
        });
    }
    fs::rename(&unfinished, &path).map_err(cannot("the host cannot be written"))?;
    Ok(path)
}

/// The file that imports the package, and hands the engine's functions to the host.
fn registering(package: &Package, init: Option<&str>) -> String {
    let Package { import, engine, .. } = package;
    let (alias, fill) = match init {
        Some(name) => ("subject", format!("\tfill = subject.{name}\n")),
        None => ("_", String::new()),
    };
    format!(
        "package main\n\nimport (\n\tengine {engine:?}\n\n\t{alias} {import:?}\n)\n\n\
         func init() {{\n\tregistered = engine.RegisteredResourcesNames\n{fill}\
         \tcreate = func(kind, name string) (interface{{}}, error) {{\n\
         \t\treturn engine.NewNamedResource(kind, name)\n\t}}\n}}\n"
    )
}

/// The virtual files, as `go build -overlay` reads them.
fn overlaid(
    package: &Package,
    cache: &Path,
    generated: &[(&str, PathBuf)],
    others: &[(PathBuf, PathBuf)],
) -> String {
    let folder = package.folder.join(FOLDER);
    let own = HOST
        .files
        .iter()
        .map(|(name, _)| (folder.join(name), cache.join(name)));
    let others = others
        .iter()
        .map(|(path, file)| (package.folder.join(path), file.clone()));
    let generated = generated
        .iter()
        .map(|(name, file)| (folder.join(name), file.clone()));
    let all = own.chain(generated).chain(others);
    let shown = |path: &Path| path.to_string_lossy().into_owned();
    let replaced: serde_json::Map<_, _> = all
        .map(|(virtual_one, real)| (shown(&virtual_one), json!(shown(&real))))
        .collect();
    json!({ "Replace": replaced }).to_string()
}

#[cfg(test)]
mod tests {
    use super::Progress;
    use std::cell::RefCell;

    #[test]
    fn a_build_of_many_packages_says_how_far_it_is() {
        let told = RefCell::new(Vec::new());
        let say = |what: &str| told.borrow_mut().push(what.to_owned());
        let built = |number: usize| {
            let mut progress = Progress {
                say: &say,
                built: 0,
                all: 90,
            };
            (0..number).for_each(|_| progress.built());
            told.take()
        };
        assert!(built(7).is_empty());
        assert_eq!(
            built(101),
            [
                "go builds up to 90 packages: the first time, this takes a minute or more",
                "go has built 50 of up to 90 packages",
                "go has built 100 of up to 100 packages",
            ]
        );
    }
}
