# Marks the lines that a Ruby program runs in memory that it shares with Stickler, and tells what it compares while
# that is wanted. Ruby reads this file first because RUBYOPT names it. If Stickler wants to know the lines
# themselves, a second file gets each line once, and the lines that could run.
begin
  # RubyGems may be left out, which loads it otherwise.
  require "rbconfig"
  # Marks, then pairs that were compared, then a byte that says whether pairs are wanted.
  marks = 1 << 16
  slot = 64
  longest = 31
  slots = 1024
  wants = marks + slot * slots
  file = File.open(ENV.fetch("STICKLER_COVERAGE"), File::RDWR)
  if defined?(IO::Buffer)
    known, Warning[:experimental] = Warning[:experimental], false
    buffer = IO::Buffer.map(file)
    Warning[:experimental] = known
    get = lambda { |at| buffer.get_value(:U8, at) }
    set = lambda { |at, value| buffer.set_value(:U8, at, value) }
    put = lambda { |at, text| buffer.set_string(text, at) }
  else
    require "fiddle"
    kinds = [Fiddle::TYPE_VOIDP, Fiddle::TYPE_SIZE_T, Fiddle::TYPE_INT, Fiddle::TYPE_INT, Fiddle::TYPE_INT, Fiddle::TYPE_LONG]
    map = Fiddle::Function.new(Fiddle.dlopen(nil)["mmap"], kinds, Fiddle::TYPE_VOIDP)
    # To be read and written, and shared.
    at = map.call(nil, wants + 1, 3, 1, file.fileno, 0)
    raise "no memory" if at.to_i == -1 || at.to_i == 2**64 - 1
    memory = Fiddle::Pointer.new(at.to_i, wants + 1)
    get = lambda { |place| memory[place] & 255 }
    set = lambda { |place, value| memory[place] = value }
    put = lambda { |place, text| memory[place, text.bytesize] = text }
  end
  file.close
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
  tell_line = lambda do |path, number|
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
    unless seen[number]
      seen[number] = true
      tell.call("+", [number], path)
    end
  end
  libraries = RbConfig::CONFIG["rubylibprefix"]
  own = __FILE__
  # A host that runs the subject is not the subject.
  has_host = ENV.key?("STICKLER_RPC_FD")
  host = nil
  kind_of = lambda do |path|
    # Methods of Ruby that are written in Ruby belong to the line that calls them.
    next :own if path == own || path.start_with?("<internal:")
    next :library if path.start_with?("<", libraries, "/usr/share/rubygems", "/var/lib/gems")
    next :library if has_host && path.start_with?(host ||= File.dirname(File.expand_path($PROGRAM_NAME)))
    :subject
  end
  # Whose a file is: looking it up compares nothing that is told.
  kinds = {}

  # What the subject compares is told too. It has no effect on what a comparison gives.
  inside = false
  busy = false
  texts = {}
  pairs = 0
  note = lambda do |one, other|
    unless busy || !inside
      busy = true
      begin
        one, other = [one, other].map { |side| side.to_s.byteslice(0, longest).b }
        pair = "#{one}~#{other}"
        if one != other && !one.empty? && !other.empty? && !texts.key?(pair)
          # Later messages tell it again.
          texts.clear if texts.size > 300
          texts[pair] = true
          at = marks + slot * (pairs % slots)
          pairs += 1
          put.call(at + 2, one)
          put.call(at + 2 + longest, other)
          set.call(at, one.bytesize)
          set.call(at + 1, other.bytesize)
        end
      rescue StandardError
        nil
      ensure
        busy = false
      end
    end
  end
  members = lambda do |all, other|
    all.first(12).each { |one| note.call(other, one) if one.is_a?(String) } if inside && !busy && other.is_a?(String)
  end
  # For each class, what its methods tell before they run.
  sights = {
    String => {
      %i[== === eql?] => ->(one, others) { note.call(one, others[0]) if others[0].is_a?(String) },
      %i[start_with?] => lambda do |one, others|
        others.grep(String).each do |other|
          note.call(one.byteslice(0, other.bytesize), other)
          note.call(one, "#{other}#{one}")
        end
      end,
      %i[end_with? include? index split partition] => lambda do |one, others|
        others.grep(String).each do |other|
          note.call(one.byteslice(-other.bytesize, other.bytesize) || one, other)
          note.call(one, "#{one}#{other}")
        end
      end,
    },
    Array => { %i[include?] => ->(one, others) { members.call(one, others[0]) } },
    Hash => { %i[fetch key? has_key? include?] => ->(one, others) { members.call(one.keys, others[0]) } },
    Integer => { %i[< > <= >=] => ->(one, others) { note.call(one, others[0]) if others[0].is_a?(Integer) } },
  }
  hidden = {}
  # The methods are there only while comparisons are wanted.
  show = lambda do
    sights.each do |type, methods|
      hidden[type] ||= Module.new.tap { |added| type.prepend(added) }
      methods.each do |names, sight|
        names.each do |name|
          hidden[type].send(:define_method, name) do |*arguments, &block|
            sight.call(self, arguments) if inside && !busy
            super(*arguments, &block)
          end
        end
      end
    end
  end
  hide = lambda do
    hidden.each_value { |added| added.instance_methods(false).each { |name| added.send(:remove_method, name) } }
  end
  # Where the subject's own lines end.
  leaving = TracePoint.new(:line) do |point|
    unless busy
      before, inside = inside, false
      kind = kinds[point.path] ||= kind_of.call(point.path)
      inside = kind == :own ? before : kind == :subject
    end
  end
  number = 0
  change = lambda do |now|
    inside = false
    if number.zero?
      show.call
      leaving.enable
    elsif now.zero?
      leaving.disable
      hide.call
    end
    texts.clear
    number = now
  end

  before = 0
  starts = {}
  line = lambda do |path, at|
    inside = false if number != 0
    place = ((starts[path] ||= path.sum * 31) + at) * 40_503 & 0xffff
    spot = place ^ before
    count = get.call(spot)
    set.call(spot, count + 1) if count < 255
    before = place >> 1
    tell_line.call(path, at) if wanted
    now = get.call(wants)
    change.call(now) if now != number
    inside = true if number != 0
  end
  # Only the subject's own files are followed: all else runs as fast as ever.
  TracePoint.new(:script_compiled) do |point|
    part = point.instruction_sequence
    path = part && part.path
    inside = false
    if path && kind_of.call(path) == :subject
      TracePoint.new(:line) { |reached| line.call(path, reached.lineno) unless busy }.enable(target: part)
    end
  end.enable
rescue StandardError, LoadError
  nil
end
