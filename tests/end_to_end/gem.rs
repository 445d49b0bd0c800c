//! The gem: its own specs, and a module that uses its task and its matcher.

use crate::cli::{Folder, Output, finish};
use crate::common::{Call, STICKLER, root};

/// Runs a program of Ruby with the gem's library.
fn ruby(folder: &Folder, module: &str, words: &[&str]) -> Output {
    let (program, words) = words.split_first().expect("a program");
    finish(
        Call::of(program)
            .args(words)
            .env("RUBYLIB", root().join("integrations/ruby/lib"))
            .env("STICKLER", STICKLER)
            .current_dir(folder.path().join(module)),
    )
}

/// The modules of the demo, as an author would have them.
fn demo() -> Folder {
    let folder = Folder::empty();
    folder.run(&["demo", "puppet", "demo"]).exits(0);
    for module in ["sound", "broken"] {
        folder.write(
            &format!("demo/{module}/Rakefile"),
            "require 'stickler/rake_task'\nStickler::RakeTask.new { |task| task.select = 'RA501' }\n",
        );
        folder.write(
            &format!("demo/{module}/spec/type_spec.rb"),
            "require 'stickler/rspec'\n\
             describe 'package_key' do\n  \
             it { expect(type('package_key')).to pass_stickler.judging('RA501') }\n\
             it { expect(type('other')).not_to pass_stickler }\n\
             end\n",
        );
    }
    folder
}

#[test]
fn the_gem_passes_its_own_specs() {
    let folder = root().join("integrations/ruby");
    let done = finish(
        Call::of("rspec")
            .env("STICKLER", STICKLER)
            .current_dir(&folder),
    );
    done.exits(0).says(" 0 failures");
}

#[test]
fn the_task_ends_rake_if_a_rule_is_broken() {
    let demo = demo();
    ruby(&demo, "demo/sound", &["rake", "stickler"]).exits(0);
    ruby(&demo, "demo/broken", &["rake", "stickler"])
        .exits(1)
        .says("FAIL  RA501")
        .says("Stickler found broken rules");
    ruby(&demo, "demo/broken", &["rake", "-T"]).says("rake stickler  # Check types");
}

#[test]
fn the_matcher_shows_findings_and_passes_nothing_unjudged() {
    let demo = demo();
    let sound = ruby(&demo, "demo/sound", &["rspec"]);
    // The type that is not there is no reason to pass.
    sound
        .exits(1)
        .says("2 examples, 1 failure")
        .says("wrong usage or description")
        .says("other");
    ruby(&demo, "demo/broken", &["rspec"])
        .exits(1)
        .says("2 examples, 2 failures")
        .says("expected type package_key to pass Stickler's rules of level must")
        .says("FAIL  RA501")
        .says("replay   stickler replay");
}
