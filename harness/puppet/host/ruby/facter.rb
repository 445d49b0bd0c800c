# frozen_string_literal: true

require_relative 'facter_execution'
require_relative 'facter_resolution'

# Facts about this machine, and those that the module's `lib/facter` adds.
module Facter
  VERSION = '4.3.0'

  # Facts of Facter itself that are not made up here.
  LACKING = %w[
    augeas augeasversion aio_agent_build aio_agent_version az_metadata bios_release_date bios_vendor bios_version
    blockdevices boardmanufacturer boardproductname boardserialnumber chassistype cloud dhcp_servers disks dmi
    domain ec2_metadata ec2_userdata filesystems gce hardwareisa hypervisors interfaces ipaddress6 load_averages
    macaddress manufacturer memory memoryfree memoryfree_mb memorysize memorysize_mb mountpoints netmask netmask6
    network network6 partitions physicalprocessorcount processor0 productname scope6 serialnumber ssh sshdsakey
    sshecdsakey sshed25519key sshrsakey swapfree swapfree_mb swapsize swapsize_mb system_uptime uptime uptime_days
    uptime_hours uptime_seconds uuid
  ].freeze

  Fact = Struct.new(:name, :value)

  class << self
    def value(name)
      found(name)&.last
    end

    def fact(name)
      value = found(name)
      value && Fact.new(name.to_s.downcase, value.last)
    end
    alias [] fact

    def add(name, options = {}, &block)
      custom(name).add(options, &block)
      nil
    end

    def define_fact(name, _options = {}, &block)
      made = custom(name)
      made.instance_eval(&block) if block
      made
    end

    def to_hash
      load_all
      all = customs.map { |name, fact| [name, fact.value] }
      core.merge(all.reject { |_name, value| value.nil? }.to_h)
    end

    def each(&block)
      to_hash.each(&block)
      self
    end

    def list
      to_hash.keys.sort
    end

    def flush
      customs.each_value(&:flush)
      nil
    end

    def version
      VERSION
    end

    # What the machine itself says, whatever fact files add.
    def core_value(name)
      name = name.to_s
      core.key?(name) ? core[name] : within(core, name.split('.'))
    end

    def debugging?
      false
    end

    def debug(message)
      Puppet.debug(message)
    end
    alias debugonce debug

    def warn(message)
      Puppet.warning(message)
    end
    alias warnonce warn

    def log_exception(exception, message = nil)
      Puppet.err(message.to_s.empty? ? exception.message : message.to_s)
    end

    private

    # The value of a fact in an array, or nil if there is no such fact.
    def found(name)
      name = name.to_s.downcase
      return [customs[name].value] if customs.key?(name)

      value = core_value(name)
      return [value] unless value.nil?

      load_named(name)
      load_all unless customs.key?(name)
      return [customs[name].value] if customs.key?(name)

      outer, *inner = name.split('.')
      return [within(customs[outer].value, inner)] if customs.key?(outer)

      # It may be in a file that needs more than the stand-ins.
      raise @lacking if @lacking

      Stickler::Library.no_fact(LACKING.include?(outer) ? name : nil)
    end

    # A value within a structure, by its path.
    def within(value, path)
      path.inject(value) { |inner, key| inner.is_a?(Hash) ? inner[key] : nil }
    end

    def customs
      @customs ||= {}
    end

    def custom(name)
      name = name.to_s.downcase
      customs[name] ||= Util::Fact.new(name)
    end

    # Where fact files lie: never among those of an installed Facter.
    def folders
      libraries = $LOAD_PATH.map(&:to_s).reject { |path| File.file?("#{path}/facter.rb") }
      folders = libraries.map { |path| File.expand_path('facter', path) }
      folders += ENV.fetch('FACTERLIB', '').split(':')
      folders.uniq.select { |folder| File.directory?(folder) }
    end

    def load_named(name)
      return if name.include?('/')

      folders.each { |folder| load_file("#{folder}/#{name}.rb") }
    end

    def load_all
      return if @loaded_all

      @loaded_all = true
      folders.each { |folder| Dir.glob('*.rb', base: folder).sort.each { |name| load_file("#{folder}/#{name}") } }
    end

    def load_file(file)
      @loaded ||= {}
      return if @loaded.key?(file) || !File.file?(file)

      @loaded[file] = true
      Kernel.load(file)
    rescue StandardError, ScriptError => e
      @lacking ||= e if Stickler::Failure.missing(e)
      log_exception(e, "error while resolving custom facts in #{file} #{e.message}")
    end

    # Who runs this, as far as the machine knows the user.
    def identity
      user = Etc.getpwuid
      group = Etc.getgrgid
      { 'uid' => Process.euid, 'user' => user&.name, 'gid' => Process.egid, 'group' => group&.name,
        'privileged' => Process.euid.zero? }
    rescue ArgumentError
      { 'uid' => Process.euid, 'gid' => Process.egid, 'privileged' => Process.euid.zero? }
    end

    def core
      @core ||= begin
        release = File.readable?('/etc/os-release') ? File.read('/etc/os-release') : ''
        name = release[/^ID="?([^"\n]+)/, 1].to_s.capitalize
        version = release[/^VERSION_ID="?([^"\n]+)/, 1].to_s
        family = %w[Debian Ubuntu].include?(name) ? 'Debian' : name
        machine = Etc.uname
        kernel = machine[:release]
        identity = identity()
        {
          'kernel' => 'Linux', 'hostname' => 'localhost', 'fqdn' => 'localhost', 'clientcert' => 'localhost',
          'operatingsystem' => name, 'osfamily' => family, 'operatingsystemrelease' => version,
          'operatingsystemmajrelease' => version[/\d+/],
          'os' => { 'name' => name, 'family' => family, 'release' => { 'full' => version, 'major' => version[/\d+/] },
                    'architecture' => machine[:machine], 'hardware' => machine[:machine],
                    'selinux' => { 'enabled' => false } },
          'path' => ENV['PATH'], 'networking' => { 'hostname' => 'localhost', 'fqdn' => 'localhost',
                                                   'ip' => '127.0.0.1', 'primary' => 'lo' },
          'ipaddress' => '127.0.0.1', 'identity' => identity, 'id' => identity['user'], 'gid' => identity['group'],
          'kernelrelease' => kernel, 'kernelversion' => kernel[/\A[\d.]+/], 'kernelmajversion' => kernel[/\A\d+\.\d+/],
          'architecture' => machine[:machine], 'hardwaremodel' => machine[:machine],
          'processors' => { 'count' => Etc.nprocessors }, 'processorcount' => Etc.nprocessors,
          'virtual' => 'physical', 'is_virtual' => false, 'fips_enabled' => false, 'selinux' => false,
          'timezone' => Time.now.zone,
          'puppetversion' => Puppet::PUPPETVERSION, 'facterversion' => VERSION,
          'rubyversion' => RUBY_VERSION, 'ruby' => { 'version' => RUBY_VERSION, 'platform' => RUBY_PLATFORM }
        }
      end
    end
  end
end
