# frozen_string_literal: true

module Stickler
  # A request whose parameters the host cannot use.
  class BadParams < StandardError; end

  # Ruby values as JSON and back, without loss. Providers hand over any object, so nothing here relies
  # on methods that an object may have redefined.
  module Values
    CLASS = Kernel.instance_method(:class)
    NAME = Module.instance_method(:name)
    PLAIN_STRING = String.instance_method(:to_s)
    PLAIN_ARRAY = Array.instance_method(:to_a)
    PLAIN_HASH = Hash.instance_method(:to_h)

    # How deep a structure may be.
    DEPTH = 200
    # Up to this depth, cycles are not looked for.
    SHALLOW = 24
    # How much of an object's `inspect` is reported.
    INSPECTED = 500

    # A structure deeper than `SHALLOW`.
    class Deep < StandardError; end

    module_function

    # The class of a value, even if the value redefines `class`.
    def class_of(value)
      CLASS.bind_call(value)
    end

    # The name of a value's class.
    def class_name(value)
      module_name(class_of(value))
    end

    def module_name(mod)
      NAME.bind_call(mod) || 'anonymous'
    end

    # A value as plain arrays, hashes with string keys, strings, numbers, true, false and nil.
    def encode(value)
      encode_at(value, 0, nil)
    rescue Deep
      encode_at(value, 0, {}.compare_by_identity)
    end

    # `above` holds the containers around the value once the structure proves to be deep.
    def encode_at(value, depth, above)
      case value
      when String then string(value)
      when Hash then contained(value, depth, above) { hash(value, depth + 1, above) }
      when Symbol then { '$sym' => string(value.name_or_s) }
      when nil, true, false, Integer then value
      when Array
        contained(value, depth, above) do
          PLAIN_ARRAY.bind_call(value).map { |one| encode_at(one, depth + 1, above) }
        end
      when Float then value.finite? ? value : { '$f' => value.to_s }
      when Regexp then regexp(value)
      when Proc then { '$proc' => (value.source_location || ['native', 0]).join(':') }
      else
        if Values.sensitive === value
          contained(value, depth, above) { { '$sens' => encode_at(unwrap(value), depth + 1, above) } }
        else
          object(value)
        end
      end
    end

    # What a sensitive value holds, even if its class has been tampered with.
    def unwrap(value)
      value.unwrap
    rescue StandardError
      inspected(value)
    end

    def contained(value, depth, above)
      if above.nil?
        raise Deep if depth >= SHALLOW

        return yield
      end
      return { '$cycle' => true } if above.key?(value)
      return { '$obj' => "deeper than #{DEPTH} levels", 'class' => class_name(value) } if depth >= DEPTH

      above[value] = true
      begin
        yield
      ensure
        above.delete(value)
      end
    end

    def string(text)
      text = PLAIN_STRING.bind_call(text) unless class_of(text).equal?(String)
      case text.encoding
      when Encoding::UTF_8 then return text if text.valid_encoding?
      else return text.encode(Encoding::UTF_8) if text.ascii_only?
      end
      encoded = { '$bin' => [text].pack('m0') }
      encoded['encoding'] = text.encoding.name unless text.encoding == Encoding::BINARY
      encoded
    end

    def hash(value, depth, above)
      value = PLAIN_HASH.bind_call(value) unless class_of(value).equal?(Hash)
      encoded = {}
      value.each do |key, one|
        return pairs(value, depth, above) unless Symbol === key

        name = string(key.name_or_s)
        return pairs(value, depth, above) unless String === name

        name = "$#{name}" if name.start_with?('$')
        encoded[name] = encode_at(one, depth, above)
      end
      encoded
    end

    def pairs(value, depth, above)
      { '$h' => value.map { |key, one| [encode_at(key, depth, above), encode_at(one, depth, above)] } }
    end

    def regexp(value)
      options = { 'i' => Regexp::IGNORECASE, 'm' => Regexp::MULTILINE, 'x' => Regexp::EXTENDED }
      options = options.select { |_, flag| (value.options & flag) != 0 }
      { '$re' => string(value.source), 'options' => options.keys.join }
    end

    def object(value)
      { '$obj' => inspected(value), 'class' => class_name(value) }
    end

    # An object's own `inspect`. Addresses differ from run to run.
    def inspected(value)
      text = value.inspect
      text = "#<#{class_name(value)}>" unless String === text
      text = PLAIN_STRING.bind_call(text)
      without_addresses(Failure.readable(text)[0, INSPECTED])
    rescue Exception # rubocop:disable Lint/RescueException
      "#<#{class_name(value)}>"
    end

    def without_addresses(text)
      text.gsub(/:0x\h{8,16}/, ':0x…')
    end

    # The class of values that must not be shown.
    def self.sensitive
      @sensitive
    end

    def self.sensitive=(type)
      @sensitive = type
    end
    # Until the runtime is known, nothing is of this class.
    self.sensitive = Class.new

    # Converts JSON into a Ruby value. Strings are copied: a provider may change its arguments.
    def decode(json, depth = 0)
      case json
      when String then json.dup
      when Hash
        deep(depth)
        object_of(json, depth + 1)
      when Array
        deep(depth)
        json.map { |one| decode(one, depth + 1) }
      else json
      end
    end

    def deep(depth)
      raise BadParams, "a value is deeper than #{DEPTH} levels" if depth >= DEPTH
    end

    def object_of(json, depth)
      decoded = {}
      json.each do |key, one|
        if key.start_with?('$')
          return special(json, depth) unless key.start_with?('$$')

          key = key[1..-1]
        end
        decoded[key.to_sym] = decode(one, depth)
      end
      decoded
    end

    def special(json, depth)
      key, one = json.first
      case key
      when '$sym' then decoded_string(one).to_sym
      when '$h' then decoded_pairs(one, depth)
      when '$sens' then sensitive.new(decode(one, depth))
      when '$f' then float(one)
      when '$re' then decoded_regexp(decoded_string(one), json['options'].to_s)
      when '$bin' then binary(one, json['encoding'] || 'BINARY')
      else raise BadParams, "a value cannot be made from `#{key}`"
      end
    end

    def decoded_pairs(pairs, depth)
      pairs = Array(pairs)
      raise BadParams, '`$h` wants pairs' unless pairs.all? { |pair| pair.is_a?(Array) && pair.size == 2 }

      pairs.map { |pair| [decode(pair[0], depth), decode(pair[1], depth)] }.to_h
    end

    def decoded_string(json)
      text = decode(json)
      raise BadParams, 'a string is expected here' unless text.is_a?(String)

      text
    end

    def float(name)
      { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY, '-Infinity' => -Float::INFINITY }.fetch(name)
    rescue KeyError
      raise BadParams, '`$f` is NaN, Infinity or -Infinity'
    end

    def decoded_regexp(source, options)
      flags = { 'i' => Regexp::IGNORECASE, 'm' => Regexp::MULTILINE, 'x' => Regexp::EXTENDED }
      Regexp.new(source, options.chars.sum { |letter| flags.fetch(letter, 0) })
    rescue RegexpError => e
      raise BadParams, e.message
    end

    def binary(base64, encoding)
      base64.unpack1('m0').force_encoding(encoding)
    rescue ArgumentError, NoMethodError
      raise BadParams, '`$bin` wants base64, and `encoding` the name of an encoding'
    end
  end
end

class Symbol
  # `Symbol#name` makes no new string, but came with Ruby 3.0.
  if method_defined?(:name)
    alias name_or_s name
  else
    alias name_or_s to_s
  end
end
