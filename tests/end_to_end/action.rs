//! The GitHub action: `action.yml`, and `ci/action`, which does its work.

use crate::cli::Folder;
use crate::common::{Call, STICKLER, root};
use saphyr::{LoadableYamlNode, Yaml};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Output;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Writes a program.
fn program(folder: &Folder, name: &str, text: &str) -> String {
    let path = folder.write(name, text);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("a mode");
    path.display().to_string()
}

/// A stand-in for `stickler` that prints its arguments, writes a summary and exits as told.
fn stand_in(folder: &Folder) {
    let text = r#"#!/bin/sh
echo "called: $*"
for word in "$@"; do
    case $word in markdown=*) echo "summary of $*" >"${word#markdown=}" ;; esac
    case $word in broken.py) code=1 ;; none.py) code=4 ;; esac
done
exit ${code:-0}
"#;
    program(folder, "bin/stickler", text);
}

/// Runs a step of the action, as a runner does.
fn step(folder: &Folder, script: &Path, name: &str, inputs: &[(&str, &str)]) -> (i32, String) {
    let path = |name: &str| folder.path().join(name);
    let found = format!("{}:/usr/bin:/bin", path("bin").display());
    let output: Output = Call::of(script)
        .arg(name)
        .current_dir(folder.path())
        .env_clear()
        .env("PATH", found)
        .env("RUNNER_TEMP", path("temp"))
        .env("GITHUB_PATH", path("path"))
        .env("GITHUB_STEP_SUMMARY", path("summary"))
        .envs(inputs.iter().copied())
        .output()
        .expect("the step runs");
    let text = [output.stdout, output.stderr].concat();
    let text = String::from_utf8_lossy(&text).into_owned();
    (output.status.code().unwrap_or(-1), text)
}

fn check(folder: &Folder, inputs: &[(&str, &str)]) -> (i32, String) {
    step(folder, &root().join("ci/action"), "check", inputs)
}

#[test]
fn each_input_is_used_and_each_used_one_is_declared() {
    let text = read("action.yml");
    let all = Yaml::load_from_str(&text).expect("YAML");
    let action = all.first().expect("a document");
    assert_eq!(action["runs"]["using"].as_str(), Some("composite"));
    let inputs = action["inputs"].as_mapping().expect("inputs");
    let script = read("ci/action");
    for (name, input) in inputs {
        let name = name.as_str().expect("a name");
        assert!(input["description"].as_str().is_some(), "{name}");
        assert!(input["default"].as_str().is_some(), "{name}");
        let used = text.matches(&format!("inputs.{name}")).count();
        assert!(used > 0, "{name} is declared but not used");
    }
    for rest in text.split("inputs.").skip(1) {
        let name = rest.split(|c: char| !c.is_ascii_lowercase()).next();
        let name = name.unwrap_or_default();
        let declared = inputs.keys().any(|key| key.as_str() == Some(name));
        assert!(declared, "{name} is used but not declared");
    }
    for step in action["runs"]["steps"].as_sequence().expect("steps") {
        let run = step["run"].as_str().expect("a command");
        let name = run.rsplit(' ').next().expect("a step");
        assert!(script.contains(&format!("\n{name}() {{")), "{run}");
        let env = step.as_mapping_get("env").and_then(Yaml::as_mapping);
        for (variable, _) in env.into_iter().flatten() {
            let variable = variable.as_str().expect("a name");
            assert!(script.contains(&format!("${{{variable}:-")), "{variable}");
        }
    }
}

#[test]
fn shell_scripts_are_sound() {
    let mut scripts = Vec::new();
    for folder in ["ci", "ci/packages", "ci/launch"] {
        for entry in fs::read_dir(root().join(folder)).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_file() && path.extension().is_none() && !path.ends_with("Containerfile") {
                scripts.push(path);
            }
        }
    }
    scripts.push(root().join(".clusterfuzzlite/build.sh"));
    assert!(scripts.len() > 10);
    for script in &scripts {
        let parsed = Call::of("sh").arg("-n").arg(script).output();
        let parsed = parsed.expect("sh runs");
        assert!(parsed.status.success(), "{}: {parsed:?}", script.display());
    }
    // Parts of a script use its variables.
    let shellcheck = Call::of("shellcheck")
        .args(["--shell=sh", "--exclude=SC1091,SC2154"])
        .args(&scripts)
        .output()
        .expect("shellcheck runs; ci/setup installs it");
    let text = String::from_utf8_lossy(&shellcheck.stdout);
    assert!(shellcheck.status.success(), "{text}");
}

#[test]
fn a_check_passes_its_inputs_on() {
    let folder = Folder::empty();
    stand_in(&folder);
    folder.write("one/stickler.toml", "");
    folder.write("summary", "before\n");
    let (code, text) = check(
        &folder,
        &[
            ("INPUT_MODULES", "one"),
            ("INPUT_ARGS", "--strict  --ignore *"),
            ("INPUT_FORMAT", "github"),
            ("INPUT_REPORT", "report"),
            ("INPUT_SUMMARY", "true"),
        ],
    );
    assert_eq!(code, 0, "{text}");
    assert!(
        text.contains("called: check --format github --config one/stickler.toml"),
        "{text}"
    );
    assert!(
        text.contains("--report report --strict --ignore *\n"),
        "{text}"
    );
    let summary = folder.read("summary");
    assert!(summary.starts_with("before\nsummary of check"), "{summary}");
}

#[test]
fn several_modules_are_all_checked_and_the_worst_decides() {
    let folder = Folder::empty();
    stand_in(&folder);
    for name in ["sound.py", "broken.py", "last one.py"] {
        folder.write(name, "");
    }
    let modules = "sound.py\n\nbroken.py\nlast one.py\n";
    let (code, text) = check(
        &folder,
        &[("INPUT_MODULES", modules), ("INPUT_REPORT", "r")],
    );
    assert_eq!(code, 1, "{text}");
    for call in [
        "sound.py --report r/1",
        "broken.py --report r/2",
        "last one.py --report r/3",
    ] {
        let call = format!("called: check --format github {call}\n");
        assert!(text.contains(&call), "{text}");
    }
    folder.write("none.py", "");
    let (code, _) = check(&folder, &[("INPUT_MODULES", "broken.py\nnone.py")]);
    assert_eq!(code, 4);
    let (code, text) = check(&folder, &[("INPUT_MODULES", "missing.py")]);
    assert_eq!(code, 2);
    assert!(
        text.contains("::error::Stickler: modules: missing.py does not exist"),
        "{text}"
    );
}

#[test]
fn the_action_checks_a_real_module() {
    let folder = Folder::noisy();
    let given = [("INPUT_PATH", STICKLER)];
    let (code, text) = step(&folder, &root().join("ci/action"), "install", &given);
    assert_eq!(code, 0, "{text}");
    let path = folder.read("path");
    let found = format!("{}:/usr/bin:/bin", path.trim_end());
    let inputs = [
        ("INPUT_ARGS", "--quick --select PM203"),
        ("INPUT_FORMAT", "github"),
        ("PATH", &found),
    ];
    let (code, text) = check(&folder, &inputs);
    assert_eq!(code, 1, "{text}");
    assert!(text.contains("::error "), "{text}");
}

/// A release in a folder, and the action beside a manifest that names it.
fn released(folder: &Folder, binary: &str) -> std::path::PathBuf {
    let version = env!("CARGO_PKG_VERSION");
    let name = format!("stickler-{version}-{}-linux", std::env::consts::ARCH);
    program(folder, &format!("stage/{name}/bin/stickler"), binary);
    let releases = format!("releases/download/v{version}");
    fs::create_dir_all(folder.path().join(&releases)).expect("a folder");
    let pack = format!(
        "tar -C stage -czf {releases}/{name}.tar.gz {name} && cd {releases} && sha256sum * >SHA256SUMS"
    );
    let packed = Call::of("sh")
        .args(["-c", &pack])
        .current_dir(folder.path())
        .status();
    assert!(packed.expect("it is packed").success());
    let manifest = read("Cargo.toml").replace(
        env!("CARGO_PKG_REPOSITORY"),
        &format!("file://{}", folder.path().display()),
    );
    folder.write("action/Cargo.toml", &manifest);
    program(folder, "action/ci/action", &read("ci/action"));
    folder.path().join("action/ci/action")
}

#[test]
fn a_release_is_downloaded_and_compared_with_its_checksum() {
    let folder = Folder::empty();
    let action = released(&folder, "#!/bin/sh\necho released\n");
    let (code, text) = step(&folder, &action, "install", &[]);
    assert_eq!((code, text.as_str()), (0, "released\n"));
    assert!(folder.path().join("temp/stickler/stickler").exists());

    let (code, text) = step(&folder, &action, "install", &[("INPUT_VERSION", "v9.9.9")]);
    assert_eq!(code, 2);
    assert!(text.contains("cannot be downloaded"), "{text}");

    let releases = format!("releases/download/v{}", env!("CARGO_PKG_VERSION"));
    let sums = folder.read(&format!("{releases}/SHA256SUMS"));
    folder.write(
        &format!("{releases}/SHA256SUMS"),
        &sums.replace(&sums[..8], "00000000"),
    );
    let (code, text) = step(&folder, &action, "install", &[]);
    assert_eq!(code, 2, "{text}");
    assert!(text.contains("differs from its checksum"), "{text}");
}
