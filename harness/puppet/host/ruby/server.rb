# frozen_string_literal: true

module Stickler
  # Reads requests, and answers each of them, whatever the provider does.
  class Server
    METHODS = %w[
      load open close get set canonicalize insync generate call transports connect device describe disconnect verify facts
      holds
    ].map { |name| [name, name.to_sym] }.to_h.merge('inspect' => :inspect_object).freeze
    # What builds an object of the module, and what calls one.
    BUILDING = %w[open connect device].freeze
    CALLING = %w[get set canonicalize insync generate verify facts].freeze

    def initialize(channel)
      @channel = Library.channel = channel
      @session = Session.new
      @begun = false
    end

    # Serves until the other side closes the channel. Returns the exit code.
    def run
      loop do
        line = read
        break if line.nil?

        answer = @channel.answering { respond(line) }
        exit!(0) if @channel.forked?
        @channel.write(answer) if answer
      end
      0
    rescue Channel::Gone
      0
    end

    private

    # Threads of a provider may raise here too.
    def read
      @channel.read
    rescue SystemExit, SignalException, Channel::Gone
      raise
    rescue Exception => e # rubocop:disable Lint/RescueException
      @channel.notify('log', 'event' => 'stray', 'error' => failure(e))
      retry
    end

    def respond(line)
      request = parse(line)
      return problem(nil, -32_700, 'the line is not JSON in UTF-8') if request.nil?
      return problem(nil, -32_600, 'a request is an object') unless request[0].is_a?(Hash)

      request = request[0]
      id = request['id']
      params = request.fetch('params', {})
      unless request['method'].is_a?(String) && (id.nil? || id.is_a?(String) || id.is_a?(Numeric))
        return problem(nil, -32_600, 'a request has a `method`, and an `id` that is a number or a string')
      end
      # What has no id wants no answer.
      return unless request.key?('id')
      return problem(id, -32_602, '`params` is an object') unless params.is_a?(Hash)

      answer(id, request['method'], params)
    end

    # The parsed line in an array, or nil.
    def parse(line)
      line.force_encoding(Encoding::UTF_8)
      line.valid_encoding? ? [JSON.parse(line, max_nesting: 3 * Values::DEPTH + 50)] : nil
    rescue JSON::ParserError
      nil
    end

    def answer(id, method, params)
      result = dispatch(method, params)
      return problem(id, *result) if result.is_a?(Array)

      { 'jsonrpc' => '2.0', 'id' => id, 'result' => result }
    rescue Channel::Gone
      raise
    rescue BadParams => e
      problem(id, -32_602, e.message)
    rescue Exception => e # rubocop:disable Lint/RescueException
      { 'jsonrpc' => '2.0', 'id' => id,
        'error' => { 'code' => 1, 'message' => Failure.message(e), 'data' => Failure.data(e) } }
    end

    # The result, or the code and text of a problem.
    def dispatch(method, params)
      if method == 'initialize'
        return [-32_600, '`initialize` was called before'] if @begun

        result = @session.begin(params)
        @begun = true
        return result
      end
      return [-32_601, "there is no method `#{method}`"] unless METHODS.key?(method)
      return [-32_600, 'call `initialize` first'] unless @begun

      built = BUILDING.include?(method)
      return @session.public_send(METHODS[method], params) unless built || CALLING.include?(method)

      Variables.during(built) { Lacks.during { @session.public_send(METHODS[method], params) } }
    end

    def failure(error)
      { 'message' => Failure.message(error) }.merge(Failure.data(error))
    end

    def problem(id, code, message)
      { 'jsonrpc' => '2.0', 'id' => id, 'error' => { 'code' => code, 'message' => message } }
    end
  end
end
