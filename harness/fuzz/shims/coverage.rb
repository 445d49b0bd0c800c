# Writes the numbers of the lines that a Ruby program runs to a file that it shares with Stickler.
# Ruby reads this file first because RUBYOPT names it. If Stickler wants to know the lines
# themselves, a second file gets each line once, and the lines that could run.
begin
  # RubyGems may be left out, which loads it otherwise.
  require "rbconfig"
  lines = File.open(ENV.fetch("STICKLER_COVERAGE"), File::WRONLY | File::APPEND)
  lines.sync = true
  wanted = ENV["STICKLER_LINES"]
  tell = lambda do |sign, numbers, path|
    text = "#{sign}@#{numbers.join(",")}@#{path}\x1f\n"
    File.open(wanted, File::WRONLY | File::APPEND) { |list| list.syswrite(text) }
  end
  code = lambda do |part, found|
    part.trace_points.each { |line, event| found << line if event == :line }
    part.each_child { |child| code.call(child, found) }
    found
  end
  told = {}
  libraries = RbConfig::CONFIG["rubylibprefix"]
  own = __FILE__
  # A host that runs the subject is not the subject.
  host = nil
  host_of = lambda { host ||= File.dirname(File.expand_path($PROGRAM_NAME)) } if ENV["STICKLER_RPC_FD"]
  TracePoint.new(:line) do |point|
    path = point.path
    known = path == own || path.start_with?("<", libraries, "/usr/share/rubygems", "/var/lib/gems")
    known ||= host_of && path.start_with?(host_of.call)
    unless known
      lines.syswrite("+@#{path.sum * 31 + point.lineno}@\n")
      if wanted
        seen = told[path]
        unless seen
          seen = told[path] = {}
          begin
            compiled = RubyVM::InstructionSequence.compile_file(path)
            tell.call("=", code.call(compiled, []).uniq.sort, path)
          rescue StandardError, ScriptError
            # Only blank lines and comments are known to be no code.
            nil
          end
        end
        unless seen[point.lineno]
          seen[point.lineno] = true
          tell.call("+", [point.lineno], path)
        end
      end
    end
  end.enable
rescue StandardError
  nil
end
