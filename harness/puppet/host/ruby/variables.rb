# frozen_string_literal: true

module Stickler
  # Variables of the environment that the module reads, and that are not set here.
  module Variables
    # Those that a run may lack anywhere: a provider has to live without them.
    USUAL = /\A(HOME|USER|LOGNAME|SHELL|TERM|PWD|PATH|TMPDIR|LANG|LANGUAGE|LC_\w+)\z/.freeze
    # How a line says what is done without the variable.
    GUARD = /\|\||&\.|\?|\.to_s\b|\.to_[aif]\b|\b(if|unless|nil)\b/.freeze

    # A variable, the file that read it, and whether the line can do without it.
    Read = Struct.new(:name, :path, :guarded)

    class << self
      # Marks what the block raises with a variable, if it speaks of it, or if it speaks of nil or some method was
      # given a value that it does not take. Unless an object is being `built`, the same file must have read it:
      # a call does much else.
      def during(built)
        @reads = []
        yield
      rescue Exception => e # rubocop:disable Lint/RescueException
        mark(e, built)
        raise
      ensure
        @reads = nil
      end

      def read(name, value)
        return if @reads.nil? || !value.nil? || USUAL.match?(name.to_s)

        place = caller_locations(2, 1).first
        return unless place && place.path.start_with?(*Library.places)

        @reads << Read.new(name.to_s, place.path, GUARD.match?(line(place)))
      end

      # The variable without which an exception would not have been raised.
      def missing(error)
        marked = error.instance_variable_get(:@stickler_variable)
        return marked if marked
        return unless KeyError === error && error.receiver.equal?(ENV)

        error.key unless USUAL.match?(error.key)
      rescue ArgumentError
        # An error without a receiver.
        nil
      end

      private

      def mark(error, built)
        return if @reads.empty? || error.frozen?

        at = Failure.at(Failure.frames_of(error))
        text = Failure.message(error)
        blamed = @reads.find do |read|
          text.include?(read.name) || nil_to_blame?(error, text) && !read.guarded && (built || at&.start_with?("#{read.path}:"))
        end
        error.instance_variable_set(:@stickler_variable, blamed.name) if blamed
      end

      def nil_to_blame?(error, text)
        return true if text.match?(/\bnil\b/)

        (ArgumentError === error || TypeError === error) && !text.match?(Failure::ARITY)
      end

      # The line of a file, without what it says in quotes.
      def line(place)
        @lines ||= {}
        lines = @lines[place.path] ||= File.readlines(place.path, encoding: Encoding::BINARY)
        lines[place.lineno - 1].to_s.gsub(/'[^']*'|"[^"]*"/, '')
      rescue SystemCallError
        ''
      end
    end

    # `ENV` as before, and observed.
    module Observed
      def [](name)
        value = super
        Variables.read(name, value)
        value
      end

      def fetch(name, *default)
        value = super
        Variables.read(name, value)
        value
      end
    end

    ENV.singleton_class.prepend(Observed)
  end
end
