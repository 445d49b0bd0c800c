# frozen_string_literal: true

require 'json'
require 'rspec/expectations'
require 'stickler'
require 'tmpdir'

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
        code, summary, @broken = check
        # Neither `to` nor `not_to` may pass where nothing was judged.
        raise Error, "Stickler: #{Stickler.trouble(code)}\n#{@shown}" unless [0, 1].include?(code)
        raise Error, "Stickler: the program ended without a verdict\n#{@shown}" unless summary&.fetch('exit') == code

        tell(summary['hints']) if code.zero?
        code.zero?
      end

      def description
        "pass Stickler's rules of level #{levels.join(' and ')}"
      end

      def failure_message
        broken = "broken: #{@broken.join(', ')}" unless @broken.empty?
        [["expected #{named} to #{description}", broken].compact.join('; '), @shown].join("\n\n")
      end

      def failure_message_when_negated
        "expected #{named} to break a rule, but it breaks none\n\n#{@shown}"
      end

      private

      def levels
        LEVELS[0..LEVELS.index(@level)]
      end

      def named
        @subject.is_a?(Type) ? "type #{@subject.name}" : @subject.to_s
      end

      # What a check that passes could not judge, for example because there is no example.
      def tell(hints)
        hints.each { |hint| warn "Stickler, #{named}: #{hint}" }
      end

      def check
        words = ['check', '--color', 'never', *@arguments]
        words << '--strict' if @level == :should
        words += @subject.is_a?(Type) ? ['--type', @subject.name, @folder] : [@subject.to_s]
        Dir.mktmpdir('stickler') do |folder|
          verdicts, shown = %w[verdicts shown].map { |name| File.join(folder, name) }
          code = Stickler.run([*words, '--output', "json=#{verdicts}"], in: File::NULL, %i[out err] => [shown, 'w'])
          @shown = File.read(shown, encoding: Encoding::UTF_8).scrub
          [code, *read(verdicts)]
        end
      end

      # The summary, and the rules that failed. A program that could not judge writes no file, or half of one.
      def read(verdicts)
        lines = File.file?(verdicts) ? File.readlines(verdicts, encoding: Encoding::UTF_8) : []
        events = lines.map { |line| JSON.parse(line) }
        broken = events.select { |event| event['verdict'] == 'fail' && levels.include?(event['level'].to_sym) }
        [events.find { |event| event['event'] == 'summary' }, broken.map { |event| event['rule'] }]
      rescue JSON::ParserError
        [nil, []]
      end
    end
  end
end

if defined?(RSpec.configure)
  RSpec.configure { |config| config.include Stickler::RSpec }
end
