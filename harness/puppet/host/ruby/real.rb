# frozen_string_literal: true

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
      Library.runtime = Gem::Version.new(version) >= Gem::Version.new('2') ? '2.0.1' : '1.8.16'
      Values.sensitive = Puppet::Pops::Types::PSensitiveType::Sensitive
      initialize_settings
      use_context
      observe
    end

    # The version of puppet-resource_api.
    def version
      require 'puppet/resource_api/version'
      Puppet::ResourceApi::VERSION
    end

    # The settings of a user, not those of the machine.
    def initialize_settings
      home = File.join(ENV.fetch('HOME', '/'), '.puppetlabs')
      Puppet.initialize_settings(
        ['--confdir', File.join(home, 'etc', 'puppet'), '--vardir', File.join(home, 'opt', 'puppet', 'cache')]
      )
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
