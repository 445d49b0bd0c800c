//! The Puppet modules of `stickler demo`.

use stickler_face::demo::{Demo, Mistake};

const PROVIDER: &str = "lib/puppet/provider/package_key/package_key.rb";

/// A type whose provider keeps keys in files.
pub const DEMO: Demo = Demo {
    system: "puppet",
    module: &[
        (
            "lib/puppet/type/package_key.rb",
            include_str!(
                "../../../../fixtures/providers/package_key/lib/puppet/type/package_key.rb"
            ),
        ),
        (
            PROVIDER,
            include_str!(
                "../../../../fixtures/providers/package_key/lib/puppet/provider/package_key/package_key.rb"
            ),
        ),
        (
            "stickler.toml",
            include_str!("../../../../fixtures/providers/package_key/stickler.toml"),
        ),
    ],
    beside: &[],
    mistakes: &[
        Mistake {
            file: PROVIDER,
            sound: "File.binread(should[:source]) if should[:source]\n",
            broken: "File.binread(should[:source]) if should[:source] && File.exist?(should[:source])\n",
        },
        Mistake {
            file: PROVIDER,
            sound: "[owner.empty? ? nil : owner, key]",
            broken: "[owner.empty? ? nil : owner.downcase, key]",
        },
        Mistake {
            file: PROVIDER,
            sound: "context.deleting(name) { remove(name) }",
            broken: "context.deleting(name) { path(name) }",
        },
    ],
};
