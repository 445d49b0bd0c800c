//! The releases of Puppet that a module is meant for, and the one that is played unless somebody names one.

use super::cli_apply::talker;
use super::module;
use crate::cli::{Folder, Output, finish};

const PROVIDER: &str = "lib/puppet/provider/package_key/package_key.rb";

/// The module, meant for these releases.
fn meant_for(runtimes: &str) -> Folder {
    let folder = module("package_key");
    let own = format!("path = \".\"\nruntimes = {runtimes}\n");
    folder.replace("stickler.toml", "path = \".\"\n", &own);
    folder
}

#[test]
fn releases_that_were_not_measured_are_refused() {
    for (runtimes, message, help) in [
        (
            "[\"8+2.1\"]",
            "the behaviour of Puppet 8+2.1 was not measured",
            "did you mean \"8+2.0\"? measured are 7.23+1.8.16, 8+1.9, 8+2.0",
        ),
        (
            "[\"8\", \"1.8.17\"]",
            "the behaviour of Puppet 1.8.17 was not measured",
            "measured are 7.23+1.8.16, 8+1.9, 8+2.0",
        ),
        (
            "[\"spec\"]",
            "the behaviour of Puppet spec was not measured",
            "measured are",
        ),
        ("[]", "no release of Puppet is named", "measured are"),
        ("\"8\"", "this is text", "write a list of releases"),
    ] {
        meant_for(runtimes)
            .run(&["check", "--select", "RA101"])
            .exits(2)
            .says(message)
            .says(help);
    }
    // Short names are names.
    meant_for("[\"7\", \"1.9\", \"2.0.1\"]")
        .run(&["check", "--select", "RA101"])
        .exits(0);
}

#[test]
fn findings_say_what_the_releases_make_of_it() {
    for (runtimes, words) in [
        (None, " (Puppet 8 refuses this, 7.23 warns)"),
        (Some("[\"7.23+1.8.16\"]"), " (Puppet 7.23 warns of this)"),
        (Some("[\"8+1.9\"]"), " (Puppet 8 refuses this)"),
        (
            Some("[\"7.23\", \"8\"]"),
            " (Puppet 8 refuses this, 7.23 warns)",
        ),
    ] {
        let folder = runtimes.map_or_else(|| module("package_key"), meant_for);
        folder.replace(PROVIDER, "size: key.bytesize", "size: key.bytesize.to_s");
        let output = folder.run(&["check", "--select", "RA202", "--format", "json"]);
        output.exits(1);
        assert!(output.stdout.contains(words), "{words}: {}", output.stdout);
        // On the command line, one release is meant.
        let alone = [
            "check",
            "--select",
            "RA202",
            "--format",
            "json",
            "--runtime",
        ];
        let alone = folder.run(&[&alone[..], &["8"]].concat());
        assert!(
            alone.stdout.contains("(Puppet 8 refuses this)"),
            "{}",
            alone.stdout
        );
    }
}

#[test]
fn other_releases_are_compared_where_the_module_is_meant_for_them() {
    let raises = "    raise Puppet::Error, 'old' if Puppet::ResourceApi::VERSION.start_with?('1.9')\n\n    \
                  return [] unless File.directory?(folder)\n";
    for (runtimes, code) in [
        (None, 1),
        (Some("[\"7.23+1.8.16\", \"8+1.9\"]"), 1),
        (Some("[\"7.23+1.8.16\", \"8+2.0\"]"), 0),
        // There is nothing to compare.
        (Some("[\"8+2.0\"]"), 4),
    ] {
        let folder = runtimes.map_or_else(|| module("package_key"), meant_for);
        folder.replace(
            PROVIDER,
            "    return [] unless File.directory?(folder)\n",
            raises,
        );
        let output = folder.run(&["check", "--strict", "--select", "RA806"]);
        output.exits(code);
        match code {
            1 => output.says("under puppet-resource_api 1.9.2"),
            4 => output.says("one release of Puppet alone"),
            _ => &output,
        };
        let alone = ["check", "--strict", "--select", "RA806", "--runtime", "2.0"];
        folder
            .run(&alone)
            .exits(4)
            .says("one release of Puppet alone");
    }
}

/// A command of a folder whose Ruby has a Puppet and a library of these versions, or none.
fn with_installed(folder: &Folder, installed: Option<[&str; 2]>, words: &[&str]) -> Output {
    let [core, api] = match installed {
        None => ["raise LoadError, 'none'".to_owned(), String::new()],
        Some([core, api]) => [
            format!(
                "module Puppet; PUPPETVERSION = '{core}' unless const_defined?(:PUPPETVERSION); end"
            ),
            format!(
                "module Puppet; module ResourceApi; VERSION = '{api}' unless const_defined?(:VERSION); end; end"
            ),
        ],
    };
    folder.write("ruby/puppet/version.rb", &core);
    folder.write("ruby/puppet/resource_api/version.rb", &api);
    let mut command = folder.command(words);
    command.env("RUBYLIB", folder.path().join("ruby"));
    finish(&mut command)
}

#[test]
fn the_installed_puppet_is_played_if_it_was_measured() {
    let rows = "  def get(_context)\n    [{ name: 'a', ensure: 'present' }]\n  end\n\n  def set(_context, _changes)\n  end\n";
    let folder = talker("", rows);
    for (installed, is_eight, said) in [
        (
            Some(["7.23.0", "1.8.16"]),
            false,
            "with puppet-resource_api 1.8.16: measured; --runtime is 7.23+1.8.16 by default",
        ),
        (
            Some(["8.10.0", "1.9.1"]),
            true,
            "with puppet-resource_api 1.9.1: measured; --runtime is 8+1.9 by default",
        ),
        (
            Some(["7.34.0", "1.8.16"]),
            true,
            "with puppet-resource_api 1.8.16: not measured; --runtime is 8+2.0 by default",
        ),
        (
            None,
            true,
            "--runtime is 8+2.0 by default, the newest release that was measured",
        ),
    ] {
        let code = "talker { 'a': ensure => absent }";
        let output = with_installed(&folder, installed, &["apply", "--noop", "-e", code]);
        // Only Puppet 8 tells what a change would say.
        let message = match is_eight {
            true => "undefined 'ensure' from 'present' (noop)",
            false => "current_value 'present', should be 'absent' (noop)",
        };
        output.exits(0).says(message);
        with_installed(&folder, installed, &["doctor"]).says(said);
    }
}

#[test]
fn real_puppet_says_which_releases_are_not_tried() {
    // A type that is not there ends the run before a session.
    let output = meant_for("[\"8+2.0\"]").run(&["check", "--real-puppet", "--type", "nosuch"]);
    output
        .exits(2)
        .says("--real-puppet: all sessions run with Puppet 7.")
        .says("not tried: 8+2.0");
}
