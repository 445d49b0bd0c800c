# frozen_string_literal: true

module Stickler
  # The device that providers are talking to.
  module Devices
    class << self
      # The name under which providers for the current device lie.
      def current_name
        device = Puppet::Util::NetworkDevice.current
        return if device.nil?
        return Device.schema_name(device) if Puppet::ResourceApi::Transport::Wrapper === device

        device.class.name.split('::')[-2].downcase
      end
    end

    # What is needed of a wrapper.
    module Device
      def self.schema_name(wrapper)
        schema = wrapper.schema
        schema.respond_to?(:name) ? schema.name : schema[:name]
      end
    end
  end
end

module Puppet
  module ResourceApi
    # Schemas of transports, and connections by their names.
    module Transport
      # What Bolt adds, and transports need not know.
      BOLT = %i[uri host protocol user port password].freeze
      BOLT_META = %i[name path query run-on remote-transport implementations].freeze

      class << self
        def register(schema)
          entry = Stickler::Library.registered(:transport, schema)
          Stickler::Questions.registering(schema) if Stickler::Library.strict
          name = schema[:name] if schema.is_a?(Hash)
          raise DevError, "Transport `#{name}` is already registered for `production`" if transports.key?(name)

          transports[name] = entry[:schema] = TransportSchemaDef.new(schema)
        end

        # The known schemas by their names. As specified, they are hashes; the libraries give objects.
        def list
          transports.map { |name, schema| [name, Stickler::Library.spec? ? schema.definition : schema.dup] }.to_h
        end

        def connect(name, connection_info)
          schema = schema_of(name)
          discard(schema, connection_info) if connection_info.key?(:"remote-transport")
          defaults(schema, connection_info)
          Stickler::Questions.connecting(schema.definition, connection_info)
          require "puppet/transport/#{name}"
          wrap(schema, connection_info)
          Stickler::Library.connecting = Stickler::Values.encode(connection_info)
          constant = name.split('_').map(&:capitalize).join
          Puppet::Transport.const_get(constant).new(Stickler::Context.new(schema), connection_info)
        end

        def inject_device(name, transport)
          NetworkDevice.current = Wrapper.new(name, transport)
        end

        private

        def transports
          @transports ||= {}
        end

        def schema_of(name)
          require "puppet/transport/schema/#{name}" unless transports.key?(name)
          transports.fetch(name) { raise DevError, "Transport for `#{name}` not registered with `production`" }
        end

        # What Bolt adds to the information is left out.
        def discard(schema, info)
          metas = BOLT_META + info.keys.select { |key| key.to_s.start_with?('remote-') }
          drop(schema, info, BOLT, 'info', 'superfluous bolt attribute')
          drop(schema, info, metas, 'debug', 'bolt metaparameter')
          drop(schema, info, info.keys, 'warning', 'unknown attribute')
        end

        def drop(schema, info, keys, level, what)
          keys.each do |key|
            next if !info.key?(key) || schema.attributes.key?(key)

            Stickler::Library.say(level, "#{schema.name}: Discarding #{what}: #{key}")
            info.delete(key)
          end
        end

        def defaults(schema, info)
          each_attribute(schema) do |name, options|
            next if !options.key?(:default) || info.key?(name)

            text = "#{schema.name}: Using default value for attribute: #{name}, value: #{options[:default].inspect}"
            Stickler::Library.say('debug', text)
            info[name] = options[:default]
          end
        end

        # The libraries wrap what is wrapped already once more.
        def wrap(schema, info)
          sensitive = Stickler::Values.sensitive
          each_attribute(schema) do |name, options|
            next unless options[:sensitive] == true && info.key?(name)
            next if Stickler::Library.spec? && info[name].is_a?(sensitive)

            info[name] = sensitive.new(info[name])
          end
        end

        def each_attribute(schema, &block)
          attributes = schema.attributes
          attributes.select { |_name, options| options.is_a?(Hash) }.each(&block) if attributes.is_a?(Hash)
        end
      end

      # A device of `puppet device` around a transport.
      class Wrapper
        attr_reader :transport, :schema

        # Devices of modules call it for what they read themselves.
        def self.deep_symbolize(value)
          Stickler::Hocon.symbolize(value)
        end

        def initialize(name, url_or_config_or_transport)
          case url_or_config_or_transport
          when String then @transport = Transport.connect(name, Stickler::Hocon.connection_info(url_or_config_or_transport))
          when Hash then @transport = Transport.connect(name, url_or_config_or_transport)
          else @transport = url_or_config_or_transport
          end
          @schema = Transport.send(:transports)[name]
        end

        def facts
          @transport.facts(Stickler::Context.new(@schema))
        end

        def respond_to_missing?(name, private = false)
          @transport.respond_to?(name) || super
        end

        def method_missing(name, *arguments, &block)
          @transport.respond_to?(name) ? @transport.public_send(name, *arguments, &block) : super
        end
        ruby2_keywords :method_missing
      end
    end
  end

  module Util
    class NetworkDevice
      class << self
        attr_accessor :current

        def init(device)
          @current = device
        end

        def teardown
          @current = nil
        end

        def set_device(_name, device)
          @current = device
        end
      end

      # The devices of the file `deviceconfig`.
      class Config
        def self.main
          @main ||= new
        end

        def self.devices
          main.devices || []
        end

        attr_reader :devices

        def initialize
          @file = Puppet[:deviceconfig]
          @devices = {}
          read
        end

        def exists?
          File.exist?(@file)
        end

        def read(_force = false)
          @devices = parsed(File.readlines(@file)) if exists?
        end

        private

        def parsed(lines)
          device = nil
          lines.each_with_index.with_object({}) do |(line, index), devices|
            case line
            when /^\s*(#|$)/ then next
            when /^\[([\w.-]+)\]\s*$/ then device = devices[$1] = found($1, index + 1, devices)
            when /^\s*type(\s+(.+)\s*)*$/ then device.provider = $2
            when /^\s*url(\s+(.+)\s*)*$/ then device.url = address($2)
            when /^\s*debug(\s+(.+)\s*)*$/ then device.options[:debug] = true
            else raise Puppet::Error, "Invalid entry at (line: #{index + 1}): #{line}"
            end
          end
        end

        def found(name, line, devices)
          if devices.key?(name)
            raise Puppet::Error, "Duplicate device found at (line: #{line}), already found at (line: #{devices[name].line})"
          end

          OpenStruct.new(name: name, line: line, options: { debug: false })
        end

        def address(text)
          URI.parse(text)
          text
        rescue URI::InvalidURIError
          raise Puppet::Error, "#{text} is an invalid url"
        end
      end

      # Devices from before there were transports.
      module Simple
        class Device
          def initialize(url_or_config, _options = {})
            if url_or_config.is_a?(String)
              @url = url_or_config
            else
              @config = url_or_config
            end
          end

          def facts
            {}
          end

          def config
            @config ||= Stickler::Hocon.of_url(@url)
          end
        end
      end

      class Base
        attr_accessor :url, :transport

        def initialize(url, _options = {})
          require 'uri'
          @url = URI.parse(url)
        end
      end

      module Transport
        class Base; end
      end
    end
  end

  ResourceApi::Transport::NetworkDevice = Util::NetworkDevice
  ResourceApi::Transport.private_constant :NetworkDevice
end
