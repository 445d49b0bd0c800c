//! Devices from before there were transports.

use super::with_verdict;
use crate::cli::Folder;

const DEVICE: &str = "\
require 'json'
require 'puppet/util/network_device/simple/device'

class Puppet::Util::NetworkDevice::Barn
  class Device < Puppet::Util::NetworkDevice::Simple::Device
    STORE = '/var/tmp/barn.json'

    def doors
      raise Puppet::Error, 'the barn does not know this key' unless config['key'] == 'golden-7'

      File.exist?(STORE) ? JSON.parse(File.read(STORE)) : {}
    end

    def keep(doors)
      File.write(\"#{STORE}.new\", JSON.generate(doors))
      File.rename(\"#{STORE}.new\", STORE)
    end
  end
end
";
const PROVIDER: &str = "\
require 'puppet/resource_api/simple_provider'

class Puppet::Provider::BarnDoor::BarnDoor < Puppet::ResourceApi::SimpleProvider
  def get(context)
    context.device.doors.map { |name, colour| { name: name, colour: colour, ensure: 'present' } }
  end

  def create(context, name, should)
    context.device.keep(context.device.doors.merge(name => should[:colour]))
  end
  alias update create

  def delete(context, name)
    context.device.keep(context.device.doors.reject { |key, _| key == name })
  end
end
";
const TYPE: &str = "\
require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'barn_door',
  desc: 'A door of a barn.',
  features: ['remote_resource'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', default: 'present', desc: 'Is it there?' },
    name: { type: 'String[1]', behaviour: :namevar, desc: 'Its name.' },
    colour: { type: 'String', desc: 'Its colour.' },
  },
)
";
const DESCRIPTION: &str = "\
[subject]
dialect = \"resource-api\"
path = \".\"

[target.barn]
transport = \"barn\"
connection_info = { key = \"golden-7\" }

[[example]]
type = \"barn_door\"
title = \"north\"
attributes = { colour = \"red\" }
target = \"barn\"
expect = [\"changed\", \"ok\"]
";

fn barn() -> Folder {
    let folder = Folder::empty();
    folder.write("lib/puppet/util/network_device/barn/device.rb", DEVICE);
    folder.write("lib/puppet/provider/barn_door/barn_door.rb", PROVIDER);
    folder.write("lib/puppet/type/barn_door.rb", TYPE);
    folder.write("stickler.toml", DESCRIPTION);
    folder
}

#[test]
fn older_devices_read_a_file_and_have_no_methods_of_transports() {
    let folder = barn();
    let output = folder.run(&["check", "--strict", "--keep", "--format", "json"]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert!(failed.is_empty(), "{failed:?}");
    let passed = with_verdict(&output, &["pass"]);
    assert!(
        passed.contains("RA520") && passed.contains("RA501"),
        "{passed:?}"
    );
    output.exits(0);
    // No schema says what is secret, but the key's name does.
    let kept = folder.list(".stickler/sessions");
    assert!(!kept.is_empty());
    for name in kept {
        let text = folder.read(&format!(".stickler/sessions/{name}"));
        assert!(!text.contains("golden-7"), "{name}");
    }
    folder.write("stickler.toml", &DESCRIPTION.replace("golden-7", "silver"));
    folder
        .run(&["check", "--quick"])
        .exits(1)
        .says("RA520")
        .says("the barn does not know this key");
}
