# frozen_string_literal: true

# Runs the program `stickler`.
module Stickler
  # The program cannot be run, or it could not judge the module.
  class Error < StandardError; end

  PACKED = File.expand_path('../libexec/stickler', __dir__)

  # What Bundler sets for the programs that it starts.
  BUNDLED = %w[RUBYOPT RUBYLIB GEM_HOME GEM_PATH BUNDLE_GEMFILE BUNDLE_BIN_PATH BUNDLER_VERSION].freeze

  # The program: the one that the variable STICKLER names, the one of this gem, or the one in PATH.
  def self.program
    named = ENV.fetch('STICKLER', '')
    return named unless named.empty?
    return PACKED if File.executable?(PACKED)

    found = ENV.fetch('PATH', '').split(File::PATH_SEPARATOR).map { |folder| File.join(folder, 'stickler') }
    # The executable of this gem would call itself again.
    found.find { |file| File.executable?(file) && File.file?(file) && File.binread(file, 2) != '#!' } ||
      raise(Error, 'the program `stickler` is not there: install the gem for this platform, or set STICKLER')
  end

  # What the program's environment has instead of Bundler's. Sessions never see the caller's environment. But the
  # program also asks Ruby which Puppet is installed, and in a bundle Ruby would name that of the bundle instead.
  def self.environment
    return {} unless defined?(Bundler.unbundled_env)

    before = Bundler.unbundled_env
    BUNDLED.to_h { |name| [name, before[name]] }
  end

  # Runs the program. Its output goes where the caller's goes, or to `out`. Returns the exit code.
  def self.run(arguments, program: nil, **streams)
    words = [environment, program || self.program, *arguments]
    # Interrupts reach the main thread alone, so none can lose the program between its start and the wait for it.
    started = Thread.new do
      Thread.current.report_on_exception = false
      Process.spawn(*words, **streams)
    end
    begin
      Process.wait(started.value)
      ended = true
    ensure
      # The program ends its sessions, and removes what it has made.
      stop(started.value) unless ended
    end
    $?.exitstatus || (128 + $?.termsig)
  rescue SystemCallError => e
    raise Error, "#{e.message}: the program `stickler` cannot be run; set STICKLER to it"
  end

  # What an exit code above 1 means: nothing was judged as it should be.
  def self.trouble(code)
    {
      2 => 'wrong usage or description', 3 => 'no session could start',
      4 => 'too little was judged', 5 => 'Stickler itself failed',
    }.fetch(code) { "exit code #{code}" }
  end

  def self.stop(pid)
    Process.kill(:TERM, pid)
    Process.wait(pid)
  rescue Errno::ESRCH, Errno::ECHILD
    # It has ended by itself.
  end
  private_class_method :stop
end
