# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path('../lib', __dir__))
require 'open3'
require 'stickler/rspec'
require 'stickler/rake_task'

FAKE = File.expand_path('support/stickler', __dir__)
SLOW = File.expand_path('support/slow', __dir__)
BUNDLED = File.expand_path('support/bundled', __dir__)

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
        "expected type a to pass Stickler's rules of level must; broken: RA501\n\n" \
        "arguments: check --color never --type a . --output json=FILE\n",
      )
    end

    it 'gives its options to the program' do
      matcher = pass_stickler.with_level(:should).in_module('m').quickly.judging('RA5', 'RA6').ignoring('RA515')
      expect(shown(matcher.with_arguments('--deep'), type(:a))).to include(
        'check --color never --quick --select RA5 --select RA6 --ignore RA515 --deep --strict --type a m',
      )
    end

    it 'takes the folder of a module' do
      expect(shown(pass_stickler, 'modules/a')).to include('check --color never modules/a ')
    end

    context 'with a `type` of the author' do
      let(:type) { 'mine' }

      it 'leaves it alone' do
        expect(type).to eq('mine')
      end
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

    it 'believes no program that ends without a verdict' do
      ENV['STICKLER'] = '/bin/true'
      expect { expect('a').to pass_stickler }.to raise_error(Stickler::Error, /without a verdict/)
      ENV['STICKLER'] = '/bin/false'
      expect { expect('a').not_to pass_stickler }.to raise_error(Stickler::Error, /without a verdict/)
    end

    it 'tells what a check that passes could not judge' do
      ENV['FAKE_HINT'] = '"there is no example"'
      expect { expect(type('a')).to pass_stickler }.to output("Stickler, type a: there is no example\n").to_stderr
    end

    it 'names rules of level should only if they count' do
      ENV['FAKE_LEVEL'] = 'should'
      expect(shown(pass_stickler, 'a')).not_to include('broken:')
      expect(shown(pass_stickler.with_level(:should), 'a')).to include('must and should; broken: RA501')
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
        one.sandbox = 'copy'
        one.report = 'r'
        one.arguments = ['--seed', 7]
      end
      expect(task.command.join(' ')).to eq(
        'check --strict --quick --config c.toml --time 5m --format tap --sandbox copy --report r --type t ' \
        '--select RA5 --select RA6 --ignore RA515 --output junit=j.xml --seed 7 a b',
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

  it 'gives the program the environment from before Bundler' do
    Dir.mktmpdir do |folder|
      File.write(File.join(folder, 'Gemfile'), '')
      script = "require 'bundler/setup'; require 'stickler'; exit Stickler.run([], program: #{BUNDLED.inspect})"
      environment = { 'BUNDLE_GEMFILE' => File.join(folder, 'Gemfile'), 'RUBYOPT' => '-W0', 'GEM_PATH' => folder }
      out, status = Open3.capture2e(environment, 'ruby', '-I', File.expand_path('../lib', __dir__), '-e', script)
      expect([out, status.exitstatus]).to eq(["RUBYOPT=-W0 GEM_PATH=#{folder} gemfile=\n", 0])
    end
  end

  it 'ends the program if the caller is interrupted' do
    script = "require 'stickler'; Stickler.run([], program: #{SLOW.inspect})"
    out, into = IO.pipe
    pid = Process.spawn('ruby', '-I', File.expand_path('../lib', __dir__), '-e', script, out: into, err: File::NULL)
    into.close
    expect(out.gets).to eq("started\n")
    Process.kill(:INT, pid)
    Process.wait(pid)
    expect(out.read).to eq("ended\n")
  end
end
