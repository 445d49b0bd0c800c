//! The reference agent against the real cf-agent 3.21.0, on hand-written policies, in seven modes
//! and more each. Compares the output, the requests to modules, the files at the end, and the exit
//! code. What cf-agent did is recorded, and it runs again when the sources change. Needs cf-agent
//! (Debian package `cfengine3`; `ci/setup` installs it).

use crate::calls::is_nightly;
use crate::common::{Call, STICKLER, side_by_side};
use crate::recorded::{Recording, is_asked};
use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use tempfile::TempDir;

const MODES: [&[&str]; 7] = [
    &[],
    &["-I"],
    &["-v"],
    &["-n", "-I"],
    &["--simulate=diff", "-I"],
    &["--log-level=error"],
    &[
        "--show-evaluated-vars=^default:main[.]",
        "--show-evaluated-classes=_kept$",
    ],
];

/// Where the agents may differ, and why.
const DIFFERENCES: [(&str, &str); 11] = [
    (
        "body_missing.cf",
        "a policy that is rejected makes cf-agent run its failsafe policy",
    ),
    (
        "contains_itself.cf",
        "a policy that is rejected makes cf-agent run its failsafe policy",
    ),
    (
        "entry.cf -v",
        "the name of the folder is cut off within a promiser",
    ),
    ("extraction.cf -v", "why a text is no JSON"),
    (
        "bundlesequence_missing.cf",
        "a policy that is rejected makes cf-agent run its failsafe policy",
    ),
    (
        "files_children_copied.cf -v",
        "a directory's entries for itself and its parent are told of",
    ),
    (
        "files_children_copied.cf --simulate=manifest-full -v",
        "a directory's entries for itself and its parent are told of",
    ),
    (
        "files_links.cf --simulate=manifest-full -v",
        "a path is copied over itself in memory",
    ),
    (
        "files_found.cf --show",
        "a field of CSV with a blank behind its quotes ends in what is in memory",
    ),
    ("foreign_class.cf --show", "classes of network interfaces"),
    ("unlocked.cf --show", "a command prints the time"),
];

struct Seen {
    output: String,
    files: String,
    requests: String,
    code: Option<i32>,
}

impl Seen {
    fn text(&self) -> String {
        let Self {
            output,
            files,
            requests,
            code,
        } = self;
        format!("{output}\n\n{files}\n\n{requests}\n\n{code:?}")
    }
}

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/policies")
}

/// A folder whose name has only small letters. cf-agent converts the path of one of its files to
/// small letters, so that otherwise an error would depend on the name.
fn folder() -> TempDir {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let name = format!(
        "differential-{}-{}",
        std::process::id(),
        MADE.fetch_add(1, Relaxed)
    );
    let folder = tempfile::Builder::new()
        .prefix(&name)
        .rand_bytes(0)
        .tempdir();
    folder.expect("a folder")
}

/// Creates a work directory as cf-agent requires it, and a separate folder with the policy.
fn prepare(root: &Path, policy: &Path) {
    let work = root.join("work");
    for name in ["inputs", "ppkeys", "modules", "state", "bin"] {
        fs::create_dir_all(work.join(name)).expect("a folder");
    }
    for folder in ["", "ppkeys"] {
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(work.join(folder), private).expect("permissions");
    }
    symlink("/usr/bin/cf-promises", work.join("bin/cf-promises")).expect("a link");
    let text = fs::read_to_string(policy).expect("a policy");
    let module = |name: &str| fixtures().join(name).display().to_string();
    let text = text.replace("@PATH@", &module("rec.py"));
    let text = text.replace("@LINE@", &module("line.sh"));
    fs::create_dir(root.join("files")).expect("a folder");
    let text = text.replace("@ROOT@", &root.join("files").display().to_string());
    let path = root.join("policy/p.cf");
    fs::create_dir_all(root.join("policy")).expect("a folder");
    fs::write(&path, text).expect("a policy");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).expect("permissions");
    // Files that belong beside the policy.
    for beside in fs::read_dir(policy.with_extension("d"))
        .into_iter()
        .flatten()
    {
        let beside = beside.expect("a file");
        let copy = root.join("policy").join(beside.file_name());
        fs::copy(beside.path(), &copy).expect("a copy");
        fs::set_permissions(&copy, fs::Permissions::from_mode(0o600)).expect("permissions");
    }
}

fn run_once(program: &str, arguments: &[&str], policy: &Path, mode: &[&str]) -> Seen {
    let root = folder();
    prepare(root.path(), policy);
    run_in(root.path(), program, arguments, &[&["-K"], mode].concat())
}

/// The second of two runs in one work directory, both without `-K`.
fn run_again(program: &str, arguments: &[&str], policy: &Path, mode: &[&str]) -> Seen {
    let root = folder();
    prepare(root.path(), policy);
    run_in(root.path(), program, arguments, &[]);
    // Policies without modules leave no record.
    let _ = fs::remove_file(root.path().join("record"));
    run_in(root.path(), program, arguments, mode)
}

fn command(root: &Path, program: &str, arguments: &[&str], mode: &[&str]) -> Output {
    Call::of(program)
        .args(arguments)
        .args(["-f", "./p.cf"])
        .args(mode)
        .current_dir(root.join("policy"))
        .env_clear()
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .env("HOME", root)
        .env("LANG", "C.UTF-8")
        .env("STICKLER_RECORD", root.join("record"))
        .env("CFENGINE_TEST_OVERRIDE_WORKDIR", root.join("work"))
        .output()
        .unwrap_or_else(|error| panic!("{program}: {error}; ci/setup installs it"))
}

fn run_in(root: &Path, program: &str, arguments: &[&str], mode: &[&str]) -> Seen {
    let record = root.join("record");
    let output = command(root, program, arguments, mode);
    let mut files = Vec::new();
    describe(&root.join("files"), &mut files);
    let root = root.display().to_string();
    let canonical = root.replace(|c: char| !c.is_ascii_alphanumeric(), "_");
    let clean = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let text = text.replace(&root, "").replace(&canonical, "");
        text.replace(&root.to_ascii_lowercase(), "")
    };
    Seen {
        output: from_evaluation(&clean(&output.stdout)),
        files: clean(files.join("\n").as_bytes()),
        requests: clean(&fs::read(&record).unwrap_or_default()),
        code: output.status.code(),
    }
}

/// What a run left behind: the path, mode, owner, link target and content of each file.
fn describe(folder: &Path, out: &mut Vec<String>) {
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    for path in paths {
        let meta = fs::symlink_metadata(&path).expect("a file");
        let what = if meta.is_symlink() {
            format!("-> {}", fs::read_link(&path).expect("a link").display())
        } else if meta.is_file() {
            format!(
                "{:?}",
                String::from_utf8_lossy(&fs::read(&path).expect("content"))
            )
        } else {
            String::new()
        };
        out.push(format!(
            "{} {:o} {}:{} {what}",
            path.display(),
            meta.mode(),
            meta.uid(),
            meta.gid()
        ));
        if meta.is_dir() {
            describe(&path, out);
        }
    }
}

/// The verbose output from the start of evaluation. What comes before describes the host. If a run
/// ends earlier, only its less verbose messages.
fn from_evaluation(output: &str) -> String {
    let start = output.find(" verbose:  Begin policy/promise evaluation");
    let own = [
        "verbose: Waiting for background processes",
        "verbose: No more background processes to wait for",
        "verbose: Looking for stale locks to purge",
        "verbose: No lock purging scheduled",
        "verbose: Logging total compliance",
        "verbose: Outcome of version",
    ];
    let lines = output[start.unwrap_or(0)..].lines();
    let early = |line: &str| start.is_none() && line.starts_with(" verbose:");
    let kept = lines.filter(|line| !early(line) && !own.iter().any(|own| line.contains(own)));
    kept.map(without_number).collect::<Vec<_>>().join("\n")
}

/// Removes parts of a line that differ legitimately: the process id of a simulation or of a killed
/// process, the times of a file, and the length of a link to a copy.
fn without_number(line: &str) -> String {
    if let Some((before, behind)) = line.split_once("verbose: Child PID ") {
        return format!("{before}{}", behind.trim_start_matches(char::is_numeric));
    }
    for times in ["Access: 2", "Modify: 2", "Change: 2", "Size: "] {
        if line.starts_with(times) {
            return times.into();
        }
    }
    let mut parts = line.split("state");
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let number = part.get(1..).unwrap_or_default();
        let behind = number.trim_start_matches(char::is_numeric);
        let copies = behind.len() < number.len()
            && (behind.starts_with(".changes") || behind.starts_with("_changes"));
        out.extend(["state", if copies { behind } else { part }]);
    }
    out
}

/// The reference agent refuses policies whose paths lead above the copies of a simulation.
fn is_refused(policy: &Path, mode: &[&str]) -> bool {
    let leads_above = ["files_links_children.cf", "files_over_directories.cf"];
    let name = policy.file_name().unwrap_or_default();
    mode.first()
        .is_some_and(|first| first.starts_with("--simulate"))
        && leads_above.iter().any(|known| *known == name)
}

/// A simulation has one more mode for files.
fn modes_of(policy: &Path) -> Vec<&'static [&'static str]> {
    let mut modes = MODES.to_vec();
    let name = policy.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with("files") {
        modes.push(&["--simulate=manifest-full", "-v"]);
    }
    modes
}

fn first_difference(ours: &str, theirs: &str) -> String {
    let mut lines = ours.lines().zip(theirs.lines());
    match lines.find(|(ours, theirs)| ours != theirs) {
        Some((ours, theirs)) => format!("    cf-agent: {theirs}\n    stickler: {ours}"),
        None => format!(
            "    cf-agent: {} lines\n    stickler: {} lines",
            theirs.lines().count(),
            ours.lines().count()
        ),
    }
}

type Run = fn(&str, &[&str], &Path, &[&str]) -> Seen;

/// The difference, if it appears three times: cf-agent has races of its own. None if the reference
/// agent does what both did when it was recorded.
fn difference(recording: &Recording, run: Run, policy: &Path, mode: &[&str]) -> Option<String> {
    let name = policy.file_name().unwrap_or_default().to_string_lossy();
    let case = format!("{name} {}", mode.join(" "));
    let ours = || run(STICKLER, &["agent", "--compat", "3.21.0"], policy, mode);
    if recording.says(&case, &ours().text()) {
        return None;
    }
    let mut difference = None;
    for _ in 0..3 {
        let theirs = run("cf-agent", &["--color=never"], policy, mode);
        let ours = ours();
        difference = compare(&ours, &theirs);
        if difference.is_none() {
            recording.note(&case, &ours.text());
            break;
        }
    }
    difference
}

fn compare(ours: &Seen, theirs: &Seen) -> Option<String> {
    let parts = [
        (&ours.output, &theirs.output),
        (&ours.files, &theirs.files),
        (&ours.requests, &theirs.requests),
    ];
    if let Some((ours, theirs)) = parts.iter().find(|(ours, theirs)| ours != theirs) {
        return Some(first_difference(ours, theirs));
    }
    (ours.code != theirs.code).then(|| format!("    exit codes {:?}, {:?}", theirs.code, ours.code))
}

fn policies_in(folder: &Path) -> Vec<PathBuf> {
    let policies = fs::read_dir(folder).expect("policies").flatten();
    let policies = policies.map(|entry| entry.path());
    let mut policies: Vec<_> = policies
        .filter(|path| path.extension().is_some_and(|ext| ext == "cf"))
        .collect();
    policies.sort();
    policies
}

#[test]
fn both_agents_remember_the_same_of_earlier_runs() {
    let recording = Recording::of("again");
    let policies = policies_in(&fixtures().join("again"));
    assert!(policies.len() >= 3, "{} policies", policies.len());
    let mut differences = Vec::new();
    for policy in &policies {
        for mode in [&[][..], &["-I"], &["-v"], &["-K"], &["-n", "-I"]] {
            if let Some(difference) = difference(&recording, run_again, policy, mode) {
                let name = policy.display();
                differences.push(format!("{name} {}\n{difference}", mode.join(" ")));
            }
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
    recording.write();
}

/// A run with its lines sorted, because messages from the background come in any order.
fn run_unordered(program: &str, arguments: &[&str], policy: &Path, mode: &[&str]) -> Seen {
    let mut seen = run_once(program, arguments, policy, mode);
    let numbered = [
        "verbose: Background process",
        "verbose: Time out of process",
    ];
    let lines = seen.output.lines();
    let mut lines: Vec<_> = lines
        .filter(|line| !numbered.iter().any(|part| line.contains(part)))
        .collect();
    lines.sort_unstable();
    seen.output = lines.join("\n");
    seen
}

#[test]
fn both_agents_see_to_the_same_in_the_background() {
    let recording = Recording::of("background");
    let policies = policies_in(&fixtures().join("background"));
    assert!(policies.len() >= 3, "{} policies", policies.len());
    let mut differences = Vec::new();
    for policy in &policies {
        for mode in [
            &["-I"][..],
            &["-v"],
            &["-n", "-I"],
            &["--simulate=manifest-full", "-I"],
        ] {
            if let Some(difference) = difference(&recording, run_unordered, policy, mode) {
                let name = policy.display();
                differences.push(format!("{name} {}\n{difference}", mode.join(" ")));
            }
        }
    }
    assert!(differences.is_empty(), "\n{}", differences.join("\n"));
    recording.write();
}

/// The messages about settings before bundles run.
fn settings(program: &str, arguments: &[&str]) -> Vec<String> {
    let root = folder();
    prepare(root.path(), &fixtures().join("settings.cf"));
    let output = command(root.path(), program, arguments, &["-K", "-v"]);
    let output = String::from_utf8_lossy(&output.stdout).into_owned();
    let output = output.replace(&root.path().display().to_string(), "");
    let lines = output.split(" Begin policy").next().unwrap_or_default();
    let said = [
        "Setting ",
        "SET ",
        "... ",
        "__main__",
        "suspicious",
        "sets new",
    ];
    let lines = lines.lines().filter(|l| said.iter().any(|s| l.contains(s)));
    let other = |line: &&str| !line.ends_with("...") || line.contains("Setting");
    lines.filter(other).map(str::to_owned).collect()
}

#[test]
fn both_agents_report_the_same_settings() {
    let theirs = settings("cf-agent", &["--color=never"]);
    let ours = settings(STICKLER, &["agent", "--compat", "3.21.0"]);
    assert!(theirs.len() > 20, "{theirs:?}");
    assert_eq!(ours, theirs);
}

/// Of the modes of a policy, a push tries one in so many; a nightly run tries all.
const PART: usize = 3;
/// The same if both agents are the ones that were recorded: then they do the same again.
const SAMPLE: usize = 40;

#[test]
fn both_agents_agree_on_every_policy() {
    let recording = Recording::of("policies");
    let policies = policies_in(&fixtures());
    assert!(policies.len() >= 80, "{} policies", policies.len());
    let part = match is_nightly() || is_asked() {
        true => 1,
        false if recording.holds() => SAMPLE,
        false => PART,
    };
    let cases: Vec<_> = policies
        .iter()
        .enumerate()
        .flat_map(|(number, policy)| {
            let modes = modes_of(policy).into_iter();
            let modes = modes.skip(number % part).step_by(part);
            modes.map(move |mode| (policy, mode))
        })
        .filter(|(policy, mode)| !is_refused(policy, mode))
        .collect();
    let found = side_by_side(&cases, |(policy, mode)| {
        let difference = difference(&recording, run_once, policy, mode)?;
        let name = policy.file_name().unwrap_or_default().to_string_lossy();
        Some((format!("{name} {}", mode.join(" ")), difference))
    });
    let found: BTreeMap<String, String> = found.into_iter().flatten().collect();
    let unexplained: Vec<String> = found
        .iter()
        .filter(|(name, _)| !DIFFERENCES.iter().any(|(known, _)| name.starts_with(known)))
        .map(|(name, difference)| format!("{name}\n{difference}"))
        .collect();
    assert!(unexplained.is_empty(), "\n{}", unexplained.join("\n"));
    recording.write();
}
