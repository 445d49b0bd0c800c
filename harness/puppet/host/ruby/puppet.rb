# frozen_string_literal: true

# A stand-in for the parts of Puppet that providers and transports touch beside the Resource API.
module Puppet
  PUPPETVERSION = '7.23.0'

  class Error < RuntimeError
    attr_accessor :original

    def initialize(message = nil, original = nil)
      super(message)
      @original = original
    end
  end

  class DevError < Error; end
  class ParseError < Error; end
  class ResourceError < Error; end
  class SettingsError < Error; end
  class ExecutionFailure < Error; end
  class MissingCommand < Error; end

  module Util
    # Messages that do not go through the context. They are reported as they were given.
    module Logging
      %i[debug info notice warning err alert emerg crit].each do |level|
        define_method(level) do |*arguments, &block|
          arguments = [block.call] if arguments.empty? && block
          Puppet::Util::Log.say(level, arguments)
        end
      end

      def send_log(level, message)
        Puppet::Util::Log.say(level, [message])
      end

      def warn_once(_kind, _key, message, *_place, **_options)
        warning(message)
      end

      def deprecation_warning(message, *_place, **_options)
        warning(message)
      end
      alias puppet_deprecation_warning deprecation_warning

      def log_exception(exception, message = :default, **_options)
        err(message == :default ? exception.message : message)
      end

      def log_and_raise(exception, message)
        log_exception(exception, message)
        raise exception, "#{message}\n#{exception}", exception.backtrace
      end
    end

    # A message.
    class Log
      attr_reader :level, :message

      def initialize(level:, message:, **_rest)
        @level = level
        @message = message
      end

      def to_s
        message.to_s
      end

      class << self
        def create(level:, message:, **_rest)
          say(level, [message])
        end

        def say(level, arguments)
          Stickler::Library.report('event' => 'puppet', 'level' => level.to_s,
                                   'arguments' => arguments.map { |one| Stickler::Values.encode(one) })
          Stickler::Library.log_result
        end

        def levels
          %i[debug info notice warning err alert emerg crit]
        end

        def level
          :debug
        end
      end
    end

    module Errors
      def fail(*arguments)
        error = arguments.first.is_a?(Class) ? arguments.shift : Puppet::Error
        raise error, arguments.join(' ')
      end

      def devfail(message)
        raise Puppet::DevError, message
      end
    end

    module Platform
      def self.windows?
        false
      end

      def self.default_paths
        []
      end
    end

    class Autoload
      def initialize(_object, path)
        @path = path
      end

      def load(name, _environment = nil)
        !Stickler::Loader.autoload("#{@path}/#{name}").nil?
      end

      def loadall(_environment = nil)
        Stickler::Loader.names(@path).each { |name| Stickler::Loader.autoload(name) }
      end
    end

    module_function

    def which(command)
      return (File.executable?(command) ? command : nil) if command.include?('/')

      ENV.fetch('PATH', '').split(':').map { |folder| File.join(folder, command) }.find do |path|
        File.file?(path) && File.executable?(path)
      end
    end

    def absolute_path?(path, _platform = nil)
      path.start_with?('/')
    end

    def withenv(environment, _mode = nil)
      before = ENV.to_hash
      environment.each { |name, value| ENV[name.to_s] = value }
      yield
    ensure
      ENV.replace(before) if before
    end

    # Writes a file beside the old one, and renames it.
    def replace_file(path, mode = nil)
      mode = File.file?(path) ? File.stat(path).mode & 0o7777 : 0o644 if mode.nil? || mode.is_a?(String)
      temporary = "#{path}.#{Process.pid}"
      result = File.open(temporary, 'wb', mode) { |file| yield file }
      File.chmod(mode, temporary)
      File.rename(temporary, path)
      result
    end

    def symbolizehash(hash)
      hash.transform_keys(&:to_sym)
    end
  end

  # File operations by names that Puppet gives them.
  module FileSystem
    class << self
      def exist?(path)
        File.exist?(path)
      end

      def open(path, mode, options, &block)
        File.open(path, options, mode, &block)
      end

      def dir_mkpath(path)
        mkpath(File.dirname(path))
      end

      def mkpath(path)
        require 'fileutils'
        FileUtils.mkdir_p(path)
      end

      def unlink(*paths)
        File.unlink(*paths)
      end

      def children(path)
        Dir.children(path).map { |name| File.join(path, name) }
      end

      %i[
        read binread file? directory? size stat lstat readlink symlink? symlink executable? writable?
        basename expand_path chmod
      ].each do |method|
        define_method(method) { |*arguments| File.public_send(method, *arguments) }
      end
    end
  end

  # What optional parts Puppet found.
  class Features
    def add(name, *_options)
      define_singleton_method("#{name}?") { block_given? ? yield : true }
    end

    def root?
      Process.euid.zero?
    end

    def posix?
      true
    end

    def microsoft_windows?
      false
    end

    def method_missing(name, *arguments)
      name.to_s.end_with?('?') ? false : super
    end

    def respond_to_missing?(name, private = false)
      name.to_s.end_with?('?') || super
    end
  end

  # Settings that providers read. Folders are those of the installed Puppet for root, else below HOME.
  class Settings
    def initialize
      folders = Stickler::Folders.all
      conf, vardir = folders.values_at(:confdir, :vardir)
      @values = {
        strict: :error, noop: false, trace: false, debug: true, environment: 'production', name: 'apply',
        deviceconfig: File.join(conf, 'device.conf'), statedir: File.join(vardir, 'state'),
        libdir: File.join(vardir, 'lib'), plugindest: File.join(vardir, 'lib'),
        devicedir: File.join(vardir, 'devices'), log_level: :debug,
        certname: 'localhost', hostcert: nil, hostprivkey: nil, localcacert: nil, http_proxy_host: 'none',
        http_proxy_port: 3128, path: 'none', basemodulepath: '',
        modulepath: '', server: 'puppet', serverport: 8140, masterport: 8140, configtimeout: 120,
        http_connect_timeout: 120, http_read_timeout: 600, user: 'puppet', group: 'puppet'
      }.merge(folders)
    end

    def [](name)
      @values.fetch(name.to_sym) { raise Puppet::SettingsError, "the stand-in for Puppet has no setting `#{name}`" }
    end

    def []=(name, value)
      @values[name.to_sym] = value
    end

    def value(name, _environment = nil)
      self[name]
    end
    alias set_by_cli? value
  end

  # Sensitive values live in a deep namespace.
  module Pops
    module Types
      %i[
        TypeParser TypeFactory TypeCalculator PUndefType POptionalType PNotUndefType PVariantType PScalarType
        PScalarDataType PBooleanType PStringType PEnumType PPatternType PNumericType PIntegerType PFloatType
        PRegexpType PCollectionType PArrayType PTupleType PHashType PStructType PDataType
      ].each { |name| autoload name, "#{__dir__}/puppet_types.rb" }

      class PAnyType; end

      class PTypeWithContainedType < PAnyType; end

      class PSensitiveType < PTypeWithContainedType
        # A value that shows itself only to `unwrap`.
        class Sensitive
          def initialize(value)
            @value = value
          end

          def unwrap
            @value
          end

          def to_s
            'Sensitive [value redacted]'
          end

          def inspect
            '#<Sensitive [value redacted]>'
          end

          def hash
            @value.hash
          end

          def ==(other)
            other.is_a?(Sensitive) && other.hash == hash
          end
          alias eql? ==
        end
      end
    end
  end

  module Pops
    module Time
      autoload :Timestamp, "#{__dir__}/puppet_types.rb"
    end
  end

  Environment = Struct.new(:name, :modulepath)

  extend Util::Logging

  class << self
    def [](name)
      settings[name]
    end

    def []=(name, value)
      settings[name] = value
    end

    def settings
      @settings ||= Settings.new
    end

    def features
      @features ||= Features.new
    end

    def version
      PUPPETVERSION
    end

    # Parts of Puppet that a program may replace.
    def runtime
      @runtime ||= { http: HTTP::Client.new }
    end

    def lookup(name)
      return Environment.new(:production, []) if %i[current_environment root_environment].include?(name)

      yield if block_given?
    end

    def override(_bindings, _description = '')
      yield
    end

    def initialize_settings(*_arguments); end
  end
end
