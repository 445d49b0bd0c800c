//! Promises about a few files; some of the files exist before the run.

use crate::choices::Choices;
use crate::scope::Scope;
use crate::values::{quoted, text};

/// Creates the existing files, even in a run that changes nothing. Only the first program that
/// loads the policy creates them.
pub(crate) const MADE: &str = "\
bundle common made
{
vars:
    \"made\" string => execresult(\"mkdir -p $(sys.workdir)/tmp && cd $(sys.workdir)/tmp && ! test -e made && mkdir -p made d/s && echo a >a && echo b >d/b && echo c >d/s/c && printf 'x:y\\nk=v\\n' >e && ln -s a l && ln -s d ld && ln -s none no && ln a h && chmod 640 a d/b d/s/c e\", \"useshell\"), meta => { \"simulate_safe\" };
}
";

/// Bodies and bundles for these promises.
pub(crate) const BODIES: &str = "\
body perms mode(m) { mode => \"$(m)\"; rxdirs => \"false\"; }
body perms rx(m) { mode => \"$(m)\"; rxdirs => \"true\"; }
body delete tidy { dirlinks => \"delete\"; rmdirs => \"true\"; }
body depth_search deep { depth => \"inf\"; }
body depth_search based { depth => \"inf\"; include_basedir => \"true\"; rmdeadlinks => \"true\"; }
body depth_search linked { depth => \"3\"; traverse_links => \"true\"; }
body file_select plain { file_types => { \"plain\" }; file_result => \"file_types\"; }
body file_select named { leaf_name => { \"[bc]\" }; file_result => \"!leaf_name\"; }
body copy_from cp(f) { source => \"$(f)\"; compare => \"digest\"; }
body copy_from cp_all(f) { source => \"$(f)\"; compare => \"binary\"; preserve => \"true\"; purge => \"true\"; copy_backup => \"false\"; }
body copy_from cp_links(f) { source => \"$(f)\"; compare => \"digest\"; link_type => \"relative\"; linkcopy_patterns => { \"b\" }; copy_backup => \"timestamp\"; }
body link_from ln(f) { source => \"$(f)\"; }
body link_from ln_rel(f) { source => \"$(f)\"; link_type => \"relative\"; }
body link_from ln_hard(f) { source => \"$(f)\"; link_type => \"hardlink\"; }
body link_from ln_force(f) { source => \"$(f)\"; link_type => \"absolute\"; when_no_source => \"force\"; }
body link_from ln_all(f) { source => \"$(f)\"; link_children => \"true\"; }
body rename newname(n) { newname => \"$(n)\"; }
body rename off { disable => \"true\"; }
body rename rotated { rotate => \"2\"; }
body changes watched { hash => \"sha256\"; report_changes => \"all\"; update_hashes => \"true\"; }
body edit_defaults blank { empty_file_before_editing => \"true\"; edit_backup => \"false\"; }
body edit_defaults rotating { edit_backup => \"rotate\"; rotate => \"2\"; }
bundle edit_line insert(t) { insert_lines: \"$(t)\"; }
bundle edit_line several { insert_lines: \"one\"; \"two\" location => start; \"k=w\"; }
bundle edit_line drop(r) { delete_lines: \"$(r)\"; }
bundle edit_line swap(r, t) { replace_patterns: \"$(r)\" replace_with => with(\"$(t)\"); }
bundle edit_line field(t) { field_edits: \"x:.*\" edit_field => second(\"$(t)\"); }
body location start { before_after => \"before\"; }
body replace_with with(t) { replace_value => \"$(t)\"; occurrences => \"all\"; }
body edit_field second(t) { field_separator => \":\"; select_field => \"2\"; field_value => \"$(t)\"; extend_fields => \"true\"; field_operation => \"append\"; value_separator => \",\"; }
";

fn path(choices: &mut Choices) -> String {
    let name = choices.of(&[
        "a", "e", "d/b", "new", "d", "d/s/c", "l", "h", "ld/b", "no", "n/w", "d/.", "n/.", "ld",
    ]);
    format!("$(sys.workdir)/tmp/{name}")
}

/// Generates a promise: promiser and attributes.
pub(crate) fn file(choices: &mut Choices, scope: &Scope) -> (String, Vec<String>) {
    let promiser = path(choices);
    let mut attributes = vec![action(choices, scope)];
    if choices.chance(25) {
        attributes.push(action(choices, scope));
    }
    if choices.chance(15) {
        let deep = choices.of(&["deep", "based", "linked"]);
        attributes.push(format!("depth_search => {deep}"));
    }
    if choices.chance(12) {
        let select = choices.of(&["plain", "named"]);
        attributes.push(format!("file_select => {select}"));
    }
    if choices.chance(15) {
        attributes.push("move_obstructions => \"true\"".to_owned());
    }
    // Duplicate attributes are not tested here.
    let name = |attribute: &String| attribute.split(' ').next().map(str::to_owned);
    let mut seen = Vec::new();
    attributes.retain(|attribute| {
        let new = !seen.contains(&name(attribute));
        seen.push(name(attribute));
        new
    });
    (promiser, attributes)
}

fn action(choices: &mut Choices, scope: &Scope) -> String {
    let other = path(choices);
    match choices.below(14) {
        0 | 1 => "create => \"true\"".to_owned(),
        2 => {
            let text = text(choices, scope);
            format!("content => {}", quoted(choices, &text))
        }
        3 | 4 => {
            let body = choices.of(&["mode", "rx"]);
            let mode = choices.of(&["600", "644", "u+x,go-r", "4755"]);
            format!("perms => {body}(\"{mode}\")")
        }
        5 | 6 => edits(choices, scope),
        7 => "delete => tidy".to_owned(),
        8 => {
            let body = choices.of(&["cp", "cp_all", "cp_links"]);
            format!("copy_from => {body}(\"{other}\")")
        }
        9 => {
            let body = choices.of(&["ln", "ln_rel", "ln_hard", "ln_force", "ln_all"]);
            format!("link_from => {body}(\"{other}\")")
        }
        10 => choices
            .of(&[
                "rename => newname(\"renamed\")",
                "rename => off",
                "rename => rotated",
            ])
            .to_owned(),
        11 => "touch => \"true\"".to_owned(),
        12 => "edit_defaults => blank, edit_line => insert(\"x\")".to_owned(),
        _ => "changes => watched".to_owned(),
    }
}

fn edits(choices: &mut Choices, scope: &Scope) -> String {
    match choices.below(7) {
        0 | 1 => {
            let text = text(choices, scope);
            format!("edit_line => insert({})", quoted(choices, &text))
        }
        2 => "edit_line => several".to_owned(),
        3 => format!("edit_line => drop(\"{}\")", choices.of(&["a", "[k-x].*", ".*"])),
        4 => "edit_line => swap(\"[ax]\", \"$(match.0)2\")".to_owned(),
        5 => "edit_line => field(\"z\")".to_owned(),
        _ => "edit_template_string => \"{{#classes.any}}t{{/classes.any}}\", template_method => \"inline_mustache\"".to_owned(),
    }
}
