//! Whole transactions, compared with the real Puppet: messages, statuses, events, and the calls that
//! providers got.

mod manifests;

use puppet_diff::{PEER, Seen, compare_seen};
use puppet_manifest::compile;
use puppet_runtime::{Exchange, Fault, ListedResource, Release, Runtime, RuntimeSettings};
use puppet_suite::SPEECH;
use puppet_types::{Dice, Value};
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use stickler_rpc::Client;

/// So many catalogs are applied on each side; `STICKLER_TEST_CATALOGS` says otherwise.
const CATALOGS: u64 = 150;

/// The real Puppet.
struct Peer {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    store: PathBuf,
}

impl Peer {
    fn start(folder: &Path) -> Self {
        let program = folder.join("peer.rb");
        fs::write(&program, PEER).expect("written");
        let store = folder.join("theirs");
        fs::create_dir(&store).expect("a folder");
        let mut child = Command::new("ruby")
            .arg(program)
            .args([module_lib(), folder.join("puppet")])
            .env("STORED", &store)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("ruby starts");
        Peer {
            input: child.stdin.take().expect("a pipe"),
            output: BufReader::new(child.stdout.take().expect("a pipe")),
            child,
            store,
        }
    }

    fn apply(&mut self, manifest: &str, settings: &RuntimeSettings) -> Seen {
        let request = serde_json::json!({
            "manifest": manifest,
            "strict": settings.strict.name(),
            "noop": settings.noop,
        });
        self.ask(&request)
    }

    fn ask<T: serde::de::DeserializeOwned>(&mut self, request: &serde_json::Value) -> T {
        writeln!(self.input, "{request}").expect("sent");
        let mut line = String::new();
        self.output.read_line(&mut line).expect("an answer");
        serde_json::from_str(&line).unwrap_or_else(|error| {
            panic!("Puppet with its Resource API is needed (puppet-agent, ruby-puppet-resource-api): {error}: {line}")
        })
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn module_lib() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/module/lib")
}

/// Stickler's side.
struct Own {
    host: Client,
    store: PathBuf,
}

impl Own {
    fn start(folder: &Path, release: Release) -> Self {
        let entry = puppet_host::HOST
            .install(&folder.join("host"))
            .expect("the host is written");
        let store = folder.join("ours");
        fs::create_dir(&store).expect("a folder");
        let argv = [
            "ruby".as_ref(),
            "--disable-gems".as_ref(),
            entry.as_os_str(),
        ];
        let argv = argv.map(|word| word.as_encoded_bytes().into());
        let env = [("STORED".to_owned(), store.to_string_lossy().into_owned())];
        let mut host = Client::start(&argv, folder, &env, SPEECH).expect("ruby starts");
        let params = Value::hash([
            ("protocol", Value::integer(1)),
            ("runtime", Value::string(release.api.name)),
            ("exact", Value::Bool(release != Release::SPEC)),
            (
                "path",
                Value::Array(vec![Value::string(module_lib().to_string_lossy())]),
            ),
        ]);
        Exchange::of(&mut host, "initialize", &params).expect("the host answers");
        Own { host, store }
    }

    fn apply(&mut self, manifest: &str, settings: &RuntimeSettings) -> Option<Seen> {
        let mut logs = Vec::new();
        let catalog = match compile("m.pp", manifest) {
            Ok(catalog) => catalog,
            Err(errors) => {
                return Some(Seen::of(&[], None, Some(errors[0].message.clone())));
            }
        };
        let mut sink = |log| logs.push(log);
        let mut runtime = Runtime::new(&mut self.host, settings.clone(), &mut sink);
        let applied = runtime.apply(&catalog).map_err(|stopped| stopped.fault);
        match applied {
            Ok(report) => {
                let error = report.stopped.as_ref().map(|one| one.message.clone());
                Some(Seen::of(&logs, Some(&report), error))
            }
            Err(Fault::Raised(raised)) => Some(Seen::of(&logs, None, Some(raised.message))),
            Err(Fault::Unsupported(_) | Fault::NoType(_)) => None,
            Err(other) => panic!("{other}: {manifest}"),
        }
    }
}

/// The calls that providers got, and what they stored.
fn stored(folder: &Path) -> String {
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .expect("read")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    let mut text = String::new();
    for file in files {
        text += &format!(
            "== {}\n",
            file.file_name().expect("a name").to_string_lossy()
        );
        text += &fs::read_to_string(&file).expect("read");
        fs::remove_file(&file).expect("removed");
    }
    text
}

#[test]
fn transactions_are_those_of_puppet() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut theirs = Peer::start(folder.path());
    let mut ours = Own::start(folder.path(), Release::PUPPET_7);
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse().ok());
    let seed = number("STICKLER_TEST_SEED").unwrap_or(0);
    let mut compared = 0;
    let mut failures = Vec::new();
    let generated = (0..number("STICKLER_TEST_CATALOGS").unwrap_or(CATALOGS)).map(|index| {
        let mut dice = Dice::new(seed * 1_000_003 + index, "manifests");
        manifests::any(&mut dice)
    });
    for case in manifests::fixed().into_iter().chain(generated) {
        for (name, rows) in &case.rows {
            for store in [&ours.store, &theirs.store] {
                fs::write(store.join(format!("{name}.json")), rows).expect("written");
            }
        }
        let settings = RuntimeSettings {
            strict: case.strict,
            noop: case.noop,
            release: Release::PUPPET_7,
            ..RuntimeSettings::default()
        };
        let their = theirs.apply(&case.manifest, &settings);
        let own = ours.apply(&case.manifest, &settings);
        let (own_store, their_store) = (stored(&ours.store), stored(&theirs.store));
        let Some(own) = own else {
            continue;
        };
        compared += 1;
        let mut differences: Vec<String> = compare_seen(&their, &own)
            .iter()
            .map(|one| format!("{} {}\n{}", one.aspect, one.parts.join(" "), one.diff))
            .collect();
        if own.error.is_none() && own_store != their_store {
            differences.push(format!("calls\n{own_store}---\n{their_store}"));
        }
        if !differences.is_empty() {
            failures.push(format!(
                "{}\n  strict {}, noop {}, {:?}\n{}",
                case.manifest,
                case.strict.name(),
                case.noop,
                case.rows,
                differences.join("\n")
            ));
        }
    }
    let most = 5;
    assert!(
        failures.is_empty(),
        "{} of {compared} differ:\n\n{}",
        failures.len(),
        failures[..failures.len().min(most)].join("\n\n")
    );
    assert!(compared > 100, "only {compared} were compared");
}

#[test]
fn resources_are_shown_as_puppet_shows_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut theirs = Peer::start(folder.path());
    let mut ours = Own::start(folder.path(), Release::PUPPET_7);
    let mut compared = 0;
    for index in 0..40 {
        let case = manifests::any(&mut Dice::new(index, "shown"));
        for (name, rows) in &case.rows {
            for store in [&ours.store, &theirs.store] {
                fs::write(store.join(format!("{name}.json")), rows).expect("written");
            }
        }
        for (kind, _) in &case.rows {
            for name in [None, Some("a"), Some("nobody")] {
                let strict = case.strict.name();
                let request = match name {
                    Some(name) => serde_json::json!({"resource": [kind, name], "strict": strict}),
                    None => serde_json::json!({"resource": [kind], "strict": strict}),
                };
                let their: serde_json::Value = theirs.ask(&request);
                let settings = RuntimeSettings {
                    strict: case.strict,
                    munges: true,
                    release: Release::PUPPET_7,
                    ..RuntimeSettings::default()
                };
                let mut quiet = |_| {};
                let mut runtime = Runtime::new(&mut ours.host, settings, &mut quiet);
                let own = match name {
                    Some(name) => runtime.find(kind, name).map(|one| vec![one]),
                    None => runtime.list(kind),
                };
                let own = match own {
                    Ok(all) => {
                        let all: Vec<String> = all.iter().map(ListedResource::in_words).collect();
                        serde_json::json!({"shown": all.join("\n")})
                    }
                    Err(Fault::Raised(raised)) => serde_json::json!({"error": raised.message}),
                    Err(other) => panic!("{other}"),
                };
                assert_eq!(
                    own, their,
                    "{kind} {name:?} strict {strict}: {:?}",
                    case.rows
                );
                compared += 1;
            }
        }
        stored(&ours.store);
        stored(&theirs.store);
    }
    assert!(compared > 200, "only {compared}");
}

/// The calls that a manifest leads to in a version, for the rows of a type.
fn calls(release: Release, noop: bool, rows: (&str, &str), manifest: &str) -> (Seen, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut own = Own::start(folder.path(), release);
    fs::write(own.store.join(format!("{}.json", rows.0)), rows.1).expect("written");
    let settings = RuntimeSettings {
        release,
        noop,
        ..RuntimeSettings::default()
    };
    let seen = own.apply(manifest, &settings).expect("supported");
    let calls = fs::read_to_string(own.store.join("calls")).expect("calls");
    (seen, calls)
}

#[test]
fn the_specification_calls_get_once_and_omits_absent_resources() {
    let rows = r#"[{"pkg":"a","mgr":"x","title":"a-x","ensure":"present","v":1}]"#;
    let manifest = "d_multi { 'a-x': ensure => absent } d_multi { 'b-y': v => 2 } d_multi { 'c-z': ensure => absent }";
    let (seen, calls) = calls(Release::SPEC, false, ("d_multi", rows), manifest);
    assert_eq!(seen.error, None);
    let lines: Vec<&str> = calls.lines().collect();
    assert_eq!(
        lines,
        [
            r#"get d_multi [{:pkg=>"a", :mgr=>"x"}, {:pkg=>"b", :mgr=>"y"}, {:pkg=>"c", :mgr=>"z"}]"#,
            r#"set d_multi {{:pkg=>"a", :mgr=>"x"}=>{:is=>{:pkg=>"a", :mgr=>"x", :title=>"a-x", :ensure=>"present", :v=>1}}}"#,
            r#"set d_multi {{:pkg=>"b", :mgr=>"y"}=>{:is=>nil, :should=>{:pkg=>"b", :mgr=>"y", :v=>2, :ensure=>"present"}}}"#,
        ]
    );
}

#[test]
fn a_broken_backend_is_asked_once_by_the_specification() {
    let broken = ("d_plain", r#"[{"broken":true}]"#);
    let manifest = "d_plain { ['a', 'b']: }";
    let (seen, all) = calls(Release::SPEC, false, broken, manifest);
    assert!(seen.statuses.iter().all(|one| one.failed), "{seen:?}");
    assert_eq!(all, "get d_plain nil\n");
    let (_, all) = calls(Release::PUPPET_7, false, broken, manifest);
    assert_eq!(all, "get d_plain nil\nget d_plain nil\n");
}

#[test]
fn only_the_specification_calls_providers_in_noop_mode() {
    let none = ("d_simple", "[]");
    let manifest = "d_simple { 'a': v => 1 }";
    let (_, all) = calls(Release::SPEC, true, none, manifest);
    assert!(all.contains("true\n"), "{all}");
    let (_, all) = calls(Release::PUPPET_7, true, none, manifest);
    assert!(!all.contains("set"), "{all}");
}

#[test]
fn the_newer_library_keeps_rows() {
    let rows = r#"[{"name":"a","ensure":"present","v":1},{"name":"b","ensure":"present"}]"#;
    let manifest = "d_plain { 'a': v => 1 } d_plain { 'b': } d_plain { 'c': }";
    let (_, all) = calls(Release::PUPPET_8, false, ("d_plain", rows), manifest);
    assert_eq!(all.matches("get").count(), 2, "{all}");
}
