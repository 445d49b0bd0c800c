//! Examples that prove nothing, because they never succeed.

use super::{module, with_verdict};

const PROVIDER: &str = "lib/puppet/provider/package_key/package_key.rb";

#[test]
fn an_example_that_never_succeeds_does_not_pass() {
    let folder = module("package_key");
    // An author who expects something is told by RA520.
    folder.replace("stickler.toml", "expect = [\"changed\", \"ok\"]\n", "");
    let sound = ["check", "--quick"];
    folder.run(&sound).exits(0);
    folder.replace(
        PROVIDER,
        "def set(context, changes)\n",
        "def set(context, changes)\n    raise Puppet::Error, 'no such command: keyctl'\n",
    );
    let output = folder.run(&["check", "--quick", "--format", "json"]);
    let failed = with_verdict(&output, &["fail", "flaky"]);
    assert!(!failed.contains("RA514"), "{failed:?}");
    folder
        .run(&sound)
        .exits(4)
        .says("never succeed")
        .says("no such command: keyctl")
        .says("`expect`");
}
