# frozen_string_literal: true

module Facter
  module Util
    # A fact of a file: several resolutions, the heaviest suitable one of which counts.
    class Fact
      attr_reader :name

      def initialize(name)
        @name = name
        @resolutions = []
      end

      def add(options = {}, &block)
        define_resolution(nil, options, &block)
      end

      def define_resolution(name, options = {}, &block)
        options = options.dup
        made = resolution(name) || Resolution.kind(options.delete(:type) || :simple).new(name, self)
        @resolutions |= [made]
        made.options(options)
        made.instance_eval(&block) if block
        made
      end

      def resolution(name)
        @resolutions.find { |one| one.name == name } unless name.nil?
      end

      def flush
        @resolutions.each(&:flush)
        @value = nil
      end

      # What the machine says counts as well, but less than a resolution with a weight.
      def value
        return @value unless @value.nil?
        raise "Caught recursion on #{@name}" if @searching

        @searching = true
        begin
          weight, value = first
          core = Facter.core_value(name) if value.nil? || weight <= 0
          @value = core.nil? ? value : core
        ensure
          @searching = false
        end
      end

      private

      # The weight and the value of the first resolution that has one. An exception ends the search.
      def first
        suitable = @resolutions.select(&:suitable?).each_with_index.sort_by { |one, at| [-one.weight, at] }
        suitable.each do |one, _at|
          value = one.value
          return [one.weight, value] unless value.nil?
        rescue Resolution::Failed
          break
        end
        nil
      end
    end

    # A condition for a resolution.
    class Confine
      def initialize(fact, values, block)
        raise ArgumentError, 'One or more values or a block must be provided' if values.empty? && block.nil?

        @fact = fact
        @values = values
        @block = block
      end

      def true?
        return holds? { @block.call } if @fact.nil?

        value = convert(Facter.value(@fact))
        return false if value.nil?

        @block ? holds? { @block.call(value) } : @values.any? { |one| convert(one) === value }
      end

      private

      def holds?
        yield ? true : false
      rescue StandardError => e
        raise if Stickler::Failure.missing(e)

        false
      end

      def convert(value)
        value = value.to_s if value.is_a?(Symbol)
        value.is_a?(String) ? value.downcase : value
      end
    end

    # A way to find a fact's value.
    class Resolution
      # A resolution that raised.
      class Failed < StandardError; end

      extend Core::Execution

      attr_accessor :name, :timeout
      attr_reader :fact

      def self.kind(type)
        { simple: self, aggregate: Core::Aggregate }.fetch(type) do
          raise ArgumentError, "Expected resolution type to be one of (:simple, :aggregate) but was #{type}"
        end
      end

      def initialize(name, fact)
        @name = name
        @fact = fact
        @confines = []
        @timeout = 0
      end

      def options(options)
        known = %i[name value timeout weight fact_type file is_env]
        known.each { |key| instance_variable_set("@#{key}", options.delete(key)) if options.key?(key) }
        raise ArgumentError, "Invalid resolution options #{options.keys.inspect}" unless options.empty?
      end

      def setcode(command = nil, &block)
        raise ArgumentError, 'You must pass either code or a block' if command.nil? && block.nil?

        @code = command ? -> { nonempty(Core::Execution.execute(command, on_fail: nil)) } : block
        self
      end

      # rubocop:disable Naming/PredicateName
      def has_weight(weight)
        @weight = weight
        self
      end
      # rubocop:enable Naming/PredicateName

      def weight
        @weight || @confines.size
      end

      def confine(conditions = nil, &block)
        if conditions.is_a?(Hash)
          conditions.each { |fact, values| @confines << Confine.new(fact, Array(values), nil) }
        elsif block
          @confines << Confine.new(conditions, [], block)
        end
      end

      def suitable?
        @confines.all?(&:true?)
      end

      def on_flush(&block)
        @on_flush = block
      end

      def flush
        @on_flush&.call
      end

      def value
        normal(Timeout.timeout(timeout || 0) { resolve_value })
      rescue Timeout::Error, Unfit => e
        Facter.log_exception(e, "#{place} has no value: #{e.message}")
        nil
      rescue StandardError => e
        # What the stand-ins lack decides nothing.
        raise if Stickler::Failure.missing(e)

        Facter.log_exception(e, "Error while resolving custom fact #{place}: #{e.message}")
        raise Failed
      end

      private

      # A value that no fact can have.
      class Unfit < StandardError; end
      private_constant :Unfit

      def resolve_value
        @value.nil? ? @code&.call : @value
      end

      def place
        "fact='#{@fact.name}', resolution='#{@name || '<anonymous>'}'"
      end

      def nonempty(output)
        output unless output.nil? || output.empty?
      end

      def normal(value)
        case value
        when Integer, Float, true, false, nil, Symbol then value
        when String then utf8(value)
        when Array then value.map { |one| normal(one) }
        when Hash then value.map { |key, one| [key.is_a?(Symbol) ? key.to_s : normal(key), normal(one)] }.to_h
        when Time, Date then value.iso8601
        else raise Unfit, "Expected #{value} to be data, but was #{value.class}"
        end
      end

      def utf8(text)
        text = text.encode(Encoding::UTF_8)
        text.valid_encoding? ? text : raise(Unfit, "String #{text.inspect} is not valid UTF-8")
      rescue EncodingError
        raise Unfit, "String encoding #{text.encoding} is not UTF-8 and could not be converted to UTF-8"
      end
    end
  end

  module Core
    # A fact in chunks, which are merged.
    class Aggregate < Util::Resolution
      def initialize(name, fact)
        super
        @chunks = {}
      end

      def chunk(name, require: [], &block)
        raise ArgumentError, "#{self.class.name}#chunk requires a block" if block.nil?
        raise ArgumentError, "#{self.class.name}#expected chunk name to be a Symbol" unless name.is_a?(Symbol)

        @chunks[name] = [Array(require), block]
        self
      end

      def aggregate(&block)
        raise ArgumentError, "#{self.class.name}#aggregate requires a block" if block.nil?

        @aggregate = block
        self
      end

      private

      def resolve_value
        results = {}
        @chunks.each_key { |name| run(name, results, []) }
        return @aggregate.call(results) if @aggregate

        results.values.inject { |all, one| merged(all, one) }
      end

      # Runs a chunk after those that it requires.
      def run(name, results, above)
        return results[name] if results.key?(name)
        raise ArgumentError, "Could not order chunks; #{name} requires itself" if above.include?(name)

        required, block = @chunks.fetch(name)
        inputs = required.map { |one| run(one, results, [*above, name]) }
        results[name] = block.call(*inputs)
      end

      def merged(left, right)
        return right if left.nil?
        return left if right.nil?
        return left + right if left.is_a?(Array) && right.is_a?(Array)
        return left.merge(right) { |_key, one, other| merged(one, other) } if left.is_a?(Hash) && right.is_a?(Hash)

        raise ArgumentError, "Could not deep merge all chunks (Original error: Cannot merge #{left.inspect}:" \
                             "#{left.class} and #{right.inspect}:#{right.class})"
      end
    end
  end
end
