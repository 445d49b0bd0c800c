//! `stickler apply` and `stickler resource` with `--target`: connections, and what they need to know.

use crate::cli::Folder;

/// A module with a transport that says what it gets. Its provider connects once more for each change.
fn module() -> Folder {
    let folder = Folder::empty();
    folder.write(
        "lib/puppet/transport/schema/switch.rb",
        "require 'puppet/resource_api'\nPuppet::ResourceApi.register_transport(\n  \
         name: 'switch', desc: 'x',\n  connection_info: {\n    \
         host: { type: 'String', desc: 'x' },\n    \
         port: { type: 'Optional[Integer[1, 65535]]', desc: 'x', default: 22 },\n    \
         password: { type: 'String[8]', desc: 'x', sensitive: true },\n  },\n)\n",
    );
    folder.write(
        "lib/puppet/transport/switch.rb",
        "module Puppet::Transport\n  class Switch\n    def initialize(context, info)\n      \
         context.warning('old firmware')\n      context.notice(\"at #{info[:host]}:#{info[:port]}\")\n      \
         raise 'no route' if info[:host] == 'gone'\n    end\n\n    def verify(_context); end\n\n    \
         def facts(_context)\n      {}\n    end\n\n    def close(_context); end\n  end\nend\n",
    );
    folder.write(
        "lib/puppet/util/network_device/switch/device.rb",
        "require 'puppet/resource_api/transport/wrapper'\n\
         module Puppet::Util::NetworkDevice::Switch\n  \
         class Device < Puppet::ResourceApi::Transport::Wrapper\n    \
         def initialize(url_or_config, _options = {})\n      super('switch', url_or_config)\n    end\n  end\nend\n",
    );
    folder.write(
        "lib/puppet/type/vlan.rb",
        "require 'puppet/resource_api'\nPuppet::ResourceApi.register_type(\n  \
         name: 'vlan', desc: 'x', features: ['remote_resource'],\n  attributes: {\n    \
         name: { type: 'String', desc: 'x', behaviour: :namevar },\n    \
         ensure: { type: 'Enum[present, absent]', desc: 'x', default: 'present' },\n  },\n)\n",
    );
    folder.write(
        "lib/puppet/provider/vlan/vlan.rb",
        "class Puppet::Provider::Vlan::Vlan\n  def get(_context)\n    []\n  end\n\n  \
         def set(context, changes)\n    changes.each_key do |name|\n      \
         context.creating(name) do\n        info = { host: 'other', password: 'long enough' }\n        \
         name.to_i.times { Puppet::ResourceApi::Transport.connect('switch', info) }\n      \
         end\n    end\n  end\nend\n",
    );
    folder
}

const MISFIT: &str = "does not match the Transport Schema for `switch[]`";

/// A `connection_info`, in TOML and in HOCON, with what the library says of it.
const WRONG: &[(&str, &str, &[&str])] = &[
    (
        "host = 5, password = \"horse\", zork = 1",
        "host: 5, password: horse, zork: 1",
        &[
            MISFIT,
            "    * zork",
            "    * host: 5 (expects a String value, got Integer)",
            "    * password: << redacted value >> expects a String[8] value, got String",
        ],
    ),
    (
        "host = \"h\"",
        "host: h",
        &["The following mandatory attributes were not provided:\n    *  password"],
    ),
    (
        "host = \"h\", password = \"long enough\", port = 0",
        "host: h, password: \"long enough\", port: 0",
        &[
            MISFIT,
            "    * port: 0 (expects a value of type Undef or Integer[1, 65535], got Integer[0, 0])",
        ],
    ),
];

fn describe(folder: &Folder, info: &str, more: &str) {
    folder.write(
        "stickler.toml",
        &format!(
            "[subject]\ndialect = \"resource-api\"\npath = \".\"\n\n[target.lab]\n\
             transport = \"switch\"\nconnection_info = {{ {info} }}\n{more}"
        ),
    );
}

#[test]
fn connections_are_checked_against_the_schema() {
    let folder = module();
    let file = folder.write("info.conf", "");
    folder.write(
        "device.conf",
        &format!("[lab]\ntype switch\nurl file://{}\n", file.display()),
    );
    for (toml, hocon, says) in WRONG {
        describe(&folder, toml, "");
        folder.write("info.conf", &format!("{{ {hocon} }}"));
        let runs = [
            folder.run(&["apply", "-e", "vlan { '0': }", "--target", "lab"]),
            folder.run(&["resource", "vlan", "--target", "lab"]),
            folder.run(&["resource", "vlan", "--target", "lab", "--runtime", "spec"]),
            folder.run(&[
                "resource",
                "vlan",
                "--target",
                "lab",
                "--deviceconfig",
                "device.conf",
            ]),
        ];
        for run in runs {
            run.exits(1).says("error: Can't load switch for lab: ");
            says.iter().for_each(|text| {
                run.says(text);
            });
        }
        // A description that Puppet refuses is wrong, unless that is meant.
        let check = folder.run(&["check", "--quick"]);
        check.exits(2);
        match toml.contains("zork") {
            true => {
                let unknown = "[target.lab] has \"zork\" in its `connection_info`";
                check.says(unknown).says("there are: host, port, password");
            }
            false => {
                check.says("[target.lab] is refused by Puppet itself: ");
                says.iter().for_each(|text| {
                    check.says(text);
                });
            }
        }
        describe(&folder, toml, "invalid = true\n");
        folder
            .run(&["check", "--quick", "--select", "RA715"])
            .exits(0);
    }
}

#[test]
fn a_provider_that_connects_itself_meets_the_same_check() {
    let folder = module();
    describe(&folder, "host = \"h\", password = \"long enough\"", "");
    let apply = |code: &str, more: &[&str]| {
        let mut arguments = vec!["apply", "-e", code, "--target", "lab"];
        arguments.extend(more);
        folder.run(&arguments)
    };
    apply("vlan { '1': }", &["-d"])
        .exits(0)
        .says("Debug: switch: Using default value for attribute: port, value: 22")
        .says("Notice: switch: at h:22\n")
        .says("at other:22");
    // The hash of the caller holds a wrapped password afterwards.
    apply("vlan { '2': }", &[])
        .exits(1)
        .says("    * password: << redacted value >> expects a String value, got Sensitive[String]");
    // In `check`, too.
    let example = "\n[[example]]\nname = \"two\"\ntype = \"vlan\"\ntitle = \"2\"\ntarget = \"lab\"\nexpect = [\"changed\"]\n";
    describe(&folder, "host = \"h\", password = \"long enough\"", example);
    folder
        .run(&["check", "--quick", "--select", "RA520"])
        .exits(1)
        .says("RA520");
}

#[test]
fn messages_of_a_connecting_transport_are_shown() {
    let folder = module();
    describe(&folder, "host = \"h\", password = \"long enough\"", "");
    folder
        .run(&["resource", "vlan", "--target", "lab"])
        .exits(0)
        .says("Warning: switch: old firmware\n")
        .says("Notice: switch: at h:22\n")
        .says_not("Using default");
    folder
        .run(&["apply", "-e", "", "--target", "lab", "--format", "json"])
        .exits(0)
        .says("\"message\":\"switch: old firmware\"");
    // A type that is not for devices is told from one that is.
    folder.write(
        "lib/puppet/type/local.rb",
        "Puppet::ResourceApi.register_type(name: 'local', desc: 'x', attributes: {\n  \
         name: { type: 'String', desc: 'x', behaviour: :namevar } })\n",
    );
    folder
        .run(&["apply", "-e", "local { 'a': }", "--target", "lab"])
        .exits(0)
        .says("not applied: Local[a]; their types lack the feature remote_resource")
        .says_not("with --target");
    // The more so if it fails.
    describe(&folder, "host = \"gone\", password = \"long enough\"", "");
    folder
        .run(&["resource", "vlan", "--target", "lab"])
        .exits(1)
        .says("Notice: switch: at gone:22\n")
        .says("error: Can't load switch for lab: no route");
}
