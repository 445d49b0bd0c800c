# frozen_string_literal: true

module Stickler
  # What providers and transports log through. It reports each call as it was made, before anything is
  # checked: the harness judges calls and renders texts. Errors are those of the chosen runtime.
  class Context
    LEVELS = %w[debug info notice warning err].freeze
    # Levels and actions that only the specification names.
    SPEC_LEVELS = %w[critical alert emerg].freeze

    attr_reader :type
    # The names that messages may be about, in a runtime which checks that.
    attr_writer :titles

    # `target` and `transport` are what an IOContext takes; messages go to the harness all the same.
    def initialize(definition, _target = nil, transport = nil)
      @type = definition.is_a?(Hash) ? Puppet::ResourceApi::TypeDefinition.new(definition) : definition
      @transport = transport
      @failed = false
      @titles = nil
    end

    def device
      Puppet::Util::NetworkDevice.current || raise('no device configured')
    end

    def transport
      @transport || device.transport
    end

    def failed?
      @failed
    end

    def reset_failed
      @failed = false
    end

    def feature_support?(feature)
      Puppet.deprecation_warning('context.feature_support? is deprecated; use context.type.feature?')
      type.feature?(feature)
    end

    LEVELS.each do |level|
      define_method(level) do |*arguments|
        report('event' => 'log', 'level' => level, 'arguments' => arguments)
        taken('level' => level) do
          known(arguments.first) if arguments.length == 2
          known_to_spec(arguments.first) if arguments.length == 2
        end
        Library.log_result
      end
    end

    %w[creating updating deleting].each do |action|
      define_method(action) { |*arguments, &block| block_method(action, arguments, block) }
      ruby2_keywords action.to_sym
    end

    ruby2_keywords def processing(*arguments, &block)
      block_method('processing', arguments, block)
    end

    ruby2_keywords def failing(*arguments, &block)
      block_method('failing', arguments, block)
    end

    %w[created updated deleted processed attribute_changed failed].each do |action|
      define_method(action) do |*arguments|
        report('event' => 'action', 'action' => action, 'arguments' => arguments)
        taken('action' => action) do
          Takes.public_send(Library.takes(action), *arguments)
          known(arguments.first) if action == 'failed'
          single(action, arguments.first) if %w[processed attribute_changed].include?(action)
          known_to_spec(arguments.first) unless action == 'attribute_changed' && untitled?(arguments)
        end
        @failed = true if action == 'failed' && Library.spec?
        Library.log_result
      end
      ruby2_keywords action.to_sym
    end

    def log_exception(exception, message: 'Error encountered', trace: false)
      text = "#{message}: #{exception}"
      text = [text, *exception.backtrace].join("\n") if trace
      err(text)
    end

    # Levels and actions of the specification, and methods that nobody has.
    def method_missing(method, *arguments, &block)
      name = method.to_s
      if Library.spec? && SPEC_LEVELS.include?(name)
        report('event' => 'log', 'level' => name, 'arguments' => arguments)
        return Library.log_result
      end
      if Library.spec? && %w[unchanged changed error].include?(name)
        report('event' => 'action', 'action' => name, 'arguments' => arguments)
        taken('action' => name) { known_to_spec(arguments.first) }
        @failed = true if name == 'error'
        return Library.log_result
      end
      report('event' => 'unknown', 'method' => name, 'arguments' => arguments)
      super
    end

    def respond_to_missing?(method, _private = false)
      Library.spec? && [*SPEC_LEVELS, 'unchanged', 'changed', 'error'].include?(method.to_s)
    end

    # What objects hold is of no use in a message about a missing method.
    def inspect
      '#<Puppet::ResourceApi::PuppetContext>'
    end

    private

    def report(event)
      event['arguments'] = event['arguments'].map { |one| Values.encode(one) }
      event['transport'] = type.name.to_s if Puppet::ResourceApi::TransportSchemaDef === type
      Library.report(event)
    end

    def block_method(action, arguments, block)
      report('event' => 'open', 'action' => action, 'arguments' => arguments)
      begin
        Takes.public_send(Library.takes(action), *arguments)
        single(action, arguments.first) if action == 'processing'
        known(arguments.first)
        known_to_spec(arguments.first)
      rescue StandardError => e
        closed('failed', action, arguments, e, 'refused' => true)
        raise
      end
      run_block(action, arguments, block)
      Library.log_result
    end

    # A StandardError in the block is a failure of the resource; anything else passes.
    def run_block(action, arguments, block)
      block.call
      closed('done', action, arguments, nil)
      @failed = true if action == 'failing' && Library.spec?
    rescue StandardError => e
      closed('failed', action, arguments, e)
      @failed = true
    rescue Exception => e # rubocop:disable Lint/RescueException
      closed('failed', action, arguments, e)
      raise
    end

    def closed(event, action, arguments, error, more = {})
      event = { 'event' => event, 'action' => action, 'arguments' => arguments }.merge(more)
      event['error'] = told(error) if error
      report(event)
    end

    def told(error)
      { 'message' => Failure.message(error) }.merge(Failure.data(error))
    end

    # Checks the call that was reported last. If it raises, nothing was logged.
    def taken(call)
      yield
    rescue StandardError => e
      report(call.merge('event' => 'refused', 'arguments' => [], 'error' => told(e)))
      raise
    end

    # The libraries ask titles for their length: numbers have none.
    def known(titles)
      case Library.runtime
      when '1.8.16' then titles.length
      when '1.9.2', '2.0.1' then titles.empty?
      end
    end

    def single(action, title)
      raise "#{action} only accepts a single resource title" if title.respond_to?(:each) && !Library.spec?
      raise "#{action} only accepts a single resource title" if title.is_a?(Array)
    end

    # Several namevars may be told as a hash, or as a text that has them all.
    def names?(title, own)
      title == own || own.is_a?(Hash) && own.values.all? { |part| title.to_s.include?(part.to_s) }
    end

    # Within a block, the specification's example leaves the title out.
    def untitled?(arguments)
      arguments.count { |one| !(one.is_a?(Hash) && one.key?(:message)) } == 3
    end

    # The specification refuses messages about resources that are not part of the changes.
    def known_to_spec(titles)
      return unless Library.spec? && @titles

      stranger = [titles].flatten(1).find { |title| @titles.none? { |own| names?(title, own) } }
      return if stranger.nil?

      raise Puppet::DevError, "a message about `#{stranger}`, which is not part of the changes"
    end

    # The arguments that each runtime's methods take. Only their signatures matter.
    module Takes
      module_function

      def titles(titles, message: nil); end

      def title_is_should(title, is, should); end

      def title_is_should_message(title, is, should, message: nil); end

      def title_is_should_last(title, is, should, message = nil); end

      def change(title, attribute, is, should, message: nil); end

      def anything(*); end
    end
  end
end
