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
  # What the subject compares is written too. It has no effect on what a comparison gives.
  inside = false
  busy = false
  # Whose a file is: looking it up compares nothing that is told.
  kinds = { own => :own }
  texts = {}
  note = lambda do |one, other|
    unless busy || !inside
      busy = true
      begin
        one, other = [one, other].map { |side| side.to_s.byteslice(0, 100) }
        pair = "#{one}~#{other}"
        if one != other && !one.empty? && !other.empty? && !texts.key?(pair)
          # Later messages tell it again.
          texts.clear if texts.size > 300
          texts[pair] = true
          lines.syswrite("~#{one.unpack1("H*")}~#{other.unpack1("H*")}\n")
        end
      rescue StandardError
        nil
      ensure
        busy = false
      end
    end
  end
  String.prepend(Module.new do
    %i[== === eql?].each do |name|
      define_method(name) do |other|
        note.call(self, other) if inside && other.is_a?(String)
        super(other)
      end
    end
    define_method(:start_with?) do |*others|
      if inside && !busy
        others.grep(String).each do |other|
          note.call(byteslice(0, other.bytesize), other)
          note.call(self, "#{other}#{self}")
        end
      end
      super(*others)
    end
    %i[end_with? include?].each do |name|
      define_method(name) do |*others|
        if inside && !busy
          others.grep(String).each do |other|
            note.call(byteslice(-other.bytesize, other.bytesize) || self, other)
            note.call(self, "#{self}#{other}")
          end
        end
        super(*others)
      end
    end
  end)
  Array.prepend(Module.new do
    define_method(:include?) do |other|
      first(12).each { |one| note.call(other, one) if one.is_a?(String) } if inside && other.is_a?(String)
      super(other)
    end
  end)
  Hash.prepend(Module.new do
    %i[fetch key? has_key? include?].each do |name|
      define_method(name) do |*arguments, &block|
        if inside && !busy && arguments.first.is_a?(String)
          keys.first(12).each { |one| note.call(arguments.first, one) if one.is_a?(String) }
        end
        super(*arguments, &block)
      end
    end
  end)
  Integer.prepend(Module.new do
    %i[< > <= >=].each do |name|
      define_method(name) do |other|
        note.call(self, other) if inside && other.is_a?(Integer)
        super(other)
      end
    end
  end)
  TracePoint.new(:line) do |point|
    next if busy
    path = point.path
    kind = kinds[path]
    unless kind
      before, inside = inside, false
      kind = :subject
      kind = :library if path.start_with?("<", libraries, "/usr/share/rubygems", "/var/lib/gems")
      # Methods of Ruby that are written in Ruby belong to the line that calls them.
      kind = :own if path.start_with?("<internal:")
      kind = :library if host_of && path.start_with?(host_of.call)
      kinds[path] = kind
      inside = before
    end
    # Lines of this file end nothing.
    next if kind == :own
    inside = false
    next if kind == :library
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
    inside = true
  end.enable
rescue StandardError
  nil
end
