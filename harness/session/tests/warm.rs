//! A copy of a warm interpreter is what a fresh process is.

use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::path::Path;

use stickler_session::sandbox::{
    Announced, ChildId, Command, ExitStatus, Host, HostOptions, Sandbox, Spec, Tier,
};

/// What a script can see of its process. What differs from process to process is left out.
const TELL: &str = r#"
import json
import os
import re
import resource
import signal
import stat
import sys
import threading
import time

lines = sys.stdin.read()
status = open("/proc/self/status").read()
told = {
    "input": lines,
    "argv": [sys.argv, sys.orig_argv, sys.executable, sys.prefix, list(sys.flags)],
    "path": sys.path,
    "main": sorted((key, re.sub(" at 0x[0-9a-f]+", "", repr(value))) for key, value in globals().items() if key not in ("lines", "status", "told")),
    "modules": sorted(sys.modules),
    "env": [dict(os.environ), open("/proc/self/environ").read()],
    "command line": [open("/proc/self/cmdline").read(), open("/proc/self/comm").read(), os.readlink("/proc/self/exe")],
    "place": [os.getcwd(), os.readlink("/proc/self/root")],
    "descriptors": sorted(os.listdir("/proc/self/fd")),
    "kinds": [stat.S_IFMT(os.fstat(fd).st_mode) for fd in (0, 1, 2)],
    "parent": [os.getppid(), os.getsid(0) == os.getpid(), os.getpgrp() == os.getpid()],
    "terminal": open("/proc/self/stat").read().rsplit(")", 1)[1].split()[4],
    "namespaces": {name: os.readlink("/proc/self/ns/" + name) == os.readlink("/proc/1/ns/" + name)
                   for name in os.listdir("/proc/self/ns")} if os.access("/proc/1/ns/mnt", os.R_OK) else None,
    "status": [line for line in status.splitlines()
               if re.match("Uid|Gid|Groups|Sig[BIC]|Shd|Cap|NoNewPrivs|Seccomp|Threads|Cpus_allowed_list|Umask|NSpid", line)
               and not line.startswith(("NSpid", "SigQ"))],
    "limits": [resource.getrlimit(getattr(resource, name))
               for name in dir(resource) if name.startswith("RLIMIT") and name != "RLIMIT_LOCKS"],
    "streams": [[repr(one), one.encoding, one.errors, one.line_buffering, one.write_through, one.newlines, getattr(one.buffer, "raw", one.buffer).closefd,
                 getattr(one.buffer, "raw", one.buffer).seekable(), one.isatty(), one.name, one.mode]
                for one in (sys.stdin, sys.stdout, sys.stderr)],
    "signals": [repr(signal.getsignal(number)) for number in range(1, 32)],
    "threads": [threading.active_count(), threading.current_thread().name, len(os.listdir("/proc/self/task"))],
    "time": [time.tzname, time.process_time() < 5],
    "kin": sorted(name for name in os.listdir("/proc") if name.isdigit() and name not in ("1", str(os.getpid()))),
    "mask": os.umask(0),
    "cpus": sorted(os.sched_getaffinity(0)),
    "nice": os.nice(0),
    "frame": sys._getframe().f_back is None,
}
print(json.dumps(told, sort_keys=True, indent=1))
print("to the other", file=sys.stderr)
sys.exit(3)
"#;

fn host() -> Option<Host> {
    let host = Host::probe(None, HostOptions::default()).expect("some tier works everywhere");
    // Elsewhere all processes start as usual.
    (host.tier() == Tier::Overlay
        && rustix::process::geteuid().is_root()
        && Path::new("/usr/bin/python3").exists())
    .then_some(host)
}

/// What a process printed on its two outputs, how it ended, and whether its calls were announced.
type Seen = (String, String, ExitStatus, bool);

fn start(host: &Host, command: &Command) -> Sandbox {
    let spec = Spec {
        commands: vec![command.clone()],
        ..Spec::default()
    };
    Sandbox::start(host, &spec).expect("it starts")
}

fn run_in(sandbox: &mut Sandbox, input: &str, announced: Announced) -> Seen {
    let (stdin, mut to) = std::io::pipe().expect("a pipe");
    let (mut out, stdout) = std::io::pipe().expect("a pipe");
    let (mut err, stderr) = std::io::pipe().expect("a pipe");
    let ends = [stdin.into(), stdout.into(), stderr.into()].map(|end: OwnedFd| end);
    let [stdin, stdout, stderr] = ends;
    let (child, watch) = sandbox
        .spawn_watched(0, announced, stdin, stdout, stderr)
        .expect("it runs");
    let is_watched = watch.map(drop).is_some();
    // One that reads nothing may have ended.
    let _ = to.write_all(input.as_bytes());
    drop(to);
    let mut texts = [String::new(), String::new()];
    out.read_to_string(&mut texts[0]).expect("text");
    err.read_to_string(&mut texts[1]).expect("text");
    let exit = exit_of(sandbox, child.id);
    let [out, err] = texts;
    (out, err, exit, is_watched)
}

fn exit_of(sandbox: &mut Sandbox, child: ChildId) -> ExitStatus {
    loop {
        if let Some((id, exit, usage)) = sandbox.next_exit() {
            assert_eq!(id, child);
            assert!(usage.user_us + usage.system_us > 0);
            return exit;
        }
        assert!(!sandbox.is_gone());
        let mut fds = [rustix::event::PollFd::from_borrowed_fd(
            sandbox.control_fd(),
            rustix::event::PollFlags::IN,
        )];
        rustix::event::poll(&mut fds, None).expect("poll");
    }
}

/// A command that runs this text as a script.
fn command(folder: &Path, text: &str) -> Command {
    let script = folder.join("script.py");
    std::fs::write(&script, text).expect("it can be written");
    let mut command = Command::new([
        Path::new("/usr/bin/python3").as_os_str(),
        script.as_os_str(),
    ]);
    command.env = vec![
        ("PATH".into(), "/usr/bin:/bin".into()),
        ("HOME".into(), "/tmp/stickler/home".into()),
        ("LANG".into(), "C.UTF-8".into()),
        ("PYTHONHASHSEED".into(), "0".into()),
    ];
    command.cwd = "/tmp/stickler/dir".into();
    command
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in("/var/tmp").expect("a folder")
}

/// How many processes of a warm command run before those that are copies.
const USUAL: usize = 3;

fn warm(host: &Host, command: &Command, input: &str, announced: Announced) -> Seen {
    let warm = Command {
        warm: true,
        ..command.clone()
    };
    for _ in 0..USUAL {
        start(host, &warm);
    }
    let seen = run_in(&mut start(host, &warm), input, announced);
    assert_eq!(host.warm_starts(), 1, "it is no copy");
    seen
}

/// Changes the usual command.
type Change = fn(&mut Command);

#[test]
fn a_copy_sees_what_a_fresh_process_sees() {
    let variants: [(&str, Change); 7] = [
        ("plain", |_| {}),
        ("unprivileged", |command| command.unprivileged = true),
        ("umask and folder", |command| {
            command.umask = 0o077;
            command.cwd = "/".into();
        }),
        ("one CPU", |command| command.cpu = Some(0)),
        ("ASCII", |command| {
            command.env.retain(|(key, _)| key != "LANG");
            for (key, value) in [
                ("LC_ALL", "C"),
                ("PYTHONUTF8", "0"),
                ("PYTHONCOERCECLOCALE", "0"),
            ] {
                command.env.push((key.into(), value.into()));
            }
        }),
        ("a zone", |command| {
            command.env.push(("TZ".into(), "Asia/Tokyo".into()));
        }),
        ("options", |command| command.argv.insert(1, "-OBu".into())),
    ];
    let folder = folder();
    for (name, change) in variants {
        let Some(host) = host() else {
            return;
        };
        let mut command = command(folder.path(), TELL);
        change(&mut command);
        let input = "line\nother\n";
        let cold = run_in(&mut start(&host, &command), input, Announced::Nothing);
        assert_eq!(cold.2, ExitStatus::Code(3), "{name}: {}", cold.1);
        let warm = warm(&host, &command, input, Announced::Nothing);
        let lines = |seen: &Seen| seen.0.lines().map(str::to_owned).collect::<Vec<_>>();
        let pairs = lines(&warm).into_iter().zip(lines(&cold));
        let others: Vec<_> = pairs.filter(|(warm, cold)| warm != cold).collect();
        assert_eq!(warm, cold, "{name}: {others:#?}");
    }
}

#[test]
fn calls_of_a_copy_are_announced() {
    let Some(host) = host() else {
        return;
    };
    let folder = folder();
    // Nobody answers, so what changes a file fails.
    let script =
        "import os\ntry:\n    os.mkdir('x')\nexcept OSError as error:\n    print(error.errno)\n";
    let command = command(folder.path(), script);
    for announced in [Announced::Changes, Announced::Touches] {
        let cold = run_in(&mut start(&host, &command), "", announced);
        assert!(cold.3, "{cold:?}");
        let host = self::host().unwrap_or_else(|| host.clone());
        assert_eq!(warm(&host, &command, "", announced), cold);
    }
}

#[test]
fn a_copy_ends_as_a_fresh_process_does() {
    let scripts = [
        "import json\njson.loads('{')\n",
        "import os\nos._exit(7)\n",
        "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
        "import atexit\natexit.register(print, 'late')\nprint('early')\nraise SystemExit('why')\n",
        "import subprocess\nprint(subprocess.run(['sh', '-c', 'id; cat /proc/self/status | grep Cap'], \
         stdout=subprocess.PIPE).stdout)\n",
        "import os\npid = os.fork()\nprint(os.waitpid(pid, 0)[1] if pid else 'child', flush=True)\n",
        "print(1\n",
        "import threading\nthreading.Thread(target=print, args=('beside',)).start()\n",
        "import ctypes, socket, struct, array\nprint(ctypes.CDLL(None).getppid(), struct.pack('i', 1), socket.AF_UNIX)\n",
        "def later():\n    import ctypes\n    import array\n    return ctypes.c_int(array.array('i', [3])[0]).value\nprint(later())\n",
        "import sys\nprint(sys.stdin.buffer.raw.read(2), sys.stdin.read())\n",
        "import os\ntry:\n    os.mount\nexcept AttributeError:\n    print(os.system('mount -t tmpfs x /mnt 2>/dev/null') != 0)\n",
    ];
    let folder = folder();
    for script in scripts {
        let Some(host) = host() else {
            return;
        };
        let command = command(folder.path(), script);
        let cold = run_in(
            &mut start(&host, &command),
            "two lines\n",
            Announced::Nothing,
        );
        let warm = warm(&host, &command, "two lines\n", Announced::Nothing);
        assert_eq!(warm, cold, "{script}");
    }
}

/// The output of a process that may be a copy, and whether it was.
fn output(host: &Host, command: &Command, prepare: impl Fn(&Sandbox)) -> (String, bool) {
    let command = Command {
        warm: true,
        ..command.clone()
    };
    let before = host.warm_starts();
    let mut sandbox = start(host, &command);
    prepare(&sandbox);
    let (out, err, ..) = run_in(&mut sandbox, "", Announced::Nothing);
    assert_eq!(err, "");
    (out, host.warm_starts() > before)
}

#[test]
fn copies_draw_other_random_numbers_and_have_one_of_two_seeds() {
    let Some(host) = host() else {
        return;
    };
    let folder = folder();
    let mut command = command(
        folder.path(),
        "import random, uuid\nprint(random.random(), uuid.uuid4(), hash('a'))\n",
    );
    command.env.retain(|(key, _)| key != "PYTHONHASHSEED");
    let told: Vec<_> = (0..USUAL + 6)
        .map(|_| output(&host, &command, |_| {}))
        .collect();
    let (cold, warm) = told.split_at(USUAL);
    assert!(cold.iter().all(|(_, is_warm)| !is_warm));
    assert!(warm.iter().all(|(_, is_warm)| *is_warm));
    let words = |at: usize| {
        warm.iter()
            .filter_map(move |(text, _)| text.split_whitespace().nth(at))
    };
    let kinds = |at| words(at).collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!((kinds(0), kinds(1), kinds(2)), (6, 6, 2));
}

#[test]
fn what_python_reads_at_its_start_decides_whether_a_copy_serves() {
    let Some(host) = host() else {
        return;
    };
    let folder = folder();
    let command = command(
        folder.path(),
        "import json\nprint(json.__name__, hasattr(json, 'own'))\n",
    );
    for _ in 0..USUAL {
        output(&host, &command, |_| {});
    }
    let usual = "json False\n".to_owned();
    assert_eq!(output(&host, &command, |_| {}), (usual.clone(), true));
    let own = format!("{}/json.py", folder.path().display());
    // Byte code beside the script replaces nothing, nor does a file elsewhere.
    for (path, is_warm) in [
        (
            format!("{}/__pycache__/other.pyc", folder.path().display()),
            true,
        ),
        ("/tmp/stickler/dir/json.py".to_owned(), true),
        ("/usr/local/share/json.py".to_owned(), true),
        (format!("{}/beside.py", folder.path().display()), false),
        ("/etc/localtime".to_owned(), false),
    ] {
        let prepare = |sandbox: &Sandbox| {
            // It may be a link.
            let _ = sandbox.remove(path.as_bytes());
            sandbox.write_file(path.as_bytes(), b"").expect(&path);
        };
        assert_eq!(
            output(&host, &command, prepare),
            (usual.clone(), is_warm),
            "{path}"
        );
    }
    let prepare = |sandbox: &Sandbox| {
        sandbox
            .write_file(own.as_bytes(), b"own = 1")
            .expect("written");
    };
    assert_eq!(
        output(&host, &command, prepare),
        ("json True\n".to_owned(), false)
    );
}

#[test]
fn a_file_beside_the_script_replaces_a_module() {
    let Some(host) = host() else {
        return;
    };
    let folder = folder();
    std::fs::write(folder.path().join("json.py"), "own = 1").expect("written");
    let command = command(folder.path(), "import json\nprint(json.own)\n");
    for round in 0..USUAL + 2 {
        let told = output(&host, &command, |_| {});
        assert_eq!(told, ("1\n".to_owned(), round >= USUAL));
    }
}

#[test]
fn other_programs_start_as_usual() {
    let Some(host) = host() else {
        return;
    };
    let folder = folder();
    let usual = command(folder.path(), "print(1)\n");
    let script = usual.argv[1].clone();
    let lines: [&[&str]; 4] = [
        &["/usr/bin/python3", "-S"],
        &["/usr/bin/python3", "-W", "ignore"],
        &["/usr/bin/env", "python3"],
        &["/bin/sh", "-c", "echo 1"],
    ];
    for line in lines {
        let mut command = usual.clone();
        command.argv = line
            .iter()
            .map(Into::into)
            .chain([script.clone()])
            .collect();
        for _ in 0..USUAL + 2 {
            assert_eq!(output(&host, &command, |_| {}), ("1\n".to_owned(), false));
        }
    }
}
