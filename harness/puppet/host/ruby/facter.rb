# frozen_string_literal: true

require_relative 'facter_execution'
require_relative 'facter_resolution'

# Facts about this machine, and those that the module's `lib/facter` adds.
module Facter
  VERSION = '4.3.0'

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

    def core
      @core ||= begin
        release = File.readable?('/etc/os-release') ? File.read('/etc/os-release') : ''
        name = release[/^ID="?([^"\n]+)/, 1].to_s.capitalize
        version = release[/^VERSION_ID="?([^"\n]+)/, 1].to_s
        family = %w[Debian Ubuntu].include?(name) ? 'Debian' : name
        {
          'kernel' => 'Linux', 'hostname' => 'localhost', 'fqdn' => 'localhost', 'clientcert' => 'localhost',
          'operatingsystem' => name, 'osfamily' => family, 'operatingsystemrelease' => version,
          'os' => { 'name' => name, 'family' => family, 'release' => { 'full' => version, 'major' => version[/\d+/] } },
          'path' => ENV['PATH'], 'networking' => { 'hostname' => 'localhost', 'fqdn' => 'localhost' },
          'puppetversion' => Puppet::PUPPETVERSION, 'facterversion' => VERSION,
          'rubyversion' => RUBY_VERSION, 'ruby' => { 'version' => RUBY_VERSION, 'platform' => RUBY_PLATFORM }
        }
      end
    end
  end
end
