# frozen_string_literal: true

module Stickler
  # The way to the harness: one JSON text a line, each written with one system call if possible.
  class Channel
    # Once the other side is gone, there is nothing to say.
    class Gone < Exception; end # rubocop:disable Lint/InheritException

    GENERATOR = JSON::State.new(max_nesting: 0)

    # Uses the descriptors that STICKLER_RPC_FD names, else stdin and stdout, which then lead elsewhere:
    # whatever prints cannot break the channel.
    def self.open
      named = ENV.delete('STICKLER_RPC_FD')
      if named
        from, to = named.split(',').map { |number| Integer(number) }
        input = IO.for_fd(from, 'rb')
        output = IO.for_fd(to, 'wb')
      else
        input = $stdin.dup.binmode
        output = $stdout.dup.binmode
        $stdin.reopen(File::NULL)
        $stdout.reopen($stderr)
        $stdout.sync = true
      end
      new(input, output)
    end

    def initialize(input, output)
      @input = input
      @output = output
      # Children of providers must not hold the channel.
      [input, output].each { |io| io.close_on_exec = true }
      output.sync = true
      @lock = Mutex.new
      @process = Process.pid
    end

    # Whether this is a process that a provider forked and let return.
    def forked?
      Process.pid != @process
    end

    # The next line, or nil at the end.
    def read
      @input.gets("\n")
    end

    # A message without an answer.
    def notify(method, params)
      write('jsonrpc' => '2.0', 'method' => method, 'params' => params)
    end

    # Asks the harness something in the middle of a request, and returns the `params` of its answer.
    # Between requests, and in a forked child, nobody listens.
    def ask(method, params)
      return if forked? || !@answering

      notify(method, params)
      line = read
      raise Gone if line.nil?

      JSON.parse(line.force_encoding(Encoding::UTF_8), max_nesting: false).fetch('params')
    end

    # A request is being answered.
    def answering
      @answering = true
      yield
    ensure
      @answering = false
    end

    def write(message)
      # A forked child speaks for nobody.
      return if forked?

      line = GENERATOR.generate(message) << "\n"
      begin
        @lock.synchronize { push(line) }
      rescue ThreadError
        # In a signal handler, or within a message that a handler interrupted, there is no lock.
        push(line)
      end
    end

    private

    def push(line)
      written = @output.syswrite(line)
      while written < line.bytesize
        line = line.byteslice(written, line.bytesize - written)
        written = @output.syswrite(line)
      end
    rescue Errno::EPIPE, IOError
      raise Gone
    end
  end
end
