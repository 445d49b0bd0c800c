# frozen_string_literal: true

module Facter
  module Core
    # How facts run programs: in the locale C, found also where only root looks.
    module Execution
      class ExecutionFailure < StandardError; end

      extend self

      def search_paths
        ENV.fetch('PATH', '').split(':') + %w[/sbin /usr/sbin]
      end

      def absolute_path?(path, _platform = nil)
        path.start_with?('/')
      end

      def which(program)
        places = absolute_path?(program) ? [program] : search_paths.map { |folder| File.join(folder, program) }
        places.find { |path| File.file?(path) && File.executable?(path) }
      end

      # The command with the path of its program, or nil.
      def expand_command(command)
        program, arguments = (/\A"(.+?)"(?:\s+(.*))?/.match(command) || /\A'(.+?)'(?:\s+(.*))?/.match(command))&.captures
        program, arguments = command.split(/ /, 2) if program.nil?
        path = program && which(program)
        return if path.nil?

        path = "'#{path}'" if /\s/.match?(path)
        arguments ? "#{path} #{arguments}" : path
      end

      def with_env(values)
        before = values.keys.map { |name| [name, ENV[name]] }
        values.each { |name, value| ENV[name] = value }
        yield
      ensure
        before&.each { |name, value| ENV[name] = value }
      end

      def exec(command)
        execute(command, on_fail: nil)
      end

      def execute(command, options = {})
        on_fail = options.fetch(:on_fail, :raise)
        is_ready = options[:logger] || options[:expand] == false && builtin?(command)
        expanded = is_ready ? command : expand_command(command)
        return run(expanded, on_fail, options) unless expanded.nil?
        raise ExecutionFailure, "Could not execute '#{command}': command not found" if on_fail == :raise

        on_fail
      end

      private

      def run(command, on_fail, options)
        reader, writer = IO.pipe
        process = spawn({ 'LC_ALL' => 'C', 'LANG' => 'C' }, command.to_s, in: File::NULL, out: writer, err: File::NULL)
        writer.close
        output = limited(process, options) { reader.read }
        Process.wait(process)
        output.strip
      rescue StandardError => e
        return '' if options[:logger]
        return on_fail unless on_fail == :raise

        raise ExecutionFailure, "Failed while executing '#{command}': #{e.message}"
      ensure
        [reader, writer].each { |io| io.close unless io.nil? || io.closed? }
      end

      # What takes longer is killed.
      def limited(process, options, &block)
        limit = (options[:timeout] || options[:time_limit] || options[:limit] || 300).to_i
        Timeout.timeout(limit.positive? ? limit : 300, &block)
      rescue Timeout::Error
        Process.kill('KILL', process)
        raise if options.fetch(:on_fail, :raise) == :raise

        ''
      end

      def builtin?(command)
        IO.popen(['sh', '-c', "type #{command}"], err: File::NULL, &:read).include?('builtin')
      end
    end
  end
end
