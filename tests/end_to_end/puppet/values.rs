//! Other values of their types, questions to `insync?`, services that stop: a mutant for each way to
//! err, and near misses.

use super::{Mutant, caught, changed, not_caught, of, with_verdict};
use crate::common::side_by_side;
use std::collections::BTreeSet;

const ALIASES: &str = "provider/host_aliases/host_aliases.rb";
const ENTRY: &str = "provider/registry_entry/registry_entry.rb";
const FLAG: &str = "provider/feature_flag/feature_flag.rb";
const JOB: &str = "provider/daily_job/daily_job.rb";

/// From the rows of `get` to the first line of `insync?` that reads them.
const ROWS: &str = "aliases: aliases(name) }
    end
  end

  # The order does not matter, nor do other aliases unless `force` is set.
  def insync?(_context, _name, property, is, should)
    return unless property == :aliases && should[:aliases]

    current = is[:aliases] || []
";

const MUTANTS: &[Mutant] = &[
    // A question of another target.
    of(
        "host_aliases",
        ALIASES,
        &["RA401"],
        "return [false, \"adding #{missing.join(', ')}\"] unless missing.empty?",
        "return \"adding #{missing.join(', ')}\" unless missing.empty?",
    ),
    // A row that lacks the property.
    of(
        "host_aliases",
        ALIASES,
        &["RA402", "RA801"],
        ROWS,
        "aliases: aliases(name) }.reject { |_, value| value == [] }
    end
  end

  def insync?(_context, _name, property, is, should)
    return unless property == :aliases && should[:aliases]

    current = is[:aliases].uniq
",
    ),
    // A resource that is not there.
    of(
        "host_aliases",
        ALIASES,
        &["RA402", "RA801"],
        "    return unless property == :aliases && should[:aliases]\n",
        "    is[:aliases].size\n    return unless property == :aliases && should[:aliases]\n",
    ),
    // A target that equals the state.
    of(
        "host_aliases",
        ALIASES,
        &["RA404"],
        "    surplus = current - should[:aliases]\n",
        "    return false if current.size == 3 && should[:aliases].size == 3\n\n    surplus = current - should[:aliases]\n",
    ),
    // Nothing is asked of the target's own kind of value.
    of(
        "daily_job",
        JOB,
        &["RA501", "RA502"],
        "    new = old.merge(should.slice(*ATTRIBUTES)).compact\n",
        "    new = old.merge(should.slice(*ATTRIBUTES).reject { |_, value| value == 23 }).compact\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA501"],
        "    write(name, {}, should)\n",
        "    write(name, {}, should.select { |_, value| value })\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA803"],
        "    write(name, {}, should)\n",
        "    write(name, {}, should.merge(command: should[:command]&.strip))\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA501"],
        "    write(name, {}, should)\n",
        "    write(name, {}, should.merge(owner: should[:owner]&.downcase))\n",
    ),
    of(
        "feature_flag",
        FLAG,
        &["RA501"],
        "should.slice(*SETTINGS).compact)",
        "should.slice(*SETTINGS).reject { |_, value| value.nil? || value == [] })",
    ),
    of(
        "feature_flag",
        FLAG,
        &["RA501"],
        "should.slice(*SETTINGS).compact)",
        "should.slice(*SETTINGS).compact.transform_values { |value| value.is_a?(Array) ? value.sort : value })",
    ),
    of(
        "registry_entry",
        ENTRY,
        &["RA801"],
        "  def write(name, value)\n",
        "  def write(name, value)\n    value.fetch(value.keys.first) if value.is_a?(Hash)\n",
    ),
    of(
        "host_aliases",
        ALIASES,
        &["RA502"],
        "    return unless should[:aliases]\n\n    kept",
        "    return if should[:aliases].nil? || should[:aliases].empty?\n\n    kept",
    ),
    // A service that is down.
    of(
        "feature_flag",
        FLAG,
        &["RA206"],
        "    flags = request('list')\n",
        "    flags = begin\n      request('list')\n    rescue SystemCallError\n      {}\n    end\n",
    ),
    of(
        "feature_flag",
        FLAG,
        &["RA511"],
        "    request('delete', name: name)\n",
        "    request('delete', name: name)\n  rescue SystemCallError\n    nil\n",
    ),
];

#[test]
fn each_rule_catches_its_mutant() {
    side_by_side(MUTANTS, caught);
}

const NEAR_MISSES: &[Mutant] = &[
    // It answers no, yes, and leaves it to the runtime, with a text or without.
    of(
        "host_aliases",
        ALIASES,
        &["RA401", "RA402", "RA404", "RA801"],
        "return [false, \"adding #{missing.join(', ')}\"] unless missing.empty?",
        "return (should[:force] ? nil : false) unless missing.empty?",
    ),
    // Its rows never lack the property.
    of(
        "host_aliases",
        ALIASES,
        &["RA401", "RA402", "RA801"],
        "    current = is[:aliases] || []\n",
        "    current = is[:aliases].uniq\n",
    ),
    // It refuses what it cannot have.
    of(
        "host_aliases",
        ALIASES,
        &["RA402", "RA801"],
        "    surplus = current - should[:aliases]\n",
        "    raise Puppet::Error, 'no alias at all' if should[:aliases].empty?\n\n    surplus = current - should[:aliases]\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA501", "RA502", "RA801", "RA803"],
        "    new = old.merge(should.slice(*ATTRIBUTES)).compact\n",
        "    raise Puppet::Error, 'no spaces there' if should[:command]&.match?(/\\A\\s|\\s\\z|  /)\n\n    new = old.merge(should.slice(*ATTRIBUTES)).compact\n",
    ),
    // An empty list is kept as nothing, and shown as an empty list.
    of(
        "feature_flag",
        FLAG,
        &["RA202", "RA501", "RA502"],
        "{ name: name.to_s, ensure: 'present' }.merge(flag) }",
        "{ name: name.to_s, ensure: 'present', groups: [] }.merge(flag) }",
    ),
    // The service's trouble is told in other words.
    of(
        "feature_flag",
        FLAG,
        &["RA206", "RA511", "RA801"],
        "    raise Puppet::Error, \"flagd refuses it: #{answer[:error]}\" if answer[:error]\n\n    answer[:result]\n",
        "    raise Puppet::Error, \"flagd refuses it: #{answer[:error]}\" if answer[:error]\n\n    answer[:result]\n  rescue SystemCallError => e\n    raise Puppet::Error, \"no flagd: #{e.message}\"\n",
    ),
    // What is known once need not be asked again by the same instance.
    of(
        "feature_flag",
        FLAG,
        &["RA206", "RA511"],
        "    flags = request('list')\n",
        "    flags = @flags = request('list')\n",
    ),
];

#[test]
fn near_misses_are_no_findings() {
    side_by_side(NEAR_MISSES, not_caught);
}

#[test]
fn providers_that_need_no_service_are_not_blamed() {
    // The rows are in files; the service does something else.
    let folder = super::module("daily_job");
    let text = folder.read("stickler.toml");
    let service = "[[service]]\ncommand = [\"sleep\", \"100\"]\n\n[[example]]";
    folder.write("stickler.toml", &text.replacen("[[example]]", service, 1));
    let output = folder.run(&[
        "check",
        "--strict",
        "--format",
        "json",
        "--select",
        "RA206,RA511",
    ]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new());
}

#[test]
fn a_quick_check_tries_no_other_values() {
    let mutant = MUTANTS
        .iter()
        .find(|mutant| mutant.rules == ["RA803"])
        .expect("a mutant");
    let output =
        changed(mutant).run(&["check", "--quick", "--format", "json", "--select", "RA803"]);
    let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
    assert_eq!(failed, BTreeSet::new());
}
