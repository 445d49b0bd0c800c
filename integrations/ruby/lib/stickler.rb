# frozen_string_literal: true

# Runs the program `stickler`.
module Stickler
  # The program cannot be run, or it could not judge the module.
  class Error < StandardError; end

  PACKED = File.expand_path('../libexec/stickler', __dir__)

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

  # Runs the program. Its output goes where the caller's goes, or to `out`. Returns the exit code.
  def self.run(arguments, program: nil, **streams)
    pid = Process.spawn(program || self.program, *arguments, **streams)
    begin
      Process.wait(pid)
    rescue Interrupt
      # The terminal has interrupted both; the program still removes what it has made.
      Process.wait(pid)
      raise
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
end
