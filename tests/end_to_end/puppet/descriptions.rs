//! Descriptions that cannot be used, types that do not load, and what authors declare about files.

use super::{module, with_verdict};
use crate::calls::is_nightly;
use crate::cli::Folder;
use crate::common::uncommented;

const TYPE: &str = "lib/puppet/type/package_key.rb";
const PROVIDER: &str = "lib/puppet/provider/package_key/package_key.rb";

/// The module with a text replaced where it first occurs in a file.
fn changed(file: &str, from: &str, to: &str) -> Folder {
    let folder = module("package_key");
    let text = folder.read(file);
    assert!(text.contains(from), "{file}: {from}");
    folder.write(file, &text.replacen(from, to, 1));
    folder
}

#[test]
fn an_example_that_puppet_would_refuse_is_an_error() {
    let attributes = "ensure = \"present\", owner = \"archive@example.com\"";
    for (from, to, why) in [
        (
            "owner = \"archive@",
            "ovner = \"archive@",
            "has the attribute \"ovner\", which the type `package_key` does not have; there are: ensure",
        ),
        (
            attributes,
            "ensure = \"present\", size = 5",
            "`size` can only be read",
        ),
        (
            attributes,
            "ensure = \"maybe\"",
            "`ensure` is not of the type Enum",
        ),
        (
            "title = \"archive\"",
            "title = \"Not A Name\"",
            "`name` is not of the type",
        ),
    ] {
        changed("stickler.toml", from, to)
            .run(&["check"])
            .exits(2)
            .says("the example \"a key from a file\"")
            .says(why);
    }
    // Without `types`, all of the module's are served.
    let folder = changed("stickler.toml", "types = [\"package_key\"]\n", "");
    folder.replace(
        "stickler.toml",
        "type = \"package_key\"",
        "type = \"package_kay\"",
    );
    folder
        .run(&["check"])
        .exits(2)
        .says("names the type \"package_kay\"");
    let folder = module("software_pin");
    folder.replace("stickler.toml", "title = \"php-apt\"", "title = \"-\"");
    folder
        .run(&["check"])
        .exits(2)
        .says("no title pattern matches its title");
}

#[test]
fn a_type_that_does_not_load_fails() {
    for (from, to, why) in [
        (
            "Puppet::ResourceApi",
            "Puppet::ResourceApi )",
            "SyntaxError",
        ),
        (
            "Puppet::ResourceApi",
            "raise 'not today'\nPuppet::ResourceApi",
            "RuntimeError: not today",
        ),
    ] {
        for command in [&["check", "--quick"][..], &["check", "--strict", "--quick"]] {
            changed(TYPE, from, to)
                .run(command)
                .exits(1)
                .says("RA116")
                .says("the type `package_key` cannot be loaded")
                .says(why);
        }
    }
    // What is not installed is not the author's fault, but then nothing was evaluated.
    changed(
        PROVIDER,
        "require 'fileutils'",
        "require 'stickler_has_no_such_gem'",
    )
    .run(&["check"])
    .exits(4)
    .says("an example was not evaluated")
    .says("stickler_has_no_such_gem");
}

#[test]
fn check_verifies_the_file_states_that_an_example_declares() {
    let title = "title = \"archive\"\n";
    let key = "\"/etc/package-keys.d/archive.key\"";
    let sound = format!(
        "{title}creates = {{ {key} = {{ type = \"file\", mode = \"0644\" }} }}\n\
         absent = [\"/etc/package-keys.d/.archive\"]\nverify = [[\"test\", \"-s\", {key}]]\n"
    );
    let check = ["check", "--format", "json", "--select", "RA520"];
    let run = |declared: &str| changed("stickler.toml", title, declared).run(&check);
    run(&sound).exits(0);
    for (from, to, why) in [
        ("0644", "0600", "its mode is 0644 instead of 0600"),
        ("\"file\"", "\"link\"", "it is a file instead of a link"),
        ("d/archive.key\" = ", "d/other.key\" = ", "nothing is there"),
        (".archive", "archive.key", "a file is there"),
        ("\"-s\"", "\"!\", \"-s\"", "fails"),
    ] {
        let output = run(&sound.replace(from, to));
        assert_eq!(
            with_verdict(&output, &["fail"]),
            ["RA520".to_owned()].into()
        );
        output.exits(1).says(why);
    }
}

#[test]
fn a_set_that_hangs_costs_no_more_than_the_time_allows() {
    let folder = changed(
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "sleep",
    );
    folder.replace(
        "stickler.toml",
        "types = [\"package_key\"]\n",
        "types = [\"package_key\"]\ndeadlines = { set = 5 }\n",
    );
    let begun = std::time::Instant::now();
    let output = folder.run(&["check", "--format", "json", "--time", "10s"]);
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert_eq!(failed, ["RA804".to_owned()].into(), "{}", output.stdout);
    // Without a limit, a hang is confirmed with deadlines that are four times as long. On a busy machine, all takes
    // longer.
    if is_nightly() {
        assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
    }
}

#[test]
fn mistakes_in_the_description_are_told_first() {
    let folder = changed("stickler.toml", "[[example]]", "[[example]");
    folder
        .run(&["check", "--select", "RA1"])
        .exits(2)
        .says("stickler.toml:6");
    module("package_key")
        .run(&["check", "--durations", "20"])
        .exits(2)
        .says("20: no such file");
}

#[test]
fn each_type_has_a_provider() {
    // The first type and the last one.
    for name in ["a_ghost", "z_ghost"] {
        for described in [true, false] {
            let folder = module("package_key");
            folder.replace("stickler.toml", "types = [\"package_key\"]\n", "");
            if !described {
                std::fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
            }
            let file = |name: &str| format!("lib/puppet/type/{name}.rb");
            let ghost = folder
                .read(TYPE)
                .replace("'package_key'", &format!("'{name}'"));
            folder.write(&file(name), &ghost);
            let output = folder.run(&["check", "--format", "json", "--select", "RA116"]);
            assert_eq!(
                with_verdict(&output, &["fail"]),
                ["RA116".to_owned()].into()
            );
            output
                .exits(1)
                .says(&format!("puppet/provider/{name}/{name}"));
            // Providers of remote resources may be in the module of their transport.
            let remote = ghost.replace(
                "  attributes:",
                "  features: ['remote_resource'],\n  attributes:",
            );
            folder.write(&file(name), &remote);
            folder.run(&["check", "--select", "RA116"]).says_not("FAIL");
        }
    }
}

#[test]
fn a_blank_description_is_called_blank() {
    let desc = "desc: 'How many bytes the key has.'";
    changed(TYPE, desc, "desc: ' '")
        .run(&["check", "--select", "RA103"])
        .says("the `desc` of attribute `size` is\n      blank");
}

/// A type of each sort that Puppet has. Those in the second list have no value in a description.
const SORTS: &str = r#"
String String[1,3] Pattern[/\\A[a-z]{2}\\d+\\z/] Pattern[/\\A\\//] Enum[one,two] Enum["a\\"b","c"] Enum["1","2"]
Boolean Boolean[false] Integer Integer[1,65535] Integer[default,-5] Integer[9223372036854775807]
Float Float[0.1,0.2] Numeric Any Scalar ScalarData Data RichData Collection[1,2] Iterable[String]
Array Array[String] Array[Integer[1,3],2,4] Tuple[String,Integer] Hash Hash[String[1],Integer]
Hash[Enum[a,b],String,1] Struct[{host=>String[1],Optional[port]=>Integer}]
Optional[String] NotUndef[String] Variant[Integer,Array[Integer]] Variant[Enum[present],Undef]
Sensitive[String] Optional[Array[Sensitive[String]]] Variant[Sensitive[String[1]],String[1]]
"#;
const OTHERS: &str =
    "Undef Regexp Default Timestamp Timespan SemVer SemVerRange URI Binary Type CatalogEntry";

#[test]
fn the_suggestion_for_an_attribute_of_each_type_fits_it() {
    let sorts = SORTS.split_whitespace().map(str::to_owned);
    let others = OTHERS.split_whitespace();
    let all = sorts.chain(others.map(|one| format!("Optional[{one}]")));
    let behaviours = ["", ", behaviour: :parameter", ", behaviour: :init_only"];
    let attributes: String = all
        .enumerate()
        .flat_map(|(at, sort)| {
            behaviours.iter().enumerate().map(move |(how, behaviour)| {
                format!("    a{at}_{how}: {{ type: %q({sort}), desc: 'x'{behaviour} }},\n")
            })
        })
        .collect();
    let folder = changed(
        TYPE,
        "    owner: {\n",
        &format!("{attributes}    owner: {{\n"),
    );
    folder.run(&["init", "--force"]).exits(0).says("1 type");
    let written = folder.read("stickler.toml");
    let first = written.split("## Known failures").next().expect("a part");
    assert!(
        first.contains(", Optional[URI]: this file has no value of this type"),
        "{first}"
    );
    let text = uncommented(first).replace("\"{dir}/a\"", "\"todo\"");
    folder.write("stickler.toml", &text);
    let checked = folder.run(&["check", "--quick", "--select", "RA101,RA105"]);
    checked.exits(0).says("1 example");
}
