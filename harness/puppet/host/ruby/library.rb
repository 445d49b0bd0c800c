# frozen_string_literal: true

module Stickler
  # The library that providers are written against: Stickler's stand-ins, or the real Puppet.
  module Library
    # What the real `Puppet::Provider` has for its subclasses, beyond the stand-in.
    PROVIDER_METHODS = %i[
      adderrorcontext command commands confine confine_collection declared_feature? default_match
      defaultfor devfail error_context exceptwrap execpipe fact_match feature_match has_command
      initvars mk_resource_methods notdefaultfor optional_commands resource_type source specificity
      suitable? supports_parameter? fail get set clear resource name
    ].freeze
    # Folders of the module under test hold these names too, so only Puppet's own ones are missed.
    PROVIDERS = %i[
      AixObject Confine Confiner Exec Ldap NameService NetworkDevice Package PackageTargetable ParsedFile
      CharacterEncoding Checksums Feature FileWatcher Lockfile Metric Pidlock Profiler RubyGems RunMode
      SUIDManager Storage SymbolicFileMode TagSet Tagging WatchedFile Watcher Windows
    ].freeze
    TYPES = %i[
      Component Exec File Filebucket Group Notify Package Resources Schedule Service Stage Tidy User
      Whit Cron Host Mount Yumrepo Augeas Selboolean Selmodule Ssh_authorized_key Sshkey Zone Zfs Zpool
    ].freeze

    # Files that come with Puppet, and those among them that authors write.
    FILES = %r{\A(puppet|facter|hocon|hiera|semantic_puppet|deep_merge|fast_gettext|multi_json|concurrent)(/|\z)}.freeze
    AUTHORS = %r{\Apuppet/(transport|provider|type|util/network_device)/(?<name>[^/]*)}.freeze

    class << self
      # "1.8.16", "1.9.2", "2.0.1" or "spec": whose behaviour the context and SimpleProvider have.
      attr_accessor :runtime
      # Puppet's setting `strict`, where a run has it.
      attr_accessor :strict
      # The `lib` folders of the module under test and of those that it needs.
      attr_reader :paths
      # How the paths of files in these folders begin.
      attr_reader :places
      # What methods that log return.
      attr_accessor :log_result
      attr_accessor :channel
      # The information that a transport is being built from, as it was before that.
      attr_accessor :connecting
      # The folders of the real library, if that is used.
      attr_accessor :real
      attr_reader :types, :transports, :classic
      # By file, the last type, and the last fact, that it asked for in vain.
      attr_reader :types_not_here, :facts_not_here

      def paths=(paths)
        @paths = paths
        real = paths.map { |path| File.exist?(path) ? File.realpath(path) : path }
        @places = [*paths, *real].uniq.map { |path| "#{path}/" }
      end

      # The versions of Puppet that are measured with the versions of the library.
      CORES = { '1.9.2' => '8.28.1', '2.0.1' => '8.28.1' }.freeze

      # Lets the stand-ins say which versions they stand for.
      def be_version
        core = CORES[runtime]
        return if core.nil?

        Puppet.send(:remove_const, :PUPPETVERSION)
        Puppet.const_set(:PUPPETVERSION, core)
        Puppet::ResourceApi.send(:remove_const, :VERSION)
        Puppet::ResourceApi.const_set(:VERSION, runtime)
      end

      def spec?
        runtime == 'spec'
      end

      # Sends an event to the harness.
      def report(event)
        channel.notify('log', event)
      end

      # A message of the library itself.
      def say(level, text)
        report('event' => 'library', 'level' => level, 'arguments' => [text])
      end

      # A provider has checked a resource against its type.
      def checked(name, resource)
        report('event' => 'checked', 'method' => name.to_s, 'arguments' => [Stickler::Values.encode(resource)])
        nil
      end

      # Called for each type or transport that is registered, before anything else reads it.
      def registered(kind, definition)
        name = definition[:name] if definition.is_a?(Hash)
        # The libraries look types up by symbols, and transports by what was given.
        name = name.to_s if kind == :type && name.is_a?(Symbol)
        place = caller_locations.find { |frame| !inside?(frame.absolute_path || frame.path) }
        file = place && (place.absolute_path || place.path)
        entry = { 'name' => name.nil? ? nil : Values.encode(name), 'file' => file,
                  'definition' => Values.encode(definition), live: definition }
        # The libraries add what is missing to the author's own hash.
        entry['frozen'] = true if kind == :type && definition.is_a?(Hash) && definition.frozen? && !definition.key?(:features)
        (kind == :type ? types : transports) << entry
        entry
      end

      def registered_classic(name)
        classic << name.to_s
      end

      # The method of `Context::Takes` that has the signature of an action.
      def takes(action)
        case action
        when 'processed' then :title_is_should
        when 'processing' then %w[1.9.2 2.0.1].include?(runtime) ? :title_is_should_last : :title_is_should_message
        when 'attribute_changed' then spec? ? :anything : :change
        else :titles
        end
      end

      # Notes that a file asked for a type that is in no module here.
      def type_not_here(name)
        place = caller_locations.find { |frame| frame.path.start_with?(*places) }
        types_not_here[place.path] = name.to_s if place
        nil
      end

      # Notes that a file asked for a fact in vain. It has a name if the real Facter has it.
      def no_fact(name)
        place = caller_locations.find { |frame| frame.path.start_with?(*places) } unless places.empty?
        facts_not_here[place.path] = name if place
        nil
      end

      # Whether a frame lies in code that works on the author's behalf, such as SimpleProvider.
      def frame?(frame)
        frame.start_with?(*(real || Failure::HERE)) && frame.include?('/simple_provider.rb:')
      end

      # Whether a frame says nothing about whose fault something is.
      def transparent?(frame)
        frame.start_with?(Failure::HERE, *real) && !frame?(frame)
      end

      # Whether an installed Puppet would have this file.
      def puppets_file?(path)
        return false unless FILES.match?(path)

        authors = AUTHORS.match(path)
        authors.nil? || [*TYPES, *PROVIDERS].any? { |name| name.to_s.casecmp?(authors[:name].delete('_')) }
      end

      # Remembers what the stand-ins define, before authors add to it.
      def seal(*roots)
        @stand_ins = {}.compare_by_identity
        roots.each { |root| remember(root) }
      end

      # The same for what is loaded once it is asked for.
      def seal_later(*namespaces)
        namespaces.each do |space|
          @stand_ins&.delete(space)
          remember(space) if @stand_ins
        end
      end

      # Whether the host made this module as a part of Puppet that may lack something.
      def stand_in?(mod)
        !@stand_ins.nil? && @stand_ins.key?(mod)
      end

      # Whether only the real version of this stand-in has the method.
      def lacks?(mod, method)
        return false if real

        name = Values.module_name(mod)
        name == 'Puppet::Provider' && PROVIDER_METHODS.include?(method)
      end

      # Whether this class stands for a type of Puppet's older interface.
      def classic?(mod)
        !real && mod < Puppet::Type
      end

      # Whether Puppet defines this constant in a namespace that authors extend.
      def puppets?(mod, constant)
        # Ruby gives a text if the constant's name was made up.
        constant = constant.to_sym
        case Values.module_name(mod)
        when 'Puppet::Provider' then PROVIDERS.include?(constant)
        when 'Puppet::Type' then TYPES.include?(constant)
        when 'Puppet' then !constant.to_s.casecmp?('ResourceApi')
        when 'Puppet::Transport', /\APuppet::ResourceApi/ then false
        else true
        end
      end

      private

      def inside?(path)
        path.nil? || path.start_with?(Failure::HERE, '<internal', *real)
      end

      def remember(mod)
        return if @stand_ins.key?(mod) || Values.module_name(mod).start_with?('Puppet::ResourceApi', 'Stickler')

        @stand_ins[mod] = true
        mod.constants(false).each do |name|
          next if mod.autoload?(name)

          inner = mod.const_get(name, false)
          remember(inner) if Module === inner && Values.module_name(inner).start_with?(Values.module_name(mod))
        end
      end
    end

    @types = []
    @transports = []
    @classic = []
    @types_not_here = {}
    @facts_not_here = {}
    @paths = []
    @places = []
  end
end
