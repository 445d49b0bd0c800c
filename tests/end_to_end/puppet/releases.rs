//! What `--runtime` changes: each difference between releases of Puppet and of its library once.

use super::cli_apply::talker;
use crate::cli::Folder;

const OLD: &str = "7.23+1.8.16";
const MIDDLE: &str = "8+1.9";
const NEW: &str = "8+2.0";
const ALL: [&str; 3] = [OLD, MIDDLE, NEW];

/// A provider that lists this, and changes nothing.
fn lists(rows: &str) -> String {
    format!(
        "  def get(_context, names = :none)\n    {rows}\n  end\n\n  def set(_context, _changes)\n  end\n"
    )
}

/// A module whose type has a value, a secret and a parameter.
fn valued(features: &str, body: &str) -> Folder {
    let folder = talker(features, body);
    let file = "lib/puppet/type/talker.rb";
    let attributes = "attributes: {\n    v: { type: 'Optional[Integer]', desc: 'x' },\n    \
                      secret: { type: 'Optional[Variant[String, Sensitive[String]]]', desc: 'x' },\n    \
                      fixed: { type: 'Optional[String]', desc: 'x', behaviour: :init_only },\n    \
                      pass: { type: 'Optional[Sensitive[String]]', desc: 'x', behaviour: :parameter },\n";
    let text = folder.read(file).replace("attributes: {\n", attributes);
    folder.write(file, &text);
    folder
}

fn apply(folder: &Folder, runtime: &str, code: &str, more: &[&str]) -> crate::cli::Output {
    let mut words = vec!["apply", "-e", code, "--runtime", runtime];
    words.extend(more);
    folder.run(&words)
}

#[test]
fn releases_have_long_and_short_names() {
    let folder = talker("", &lists("[]"));
    for (name, has_fail) in [
        ("7.23+1.8.16", false),
        ("7.23", false),
        ("7", false),
        ("1.8.16", false),
        ("8+1.9", true),
        ("1.9", true),
        ("8+2.0", true),
        ("2.0.1", true),
        ("8", true),
        ("spec", false),
    ] {
        let code = "talker { 'a': ensure => absent }";
        apply(&folder, name, code, &[]).exits(0);
        let fail = ["resource", "talker", "--fail", "--runtime", name];
        folder.run(&fail).exits(if has_fail { 0 } else { 2 });
    }
    for (name, meant) in [
        ("8+2.1", Some("8+2.0")),
        ("1.8.17", Some("1.8.16")),
        ("spek", Some("spec")),
        ("9", None),
        ("", None),
    ] {
        for command in [
            vec!["apply", "-e", "", "--runtime", name],
            vec!["resource", "talker", "--runtime", name],
            vec!["diff", "site.pp", "--runtime", name],
            vec!["check", "--runtime", name],
        ] {
            let refused = folder.run(&command);
            refused
                .exits(2)
                .says("there are 7.23+1.8.16, 8+1.9, 8+2.0, spec");
            match meant {
                Some(meant) => refused.says(&format!("did you mean {meant}?")),
                None => refused.says_not("did you mean"),
            };
        }
    }
}

#[test]
fn strict_follows_the_core() {
    let wrong = valued("", &lists("[{ name: 'a', ensure: 'present', v: '1' }]"));
    let code = "talker { 'a': v => 2 }";
    let misfit = "Provider returned data that does not match the Type Schema for `talker[a]`";
    for runtime in ALL {
        let is_error = runtime != OLD;
        let failure = format!("Could not evaluate: {misfit}");
        let usual = apply(&wrong, runtime, code, &[]);
        match is_error {
            true => usual.exits(1).says(&failure).says_not("v changed"),
            false => usual
                .exits(0)
                .says(&format!("Warning: {misfit}"))
                .says("v changed '1' to 2"),
        };
        // The option says otherwise.
        apply(&wrong, runtime, code, &["--puppet-strict", "error"])
            .exits(1)
            .says(&failure);
        apply(&wrong, runtime, code, &["--puppet-strict", "warning"])
            .exits(0)
            .says("v changed '1' to 2");
        // The list is for `resource` and for a purge as well.
        let list = wrong.run(&["resource", "talker", "--runtime", runtime]);
        let purge = apply(
            &wrong,
            runtime,
            "resources { 'talker': purge => true }",
            &[],
        );
        match is_error {
            true => {
                list.exits(1).says_not("talker { 'a'");
                purge
                    .exits(0)
                    .says("Failed to generate additional resources using 'generate': Provider")
                    .says_not("undefined 'ensure'");
            }
            false => {
                list.exits(0).says("talker { 'a'");
                purge.exits(0).says("undefined 'ensure' from 'present'");
            }
        }
    }
    let fixed = valued("", &lists("[{ name: 'a', ensure: 'present', fixed: 'x' }]"));
    let code = "talker { 'a': fixed => 'y' }";
    let text = "Attempting to change `fixed` init_only attribute value from `x` to `y`";
    apply(&fixed, OLD, code, &[])
        .exits(0)
        .says(&format!("Warning: {text}"));
    for runtime in [MIDDLE, NEW] {
        apply(&fixed, runtime, code, &[])
            .exits(1)
            .says("fixed changed 'x' to 'y'")
            .says(&format!("Could not evaluate: {text}"));
    }
}

#[test]
fn a_provider_may_check_rows_itself() {
    let folder = valued(
        "",
        "  def get(context)\n    context.type.check_schema({ name: 'a', v: 'x', zork: 1 })\n    \
         [{ name: 'a', ensure: 'present' }]\n  end\n",
    );
    let code = "talker { 'a': }";
    let lines = " Unknown attribute:\n    * zork\n\n Value type mismatch:\n    * v: x (expects a value of type Undef or Integer, got String)";
    apply(&folder, OLD, code, &[]).exits(0).says(lines);
    apply(&folder, NEW, code, &[])
        .exits(1)
        .says("Could not evaluate: Provider returned data");
}

#[test]
fn only_the_newest_library_keeps_rows() {
    // Each `get` lists less, and notes what it was asked for.
    let body = "  def get(_context, names = :none)\n    @calls = (@calls || 0) + 1\n    \
                Puppet.notice(\"get #{@calls} #{names.inspect}\")\n    \
                [{ name: 'a', ensure: 'present', v: @calls }, { name: 'b', ensure: 'present', v: @calls }]\n  end\n\n  \
                def set(_context, changes)\n    Puppet.notice(\"is #{changes.values[0][:is][:v]}\")\n  end\n";
    let folder = valued("", body);
    let code = "talker { ['a', 'b']: v => 9 }";
    for runtime in ALL {
        let kept = runtime == NEW;
        let run = apply(&folder, runtime, code, &[]);
        run.exits(0).says("get 1 :none").says("is 1");
        match kept {
            true => run.says_not("get 2").says_not("is 2"),
            false => run.says("get 2 :none").says("is 2"),
        };
    }
    let filtered = valued("'simple_get_filter'", body);
    for (runtime, all) in [(OLD, "[]"), (MIDDLE, "[]"), (NEW, "nil")] {
        filtered
            .run(&["resource", "talker", "--runtime", runtime])
            .exits(0)
            .says(&format!("get 1 {all}"));
    }
    // Rows that are no Hash are gone through.
    let odd = valued("", &lists("[{ name: 'a', ensure: 'present' }, nil]"));
    for runtime in ALL {
        let run = apply(&odd, runtime, "talker { 'a': }", &[]);
        run.exits(if runtime == NEW { 1 } else { 0 });
    }
    let none = valued("", &lists("nil"));
    for (runtime, method) in [(OLD, "find"), (MIDDLE, "find"), (NEW, "each")] {
        apply(&none, runtime, "talker { 'a': }", &[])
            .exits(1)
            .says(&format!("undefined method `{method}' for nil:NilClass"));
    }
}

#[test]
fn a_dry_run_tells_what_the_release_tells() {
    let body = lists("[{ name: 'a', ensure: 'present', v: 1, secret: 'old' }]")
        + "\n  def insync?(_context, _name, property, _is, _should)\n    [false, 'far off'] if property == :v\n  end\n";
    let folder = valued("'custom_insync'", &body);
    let code = "talker { 'a': v => 2, secret => Sensitive('new') } notify { 'done': }";
    let v = "Talker[a]/v: ";
    let secret = "Talker[a]/secret: ";
    for (runtime, of_v, of_secret, of_message) in [
        (
            OLD,
            "current_value 1, should be 2 (noop)",
            "current_value 'old', should be Sensitive [value redacted] (noop)",
            "current_value 'absent', should be 'done' (noop)",
        ),
        (
            MIDDLE,
            "far off (noop)",
            "current_value [redacted], should be [redacted] (noop)",
            "defined 'message' as 'done' (noop)",
        ),
        (
            NEW,
            "far off (noop)",
            "current_value [redacted], should be [redacted] (noop)",
            "defined 'message' as 'done' (noop)",
        ),
    ] {
        apply(&folder, runtime, code, &["--noop"])
            .exits(0)
            .says(&format!("{v}{of_v}"))
            .says(&format!("{secret}{of_secret}"))
            .says(&format!("Notify[done]/message: {of_message}"));
        let run = apply(&folder, runtime, code, &[]);
        match runtime {
            OLD => run.says("secret changed 'old' to Sensitive [value redacted]"),
            _ => run
                .says(&format!("{secret}changed [redacted] to [redacted]"))
                .says_not("old"),
        };
    }
    // Nothing can mark a parameter.
    let code = "talker { 'a': pass => Sensitive('x') }";
    let warning = "Warning: /Talker[a]: Unable to mark 'pass' as sensitive: pass is a parameter and not a property";
    apply(&folder, OLD, code, &[])
        .exits(0)
        .says_not("Unable to mark");
    apply(&folder, MIDDLE, code, &[]).exits(0).says(warning);
    apply(&folder, NEW, code, &[]).exits(0).says(warning);
}

/// A module whose provider generates what the text gives for the resource `a`.
fn generator(given: &str) -> Folder {
    let body = lists("[{ name: 'a', ensure: 'present', v: 1 }]")
        + &format!(
            "\n  def generate(_context, title, is, should)\n    \
             Puppet.notice(\"generate #{{title}} #{{is.inspect}} #{{should[:v].inspect}}\")\n    {given}\n  end\n"
        );
    valued("'custom_generate'", &body)
}

#[test]
fn what_a_provider_generates_is_applied() {
    let code = "talker { 'a': v => 1 } notify { 'last': }";
    let made =
        "[Puppet::Type.type(:notify).new(name: 'more', message: 'from generate')] if title == 'a'";
    let folder = generator(made);
    apply(&folder, OLD, code, &[])
        .exits(0)
        .says("Warning: Unknown feature detected: [\"custom_generate\"]")
        .says_not("generate a");
    apply(&folder, MIDDLE, code, &[])
        .exits(0)
        .says("generate a {:name=>\"a\", :ensure=>\"present\", :v=>1} 1")
        .says("Notice: from generate");
    apply(&folder, NEW, code, &[])
        .exits(0)
        .says("generate a nil 1")
        .says("Notify[more]/message: defined 'message' as 'from generate'\nNotice: last");
    // It may name what comes before or after it.
    let first =
        "[Puppet::Type.type(:notify).new(name: 'more', before: 'Talker[a]')] if title == 'a'";
    apply(&generator(first), NEW, "talker { 'a': v => 2 }", &[])
        .exits(0)
        .says("Notify[more]/message: defined 'message' as 'more'\nNotice: /Stage[main]/Main/Talker[a]/v");
    let last =
        "[Puppet::Type.type(:notify).new(name: 'more', require: ['Notify[last]'])] if title == 'a'";
    apply(&generator(last), NEW, code, &[])
        .exits(0)
        .says("defined 'message' as 'last'\nNotice: more");
    let one = ["resource", "talker", "a", "v=1", "--runtime", NEW];
    folder.run(&one).exits(0).says("generate a nil 1");
    // One more of its own is asked in its turn.
    let one = "title == 'a' ? Puppet::Type.type(:talker).new(name: 'b', v: 7) : nil";
    apply(&generator(one), NEW, code, &[])
        .exits(0)
        .says("generate b nil 7")
        .says("Talker[b]/ensure: defined 'ensure' as 'present'");
    // What raises is told, and the run goes on.
    for (given, says) in [
        ("raise 'no idea'", "no idea"),
        (
            "Puppet::Type.type(:talker).new(v: 7)",
            "Title or name must be provided",
        ),
        (
            "Puppet::Type.type(:talker).new(name: 'b', v: 'x')",
            "expects a value of type Undef or Integer",
        ),
    ] {
        apply(&generator(given), NEW, code, &[])
            .exits(0)
            .says("Failed to generate additional resources using 'generate': ")
            .says(says)
            .says("Notice: last");
    }
    apply(&valued("'custom_generate'", &lists("[]")), NEW, code, &[])
        .exits(0)
        .says("'generate': No generate method found within the types provider");
    // What is no resource refuses the catalog.
    for given in ["[{ name: 'b' }]", "'b'", "[nil]"] {
        apply(&generator(given), NEW, code, &[])
            .exits(1)
            .says("undefined method `ref'")
            .says_not("Notice: last");
    }
    apply(&generator("raise Exception, 'out'"), NEW, code, &[])
        .exits(1)
        .says("out")
        .says_not("Notice: last");
}

#[test]
fn generating_without_end_is_stopped() {
    let code = "talker { 'a': v => 1 } notify { 'last': }";
    for given in [
        // A new one each time, itself, two each time.
        "Puppet::Type.type(:talker).new(name: \"#{title}x\")",
        "Puppet::Type.type(:talker).new(name: title)",
        "[1, 2].map { |one| Puppet::Type.type(:talker).new(name: \"#{title}#{one}\") }",
    ] {
        for runtime in [MIDDLE, NEW] {
            apply(&generator(given), runtime, code, &[])
                .exits(1)
                .says("gives resources of its own type")
                .says("Stickler stops after 1000")
                .says_not("Notice: last");
        }
    }
}

#[test]
fn processing_takes_its_message_where_the_release_has_it() {
    let body = |call: &str| {
        format!(
            "  def get(context)\n    {call} {{ context.notice('inside') }}\n    [{{ name: 'a', ensure: 'present' }}]\n  end\n"
        )
    };
    let last = talker("", &body("context.processing('a', 1, 2, 'Doing')"));
    let keyword = talker("", &body("context.processing('a', 1, 2, message: 'Doing')"));
    let code = "talker { 'a': }";
    apply(&last, OLD, code, &[])
        .exits(1)
        .says("wrong number of arguments");
    apply(&keyword, OLD, code, &[])
        .exits(0)
        .says("talker[a]: Doing: inside");
    for runtime in [MIDDLE, NEW] {
        apply(&last, runtime, code, &[])
            .exits(0)
            .says("talker[a]: Doing: inside");
        apply(&keyword, runtime, code, &[])
            .exits(0)
            .says("talker[a]: {:message=>\"Doing\"}: inside");
    }
}

#[test]
fn a_block_that_fails_fails_the_next_set() {
    for block in ["failing", "updating"] {
        let body = format!(
            "  def get(context)\n    context.{block}('a') {{ raise 'broken' }}\n    \
             [{{ name: 'a', ensure: 'present', v: 1 }}]\n  end\n\n  def set(_context, _changes)\n    \
             Puppet.notice('set')\n  end\n"
        );
        let folder = valued("", &body);
        for runtime in ALL {
            apply(&folder, runtime, "talker { 'a': v => 2 }", &[])
                .exits(1)
                .says("Notice: set")
                .says("Could not evaluate: Execution encountered an error");
            apply(&folder, runtime, "talker { 'a': v => 1 }", &[]).exits(0);
        }
    }
    // The context raises before the block: nothing has failed.
    let refused = "  def get(context)\n    begin\n      context.processing(['a'], 1, 2) { 1 }\n    rescue StandardError\n      \
                   nil\n    end\n    [{ name: 'a', ensure: 'present', v: 1 }]\n  end\n\n  def set(_context, _changes)\n  end\n";
    apply(&valued("", refused), OLD, "talker { 'a': v => 2 }", &[]).exits(0);
}

#[test]
fn resources_of_a_cycle_fail() {
    let folder = valued("", &lists("[]"));
    let code = "talker { 'a': require => Talker['b'] } talker { 'b': require => Talker['a'] } notify { 'x': }";
    let run = apply(&folder, OLD, code, &["--format", "json"]);
    run.exits(1)
        .says("\"event\":\"status\"")
        .says("resource is part of a dependency cycle")
        .says("\"failed\":2")
        .says_not("Notify[x]");
}

#[test]
fn definitions_that_the_library_refuses_are_refused_with_its_reason() {
    let folder = talker("", &lists("[]"));
    let sound = folder.read("lib/puppet/type/talker.rb");
    let code = "talker { 'a': }";
    let no_hash = "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type([1])\n";
    for (text, says) in [
        (no_hash.to_owned(), "must be a Hash, not `Array`"),
        (
            no_hash.replace("[1]", "nil"),
            "must be a Hash, not `NilClass`",
        ),
        (format!("{sound}{sound}"), "the type is registered twice"),
        (
            sound.replace("type(\n", "type({\n").replace(
                "\n)\n",
                "\n}.reject { |key, _| key == :features }.freeze)\n",
            ),
            "frozen",
        ),
    ] {
        folder.write("lib/puppet/type/talker.rb", &text);
        apply(&folder, OLD, code, &[])
            .exits(1)
            .says("Could not autoload puppet/type/talker: ")
            .says(says);
    }
    let parameter = sound.replace(
        "default: 'present'",
        "default: 'present', behaviour: :parameter",
    );
    folder.write("lib/puppet/type/talker.rb", &parameter);
    apply(&folder, OLD, code, &[])
        .exits(1)
        .says("Could not evaluate: undefined method `should'");
    let upper = sound.replace("'talker'", "'Talker'");
    folder.write("lib/puppet/type/talker.rb", &upper);
    apply(&folder, OLD, code, &[])
        .exits(1)
        .says("Could not evaluate: ");
    let warned = sound.replace("desc: 'x', features", "features");
    folder.write("lib/puppet/type/talker.rb", &warned);
    let twice =
        "has no documentation, add it using a `desc` key\nWarning: `talker` has no documentation";
    apply(&folder, OLD, code, &[]).exits(0).says(twice);
}

#[test]
fn providers_see_the_versions_of_the_release() {
    let folder = talker(
        "",
        "  def get(_context)\n    Puppet.notice(\"#{Puppet.version} #{Puppet::PUPPETVERSION} \" \
         \"#{Puppet::ResourceApi::VERSION}\")\n    []\n  end\n",
    );
    for (runtime, versions) in [
        (OLD, "7.23.0 7.23.0 1.8.16"),
        (MIDDLE, "8.28.1 8.28.1 1.9.2"),
        (NEW, "8.28.1 8.28.1 2.0.1"),
    ] {
        folder
            .run(&["resource", "talker", "--runtime", runtime])
            .exits(0)
            .says(versions);
    }
}

#[test]
fn puppets_own_options_of_purges_and_audits_are_known() {
    let folder = valued("", &lists("[{ name: 'a', ensure: 'present', v: 1 }]"));
    let purge = "resources { 'talker': purge => true, unless_system_user => true }";
    apply(&folder, NEW, purge, &[])
        .exits(0)
        .says("undefined 'ensure' from 'present'");
    // Only what a resource sets can be audited, unless it is a property.
    let audit = |what: &str| format!("talker {{ 'a': audit => '{what}' }}");
    apply(&folder, NEW, &audit("v"), &[])
        .exits(0)
        .says("audit change: newly-recorded value 1");
    apply(&folder, NEW, &audit("pass"), &[])
        .exits(1)
        .says("private method `format' called for nil");
    let set = "talker { 'a': pass => Sensitive('x'), audit => 'pass' }";
    apply(&folder, OLD, set, &[])
        .exits(1)
        .says("private method `format' called for nil");
}

#[test]
fn an_exception_that_is_no_error_ends_the_run() {
    let code = "talker { 'a': v => 2 } notify { 'last': }";
    let body = |raised: &str| {
        format!(
            "  def get(_context)\n    [{{ name: 'a', ensure: 'present', v: 1 }}]\n  end\n\n  \
             def set(context, _changes)\n    context.updating('a') {{ {raised} }}\n  end\n"
        )
    };
    for runtime in ALL {
        apply(
            &valued("", &body("raise Exception, 'out'")),
            runtime,
            code,
            &[],
        )
        .exits(1)
        .says("error: the catalog cannot be applied: out")
        .says_not("Failed after")
        .says_not("Notice: last");
        apply(&valued("", &body("exit")), runtime, code, &[])
            .exits(0)
            .says("a provider has called `exit`")
            .says_not("Notice: last");
        apply(&valued("", &body("exit 3")), runtime, code, &[])
            .exits(1)
            .says_not("Notice: last");
    }
}

#[test]
fn a_deferred_value_is_refused_where_puppet_refuses_it() {
    let any = "  def get(_context)\n    [{ name: 'a', ensure: 'present' }]\n  end\n\n  def set(_context, _changes)\n  end\n";
    let folder = valued("", any);
    let file = "lib/puppet/type/talker.rb";
    let text = folder.read(file);
    let wide = "attributes: {\n    wide: { type: 'Any', desc: 'x' },\n";
    folder.write(file, &text.replacen("attributes: {\n", wide, 1));
    let deferred = r#"{"__ptype":"Deferred","name":"vault","arguments":["x"]}"#;
    let wrapped = format!(r#"{{"__ptype":"Sensitive","__pvalue":{deferred}}}"#);
    for (attribute, value, refusal) in [
        (
            "v",
            deferred,
            Some("expects a value of type Undef or Integer, got Runtime"),
        ),
        ("secret", &wrapped, Some("got Sensitive[Runtime[")),
        ("wide", deferred, None),
    ] {
        let catalog = format!(
            r#"{{"resources":[{{"type":"Talker","title":"a","parameters":{{"{attribute}":{value}}}}}]}}"#
        );
        folder.write("catalog.json", &catalog);
        for runtime in ALL {
            let output = folder.run(&["apply", "catalog.json", "--runtime", runtime]);
            match (runtime, refusal) {
                // Puppet 7 calls the function before any type sees the value.
                (OLD, _) => output
                    .exits(2)
                    .says("vault() before it applies the catalog"),
                (_, Some(refusal)) => output.exits(1).says(refusal),
                (_, None) => output.exits(2).says("vault() when it applies the resource"),
            };
        }
    }
}
