//! Go packages with mgmt resources, end to end.

use crate::cli::{Folder, Output, json_lines};
use crate::common::{STICKLER, part, root, uncommented};
use crate::puppet::copy;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The package `note` in a folder of its own, changed.
fn note(edits: &[(&str, &str, &str)]) -> Folder {
    package("note", edits)
}

/// A package of the fixtures in a folder of its own, changed.
pub fn package(name: &str, edits: &[(&str, &str, &str)]) -> Folder {
    let folder = Folder::empty();
    let resources = root().join("fixtures/resources");
    copy(&resources.join(name), folder.path());
    let beside = format!("=> {}/", resources.display());
    folder.replace("go.mod", "=> ../", &beside);
    for (file, from, to) in edits {
        folder.replace(file, from, to);
    }
    folder
}

/// The rules that fail, of a run with JSON lines.
fn failing(done: &Output) -> Vec<String> {
    let lines = json_lines(done);
    let failing = lines.iter().filter(|line| line["verdict"] == "fail");
    failing
        .map(|line| line["rule"].as_str().expect("a code").to_owned())
        .collect()
}

/// All files of a folder with their contents, those of Stickler excluded.
fn files(folder: &Path) -> BTreeSet<(PathBuf, Vec<u8>)> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.ends_with(".stickler") {
            continue;
        }
        match path.is_dir() {
            true => found.extend(files(&path)),
            false => {
                found.insert((path.clone(), fs::read(&path).expect("a file")));
            }
        }
    }
    found
}

#[test]
fn a_sound_package_passes_and_nothing_is_written_into_it() {
    let folder = note(&[]);
    let before = files(folder.path());
    folder
        .run(&["check", "--strict"])
        .exits(0)
        .says("2 kinds")
        .says("passed");
    assert_eq!(files(folder.path()), before);
}

#[test]
fn both_forms_of_the_interface_are_known() {
    let older = package("note_done", &[]);
    older
        .run(&[&["check", "--strict"], part()].concat())
        .exits(0)
        .says("2 kinds")
        .says("passed");
    // There, a Watch ends when a channel is closed.
    let stays = package(
        "note_done",
        &[(
            "note.go",
            "\t\tcase <-obj.init.Done:\n\t\t\treturn nil\n",
            "",
        )],
    );
    let done = stays.run(&["check", "--format", "json", "--select", "MR304"]);
    assert_eq!(failing(done.exits(1)), ["MR304"]);
}

#[test]
fn the_rules_about_traits_judge_the_older_form_too() {
    let older = package("kinds_done", &[]);
    let check = ["check", "--strict", "--format", "json"];
    let done = older.run(&[&check[..], &["--sessions-for", "MR209,MR5"]].concat());
    let lines = json_lines(done.exits(0));
    let passed: BTreeSet<&str> = lines
        .iter()
        .filter(|line| line["verdict"] == "pass")
        .filter_map(|line| line["rule"].as_str())
        .collect();
    let traits = [
        "MR209", "MR501", "MR502", "MR503", "MR504", "MR505", "MR506",
    ];
    for rule in traits {
        assert!(passed.contains(rule), "{rule} is not among {passed:?}");
    }
}

#[test]
fn a_build_takes_files_of_the_overlay_for_others() {
    let path = "path = \".\"";
    let overlay = "path = \".\"\noverlay = { \"note.go\" = \"third.txt\" }";
    let folder = note(&[]);
    let third = folder.read("note.go").replace("\"other\"", "\"third\"");
    folder.write("third.txt", &third);
    let overlaid = folder.read("stickler.toml").replace(path, overlay);
    folder.write("overlaid.toml", &overlaid);
    let kinds = |config: &str| {
        let done = folder.run(&["check", "--config", config, "--kind", "none"]);
        done.exits(2).all()
    };
    // Both descriptions are of one package, and may be checked at once.
    std::thread::scope(|scope| {
        let checks = ["overlaid.toml", "stickler.toml"].map(|one| scope.spawn(move || kinds(one)));
        let [with, without] = checks.map(|check| check.join().expect("a check"));
        assert!(with.contains("there are: note, third"), "{with}");
        assert!(without.contains("there are: note, other"), "{without}");
    });
}

#[test]
fn a_package_needs_no_description() {
    let folder = note(&[]);
    fs::remove_file(folder.path().join("stickler.toml")).expect("removed");
    let done = folder.run(&["check", "--format", "json"]);
    done.exits(0);
    let lines = json_lines(&done);
    let verdict = |code: &str| {
        lines
            .iter()
            .find(|line| line["rule"] == code)
            .expect("a rule")["verdict"]
            .clone()
    };
    assert_eq!(verdict("MR204"), "pass");
    assert_eq!(verdict("MR107"), "not-exercised");
    let one = folder.run(&["check", "--kind", "other", "--verbose"]);
    one.exits(0).says("1 kind");
    folder
        .run(&["check", "--kind", "third"])
        .exits(2)
        .says("there is no kind \"third\"; there are: note, other");
}

#[test]
fn a_defect_is_found_and_replayed() {
    let folder = note(&[(
        "note.go",
        "	if right {\n		return true, nil\n	}\n",
        "	if right && !apply {\n		return true, nil\n	}\n",
    )]);
    let done = folder.run(&["check", "--quick", "--format", "json"]);
    assert!(failing(done.exits(1)).contains(&"MR107".to_owned()));
    let reproducers = folder.list(".stickler");
    let name = reproducers
        .iter()
        .find(|name| name.contains("MR107"))
        .expect("a reproducer");
    let file = format!(".stickler/{name}");
    folder.run(&["replay", &file]).exits(1);
    folder.replace("note.go", "right && !apply", "right");
    folder.run(&["replay", &file]).exits(0).says("fixed");
    // The same defect in another folder, of which nothing has built a host.
    let other = note(&[("note.go", "	if right {\n", "	if right && !apply {\n")]);
    let elsewhere = Folder::empty();
    let moved = elsewhere.path().join("note");
    fs::create_dir(&moved).expect("a folder");
    copy(other.path(), &moved);
    let moved = moved.to_string_lossy().into_owned();
    folder
        .run(&["replay", &file, "--module", &moved])
        .exits(1)
        .says("still failing");
    // What cannot be built is no finding.
    folder.replace("note.go", "if right {", "if wrong {");
    folder
        .run(&["replay", &file])
        .exits(3)
        .says("undefined: wrong");
}

#[test]
fn a_suggestion_is_written_for_each_kind() {
    let folder = note(&[]);
    folder.run(&["init", "--force"]).exits(0).says("2 kinds");
    let written = folder.read("stickler.toml");
    for line in [
        "## Traits: edgeable",
        "# kind = \"note\"",
        "# # text = \"\"  # string, \"\" by default",
        "# # lines = []  # []string, nil by default",
        "# # mode = 420  # uint32, 420 by default",
        "# # labels = {}  # map[string]string, {} by default",
        "# # drift = [[\"rm\", \"-rf\", \"{dir}/a\"]]  # commands",
        "# expect = [\"changed\", \"ok\"]  # a word",
        "# rule = \"MR403\"\n# kind = \"note\"\n# field = \"text\"\n# reason = ",
    ] {
        assert!(written.contains(line), "{line}\n{written}");
    }
    folder.run(&["check"]).exits(0);
    folder
        .run(&["init", "--force", "--kind", "other"])
        .exits(0)
        .says("1 kind");
    assert!(!folder.read("stickler.toml").contains("\"note\""));
    folder
        .run(&["init", "--force", "--kind", "third"])
        .exits(2)
        .says("there is no kind \"third\"; there are: note, other");
}

#[test]
fn the_suggestion_for_a_kind_works_without_comment_signs() {
    let folder = note(&[]);
    folder.run(&["init", "--force", "--kind", "note"]).exits(0);
    let written = folder.read("stickler.toml");
    let first = written.split("## Replacements").next().expect("a part");
    folder.write("stickler.toml", &uncommented(first));
    folder
        .run(&["check", "--strict"])
        .exits(0)
        .says("1 example");
}

/// A field of each type that Go has for it, with defaults that are no zero values where that makes a difference.
const TYPES: &str = "	Whole int `lang:\"whole\"`
	Tiny int8 `lang:\"tiny\"`
	Short int16 `lang:\"short\"`
	Rune int32 `lang:\"rune\"`
	Long int64 `lang:\"long\"`
	Count uint `lang:\"count\"`
	Octet uint8 `lang:\"octet\"`
	Port uint16 `lang:\"port\"`
	Big uint64 `lang:\"big\"`
	Share float32 `lang:\"share\"`
	Rate float64 `lang:\"rate\"`
	Level Level `lang:\"level\"`
	On *bool `lang:\"on\"`
	Named *string `lang:\"named\"`
	Main *Peer `lang:\"main\"`
	Own Peer `lang:\"own\"`
	Peers []Peer `lang:\"peers\"`
	Ports [2]uint8 `lang:\"ports\"`
	Raw []byte `lang:\"raw\"`
	Table map[string][]int `lang:\"table\"`
	Numbers map[int]string `lang:\"numbers\"`
	ByName map[string]*Peer `lang:\"by_name\"`
	Value interface{} `lang:\"value\"`
	Pointed *interface{} `lang:\"pointed\"`
	Reason error `lang:\"reason\"`
	Work func() `lang:\"work\"`
	Ready chan int `lang:\"ready\"`
	Twice string `lang:\"text\"`
	Loud bool `lang:\"loud\" yaml:\"loud\"`";

/// Types of such fields, and a way to write down what one holds.
const KINDS: &str = "// Level is a word.
type Level string

// Peer is a host that may lead to another one.
type Peer struct {
	Host string `lang:\"host\"`
	Port uint16 `lang:\"port\"`
	Next *Peer  `lang:\"next\"`
}

// Default sets";

/// The package `note` with a field of each type.
fn typed() -> Folder {
    note(&[
        ("note.go", "	Loud bool `lang:\"loud\" yaml:\"loud\"`", TYPES),
        ("note.go", "// Default sets", KINDS),
        (
            "note.go",
            "		Mode:   0o644,\n",
            "		Mode: 0o644, Big: 1 << 63, Rate: 1e300, Level: \"low\", Numbers: map[int]string{1: \"a\"},\n\
             		Own: Peer{Host: \"h\"}, Peers: []Peer{{Port: 9}}, Raw: []byte{1, 255}, Value: 5,\n\
             		ByName: map[string]*Peer{\"a b\": {Port: 1}, \"c\": nil},\n",
        ),
    ])
}

#[test]
fn the_suggestion_for_a_field_of_each_type_fits_it() {
    let folder = typed();
    folder.run(&["init", "--force", "--kind", "note"]).exits(0);
    let written = folder.read("stickler.toml");
    for line in [
        "# # big = \"9223372036854775808\"  # uint64",
        "# # main = { host = \"\", port = 0 }  # *note.Peer, nil by default",
        "# # peers = [{ host = \"\", port = 9 }]  # []note.Peer",
        "# # ports = [0, 0]  # [2]uint8",
        "# # raw = [1, 255]  # []uint8",
        "# # numbers = {}  # map[int]string",
        "# # value = 5  # interface {}, 5 by default",
        "# # pointed = \"\"  # *interface {}, nil by default",
        "# # Twice = \"\"  # string",
        "## No value here sets: reason (error), work (func()), ready (chan int)",
    ] {
        assert!(written.contains(line), "{line}\n{written}");
    }
    let first = written.split("## Replacements").next().expect("a part");
    folder.write("stickler.toml", &uncommented(first));
    let done = folder.run(&["check", "--quick", "--select", "MR113"]);
    done.exits(0).says("1 example");
}

#[test]
fn an_interface_gets_what_mgmts_language_hands_over() {
    let told = "	if err := obj.write(); err != nil {";
    let says = "	if obj.Value != nil {
		text := fmt.Sprintf(\"%T %v\", obj.Value, obj.Value)
		if err := os.WriteFile(obj.Name()+\".type\", []byte(text), 0o600); err != nil {
			return false, err
		}
	}
	if err := obj.write(); err != nil {";
    let folder = typed();
    folder.replace("note.go", told, says);
    let values = [
        ("\"a\"", "string a"),
        ("5", "int64 5"),
        ("0.5", "float64 0.5"),
        ("true", "bool true"),
        ("[1, 2]", "[]int64 [1 2]"),
        ("[\"a\", 1]", "[]interface {} [a 1]"),
        ("{ a = \"b\" }", "map[string]string map[a:b]"),
    ];
    let examples = values.iter().map(|(value, told)| {
        format!(
            "[[example]]\nlabel = '{value}'\nkind = \"note\"\nname = \"{{dir}}/a\"\nfields = {{ value = {value} }}\n\
             creates = {{ \"{{dir}}/a.type\" = {{ content = '{told}' }} }}\n"
        )
    });
    let head = "[subject]\ndialect = \"mgmt\"\npath = \".\"\n";
    folder.write(
        "stickler.toml",
        &(head.to_owned() + &examples.collect::<String>()),
    );
    folder
        .run(&["check", "--quick", "--select", "MR113"])
        .exits(0)
        .says("7 examples");
}

#[test]
fn what_the_description_names_exists_and_fits() {
    let folder = typed();
    let text = folder.read("stickler.toml");
    let fields = "fields = { text = \"other words\", mode = 384 }";
    let check = |from: &str, to: &str| {
        folder.write("stickler.toml", &text.replace(from, to));
        let done = folder.run(&["check", "--quick", "--select", "MR113"]);
        done.exits(2);
        done
    };
    let of = |value: &str| check(fields, &format!("fields = {{ {value} }}"));
    check(
        "kind = \"note\"\nname = \"note\"",
        "kind = \"nota\"\nname = \"note\"",
    )
    .says("there is no kind \"nota\"; there are: note, other")
    .says("did you mean \"note\"?");
    of("main = \"x\"")
        .says("stickler.toml:17:19")
        .says("write a table: main = { host = \"\", port = 0 }");
    of("main = { hst = \"x\" }")
        .says("\"main\" is a note.Peer, which has no field \"hst\"; it has: host, port, next")
        .says("did you mean \"host\"?");
    of("peers = [{ next = { port = 70000 } }]").says("\"peers[0].next.port\" in the field");
    of("tiny = 128").says("is an int8; 128 does not fit: it takes -128 to 127");
    of("ports = [1]").says("it takes 2 items, and not 1");
    of("text = \"a\", Text = \"b\"").says("are one field of the kind note");
    let end = "text = \"hello\" }\n";
    let further = |more: &str| check(end, &format!("{end}\n{more}"));
    further("[[waive]]\nrule = \"MR403\"\nkind = \"note\"\nfield = \"lod\"\nreason = \"x\"\n")
        .says("the kind note has no field \"lod\"")
        .says("did you mean \"loud\"?");
    further("[[xfail]]\nrule = \"MR403\"\nexample = \"a new not\"\nreason = \"x\"\n")
        .says("did you mean \"a new note\"?");
}

#[test]
fn a_field_that_no_name_reaches_is_a_finding() {
    let folder = note(&[(
        "note.go",
        "`lang:\"mode\" yaml:\"mode\"`",
        "`lang:\"text\" yaml:\"text\"`",
    )]);
    folder
        .run(&["check", "--quick", "--select", "MR113,MR210"])
        .exits(1)
        .says("`Text` and `Mode` both have the tag `lang:\"text\"`: nothing sets `Mode`")
        .says("NoteRes has no field \"mode\"");
}

#[test]
fn commands_of_the_description_work_or_it_is_wrong() {
    let folder = note(&[]);
    let text = folder.read("stickler.toml");
    let check = |from: &str, to: &str| {
        folder.write("stickler.toml", &text.replace(from, to));
        folder.run(&["check", "--quick", "--select", "MR113"])
    };
    let drift = "[\"rm\", \"{dir}/note\"]";
    check(drift, "[\"rm\", \"{dir}/nota\"]")
        .exits(2)
        .says("stickler.toml:10:10: for the example \"a new note\": the drift command `rm {dir}/nota` failed")
        .says("No such file or directory");
    check(drift, "[\"no-such-command\"]").exits(2).says(
        "the drift command `no-such-command` failed once the example held: cannot be started",
    );
    check(drift, "[\"true\"]")
        .exits(0)
        .says("its drift command `true` changes nothing");
    let setup = "[[invalid]]";
    check(
        setup,
        &format!("verify = [[\"no-such-command\"]]\n\n{setup}"),
    )
    .exits(2)
    .says("for the example \"a note that differs\": no-such-command failed: cannot be started");
    check("name = \"note\"", "name = \"note\"\nsetup = [[\"false\"]]")
        .exits(2)
        .says("for the example \"a relative path\": false failed");
}

#[test]
fn names_of_users_that_setup_makes_are_looked_up_in_the_sandbox() {
    let folder = note(&[]);
    let text = folder.read("stickler.toml");
    let check = |name: &str| {
        let setup = "setup = [[\"sh\", \"-c\", \"";
        let made = "setup = [[\"sh\", \"-c\", \"echo stickler-ann:x:0:0::/:/bin/sh >>/etc/passwd; ";
        let creates = format!("creates = {{ \"{{dir}}/note\" = {{ owner = \"{name}\" }} }}\n");
        let text = text
            .replace(setup, made)
            .replace("\n\n[[invalid]]", &format!("\n{creates}\n[[invalid]]"));
        folder.write("stickler.toml", &text);
        folder.run(&["check", "--quick", "--select", "MR113"])
    };
    check("stickler-ann").exits(0);
    check("stickler-bob")
        .exits(2)
        .says("/etc/passwd of the sandbox has no such user: make it in `setup`, or write a number");
}

#[test]
fn a_trait_without_its_methods_is_passed_over() {
    let folder = note(&[
        (
            "note.go",
            ") UIDs() []engine.ResUID {",
            ") others() []engine.ResUID {",
        ),
        (
            "note.go",
            ") AutoEdges(ctx context.Context) (engine.AutoEdge, error) {",
            ") edges(ctx context.Context) (engine.AutoEdge, error) {",
        ),
        (
            "note.go",
            "	traits.Edgeable\n",
            "	traits.Edgeable\n	traits.Reversible\n	traits.Sendable\n",
        ),
    ]);
    let name = folder.path().join("a").display().to_string();
    folder.write(
        "graph.yaml",
        &format!("graph: one\nresources:\n  note:\n  - name: {name}\n    text: a\n"),
    );
    folder.run(&["graph", "graph.yaml"]).exits(0);
    assert_eq!(folder.read("a"), "a\n");
}

#[test]
fn how_a_package_is_built_stays_when_its_file_is_written_anew() {
    let folder = note(&[]);
    let third = folder.read("note.go").replace("\"other\"", "\"third\"");
    folder.write("third.txt", &third);
    folder.write(
        "stickler.toml",
        "[subject]\ndialect = \"mgmt\"\ntags = [\"some\"]\noverlay = { \"note.go\" = \"third.txt\" }\n",
    );
    folder.run(&["init", "--force"]).exits(0).says("2 kinds");
    let written = folder.read("stickler.toml");
    for line in [
        "\ntags = [\"some\"]\n",
        "\noverlay = { \"note.go\" = \"third.txt\" }\n",
        "# kind = \"third\"",
    ] {
        assert!(written.contains(line), "{line}\n{written}");
    }
    folder.run(&["check", "--quick"]).exits(0);
}

#[test]
fn a_field_that_cmp_may_ignore_is_waived_and_no_other() {
    let folder = note(&[
        (
            "note.go",
            "len(obj.Labels)+len(res.Labels) > 0 && ",
            "false && ",
        ),
        ("note.go", "obj.Loud != res.Loud", "false"),
    ]);
    let waive = |field: &str| {
        let text = folder.read("stickler.toml");
        folder.write(
            "stickler.toml",
            &format!(
                "{text}\n[[waive]]\nrule = \"MR403\"\nkind = \"note\"\nfield = \"{field}\"\nreason = \"it is for people\"\n"
            ),
        );
        folder.run(&["check", "--strict", "--select", "MR403"])
    };
    waive("labels")
        .exits(1)
        .says("a difference in `loud` is")
        .says_not("`labels` is not");
    waive("loud").exits(0).says("1 waived");
}

#[test]
fn check_names_the_requirements_of_mgmts_own_engine() {
    note(&[])
        .run(&["check", "--select", "MR605"])
        .exits(4)
        .says("mgmt's own engine is not built in: run with --with-engine");
    package("note_done", &[])
        .run(&["check", "--select", "MR605", "--with-engine"])
        .exits(3)
        .says("cannot be built with mgmt's engine")
        .says("engine/graph")
        .says("without --with-engine, MR605 is skipped");
}

#[test]
fn check_reports_the_cause_of_a_failed_build() {
    let broken = note(&[(
        "note.go",
        "return &NoteRes{\n\t\tMode:",
        "return &NoteRes{\n\t\tMood:",
    )]);
    broken
        .run(&["check"])
        .exits(3)
        .says("cannot be built")
        .says("unknown field Mood");
    // A file that Go cannot read has no imports, as far as Go knows.
    let unread = note(&[("note.go", "import (", "imprt (")]);
    fs::remove_file(unread.path().join("other.go")).expect("removed");
    unread
        .run(&["check"])
        .exits(3)
        .says("cannot be built")
        .says("syntax error")
        .says_not("does not use mgmt");
    let newer = note(&[("go.mod", "go 1.19", "go 1.999")]);
    let done = newer
        .command(&["check"])
        .env("GOTOOLCHAIN", "local")
        .output()
        .expect("stickler runs");
    let told = String::from_utf8_lossy(&done.stderr).into_owned();
    assert_eq!(done.status.code(), Some(3), "{told}");
    assert!(told.contains("needs another Go"), "{told}");
    assert!(told.contains("requires go >= 1.999"), "{told}");
    let program = note(&[
        ("note.go", "package note", "package main"),
        ("other.go", "package note", "package main"),
    ]);
    program
        .run(&["check"])
        .exits(3)
        .says("is a program (package main)");
    let none = Folder::empty();
    none.write(
        "a.go",
        "package a\n\n// engine.RegisterResource( is in a comment alone.\n",
    );
    none.run(&["check"]).exits(3).says("is no Go package");
    none.write("go.mod", "module example.com/a\n\ngo 1.19\n");
    none.run(&["check"])
        .exits(3)
        .says("does not use mgmt's package `engine`");
}

#[test]
fn a_resource_that_ends_the_host_or_prints_is_survived() {
    let right = "	right, err := obj.right()\n";
    let ends = note(&[(
        "note.go",
        right,
        "	go func() { panic(\"elsewhere\") }()\n	select {}\n	right, err := obj.right()\n",
    )]);
    let done = ends.run(&["check", "--format", "json", "--quick"]);
    assert!(
        failing(done.exits(1)).contains(&"MR110".to_owned()),
        "{}",
        done.all()
    );
    let prints = note(&[(
        "note.go",
        right,
        "	fmt.Println(\"{\\\"jsonrpc\\\":\\\"2.0\\\"}\")\n	right, err := obj.right()\n",
    )]);
    prints.run(&["check", "--quick"]).exits(0);
}

#[test]
fn campaigns_swap_graphs_and_find_state_left_by_a_replaced_resource() {
    let all = ["fuzz", "--seed", "1", "--jobs", "1", "--kind", "foo"];
    let sound = package("kinds", &[]);
    sound.run(&[&all[..], &["--cases", "60"]].concat()).exits(0);
    // `Cleanup` does not let go of the path.
    let stumbles = package(
        "kinds",
        &[(
            "foo.go",
            "func (obj *FooRes) apply() error {\n",
            "var held = map[string]string{}\n\nfunc (obj *FooRes) apply() error {\n\
             \tif text, ok := held[obj.Name()]; ok && text != obj.text() {\n\
             \t\treturn fmt.Errorf(\"another text holds the path\")\n\t}\n\
             \theld[obj.Name()] = obj.text()\n",
        )],
    );
    let campaign = ["--cases", "300", "--until-finding"];
    stumbles
        .run(&[&all[..], &campaign].concat())
        .exits(1)
        .says("MR603")
        .says("`CheckApply` fails: another text holds the path; in a new process, it works");
    // No session without a swap shows it.
    let done = stumbles.run(&["check", "--quick", "--format", "json", "--kind", "foo"]);
    assert_eq!(failing(&done), Vec::<String>::new());
    let found = stumbles.list(".stickler/fuzz");
    let below = format!(".stickler/fuzz/{}/findings", found[0]);
    let file = format!("{below}/{}", stumbles.list(&below)[0]);
    stumbles
        .run(&["replay", &file])
        .exits(1)
        .says("still failing  MR603");
    stumbles.replace("foo.go", "text != obj.text() {", "text == \"\" {");
    stumbles
        .run(&["replay", &file])
        .exits(0)
        .says("fixed  MR603");
}

#[test]
fn octal_digits_are_written_as_the_field_takes_them() {
    let check = |value: &str, field: &str| {
        let folder = note(&[]);
        let text = folder.read("stickler.toml");
        let (mode, words) = ("mode = 384", "text = \"other words\"");
        let of = |name: &str| format!("{name} = {value}");
        folder.write(
            "stickler.toml",
            &match field {
                "mode" => text.replace(mode, &of("mode")),
                _ => text.replace(words, &of("text")),
            },
        );
        folder.run(&["check", "--quick", "--kind", "note"])
    };
    check("0o600", "mode").exits(0);
    check("0600", "mode")
        .exits(2)
        .says("write \"0600\" if this is text, and 0o600 if it is a number");
    check("\"0600\"", "mode")
        .exits(2)
        .says("the field \"mode\" of the kind note is a uint32; write octal digits as a number: mode = 0o600");
    check("644", "text").exits(2).says(
        "the field \"text\" of the kind note is a string; write it in quotes: text = \"644\"",
    );
}

#[test]
fn a_resource_that_logs_or_sends_events_without_end_is_judged_by_all_rules() {
    let looks = "	right, err := obj.right()\n";
    let logs = note(&[(
        "note.go",
        looks,
        "	for i := 0; i < 20000; i++ {\n		obj.init.Logf(\"line %d\", i)\n	}\n	right, err := obj.right()\n",
    )]);
    logs.run(&[&["check", "--strict"], part()].concat())
        .exits(0)
        .says_not("skipped");
    let events = note(&[
        ("note.go", "now != seen {", "now != seen || true {"),
        (
            "note.go",
            "time.After(20 * time.Millisecond)",
            "time.After(0)",
        ),
    ]);
    events
        .run(&[&["check"], part()].concat())
        .exits(1)
        .says("a graph of it never comes to rest: `Watch` sends ")
        .says_not("MR602")
        .says_not("skipped");
}

/// A case of one vertex: it runs once, and the engine shuts down.
const CASE: &str = r#"{"name":"one vertex","fact":"it runs once","family":"start","input":{"graphs":{"main":{"vertices":[{"name":"a","wrong":false}],"edges":[]}},"driver":[{"do":"start"},{"do":"shutdown"}]},"observed":{"runs":20,"phases":[{"outcome":"ok","graph":{"vertices":[{"v":"a@1"}],"edges":[]}},{"outcome":"ok","graph":{"vertices":[],"edges":[]}}],"stable":true,"vertices":{"a@1":{"life":[{"phase":0,"call":"validate","n":1},{"phase":0,"call":"validate","n":2},{"phase":0,"call":"init"},{"phase":1,"call":"cleanup"}],"watch":[{"phase":0,"call":"watch_begin","n":1},{"phase":0,"call":"event","result":"accepted","first":true},{"phase":1,"call":"watch_end","err":"context canceled"}],"run":[{"phase":0,"call":"checkapply","n":1,"apply":true,"ret":[true,null]}],"end":"ok"}},"order":[["a@1/w1","a@1/r0"]]}}"#;

#[test]
fn a_command_of_drift_that_fails_since_nothing_was_done_hides_no_finding() {
    let folder = note(&[("note.go", "obj.write()", "error(nil)")]);
    let done = folder.run(&["check", "--format", "json", "--quick"]);
    assert!(failing(done.exits(1)).contains(&"MR107".to_owned()));
}

#[test]
fn recorded_graphs_are_replayed() {
    let folder = Folder::empty();
    let other = CASE.replace("\"ret\":[true,null]", "\"ret\":[false,null]");
    folder.write("same.jsonl", &format!("{CASE}\n"));
    folder.write("both.jsonl", &format!("{CASE}\n{other}\n"));
    let same = folder.run(&["diff", "--recorded", "same.jsonl"]);
    assert_eq!(same.exits(0).stdout, "agree  same.jsonl in 1 run\n");
    let both = folder.run(&["diff", "--recorded", "both.jsonl"]);
    let last = both.exits(1).stdout.lines().last();
    assert_eq!(last, Some("differ  both.jsonl in 1 of 2 runs"));
    both.says("of one vertex in mode replay");
    let both = folder.run(&["diff", "--recorded", "both.jsonl", "--format", "json"]);
    let lines = json_lines(both.exits(1));
    assert_eq!(lines.last().expect("a summary")["differ"], 1);
    folder.write("broken.jsonl", "{}\n");
    folder
        .run(&["diff", "--recorded", "broken.jsonl"])
        .exits(2)
        .says("line 1");
    folder.run(&["diff"]).exits(2);

    // The engine is an agent under test as well, and compared in the same way.
    let other = other.replace("one vertex", "another vertex");
    folder.write("mine.jsonl", &format!("{other}\n"));
    let conform = ["conform", "--dialect", "mgmt", "--situations", "mine.jsonl"];
    let engine = ["--", STICKLER, "graph"];
    let played = |words: &str| folder.run_anew(&[&conform[..], &["-k", words], &engine].concat());
    let right = played("\"one vertex runs once\"");
    right.exits(0).says("in all of 2 situations");
    let wrong = played("\"another vertex\"");
    wrong.exits(1).says("FAIL  another vertex");
}
