# frozen_string_literal: true

module Stickler
  # Byte code, with which the host starts sooner: of its own files, and of what providers often require of
  # Ruby's own library. `ruby compiled.rb` writes it beside these files, under a name that says which Ruby
  # reads it. The module's files are never compiled, nor those of gems.
  module Compiled
    ENDING = ".#{RUBY_ENGINE}-#{RUBY_VERSION}p#{RUBY_PATCHLEVEL}-#{RUBY_PLATFORM}.yarb"
    # JRuby has no such thing.
    CODE = defined?(RubyVM::InstructionSequence) ? RubyVM::InstructionSequence : nil
    # What providers often require.
    LIBRARIES = %w[
      base64 benchmark bigdecimal cgi csv date delegate digest digest/sha2 erb etc fileutils find forwardable io/console
      ipaddr json logger net/http net/https open-uri open3 openssl ostruct pathname pp pstore rexml/document
      securerandom set shellwords singleton socket stringio strscan tempfile time timeout tmpdir tsort uri yaml zlib
    ].freeze

    extend self

    # From now on, what is required comes from byte code, where there is any. All else loads as anywhere.
    def begin
      return if CODE.nil? || CODE.respond_to?(:load_iseq)

      CODE.define_singleton_method(:load_iseq) { |path| Compiled.read(path) }
    end

    # Ruby compiles the text itself if this returns nil.
    def read(path)
      file = place(path)
      # Ruby's library may have been renewed since.
      CODE.load_from_binary(File.binread(file)) if File.mtime(file) >= File.mtime(path)
    rescue StandardError
      nil
    end

    def write
      LIBRARIES.each do |name|
        require name
      rescue LoadError
        # Not every Ruby has it.
        next
      end
      own = Dir.glob('*.rb', base: __dir__).map { |name| File.join(__dir__, name) }
      (own + $LOADED_FEATURES).each { |path| compile(path) if path.end_with?('.rb') && File.file?(path) }
    end

    private

    # Where the byte code of a file is.
    def place(path)
      File.join(__dir__, path.tr('/', '+') + ENDING)
    end

    def compile(path)
      code = CODE.compile_file(path).to_binary
      file = place(path)
      # A reader sees the whole file or none.
      unfinished = "#{file}.#{Process.pid}"
      File.binwrite(unfinished, code)
      File.rename(unfinished, file)
    rescue StandardError
      # A file without byte code only loads more slowly.
      nil
    end
  end
end

Stickler::Compiled.write if $PROGRAM_NAME == __FILE__
