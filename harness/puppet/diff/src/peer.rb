# frozen_string_literal: true

# Applies manifests with the real Puppet. Each line of standard input is a request in JSON:
# `manifest` or `catalog`, `strict`, `noop`. Each line of output is its result. A request may also have
# `resource`, a type, or a type and a name: then the result is what `puppet resource` prints.
# Arguments: folders of libraries, joined by colons; a folder for Puppet's own files.

require 'fileutils'
require 'json'
require 'puppet'
require 'puppet/resource_api'

lib, own = ARGV
$LOAD_PATH.unshift(*lib.split(':'))
output = $stdout.dup
$stdout = $stderr
Puppet.initialize_settings(
  ['--confdir', "#{own}/conf", '--vardir', "#{own}/var", '--logdir', "#{own}/log", '--rundir', "#{own}/run",
   # Puppet keeps the owners of its folders as they ought to be.
   '--ssldir', "#{own}/ssl", '--publicdir', "#{own}/public", '--color', 'false'],
)
Puppet.settings.use(:main)

# The modules' folders of type aliases, where Puppet looks for them. The code is in the load path. The first
# module has the name of its metadata, since its folder may have any.
modules = "#{own}/modules"
FileUtils.mkdir_p(modules)
lib.split(':').each_with_index do |path, index|
  root = File.dirname(path)
  next unless File.directory?("#{root}/types")

  metadata = "#{root}/metadata.json"
  declared = JSON.parse(File.read(metadata))['name'] if index.zero? && File.file?(metadata)
  home = "#{modules}/#{declared ? declared[%r{[^/-]*\z}] : File.basename(root)}"
  next if File.exist?(home)

  FileUtils.mkdir_p(home)
  File.symlink("#{root}/types", "#{home}/types")
end
MODULES = [modules].freeze

# Keeps messages.
module Puppet::Test
  class LogCollector
    attr_reader :all

    def initialize
      @all = []
    end

    def <<(message)
      @all << message
    end
  end
end

def plain(value)
  case value
  when Symbol then ":#{value}"
  when Puppet::Pops::Types::PSensitiveType::Sensitive then 'Sensitive'
  when Array then value.map { |one| plain(one) }
  when Hash then value.to_h { |key, one| [plain(key).to_s, plain(one)] }
  when nil, true, false, Integer, Float, String then value
  else value.to_s
  end
end

def status(one)
  {
    resource: one.resource, failed: one.failed ? true : false, changed: one.changed ? true : false,
    skipped: one.skipped ? true : false, out_of_sync: one.out_of_sync ? true : false,
    events: one.events.map do |event|
      { property: event.property, status: event.status, message: event.message,
        previous: plain(event.previous_value), desired: plain(event.desired_value) }
    end
  }
end

def declared(request, environment)
  return Puppet::Resource::Catalog.convert_from(:json, request['catalog']) if request['catalog']

  Puppet[:code] = request['manifest']
  Puppet::Parser::Compiler.compile(Puppet::Node.new('node', environment: environment))
end

def answer(request)
  Puppet[:strict] = request['strict'].to_sym
  Puppet[:noop] = request['noop']
  Puppet::ResourceApi.warning_count = 0
  File.delete(Puppet[:transactionstorefile]) if File.exist?(Puppet[:transactionstorefile])
  File.delete(Puppet[:statefile]) if File.exist?(Puppet[:statefile])
  Puppet::Util::Storage.clear
  collector = Puppet::Test::LogCollector.new
  destination = Puppet::Util::Log.newdestination(collector)
  Puppet::Util::Log.level = :notice
  environment = Puppet::Node::Environment.create(:"e#{rand(1 << 40)}", MODULES)
  report = Puppet::Transaction::Report.new
  error = nil
  begin
    Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
      catalog = declared(request, environment).to_ral
      catalog.finalize
      catalog.apply(report: report)
    end
  rescue Exception => e # rubocop:disable Lint/RescueException
    error = e.message
  end
  Puppet::Util::Log.close(collector)
  statuses = report.resource_statuses.values.reject { |one| %w[Schedule Filebucket Whit].include?(one.resource_type) }
  {
    logs: collector.all.map { |log| { level: log.level, source: log.source, message: log.message } },
    statuses: statuses.map { |one| status(one) },
    error: error
  }
end

# The library turns words into values only for callers in a file of this name.
eval <<'RUBY', binding, 'puppet/application/resource.rb', 1 # rubocop:disable Security/Eval, Style/EvalWithLocation
def shown(type, name = nil)
  environment = Puppet::Node::Environment.create(:"e#{rand(1 << 40)}", MODULES)
  Puppet.override(current_environment: environment, loaders: Puppet::Pops::Loaders.new(environment)) do
    found = if name
              [Puppet::Resource.indirection.find("#{type}/#{name}")]
            else
              Puppet::Resource.indirection.search("#{type}/", {})
            end
    { shown: found.map { |one| one.prune_parameters.to_manifest }.join("\n") }
  end
rescue StandardError => e
  { error: e.message }
end
RUBY

$stdin.each_line do |line|
  request = JSON.parse(line)
  Puppet[:strict] = request['strict'].to_sym
  output.puts(JSON.generate(request['resource'] ? shown(*request['resource']) : answer(request)))
  output.flush
end
