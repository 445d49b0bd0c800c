# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path('../lib', __dir__))
require 'stickler/rspec'
require 'stickler/rake_task'

FAKE = File.expand_path('support/stickler', __dir__)

RSpec.describe Stickler do
  around do |example|
    before = ENV.to_h
    ENV['STICKLER'] = FAKE
    example.run
  ensure
    ENV.replace(before)
  end

  describe 'the matcher' do
    def shown(matcher, subject)
      ENV['FAKE'] = '1'
      expect(matcher.matches?(subject)).to be false
      matcher.failure_message
    end

    it 'passes if no rule is broken' do
      expect(type('a')).to pass_stickler
    end

    it 'shows what the program shows' do
      expect(shown(pass_stickler, type('a'))).to eq(
        "expected type a to pass Stickler's rules of level must\n\narguments: check --color never --type a .\n",
      )
    end

    it 'gives its options to the program' do
      matcher = pass_stickler.with_level(:should).in_module('m').quickly.judging('RA5', 'RA6').ignoring('RA515')
      expect(shown(matcher.with_arguments('--deep'), type(:a))).to include(
        'check --color never --quick --select RA5 --select RA6 --ignore RA515 --deep --strict --type a m',
      )
    end

    it 'takes the folder of a module' do
      expect(shown(pass_stickler, 'modules/a')).to include('check --color never modules/a')
    end

    it 'refuses other levels' do
      expect { pass_stickler.with_level(:may) }.to raise_error(ArgumentError, /:must, :should/)
    end

    [2, 3, 4, 5].each do |code|
      it "never passes with exit code #{code}, nor when negated" do
        ENV['FAKE'] = code.to_s
        expect { expect('a').to pass_stickler }.to raise_error(Stickler::Error, /arguments: check/)
        expect { expect('a').not_to pass_stickler }.to raise_error(Stickler::Error)
      end
    end

    it 'says what to do without a program' do
      ENV['STICKLER'] = '/nowhere/stickler'
      expect { expect('a').to pass_stickler }.to raise_error(Stickler::Error, /set STICKLER/)
    end
  end

  describe Stickler::RakeTask do
    after { Rake::Task.clear }

    it 'runs the check' do
      described_class.new
      expect { Rake::Task[:stickler].invoke }.to output("arguments: check\n").to_stdout_from_any_process
    end

    it 'gives its attributes to the program' do
      task = described_class.new(:rules) do |one|
        one.modules = %w[a b]
        one.config = 'c.toml'
        one.strict = one.quick = true
        one.time = '5m'
        one.types = 't'
        one.select = %w[RA5 RA6]
        one.ignore = 'RA515'
        one.format = 'tap'
        one.outputs = { junit: 'j.xml' }
        one.report = 'r'
        one.arguments = ['--seed', 7]
      end
      expect(task.command.join(' ')).to eq(
        'check --strict --quick --config c.toml --time 5m --format tap --report r --type t --select RA5 ' \
        '--select RA6 --ignore RA515 --output junit=j.xml --seed 7 a b',
      )
    end

    it 'fails on findings, unless told otherwise, and always where nothing was judged' do
      described_class.new
      described_class.new(:gentle) { |task| task.fail_on_error = false }
      ENV['FAKE'] = '1'
      expect { Rake::Task[:stickler].invoke }.to raise_error(Stickler::Error, 'Stickler found broken rules')
      expect { Rake::Task[:gentle].invoke }.not_to raise_error
      ENV['FAKE'] = '4'
      Rake::Task[:gentle].reenable
      expect { Rake::Task[:gentle].invoke }.to raise_error(Stickler::Error, /too little was judged/)
    end
  end
end
