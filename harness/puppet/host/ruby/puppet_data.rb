# frozen_string_literal: true

# Stand-ins for Puppet's ways to read and write JSON and YAML.
module Puppet
  module Util
    # JSON, with an error of Puppet's own.
    module Json
      class ParseError < StandardError
        attr_reader :cause, :data

        def self.build(original, data)
          new(original.message, original, data)
        end

        def initialize(message, cause = nil, data = nil)
          super(message)
          @cause = cause
          @data = data
        end
      end

      class << self
        def load(text, options = {})
          ::JSON.parse(text, options)
        rescue ::JSON::ParserError => e
          raise ParseError.build(e, text)
        end

        def load_file(path, options = {})
          load(File.read(path, encoding: Encoding::UTF_8), options)
        end

        def load_file_if_valid(path, options = {})
          load_file(path, options)
        rescue ParseError, Errno::ENOENT, ArgumentError
          nil
        end

        def dump(value, options = {})
          options&.fetch(:pretty, false) ? ::JSON.pretty_generate(value) : ::JSON.generate(value)
        end
      end
    end

    # YAML, with an error of Puppet's own.
    module Yaml
      class YamlLoadError < Puppet::Error; end

      class << self
        def safe_load(text, allowed_classes = [], filename = nil)
          loaded = ::YAML.safe_load(text, permitted_classes: allowed_classes, aliases: true, filename: filename)
          loaded || false
        rescue ::Psych::DisallowedClass => e
          raise YamlLoadError.new("(#{filename || '<unknown>'}): #{e.message}", e)
        rescue ::Psych::SyntaxError => e
          raise YamlLoadError.new(e.message, e)
        end

        def safe_load_file(path, allowed_classes = [])
          safe_load(File.read(path, encoding: Encoding::UTF_8), allowed_classes, path)
        end

        def safe_load_file_if_valid(path, allowed_classes = [])
          safe_load_file(path, allowed_classes)
        rescue YamlLoadError, ArgumentError, Errno::ENOENT
          nil
        end

        def dump(value, path)
          Util.replace_file(path, 0o660) { |file| ::YAML.dump(value, file) }
        end
      end
    end
  end
end
