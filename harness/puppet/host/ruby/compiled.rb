# frozen_string_literal: true

module Stickler
  # The host's own files as byte code, with which it starts sooner. `ruby compiled.rb` writes it
  # beside them, under a name that says which Ruby reads it. The module's files are never compiled.
  module Compiled
    ENDING = ".#{RUBY_ENGINE}-#{RUBY_VERSION}p#{RUBY_PATCHLEVEL}-#{RUBY_PLATFORM}.yarb"
    # JRuby has no such thing.
    CODE = defined?(RubyVM::InstructionSequence) ? RubyVM::InstructionSequence : nil

    # What is required within the block comes from byte code, where there is any.
    def self.loading(&block)
      return yield if CODE.nil? || CODE.respond_to?(:load_iseq)

      CODE.define_singleton_method(:load_iseq) { |path| Compiled.read(path) }
      begin
        block.call
      ensure
        # Files of the module load as they do anywhere.
        CODE.singleton_class.send(:remove_method, :load_iseq)
      end
    end

    # Ruby compiles the text itself if this returns nil.
    def self.read(path)
      CODE.load_from_binary(File.binread(path + ENDING)) if File.dirname(path) == __dir__
    rescue StandardError
      nil
    end

    def self.write
      Dir.glob('*.rb', base: __dir__) do |name|
        path = File.join(__dir__, name)
        # A reader sees the whole file or none.
        unfinished = "#{path}.#{Process.pid}"
        File.binwrite(unfinished, CODE.compile_file(path).to_binary)
        File.rename(unfinished, path + ENDING)
      end
    end
  end
end

Stickler::Compiled.write if $PROGRAM_NAME == __FILE__
