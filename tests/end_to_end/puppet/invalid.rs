//! `[[invalid]]` resources: what the runtime refuses, what a provider has to refuse, and what is
//! accepted all the same.

use super::{module, with_verdict};
use crate::cli::json_lines;
use crate::common::side_by_side;

/// A module with a part of its file below `lib/puppet` replaced, and an invalid resource.
struct Invalid {
    module: &'static str,
    change: Option<(&'static str, &'static str, &'static str)>,
    /// The members of `[[invalid]]`.
    resource: &'static str,
    /// What the finding says; nothing if there is none.
    says: &'static str,
}

const PIN: &str = "provider/software_pin/software_pin.rb";
const FINGERPRINT: &str = "provider/trusted_fingerprint/trusted_fingerprint.rb";
const NO_MANAGER: &str =
    "    raise Puppet::Error, \"the pin of #{package} lacks a manager\" if manager.nil?\n";
const RAKE: &str = "title = \"rake\"";
const SWAPPINESS: &str = "title = \"vm.swappiness\"\nattributes = { value = \"1000\" }";
const DIGITS: &str = "digits.delete_prefix('0x').upcase if";
const ZEROS: &str = "title = \"0000000000000000\"";

const ALL: &[Invalid] = &[
    // A provider raises in `set`.
    Invalid {
        module: "software_pin",
        change: None,
        resource: RAKE,
        says: "",
    },
    // Or it says that the resource failed.
    Invalid {
        module: "software_pin",
        change: Some((
            PIN,
            "      known = pins",
            "      next context.failed('rake', message: 'no manager') if manager.nil?\n\n      known = pins",
        )),
        resource: RAKE,
        says: "",
    },
    // Or it helps itself.
    Invalid {
        module: "software_pin",
        change: Some((PIN, NO_MANAGER, "    manager ||= 'gem'\n")),
        resource: RAKE,
        says: "`set` returns, and nothing fails",
    },
    // An error is logged, and counts for nothing.
    Invalid {
        module: "software_pin",
        change: Some((
            PIN,
            "      known = pins",
            "      next context.err('no manager') if manager.nil?\n\n      known = pins",
        )),
        resource: RAKE,
        says: "`set` returns, and nothing fails",
    },
    // Something has happened before it raises.
    Invalid {
        module: "software_pin",
        change: Some((
            PIN,
            NO_MANAGER,
            "    File.write(file, '{}')\n    raise Puppet::Error, 'no manager' if manager.nil?\n",
        )),
        resource: RAKE,
        says: "is refused, but /etc/software-pins.json changed",
    },
    // It is not asked about other titles.
    Invalid {
        module: "software_pin",
        change: None,
        resource: "title = \"Rake\"",
        says: "",
    },
    Invalid {
        module: "kernel_setting",
        change: None,
        resource: SWAPPINESS,
        says: "`set` returns, and nothing fails",
    },
    Invalid {
        module: "kernel_setting",
        change: None,
        resource: "title = \"vm.swappiness\"\nattributes = { value = \"1000\" }\n\
                   setup = [[\"sh\", \"-c\", \"echo vm.swappiness=1000 > /etc/kernel-settings.conf\"]]",
        says: "there is nothing to set",
    },
    Invalid {
        module: "kernel_setting",
        change: Some((
            "provider/kernel_setting/kernel_setting.rb",
            "  def get(_context)\n",
            "  def get(_context)\n    raise Puppet::Error, 'no settings' unless File.exist?(file)\n\n",
        )),
        resource: SWAPPINESS,
        says: "",
    },
    // What is mandatory is missing.
    Invalid {
        module: "daily_job",
        change: Some(("type/daily_job.rb", "      default: 0,\n", "")),
        resource: "title = \"restore\"",
        says: "",
    },
    Invalid {
        module: "daily_job",
        change: Some(("type/daily_job.rb", "      default: 0,\n", "")),
        resource: "title = \"restore\"\nattributes = { hour = 1 }",
        says: "`set` returns, and nothing fails",
    },
    // What can only be set at creation is the same.
    Invalid {
        module: "daily_job",
        change: None,
        resource: "title = \"backup\"\nattributes = { owner = \"root\", hour = 1 }\nsetup = [[\"mkdir\", \
                   \"{dir}/jobs\"], [\"sh\", \"-c\", \"echo '{\\\"owner\\\": \\\"root\\\"}' > \\\"$1\\\"\", \"sh\", \
                   \"{dir}/jobs/backup.json\"]]",
        says: "`set` returns, and nothing fails",
    },
    // Values are compared with their types once they are canonical.
    Invalid {
        module: "trusted_fingerprint",
        change: None,
        resource: "title = \"6f6b-15509cf8e59e\"",
        says: "",
    },
    Invalid {
        module: "trusted_fingerprint",
        change: Some((FINGERPRINT, DIGITS, "digits.tr('-', '0').upcase if")),
        resource: "title = \"6f6b--5509cf8e59e\"",
        says: "",
    },
    Invalid {
        module: "trusted_fingerprint",
        change: Some((
            FINGERPRINT,
            DIGITS,
            "digits.delete_prefix('0x').tr('-', '0').upcase if",
        )),
        resource: "title = \"6f6b-5509cf8e59e\"",
        says: "`set` returns, and nothing fails",
    },
    Invalid {
        module: "trusted_fingerprint",
        change: Some((
            FINGERPRINT,
            "      digits = resource[:fingerprint]\n",
            "      digits = resource[:fingerprint]\n      raise Puppet::Error, 'no key' if digits =~ /\\A0+\\z/\n",
        )),
        resource: ZEROS,
        says: "",
    },
    // What a provider makes of a value that its type does not admit is no question of the value.
    Invalid {
        module: "trusted_fingerprint",
        change: Some((
            FINGERPRINT,
            "tidy(resource[:comment]) if resource[:comment].is_a?(String)",
            "tidy(resource[:comment]) if resource[:comment]",
        )),
        resource: "title = \"6f6b15509cf8e59e\"\nattributes = { comment = 5 }",
        says: "",
    },
    Invalid {
        module: "trusted_fingerprint",
        change: None,
        resource: ZEROS,
        says: "`set` returns, and nothing fails",
    },
];

#[test]
fn providers_must_refuse_invalid_resources() {
    side_by_side(ALL, |invalid| {
        let folder = module(invalid.module);
        if let Some((file, from, to)) = invalid.change {
            folder.replace(&format!("lib/puppet/{file}"), from, to);
        }
        let mut text = folder.read("stickler.toml");
        // Changed types may not fit the description's own resources, which are tried elsewhere.
        let own = text.find("[[example]]").expect("one");
        text.truncate(own);
        let kind = invalid.module;
        let resource = invalid.resource;
        text.push_str(&format!(
            "[[invalid]]\nname = \"no good\"\ntype = \"{kind}\"\n{resource}\n"
        ));
        folder.write("stickler.toml", &text);
        let output = folder.run(&["check", "--format", "json", "--select", "RA520,RA801"]);
        let lines = json_lines(&output);
        let rule = lines.iter().find(|line| line["rule"] == "RA520");
        let told = rule.map(ToString::to_string).unwrap_or_default();
        match invalid.says {
            "" => {
                let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
                let is_silent = !told.contains("no good") && !failed.contains("RA801");
                assert!(
                    is_silent && told.contains("verdict"),
                    "{kind}: {resource}: {told} {failed:?}"
                );
            }
            says => assert!(
                told.contains("no good") && told.contains(says),
                "{kind}: {resource}: {told}\n{}",
                output.stderr
            ),
        }
    });
}

/// Types are compared with canonical values, so the provider is asked before an example is refused.
#[test]
fn wrong_values_of_examples_are_errors() {
    let leaves = (
        "if resource[:comment].is_a?(String)",
        "nor is what `canonicalize` makes of it",
    );
    let raises = (
        "if resource[:comment]",
        "and `canonicalize` raises NoMethodError",
    );
    side_by_side(&[leaves, raises], |(condition, says)| {
        let folder = module("trusted_fingerprint");
        folder.replace(
            &format!("lib/puppet/{FINGERPRINT}"),
            "if resource[:comment].is_a?(String)",
            condition,
        );
        folder.replace("stickler.toml", "\"the archive  of 2026\"", "5");
        for command in [
            &["check", "--quick"][..],
            &["snap"],
            &["fuzz", "--cases", "9"],
        ] {
            folder
                .run(command)
                .exits(2)
                .says(
                    "the example \"written in another way\" is refused by Puppet itself: `comment`",
                )
                .says(says);
        }
    });
}
