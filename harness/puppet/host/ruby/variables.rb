# frozen_string_literal: true

module Stickler
  # Variables of the environment that the module reads, and that are not set here.
  module Variables
    # Those that a run may lack anywhere: a provider has to live without them.
    USUAL = /\A(HOME|USER|LOGNAME|SHELL|TERM|PWD|PATH|TMPDIR|LANG|LANGUAGE|LC_\w+)\z/.freeze

    class << self
      # Marks what the block raises with the first such variable, if it speaks of it or of nil, or if some
      # method was given a value that it does not take.
      def during
        @reading = true
        @first = nil
        yield
      rescue Exception => e # rubocop:disable Lint/RescueException
        e.instance_variable_set(:@stickler_variable, @first) if @first && !e.frozen? && blames?(e)
        raise
      ensure
        @reading = false
      end

      def read(name, value)
        return if !@reading || !value.nil? || USUAL.match?(name.to_s)

        place = caller_locations(2, 1).first
        @first ||= name.to_s if place && place.path.start_with?(*Library.places)
      end

      def blames?(error)
        text = Failure.message(error)
        return true if text.match?(/\bnil\b/) || text.include?(@first)

        (ArgumentError === error || TypeError === error) && !text.match?(Failure::ARITY)
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
