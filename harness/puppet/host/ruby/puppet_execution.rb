# frozen_string_literal: true

module Puppet
  module Util
    # Runs programs. As in Puppet, a failure raises only if no options are given or one asks for it.
    module Execution
      # What a program printed, and how it exited.
      class ProcessOutput < String
        attr_reader :exitstatus

        def initialize(text, exitstatus)
          super(text)
          @exitstatus = exitstatus
        end
      end

      LOCALE = %w[LANG LANGUAGE LC_ALL LC_MESSAGES LC_CTYPE LC_NUMERIC LC_TIME LC_COLLATE LC_MONETARY].freeze
      # How Puppet was started must not matter to programs.
      USER = %w[HOME USER LOGNAME].freeze

      module_function

      def execute(command, options = nil)
        bare = options.nil?
        options = { failonfail: bare, combine: bare, override_locale: true, custom_environment: {} }.merge(options || {})
        words = command.is_a?(Array) ? command.flatten.map(&:to_s) : command.to_s
        shown = options[:sensitive] ? '[redacted]' : Array(words).join(' ')
        Puppet.debug("Executing: '#{shown}'")
        folder = options[:cwd]
        raise ArgumentError, "Working directory #{folder} does not exist!" if folder && !File.directory?(folder)

        output, status = run(words, options)
        if options[:failonfail] && status != 0
          text = options[:sensitive] ? '[redacted]' : output
          raise Puppet::ExecutionFailure, "Execution of '#{shown}' returned #{status}: #{text.strip}"
        end
        ProcessOutput.new(output, status)
      end

      def execpipe(command, failonfail = true)
        # Only here, Puppet leaves the user as it is.
        user = USER.map { |name| [name, ENV[name]] }.to_h
        output = execute(command, failonfail: failonfail, combine: true, custom_environment: user)
        require 'stringio'
        block_given? ? yield(StringIO.new(output)) : output
      end

      def run(words, options)
        input = File.open(options[:stdinfile] || File::NULL)
        reader, writer = IO.pipe
        spawn_options = {
          in: input, out: options[:squelch] ? File::NULL : writer,
          err: options[:combine] && !options[:squelch] ? writer : File::NULL
        }
        spawn_options[:chdir] = options[:cwd] if options[:cwd]
        process = started(words, options, spawn_options)
        return ['', 1] if process.nil?

        writer.close
        output = reader.read
        [output, Process.wait2(process).last.exitstatus]
      ensure
        [input, reader, writer].each { |io| io.close unless io.nil? || io.closed? }
      end
      private_class_method :run

      # The process. If it cannot be started, Puppet's child exits with 1, and an agent logs nothing.
      def started(words, options, spawn_options)
        words = [[words.first, words.first], *words.drop(1)] if words.is_a?(Array)
        Process.spawn(environment(options), *words, spawn_options)
      rescue SystemCallError
        nil
      end
      private_class_method :started

      def environment(options)
        custom = options[:custom_environment].map { |name, value| [name.to_s, value && value.to_s] }.to_h
        without = USER.map { |name| [name, nil] }.to_h
        return without.merge(custom) unless options[:override_locale]

        LOCALE.map { |name| [name, nil] }.to_h.merge(without, 'LANG' => 'C', 'LC_ALL' => 'C').merge(custom)
      end
      private_class_method :environment
    end
  end

  # What classic providers are made of. Some authors of Resource API providers inherit from it.
  class Provider
    include Util
    include Util::Logging
    include Util::Errors
    extend Util
    extend Util::Logging
    extend Util::Errors

    # A program by its name, looked up when it is run.
    class Command
      attr_reader :name, :executable

      def initialize(name, executable, resolver, executor, options = {})
        @name = name
        @executable = executable
        @resolver = resolver
        @executor = executor
        @options = options
      end

      def execute(*arguments)
        program = @resolver.which(@executable)
        raise Puppet::MissingCommand, "Command #{@name} is missing" if program.nil?

        @executor.execute([program, *arguments], @options)
      end
    end

    class << self
      def execute(command, options = nil)
        Util::Execution.execute(command, options)
      end

      # A path to a program, and a method that runs it.
      def commands(programs)
        programs.each do |name, program|
          define_singleton_method(name) { |*arguments| execute([program, *arguments], failonfail: true, combine: true) }
          define_method(name) { |*arguments| self.class.public_send(name, *arguments) }
        end
      end
      alias optional_commands commands

      def command(name)
        Util.which(name.to_s)
      end

      def desc(_text); end

      def confine(*_conditions); end

      def defaultfor(*_conditions); end
    end

    def execute(command, options = nil)
      self.class.execute(command, options)
    end
  end

  # Classic types. They are noted, nothing more: the host is for types of the Resource API. An object is a
  # resource that `generate` makes.
  class Type
    attr_reader :parameters_given

    def initialize(attributes = {})
      @parameters_given = attributes.to_h.transform_keys { |key| key.to_s.downcase.to_sym }
    end

    def title
      parameters_given[:title] || parameters_given[:name]
    end

    def [](name)
      parameters_given[name.to_sym]
    end

    def []=(name, value)
      parameters_given[name.to_sym] = value
    end

    def ref
      "#{self.class.name.to_s.split('_').map(&:capitalize).join('_')}[#{title}]"
    end
    alias to_s ref

    class << self
      def newtype(name, _options = {}, &_block)
        Stickler::Library.registered_classic(name)
        made = Class.new(self)
        made.define_singleton_method(:name) { name }
        classics[name.to_sym] = made
      end

      # The class of a type. What is neither Puppet's nor in the module is nil, as in Puppet.
      def type(name)
        name = name.to_s.downcase.to_sym
        Stickler::Loader.autoload("puppet/type/#{name}") unless classics.key?(name)
        return classics[name] if classics.key?(name)
        return classics[name] = newtype_of_ours(name).tap { |one| one.define_singleton_method(:name) { name } } if name == :notify

        wanted = name.to_s.capitalize.to_sym
        return const_get(wanted, false) if Stickler::Library::TYPES.include?(wanted)

        Stickler::Library.type_not_here(name)
      end

      # A provider of a classic type, or of one of ours whose files the autoloader would load here.
      def provide(_name, _options = {}, &_block)
        Class.new(Provider)
      end

      def provider(name)
        Stickler::Loader.autoload("puppet/provider/#{self.name}/#{name}")
      end

      def validattr?(_name)
        false
      end

      def metaparams
        %i[noop schedule audit loglevel alias tag require subscribe before notify stage]
      end

      def metaparam?(name)
        metaparams.include?(name.to_sym)
      end

      private

      def classics
        Type.instance_variable_get(:@classics) || Type.instance_variable_set(:@classics, {})
      end
    end
  end
end
