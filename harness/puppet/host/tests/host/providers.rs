//! The sound modules of `fixtures/providers`, and providers in other languages.

use crate::common::{Host, fixture};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// The command that starts the Ruby host.
const RUBY: &str = "exec ruby --disable-gems \"$0\"";

/// A host for a module whose state is kept at a place that a variable names.
fn ruby(name: &str, variable: &str, state: &Path) -> Host {
    let lib = fixture(name).join("lib");
    let mut host = Host::start_in(&lib, RUBY, &[(variable, state)]);
    host.call(
        "initialize",
        &json!({"protocol": 1, "runtime": "1.8.16", "path": [lib]}),
    );
    host
}

/// What is tried with a type: two resources, each as attributes without `ensure`, and the first one
/// changed.
struct Trial {
    kind: &'static str,
    /// The names under which changes are sent.
    names: [Value; 2],
    rows: [Value; 2],
    changed: Value,
}

/// The rows of a new instance.
fn rows(host: &mut Host, kind: &str) -> Vec<Value> {
    let provider = host.call("open", &json!({"type": kind}))["provider"].clone();
    let result = host.call("get", &json!({"provider": provider}));
    assert_eq!(result["class"].as_str().unwrap_or("Array"), "Array");
    host.call("close", &json!({"provider": provider}));
    result["value"].as_array().expect("rows").clone()
}

/// The row that has all of these attributes.
fn holds(rows: &[Value], wanted: &Value) -> bool {
    rows.iter().any(|row| {
        let wanted = wanted.as_object().expect("an object");
        wanted.iter().all(|(key, value)| &row[key] == value)
    })
}

/// Sets one resource; the action of the block that opened and ended.
fn set(host: &mut Host, provider: &Value, name: &Value, change: &Value) -> Option<String> {
    let result = host.call(
        "set",
        &json!({"provider": provider, "changes": [[name, change]]}),
    );
    assert!(result.get("failed").is_none(), "{result} {:?}", host.logs);
    assert!(result.get("changes_after").is_none(), "{result}");
    assert_eq!(result["definition_changed"], false);
    let [open, .., done] = &host.logs[..] else {
        assert!(host.logs.is_empty(), "{:?}", host.logs);
        return None;
    };
    assert_eq!(
        (&open["event"], &done["event"]),
        (&json!("open"), &json!("done"))
    );
    assert_eq!(open["arguments"][0], *name);
    open["action"].as_str().map(str::to_owned)
}

/// A resource comes, changes and goes, and another one stays.
fn lives(host: &mut Host, trial: &Trial) {
    let ensurable = trial.rows[0].get("ensure").is_some();
    let definition = host.call("load", &json!({"type": trial.kind}));
    assert_eq!(definition["types"][0]["name"], trial.kind);
    assert_eq!(definition["warnings"], json!([]));
    assert_eq!(rows(host, trial.kind), [] as [Value; 0], "{}", trial.kind);
    let opened = host.call("open", &json!({"type": trial.kind}));
    let provider = &opened["provider"];
    let [name, other] = &trial.names;
    // The state is known not to exist, or it is not known.
    let change = json!({"is": null, "should": trial.rows[0]});
    assert_eq!(
        set(host, provider, name, &change).as_deref(),
        Some("creating")
    );
    let change = json!({"is": {"ensure": "absent"}, "should": trial.rows[1]});
    assert_eq!(
        set(host, provider, other, &change).as_deref(),
        Some("creating")
    );
    let found = rows(host, trial.kind);
    assert_eq!(found.len(), 2);
    assert!(trial.rows.iter().all(|row| holds(&found, row)), "{found:?}");
    assert_eq!(rows(host, trial.kind), found);
    // The same again does no harm.
    let change = json!({"is": found[0], "should": trial.rows[0]});
    set(host, provider, name, &change);
    assert_eq!(rows(host, trial.kind), found);
    let change = json!({"is": trial.rows[0], "should": trial.changed});
    assert_eq!(
        set(host, provider, name, &change).as_deref(),
        Some("updating")
    );
    let changed = rows(host, trial.kind);
    assert!(
        holds(&changed, &trial.changed) && holds(&changed, &trial.rows[1]),
        "{changed:?}"
    );
    let change = json!({"is": trial.changed});
    assert_eq!(
        set(host, provider, name, &change).as_deref(),
        Some("deleting")
    );
    let left = rows(host, trial.kind);
    assert!(left.len() == 1 && holds(&left, &trial.rows[1]), "{left:?}");
    if ensurable {
        let change = json!({"is": trial.rows[1], "should": {"ensure": "absent"}});
        assert_eq!(
            set(host, provider, other, &change).as_deref(),
            Some("deleting")
        );
        assert_eq!(rows(host, trial.kind), [] as [Value; 0]);
    }
    host.call("set", &json!({"provider": provider, "changes": []}));
    assert!(host.logs.is_empty());
}

fn with(attributes: &Value, more: &Value) -> Value {
    let mut all = attributes.clone();
    let more = more.as_object().expect("an object");
    all.as_object_mut().expect("an object").extend(more.clone());
    all
}

/// Two resources `a` and `b`, ensurable, with a single namevar `name`.
fn plain(kind: &'static str, first: &Value, second: &Value, changed: &Value) -> Trial {
    let of = |name: &str, more| with(&json!({"name": name, "ensure": "present"}), more);
    Trial {
        kind,
        names: [json!("a"), json!("b")],
        rows: [of("a", first), of("b", second)],
        changed: of("a", changed),
    }
}

/// Runs a trial of a Ruby module, twice: with an empty folder and with a missing one.
fn module(variable: &str, trial: &Trial) {
    for place in ["state", "deep/state"] {
        let folder = tempfile::tempdir().expect("a folder");
        if place == "deep/state" && !variable.ends_with("_DIR") {
            // Files lie in folders that are there.
            continue;
        }
        let mut host = ruby(trial.kind, variable, &folder.path().join(place));
        lives(&mut host, trial);
    }
}

#[test]
fn package_key_keeps_keys() {
    let owner = |owner: &str| json!({"owner": owner});
    module(
        "PACKAGE_KEYS_DIR",
        &plain(
            "package_key",
            &owner("Zoë"),
            &json!({"owner": null}),
            &owner("x: y"),
        ),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("package_key", "PACKAGE_KEYS_DIR", folder.path());
    let provider = host.open("package_key");
    let source = folder.path().join("source");
    std::fs::write(&source, b"key\n\xff\n").expect("a file");
    let should = json!({"name": "a", "ensure": "present", "source": source});
    set(
        &mut host,
        &provider,
        &json!("a"),
        &json!({"is": null, "should": should}),
    );
    assert_eq!(rows(&mut host, "package_key")[0]["size"], 6);
    // A failure is reported for its resource, and the others are set.
    let missing = json!({"name": "b", "ensure": "present", "source": "/nope"});
    let fine = json!({"name": "c", "ensure": "present"});
    let changes =
        json!([["b", {"is": null, "should": missing}], ["c", {"is": null, "should": fine}]]);
    let result = host.call("set", &json!({"provider": provider, "changes": changes}));
    assert_eq!(result["failed"], true);
    assert_eq!(rows(&mut host, "package_key").len(), 2);
    // What is damaged is not taken for nothing.
    std::fs::write(folder.path().join("d.key"), "damaged").expect("a file");
    assert_eq!(
        host.fail("get", &json!({"provider": provider}))["data"]["class"],
        "Puppet::Error"
    );
}

#[test]
fn daily_job_keeps_jobs() {
    let first = json!({"command": "echo \"ä\"\n", "hour": 3, "enabled": true, "weight": 1.0, "owner": "root"});
    let changed = json!({"command": "true", "hour": 0, "enabled": false, "owner": "root"});
    module(
        "DAILY_JOBS_DIR",
        &plain("daily_job", &first, &json!({"hour": 5}), &changed),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("daily_job", "DAILY_JOBS_DIR", folder.path());
    let provider = host.open("daily_job");
    // An owner never changes.
    let of = |owner: &str| json!({"name": "a", "ensure": "present", "owner": owner});
    set(
        &mut host,
        &provider,
        &json!("a"),
        &json!({"is": null, "should": of("one")}),
    );
    set(
        &mut host,
        &provider,
        &json!("a"),
        &json!({"is": of("one"), "should": of("two")}),
    );
    assert_eq!(rows(&mut host, "daily_job")[0]["owner"], "one");
}

#[test]
fn software_pin_has_two_namevars() {
    let of = |package: &str, manager: &str, version: Value| {
        json!({"title": format!("{package}-{manager}"), "package": package, "manager": manager,
               "ensure": "present", "version": version})
    };
    let trial = Trial {
        kind: "software_pin",
        names: [
            json!({"package": "php", "manager": "apt"}),
            json!({"package": "php", "manager": "gem"}),
        ],
        rows: [
            of("php", "apt", json!("8.2")),
            of("php", "gem", json!(null)),
        ],
        changed: of("php", "apt", json!("8.3")),
    };
    module("SOFTWARE_PINS", &trial);
}

#[test]
fn trusted_fingerprint_has_a_canonical_form() {
    let of = |digits: &str, comment: Value| json!({"fingerprint": digits, "ensure": "present", "comment": comment});
    let trial = Trial {
        kind: "trusted_fingerprint",
        names: [json!("6F6B15509CF8E59E"), json!("0123456789ABCDEF")],
        rows: [
            of("6F6B15509CF8E59E", json!("of 2026")),
            of("0123456789ABCDEF", json!(null)),
        ],
        changed: of("6F6B15509CF8E59E", json!("é")),
    };
    module("TRUSTED_FINGERPRINTS", &trial);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state");
    std::fs::write(&file, "# ours\n6F6B15509CF8E59E  two   blanks \n").expect("a file");
    let mut host = ruby("trusted_fingerprint", "TRUSTED_FINGERPRINTS", &file);
    let provider = host.open("trusted_fingerprint");
    let found = rows(&mut host, "trusted_fingerprint");
    assert_eq!(found, [of("6F6B15509CF8E59E", json!("two blanks"))]);
    let mut canonical = |resources: &Value| {
        host.call(
            "canonicalize",
            &json!({"provider": provider, "resources": resources}),
        )["value"]
            .clone()
    };
    assert_eq!(canonical(&json!(found)), json!(found));
    let odd = json!([{"fingerprint": "0x6f6b15509cf8e59e", "comment": "a  b"}, {"title": "x"}, {}]);
    let expected =
        json!([{"fingerprint": "6F6B15509CF8E59E", "comment": "a b"}, {"title": "x"}, {}]);
    assert_eq!(canonical(&odd), expected);
    assert_eq!(canonical(&expected), expected);
}

#[test]
fn host_aliases_compares_by_itself() {
    let aliases = |list: &[&str], force: bool| json!({"aliases": list, "force": force});
    let trial = plain(
        "host_aliases",
        &json!({"aliases": ["x", "y"]}),
        &json!({"aliases": []}),
        &json!({"aliases": ["x", "y", "z"]}),
    );
    module("HOST_ALIASES_DIR", &trial);
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("host_aliases", "HOST_ALIASES_DIR", folder.path());
    let provider = host.open("host_aliases");
    let mut insync = |property: &str, is: &[&str], should: &Value| {
        let params = json!({"provider": provider, "name": "a", "property": property, "is": {"aliases": is}, "should": should});
        host.call("insync", &params)["value"].clone()
    };
    assert_eq!(insync("ensure", &[], &aliases(&[], true)), json!(null));
    assert_eq!(
        insync("aliases", &["b", "a"], &aliases(&["a", "b"], true)),
        json!(true)
    );
    assert_eq!(
        insync("aliases", &["b", "a"], &aliases(&["a"], false)),
        json!(true)
    );
    assert_eq!(
        insync("aliases", &["b", "a"], &aliases(&["a"], true)),
        json!([false, "removing b"])
    );
    assert_eq!(
        insync("aliases", &["b"], &aliases(&["a"], false)),
        json!([false, "adding a"])
    );
}

#[test]
fn file_index_has_no_properties() {
    let trial = Trial {
        kind: "file_index",
        names: [json!("a"), json!("b")],
        rows: [json!({"name": "a"}), json!({"name": "b"})],
        changed: json!({"name": "a"}),
    };
    module("FILE_INDEXES_DIR", &trial);
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("file_index", "FILE_INDEXES_DIR", folder.path());
    let provider = host.open("file_index");
    let insync = |host: &mut Host, entries: Value| {
        let should = json!({"name": "a", "entries": entries});
        let params = json!({"provider": provider, "name": "a", "property": "rsapi_custom_insync_trigger", "is": {}, "should": should});
        host.call("insync", &params)["value"].clone()
    };
    assert_eq!(insync(&mut host, json!(["x", "y"])), false);
    let change = json!({"is": null, "should": {"name": "a", "entries": ["y", "x"]}});
    set(&mut host, &provider, &json!("a"), &change);
    assert_eq!(insync(&mut host, json!(["x", "y"])), true);
    assert_eq!(insync(&mut host, json!(null)), true);
    assert_eq!(insync(&mut host, json!(["x"])), false);
}

#[test]
fn registry_entry_answers_for_names() {
    let value =
        json!({"value": {"$h": [["a", [1, 2.0, null, true]], ["b", {"$h": [["c", "é\n"]]}]]}});
    module(
        "REGISTRY_DIR",
        &plain(
            "registry_entry",
            &value,
            &json!({"value": null}),
            &json!({"value": "x"}),
        ),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("registry_entry", "REGISTRY_DIR", folder.path());
    let provider = host.open("registry_entry");
    for name in ["../x", "a\u{0}b", "Ünï/cödé", "$(touch x)"] {
        let should = json!({"name": name, "ensure": "present", "value": 1});
        set(
            &mut host,
            &provider,
            &json!(name),
            &json!({"is": null, "should": should}),
        );
    }
    let mut get = |names: Value| {
        let value =
            host.call("get", &json!({"provider": provider, "names": names}))["value"].clone();
        value.as_array().expect("rows").len()
    };
    assert_eq!(get(json!(null)), 4);
    assert_eq!(get(json!(["../x", "gone"])), 1);
    assert_eq!(get(json!([])), 4);
}

#[test]
fn kernel_setting_knows_noop() {
    let of = |name: &str, value: &str| json!({"name": name, "value": value});
    let trial = Trial {
        kind: "kernel_setting",
        names: [json!("a"), json!("b.c")],
        rows: [of("a", "1"), of("b.c", "x = y")],
        changed: of("a", "2 # no comment"),
    };
    module("KERNEL_SETTINGS", &trial);
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("state");
    std::fs::write(&file, "# ours\na=1\n# theirs\na = 2\n").expect("a file");
    let mut host = ruby("kernel_setting", "KERNEL_SETTINGS", &file);
    let provider = host.open("kernel_setting");
    assert_eq!(rows(&mut host, "kernel_setting"), [of("a", "2")]);
    let changes = json!([["a", {"is": of("a", "2"), "should": of("a", "3")}]]);
    host.call(
        "set",
        &json!({"provider": provider, "changes": changes, "noop": true}),
    );
    assert_eq!(host.logs[0]["event"], "log");
    assert_eq!(rows(&mut host, "kernel_setting"), [of("a", "2")]);
    host.call(
        "set",
        &json!({"provider": provider, "changes": changes, "noop": false}),
    );
    let text = std::fs::read_to_string(&file).expect("the file");
    assert_eq!(text, "# ours\na = 3\n# theirs\n");
}

#[test]
fn api_credential_wraps_passwords() {
    let password = |text: &str| json!({"user": "robot", "password": {"$sens": text}});
    module(
        "API_CREDENTIALS_DIR",
        &plain(
            "api_credential",
            &password("correct"),
            &json!({"user": null}),
            &password("\"é"),
        ),
    );
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("api_credential", "API_CREDENTIALS_DIR", folder.path());
    let provider = host.open("api_credential");
    let bad = json!({"ensure": "present", "password": {"$sens": {"$bin": "c2VjcmV0/w==", "encoding": "UTF-8"}}});
    let changes = json!([["a", {"is": null, "should": bad}]]);
    assert_eq!(
        host.call("set", &json!({"provider": provider, "changes": changes}))["failed"],
        true
    );
    assert!(
        !host.logs[1].to_string().contains("secret"),
        "{:?}",
        host.logs
    );
    std::fs::write(folder.path().join("a.json"), "{\"password\": \"secret").expect("a file");
    let error = host.fail("get", &json!({"provider": provider}));
    assert!(!error["message"].to_string().contains("secret"), "{error}");
}

/// A switch on a port of its own.
struct Switch(Child, u16);

impl Switch {
    fn start() -> Switch {
        let mut child = Command::new("python3")
            .arg(fixture("nexus").join("device.py"))
            .arg("0")
            .stdout(Stdio::piped())
            .spawn()
            .expect("python3");
        let mut line = String::new();
        let output = child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut line).expect("a port");
        Switch(child, line.trim().parse().expect("a port"))
    }
}

impl Drop for Switch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn nexus_manages_a_remote_device() {
    let switch = Switch::start();
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("nexus", "UNUSED", folder.path());
    let info = |password: &str| {
        let info =
            json!({"host": "127.0.0.1", "port": switch.1, "user": "admin", "password": password});
        json!({"transport": "nexus", "connection_info": info})
    };
    let error = host.fail("connect", &info("wrong"));
    assert_eq!(
        error["message"],
        "the switch refuses login: unknown user or wrong password"
    );
    let connected = host.call("connect", &info("correct horse"));
    assert!(
        connected.get("connection_info_after").is_none(),
        "{connected}"
    );
    let transport = json!({"transport": connected["transport"]});
    host.call("verify", &transport);
    assert_eq!(
        host.call("facts", &transport)["value"]["$h"][0],
        json!(["operatingsystem", "nexus"])
    );
    let shown = host.call("inspect", &transport)["value"].to_string();
    assert!(!shown.contains("horse"), "{shown}");

    let provider = host.open("nx9k_vlan");
    let of = |description: Value| json!({"name": "42", "ensure": "present", "description": description, "shutdown": false});
    let key = json!("42");
    for (change, action) in [
        (
            json!({"is": null, "should": of(json!("printers"))}),
            "creating",
        ),
        (json!({"should": of(json!("é"))}), "updating"),
        (json!({"is": of(json!("é"))}), "deleting"),
    ] {
        assert_eq!(
            set(&mut host, &provider, &key, &change).as_deref(),
            Some(action)
        );
        let found = rows(&mut host, "nx9k_vlan");
        assert_eq!(found.len(), if action == "deleting" { 2 } else { 3 });
        assert!(
            action == "deleting" || holds(&found, &change["should"]),
            "{found:?}"
        );
    }
    host.call("close", &transport);
    host.call("close", &transport);
    assert_eq!(
        host.fail("verify", &transport)["message"],
        "the session is closed"
    );
    host.call("connect", &info("correct horse"));
    drop(switch);
    assert!(host.fail("get", &json!({"provider": provider}))["message"].is_string());
}

#[test]
fn nexus_logs_its_attempts() {
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .and_then(|one| one.local_addr())
        .expect("a port")
        .port();
    let folder = tempfile::tempdir().expect("a folder");
    let mut host = ruby("nexus", "UNUSED", folder.path());
    let info = json!({"host": "127.0.0.1", "port": port, "user": "u", "password": "p"});
    let error = host.fail(
        "connect",
        &json!({"transport": "nexus", "connection_info": info}),
    );
    assert!(
        error["message"]
            .as_str()
            .expect("text")
            .starts_with("cannot reach"),
        "{error}"
    );
    let levels: Vec<&Value> = host.logs.iter().map(|log| &log["level"]).collect();
    assert_eq!(levels, ["notice", "notice"]);
}

/// A provider in another language.
fn foreign(command: &str, variable: &str, state: &Path, kind: &str) -> Host {
    let mut host = Host::start_in(
        state.parent().expect("a folder"),
        command,
        &[(variable, state)],
    );
    let result = host.call(
        "initialize",
        &json!({"protocol": 1, "runtime": "spec", "path": []}),
    );
    assert_eq!(
        (&result["protocol"], &result["ruby"]),
        (&json!(1), &json!(null))
    );
    assert_eq!(host.call("load", &json!({}))["types"][0]["name"], kind);
    host
}

/// What every host has to do, whatever its language.
fn well_behaved(mut host: Host, kind: &str) {
    assert_eq!(host.fail("frobnicate", &json!({}))["code"], -32601);
    assert_eq!(host.fail("get", &json!({"provider": 99}))["code"], -32602);
    assert!(host.exchange(b"{\n").contains("-32700"));
    assert!(host.exchange(b"[]\n").contains("-32600"));
    assert_eq!(host.fail("open", &json!({"type": "other"}))["code"], -32602);
    let one = host.call("open", &json!({"type": kind}))["provider"].clone();
    let two = host.call("open", &json!({"type": kind}))["provider"].clone();
    assert_ne!(one, two);
    host.call("close", &json!({"provider": one}));
    assert_eq!(host.fail("get", &json!({"provider": one}))["code"], -32602);
    host.call("get", &json!({"provider": two}));
    assert_eq!(host.end(), Some(0));
}

#[test]
fn notes_in_python_speak_the_protocol() {
    let program = fixture("notes_py").join("notes.py");
    let descriptors = format!(
        "exec 3<&0 4>&1 </dev/null >&2; STICKLER_RPC_FD=3,4 exec '{}'",
        program.display()
    );
    for command in [format!("exec '{}'", program.display()), descriptors] {
        let folder = tempfile::tempdir().expect("a folder");
        let state = folder.path().join("notes");
        let mut host = foreign(&command, "NOTES_DIR", &state, "note");
        let text = |text: &str| json!({"text": text, "priority": 1});
        lives(
            &mut host,
            &plain("note", &text("é\n"), &json!({"text": null}), &text("x")),
        );
        let number = host.call("open", &json!({"type": "note"}))["provider"].clone();
        let params = json!({"provider": number, "resources": [{"name": "AbC"}, {}]});
        assert_eq!(
            host.call("canonicalize", &params)["value"],
            json!([{"name": "abc"}, {}])
        );
        well_behaved(host, "note");
    }
}

#[test]
fn limits_in_rust_speak_the_protocol() {
    let folder = tempfile::tempdir().expect("a folder");
    let program = folder.path().join("limits");
    let status = Command::new("rustc")
        .args(["--edition", "2024", "-o"])
        .arg(&program)
        .arg(fixture("limits_rs").join("limits.rs"))
        .status()
        .expect("rustc");
    assert!(status.success());
    let descriptors = format!(
        "exec 3<&0 4>&1 </dev/null >&2; STICKLER_RPC_FD=3,4 exec '{}'",
        program.display()
    );
    for command in [format!("exec '{}'", program.display()), descriptors] {
        let state = folder.path().join("state");
        let mut host = foreign(&command, "LIMITS_FILE", &state, "process_limit");
        let of = |soft: Value| json!({"soft": soft, "hard": 100});
        lives(
            &mut host,
            &plain(
                "process_limit",
                &of(json!(5)),
                &json!({"soft": null}),
                &of(json!(50)),
            ),
        );
        let number = host.call("open", &json!({"type": "process_limit"}))["provider"].clone();
        let insync = |is: u64, should: u64| {
            json!({"provider": number, "name": "a", "property": "soft",
                   "is": {"soft": is, "hard": 100}, "should": {"soft": should}})
        };
        assert_eq!(host.call("insync", &insync(100, 200))["value"], true);
        assert_eq!(host.call("insync", &insync(50, 200))["value"], json!(null));
        let changes = json!([["a", {"should": {"ensure": "present", "soft": 1}}]]);
        host.call(
            "set",
            &json!({"provider": number, "changes": changes, "noop": true}),
        );
        assert_eq!(rows(&mut host, "process_limit"), [] as [Value; 0]);
        std::fs::write(&state, "damaged").expect("a file");
        assert_eq!(host.fail("get", &json!({"provider": number}))["code"], 1);
        std::fs::remove_file(&state).expect("removed");
        well_behaved(host, "process_limit");
    }
}

#[test]
fn the_real_library_accepts_the_definitions() {
    let folder = tempfile::tempdir().expect("a folder");
    for (module, kind) in [
        ("package_key", "package_key"),
        ("daily_job", "daily_job"),
        ("software_pin", "software_pin"),
        ("trusted_fingerprint", "trusted_fingerprint"),
        ("host_aliases", "host_aliases"),
        ("file_index", "file_index"),
        ("registry_entry", "registry_entry"),
        ("kernel_setting", "kernel_setting"),
        ("api_credential", "api_credential"),
        ("nexus", "nx9k_vlan"),
    ] {
        let lib = fixture(module).join("lib");
        let mut host = Host::start_in(folder.path(), RUBY, &[]);
        let params = json!({"protocol": 1, "path": [lib], "real": true});
        if host.ask("initialize", &params).get("error").is_some() {
            // Without Puppet there is nothing to compare with.
            return;
        }
        let result = host.call("load", &json!({"type": kind}));
        assert!(
            host.logs.iter().all(|log| log["level"] == "debug"),
            "{kind}: {:?}",
            host.logs
        );
        assert_eq!(result["types"].as_array().map(Vec::len), Some(1));
        if module == "nexus" {
            host.call("load", &json!({"transport": "nexus"}));
        } else {
            host.call("open", &json!({"type": kind}));
        }
    }
}
