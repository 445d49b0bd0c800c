//! States, changes and messages: what the report says of them, and examples of a special shape.

use super::module;

const SETTING: &str = "provider/kernel_setting/kernel_setting.rb";
const CREDENTIAL: &str = "provider/api_credential/api_credential.rb";

const START: &str = "    changes.each do |name, change|";

/// Why a block failed is told, without secrets.
#[test]
fn the_error_in_a_block_is_told() {
    let folder = module("api_credential");
    folder.replace(
        &format!("lib/puppet/{CREDENTIAL}"),
        "    write(name, {}, should)\n",
        "    raise Puppet::Error, \"no room for #{plain(should[:password])}\"\n",
    );
    let output = folder.run(&["check", "--quick", "--select", "RA520"]);
    let says = "Puppet::Error: no room for";
    let place = "api_credential.rb:23";
    output
        .exits(1)
        .says(says)
        .says(place)
        .says_not("correct horse");
    let replayed = folder.run(&["replay", "-v", &folder.reproducer("RA520")]);
    replayed
        .exits(1)
        .says(says)
        .says(place)
        .says_not("correct horse");
}

/// Runtimes log the reasons of `insync?`.
#[test]
fn a_reason_shows_no_secret() {
    for (shown, code) in [
        ("should_hash[:password].unwrap", 1),
        ("should_hash[:password]", 0),
    ] {
        let folder = module("api_credential");
        folder.replace(
            "lib/puppet/type/api_credential.rb",
            "  attributes: {",
            "  features: ['custom_insync'],\n  attributes: {",
        );
        let reason = format!(
            "  def insync?(_context, _name, property, is_hash, should_hash)\n    \
             return unless property == :password\n    \
             return true if is_hash[:password] && plain(is_hash[:password]) == plain(should_hash[:password])\n\n    \
             [false, \"it changes to #{{{shown}}}\"]\n  end\n\n  private\n"
        );
        folder.replace(&format!("lib/puppet/{CREDENTIAL}"), "  private\n", &reason);
        let output = folder.run(&["check", "--quick", "--select", "RA606"]);
        output.exits(code).says_not("correct horse");
        if code == 1 {
            output.says("shows in the reason that");
        }
    }
}

/// A resource that cannot be removed need not be removed by a change without `:should`.
#[test]
fn a_resource_that_cannot_be_removed_may_stay() {
    let provider = "lib/puppet/provider/package_key/package_key.rb";
    let delete = "context.deleting(name) {";
    for (refuses, code) in [
        ("raise Puppet::Error, 'keys stay'", 4),
        (
            "raise Puppet::Error, 'keys stay' if change[:should].nil?",
            1,
        ),
    ] {
        let folder = module("package_key");
        folder.replace(provider, delete, &format!("{delete} {refuses};"));
        // Nothing is removed by examples.
        let text = folder.read("stickler.toml");
        let kept = text.split("[[").filter(|part| !part.contains("absent"));
        folder.write("stickler.toml", &kept.collect::<Vec<_>>().join("[["));
        let output = folder.run(&["check", "--select", "RA503", "-k", "removed"]);
        output.exits(code);
    }
}

/// An example that asks for another value of what is set at creation says so.
#[test]
fn a_finding_names_the_init_only_attribute_that_blocks_the_change() {
    let folder = module("daily_job");
    folder.replace(
        "lib/puppet/type/daily_job.rb",
        "      behaviour: :init_only,\n",
        "      behaviour: :init_only,\n      default: 'nobody',\n",
    );
    let output = folder.run(&["check", "--quick", "--select", "RA520"]);
    output
        .exits(1)
        .says("evaluation 1 is `error` instead of `changed`:")
        .says("Puppet says: Attempting to change `owner` init_only attribute value from `` to `nobody`");
}

/// Where a resource cannot have another name, two examples are set at once.
#[test]
fn two_examples_are_set_at_once() {
    let folder = module("kernel_setting");
    let known = "    raise Puppet::Error, 'an unknown setting' unless (changes.keys - get(nil).map { |row| row[:name] }).empty?\n";
    let provider = format!("lib/puppet/{SETTING}");
    folder.replace(&provider, START, &format!("{known}{START}"));
    let example = |title: &str| {
        format!(
            "[[example]]\nname = \"{title}\"\ntype = \"kernel_setting\"\ntitle = \"{title}\"\n\
             attributes = {{ value = \"10\" }}\nsetup = [[\"sh\", \"-c\", \"printf 'vm.one=1\\\\nvm.two=2\\\\n' \
             > /etc/kernel-settings.conf\"]]\n"
        )
    };
    let config = "[subject]\ndialect = \"resource-api\"\npath = \".\"\n";
    folder.write(
        "stickler.toml",
        &format!("{config}{}{}", example("vm.one"), example("vm.two")),
    );
    let check = ["check", "--select", "RA506"];
    folder.run(&check).exits(0);
    folder.replace(
        &provider,
        START,
        "    changes.first(1).each do |name, change|",
    );
    folder
        .run(&check)
        .exits(1)
        .says("\"vm.two\": `value` is \"2\" instead of \"10\"");
}
