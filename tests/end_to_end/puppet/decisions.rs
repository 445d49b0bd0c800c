//! `check` and `apply` decide alike whether a provider has to change a resource.

use crate::cli::Folder;
use crate::common::side_by_side;

/// A module whose provider shows this value of an integer, and asks `insync?` if it has one.
fn module(shown: &str, in_sync: Option<&str>) -> Folder {
    let folder = Folder::empty();
    let features = in_sync.map_or("", |_| "'custom_insync'");
    folder.write(
        "lib/puppet/type/level.rb",
        &format!(
            "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(\n  \
             name: 'level', desc: 'x', features: [{features}],\n  attributes: {{\n    \
             name: {{ type: 'String', desc: 'x', behaviour: :namevar }},\n    \
             size: {{ type: 'Integer', desc: 'x' }},\n  }},\n)\n"
        ),
    );
    let in_sync = in_sync.map_or_else(String::new, |answer| {
        format!("  def insync?(_context, _name, _attribute, _is, _should)\n    {answer}\n  end\n\n")
    });
    folder.write(
        "lib/puppet/provider/level/level.rb",
        &format!(
            "class Puppet::Provider::Level::Level\n  def get(_context)\n    \
             [{{ name: 'a', size: {shown} }}]\n  end\n\n{in_sync}  \
             def set(_context, _changes); end\nend\n"
        ),
    );
    folder.write(
        "stickler.toml",
        "[[example]]\nname = \"five\"\ntype = \"level\"\ntitle = \"a\"\nattributes = { size = 5 }\n",
    );
    folder
}

/// Does a session call `set`?
fn sets(folder: &Folder, transcript: &str) -> bool {
    folder
        .read(transcript)
        .contains("\\\"method\\\":\\\"set\\\"")
}

#[test]
fn check_and_apply_call_set_for_the_same_rows() {
    let cases = [
        // The value that the provider shows, the answer of `insync?`, and whether `set` is called.
        ("4", None, true),
        ("5", None, false),
        // Puppet compares the text, too.
        ("'5'", None, false),
        ("'4'", None, true),
        ("nil", None, true),
        ("4", Some("nil"), true),
        ("5", Some("nil"), false),
        ("4", Some("true"), false),
        ("4", Some("[false, 'it is old']"), true),
        // The library passes no target to `set` that the row equals.
        ("5", Some("false"), false),
        ("5", Some("[false, 'it is old']"), false),
        // Anything else is an error of the resource.
        ("4", Some("'no'"), false),
        ("4", Some("0"), false),
        ("4", Some("raise 'no'"), false),
    ];
    let complaints = side_by_side(&cases, |(shown, in_sync, expected)| {
        let folder = module(shown, *in_sync);
        let code = "level { 'a': size => 5 }";
        // What Puppet 8 refuses, `check` leaves to rules.
        let lenient = ["--puppet-strict", "warning"];
        let apply = ["apply", "-e", code, "--record", "applied.jsonl"];
        folder.run(&[&apply[..], &lenient].concat());
        let check = ["check", "--quick", "--sessions-for", "RA202", "--keep"];
        folder.run(&check);
        let decisions = ["applied.jsonl", ".stickler/sessions/baseline_e1.jsonl"];
        let decisions = decisions.map(|transcript| sets(&folder, transcript));
        (decisions != [*expected; 2])
            .then(|| format!("{shown}, {in_sync:?}: apply and check call `set`: {decisions:?}"))
    });
    let complaints: Vec<String> = complaints.into_iter().flatten().collect();
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}
