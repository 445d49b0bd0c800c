//! What the launchers in `ci/launch/` say: command lines that the binary knows, a workflow and a
//! manifest in which each name has its meaning.

use crate::cli::Folder;
use crate::common::root;
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

fn read(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn as_json(yaml: &Yaml) -> Value {
    match yaml {
        Yaml::Value(Scalar::Null) => Value::Null,
        Yaml::Value(Scalar::Boolean(value)) => json!(value),
        Yaml::Value(Scalar::Integer(value)) => json!(value),
        Yaml::Value(Scalar::FloatingPoint(value)) => json!(value.into_inner()),
        Yaml::Value(Scalar::String(value)) => json!(value),
        Yaml::Sequence(items) => items.iter().map(as_json).collect(),
        Yaml::Mapping(members) => {
            let members = members.iter().map(|(name, value)| {
                let name = name.as_str().expect("a key is text").to_owned();
                (name, as_json(value))
            });
            Value::Object(members.collect())
        }
        other => panic!("{other:?}"),
    }
}

fn documents(name: &str) -> Vec<Value> {
    let text = read(name);
    let all = Yaml::load_from_str(&text).expect("YAML");
    all.iter().map(as_json).collect()
}

/// The words of each call of stickler in a text, as far as a shell's end of a command.
fn calls(text: &str) -> Vec<Vec<String>> {
    let text = text.replace("\\\n", " ");
    let mut calls = Vec::new();
    for line in text.lines() {
        let line = line.replace("\"$stickler\"", "stickler");
        for (at, _) in line.match_indices("stickler fuzz") {
            let before = line[..at].chars().next_back();
            // A name in prose, such as `stickler fuzz`, is no call, nor is a part of a word.
            if before.is_some_and(|c| !c.is_whitespace()) {
                continue;
            }
            let end = line[at..]
                .find([';', '|', '`', '&', '#'])
                .map_or(line.len(), |end| at + end);
            let words = line[at..end].split_whitespace();
            let words = words.take_while(|word| *word != ">");
            let plain = |word: &str| match word.trim_matches('"') {
                "$@" => None,
                word if word.contains("shards") && word.contains('/') => Some("1/2".to_owned()),
                word if word.contains("SHARD") => Some("1/2".to_owned()),
                word if word.contains("TASK_COUNT") => Some("1/2".to_owned()),
                word => Some(word.to_owned()),
            };
            calls.push(words.skip(1).filter_map(plain).collect());
        }
    }
    calls
}

const FILES: [&str; 6] = [
    "ci/launch/parallel",
    "ci/launch/slurm",
    "ci/launch/kubernetes.yml",
    "ci/launch/github.yml",
    "docs/fuzz-services.md",
    "docs/fuzzing.md",
];

#[test]
fn each_call_of_stickler_is_one_that_it_knows() {
    let folder = Folder::empty();
    let known = |words: &[String]| {
        let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
        words.push("--help");
        folder.run(&words).code == 0
    };
    for file in FILES {
        let calls = calls(&read(file));
        assert!(calls.len() > 1, "{file}: {calls:?}");
        for call in calls {
            assert!(known(&call), "{file}: {call:?}");
        }
    }
    // The test would see a typo.
    let wrong = calls("  stickler fuzz --shard \"$k/$n\" --foldr x || exit\n");
    assert_eq!(wrong[0], ["fuzz", "--shard", "$k/$n", "--foldr", "x"]);
    assert!(!known(&wrong[0]));
    // The parts of a call that the launchers put together.
    for (file, call) in [
        (
            "parallel",
            "--shard \"{}/$shards\" --folder \"$out/part-{}\"",
        ),
        ("slurm", "--folder \"$part\" \"$@\""),
    ] {
        let text = read(&format!("ci/launch/{file}"));
        assert!(text.contains(call), "{file}: {call}");
    }
}

type Any = Option<Value>;

/// The fields of the API that a manifest of ours may use, by the names that Kubernetes knows
/// (v1.34: core/v1, batch/v1). An unknown one is a mistake, which a cluster would tell.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Metadata {
    name: Option<String>,
    #[serde(default)]
    labels: BTreeMap<String, String>,
    #[serde(default, rename = "annotations")]
    _annotations: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Job {
    api_version: String,
    kind: String,
    metadata: Metadata,
    spec: JobSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct JobSpec {
    #[serde(rename = "activeDeadlineSeconds")]
    _active_deadline_seconds: Option<u32>,
    backoff_limit: Option<u32>,
    #[serde(rename = "backoffLimitPerIndex")]
    _backoff_limit_per_index: Option<u32>,
    completion_mode: Option<String>,
    completions: Option<u32>,
    #[serde(rename = "maxFailedIndexes")]
    _max_failed_indexes: Option<u32>,
    parallelism: Option<u32>,
    #[serde(rename = "podFailurePolicy")]
    _pod_failure_policy: Any,
    #[serde(rename = "ttlSecondsAfterFinished")]
    _ttl_seconds_after_finished: Option<u32>,
    template: Template,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Template {
    metadata: Metadata,
    spec: PodSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PodSpec {
    restart_policy: String,
    containers: Vec<Container>,
    #[serde(default)]
    volumes: Vec<Volume>,
    #[serde(rename = "nodeSelector")]
    _node_selector: Any,
    #[serde(rename = "serviceAccountName")]
    _service_account_name: Option<String>,
    #[serde(rename = "tolerations")]
    _tolerations: Any,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Container {
    name: String,
    image: String,
    command: Vec<String>,
    working_dir: Option<String>,
    #[serde(default)]
    env: Vec<Variable>,
    #[serde(default)]
    volume_mounts: Vec<Mount>,
    #[serde(rename = "resources")]
    _resources: Option<Resources>,
    #[serde(rename = "securityContext")]
    _security_context: Option<SecurityContext>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Variable {
    name: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Mount {
    name: String,
    mount_path: String,
    #[serde(rename = "readOnly")]
    _read_only: Option<bool>,
    #[serde(rename = "subPath")]
    _sub_path: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Resources {
    #[serde(default, rename = "requests")]
    _requests: BTreeMap<String, String>,
    #[serde(default, rename = "limits")]
    _limits: BTreeMap<String, String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct SecurityContext {
    #[serde(rename = "privileged")]
    _privileged: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Volume {
    name: String,
    #[serde(rename = "configMap")]
    config_map: Option<ConfigMap>,
    persistent_volume_claim: Option<ClaimName>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ConfigMap {
    name: String,
    #[serde(rename = "defaultMode")]
    _default_mode: Option<u16>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ClaimName {
    claim_name: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct Claim {
    api_version: String,
    #[serde(rename = "kind")]
    _kind: String,
    metadata: Metadata,
    spec: ClaimSpec,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct ClaimSpec {
    access_modes: Vec<String>,
    #[serde(rename = "resources")]
    _resources: Resources,
    #[serde(rename = "storageClassName")]
    _storage_class_name: Option<String>,
}

/// What is wrong with a document, in the words of serde.
fn job(document: &Value) -> Result<Job, String> {
    serde_json::from_value(document.clone()).map_err(|error| error.to_string())
}

#[test]
fn the_manifest_has_only_fields_that_kubernetes_knows_and_names_that_exist() {
    let file = "ci/launch/kubernetes.yml";
    let (mut jobs, mut claims) = (Vec::new(), Vec::new());
    for document in documents(file) {
        match document["kind"].as_str() {
            Some("Job") => jobs.push(job(&document).unwrap_or_else(|error| panic!("{error}"))),
            Some("PersistentVolumeClaim") => {
                let claim: Claim = serde_json::from_value(document).expect("a claim");
                assert_eq!(claim.api_version, "v1");
                assert_eq!(claim.spec.access_modes, ["ReadWriteMany"]);
                claims.push(claim.metadata.name.expect("a name"));
            }
            other => panic!("{other:?}"),
        }
    }
    let text = read(file);
    for job in &jobs {
        let name = job.metadata.name.as_deref().expect("a name");
        assert_eq!((&*job.api_version, &*job.kind), ("batch/v1", "Job"));
        let is_plain = |c: char| c.is_ascii_lowercase() || c == '-';
        assert!(name.chars().all(is_plain), "{name}");
        let pod = &job.spec.template.spec;
        assert_eq!(pod.restart_policy, "Never", "{name}");
        assert_eq!(job.metadata.labels, job.spec.template.metadata.labels);
        // What the comment says to apply and to wait for.
        let label = &job.metadata.labels["stickler"];
        assert!(text.contains(&format!("job/{name}\n")), "{name}");
        assert!(["shards", "merge"].contains(&&**label), "{label}");
        let mut mounted = BTreeSet::new();
        for container in &pod.containers {
            assert_eq!(container.image, "IMAGE", "{}", container.name);
            assert_eq!(container.command[..2], ["sh", "-euc"]);
            let parsed = std::process::Command::new("sh")
                .args(["-n", "-c", &container.command[2]])
                .status();
            assert!(parsed.expect("sh runs").success(), "{name}");
            let at = container.working_dir.as_deref().expect("a folder");
            let paths: Vec<&str> = container
                .volume_mounts
                .iter()
                .map(|one| &*one.mount_path)
                .collect();
            assert!(paths.contains(&at), "{at}");
            mounted.extend(container.volume_mounts.iter().map(|mount| &mount.name));
        }
        assert_eq!(
            mounted,
            pod.volumes.iter().map(|volume| &volume.name).collect()
        );
        for volume in &pod.volumes {
            match (&volume.config_map, &volume.persistent_volume_claim) {
                (Some(map), None) => assert!(text.contains(&format!("configmap {} ", map.name))),
                (None, Some(claim)) => assert!(claims.contains(&claim.claim_name)),
                other => panic!("{other:?}"),
            }
        }
    }
    let [shards, merge] = &jobs[..] else {
        panic!("{} Jobs", jobs.len());
    };
    assert_eq!(shards.spec.completion_mode.as_deref(), Some("Indexed"));
    let count = shards.spec.completions.expect("a number");
    assert_eq!(shards.spec.parallelism, Some(count));
    let container = &shards.spec.template.spec.containers[0];
    let env = &container.env[0];
    assert_eq!((&*env.name, env.value.parse()), ("SHARDS", Ok(count)));
    // Kubernetes counts from 0, and a shard with findings is not to run again.
    assert!(container.command[2].contains("shard=$((JOB_COMPLETION_INDEX + 1))"));
    assert!(container.command[2].contains("|| [ $? -eq 1 ]"));
    assert_eq!(merge.spec.backoff_limit, Some(0));
    // The test would see a typo.
    let right = documents(file).remove(1);
    assert!(job(&right).is_ok());
    for (from, to) in [
        ("completionMode", "completionmode"),
        ("restartPolicy", "restart"),
        ("volumeMounts", "mounts"),
        ("claimName", "name"),
    ] {
        let wrong = right.to_string().replace(from, to);
        let wrong = serde_json::from_str(&wrong).expect("JSON");
        let error = job(&wrong).expect_err(to);
        assert!(error.contains("unknown field"), "{error}");
    }
}

/// The names after `prefix` in a text.
fn names<'t>(text: &'t str, prefix: &str) -> Vec<&'t str> {
    let rests = text.split(prefix).skip(1);
    let end = |c: char| !(c.is_ascii_alphanumeric() || "_-".contains(c));
    rests.filter_map(|rest| rest.split(end).next()).collect()
}

#[test]
fn the_workflow_names_jobs_steps_and_inputs_that_exist() {
    let workflow = documents("ci/launch/github.yml").remove(0);
    let action = documents("action.yml").remove(0);
    let jobs = workflow["jobs"].as_object().expect("jobs");
    assert_eq!(jobs.keys().collect::<Vec<_>>(), ["shard", "merge"]);
    let known = [
        "needs",
        "if",
        "runs-on",
        "timeout-minutes",
        "strategy",
        "env",
        "steps",
    ];
    for (name, job) in jobs {
        for key in job.as_object().expect("a job").keys() {
            assert!(known.contains(&&**key), "{name}: {key}");
        }
        if let Some(needs) = job["needs"].as_str() {
            assert!(jobs.contains_key(needs), "{name} needs {needs}");
        }
        let text = job.to_string();
        for used in names(&text, "matrix.") {
            assert!(
                job["strategy"]["matrix"][used].is_array(),
                "{name}: matrix.{used}"
            );
        }
        for step in job["steps"].as_array().expect("steps") {
            let step = step.as_object().expect("a step");
            assert_ne!(
                step.contains_key("run"),
                step.contains_key("uses"),
                "{step:?}"
            );
            for key in step.keys() {
                let known = ["name", "if", "uses", "with", "run"];
                assert!(known.contains(&&**key), "{name}: {key}");
            }
            if let Some(run) = step.get("run").and_then(Value::as_str) {
                for used in names(run, "$") {
                    assert!(job["env"][used].is_string(), "{name}: ${used}");
                }
            }
            let uses = step.get("uses").and_then(Value::as_str).unwrap_or_default();
            let inputs = step.get("with").and_then(Value::as_object);
            for input in inputs.into_iter().flat_map(|inputs| inputs.keys()) {
                let known: &[&str] = match uses.split('@').next().unwrap_or_default() {
                    "actions/upload-artifact" => &["name", "path", "if-no-files-found"],
                    "actions/download-artifact" => &["pattern"],
                    "actions/cache/restore" => &["path", "key", "restore-keys"],
                    "actions/cache/save" => &["path", "key"],
                    own if own.ends_with("/stickler") => {
                        assert!(action["inputs"][input].is_object(), "{input}");
                        continue;
                    }
                    other => panic!("{other}"),
                };
                assert!(known.contains(&&**input), "{uses}: {input}");
            }
        }
    }
    // A shard with findings has failed: neither the others nor the merge may care.
    let (shard, merge) = (&jobs["shard"], &jobs["merge"]);
    assert_eq!(shard["strategy"]["fail-fast"], false);
    assert_eq!(merge["needs"], "shard");
    assert_eq!(merge["if"], "${{ !cancelled() }}");
    let numbers = shard["strategy"]["matrix"]["shard"]
        .as_array()
        .expect("shards");
    let from_one: Vec<Value> = (1..=numbers.len()).map(|number| json!(number)).collect();
    assert_eq!(numbers, &from_one);
    // The merge takes what the shards upload.
    let with = |job: &Value, action: &str| {
        let steps = job["steps"].as_array().expect("steps");
        let of = |step: &&Value| {
            step["uses"]
                .as_str()
                .is_some_and(|uses| uses.starts_with(action))
        };
        steps
            .iter()
            .filter(of)
            .map(|step| step["with"].clone())
            .collect::<Vec<_>>()
    };
    let uploaded = &with(shard, "actions/upload-artifact")[0];
    assert_eq!(uploaded["name"], shard["env"]["PART"]);
    assert_eq!(
        uploaded["path"],
        format!("{}/", shard["env"]["PART"].as_str().expect("text"))
    );
    assert_eq!(
        with(merge, "actions/download-artifact")[0]["pattern"],
        "part-*"
    );
    let saved = &with(merge, "actions/cache/save")[0];
    for restored in [
        with(shard, "actions/cache/restore"),
        with(merge, "actions/cache/restore"),
    ] {
        assert_eq!(restored[0]["path"], saved["path"]);
        assert_eq!(restored[0]["key"], saved["key"]);
    }
}
