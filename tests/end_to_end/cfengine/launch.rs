//! The launchers in `ci/launch/`, run for real: GNU Parallel here and on stand-ins for other
//! machines, Slurm with all its daemons.

use crate::cli::Folder;
use crate::common::{Call, STICKLER, root};
use std::fs;
use std::net::{Ipv4Addr, TcpListener};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder with one of the shipped modules.
fn shipped(name: &str) -> Folder {
    let folder = Folder::empty();
    let from = root().join("fixtures/modules").join(name);
    for entry in fs::read_dir(from).expect("a module").flatten() {
        let name = entry.file_name();
        fs::copy(entry.path(), folder.path().join(name)).expect("copied");
    }
    folder
}

/// Runs a launcher in a folder.
fn launch(folder: &Path, launcher: &str, arguments: &[&str], env: &[(&str, &Path)]) -> Output {
    Call::of(root().join("ci/launch").join(launcher))
        .args(arguments)
        .envs(env.iter().copied())
        .env("STICKLER", STICKLER)
        .env("CI", "true")
        // As in services.
        .env_remove("SHELL")
        .env("NO_COLOR", "1")
        .current_dir(folder)
        .output()
        .expect("the launcher runs")
}

fn text(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8_lossy(&text).into_owned()
}

/// Both shards have run, what they have found is in one place, once, and the corpus is one that
/// runs again.
fn is_whole(folder: &Folder, exit: i32) {
    let summary = |part: &str| -> serde_json::Value {
        let text = folder.read(&format!("out/{part}/summary.json"));
        serde_json::from_str(&text).expect("JSON")
    };
    let mut known = std::collections::BTreeSet::new();
    for part in ["part-1", "part-2"] {
        let came = summary(part);
        assert_eq!(came["ended"], "limit", "{part}: {came}");
        assert!(came["cases"].as_u64() >= Some(20), "{part}: {came}");
        let findings = format!("out/{part}/findings");
        if folder.exists(&findings) {
            known.extend(folder.list(&findings));
        }
    }
    assert_eq!(summary("all")["exit"], exit);
    let merged = match known.is_empty() {
        true => Vec::new(),
        false => folder.list("out/all/findings"),
    };
    assert_eq!(merged, known.into_iter().collect::<Vec<_>>());
    assert!(folder.list("out/all/corpus").len() > 3);
    let again = folder.run(&["fuzz", "--replay-only", "--folder", "out/all"]);
    again.exits(exit).says("corpus");
    assert_eq!(summary("all")["event"], "merged", "a replay is no campaign");
}

const SHORT: [&str; 6] = ["--cases", "20", "--jobs", "1", "--coverage", "off"];

#[test]
fn parallel_runs_local_shards_and_merges_their_findings() {
    let folder = shipped("greeting_broken_py");
    let arguments = [&[":", "2", "out"][..], &SHORT].concat();
    let output = launch(folder.path(), "parallel", &arguments, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("1\tgreeting"), "{said}");
    assert!(said.contains("out/all/findings/"), "{said}");
    is_whole(&folder, 1);
    // The next campaign goes on from all that was found, and tells no defect as new.
    let output = launch(folder.path(), "parallel", &arguments, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("of the corpus"), "{said}");
    // A shard that cannot run is no success, and does not keep the others' findings back.
    let arguments = [&[":", "2", "other"][..], &["--promise-type", ""], &SHORT].concat();
    let output = launch(folder.path(), "parallel", &arguments, &[]);
    assert!(output.status.code() >= Some(1), "{}", text(&output));
    for (arguments, why) in [
        (&[":", "0", "out"][..], "SHARDS is a number"),
        (&[":", "2", "/out"], "OUT is a folder below"),
        (&["nowhere", "2", "out"], "nowhere: no such file"),
        (&[":"], "write HOSTS SHARDS OUT"),
    ] {
        let output = launch(folder.path(), "parallel", arguments, &[]);
        assert_eq!(output.status.code(), Some(2), "{}", text(&output));
        assert!(text(&output).contains(why), "{}", text(&output));
    }
}

/// A stand-in for ssh: the other machine is a home directory of its own.
const SSH: &str = r#"#!/bin/sh
while [ $# -gt 0 ]; do
    case $1 in -[olpSFi]) shift 2 ;; -*) shift ;; *) break ;; esac
done
echo "$1" >>"$HOSTS_SEEN"
home="$HOSTS_HOME/$1"
shift
[ "$1" != -- ] || shift
[ "$1" != exec ] || shift
mkdir -p "$home"
cd "$home"
HOME="$home" exec sh -c "$*"
"#;

#[test]
fn parallel_sends_the_module_to_other_machines_and_leaves_nothing_there() {
    let folder = shipped("greeting_py");
    let elsewhere = Folder::empty();
    let ssh = elsewhere.write("ssh", SSH);
    fs::set_permissions(&ssh, fs::Permissions::from_mode(0o755)).expect("a mode");
    folder.write("hosts", "# two machines\nnear\n\nfar\n");
    let seen = elsewhere.path().join("seen");
    let arguments = [&["hosts", "2", "out"][..], &SHORT].concat();
    let env = [
        ("PARALLEL_SSH", &*ssh),
        ("HOSTS_HOME", elsewhere.path()),
        ("HOSTS_SEEN", &*seen),
        ("PARALLEL_HOME", elsewhere.path()),
    ];
    let output = launch(folder.path(), "parallel", &arguments, &env);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    is_whole(&folder, 0);
    let seen = fs::read_to_string(&seen).expect("it was called");
    for host in ["near", "far"] {
        assert!(seen.lines().any(|line| line == host), "{seen}");
        let left = Command::new("find")
            .arg(elsewhere.path().join(host))
            .args(["-type", "f"])
            .output();
        let left = left.expect("find runs").stdout;
        assert_eq!(String::from_utf8_lossy(&left), "", "left on {host}");
    }
    folder.write("hosts", "near\n:\n");
    let output = launch(folder.path(), "parallel", &arguments, &env);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// Daemons of Slurm, which end with it.
struct Cluster {
    folder: Folder,
    daemons: Vec<(PathBuf, Child)>,
}

/// Ports that nobody uses now.
fn ports<const N: usize>() -> [u16; N] {
    let all = [(); N].map(|()| TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port"));
    all.map(|one| one.local_addr().expect("an address").port())
}

impl Cluster {
    /// A cluster of two machines, both of which are this one.
    fn start() -> Self {
        let folder = Folder::empty();
        let at = folder.path().display().to_string();
        let [control, one, two] = ports();
        fs::write(folder.path().join("key"), [7; 128]).expect("a key");
        for (name, mode) in [("key", 0o600), (".", 0o700)] {
            let path = folder.path().join(name);
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("a mode");
        }
        folder.write("state/empty", "");
        folder.write(
            "slurm.conf",
            &format!(
                "ClusterName=stickler\nSlurmctldHost=localhost(127.0.0.1)\nSlurmctldPort={control}\n\
                 AuthType=auth/munge\nAuthInfo=socket={at}/munge\nCredType=cred/munge\n\
                 SlurmUser=root\nSlurmdUser=root\nStateSaveLocation={at}/state\n\
                 SlurmdSpoolDir={at}/spool-%n\nSlurmctldPidFile={at}/control.pid\n\
                 SlurmdPidFile={at}/%n.pid\nProctrackType=proctrack/linuxproc\n\
                 TaskPlugin=task/none\nMpiDefault=none\nSelectType=select/cons_tres\n\
                 ReturnToService=2\n\
                 NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port={one} CPUs=1\n\
                 NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port={two} CPUs=1\n\
                 PartitionName=all Nodes=n1,n2 Default=YES State=UP\n"
            ),
        );
        let mut cluster = Cluster {
            folder,
            daemons: Vec::new(),
        };
        let option = |name: &str, file: &str| format!("--{name}={at}/{file}");
        cluster.daemon(
            "munged",
            &[
                "--foreground",
                "--force",
                &option("socket", "munge"),
                &option("key-file", "key"),
                &option("pid-file", "munge.pid"),
                &option("log-file", "munge.log"),
                &option("seed-file", "seed"),
            ],
        );
        cluster.wait("munge", || Path::new(&at).join("munge").exists());
        cluster.daemon("slurmctld", &["-D", "-c"]);
        cluster.daemon("slurmd", &["-D", "-N", "n1"]);
        cluster.daemon("slurmd", &["-D", "-N", "n2"]);
        let idle = || {
            let nodes = cluster
                .command("sinfo")
                .args(["-h", "-o", "%T %D"])
                .output();
            nodes.is_ok_and(|nodes| nodes.stdout == b"idle 2\n")
        };
        cluster.wait("two idle nodes", idle);
        cluster
    }

    fn conf(&self) -> PathBuf {
        self.folder.path().join("slurm.conf")
    }

    fn command(&self, program: &str) -> Command {
        // Debian has the daemons where users' PATH does not go.
        let sbin = Path::new("/usr/sbin").join(program);
        let mut command = match sbin.exists() {
            true => Command::new(sbin),
            false => Command::new(program),
        };
        command.env("SLURM_CONF", self.conf());
        command
    }

    fn daemon(&mut self, program: &str, arguments: &[&str]) {
        let log = format!("{program}-{}.out", self.daemons.len());
        let log = self.folder.path().join(log);
        let file = fs::File::create(&log).expect("a log");
        let child = self
            .command(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(file.try_clone().expect("a descriptor"))
            .stderr(file)
            .spawn();
        let child = child.unwrap_or_else(|error| {
            panic!("{program}: {error}; `ci/setup slurm` installs it");
        });
        self.daemons.push((log, child));
    }

    fn wait(&self, what: &str, is_there: impl Fn() -> bool) {
        let began = Instant::now();
        while !is_there() {
            if began.elapsed() > Duration::from_secs(30) {
                let logs = self.daemons.iter().map(|(log, _)| {
                    let text = fs::read_to_string(log).unwrap_or_default();
                    format!("{}:\n{text}\n", log.display())
                });
                panic!("no {what}\n{}", logs.collect::<String>());
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // The last first: what tells of an end still has somebody to tell.
        for (_, daemon) in self.daemons.iter_mut().rev() {
            let pid = i32::try_from(daemon.id()).ok();
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::TERM);
            }
            let began = Instant::now();
            while matches!(daemon.try_wait(), Ok(None)) && began.elapsed().as_secs() < 10 {
                std::thread::sleep(Duration::from_millis(50));
            }
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
    }
}

#[test]
#[ignore = "needs root and the daemons of Slurm; ci/launchers runs it"]
fn slurm_runs_a_job_array_and_merges_its_findings() {
    let cluster = Cluster::start();
    let conf = cluster.conf();
    let folder = shipped("greeting_broken_py");
    let arguments = [&["--wait", "2", "out"][..], &SHORT].concat();
    let output = launch(folder.path(), "slurm", &arguments, &[("SLURM_CONF", &conf)]);
    let said = text(&output);
    let merge = folder.read("out/merge.log");
    assert_eq!(output.status.code(), Some(1), "{said}\n{merge}");
    assert!(said.contains("2 shards, out/part-*.log"), "{said}");
    assert!(merge.contains("out/part-2: "), "{merge}");
    assert!(folder.read("out/part-1.log").contains("begins with"));
    is_whole(&folder, 1);
    // The next one goes on; a sound module ends well.
    let sound = shipped("greeting_py");
    for _ in 0..2 {
        let output = launch(sound.path(), "slurm", &arguments, &[("SLURM_CONF", &conf)]);
        let said = text(&output);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{said}\n{}",
            sound.read("out/merge.log")
        );
    }
    assert!(sound.read("out/part-1.log").contains("of the corpus"));
    is_whole(&sound, 0);
    // Shards that cannot run do not keep the merge from telling so.
    let arguments = ["--wait", "2", "none", "--no-such-option"];
    let output = launch(sound.path(), "slurm", &arguments, &[("SLURM_CONF", &conf)]);
    assert_eq!(output.status.code(), Some(4), "{}", text(&output));
    assert!(sound.read("none/merge.log").contains("has no summary.json"));
}
