//! The component for GitLab, `templates/stickler.yml`: its script runs here as a runner would run it.

use crate::cli::{Folder, Output, finish};
use crate::common::{Call, STICKLER, root};
use saphyr::{LoadableYamlNode, Yaml};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

const TEMPLATE: &str = "templates/stickler.yml";

fn text() -> String {
    fs::read_to_string(root().join(TEMPLATE)).expect("a template")
}

#[test]
fn each_input_is_used_and_each_used_one_is_declared() {
    let text = text();
    let all = Yaml::load_from_str(&text).expect("YAML");
    let inputs = all[0]["spec"]["inputs"].as_mapping().expect("inputs");
    for (name, input) in inputs {
        let name = name.as_str().expect("a name");
        assert!(input["description"].as_str().is_some(), "{name}");
        assert!(input.as_mapping_get("default").is_some(), "{name}");
        let used = text.contains(&format!("$[[ inputs.{name} ]]"));
        assert!(used, "{name} is declared but not used");
    }
    let used = text.matches("$[[ inputs.").count();
    assert_eq!(used, inputs.len(), "an input is used but not declared");
    let version = all[0]["spec"]["inputs"]["version"]["default"].as_str();
    assert_eq!(version, Some(env!("CARGO_PKG_VERSION")));
    let releases = all[0]["spec"]["inputs"]["releases"]["default"].as_str();
    let own = concat!(env!("CARGO_PKG_REPOSITORY"), "/releases/download");
    assert_eq!(releases, Some(own));
}

/// Runs the job's script with values for inputs; `path` comes first in PATH.
fn job(folder: &Folder, path: &str, modules: &str, args: &str, releases: &str) -> Output {
    let text = text();
    let all = Yaml::load_from_str(&text).expect("YAML");
    let script = all[1]["stickler"]["script"][0].as_str().expect("a script");
    finish(
        Call::of("sh")
            .args(["-c", script])
            .env("PATH", format!("{path}:/usr/bin:/bin"))
            .env("STICKLER_MODULES", modules)
            .env("STICKLER_ARGS", args)
            .env("STICKLER_VERSION", env!("CARGO_PKG_VERSION"))
            .env("STICKLER_RELEASES", releases)
            .current_dir(folder.path()),
    )
}

#[test]
fn the_job_checks_each_module_and_ends_with_the_highest_code() {
    let folder = Folder::sound();
    folder.write("broken/message.py", &Folder::noisy().read("message.py"));
    folder.write("broken/stickler.toml", &folder.read("stickler.toml"));
    fs::create_dir(folder.path().join("bin")).expect("a folder");
    symlink(STICKLER, folder.path().join("bin/stickler")).expect("a link");
    let bin = folder.path().join("bin").display().to_string();
    let modules = "stickler.toml broken";
    job(&folder, &bin, modules, "--quick --select PM203", "").exits(1);
    for file in ["1.xml", "1/index.html", "2.xml", "2/index.html"] {
        assert!(folder.exists(&format!("stickler-report/{file}")), "{file}");
    }
    assert!(folder.read("stickler-report/2.xml").contains("PM203"));
}

#[test]
fn the_job_downloads_a_release_and_compares_its_checksum() {
    let folder = Folder::sound();
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("stickler-{version}-{}-linux", std::env::consts::ARCH);
    let program = folder.write(
        &format!("{name}/bin/stickler"),
        "#!/bin/sh\necho called: \"$@\"\n",
    );
    fs::set_permissions(program, fs::Permissions::from_mode(0o755)).expect("a mode");
    let pack = format!(
        "mkdir v{version} && tar -czf v{version}/{name}.tar.gz {name} && rm -r {name} && cd v{version} && \
         sha256sum {name}.tar.gz >SHA256SUMS"
    );
    finish(
        Call::of("sh")
            .args(["-c", &pack])
            .current_dir(folder.path()),
    )
    .exits(0);
    let releases = format!("file://{}", folder.path().display());
    job(&folder, "", "stickler.toml", "--strict", &releases)
        .exits(0)
        .says("called: check --config stickler.toml")
        .says("--strict\n");
    folder.write(
        &format!("v{version}/SHA256SUMS"),
        &format!("{:064}  {name}.tar.gz\n", 0),
    );
    let done = job(&folder, "", "stickler.toml", "", &releases);
    done.exits(1).says("FAILED").says_not("called:");
}
