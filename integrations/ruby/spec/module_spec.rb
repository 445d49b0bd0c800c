# frozen_string_literal: true

$LOAD_PATH.unshift(File.expand_path('../lib', __dir__))
require 'fileutils'
require 'stickler/rspec'

PROGRAM = ENV.fetch('STICKLER', '')
SOUND = File.expand_path('../../../fixtures/providers/package_key', __dir__)

# The program itself, on a module of the fixtures. STICKLER has to name it.
RSpec.describe 'the matcher with the program', if: !PROGRAM.empty? do
  around do |example|
    Dir.mktmpdir do |folder|
      FileUtils.cp_r("#{SOUND}/.", folder)
      Dir.chdir(folder, &example)
    end
  end

  # As a mutant of RA102 in fixtures/providers/mutants.toml: an attribute has no type.
  def break_it
    file = 'lib/puppet/type/package_key.rb'
    File.write(file, File.read(file).sub("      type: 'Integer[0]',\n", ''))
  end

  it 'passes a sound type' do
    expect(type('package_key')).to pass_stickler.judging('RA1').quickly
  end

  it 'passes a sound module' do
    expect(Dir.pwd).to pass_stickler.judging('RA1').quickly
  end

  it 'names the broken rule, and how to repeat its session' do
    break_it
    matcher = pass_stickler.judging('RA1').quickly
    expect(matcher.matches?(type('package_key'))).to be false
    expect(matcher.failure_message).to include('broken: RA102', 'FAIL  RA102', 'stickler replay')
    expect(type('package_key')).to pass_stickler.judging('RA1').ignoring('RA102').quickly
  end

  it 'never passes if it judges nothing' do
    [type('other'), 'nowhere'].each do |subject|
      expect { expect(subject).to pass_stickler.quickly }.to raise_error(Stickler::Error, /other|nowhere/)
      expect { expect(subject).not_to pass_stickler.quickly }.to raise_error(Stickler::Error)
    end
    expect { expect(type('package_key')).to pass_stickler.judging('RA999') }.to raise_error(Stickler::Error)
    File.write('stickler.toml', '[subject')
    expect { expect(Dir.pwd).not_to pass_stickler }.to raise_error(Stickler::Error, /stickler\.toml/)
  end
end
