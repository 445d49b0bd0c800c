# frozen_string_literal: true

require_relative 'folders'

module Stickler
  # Runs providers on the real Puppet library. Only the context is Stickler's.
  module Real
    module_function

    def load
      # Puppet asks RubyGems for versions, and may be a gem itself.
      require 'rubygems'
      require 'puppet'
      require 'puppet/resource_api'
      require 'puppet/resource_api/simple_provider'
      files = $LOADED_FEATURES.grep(%r{/puppet(/resource_api)?\.rb\z})
      Library.real = files.map { |file| "#{File.dirname(file)}/puppet/" }.uniq
      Library.runtime = nearest(Gem::Version.new(version))
      Values.sensitive = Puppet::Pops::Types::PSensitiveType::Sensitive
      initialize_settings
      use_context
      observe
    end

    # The measured library that comes nearest.
    def nearest(version)
      return '2.0.1' if version >= Gem::Version.new('2')

      version >= Gem::Version.new('1.9') ? '1.9.2' : '1.8.16'
    end

    # The version of puppet-resource_api.
    def version
      require 'puppet/resource_api/version'
      Puppet::ResourceApi::VERSION
    end

    # No settings of the machine. Folders are root's own for root, as with the stand-ins.
    def initialize_settings
      folders = Folders.all
      options = ['--config', File::NULL, '--libdir', File.join(Folders.home, 'lib')]
      %i[confdir codedir vardir].each { |name| options.push("--#{name}", folders[name]) }
      Puppet.initialize_settings(options)
    end

    def use_context
      Puppet::ResourceApi.send(:remove_const, :PuppetContext)
      Puppet::ResourceApi.const_set(:PuppetContext, Context)
    end

    # Definitions, messages and connections are reported as with the stand-ins.
    def observe
      Puppet::ResourceApi.singleton_class.prepend(Registering)
      Puppet::ResourceApi::Transport.singleton_class.prepend(Connecting)
      Puppet::Util::Log.level = :debug
      Puppet::Util::Log.singleton_class.prepend(Logging)
      Puppet::Type.singleton_class.prepend(Classic)
    end

    module Registering
      def register_type(definition)
        entry = Library.registered(:type, definition)
        Real.ours { super }
        entry[:schema] = Puppet::Type.type(definition[:name].to_sym).type_definition
      end

      # Providers of the Resource API call it like this.
      def register_transport(schema)
        Puppet::ResourceApi::Transport.register(schema)
      end
    end

    module Connecting
      def register(schema)
        entry = Library.registered(:transport, schema)
        entry[:schema] = super
      end

      private

      def wrap_sensitive(name, connection_info)
        wrapped = super
        Library.connecting = Values.encode(wrapped)
        wrapped
      end
    end

    module Logging
      def newmessage(message)
        Library.report('event' => 'puppet', 'level' => message.level.to_s, 'arguments' => [Values.encode(message.message)])
      end
    end

    module Classic
      def newtype(name, *rest, &block)
        Library.registered_classic(name) unless Real.ours?
        super
      end

      def type(name)
        super || Library.type_not_here(name)
      end
    end

    def ours
      @ours = true
      yield
    ensure
      @ours = false
    end

    def ours?
      @ours
    end
  end
end
