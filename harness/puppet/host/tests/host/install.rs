use std::fs;

#[test]
fn all_ruby_files_are_carried() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/ruby");
    let mut found: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    found.sort();
    let carried: Vec<&str> = puppet_host::FILES.iter().map(|(name, _)| *name).collect();
    assert_eq!(found, carried);
}

#[test]
fn files_are_written_once_and_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("deep/host");
    let entry = puppet_host::install(&place).expect("the host");
    assert_eq!(entry, place.join("host.rb"));
    let time = |name: &str| {
        fs::metadata(place.join(name))
            .and_then(|data| data.modified())
            .expect("a time")
    };
    let before = time("values.rb");
    fs::write(place.join("host.rb"), "spoilt").expect("a file");
    puppet_host::install(&place).expect("the host");
    assert_eq!(time("values.rb"), before);
    assert!(
        fs::read_to_string(entry)
            .expect("the entry")
            .contains("Stickler")
    );
    assert_eq!(
        fs::read_dir(&place).expect("a folder").count(),
        puppet_host::FILES.len()
    );
}

#[test]
fn the_host_speaks_the_protocol_of_the_crate() {
    let module = crate::common::Module::new();
    let mut host = crate::common::Host::start(module.lib().parent().expect("a folder"));
    let params = serde_json::json!({"protocol": puppet_host::PROTOCOL, "path": []});
    let result = host.call("initialize", &params);
    assert_eq!(result["protocol"], puppet_host::PROTOCOL);
    assert_eq!(result["name"], "stickler-ruby-host");
    assert!(result["ruby"].is_string());
    assert_eq!(host.end(), Some(0));
}
