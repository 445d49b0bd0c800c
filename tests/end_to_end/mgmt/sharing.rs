//! Resources that share a file with others, and what follows from one defect.

use crate::cli::{Output, json_lines};
use crate::mgmt::resources::package;

/// The rules that fail, of a run with JSON lines, by themselves.
fn failing(done: &Output) -> Vec<String> {
    let lines = json_lines(done);
    let failing = lines
        .iter()
        .filter(|line| line["verdict"] == "fail" && line["follows"].is_null());
    let codes = failing.map(|line| line["rule"].as_str().expect("a code").to_owned());
    codes.collect()
}

// A cause may show in another session than what follows from it.
const JSON: [&str; 6] = ["check", "--quick", "--format", "json", "--sessions", "40"];

/// The rules among these that fail for the package `note` with a change.
fn of_note(from: &str, to: &str, select: &str) -> Vec<String> {
    let folder = package("note", &[("note.go", from, to)]);
    let done = folder.run(&[&JSON[..], &["--select", select]].concat());
    failing(&done)
}

#[test]
fn entries_that_share_a_file_pass() {
    package("entries", &[])
        .run(&["check", "--strict", "--select", "MR114,MR115,MR116"])
        .exits(0)
        .says("3 passed");
}

#[test]
fn an_entry_that_takes_a_longer_key_for_its_own_is_found_in_either_order() {
    let is = "	return found && strings.TrimSpace(key) == obj.Key\n";
    let found = |to: &str| {
        let folder = package("entries", &[("entry.go", is, to)]);
        let done = folder.run(&[&JSON[..], &["--select", "MR116"]].concat());
        failing(&done)
    };
    let contained = "	return found && strings.Contains(key, obj.Key)\n";
    assert_eq!(found(contained), ["MR116"]);
    // The whole key, with what the resource does not write before it.
    let whole =
        "	return found && strings.TrimLeft(strings.TrimRight(key, \" \"), \"\\t \") == obj.Key\n";
    assert!(found(whole).is_empty());
}

const WORK: &str = "	if right {
		return true, nil
	}
	if !apply {
		return false, nil
	}
	if err := obj.write(); err != nil {
		return false, err
	}
	return false, nil
";

#[test]
fn an_apply_that_never_says_that_all_is_right_is_one_finding() {
    let told = "MR101,MR105,MR106,MR107,MR108,MR111";
    // It writes where it has to, and says `false, nil` where it has not.
    let never = "	if !apply {
		return right, nil
	}
	if right {
		return false, nil
	}
	return false, obj.write()
";
    assert_eq!(of_note(WORK, never, told), ["MR107"]);
    // It writes nothing at all.
    let nothing = "	if right {
		return true, nil
	}
	return false, nil
";
    assert_eq!(of_note(WORK, nothing, told), ["MR107"]);
    // Two calls are needed: the second one is a finding of its own, and so is what one call leaves.
    let twice = "	if right {
		return true, nil
	}
	if !apply {
		return false, nil
	}
	if _, err := os.Lstat(obj.Name()); os.IsNotExist(err) {
		return false, os.WriteFile(obj.Name(), nil, os.FileMode(obj.Mode))
	}
	return false, obj.write()
";
    assert_eq!(of_note(WORK, twice, told), ["MR106", "MR107"]);
}

#[test]
fn an_apply_that_does_nothing_and_says_that_all_is_right_is_one_finding() {
    let idle = "	if right || apply {
		return true, nil
	}
	return false, nil
";
    let folder = package("note", &[("note.go", WORK, idle)]);
    let text = folder.read("stickler.toml");
    let drift = text.lines().filter(|line| !line.starts_with("drift"));
    folder.write("stickler.toml", &drift.collect::<Vec<_>>().join("\n"));
    let told = "MR101,MR105,MR106,MR107,MR108,MR111,MR113";
    let done = folder.run(&[&JSON[..], &["--select", told]].concat());
    assert_eq!(failing(&done), ["MR105"]);
    // The same where there is something already.
    let repairs = "	if right {
		return true, nil
	}
	if !apply {
		return false, nil
	}
	if _, err := os.Lstat(obj.Name()); err == nil {
		return true, nil
	}
	return false, obj.write()
";
    assert_eq!(of_note(WORK, repairs, told), ["MR105"]);
}

#[test]
fn a_noop_that_changes_something_is_one_finding_with_graphs_and_without() {
    let told = "MR104,MR601";
    let begin = "	right, err := obj.right()\n";
    let pid = format!(
        "	if err := os.WriteFile(obj.Name()+\".pid\", []byte(\"1\"), 0o600); err != nil {{
		return false, err
	}}
{begin}"
    );
    assert_eq!(of_note(begin, &pid, told), ["MR104"]);
    let mode = format!("	_ = os.Chmod(filepath.Dir(obj.Name()), 0o711)\n{begin}");
    assert_eq!(of_note(begin, &mode, told), ["MR104"]);
    // `Watch` is no call.
    let watch = "	seen := obj.seen()\n";
    let in_watch = format!("	_ = os.WriteFile(obj.Name()+\".pid\", []byte(\"1\"), 0o600)\n{watch}");
    assert_eq!(of_note(watch, &in_watch, told), ["MR601"]);
}

#[test]
fn snap_names_the_fields_that_a_kind_has() {
    let folder = package("note", &[]);
    let text = folder.read("stickler.toml");
    let snap = |from: &str, to: &str| {
        folder.write("stickler.toml", &text.replace(from, to));
        folder.run(&["snap"])
    };
    snap("text = \"other", "txt = \"other")
        .exits(2)
        .says("the kind note has no field \"txt\"")
        .says("did you mean \"text\"?");
    snap("mode = 384", "mode = \"0600\"")
        .exits(2)
        .says("is a uint32");
    snap(
        "kind = \"note\"\nname = \"note\"",
        "kind = \"nota\"\nname = \"note\"",
    )
    .exits(2)
    .says("did you mean \"note\"?");
}
