# frozen_string_literal: true

# A stand-in for Puppet's HTTP client, `Puppet.runtime[:http]`.
module Puppet
  module HTTP
    class HTTPError < Error; end
    class ConnectionError < HTTPError; end

    class ResponseError < HTTPError
      attr_reader :response

      def initialize(response)
        super(response.reason)
        @response = response
      end
    end

    # What a server answered.
    class Response
      attr_reader :url

      def initialize(url, answer)
        @url = url
        @answer = answer
      end

      def code
        @answer.code.to_i
      end

      def reason
        @answer.message
      end

      def body
        @answer.body
      end

      def read_body
        yield @answer.body if block_given?
      end

      def success?
        Net::HTTPSuccess === @answer
      end

      def [](name)
        @answer[name]
      end

      def each_header(&block)
        @answer.each_header(&block)
      end
    end

    # Asks a server. Redirects are followed, as Puppet does.
    class Client
      REDIRECTS = 10

      # The connection itself, for what the other methods cannot ask.
      def connect(url, options: {}, &block)
        opened(::URI.parse(url.to_s), options) { |http| block&.call(http) }
      end

      def get(url, headers: {}, params: {}, options: {}, &block)
        ask(:Get, url, nil, headers, params, options, &block)
      end

      def head(url, headers: {}, params: {}, options: {})
        ask(:Head, url, nil, headers, params, options)
      end

      def delete(url, headers: {}, params: {}, options: {})
        ask(:Delete, url, nil, headers, params, options)
      end

      def put(url, body, headers: {}, params: {}, options: {})
        check(:Put, body, headers)
        ask(:Put, url, body, headers, params, options)
      end

      def post(url, body, headers: {}, params: {}, options: {}, &block)
        check(:Post, body, headers)
        ask(:Post, url, body, headers, params, options, &block)
      end

      def close; end

      private

      # A body has to be a text whose kind is told.
      def check(method, body, headers)
        name = "'#{method.to_s.downcase}'"
        raise ArgumentError, "#{name} requires a string 'body' argument" unless String === body
        return if headers&.any? { |key, _value| key.to_s.casecmp?('content-type') }

        raise ArgumentError, "#{name} requires a 'content-type' header"
      end

      def ask(method, url, body, headers, params, options)
        url = ::URI.parse(url.to_s)
        # Parameters take the place of the address's own.
        url.query = ::URI.encode_www_form(params).gsub('+', '%20') unless params.nil? || params.empty?
        (REDIRECTS + 1).times do
          response = Response.new(url, sent(method, url, body, headers, options))
          location = response['location']
          unless [301, 302, 307].include?(response.code) && location
            yield response if block_given?
            return response
          end

          url = ::URI.join(url.to_s, location)
        end
        raise HTTPError, "Too many HTTP redirections for #{url}"
      end

      def sent(method, url, body, headers, options)
        request = Net::HTTP.const_get(method).new(url)
        headers&.each { |name, value| request[name.to_s] = value.to_s }
        request.body = body if body
        account = options&.fetch(:basic_auth, nil)
        request.basic_auth(account[:user], account[:password]) if account
        opened(url, options) { |http| http.request(request) }
      end

      # What is raised is Puppet's own: an error of the connection, or of what was asked through it.
      def opened(url, _options)
        connected = false
        Net::HTTP.start(url.host, url.port, nil, use_ssl: url.scheme == 'https') do |http|
          connected = true
          yield http
        end
      rescue HTTPError
        raise
      rescue StandardError => e
        raise (connected ? HTTPError : ConnectionError).new("Request to #{url} failed: #{e.message}", e)
      end
    end
  end
end
