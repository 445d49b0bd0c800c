# frozen_string_literal: true

module Stickler
  # Finds files as Puppet's autoloader does, and answers `require` for what the stand-ins replace.
  module Loader
    # Files of Puppet and its companions that the stand-ins make up for.
    STAND_INS = %w[
      facter hocon hocon/config_syntax hocon/config_error puppet puppet/error puppet/errors
      puppet/file_system puppet/feature/base puppet/http puppet/http/client puppet/network/http puppet/parameter/boolean
      puppet/pops puppet/pops/time/timestamp puppet/pops/types/p_sensitive_type puppet/pops/types/type_calculator
      puppet/pops/types/type_factory puppet/pops/types/type_parser puppet/property/boolean puppet/provider
      puppet/provider/command
      puppet/resource puppet/resource_api puppet/resource_api/base_context puppet/resource_api/glue
      puppet/resource_api/io_context puppet/resource_api/puppet_context
      puppet/resource_api/simple_provider puppet/resource_api/transport
      puppet/resource_api/transport/wrapper puppet/resource_api/type_definition
      puppet/resource_api/version puppet/settings puppet/transport puppet/type puppet/util
      puppet/util/autoload puppet/util/errors puppet/util/execution puppet/util/feature puppet/util/json
      puppet/util/log puppet/util/logging puppet/util/network_device
      puppet/util/network_device/base puppet/util/network_device/config
      puppet/util/network_device/simple/device puppet/util/network_device/transport
      puppet/util/network_device/transport/base puppet/util/platform puppet/util/warnings puppet/util/yaml
      puppet/version
    ].freeze
    # What `require` must not take from an installed Puppet.
    GUARDED = %r{\A(puppet|facter|hocon)(/|\z)}.freeze

    extend self

    # Loads the first file of this name below the module's folders, each file once. Returns its path.
    def autoload(name)
      file = find(name)
      return if file.nil?

      unless loaded.key?(file)
        loaded[file] = true
        begin
          Kernel.load(file)
          # As Puppet does, so that `require` does not load it again.
          $LOADED_FEATURES << file unless $LOADED_FEATURES.include?(file)
        rescue Exception # rubocop:disable Lint/RescueException
          loaded.delete(file)
          raise
        end
      end
      file
    end

    # The first file of this name.
    def find(name)
      Library.paths.map { |path| "#{path}/#{name}.rb" }.find { |file| File.file?(file) }
    end

    # All files below a folder of the module, by the names that `autoload` takes.
    def names(folder)
      Library.paths.flat_map do |path|
        Dir.glob('*.rb', base: "#{path}/#{folder}").sort.map { |file| "#{folder}/#{File.basename(file, '.rb')}" }
      end.uniq
    end

    def loaded
      @loaded ||= {}
    end

    # The libraries that were required in vain: what they would have defined is missing later.
    def absent
      @absent ||= []
    end

    # Whether a stand-in answers this `require`. A file of the module itself comes first.
    def stand_in?(name)
      name = name.delete_suffix('.rb')
      return false unless name == 'puppet_x' || GUARDED.match?(name)
      return false if find(name)
      return namespace if name == 'puppet_x'
      return true if STAND_INS.include?(name)

      absent << name
      lack = " (Stickler's stand-in for Puppet lacks it)" if Library.puppets_file?(name)
      error = LoadError.new("cannot load such file -- #{name}#{lack}")
      error.define_singleton_method(:path) { name }
      raise error
    end

    # Puppet has a file that only defines where modules put their libraries.
    def namespace
      Object.const_set(:PuppetX, Module.new) unless Object.const_defined?(:PuppetX)
      true
    end

    # RubyGems takes a while to load, so it is loaded only once a library or `Gem` itself is missing.
    def gems?
      return false if @gems

      require 'rubygems'
      true
    rescue LoadError
      false
    end

    # Whether RubyGems is there, or being loaded.
    def gems=(known)
      @gems = known
    end

    # Puts the check of stand-ins before whatever `require` is at the moment.
    def guard
      self.gems = true if $LOADED_FEATURES.any? { |file| file.end_with?('/rubygems.rb') }
      Kernel.module_eval do
        previous = instance_method(:require)
        # Ruby warns of a method that is replaced, unless it has an alias.
        alias_method :require, :require
        define_method(:require) do |name|
          path = name.respond_to?(:to_path) ? name.to_path : name
          return false if path.is_a?(String) && Loader.stand_in?(path)

          Loader.gems = true if path == 'rubygems'
          begin
            loaded = previous.bind_call(self, name)
            # RubyGems puts a `require` of its own in front.
            Loader.guard if loaded && path == 'rubygems'
            loaded
          rescue LoadError => e
            unless e.path == path && Loader.gems?
              Loader.absent << path if path.is_a?(String)
              raise
            end

            Kernel.instance_method(:require).bind_call(self, name)
          end
        end
        private :require
      end
    end
  end
end

Object.autoload(:Gem, 'rubygems') unless Object.const_defined?(:Gem)
