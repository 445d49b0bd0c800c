//! Real little programs in real sandboxes.
//!
//! Every test takes the best tier of the machine, and passes over what that tier lacks.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

#[path = "sandbox/file_systems.rs"]
mod file_systems;
#[path = "sandbox/many_changes.rs"]
mod many_changes;

use std::fs;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::time::{Duration, Instant};

use stickler_session::effects::{FileKind, Snapshot};
use stickler_session::sandbox::{
    Announced, Call, Child, Command, Error, ExitStatus, Host, HostOptions, Lack, PlantedFile,
    Protection, Sandbox, Spec, Target, Tier,
};
use stickler_transcript::ChangeKind;

fn host() -> Host {
    Host::probe(None, HostOptions::default()).unwrap()
}

fn overlay() -> Option<Host> {
    Host::probe(Some(Tier::Overlay), HostOptions::default()).ok()
}

fn sh(script: &str) -> Command {
    let mut command = Command::new(["/bin/sh", "-c", script]);
    command.env = vec![
        ("PATH".into(), "/usr/bin:/bin".into()),
        ("D".into(), "/tmp/stickler/dir".into()),
        ("HOME".into(), "/tmp/stickler/home".into()),
    ];
    command
}

fn null() -> OwnedFd {
    fs::File::options()
        .read(true)
        .write(true)
        .open("/dev/null")
        .unwrap()
        .into()
}

fn start(host: &Host, scripts: &[&str]) -> Sandbox {
    let commands = scripts.iter().map(|script| sh(script)).collect();
    Sandbox::start(
        host,
        &Spec {
            commands,
            ..Spec::default()
        },
    )
    .unwrap()
}

fn spawn(sandbox: &mut Sandbox, command: usize) -> (Child, fs::File) {
    let (read, write) = std::io::pipe().unwrap();
    let error = write.try_clone().unwrap();
    let child = sandbox
        .spawn(command, null(), write.into(), error.into())
        .unwrap();
    (child, OwnedFd::from(read).into())
}

fn wait(sandbox: &mut Sandbox, child: Child) -> ExitStatus {
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        while let Some((id, status, _)) = sandbox.next_exit() {
            if id == child.id {
                return status;
            }
        }
        assert!(
            !sandbox.is_gone() && Instant::now() < end,
            "the command does not end"
        );
        let mut fds = [rustix::event::PollFd::from_borrowed_fd(
            sandbox.control_fd(),
            rustix::event::PollFlags::IN,
        )];
        let second = rustix::event::Timespec {
            tv_sec: 1,
            tv_nsec: 0,
        };
        rustix::event::poll(&mut fds, Some(&second)).unwrap();
    }
}

/// Runs a command to its end: what it printed, and how it ended.
fn run(sandbox: &mut Sandbox, command: usize) -> (String, ExitStatus) {
    let (child, mut output) = spawn(sandbox, command);
    let status = wait(sandbox, child);
    let mut text = Vec::new();
    output.read_to_end(&mut text).unwrap();
    (String::from_utf8_lossy(&text).into_owned(), status)
}

fn run_ok(sandbox: &mut Sandbox, command: usize) -> String {
    let (output, status) = run(sandbox, command);
    assert_eq!(status, ExitStatus::Code(0), "{output}");
    output
}

/// What one script changes after another has prepared the ground, as `kind path`.
fn changes(setup: &str, script: &str) -> Option<Vec<String>> {
    let host = overlay()?;
    let mut sandbox = start(&host, &[setup, script]);
    run_ok(&mut sandbox, 0);
    let before = sandbox.snapshot().unwrap();
    // Older kernels count time in steps of 4 ms.
    std::thread::sleep(Duration::from_millis(30));
    run_ok(&mut sandbox, 1);
    let after = sandbox.snapshot().unwrap();
    assert!(!after.truncated());
    Some(lines(&after, &before))
}

fn lines(after: &Snapshot, before: &Snapshot) -> Vec<String> {
    after
        .diff(before)
        .iter()
        .map(|change| format!("{} {}", word(change.kind), change.path.lossy()))
        .collect()
}

fn word(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Created => "created",
        ChangeKind::Changed => "changed",
        ChangeKind::Rewritten => "rewritten",
        ChangeKind::Deleted => "deleted",
        ChangeKind::Mode => "mode",
        ChangeKind::Owner => "owner",
        ChangeKind::Xattr => "xattr",
        ChangeKind::Link => "link",
    }
}

#[track_caller]
fn assert_changes(setup: &str, script: &str, expected: &[&str]) {
    if let Some(changes) = changes(setup, script) {
        assert_eq!(changes, expected, "after {script:?}");
    }
}

/// Root of the machine, not of a user namespace.
fn is_root() -> bool {
    let map = fs::read_to_string("/proc/self/uid_map").unwrap();
    rustix::process::geteuid().is_root() && map.contains("4294967295")
}

#[test]
fn every_kind_of_effect_in_the_scratch_space_is_seen() {
    let dir = "/tmp/stickler/dir";
    let file = "echo one > $D/a";
    assert_changes("", "echo x > $D/a", &[&format!("created {dir}/a")]);
    assert_changes(file, "echo two > $D/a", &[&format!("changed {dir}/a")]);
    assert_changes(file, "echo one > $D/a", &[&format!("rewritten {dir}/a")]);
    let replace = "cp -p $D/a $D/b; mv $D/b $D/a";
    assert_changes(file, replace, &[&format!("rewritten {dir}/a")]);
    assert_changes(file, "rm $D/a", &[&format!("deleted {dir}/a")]);
    assert_changes(file, "chmod 600 $D/a", &[&format!("mode {dir}/a")]);
    assert_changes(
        "ln -s x $D/l",
        "ln -sfn y $D/l",
        &[&format!("link {dir}/l")],
    );
    assert_changes(file, "cat $D/a; ls -l $D", &[]);
    assert_changes("mkdir $D/d", "touch $D/d/x; rm $D/d/x", &[]);
    assert_changes(
        "mkdir $D/d; touch $D/d/x",
        "rm -r $D/d",
        &[&format!("deleted {dir}/d"), &format!("deleted {dir}/d/x")],
    );
    assert_changes("", "mkfifo $D/f", &[&format!("created {dir}/f")]);
    assert_changes(file, "rm $D/a; mkdir $D/a", &[&format!("changed {dir}/a")]);
}

#[test]
fn owners_are_seen_when_root_changes_them() {
    if is_root() {
        assert_changes(
            "touch $D/a",
            "chown 12:34 $D/a",
            &["owner /tmp/stickler/dir/a"],
        );
    }
}

#[test]
fn attributes_are_seen() {
    let script = r#"python3 -c 'import os; os.setxattr("/tmp/stickler/dir/a", "user.k", b"v")'"#;
    let Some(host) = overlay() else { return };
    let mut sandbox = start(&host, &["touch $D/a", script]);
    run_ok(&mut sandbox, 0);
    let before = sandbox.snapshot().unwrap();
    if run(&mut sandbox, 1).1 == ExitStatus::Code(0) {
        let after = sandbox.snapshot().unwrap();
        assert_eq!(lines(&after, &before), ["xattr /tmp/stickler/dir/a"]);
    }
}

#[test]
fn effects_on_the_machines_own_files_are_seen_and_do_not_happen() {
    if !is_root() {
        return;
    }
    let passwd = fs::read("/etc/passwd").unwrap();
    assert_changes("", "echo evil >> /etc/passwd", &["changed /etc/passwd"]);
    assert_changes("", "rm /etc/passwd", &["deleted /etc/passwd"]);
    assert_changes("", "chmod 0600 /etc/passwd", &["mode /etc/passwd"]);
    assert_changes(
        "",
        "rm -r /etc/default; echo x > /usr/new; echo x > /new",
        &["deleted /etc/default", "created /new", "created /usr/new"],
    );
    // Opening for writing copies the file up: no effect.
    assert_changes("", ": >> /etc/passwd", &[]);
    assert_eq!(fs::read("/etc/passwd").unwrap(), passwd);
    assert!(fs::exists("/etc/default").unwrap() && !fs::exists("/usr/new").unwrap());
}

#[test]
fn a_recreated_directory_hides_its_old_content() {
    if !is_root() {
        return;
    }
    let Some(host) = overlay() else { return };
    let script = "rm -r /etc/default && mkdir /etc/default && echo x > /etc/default/mine";
    let mut sandbox = start(&host, &[script]);
    let before = sandbox.snapshot().unwrap();
    run_ok(&mut sandbox, 0);
    let after = sandbox.snapshot().unwrap();
    let lines = lines(&after, &before);
    assert!(
        lines.contains(&"created /etc/default/mine".to_owned()),
        "{lines:?}"
    );
    let first = fs::read_dir("/etc/default")
        .unwrap()
        .next()
        .unwrap()
        .unwrap();
    let deleted = format!("deleted {}", first.path().display());
    assert!(lines.contains(&deleted), "{deleted} is not in {lines:?}");
}

#[test]
fn home_and_tmp_of_the_user_stay_unchanged() {
    let Some(host) = overlay() else { return };
    let here = tempfile::tempdir_in("/tmp").unwrap();
    let file = here.path().join("module");
    fs::write(&file, "mine").unwrap();
    let script = format!("cat {0} && echo evil > {0} && cat {0}", file.display());
    let mut sandbox = start(&host, &[&script]);
    assert_eq!(
        run_ok(&mut sandbox, 0),
        "mineevil\n",
        "a module in /tmp is visible"
    );
    assert_eq!(fs::read(&file).unwrap(), b"mine");
    let snapshot = sandbox.snapshot().unwrap();
    let seen = snapshot.get(file.as_os_str().as_encoded_bytes()).unwrap();
    assert_eq!(seen.content.as_deref(), Some(b"evil\n".as_slice()));
    assert_eq!(seen.kind, FileKind::File);
}

#[test]
fn an_end_state_is_listed_with_contents() {
    let mut sandbox = start(&host(), &["cd \"$0\" 2>/dev/null; true"]);
    let path = sandbox
        .scratch()
        .join("dir/sub/a")
        .into_os_string()
        .into_encoded_bytes();
    sandbox.write_file(&path, b"content").unwrap();
    let snapshot = sandbox.snapshot().unwrap();
    let (_, entry) = snapshot
        .entries()
        .find(|(found, _)| *found == path)
        .unwrap();
    assert_eq!(entry.content.as_deref(), Some(b"content".as_slice()));
    assert_eq!(entry.digest.unwrap().to_string().len(), 64);
    assert_eq!(entry.size, 7);
}

/// What was read before is not read again, and still nothing is missed, however short the time
/// between two looks.
#[test]
fn changes_right_after_a_look_are_seen() {
    let mut sandbox = start(&host(), &["true"]);
    let path = |name: &str| {
        let path = sandbox.scratch().join("dir").join(name);
        path.into_os_string().into_encoded_bytes()
    };
    let (same, named) = (path("same"), |n: usize| path(&format!("{n}")));
    let names: Vec<_> = (0..400).map(named).collect();
    for (n, name) in names.iter().enumerate() {
        let content = format!("{n:03}");
        sandbox.write_file(&same, content.as_bytes()).unwrap();
        sandbox.write_file(name, b"").unwrap();
        if let Some(old) = n.checked_sub(3).map(|old| &names[old]) {
            sandbox.remove(old).unwrap();
        }
        let snapshot = sandbox.snapshot().unwrap();
        let entry = |path: &[u8]| {
            let mut entries = snapshot.entries();
            entries.find(|(found, _)| *found == path).map(|(_, e)| e)
        };
        let read = entry(&same).and_then(|entry| entry.content.as_deref());
        assert_eq!(read, Some(content.as_bytes()));
        let there = |at: usize| names.get(at).is_some_and(|name| entry(name).is_some());
        let old = n.saturating_sub(2);
        assert!((old..=n).all(there) && !(0..old).any(there), "{n}");
    }
}

#[test]
fn there_is_no_network_but_loopback() {
    let Some(host) = overlay() else { return };
    let script = "cat /proc/net/dev | tail -n +3 | cut -d: -f1 | tr -d ' '";
    for _ in 0..3 {
        let mut sandbox = start(&host, &[script]);
        assert_eq!(run_ok(&mut sandbox, 0), "lo\n");
    }
    let talk = "import socket as s; a = s.create_server(('127.0.0.1', 8080)); \
                b = s.create_connection(a.getsockname()); b.send(b'x'); print(a.accept()[0].recv(1))";
    for _ in 0..3 {
        let commands = vec![{
            let mut command = Command::new(["python3", "-c", talk]);
            command.env = vec![("PATH".into(), "/usr/bin:/bin:/usr/local/bin".into())];
            command
        }];
        let spec = Spec {
            commands,
            ..Spec::default()
        };
        let mut sandbox = Sandbox::start(&host, &spec).unwrap();
        match sandbox.spawn(0, null(), null(), null()) {
            Ok(child) => assert_eq!(wait(&mut sandbox, child), ExitStatus::Code(0)),
            Err(Error::Spawn { .. }) => return,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn a_subject_cannot_get_out_or_change_the_kernel() {
    let Some(host) = overlay() else { return };
    let tries = [
        "mount -t tmpfs x /mnt",
        "umount /proc",
        "unshare -U true",
        "unshare -n true",
        "echo x > /proc/sys/kernel/hostname",
        "echo b > /proc/sysrq-trigger",
        "mknod /tmp/stickler/dir/disk b 254 0",
        "echo 1 > /sys/kernel/profiling",
        "kill -0 2147483",
        "cat /proc/1/environ | grep -q .",
        "readlink /proc/1/fd/3",
        "ls /proc/1/fd/4/",
        "ls /proc/1/root/",
        "echo x > /dev/tty",
        "dd if=/dev/vda of=/dev/null count=1",
        "chroot /proc/1/root true",
        "nsenter -t 1 -m true",
    ];
    let mut sandbox = start(&host, &tries);
    for (number, script) in tries.iter().enumerate() {
        let (output, status) = run(&mut sandbox, number);
        assert_ne!(status, ExitStatus::Code(0), "{script}: {output}");
    }
}

#[test]
fn below_the_root_there_is_nothing_to_reach() {
    let Some(host) = overlay() else { return };
    let script = r#"perl -e 'chdir "/"; mkdir "$ENV{D}/x"; chroot "$ENV{D}/x";
        chdir ".." for 1..64; chroot "."; mkdir "/var/tmp/stickler-below"';
        while read -r _ _ _ _ place _; do echo "$place"; done < /proc/self/mountinfo"#;
    let mut sandbox = start(&host, &[script]);
    let output = run_ok(&mut sandbox, 0);
    let made = sandbox.snapshot().unwrap();
    assert!(made.get("/var/tmp/stickler-below").is_some(), "{output}");
    assert!(!fs::exists("/var/tmp/stickler-below").unwrap());
    let roots = output.lines().filter(|place| *place == "/");
    assert_eq!(roots.count(), 1, "{output}");
}

#[test]
fn a_subject_sees_only_its_own_processes_and_descriptors() {
    let Some(host) = overlay() else { return };
    let mut sandbox = start(
        &host,
        &["ls /proc/self/fd | wc -l; ls -d /proc/[0-9]* | wc -l"],
    );
    let output = run_ok(&mut sandbox, 0);
    let counts: Vec<u32> = output
        .lines()
        .map(|line| line.trim().parse().unwrap())
        .collect();
    // ls itself opens one.
    assert_eq!(counts[0], 4);
    assert!(counts[1] <= 4, "init, sh, ls and wc: {output}");
}

#[test]
fn killing_everything_does_not_reach_init_or_harness() {
    let Some(host) = overlay() else { return };
    let mut sandbox = start(
        &host,
        &["kill -9 1; kill -9 $PPID; kill -9 -1", "echo alive"],
    );
    let (child, _) = spawn(&mut sandbox, 0);
    wait(&mut sandbox, child);
    assert_eq!(run_ok(&mut sandbox, 1), "alive\n");
}

#[test]
fn a_fork_bomb_is_contained_by_the_caller() {
    let host = host();
    if host.lacking().contains(&Lack::ProcessIsolation) {
        return;
    }
    let mut sandbox = start(&host, &["while :; do sleep 1000 & done"]);
    let (_, output) = spawn(&mut sandbox, 0);
    let end = Instant::now() + Duration::from_secs(20);
    while sandbox.tree_usage(usize::MAX).0 < 200 {
        assert!(Instant::now() < end, "the bomb does not go off");
    }
    let begin = Instant::now();
    sandbox.kill();
    assert!(begin.elapsed() < Duration::from_secs(10));
    assert_eq!(sandbox.tree_usage(usize::MAX).0, 0);
    drop(output);
}

/// A sandbox with more than 250 processes, each of which goes on forking.
fn bomb_going_off(host: &Host) -> Sandbox {
    let end = Instant::now() + Duration::from_secs(120);
    while Instant::now() < end {
        let mut sandbox = start(host, &["b() { while :; do b & done; }; b"]);
        let (_, _output) = spawn(&mut sandbox, 0);
        // A shell that may not fork ends: where this looks too late, the bomb has burnt out.
        let round = Instant::now() + Duration::from_secs(20);
        while Instant::now() < round {
            match sandbox.tree_usage(250).0 {
                0..=2 if round - Instant::now() < Duration::from_secs(18) => break,
                251.. => return sandbox,
                _ => std::thread::sleep(Duration::from_millis(2)),
            }
        }
    }
    panic!("the bomb does not go off");
}

#[test]
fn hundreds_that_fork_without_end_are_killed_at_one_stroke() {
    let Some(host) = overlay() else { return };
    for _ in 0..4 {
        // Each tries to fork all the time; the locks that this takes once held the init's end up
        // for a minute.
        let mut sandbox = bomb_going_off(&host);
        let begin = Instant::now();
        sandbox.kill_processes();
        sandbox.kill();
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "{:?}",
            begin.elapsed()
        );
        assert_eq!(sandbox.tree_usage(usize::MAX).0, 0);
    }
}

#[test]
fn the_kernel_bounds_the_number_of_processes() {
    let Some(host) = overlay() else { return };
    let mut sandbox = start(&host, &["b() { b | b & }; b; sleep 1"]);
    let (_, _output) = spawn(&mut sandbox, 0);
    std::thread::sleep(Duration::from_millis(1500));
    assert!(sandbox.tree_usage(usize::MAX).0 < 1100);
}

#[test]
fn a_daemon_is_listed_and_gone_after_the_drop() {
    let mut sandbox = start(
        &host(),
        &["setsid sh -c 'sleep 1000 & sleep 1000' & sleep 0.3"],
    );
    let (child, _output) = spawn(&mut sandbox, 0);
    wait(&mut sandbox, child);
    let left = sandbox.processes();
    assert!(left.len() >= 2, "{left:?}");
    assert!(
        left.iter().all(|process| process.child == child.id),
        "{left:?}"
    );
    assert!(
        left.iter()
            .any(|process| process.holds_stdout && !process.holds_stdin)
    );
    assert!(
        left.iter()
            .any(|process| process.command_line == "sleep 1000"),
        "{left:?}"
    );
    drop(sandbox);
    for process in left {
        let state = fs::read_to_string(format!("/proc/{}/cmdline", process.host_pid));
        assert!(state.is_err() || !state.unwrap().contains("sleep"));
    }
}

#[test]
fn a_sandbox_with_processes_waiting_for_a_cpu_is_starved_and_works() {
    let host = host();
    let cpus = rustix::thread::sched_getaffinity(None).unwrap();
    let cpu = (0..rustix::thread::CpuSet::MAX_CPU).find(|cpu| cpus.is_set(*cpu));
    let mut spins = sh("while :; do :; done");
    spins.cpu = cpu;
    let spec = Spec {
        commands: vec![spins],
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(&host, &spec).unwrap();
    for _ in 0..4 {
        sandbox.spawn(0, null(), null(), null()).unwrap();
    }
    let began = Instant::now();
    while !sandbox.is_starved() || sandbox.working_time() < began.elapsed() * 2 {
        assert!(began.elapsed() < Duration::from_secs(200));
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_stopped_subject_is_killed_nevertheless() {
    let mut sandbox = start(&host(), &["kill -STOP $$"]);
    let (_, _output) = spawn(&mut sandbox, 0);
    std::thread::sleep(Duration::from_millis(50));
    assert_eq!(sandbox.processes()[0].state, 'T');
    sandbox.kill();
    assert!(sandbox.is_gone());
}

#[test]
fn one_command_can_be_killed_and_its_end_is_reported() {
    let mut sandbox = start(&host(), &["exec sleep 1000", "exit 3"]);
    let (sleeper, _a) = spawn(&mut sandbox, 0);
    assert_eq!(run(&mut sandbox, 1).1, ExitStatus::Code(3));
    assert!(sandbox.sample(sleeper.host_pid).unwrap().rss_kib > 0);
    // Until it is another program, it has one of the sandbox's own.
    let began = Instant::now();
    while sandbox.sample(sleeper.host_pid).unwrap().descriptors != 3 {
        assert!(began.elapsed() < Duration::from_secs(200));
        std::thread::sleep(Duration::from_millis(5));
    }
    sandbox.kill_child(sleeper.id);
    assert_eq!(wait(&mut sandbox, sleeper), ExitStatus::Signal(9));
}

#[test]
fn a_full_disk_is_the_subjects_own() {
    let limits = stickler_session::sandbox::Limits {
        disk: 8 << 20,
        ..Default::default()
    };
    let options = HostOptions {
        limits,
        ..HostOptions::default()
    };
    let Ok(host) = Host::probe(Some(Tier::Overlay), options) else {
        return;
    };
    let mut sandbox = start(&host, &["cat /dev/zero > $D/big"]);
    let (output, status) = run(&mut sandbox, 0);
    assert_ne!(status, ExitStatus::Code(0));
    assert!(output.contains("No space left"), "{output}");
    let snapshot = sandbox.snapshot().unwrap();
    assert!(snapshot.get("/tmp/stickler/dir/big").unwrap().size <= 8 << 20);
}

#[test]
fn a_million_files_do_not_drown_the_harness() {
    let Some(host) = overlay() else { return };
    let script = "cd $D; seq 30000 | xargs touch; d=x; mkdir -p \
                  $(printf 'd/%.0s' $(seq 300)); true";
    let mut sandbox = start(&host, &[script]);
    run_ok(&mut sandbox, 0);
    let begin = Instant::now();
    assert!(sandbox.snapshot().unwrap().truncated());
    assert!(begin.elapsed() < Duration::from_secs(5));
}

fn protected(
    target: Target,
    protection: Protection,
    unprivileged: bool,
    script: &str,
) -> Option<String> {
    let host = overlay()?;
    let mut setup = sh("echo old > $D/old; mkdir $D/sub; echo old > $D/sub/old");
    setup.unprivileged = unprivileged;
    let mut subject = sh(script);
    subject.unprivileged = unprivileged;
    let spec = Spec {
        commands: vec![setup, subject],
        target,
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(&host, &spec).unwrap();
    run_ok(&mut sandbox, 0);
    sandbox.protect(protection).unwrap();
    let before = sandbox.snapshot().unwrap();
    assert!(before.get("/tmp/stickler/dir/sub/old").is_some());
    let (output, status) = run(&mut sandbox, 1);
    assert_ne!(status, ExitStatus::Code(0), "{output}");
    let after = sandbox.snapshot().unwrap();
    assert_eq!(lines(&after, &before), [""; 0], "{output}");
    Some(output)
}

#[test]
fn a_target_can_be_read_only() {
    for target in [Target::Tmpfs, Target::FullDisk] {
        let script = "echo x > $D/old; rm $D/old; mkdir $D/new";
        if let Some(output) = protected(target, Protection::ReadOnly, false, script) {
            assert_eq!(
                output.matches("Read-only file system").count(),
                3,
                "{output}"
            );
        }
    }
}

#[test]
fn a_target_can_be_full() {
    // An empty file still fits, and not a byte in it.
    let script = ": > $D/new && echo made; echo x | tee $D/new; rm $D/new; false";
    for target in [Target::Tmpfs, Target::FullDisk] {
        if let Some(output) = protected(target, Protection::Full, false, script) {
            assert!(output.starts_with("made"), "{output}");
            assert!(output.contains("No space left on device"), "{output}");
        }
    }
    let script = "echo x | tee $HOME/new; rm $HOME/new; false";
    if let Some(output) = protected(Target::FullDisk, Protection::Full, false, script) {
        assert!(output.contains("No space left on device"), "{output}");
    }
}

#[test]
fn a_target_can_be_forbidden_even_to_root() {
    for target in [Target::Plain, Target::Tmpfs] {
        let script = "echo x > $D/old; echo x > $D/sub/old; rm -f $D/sub/old; mkdir $D/new";
        if let Some(output) = protected(target, Protection::Forbidden, true, script) {
            assert_eq!(output.matches("ermission denied").count(), 4, "{output}");
        }
    }
}

#[test]
fn a_tier_without_isolation_reports_unsupported_features() {
    let host = Host::probe(Some(Tier::None), HostOptions::default()).unwrap();
    assert!(host.lacking().contains(&Lack::Targets));
    let spec = Spec {
        target: Target::Tmpfs,
        ..Spec::default()
    };
    assert!(matches!(
        Sandbox::start(&host, &spec),
        Err(Error::Unsupported { .. })
    ));
    let mut sandbox = start(&host, &[]);
    assert!(sandbox.protect(Protection::ReadOnly).is_err());
}

#[test]
fn the_other_tiers_see_the_scratch_space_and_leave_nothing() {
    for tier in [Tier::Copy, Tier::None] {
        let Ok(host) = Host::probe(Some(tier), HostOptions::default()) else {
            continue;
        };
        let scratch = host.scratch().to_owned();
        let outside = tempfile::tempdir().unwrap();
        let out = outside.path().join("out");
        let script = "echo x > a; chmod 500 .; setsid sleep 1000 & echo y > $OUT; sleep 0.2";
        let mut command = sh(script);
        command.cwd = scratch.join("dir");
        command.env.push(("OUT".into(), out.clone().into()));
        let spec = Spec {
            commands: vec![command],
            ..Spec::default()
        };
        for _ in 0..2 {
            let mut sandbox = Sandbox::start(&host, &spec).unwrap();
            let before = sandbox.snapshot().unwrap();
            let (child, _output) = spawn(&mut sandbox, 0);
            wait(&mut sandbox, child);
            let left = sandbox.processes();
            assert!(
                left.iter()
                    .any(|process| process.command_line == "sleep 1000"),
                "{left:?}"
            );
            sandbox.kill();
            assert!(sandbox.processes().is_empty());
            let walls = tier == Tier::Copy;
            assert_eq!(out.exists(), !walls, "landlock keeps files outside");
            let after = sandbox.snapshot().unwrap();
            let expected = [
                format!("mode {}/dir", scratch.display()),
                format!("created {}/dir/a", scratch.display()),
            ];
            assert_eq!(lines(&after, &before), expected);
        }
        drop(host);
        // Other tests may have it for a while.
        let end = Instant::now() + Duration::from_secs(30);
        while scratch.exists() {
            assert!(Instant::now() < end, "{} is left", scratch.display());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn without_overlays_sandboxes_take_turns() {
    // Two hosts are as two processes: neither knows of the other's turns.
    let probe = || Host::probe(Some(Tier::None), HostOptions::default()).unwrap();
    let hosts = [probe(), probe()];
    std::thread::scope(|scope| {
        for number in 0..8 {
            let host = &hosts[number % 2];
            scope.spawn(move || {
                let mut command = sh("test ! -e a && touch a && sleep 0.05");
                command.cwd = host.scratch().join("dir");
                let spec = Spec {
                    commands: vec![command],
                    ..Spec::default()
                };
                let mut sandbox = Sandbox::start(host, &spec).unwrap();
                run_ok(&mut sandbox, 0);
            });
        }
    });
}

#[test]
fn without_user_namespaces_the_probe_falls_back_and_says_why() {
    const NAME: &str = "without_user_namespaces_the_probe_falls_back_and_says_why";
    if std::env::var_os("STICKLER_FORBIDDEN").is_some() {
        let host = host();
        assert_ne!(host.tier(), Tier::Overlay);
        let reason = host.fallback_reason().unwrap();
        assert!(reason.contains("max_user_namespaces is 0"), "{reason}");
        assert!(host.lacks().contains(&"process isolation".to_owned()));
        return;
    }
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && \
                  exec setpriv --bounding-set=-all --inh-caps=-all \"$@\"";
    let inner = std::process::Command::new("unshare")
        .args(["-Ur", "sh", "-c", script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", NAME])
        .env("STICKLER_FORBIDDEN", "1")
        .output();
    let Ok(inner) = inner else { return };
    let output = String::from_utf8_lossy(&inner.stdout);
    // Where nobody may make user namespaces, this very test runs without them.
    if output.contains("running 1 test") {
        assert!(inner.status.success(), "{output}");
    }
}

#[test]
fn a_subject_that_kills_its_parent_leaves_nothing_in_any_tier() {
    for tier in [Tier::Overlay, Tier::Copy, Tier::None] {
        let Ok(host) = Host::probe(Some(tier), HostOptions::default()) else {
            continue;
        };
        let script =
            "setsid sh -c 'sleep 1001 & sleep 1001' & kill -9 $PPID; sleep 0.2; sleep 1001";
        let mut sandbox = start(&host, &[script]);
        // Without walls the init may die before it can tell that the command runs.
        let _ = sandbox.spawn(0, null(), null(), null());
        std::thread::sleep(Duration::from_millis(300));
        let _ = sandbox.next_exit();
        sandbox.kill();
        assert!(sandbox.is_gone());
        let left = sandbox.processes();
        assert!(left.is_empty(), "{tier}: {left:?}");
    }
}

#[test]
fn links_planted_by_a_subject_are_not_followed() {
    let Some(host) = overlay() else { return };
    let script = "ln -s /etc $D/link; ln -s /etc/passwd $D/file; mkfifo $D/fifo; ln -s . $D/loop";
    let mut sandbox = start(&host, &[script]);
    run_ok(&mut sandbox, 0);
    let dir = "/tmp/stickler/dir";
    let path = |name: &str| format!("{dir}/{name}").into_bytes();
    for name in ["link/passwd", "file", "fifo", "loop/file"] {
        assert!(sandbox.read_file(&path(name), 100).is_err(), "{name}");
        assert!(sandbox.write_file(&path(name), b"x").is_err(), "{name}");
    }
    assert!(sandbox.chmod(&path("file"), 0o777).is_err());
    sandbox.remove(&path("link")).unwrap();
    sandbox.symlink(&path("new"), b"target").unwrap();
    sandbox.mkdir(&path("folder")).unwrap();
    sandbox.write_file(&path("folder/deep/er"), b"x").unwrap();
    sandbox.chmod(&path("folder/deep/er"), 0o604).unwrap();
    assert_eq!(
        sandbox.read_file(&path("folder/deep/er"), 100).unwrap(),
        b"x"
    );
    let snapshot = sandbox.snapshot().unwrap();
    assert_eq!(snapshot.get(path("folder/deep/er")).unwrap().mode, 0o604);
    assert_eq!(
        snapshot.get(path("new")).unwrap().link.as_deref(),
        Some(b"target".as_slice())
    );
    assert_eq!(snapshot.get(path("fifo")).unwrap().kind, FileKind::Fifo);
    sandbox.remove(&path("folder")).unwrap();
    assert!(sandbox.snapshot().unwrap().get(path("folder")).is_none());
    assert!(fs::exists("/etc/passwd").unwrap());
}

#[test]
fn files_without_permissions_are_read_nevertheless() {
    let Some(host) = overlay() else { return };
    let script = "mkdir $D/d; echo secret > $D/d/f; chmod 0 $D/d/f $D/d";
    let mut sandbox = start(&host, &[script]);
    run_ok(&mut sandbox, 0);
    let snapshot = sandbox.snapshot().unwrap();
    let entry = snapshot.get("/tmp/stickler/dir/d/f");
    assert_eq!(
        entry.unwrap().content.as_deref(),
        Some(b"secret\n".as_slice())
    );
}

#[test]
fn planted_commands_come_first_in_path() {
    let Some(host) = overlay() else { return };
    let mut command = Command::new(["systemctl", "start"]);
    command.env = vec![("PATH".into(), "/tmp/stickler/bin:/usr/bin".into())];
    let plant = vec![PlantedFile {
        path: "/tmp/stickler/bin/systemctl".into(),
        bytes: b"#!/bin/sh\necho fake $1\n".to_vec(),
        mode: 0o755,
    }];
    let spec = Spec {
        commands: vec![command],
        plant,
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(&host, &spec).unwrap();
    assert_eq!(run_ok(&mut sandbox, 0), "fake start\n");
}

#[test]
fn two_subjects_share_a_sandbox() {
    let Some(host) = overlay() else { return };
    let mut sandbox = start(
        &host,
        &["mkfifo $D/f; echo hello > $D/f", "cat $D/f", "ls $D"],
    );
    let (_, _output) = spawn(&mut sandbox, 0);
    while sandbox
        .snapshot()
        .unwrap()
        .get("/tmp/stickler/dir/f")
        .is_none()
    {}
    assert_eq!(run_ok(&mut sandbox, 1), "hello\n");
    assert_eq!(run_ok(&mut sandbox, 2), "f\n");
}

#[test]
fn a_pseudo_terminal_can_be_used() {
    let Some(host) = overlay() else { return };
    let mut sandbox = start(&host, &["script -qc 'tty' /dev/null"]);
    let (output, status) = run(&mut sandbox, 0);
    if status == ExitStatus::Code(0) {
        assert!(output.contains("/dev/pts/0"), "{output}");
    }
}

#[test]
fn commands_that_cannot_start_are_errors() {
    let spec = Spec {
        commands: vec![Command::new(["/no/such"])],
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(&host(), &spec).unwrap();
    let error = sandbox.spawn(0, null(), null(), null()).unwrap_err();
    assert!(matches!(error, Error::Spawn { .. }), "{error}");
    assert!(matches!(
        sandbox.spawn(1, null(), null(), null()),
        Err(Error::NoCommand(1))
    ));
    assert!(sandbox.next_exit().is_none());
}

#[test]
fn sandboxes_run_side_by_side_in_threads_and_leave_no_mounts() {
    let host = host();
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap();
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let host = &host;
            scope.spawn(move || {
                for round in 0..10 {
                    let mut sandbox = start(host, &["echo $$; sleep 0.01"]);
                    let path = sandbox.scratch().join("dir/own").into_os_string();
                    let text = format!("{thread} {round}");
                    let path = path.as_encoded_bytes();
                    sandbox.write_file(path, text.as_bytes()).unwrap();
                    run_ok(&mut sandbox, 0);
                    assert_eq!(sandbox.read_file(path, 100).unwrap(), text.as_bytes());
                }
            });
        }
    });
    assert_eq!(fs::read_to_string("/proc/self/mountinfo").unwrap(), mounts);
}

#[test]
fn a_sandbox_outlives_the_thread_that_made_it() {
    let host = host();
    let mut sandbox =
        std::thread::scope(|scope| scope.spawn(|| start(&host, &["echo here"])).join().unwrap());
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(run_ok(&mut sandbox, 0), "here\n");
}

/// The children of this process by a name.
fn children_named(name: &str) -> Vec<rustix::process::Pid> {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    let children = tasks
        .filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok())
        .collect::<String>();
    children
        .split_whitespace()
        .filter(|pid| {
            let comm = fs::read_to_string(format!("/proc/{pid}/comm"));
            comm.is_ok_and(|comm| comm.trim_end() == name)
        })
        .filter_map(|pid| rustix::process::Pid::from_raw(pid.parse().ok()?))
        .collect()
}

#[test]
fn whoever_kills_the_launcher_stops_nothing() {
    let host = host();
    let mut before = start(&host, &["echo before"]);
    let launchers = children_named("launcher");
    assert!(!launchers.is_empty());
    for pid in launchers {
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }
    assert_eq!(run_ok(&mut before, 0), "before\n");
    // Without overlays they take turns.
    drop(before);
    let mut after = start(&host, &["echo after"]);
    assert_eq!(run_ok(&mut after, 0), "after\n");
}

#[test]
fn an_argument_may_be_longer_than_one_message() {
    let long = "x".repeat(100_000);
    let mut sandbox = start(&host(), &[&format!("echo {long} | wc -c")]);
    assert_eq!(run_ok(&mut sandbox, 0).trim(), "100001");
}

/// Runs a script, lets so many of its calls that change files pass, and kills it before the
/// next; how many there were.
fn until_write(sandbox: &mut Sandbox, passing: usize) -> usize {
    each_write(sandbox, passing, |_, _| {})
}

/// The same, where each that passes is shown, with the host's number of the script's process.
fn each_write(sandbox: &mut Sandbox, passing: usize, mut look: impl FnMut(&Call, i32)) -> usize {
    let (child, watch) = sandbox
        .spawn_watched(0, Announced::Changes, null(), null(), null())
        .unwrap();
    let watch = watch.expect("this kernel announces calls");
    let mut seen = 0;
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        assert!(Instant::now() < end, "the command does not end");
        if sandbox.next_exit().is_some() {
            return seen;
        }
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let mut fds = [PollFd::new(&watch, PollFlags::IN)];
        let tick = Timespec {
            tv_sec: 0,
            tv_nsec: 1_000_000,
        };
        poll(&mut fds, Some(&tick)).unwrap();
        if !fds[0].revents().contains(PollFlags::IN) {
            continue;
        }
        let Some(call) = watch.next() else {
            continue;
        };
        if call.changes && seen == passing {
            sandbox.kill_family(child.id);
        } else {
            if call.changes {
                look(&call, child.host_pid);
                seen += 1;
            }
            watch.allow(call);
        }
    }
}

#[test]
fn a_command_can_be_stopped_before_any_of_its_writes() {
    const SCRIPT: &str =
        "printf a >$D/a; (mkdir $D/b; mv $D/a $D/b/c) 2>/dev/null; chmod 600 $D/b/c; echo x";
    let host = host();
    let mut whole = start(&host, &[SCRIPT]);
    let count = until_write(&mut whole, usize::MAX);
    // The file is made and written, the directory made, the file moved, its mode set; nothing is
    // changed in /dev.
    assert_eq!(count, 5);
    drop(whole);
    let left = ["", "a 0", "a 1", "a 1\nb", "b\nb/c 644", "b\nb/c 600"];
    for (passing, expected) in left.iter().enumerate() {
        let look = "cd $D; for f in *; do case $f in a) echo a $(wc -c <a);; b) echo b;; esac; done
            test ! -e b/c || stat -c 'b/c %a' b/c";
        let mut sandbox = start(&host, &[SCRIPT, look]);
        assert_eq!(until_write(&mut sandbox, passing), passing);
        assert_eq!(run_ok(&mut sandbox, 1).trim(), *expected, "{passing}");
    }
}

#[test]
fn a_call_reports_the_paths_it_changes_and_its_process() {
    let Some(host) = overlay() else { return };
    let script = "cd $D; printf a >./a; mkdir b; cd b; mv ../a c; keep x";
    let mut keeps = sh(script);
    keeps.env[0].1 = "/tmp/stickler/bin:/usr/bin:/bin".into();
    let spec = Spec {
        commands: vec![keeps],
        plant: vec![PlantedFile {
            path: "/tmp/stickler/bin/keep".into(),
            bytes: b"#!/bin/sh\ntouch -- \"$1\"\n".to_vec(),
            mode: 0o755,
        }],
        ..Spec::default()
    };
    let mut sandbox = Sandbox::start(&host, &spec).unwrap();
    let mut told = Vec::new();
    each_write(&mut sandbox, usize::MAX, |call, first| {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        let paths: Vec<String> = call.paths().into_iter().map(text).collect();
        let programs: Vec<String> = call.programs(first).into_iter().map(text).collect();
        told.push(format!(
            "{} {} | {}",
            call.name(),
            paths.join(" ").replace("/tmp/stickler/dir", "D"),
            programs.join(" ")
        ));
    });
    assert_eq!(
        told,
        [
            "open D/a | ",
            "write D/a | ",
            "mkdir D/b | mkdir",
            "rename D/a D/b/c | mv",
            "open D/b/x | touch keep",
        ]
    );
}

#[test]
fn an_exposed_directory_is_the_machines_own() {
    let shared = tempfile::tempdir_in("/var/tmp").unwrap();
    let options = HostOptions {
        expose: vec![shared.path().to_owned()],
        ..Default::default()
    };
    let Ok(host) = Host::probe(Some(Tier::Overlay), options) else {
        return;
    };
    let mut sandbox = start(&host, &[&format!("echo x > {}/a", shared.path().display())]);
    run_ok(&mut sandbox, 0);
    assert_eq!(fs::read(shared.path().join("a")).unwrap(), b"x\n");
}

#[test]
fn a_channel_is_on_descriptors_of_its_own_in_every_tier() {
    for tier in [Tier::Overlay, Tier::Copy, Tier::None] {
        let Ok(host) = Host::probe(Some(tier), HostOptions::default()) else {
            continue;
        };
        // What is asked comes back, nothing else is open, and standard input is empty.
        let script = "echo printed; cat >&2; ls /proc/self/fd | tr '\\n' ' '; head -n 1 <&3 >&4";
        let mut sandbox = start(&host, &[script]);
        let (mut printed, output) = std::io::pipe().unwrap();
        let (input, mut asks) = std::io::pipe().unwrap();
        let (mut answers, answer) = std::io::pipe().unwrap();
        let (child, _) = sandbox
            .spawn_on_channel(
                0,
                Announced::Nothing,
                [null(), output.into(), null()],
                [input.into(), answer.into()],
            )
            .unwrap();
        asks.write_all(b"hello\n").unwrap();
        drop(asks);
        assert_eq!(wait(&mut sandbox, child), ExitStatus::Code(0), "{tier}");
        let (mut out, mut back) = (String::new(), String::new());
        printed.read_to_string(&mut out).unwrap();
        answers.read_to_string(&mut back).unwrap();
        assert_eq!(back, "hello\n", "{tier}");
        // `ls` holds the directory that it reads as one more.
        assert_eq!(out.trim_end(), "printed\n0 1 2 3 4 5", "{tier}");
    }
}
