# frozen_string_literal: true

module Stickler
  # The type aliases that modules define in their `types` folders, as Puppet finds them.
  module Aliases
    NAME = /(?<![\w:])(?:::)?([A-Z]\w*(?:::[A-Z]\w*)+)/.freeze
    KEYS = %w[attributes connection_info].freeze

    extend self

    # What the answer of `load` says about aliases, if its definitions name any.
    def told(definitions)
      names = definitions.flat_map { |definition| types(definition) }.flat_map { |text| names(text) }
      return {} if names.empty?

      { 'aliases' => texts(names), 'modules' => modules.keys }
    end

    private

    # The texts of an encoded definition's types.
    def types(definition)
      members = ->(value) { value.is_a?(Hash) ? value : {} }
      attributes = KEYS.flat_map { |key| members.call(members.call(definition)[key]).values }
      attributes.map { |attribute| members.call(attribute)['type'] }.grep(String)
    end

    def names(text)
      text.scan(NAME).flatten
    end

    # The files of these aliases, and of those that they name.
    def texts(names)
      found = {}
      until names.empty?
        name = names.shift
        next if found.key?(name)

        text = text(name)
        next if text.nil?

        found[name] = text
        names.concat(names(text))
      end
      found
    end

    def text(name)
      space, *rest = name.downcase.split('::')
      root = modules[space]
      File.read("#{root}/types/#{rest.join('/')}.pp", encoding: 'UTF-8').scrub if root
    rescue SystemCallError
      nil
    end

    # The folders of modules by name. That of the module under test may have any name.
    def modules
      @modules ||= Library.paths.each_with_index.with_object({}) do |(lib, index), all|
        root = File.dirname(lib)
        name = (declared(root) if index.zero?) || File.basename(root)
        all[name] ||= root
      end
    end

    # The name in a module's metadata, without its author.
    def declared(root)
      name = JSON.parse(File.read("#{root}/metadata.json", encoding: 'UTF-8'))['name']
      name[%r{\A\w+[-/](\w+)\z}, 1]
    rescue SystemCallError, JSON::ParserError, NoMethodError, TypeError
      nil
    end
  end
end
