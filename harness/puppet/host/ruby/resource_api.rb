# frozen_string_literal: true

# The Resource API itself: registration, and what `context.type` gives.
module Puppet
  module Transport; end

  module ResourceApi
    # Definitions are kept as they are, whatever they are: the harness judges them.
    class BaseTypeDefinition
      attr_reader :definition, :attributes

      def initialize(definition, key)
        @definition = definition
        @attributes = definition.is_a?(Hash) ? definition[key] : nil
        settle(definition) if definition.is_a?(Hash)
      end

      def name
        definition[:name]
      end

      def namevars
        @namevars ||= attributes.select { |_name, options| options.is_a?(Hash) && options[:behaviour] == :namevar }.keys
      end

      def insyncable_attributes
        @insyncable_attributes ||= attributes.reject { |_name, options| options.is_a?(Hash) && options.key?(:behaviour) }.keys
      end

      # Whether values match their types is asked of the harness, where a run has a `strict`. Elsewhere the harness
      # is told, and judges that later.
      def check_schema(resource, message_prefix = nil)
        namevars.each do |namevar|
          next unless resource[namevar].nil?

          raise ResourceError, "`#{name}.get` did not return a value for the `#{namevar}` namevar attribute"
        end
        return unless definition.key?(:attributes)
        return told(resource, caller(1, 1).first) if Stickler::Library.strict.nil?

        misfit(resource, message_prefix || 'Provider returned data that does not match the Type Schema')
      end

      def check_schema_keys(resource)
        resource.keys.reject { |key| key == :title || attributes.key?(key) }
      end

      def check_schema_values(_resource)
        {}
      end

      private

      # What the library itself checks on the way is not the author's doing.
      def told(resource, from)
        Stickler::Library.checked(name, resource) unless Stickler::Library.frame?(from)
      end

      def misfit(resource, prefix)
        unknown, wrong = Stickler::Questions.checking(definition, resource)
        return if unknown.empty? && wrong.empty?

        lines = { 'Unknown attribute' => unknown, 'Value type mismatch' => wrong }.reject { |_, list| list.empty? }
        lines = lines.map { |title, list| "\n #{title}:\n#{list.map { |line| "    * #{line}\n" }.join}" }
        message = "#{prefix} for `#{name}[#{resource[namevars.first]}]`#{lines.join}"
        raise DevError, message if Stickler::Library.strict == 'error'

        Stickler::Library.say(Stickler::Library.strict == 'off' ? 'debug' : 'warning', message)
        Stickler::Library.log_result
      end

      # The library writes older spellings anew, into the author's own hash.
      def settle(definition)
        if definition.key?(:docs) && !definition[:desc] && !definition.frozen?
          definition[:desc] = definition.delete(:docs)
        end
        return unless attributes.is_a?(Hash)

        attributes.each_value do |options|
          next unless options.is_a?(Hash) && options[:behavior] && !options[:behaviour] && !options.frozen?

          options[:behaviour] = options.delete(:behavior)
        end
      end
    end

    class TypeDefinition < BaseTypeDefinition
      def initialize(definition)
        super(definition, :attributes)
        definition[:features] ||= [] if definition.is_a?(Hash) && !definition.frozen?
      end

      def ensurable?
        attributes.key?(:ensure)
      end

      def feature?(feature)
        definition[:features]&.include?(feature)
      end

      def title_patterns
        definition[:title_patterns] || []
      end
    end

    class TransportSchemaDef < BaseTypeDefinition
      def initialize(definition)
        super(definition, :connection_info)
      end

      def validate(_resource); end
    end

    BaseContext = Stickler::Context
    PuppetContext = Stickler::Context
    IOContext = Stickler::Context

    class << self
      attr_accessor :warning_count

      def register_type(definition)
        entry = Stickler::Library.registered(:type, definition)
        entry[:schema] = TypeDefinition.new(definition)
        reserve(definition[:name]) if definition.is_a?(Hash)
        nil
      end

      def register_transport(schema)
        Transport.register(schema)
      end

      def class_name_from_type_name(name)
        name.to_s.split('_').map(&:capitalize).join
      end

      # The provider class of a type, found as Puppet finds it: for a device, under its name first.
      def load_provider(type, device = Stickler::Devices.current_name)
        type = type.to_s
        found = provider_class(type, device.to_s) if device
        found ||= provider_class(type, type)
        found || raise(DevError, not_found(type, device))
      end

      private

      # Providers reopen the module of their type, so it has to be there.
      def reserve(name)
        constant = class_name_from_type_name(name)
        Puppet::Provider.const_set(constant, Module.new) unless Puppet::Provider.const_defined?(constant, false)
        type = Puppet::Type.newtype_of_ours(name)
        type.define_singleton_method(:name) { name.to_sym }
      rescue NameError
        # Such a name can have no provider; the rules say so.
        nil
      end

      def provider_class(type, name)
        Stickler::Loader.autoload("puppet/provider/#{type}/#{name}")
        spaces = [class_name_from_type_name(type), class_name_from_type_name(name)]
        spaces.inject(Puppet::Provider) do |space, constant|
          break nil unless space.const_defined?(constant, false)

          space.const_get(constant, false)
        end
      rescue NameError => e
        # A name that no constant can have.
        raise unless e.message.start_with?('wrong constant name')
      end

      def not_found(type, device)
        kind = class_name_from_type_name(type)
        general = "Puppet::Provider::#{kind}::#{kind} not found in puppet/provider/#{type}/#{type}"
        return "provider class #{general}" unless device

        "neither the provider class Puppet::Provider::#{kind}::#{class_name_from_type_name(device)} was found in " \
          "puppet/provider/#{type}/#{device}, nor the general one: #{general}"
      end
    end

    self.warning_count = 0
    VERSION = '1.8.16'
  end

  class Type
    # The class of a type that was registered through the Resource API.
    def self.newtype_of_ours(name)
      classics[name.to_sym] = Class.new(self)
    end
  end
end
