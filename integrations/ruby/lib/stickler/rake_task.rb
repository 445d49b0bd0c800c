# frozen_string_literal: true

require 'rake'
require 'rake/tasklib'
require 'stickler'

module Stickler
  # A task that runs `stickler check`:
  #
  #   require 'stickler/rake_task'
  #   Stickler::RakeTask.new { |task| task.strict = true }
  class RakeTask < Rake::TaskLib
    # What is checked: folders or files. The default is the folder of the Rakefile.
    attr_accessor :modules
    # The description instead of `stickler.toml`.
    attr_accessor :config
    # Also fail on findings of level `should`?
    attr_accessor :strict
    # Run only the quick suite?
    attr_accessor :quick
    # The time limit, such as '5m' or 'none'.
    attr_accessor :time
    # The types to check. The default is all.
    attr_accessor :types
    # Beginnings of the rules to judge, and of those to leave out.
    attr_accessor :select, :ignore
    # The format of the output.
    attr_accessor :format
    # Further reports: format => file.
    attr_accessor :outputs
    # The sandbox: 'overlay', 'copy' or 'none'.
    attr_accessor :sandbox
    # The folder for a report in HTML.
    attr_accessor :report
    # Further arguments of `stickler check`.
    attr_accessor :arguments
    # The program, instead of the gem's own.
    attr_accessor :program
    # Does a finding end Rake? A check that could not judge always does.
    attr_accessor :fail_on_error
    # The task's name.
    attr_reader :name

    def initialize(name = :stickler)
      super()
      @name = name
      @modules, @types, @select, @ignore, @arguments = Array.new(5) { [] }
      @outputs = {}
      @fail_on_error = true
      yield self if block_given?
      define
    end

    # The command line below `stickler`.
    def command
      words = ['check']
      words += ['--strict'] if strict
      words += ['--quick'] if quick
      { config: config, time: time, format: format, sandbox: sandbox, report: report }.each do |option, value|
        words += ["--#{option}", value.to_s] if value
      end
      { type: types, select: select, ignore: ignore }.each do |option, values|
        Array(values).each { |value| words += ["--#{option}", value.to_s] }
      end
      outputs.each { |format, file| words += ['--output', "#{format}=#{file}"] }
      words + Array(arguments).map(&:to_s) + Array(modules).map(&:to_s)
    end

    private

    def define
      desc 'Check types and providers by the rules of the Resource API' unless Rake.application.last_description
      task(name) do
        code = Stickler.run(command, program: program)
        next if code.zero? || (code == 1 && !fail_on_error)

        raise Error, code == 1 ? 'Stickler found broken rules' : "Stickler: #{Stickler.trouble(code)}"
      end
    end
  end
end
