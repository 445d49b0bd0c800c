# frozen_string_literal: true

module Stickler
  # Exceptions as data: what was raised, where, and whether the runtime's stand-ins are to blame.
  module Failure
    # The folder of the host's own files.
    HERE = "#{__dir__}/"
    # How many frames are reported.
    FRAMES = 20
    # How long a message may be.
    MESSAGE = 20_000
    # Constants of Puppet, and of the libraries that come with it.
    CONSTANTS = /\A(Puppet|Facter|Hocon|Hiera|SemanticPuppet|FastGettext|Locale|MultiJson|Concurrent|DeepMerge|PSON)\z/.freeze

    # How a call with other arguments than the method has is reported.
    ARITY = /\A(wrong number of arguments|missing keyword|unknown keyword)/.freeze

    module_function

    # The `data` of an error, and of the event of a failed block.
    def data(error)
      frames = frames_of(error)
      missing = missing(error)
      data = {
        'class' => Values.class_name(error),
        'standard' => StandardError === error,
        'at' => at(frames),
        'frames' => frames.reject { |frame| own?(frame) }.first(FRAMES).map { |frame| frame.delete_prefix(HERE) },
        'where' => where(error, frames)
      }
      data['status'] = error.status if SystemExit === error
      data['missing'] = missing if missing
      data['signature'] = called_here?(frames) if ArgumentError === error && ARITY.match?(message(error))
      absent = absent(error)
      data['absent'] = absent if absent
      type = missing_type(error)
      data['type'] = type if type
      variable = Variables.missing(error)
      data['variable'] = variable if variable
      data
    end

    # The library that would have defined the constant that is missing: one that was required in vain, and whose
    # name holds that of the constant or of its first namespace.
    def absent(error)
      return unless NameError === error && !(NoMethodError === error)

      first = Module === error.receiver ? Values.module_name(error.receiver)[/\A[^:]+/] : nil
      names = [error.name.to_s, first].compact.map { |name| squashed(name) } - %w[object kernel puppet puppetx]
      names.select! { |name| name.size > 2 }
      Loader.absent.reverse.find do |library|
        own = squashed(library)
        names.any? { |name| own.include?(name) || own.size > 2 && name.include?(own) }
      end
    rescue ArgumentError
      # An error without a receiver.
      nil
    end

    def squashed(name)
      name.downcase.delete('^a-z0-9')
    end

    # What of Puppet, or which library, was missing when the module itself was to go on with it.
    def lack(error)
      return {} unless own_frame?(error)

      { 'missing' => missing(error), 'absent' => absent(error) }.compact
    end

    # Was it raised in the module under test?
    def own_frame?(error)
      frame = frames_of(error).find { |one| !one.start_with?('<internal') && !Library.transparent?(one) }
      !frame.nil? && frame.start_with?(*Library.places)
    end

    # What an exception says. Its `message` may be anything.
    def message(error)
      text = error.message
      text = Values.inspected(text) unless String === text
      Values.without_addresses(readable(text)[0, MESSAGE])
    rescue Exception # rubocop:disable Lint/RescueException
      'an exception whose message cannot be read'
    end

    # Text as valid UTF-8.
    def readable(text)
      text = text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
      text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace).scrub
    end

    def frames_of(error)
      Array(error.backtrace).map { |frame| readable(frame.to_s) }
    rescue Exception # rubocop:disable Lint/RescueException
      []
    end

    # Whether a frame is of the host, and not of code that makes up for the library's.
    def own?(frame)
      frame.start_with?(HERE) && !Library.frame?(frame)
    end

    # Whether the method that was called in vain is one that the host or the library calls. It is the first frame.
    def called_here?(frames)
      caller = frames.reject { |frame| frame.start_with?('<internal') }[1]
      caller.nil? || caller.start_with?(HERE, *Library.real)
    end

    # The first frame in the module under test.
    def at(frames)
      frame = frames.find { |one| one.start_with?(*Library.places) }
      frame ||= frames.find { |one| !one.start_with?(HERE, '<internal') }
      frame && frame[/\A.*?:\d+/]
    end

    # `library` if code of the library went wrong that the author does not call. Frames of the context
    # belong to whoever called it.
    def where(error, frames)
      return 'provider' if error.instance_variable_get(:@stickler_author)

      frame = frames.find { |one| !one.start_with?('<internal') && !Library.transparent?(one) }
      frame && Library.frame?(frame) ? 'library' : 'provider'
    end

    # Marks an exception that the library raises because of what the author did.
    def of_author(error)
      error.instance_variable_set(:@stickler_author, true)
      error
    end

    # What of Puppet or Facter the stand-ins lack, if that is why the exception was raised.
    def missing(error)
      case error
      when LoadError then error.path if error.path && Library.puppets_file?(error.path)
      when NoMethodError then error.receiver.nil? ? missing_fact(error) : missing_method(error)
      when NameError then missing_constant(error)
      end
    rescue Exception # rubocop:disable Lint/RescueException
      nil
    end

    def missing_method(error)
      receiver = error.receiver
      return "#{Values.module_name(receiver)}.#{error.name}" if Module === receiver && Library.stand_in?(receiver)

      return "Puppet::Type.#{error.name}" if Module === receiver && Library.classic?(receiver)

      owner = Values.class_of(receiver)
      return "#{Values.module_name(owner)}##{error.name}" if Library.stand_in?(owner)

      owner = owner.ancestors.find { |mod| Library.lacks?(mod, error.name) }
      "#{Values.module_name(owner)}##{error.name}" if owner
    end

    # A fact that only the real Facter has, if `nil` in its place was the cause: the same file asked for it before.
    def missing_fact(error)
      place = at(frames_of(error))
      fact = Library.facts_not_here[place[/\A(.*):\d+\z/, 1]] if place
      fact && "Facter.value('#{fact}')"
    end

    # A type of another module, if `nil` in its place was the cause: the same file asked for it before.
    def missing_type(error)
      return unless NoMethodError === error && error.receiver.nil?

      place = at(frames_of(error))
      Library.types_not_here[place[/\A(.*):\d+\z/, 1]] if place
    rescue ArgumentError
      # An error without a receiver.
      nil
    end

    def missing_constant(error)
      receiver = error.receiver
      if Module === receiver && Library.stand_in?(receiver)
        "#{Values.module_name(receiver)}::#{error.name}" if Library.puppets?(receiver, error.name)
      elsif CONSTANTS.match?(error.name)
        error.name.to_s
      end
    end
  end
end
