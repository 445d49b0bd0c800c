# frozen_string_literal: true

require 'rspec/expectations'
require 'stickler'
require 'tempfile'

module Stickler
  # `require 'stickler/rspec'`, and then in an example:
  #
  #   expect(type('my_type')).to pass_stickler.with_level(:must)
  module RSpec
    # A type of a module.
    Type = Struct.new(:name)

    # The type of the module whose specs run.
    def type(name)
      Type.new(name.to_s)
    end

    # Passes if the check of a type, or of a module in a folder, breaks no rule.
    def pass_stickler
      PassStickler.new
    end

    # The matcher.
    class PassStickler
      LEVELS = %i[must should].freeze

      def initialize
        @level = :must
        @folder = '.'
        @arguments = []
      end

      # Which findings count: :must, or :should for those of both levels.
      def with_level(level)
        raise ArgumentError, "the level is one of #{LEVELS.inspect}, not #{level.inspect}" unless LEVELS.include?(level)

        @level = level
        self
      end

      # The module of the type is in this folder.
      def in_module(folder)
        @folder = folder.to_s
        self
      end

      # Runs only the quick suite.
      def quickly
        with_arguments('--quick')
      end

      # Judges only rules whose codes begin so.
      def judging(*prefixes)
        with_arguments(*prefixes.flat_map { |prefix| ['--select', prefix] })
      end

      # Leaves out rules whose codes begin so.
      def ignoring(*prefixes)
        with_arguments(*prefixes.flat_map { |prefix| ['--ignore', prefix] })
      end

      # Further arguments of `stickler check`.
      def with_arguments(*words)
        @arguments += words.map(&:to_s)
        self
      end

      def matches?(subject)
        @subject = subject
        code = check
        # Neither `to` nor `not_to` may pass where nothing was judged.
        raise Error, "Stickler: #{Stickler.trouble(code)}\n#{@shown}" unless [0, 1].include?(code)

        code.zero?
      end

      def description
        "pass Stickler's rules of level #{LEVELS[0..LEVELS.index(@level)].join(' and ')}"
      end

      def failure_message
        "expected #{named} to #{description}\n\n#{@shown}"
      end

      def failure_message_when_negated
        "expected #{named} to break a rule, but it breaks none\n\n#{@shown}"
      end

      private

      def named
        @subject.is_a?(Type) ? "type #{@subject.name}" : @subject.to_s
      end

      def check
        words = ['check', '--color', 'never', *@arguments]
        words << '--strict' if @level == :should
        words += @subject.is_a?(Type) ? ['--type', @subject.name, @folder] : [@subject.to_s]
        Tempfile.create('stickler') do |file|
          code = Stickler.run(words, in: File::NULL, out: file.fileno, err: file.fileno)
          file.rewind
          @shown = file.read
          code
        end
      end
    end
  end
end

if defined?(RSpec.configure)
  RSpec.configure { |config| config.include Stickler::RSpec }
end
