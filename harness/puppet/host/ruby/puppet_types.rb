# frozen_string_literal: true

# Stand-ins for what providers ask of Puppet's data types and times: whether a value is one of a type, and which
# kind of type it is. What is beyond them is missing, and named.
module Puppet
  module Pops
    module Types
      # A type, such as `Integer[1, 9]`.
      class PAnyType
        attr_reader :text, :parameters

        def initialize(text = 'Any', parameters = [])
          @text = text
          @parameters = parameters
        end

        def to_s
          text
        end
        alias inspect to_s

        def name
          text[/\A\w+/]
        end

        def ==(other)
          other.class == self.class && other.parameters == parameters
        end
        alias eql? ==

        def hash
          [self.class, parameters].hash
        end

        def instance?(_value, _guard = nil)
          true
        end

        # Whether each value of the other type is one of this.
        def assignable?(other, _guard = nil)
          case other
          when PVariantType then other.types.all? { |one| assignable?(one) }
          when POptionalType then assignable?(PUndefType.new('Undef')) && assignable?(other.type)
          when PNotUndefType then instance_of?(PAnyType) || assignable?(other.type)
          when PEnumType then other.values.all? { |value| instance?(value) }
          else holds?(other)
          end
        end

        private

        def holds?(other)
          instance_of?(PAnyType) || other.is_a?(self.class) && (parameters.empty? || parameters == other.parameters)
        end
      end

      class PUndefType < PAnyType
        def instance?(value, _guard = nil)
          value.nil? || value == :undef
        end
      end

      # Types that are made of others.
      class PTypeWithContainedType < PAnyType
        def type
          parameters.first || PAnyType.new
        end
        alias optional_type type
      end

      class POptionalType < PTypeWithContainedType
        def instance?(value, _guard = nil)
          value.nil? || value == :undef || type.instance?(value)
        end

        private

        def holds?(other)
          other.is_a?(PUndefType) || type.assignable?(other)
        end
      end

      class PNotUndefType < PTypeWithContainedType
        def instance?(value, _guard = nil)
          !value.nil? && value != :undef && type.instance?(value)
        end

        private

        def holds?(other)
          !other.is_a?(PUndefType) && type.assignable?(other)
        end
      end

      class PSensitiveType < PTypeWithContainedType
        def instance?(value, _guard = nil)
          Sensitive === value && type.instance?(value.unwrap)
        end
      end

      class PVariantType < PAnyType
        alias types parameters

        def instance?(value, _guard = nil)
          types.any? { |type| type.instance?(value) }
        end

        private

        def holds?(other)
          types.any? { |type| type.assignable?(other) }
        end
      end

      class PScalarType < PAnyType
        CLASSES = [Numeric, String, TrueClass, FalseClass, Regexp].freeze

        def instance?(value, _guard = nil)
          self.class::CLASSES.any? { |kind| kind === value }
        end

        private

        def holds?(other)
          super || PScalarType === other && instance_of?(PScalarType)
        end
      end

      class PScalarDataType < PScalarType
        CLASSES = [Numeric, String, TrueClass, FalseClass].freeze

        private

        def holds?(other)
          super || instance_of?(PScalarDataType) && PScalarDataType === other
        end
      end

      class PBooleanType < PScalarDataType
        def instance?(value, _guard = nil)
          case parameters.first
          when nil then value == true || value == false
          else value == parameters.first
          end
        end
      end

      # Texts and numbers between two limits.
      module Limited
        def from
          limit(0, -Float::INFINITY)
        end

        def to
          limit(1, Float::INFINITY)
        end

        private

        def limit(at, otherwise)
          Numeric === parameters[at] ? parameters[at] : otherwise
        end

        def within?(number)
          number >= from && number <= to
        end

        def holds?(other)
          other.is_a?(self.class) && other.from >= from && other.to <= to
        end
      end

      class PStringType < PScalarDataType
        include Limited

        def instance?(value, _guard = nil)
          String === value && within?(value.size)
        end

        private

        # No text is shorter than none.
        def limit(at, otherwise)
          at.zero? ? super(at, 0) : super
        end
      end

      class PEnumType < PScalarDataType
        def values
          parameters.grep(String)
        end

        def instance?(value, _guard = nil)
          String === value && values.any? { |one| parameters.last == true ? one.casecmp?(value) : one == value }
        end
      end

      class PPatternType < PScalarDataType
        def patterns
          parameters
        end

        def instance?(value, _guard = nil)
          String === value && (parameters.empty? || parameters.any? { |pattern| Regexp.new(pattern).match?(value) })
        end
      end

      class PNumericType < PScalarDataType
        include Limited

        def instance?(value, _guard = nil)
          Numeric === value && within?(value)
        end
      end

      class PIntegerType < PNumericType
        def instance?(value, _guard = nil)
          Integer === value && super
        end
      end

      class PFloatType < PNumericType
        def instance?(value, _guard = nil)
          Float === value && super
        end
      end

      class PRegexpType < PScalarType
        CLASSES = [Regexp].freeze
      end

      class PCollectionType < PAnyType
        def element_type
          parameters.grep(PAnyType).last || PAnyType.new
        end

        def instance?(value, _guard = nil)
          Array === value || Hash === value
        end

        private

        def size?(value)
          from, to = parameters.grep_v(PAnyType)
          value.size >= (Integer === from ? from : 0) && (!(Integer === to) || value.size <= to)
        end
      end

      class PArrayType < PCollectionType
        def instance?(value, _guard = nil)
          Array === value && size?(value) && value.all? { |one| element_type.instance?(one) }
        end
      end

      class PTupleType < PCollectionType
        def types
          parameters.grep(PAnyType)
        end

        def instance?(value, _guard = nil)
          return false unless Array === value
          return false unless parameters.size > types.size ? size?(value) : value.size == types.size

          value.each_with_index.all? { |one, at| (types[at] || types.last).instance?(one) }
        end
      end

      class PHashType < PCollectionType
        def key_type
          parameters.grep(PAnyType).size > 1 ? parameters.first : PAnyType.new
        end
        alias value_type element_type

        def instance?(value, _guard = nil)
          Hash === value && size?(value) && value.all? { |key, one| key_type.instance?(key) && value_type.instance?(one) }
        end
      end

      class PStructType < PAnyType
        def instance?(value, _guard = nil)
          members = parameters.first || {}
          return false unless Hash === value && value.keys.all? { |key| members.any? { |name, _| name_of(name) == key } }

          members.all? do |name, type|
            value.key?(name_of(name)) ? type.instance?(value[name_of(name)]) : optional?(name, type)
          end
        end

        private

        def name_of(key)
          key.respond_to?(:type) ? key.parameters.first : key
        end

        def optional?(key, type)
          POptionalType === key || !key.respond_to?(:type) && type.instance?(nil)
        end
      end

      class PDataType < PAnyType
        def instance?(value, _guard = nil)
          case value
          when Array then value.all? { |one| instance?(one) }
          when Hash then value.all? { |key, one| String === key && instance?(one) }
          when Regexp then false
          else value.nil? || PScalarDataType.new.instance?(value)
          end
        end

        private

        def holds?(other)
          [PScalarDataType, PUndefType, PDataType].any? { |kind| kind === other }
        end
      end

      # Reads the text of a type.
      class TypeParser
        NAMES = {
          'Any' => PAnyType, 'Undef' => PUndefType, 'Optional' => POptionalType, 'NotUndef' => PNotUndefType,
          'Sensitive' => PSensitiveType, 'Variant' => PVariantType, 'Scalar' => PScalarType,
          'ScalarData' => PScalarDataType, 'Boolean' => PBooleanType, 'String' => PStringType, 'Enum' => PEnumType,
          'Pattern' => PPatternType, 'Numeric' => PNumericType, 'Integer' => PIntegerType, 'Float' => PFloatType,
          'Regexp' => PRegexpType, 'Collection' => PCollectionType, 'Array' => PArrayType, 'Tuple' => PTupleType,
          'Hash' => PHashType, 'Struct' => PStructType, 'Data' => PDataType
        }.freeze
        TOKEN = %r{\s*([\[\]{},]|=>|'(?:\\.|[^'])*'|"(?:\\.|[^"])*"|/(?:\\.|[^/])*/|-?\d+\.\d+|-?\d+|[\w:]+)}m.freeze

        def self.singleton
          @singleton ||= new
        end

        def parse(text, _context = nil)
          @rest = text.scan(TOKEN).flatten
          type = value
          raise Puppet::ParseError, "The expression <#{text}> is not a valid type specification." unless @rest.empty? && PAnyType === type

          type
        end

        private

        def value
          token = @rest.shift
          case token
          when '{' then members
          when /\A['"]/ then token[1..-2].gsub(/\\(.)/, '\1')
          when %r{\A/} then Regexp.new(token[1..-2])
          when /\A-?\d+\z/ then token.to_i
          when /\A-?\d/ then token.to_f
          when 'default' then :default
          when 'true', 'false' then token == 'true'
          when /\A[A-Z]/ then named(token)
          # A bare word is a text.
          when /\A[a-z]/ then token
          else raise Puppet::ParseError, "The expression <#{token}> is not a valid type specification."
          end
        end

        # A type that the stand-in does not know is missing, as its class would be.
        def named(name)
          kind = NAMES.fetch(name) { return Types.const_get("P#{name.delete(':')}Type") }
          parameters = []
          if @rest.first == '['
            @rest.shift
            until @rest.first == ']' || @rest.empty?
              parameters << value
              @rest.shift if @rest.first == ','
            end
            @rest.shift
          end
          kind.new(parameters.empty? ? name : "#{name}[#{parameters.map { |one| shown(one) }.join(', ')}]", contained(name, parameters))
        end

        # `Optional['a']` means the text itself.
        def contained(name, parameters)
          return parameters unless %w[Optional NotUndef].include?(name) && String === parameters.first

          [PEnumType.new("Enum['#{parameters.first}']", parameters)]
        end

        def members
          all = {}
          until @rest.first == '}' || @rest.empty?
            key = value
            @rest.shift
            all[key] = value
            @rest.shift if @rest.first == ','
          end
          @rest.shift
          all
        end

        def shown(value)
          String === value ? "'#{value}'" : value.inspect
        end
      end

      # Types by their names.
      module TypeFactory
        class << self
          { any: 'Any', boolean: 'Boolean', integer: 'Integer', float: 'Float', numeric: 'Numeric', string: 'String',
            scalar: 'Scalar', scalar_data: 'ScalarData', undef: 'Undef', data: 'Data', collection: 'Collection',
            regexp: 'Regexp' }.each do |method, name|
            define_method(method) { TypeParser::NAMES[name].new(name) }
          end

          def optional(type = nil)
            POptionalType.new("Optional[#{type}]", [type].compact)
          end

          def variant(*types)
            PVariantType.new("Variant[#{types.join(', ')}]", types)
          end

          def enum(*values)
            PEnumType.new("Enum[#{values.map { |one| "'#{one}'" }.join(', ')}]", values)
          end

          def array_of(type)
            PArrayType.new("Array[#{type}]", [type])
          end

          def hash_of(value, key = scalar)
            PHashType.new("Hash[#{key}, #{value}]", [key, value])
          end
        end
      end

      # Questions about types.
      class TypeCalculator
        class << self
          def singleton
            @singleton ||= new
          end

          %i[assignable? instance?].each do |method|
            define_method(method) { |type, other| type.public_send(method, other) }
          end

          def infer(value)
            singleton.infer(value)
          end
        end

        def assignable?(type, other)
          type.assignable?(other)
        end

        def instance?(type, value)
          type.instance?(value)
        end

        def infer(value)
          case value
          when nil then TypeFactory.undef
          when true, false then TypeFactory.boolean
          when Integer then PIntegerType.new("Integer[#{value}, #{value}]", [value, value])
          when Float then PFloatType.new("Float[#{value}, #{value}]", [value, value])
          when String then PStringType.new('String')
          when Array then PArrayType.new('Array')
          when Hash then PHashType.new('Hash')
          else TypeFactory.any
          end
        end
      end
    end

    module Time
      # A moment, by nanoseconds.
      class Timestamp
        include Comparable
        FORMATS_WITHOUT_ZONE = ['%FT%T.%N', '%FT%T', '%F %T.%N', '%F %T', '%F'].freeze
        FORMATS = (['%FT%T.%N %Z', '%FT%T %Z', '%F %T.%N %Z', '%F %T %Z', '%F %Z'] + FORMATS_WITHOUT_ZONE).freeze

        def self.now
          from_time(::Time.now)
        end

        def self.from_time(time)
          new(time.tv_sec * 1_000_000_000 + time.tv_nsec)
        end

        def self.parse(text, format = :default, timezone = nil)
          zoned = ![nil, '', :default].include?(timezone)
          usual = format.nil? || format == :default
          formats = usual ? (zoned ? FORMATS_WITHOUT_ZONE : FORMATS) : Array(format)
          parts = formats.lazy.map { |one| ::DateTime._strptime(text, one) }.find do |found|
            found && !found.key?(:leftover) && !(zoned && found.key?(:zone))
          end
          raise ArgumentError, "Unable to parse '#{text}' using any of the formats #{formats.join(', ')}" if parts.nil?

          from_time(time_of(parts, zoned ? timezone : parts[:zone]))
        end

        def self.time_of(parts, zone)
          fraction = parts[:sec_fraction]
          time = ::Time.utc(*parts.values_at(:year, :mon, :mday, :hour, :min, :sec), fraction && fraction * 1_000_000)
          zone ? time - offset(zone) : time
        end
        private_class_method :time_of

        def self.offset(zone)
          return ::Time.now.utc_offset if zone.casecmp?('current')

          ::DateTime._strptime(zone, '%z')&.fetch(:offset, nil) || raise(ArgumentError, "Illegal timezone '#{zone}'")
        end
        private_class_method :offset

        attr_reader :nsecs
        alias hash nsecs

        def initialize(nsecs)
          @nsecs = nsecs
        end

        def <=>(other)
          nsecs <=> other.nsecs if other.is_a?(Timestamp)
        end

        def eql?(other)
          other.is_a?(Timestamp) && other.nsecs == nsecs
        end

        def to_time
          ::Time.at(Rational(nsecs, 1_000_000_000)).utc
        end

        def format(format, _timezone = nil)
          to_time.strftime(format)
        end

        def to_s
          format(FORMATS.first)
        end

        def to_i
          nsecs / 1_000_000_000
        end

        def to_f
          nsecs / 1_000_000_000.0
        end
      end
    end
  end
end

Stickler::Library.seal_later(Puppet::Pops::Types, Puppet::Pops::Time)
