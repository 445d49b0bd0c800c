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
    let carried: Vec<&str> = puppet_host::HOST
        .files
        .iter()
        .map(|(name, _)| *name)
        .collect();
    assert_eq!(found, carried);
}

#[test]
fn files_are_written_once_and_repaired() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("deep/host");
    let entry = puppet_host::HOST.install(&place).expect("the host");
    assert_eq!(entry, place.join("host.rb"));
    let time = |name: &str| {
        fs::metadata(place.join(name))
            .and_then(|data| data.modified())
            .expect("a time")
    };
    let before = time("values.rb");
    fs::write(place.join("host.rb"), "spoilt").expect("a file");
    puppet_host::HOST.install(&place).expect("the host");
    assert_eq!(time("values.rb"), before);
    assert!(
        fs::read_to_string(entry)
            .expect("the entry")
            .contains("Stickler")
    );
    assert_eq!(
        fs::read_dir(&place).expect("a folder").count(),
        puppet_host::HOST.files.len()
    );
}

/// What Ruby prints when it runs a program.
fn ruby(arguments: &[&std::ffi::OsStr]) -> String {
    let mut command = std::process::Command::new("ruby");
    let output = command.arg("--disable-gems").args(arguments).output();
    let output = output.expect("ruby");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}

#[test]
fn the_compiled_host_is_used_and_changes_nothing_for_the_module() {
    let folder = tempfile::tempdir().expect("a folder");
    let place = folder.path().join("host");
    puppet_host::HOST.install(&place).expect("the host");
    ruby(&[place.join(puppet_host::COMPILER).as_os_str()]);
    let compiled = fs::read_dir(&place).expect("a folder").filter(|entry| {
        let path = entry.as_ref().expect("an entry").path();
        path.extension().is_some_and(|ending| ending == "yarb")
    });
    // And some of Ruby's own library.
    assert!(compiled.count() > puppet_host::HOST.files.len() + 20);
    // Ruby says where the code of a method is. A text that differs shows that nobody read it.
    let text = place.join("values.rb");
    fs::write(&text, "raise 'the text is read'").expect("a file");
    // A text that is newer than its byte code would be read.
    let file = fs::File::options().write(true).open(&text).expect("a file");
    file.set_modified(std::time::UNIX_EPOCH).expect("a time");
    let script = "require ARGV[0]; require ARGV[1]\n\
        puts Stickler::Values.method(:encode).source_location[0] == ARGV[0].sub('host.rb', 'values.rb')\n\
        puts $read";
    let module = folder.path().join("module.rb");
    fs::write(&module, "$read = 'module'").expect("a file");
    let host = place.join("host.rb");
    let says_so = || {
        let said = ruby(&[
            "-e".as_ref(),
            script.as_ref(),
            host.as_os_str(),
            module.as_os_str(),
        ]);
        assert_eq!(said, "true\nmodule\n");
    };
    says_so();
    // What another Ruby wrote, or a full disk left, is no harm.
    for entry in fs::read_dir(&place).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|ending| ending == "yarb") {
            fs::write(path, "no byte code").expect("a file");
        }
    }
    puppet_host::HOST.install(&place).expect("the host");
    says_so();
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
