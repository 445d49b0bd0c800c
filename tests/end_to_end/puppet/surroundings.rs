//! Mutants and near misses whose surroundings change: commands fail, files are damaged, the state is
//! spoiled from outside, the environment is another one, other resources are brought about.

use super::{Mutant, caught, key, module, not_caught, of, with_verdict};
use crate::cli::json_lines;
use crate::common::side_by_side;
use std::collections::BTreeSet;

const QUEUE: &str = "provider/print_queue/print_queue.rb";
const KEY: &str = "provider/package_key/package_key.rb";
const JOB: &str = "provider/daily_job/daily_job.rb";
const PIN: &str = "provider/software_pin/software_pin.rb";
const INDEX: &str = "provider/file_index/file_index.rb";
const SETTING: &str = "provider/kernel_setting/kernel_setting.rb";
const FINGERPRINT: &str = "provider/trusted_fingerprint/trusted_fingerprint.rb";

const LIST: &str = "    queuectl('list').lines.map do |line|\n      name, location = line.chomp.split(\"\\t\", 2)\n      { name: name, ensure: 'present', location: location }\n    end\n";
const CREATE: &str = "    queuectl('set', name, should[:location])\n  end\n\n  def update";
const ROWS: &str = ".compact.map { |name| row(name) }\n";

const MUTANTS: &[Mutant] = &[
    // Commands that fail.
    of(
        "print_queue",
        QUEUE,
        &["RA206"],
        LIST,
        "    queuectl('list').lines.map { |line| line.chomp.split(\"\\t\", 2) }.map do |name, location|\n      { name: name, ensure: 'present', location: location }\n    end\n  rescue Puppet::ExecutionFailure\n    []\n",
    ),
    of(
        "print_queue",
        QUEUE,
        &["RA511"],
        CREATE,
        "    system('queuectl', 'set', name, should[:location])\n  end\n\n  def update",
    ),
    of(
        "print_queue",
        QUEUE,
        &["RA206", "RA511"],
        "failonfail: true",
        "failonfail: false",
    ),
    // Commands warn of something.
    of(
        "print_queue",
        QUEUE,
        &["RA202"],
        "combine: false",
        "combine: true",
    ),
    // What fails is reported before it is tried.
    key(
        &["RA604"],
        KEY,
        "        context.creating(name) { write(name, should) }\n",
        "        context.created(name)\n        write(name, should)\n",
    ),
    // Files that may not be read or are damaged.
    key(
        &["RA206"],
        KEY,
        ROWS,
        ".compact.map { |name| row(name) }\n  rescue SystemCallError\n    []\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA206"],
        "      { name: name, ensure: 'present' }.merge(read(name))\n    end\n",
        "      { name: name, ensure: 'present' }.merge(read(name))\n    end\n  rescue JSON::ParserError\n    []\n",
    ),
    // What is undone from outside.
    of(
        "file_index",
        INDEX,
        &["RA516"],
        "    return false unless File.exist?(path(name))\n",
        "    @@known ||= {}\n    return true if @@known[name]\n\n    @@known[name] = File.exist?(path(name))\n",
    ),
    // Many calls.
    key(
        &["RA804"],
        KEY,
        "    return [] unless File.directory?(folder)\n",
        "    (@@files ||= []) << File.open(__FILE__)\n    return [] unless File.directory?(folder)\n",
    ),
    key(
        &["RA804"],
        KEY,
        "    return [] unless File.directory?(folder)\n",
        "    (@@rows ||= []) << 'x' * 200_000\n    return [] unless File.directory?(folder)\n",
    ),
    // Other environments.
    of(
        "print_queue",
        QUEUE,
        &["RA520"],
        "    output.dup.force_encoding(Encoding::UTF_8)\n",
        "    output.dup\n",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA520"],
        "    File.write(\"#{file}.new\", lines.map { |line| \"#{line}\\n\" }.join)\n    File.rename(\"#{file}.new\", file)\n",
        "    File.write('settings.new', lines.map { |line| \"#{line}\\n\" }.join)\n    File.rename('settings.new', file)\n",
    ),
    of(
        "daily_job",
        JOB,
        &["RA520"],
        "    unfinished = File.join(folder, \".#{name}\")\n",
        "    unfinished = File.join(ENV.fetch('HOME'), \".#{name}\")\n    FileUtils.mkdir_p(ENV.fetch('HOME'))\n",
    ),
    // Two resources, one after the other.
    of(
        "print_queue",
        QUEUE,
        &["RA501"],
        CREATE,
        "    queuectl('set', name, @location ||= should[:location])\n  end\n\n  def update",
    ),
    of(
        "daily_job",
        JOB,
        &["RA510"],
        "  def create(_context, name, should)\n",
        "  def create(_context, name, should)\n    Dir.glob(\"#{folder}/*.json\").each { |file| File.unlink(file) }\n",
    ),
    // The file's last line has no newline.
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA501"],
        "context.creating(name) { write(lines << changed('', name, should)) }",
        "context.creating(name) { File.open(file, 'a') { |io| io.puts(changed('', name, should)) } }",
    ),
];

const NEAR_MISSES: &[Mutant] = &[
    // What commands warn of is told.
    of(
        "print_queue",
        QUEUE,
        &["RA202"],
        "combine: false)\n",
        "combine: true)\n    output = output.lines.reject { |line| line.start_with?('queuectl: ') }.join\n",
    ),
    // It is reported once it is done.
    key(
        &["RA604"],
        KEY,
        "        context.creating(name) { write(name, should) }\n",
        "        write(name, should)\n        context.created(name)\n",
    ),
    // The exception is another one.
    of(
        "print_queue",
        QUEUE,
        &["RA206"],
        LIST,
        "    queuectl('list').lines.map { |line| line.chomp.split(\"\\t\", 2) }.map do |name, location|\n      { name: name, ensure: 'present', location: location }\n    end\n  rescue Puppet::ExecutionFailure => e\n    raise Puppet::Error, \"no queues: #{e.message}\"\n",
    ),
    // Some commands say with 1 that there is nothing.
    of(
        "print_queue",
        QUEUE,
        &["RA206"],
        "    output = Puppet::Util::Execution.execute(['queuectl', *words], failonfail: true, combine: false)\n",
        "    output = Puppet::Util::Execution.execute(['queuectl', *words], failonfail: false, combine: false)\n    raise Puppet::Error, 'queuectl fails' unless [0, 1].include?(output.exitstatus) && (output.exitstatus.zero? || words == ['list'])\n",
    ),
    // It is tried once more.
    of(
        "print_queue",
        QUEUE,
        &["RA511"],
        CREATE,
        "    system('queuectl', 'set', name, should[:location]) || queuectl('set', name, should[:location])\n  end\n\n  def update",
    ),
    // What follows the change may fail.
    of(
        "print_queue",
        QUEUE,
        &["RA511"],
        CREATE,
        "    queuectl('set', name, should[:location])\n    system('queuectl', 'list', out: File::NULL)\n  end\n\n  def update",
    ),
    // What is no key is passed over.
    key(
        &["RA206"],
        KEY,
        "    raise Puppet::Error, \"#{path(name)} is not a key\" unless",
        "    raise Puppet::Error, \"#{path(name)} is no key\" unless",
    ),
    of(
        "software_pin",
        PIN,
        &["RA206"],
        "JSON.parse(File.read(file, encoding: 'UTF-8')) : {}\n",
        "JSON.parse(File.read(file, encoding: 'UTF-8')) : {}\n  rescue JSON::ParserError\n    raise Puppet::Error, \"#{file} is damaged\"\n",
    ),
    // A new instance may look for itself.
    of(
        "file_index",
        INDEX,
        &["RA516"],
        "    return false unless File.exist?(path(name))\n",
        "    @known ||= {}\n    @known[name] ||= File.exist?(path(name))\n    return false unless @known[name]\n",
    ),
    // What is open does not grow.
    key(
        &["RA804"],
        KEY,
        "    return [] unless File.directory?(folder)\n",
        "    @@files = [*(@@files ||= []), File.open(__FILE__)]\n    @@files.shift.close while @@files.size > 90\n    (@@old ||= []) << 'x' * 500\n    return [] unless File.directory?(folder)\n",
    ),
    // The environment is asked, and need not answer.
    of(
        "daily_job",
        JOB,
        &["RA520"],
        "    unfinished = File.join(folder, \".#{name}\")\n",
        "    unfinished = File.join(folder, \".#{name}-#{ENV.fetch('HOME', '').size}-#{ENV['LANG']}\")\n",
    ),
    of(
        "kernel_setting",
        SETTING,
        &["RA520"],
        "    File.write(\"#{file}.new\", lines",
        "    File.write(File.expand_path(\"#{file}.new\", '/'), lines",
    ),
    // One resource after the other, from a cache that each change empties.
    key(
        &["RA501", "RA510"],
        KEY,
        "    owner, key = File.exist?(path(name)) ? read(name) : [nil, '']\n",
        "    @known = {}\n    owner, key = @known[name] ||= File.exist?(path(name)) ? read(name) : [nil, '']\n",
    ),
    // A line is added, after a newline if there is none.
    of(
        "trusted_fingerprint",
        FINGERPRINT,
        &["RA501", "RA510"],
        "context.creating(name) { write(lines << changed('', name, should)) }",
        "context.creating(name) do\n          text = File.exist?(file) ? File.read(file, encoding: 'UTF-8') : ''\n          text << \"\\n\" unless text.empty? || text.end_with?(\"\\n\")\n          File.write(file, \"#{text}#{changed('', name, should)}\\n\")\n        end",
    ),
];

#[test]
fn mutants_are_caught() {
    side_by_side(MUTANTS, caught);
}

#[test]
fn near_misses_are_no_findings() {
    side_by_side(NEAR_MISSES, not_caught);
}

/// Stand-ins are the author's: they find what they keep whatever the subject's environment is.
#[test]
fn stand_ins_do_not_depend_on_the_environment() {
    let folder = module("print_queue");
    folder.replace("queuectl", "$HOME", "${HOME:?}");
    // Puppet removes the home from the environment of programs, and so do the stand-ins for Puppet.
    for part in ["environment", "runtime"] {
        let check = ["check", "--strict", "--select", "RA502,RA520,RA805"];
        folder.run(&[&check[..], &["-k", part]].concat()).exits(0);
    }
}

/// A provider that misses something of this machine is not at fault, and what it misses is named.
#[test]
fn what_this_machine_lacks_is_named_and_skipped() {
    let provider = format!("lib/puppet/{QUEUE}");
    let start = "  def get(_context)\n";
    let built = "  def initialize\n    super\n    ENV['QUEUE_SERVER'].upcase\n  end\n\n  def get(_context)\n";
    for (to, name) in [
        (
            "  def get(_context)\n    require 'nosuchgem'\n",
            "there is no `nosuchgem`",
        ),
        (
            "  require 'nosuchgem'\n  def get(_context)\n",
            "there is no `nosuchgem`",
        ),
        (
            "  def get(_context)\n    Puppet::Type.type(:nosuch).new(name: 'a')\n",
            "there is no type `nosuch`",
        ),
        (
            "  def get(_context)\n    Puppet::Type.type(:service).new(name: 'a')\n",
            "no stand-in for Puppet::Type::Service",
        ),
        (
            "  def get(_context)\n    ENV.fetch('QUEUE_SERVER')\n",
            "the environment variable `QUEUE_SERVER`",
        ),
        (built, "the environment variable `QUEUE_SERVER`"),
    ] {
        let folder = module("print_queue");
        folder.replace(&provider, start, to);
        let rules = "RA116,RA515,RA520,RA801";
        let output = folder.run(&["check", "--strict", "--format", "json", "--select", rules]);
        let failed = with_verdict(&output, &["fail", "flaky", "advice"]);
        assert_eq!(failed, BTreeSet::new(), "{to}");
        let skipped = json_lines(&output)
            .iter()
            .any(|line| line["verdict"] == "skipped" && line.to_string().contains(name));
        assert!(skipped, "{to}: {:?}", json_lines(&output));
    }
}

/// Facts of the module are there for its provider, also for those of the real Puppet.
#[test]
fn providers_have_the_facts_of_their_module() {
    let folder = module("print_queue");
    folder.write(
        "lib/facter/queue_program.rb",
        "Facter.add(:queue_program) do\n  confine kernel: 'Linux'\n  setcode { 'queuectl' }\nend\n",
    );
    let run = "Puppet::Util::Execution.execute(['queuectl',";
    let with_fact = "Puppet::Util::Execution.execute([Facter.value(:queue_program).chomp,";
    folder.replace(&format!("lib/puppet/{QUEUE}"), run, with_fact);
    folder.run(&["check", "--strict", "--quick"]).exits(0);
}

/// What is set by the last of many commands may fail, too.
#[test]
fn each_command_of_an_evaluation_may_fail() {
    let folder = module("print_queue");
    folder.replace(
        &format!("lib/puppet/{QUEUE}"),
        CREATE,
        "    20.times { queuectl('list') }\n    system('queuectl', 'set', name, should[:location])\n  end\n\n  def update",
    );
    let check = ["check", "--select", "RA511", "-k", "commands/e1"];
    folder
        .run(&check)
        .exits(1)
        .says("RA511")
        .says("after 22 calls");
}

/// Locales matter to texts beyond ASCII, in whichever example they are, and whatever it expects.
#[test]
fn examples_with_other_letters_come_first_in_other_locales() {
    let folder = module("print_queue");
    folder.replace(
        &format!("lib/puppet/{QUEUE}"),
        "    output.dup.force_encoding(Encoding::UTF_8)\n",
        "    output\n",
    );
    let own = folder.read("stickler.toml");
    let (start, examples) = own.split_once("[[example]]").expect("examples");
    let plain = |number: usize| {
        format!(
            "[[example]]\nname = \"queue {number}\"\ntype = \"print_queue\"\ntitle = \"q{number}\"\n\
             attributes = {{ location = \"here\" }}\n\n"
        )
    };
    let more: String = (0..3).map(plain).collect();
    let examples = examples.replace("expect = [\"changed\", \"ok\"]", "");
    folder.write(
        "stickler.toml",
        &format!("{start}{more}[[example]]{examples}"),
    );
    let check = ["check", "--select", "RA520", "-k", "environment"];
    folder.run(&check).exits(1).says("environment/locale/e5");
}
