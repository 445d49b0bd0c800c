//! Rules about states, changes, messages and values: a mutant for each, and near misses.

use super::{Mutant, caught, key, module, not_caught, of};
use crate::common::side_by_side;

const PROVIDER: &str = "provider/package_key/package_key.rb";
const ALIASES: &str = "provider/host_aliases/host_aliases.rb";
const INDEX: &str = "provider/file_index/file_index.rb";
const PIN: &str = "provider/software_pin/software_pin.rb";
const JOB: &str = "provider/daily_job/daily_job.rb";
const SETTING: &str = "provider/kernel_setting/kernel_setting.rb";
const CREDENTIAL: &str = "provider/api_credential/api_credential.rb";
const FINGERPRINT: &str = "provider/trusted_fingerprint/trusted_fingerprint.rb";
const ENTRY: &str = "provider/registry_entry/registry_entry.rb";
const VLANS: &str = "provider/nx9k_vlan/nexus.rb";

const START: &str = "    changes.each do |name, change|";

const MUTANTS: &[Mutant] = &[
    of(
        "registry_entry",
        ENTRY,
        &["RA207"],
        "names.select { |name| File.exist?(path(name)) }.map { |name| row(name) }",
        "names.map { |name| File.exist?(path(name)) ? row(name) : { name: name, ensure: 'present' } }",
    ),
    of(
        "nexus",
        "transport/nexus.rb",
        &["RA206"],
        "    def vlans\n      request('vlans')\n",
        "    def vlans\n      request('vlans')\n    rescue Puppet::Error, SystemCallError\n      {}\n",
    ),
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA304"],
        "      digits = resource[:fingerprint]\n",
        "      digits = resource.fetch(:fingerprint)\n",
    ),
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA304"],
        "      digits = resource[:fingerprint]\n",
        "      raise \"what is #{resource.keys}?\" unless (resource.keys - %i[fingerprint ensure comment title]).empty?\n      digits = resource[:fingerprint]\n",
    ),
    of(
        "host_aliases",
        ALIASES,
        &["RA403"],
        "    current = is[:aliases] || []\n",
        "    current = (is[:aliases] || []).reverse!.map { |one| one << '' }\n    should[:aliases].sort!.reverse!\n",
    ),
    of(
        "host_aliases",
        ALIASES,
        &["RA403"],
        "    current = is[:aliases] || []\n",
        "    FileUtils.mkdir_p(folder)\n    File.write(\"#{folder}/.asked\", property)\n    current = is[:aliases] || []\n",
    ),
    of(
        "host_aliases",
        ALIASES,
        &["RA404"],
        "    return [false, \"adding #{missing.join(', ')}\"] unless missing.empty?\n",
        "    return false unless is[:aliases].equal?(should[:aliases])\n",
    ),
    of(
        "file_index",
        INDEX,
        &["RA405"],
        "    entries.nil? || entries.sort == read(name)\n",
        "    entries.sort == read(name) unless entries.nil?\n",
    ),
    of(
        "software_pin",
        PIN,
        &["RA505"],
        "      package = name[:package]\n      manager = name[:manager]\n",
        "      package, manager = name.to_str.split('-')\n",
    ),
    of(
        "software_pin",
        PIN,
        &["RA505"],
        "      package = name[:package]\n",
        "      package = name.to_s\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA509"],
        "    new[:owner] = old[:owner] if old[:owner]\n",
        "    new[:owner] = should[:owner]\n    new.compact!\n",
    ),
    of(
        "software_pin",
        PIN,
        &["RA510"],
        "    all = pins\n    all[manager].delete(package)\n",
        "    all = pins\n    all[manager].clear\n",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA510"],
        "known ? context.updating(name) { replace(name, line) } : context.creating(name) { write(lines << line) }",
        "known ? context.updating(name) { replace(name, line) } : context.creating(name) { write(lines << line << 'kernel.also = 1') }",
    ),
    of(
        "registry_entry",
        ENTRY,
        &["RA510"],
        "    FileUtils.mkdir_p(folder)\n    write(name, should[:value])\n",
        "    FileUtils.mkdir_p(folder)\n    write(name, should[:value])\n    write('also', 1)\n",
    ),
    key(
        &["RA511"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "context.creating(name) { write(name, should) rescue context.err(name, 'not written') }",
    ),
    of(
        "software_pin",
        PIN,
        &["RA511"],
        "    File.rename(\"#{file}.new\", file)\n",
        "    File.rename(\"#{file}.new\", file)\n  rescue SystemCallError\n    nil\n",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA512"],
        "      if noop\n",
        "      if noop && known\n",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA512"],
        "noop: false)",
        "noop:)",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA512"],
        "def set(context, changes, noop: false)",
        "def set(context, changes, _more = {})\n    noop = false",
    ),
    of(
        "daily_job",
        JOB,
        &["RA513"],
        "def delete(_context, name)",
        "def delete(_context, name, _should)",
    ),
    of(
        "daily_job",
        JOB,
        &["RA513"],
        "  def update(",
        "  def change(",
    ),
    of(
        "software_pin",
        PIN,
        &["RA514"],
        "    File.write(\"#{file}.new\", JSON.pretty_generate(all))\n    File.rename(\"#{file}.new\", file)\n",
        "    File.write(file, JSON.pretty_generate(all))\n",
    ),
    key(
        &["RA516"],
        PROVIDER,
        "    return [] unless File.directory?(folder)\n\n    Dir",
        "    return @@rows if defined?(@@rows) && !@@rows.empty?\n    return [] unless File.directory?(folder)\n\n    @@rows = Dir",
    ),
    // A runtime asks about what is not there, even if there are no properties.
    of(
        "file_index",
        INDEX,
        &["RA403"],
        "    return false unless File.exist?(path(name))\n",
        "    FileUtils.mkdir_p(folder)\n    return false unless File.exist?(path(name))\n",
    ),
    of(
        "file_index",
        INDEX,
        &["RA405"],
        "    return false unless File.exist?(path(name))\n",
        "    return unless File.exist?(path(name))\n",
    ),
    // A neighbour has one part of the name in common.
    of(
        "software_pin",
        PIN,
        &["RA510"],
        "    packages[package] = should",
        "    all.each { |other, pins| pins.delete(package) unless other == manager }\n    packages[package] = should",
    ),
    of(
        "registry_entry",
        ENTRY,
        &["RA510"],
        "    FileUtils.mkdir_p(folder)\n    write(name, should[:value])\n",
        "    FileUtils.mkdir_p(folder)\n    Dir.children(folder).each { |file| File.unlink(File.join(folder, file)) }\n    write(name, should[:value])\n",
    ),
    // What was written cannot be read.
    of(
        "daily_job",
        JOB,
        &["RA501"],
        "JSON.pretty_generate(new)",
        "JSON.pretty_generate(new).sub('false', 'off')",
    ),
    key(
        &["RA801"],
        PROVIDER,
        "    owner, key = File.exist?(path(name)) ? read(name) : [nil, '']\n",
        "    owner, key = File.exist?(path(name)) ? read(name, true) : [nil, '']\n",
    ),
    // Removed with `noop`, without `ensure`.
    of(
        "kernel_setting",
        SETTING,
        &["RA512"],
        "      if noop\n",
        "      if noop && should\n",
    ),
    // What another instance has done is seen.
    of(
        "kernel_setting",
        SETTING,
        &["RA516"],
        "    settings = lines.map",
        "    @@lines ||= lines\n    settings = @@lines.map",
    ),
    // The file's other lines are lost on the way.
    of(
        "kernel_setting",
        SETTING,
        &["RA514"],
        "    File.write(\"#{file}.new\", lines.map { |line| \"#{line}\\n\" }.join)\n    File.rename(\"#{file}.new\", file)\n",
        "    File.write(file, lines.map { |line| \"#{line}\\n\" }.join)\n",
    ),
    // Only `insync?` can tell that the second one was forgotten.
    of(
        "host_aliases",
        ALIASES,
        &["RA506"],
        "  # The order does",
        "  def set(context, changes)\n    super(context, changes.first(1).to_h)\n  end\n\n  # The order does",
    ),
    key(
        &["RA517"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "write(name, should)",
    ),
    key(
        &["RA506"],
        PROVIDER,
        START,
        "    changes.first(1).each do |name, change|",
    ),
    of(
        "nexus",
        "type/nx9k_vlan.rb",
        &["RA519"],
        "    name: {\n      type: 'Pattern",
        "    number: {\n      type: 'Pattern",
    ),
    key(
        &["RA602"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "write(name, should)\n        context.created(name)\n        context.attribute_changed(name, 'owner', nil, should[:owner])",
    ),
    key(
        &["RA602"],
        PROVIDER,
        "        context.creating(name)",
        "        context.info(name, 'comes')\n        context.creating(name)",
    ),
    key(
        &["RA604"],
        PROVIDER,
        "context.creating(name) {",
        "context.updating(name) {",
    ),
    key(
        &["RA604"],
        PROVIDER,
        "context.deleting(name) { remove(name) } if",
        "remove(name) if",
    ),
    of(
        "api_credential",
        CREDENTIAL,
        &["RA606"],
        "  def create(_context, name, should)\n",
        "  def create(context, name, should)\n    context.debug(\"password #{should[:password].unwrap}\")\n",
    ),
    of(
        "api_credential",
        CREDENTIAL,
        &["RA606"],
        "    FileUtils.mkdir_p(folder)\n",
        "    raise Puppet::Error, \"no place for #{new}\" if old.empty?\n\n    FileUtils.mkdir_p(folder)\n",
    ),
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA607"],
        "        context.creating(name) {",
        "        context.attribute_changed(name, 'fingerprint', nil, \"0x#{name.downcase}\")\n        context.creating(name) {",
    ),
    key(
        &["RA608"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "context.creating(name) { write(name, should) }\n        context.info(name, 'is there now')",
    ),
    key(
        &["RA610"],
        PROVIDER,
        START,
        "    if changes.size > 1\n      context.creating(changes.keys) { changes.each { |name, change| write(name, change[:should]) rescue nil } }\n      return\n    end\n    changes.each do |name, change|",
    ),
    of(
        "daily_job",
        JOB,
        &["RA802"],
        "  def create(_context, name, should)\n",
        "  def create(_context, name, should)\n    `echo #{should[:command]}`\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA802"],
        "    new[:owner] = old[:owner] if old[:owner]\n",
        "    require 'erb'\n    new[:command] = ERB.new(new[:command]).result if new[:command]\n    new[:owner] = old[:owner] if old[:owner]\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA803"],
        "    new[:owner] = old[:owner] if old[:owner]\n",
        "    new[:command] = new[:command].split(' ').join(' ') if new[:command]\n    new[:owner] = old[:owner] if old[:owner]\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA803"],
        "    new[:owner] = old[:owner] if old[:owner]\n",
        "    new[:command] = new[:command].encode('ASCII', undef: :replace) if new[:command]\n    new[:owner] = old[:owner] if old[:owner]\n",
    ),
];

#[test]
fn each_rule_catches_its_mutant() {
    side_by_side(MUTANTS, caught);
}

const NEAR_MISSES: &[Mutant] = &[
    // A default is no wish to change what is set at creation.
    of(
        "daily_job",
        "type/daily_job.rb",
        &["RA501"],
        "      behaviour: :init_only,\n",
        "      behaviour: :init_only,\n      default: 'nobody',\n",
    ),
    // RA206 judges what is said while the service is down.
    of(
        "feature_flag",
        "provider/feature_flag/feature_flag.rb",
        &["RA205", "RA604"],
        "    flags = request('list')\n",
        "    flags = begin\n      request('list')\n    rescue Errno::ECONNREFUSED\n      []\n    end\n",
    ),
    // The backend's trouble is told.
    of(
        "nexus",
        "transport/nexus.rb",
        &["RA206"],
        "    def vlans\n      request('vlans')\n",
        "    def vlans\n      request('vlans')\n    rescue SystemCallError => e\n      raise Puppet::Error, \"no VLANs: #{e.message}\"\n",
    ),
    // It works on copies, and looks at the system.
    of(
        "host_aliases",
        ALIASES,
        &["RA403"],
        "    current = is[:aliases] || []\n",
        "    current = (is[:aliases] || []).sort.reverse\n    File.directory?(folder)\n",
    ),
    // A target that has more than equality.
    of(
        "host_aliases",
        ALIASES,
        &["RA404"],
        "    return true unless should[:force] && !surplus.empty?\n",
        "    return nil if surplus.empty?\n    return true unless should[:force]\n",
    ),
    // A resource is made anew.
    key(
        &["RA602", "RA608", "RA604"],
        PROVIDER,
        "context.updating(name) { write(name, should) }",
        "context.deleting(name) { nil }\n        context.updating(name) { write(name, should) }\n        context.info('one more')",
    ),
    // Attributes and messages within the block.
    key(
        &["RA602", "RA604", "RA608"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "context.creating(name) do\n          context.info(name, 'comes')\n          context.attribute_changed(name, 'owner', nil, should[:owner])\n          write(name, should)\n        end",
    ),
    // `processing` and `processed` do for all.
    key(
        &["RA604"],
        PROVIDER,
        "context.creating(name) { write(name, should) }",
        "context.processing(name, {}, should) { write(name, should) }",
    ),
    // What is wrapped may be logged.
    of(
        "api_credential",
        CREDENTIAL,
        &["RA606"],
        "  def create(_context, name, should)\n",
        "  def create(context, name, should)\n    context.debug(\"as #{should}\")\n",
    ),
    // Rows of the instance alone.
    key(
        &["RA516"],
        PROVIDER,
        "    Dir.children(folder).sort.map",
        "    @files = Dir.children(folder)\n    @files.sort.map",
    ),
    // A first attempt that fails, and a second one that works.
    of(
        "software_pin",
        PIN,
        &["RA511", "RA514"],
        "    File.rename(\"#{file}.new\", file)\n",
        "    File.rename(\"#{file}.new\", file)\n  rescue SystemCallError\n    File.write(\"#{file}.new\", JSON.pretty_generate(all))\n    File.rename(\"#{file}.new\", file)\n",
    ),
    // Batches that fail as a whole.
    key(
        &["RA506"],
        PROVIDER,
        START,
        "    if changes.size > 1 && changes.all? { |_, change| change[:is].nil? }\n      changes.each { |name, change| context.creating(name) { write(name, change[:should]) } }\n      return\n    end\n    changes.each do |name, change|",
    ),
    // A program gets the value as an argument.
    of(
        "daily_job",
        JOB,
        &["RA802"],
        "  def create(_context, name, should)\n",
        "  def create(_context, name, should)\n    Puppet::Util::Execution.execute(['echo', should[:command].to_s])\n",
    ),
    // The transport is called once for each row.
    of(
        "nexus",
        VLANS,
        &["RA711"],
        "    context.transport.vlans.map do |number, vlan|\n",
        "    context.transport.vlans.keys.map do |number|\n      vlan = context.transport.vlans[number]\n",
    ),
    // A row may say that there is none.
    of(
        "registry_entry",
        ENTRY,
        &["RA207"],
        "names.select { |name| File.exist?(path(name)) }.map { |name| row(name) }",
        "names.map { |name| File.exist?(path(name)) ? row(name) : { name: name, ensure: 'absent' } }",
    ),
    // What is not there stays away.
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA304", "RA305"],
        "    resources.each do |resource|\n",
        "    resources.each do |resource|\n      next unless resource[:fingerprint].is_a?(String)\n\n",
    ),
    // An answer with a reason.
    of(
        "file_index",
        INDEX,
        &["RA401", "RA405"],
        "    entries.nil? || entries.sort == read(name)\n",
        "    return true if entries.nil? || entries.sort == read(name)\n\n    [false, 'other entries']\n",
    ),
    // The parts of a name, whatever their order.
    of(
        "software_pin",
        PIN,
        &["RA505"],
        "      package = name[:package]\n      manager = name[:manager]\n",
        "      manager, package = name.sort_by { |key, _| key }.map(&:last)\n",
    ),
    // What was set at creation is written again.
    of(
        "daily_job",
        JOB,
        &["RA509"],
        "    new[:owner] = old[:owner] if old[:owner]\n",
        "    new[:owner] = old[:owner] || should[:owner]\n    new.compact!\n",
    ),
    // The others are in another order.
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA510"],
        "    File.write(\"#{file}.new\", lines.map",
        "    File.write(\"#{file}.new\", lines.sort.reverse.map",
    ),
    // Keywords of future runtimes are taken.
    of(
        "kernel_setting",
        SETTING,
        &["RA512"],
        "noop: false)",
        "noop: false, **)",
    ),
    // Arguments that nobody has to give.
    of(
        "daily_job",
        JOB,
        &["RA513"],
        "  def delete(_context, name)\n",
        "  def delete(_context, name, _force = false)\n",
    ),
    // What fails comes last.
    of(
        "software_pin",
        PIN,
        &["RA517"],
        START,
        "    changes.sort_by { |name, _| name[:manager].nil? ? 1 : 0 }.each do |name, change|",
    ),
    // Other texts than those of changes may be as users write them.
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA607"],
        "      known = lines",
        "      context.debug(name, \"known as 0x#{name.downcase}\")\n      context.attribute_changed(name, 'fingerprint', nil, name)\n      known = lines",
    ),
    // Texts that the system cannot hold are refused.
    key(
        &["RA803"],
        PROVIDER,
        "    owner = should[:owner] if should.key?(:owner)\n",
        "    owner = should[:owner] if should.key?(:owner)\n    raise Puppet::ResourceError, 'only letters' if owner.to_s.match?(/[^\\p{L}.@]/)\n",
    ),
];

#[test]
fn near_misses_are_no_findings() {
    side_by_side(NEAR_MISSES, not_caught);
}

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
fn what_cannot_be_removed_may_stay() {
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
fn what_is_set_at_creation_explains_why_nothing_is_set() {
    let folder = module("daily_job");
    folder.replace(
        "lib/puppet/type/daily_job.rb",
        "      behaviour: :init_only,\n",
        "      behaviour: :init_only,\n      default: 'nobody',\n",
    );
    let output = folder.run(&["check", "--quick", "--select", "RA520"]);
    output
        .exits(1)
        .says("evaluation 1 is `ok` instead of `changed`: `set` is")
        .says("`owner` is init_only, and would change from nil to \"nobody\"");
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
        .says("of several changes at once: \"vm.two\": `value` is \"2\"");
}
