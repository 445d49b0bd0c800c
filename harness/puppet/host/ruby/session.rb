# frozen_string_literal: true

require_relative 'library'
require_relative 'loader'

module Stickler
  # `get` gave more rows than anything here can judge.
  class TooManyRows < StandardError; end

  # What requests do. Each public method is a method of the protocol: it takes the parameters, and
  # returns the result.
  class Session
    VERSION = '0.1.0'
    RUNTIMES = %w[1.8.16 1.9.2 2.0.1 spec].freeze
    # How many rows `get` may give.
    ROWS = 100_000

    # An object under test with the context that it is called with.
    # `device` is the device that a provider was opened for.
    Held = Struct.new(:object, :context, :entry, :device)

    ANCESTORS = Module.instance_method(:ancestors)
    PUBLIC = Module.instance_method(:public_instance_methods)
    METHOD = Module.instance_method(:instance_method)

    def initialize
      @providers = {}
      @transports = {}
      @numbers = 0
    end

    def begin(params)
      raise BadParams, 'this host speaks protocol 1' unless params['protocol'] == 1

      runtime = params.fetch('runtime', '1.8.16')
      raise BadParams, "`runtime` is one of #{RUNTIMES.join(', ')}" unless RUNTIMES.include?(runtime)

      Library.paths = list(params, 'path').map { |path| File.expand_path(path) }
      $LOAD_PATH.unshift(*Library.paths)
      Library.runtime = runtime
      Library.strict = params['strict']
      params['real'] ? real : stand_ins
      Library.log_result = Object.new.freeze if params['log_returns'] == 'object'
      @exact = params['exact'] == true
      { 'protocol' => 1, 'name' => 'stickler-ruby-host', 'version' => VERSION, 'ruby' => RUBY_VERSION,
        'runtime' => Library.runtime }
    end

    def load(params)
      types = Library.types.size
      transports = Library.transports.size
      classic = Library.classic.size
      warnings = Warnings.during { load_file(params) }
      file = warnings.pop
      loaded = { 'types' => Library.types.drop(types), 'transports' => Library.transports.drop(transports) }
      if loaded.values.all?(&:empty?)
        # A file that was loaded before registers nothing again.
        loaded = { 'types' => Library.types, 'transports' => Library.transports }
        loaded = loaded.transform_values { |all| all.select { |entry| entry['file'] == file } }
      end
      result = loaded.transform_values { |all| all.map { |entry| entry.slice('name', 'file', 'definition', 'frozen') } }
      result.merge!(Aliases.told(result.values.flatten.map { |entry| entry['definition'] }))
      result['warnings'] = warnings.map { |text| Values.encode(Failure.readable(text)) }
      result['classic'] = true if Library.classic.size > classic && loaded.values.all?(&:empty?)
      result
    end

    def open(params)
      entry = type_entry(word(params, 'type'))
      kind = provider_class(params)
      held = Held.new(kind.new, Context.new(entry[:schema]), entry, current_device)
      entry[:text] ||= text(entry[:live])
      number = hold(@providers, held)
      { 'provider' => number }.merge(described(kind))
    end

    def close(params)
      return finish(@transports, params) { |held| held.object.close(held.context) } if params.key?('transport')

      @providers.delete(held(@providers, params, 'provider') && params['provider'])
      { 'value' => nil, 'class' => 'NilClass' }
    end

    def get(params)
      held = held(@providers, params, 'provider')
      wanted = params.key?('find') ? Values.decode(params['find']) : nil
      return called(held) { rows(held, held.object.get(held.context), wanted) } unless params.key?('names')

      names = Values.decode(params['names'])
      result = called(held) { rows(held, held.object.get(held.context, names), wanted) }
      changed(result, 'names_after', params['names'], names)
    end

    def set(params)
      held = held(@providers, params, 'provider')
      changes = changes(params)
      held.context.titles = changes.keys
      result = called(held) do
        value = if params.key?('noop')
                  held.object.set(held.context, changes, noop: params['noop'])
                elsif @exact && changes.size == 1
                  # The library writes no braces, so that Ruby 3 takes the change for keywords if the
                  # method has any.
                  held.object.set(held.context, **changes)
                else
                  held.object.set(held.context, changes)
                end
        answer(held, value)
      ensure
        held.context.titles = nil
      end
      changed(result, 'changes_after', params['changes'], changes) do |hash|
        hash.map { |key, one| [Values.encode(key), Values.encode(one)] }
      end
      now = text(held.entry[:live])
      result['definition_changed'] = now != held.entry[:text]
      held.entry[:text] = now
      result
    end

    def canonicalize(params)
      held = held(@providers, params, 'provider')
      resources = Values.decode(list(params, 'resources'))
      result = called(held) { rows(held, held.object.canonicalize(held.context, resources)) }
      changed(result, 'resources_after', params['resources'], resources)
    end

    def insync(params)
      held = held(@providers, params, 'provider')
      name, is, should = %w[name is should].map { |key| Values.decode(params[key]) }
      property = word(params, 'property').to_sym
      result = called(held) { answer(held, held.object.insync?(held.context, name, property, is, should)) }
      changed(result, 'is_after', params['is'], is)
      changed(result, 'should_after', params['should'], should)
    end

    # `resources` tells what each item of the answer is a resource of, where it is one.
    def generate(params)
      held = held(@providers, params, 'provider')
      name, is, should = %w[name is should].map { |key| Values.decode(params[key]) }
      made = []
      result = called(held) do
        value = held.object.generate(held.context, name, is, should)
        made = (Array === value ? value : [value]).map { |one| made(one) }
        answer(held, value)
      end
      result.merge('resources' => made)
    end

    def call(params)
      held = params.key?('transport') ? held(@transports, params, 'transport') : held(@providers, params, 'provider')
      arguments = Values.decode(list(params, 'arguments'))
      method = word(params, 'method')
      result = called(held) { answer(held, held.object.public_send(method, held.context, *arguments)) }
      changed(result, 'arguments_after', params['arguments'], arguments)
    end

    def transports(_params)
      { 'names' => Library.transports.map { |entry| entry['name'] } }
    end

    def connect(params)
      name = word(params, 'transport')
      find_schema(name, params.fetch('load', 'require'))
      info = Values.decode(params['connection_info'])
      object = Puppet::ResourceApi::Transport.connect(name, info)
      Through.watch(object)
      before = Library.connecting
      Puppet::ResourceApi::Transport.inject_device(name, object)
      result = connected(object, Context.new(schema(name)))
      after = Values.encode(info)
      result['connection_info_after'] = after unless after.eql?(before)
      result
    end

    def device(params)
      name = word(params, 'name')
      require "puppet/util/network_device/#{name}/device"
      kind = Puppet::Util::NetworkDevice.const_get(name.capitalize).const_get(:Device)
      entry = Library.transports.find { |one| one['name'] == name }
      config = params.key?('url') ? params['url'].to_s : Values.decode(params['connection_info'])
      # Without a schema, a device gets what `puppet device` has: the url of a file.
      config = url_of(config) if entry.nil? && config.is_a?(Hash)
      device = kind.new(config, { debug: false })
      Through.watch(transport?(device) || !device.respond_to?(:transport) ? device : device.transport)
      Puppet::Util::NetworkDevice.instance_variable_set(:@current, device)
      connected(device, entry && Context.new(entry[:schema]))
    end

    # The url of a file that holds this, with texts as keys; the url itself, if there is nothing else. The
    # file has no name, so that nobody else sees it.
    def url_of(info)
      info = info.to_h { |key, value| [key.to_s, value.respond_to?(:unwrap) ? value.unwrap : value] }
      return info['url'] if info.keys == ['url'] && info['url'].is_a?(String)

      require 'tempfile'
      file = Tempfile.create('stickler')
      File.unlink(file.path)
      file.write(JSON.generate(info))
      file.flush
      (@infos ||= []) << file
      "file:///proc/self/fd/#{file.fileno}"
    end

    # The class of a transport or of a device, which is not built.
    def describe(params)
      if params.key?('device')
        name = word(params, 'device')
        require "puppet/util/network_device/#{name}/device"
        kind = constant(Puppet::Util::NetworkDevice, name.capitalize, 'Device')
      else
        name = word(params, 'transport')
        require "puppet/transport/#{name}"
        kind = constant(Puppet::Transport, name.split('_').map(&:capitalize).join)
      end
      described(kind)
    end

    # What of the operating system this process holds. A process that has ended is no more held.
    def holds(_params)
      links = Dir.children('/proc/self/fd').map do |number|
        File.readlink("/proc/self/fd/#{number}")
      rescue SystemCallError
        ''
      end
      { 'sockets' => links.count { |link| link.start_with?('socket:') }, 'processes' => children }
    end

    # With a transport, it is forgotten.
    def disconnect(params)
      @transports.delete(params['transport']) if params.key?('transport') && held(@transports, params, 'transport')
      @providers.each_value { |held| held.device = nil }
      Puppet::Util::NetworkDevice.instance_variable_set(:@current, nil)
      { 'value' => nil, 'class' => 'NilClass' }
    end

    def verify(params)
      finish(@transports, params) { |held| held.object.verify(held.context) }
    end

    # A device has a context of its own for this.
    def facts(params)
      finish(@transports, params) do |held|
        transport?(held.object) ? held.object.facts(held.context) : held.object.facts
      end
    end

    def inspect_object(params)
      held = params.key?('transport') ? held(@transports, params, 'transport') : held(@providers, params, 'provider')
      { 'value' => Values.encode(held.object.inspect) }
    end

    private

    def real
      require_relative 'real'
      Real.load
    rescue LoadError => e
      raise LoadError, "the real Puppet library cannot be loaded: #{e.message}"
    end

    def stand_ins
      files = %w[standard folders puppet puppet_data puppet_http puppet_execution facter resource_api simple_provider questions transport hocon]
      files.each { |file| require_relative file }
      Library.be_version
      Values.sensitive = Puppet::Pops::Types::PSensitiveType::Sensitive
      Library.seal(Puppet, ::Facter, ::Hocon)
      Loader.guard
    end

    # The file is the last of the warnings, which `Warnings` returns.
    def load_file(params)
      return load_path(params['file']) if params['file'].is_a?(String)

      folder = params.key?('type') ? 'puppet/type' : 'puppet/transport/schema'
      name = "#{folder}/#{word(params, params.key?('type') ? 'type' : 'transport')}"
      Loader.autoload(name) || raise(Puppet::DevError, "no #{name}.rb below #{Library.paths.join(', ')}")
    end

    def load_path(file)
      return file if Loader.loaded.key?(file)

      Loader.loaded[file] = true
      Kernel.load(file)
      file
    rescue Exception # rubocop:disable Lint/RescueException
      Loader.loaded.delete(file)
      raise
    end

    def type_entry(type)
      find = -> { Library.types.reverse.find { |entry| entry['name'] == type && entry[:schema] } }
      find.call || begin
        Loader.autoload("puppet/type/#{type}")
        find.call
      end || raise(Puppet::DevError, "no type `#{type}` is registered")
    end

    def provider_class(params)
      type = word(params, 'type')
      name = params['name'] || params['transport']
      return Puppet::ResourceApi.load_provider(type) if name.nil?
      return Puppet::ResourceApi.load_provider(type, name) unless Library.real

      names = [type, name].map { |one| Puppet::ResourceApi.class_name_from_type_name(one) }
      Puppet::ResourceApi.load_device_provider(names[0], type.to_sym, names[1], name.to_sym)
    end

    def find_schema(name, how)
      raise BadParams, '`load` is require, autoload or none' unless %w[require autoload none].include?(how)

      Loader.names('puppet/transport/schema').each { |one| Loader.autoload(one) } if how == 'autoload'
      return if how == 'require' || Library.transports.any? { |entry| entry['name'] == name }

      raise Puppet::DevError, "no transport `#{name}` is registered"
    end

    def current_device
      Puppet::Util::NetworkDevice.current if Puppet::Util.const_defined?(:NetworkDevice)
    end

    # Calls a provider with the device that it was opened for.
    def called(held)
      return yield if held.device.nil?

      Puppet::Util::NetworkDevice.instance_variable_set(:@current, held.device)
      result = nil
      calls = Through.during { result = yield }
      result['through'] = calls
      result
    end

    def constant(space, *names)
      names.inject(space) { |inner, name| inner.const_get(name, false) }
    end

    # The processes that this one has started, and that still run.
    def children
      stats = Dir.glob('/proc/[0-9]*/stat').map do |file|
        File.read(file)
      rescue SystemCallError
        ''
      end
      # Names of programs may hold anything.
      fields = stats.map { |stat| stat.rpartition(')').last.split }
      fields.count { |state, parent| state != 'Z' && parent == Process.pid.to_s }
    end

    def schema(name)
      Library.transports.find { |entry| entry['name'] == name }[:schema]
    end

    def connected(object, context)
      number = hold(@transports, Held.new(object, context, nil))
      { 'transport' => number }.merge(described(Values.class_of(object)))
    end

    # A resource that a provider made for its runtime.
    def made(object)
      return unless Puppet::Type === object

      kind = object.class.name.to_s.split('::').last.downcase
      values = object.respond_to?(:parameters_given) ? object.parameters_given : object.to_hash
      # Relations may name others by objects.
      name = ->(one) { Puppet::Type === one ? one.ref : one }
      values = values.transform_values { |value| Array === value ? value.map(&name) : name.call(value) }
      { 'type' => kind, 'title' => Values.encode(object.title), 'parameters' => Values.encode(values) }
    end

    # Whether this is a transport, not a device around one.
    def transport?(object)
      !(Puppet::ResourceApi::Transport::Wrapper === object ||
        Values.class_name(object).start_with?('Puppet::Util::NetworkDevice::'))
    end

    def finish(objects, params)
      held = held(objects, params, 'transport')
      answer(held, yield(held))
    end

    def hold(objects, held)
      @numbers += 1
      objects[@numbers] = held
      @numbers
    end

    def held(objects, params, key)
      objects[params[key]] || raise(BadParams, "there is no #{key} #{params[key].inspect}")
    end

    def described(kind)
      above = ANCESTORS.bind_call(kind)
      below = above.take_while { |mod| !mod.equal?(Object) }
      methods = {}
      inherited = []
      below.each do |mod|
        # Ruby gives them in any order.
        PUBLIC.bind_call(mod, false).sort.each do |name|
          next if methods.key?(name.to_s)

          methods[name.to_s] = parameters(METHOD.bind_call(kind, name))
          inherited << name.to_s if library?(mod)
        end
      end
      build = METHOD.bind_call(kind, :initialize)
      methods['initialize'] = parameters(build) unless build.owner.equal?(BasicObject)
      name = Values.module_name(kind)
      { 'class' => name, 'file' => (Object.const_source_location(name) || []).first,
        'ancestors' => [*below.drop(1), Object].map { |mod| Values.module_name(mod) },
        'methods' => methods, 'inherited' => inherited,
        'idle' => OPTIONAL.select { |name| methods.key?(name) && idle?(METHOD.bind_call(kind, name.to_sym)) } }
    end

    # Whether a method only returns what it was given, or nil.
    def idle?(method)
      code = RubyVM::InstructionSequence.of(method)
      return false if code.nil?

      steps = code.to_a.last.grep(Array).map(&:first)
      steps.size == 2 && steps.last == :leave && steps.first.to_s.match?(/\A(getlocal|putnil)/)
    rescue NameError
      # Other Rubies have no such thing.
      false
    end

    # Methods that a type's features ask for.
    OPTIONAL = %w[canonicalize insync?].freeze

    def library?(mod)
      Library.stand_in?(mod) || /\APuppet::(ResourceApi|Provider\z)/.match?(Values.module_name(mod))
    end

    def parameters(method)
      method.parameters.map { |kind, name| [kind.to_s, *(name.to_s if name && name.to_s =~ /\A\w/)] }
    end

    # `wanted` are members of the only row that is asked for.
    def rows(held, value, wanted = nil)
      kind = Values.class_name(value)
      value = listed(value)
      value = found(value, wanted) if wanted && Array === value
      result = { 'value' => Values.encode(value), 'class' => kind }
      failed(result, held)
    end

    # The first row with these members. One member is the usual case, and worth its own way.
    def found(rows, wanted)
      key, one = wanted.first
      row = if wanted.size == 1
              rows.find { |row| row[key] == one }
            else
              rows.find { |row| wanted.all? { |key, one| row[key] == one } }
            end
      [row].compact
    end

    def listed(value)
      case value
      when nil, Hash, String, Symbol, Numeric then return value
      when Array
        raise TooManyRows, "more than #{ROWS} rows" if value.size > ROWS

        return value
      end
      return value unless Enumerable === value || value.respond_to?(:each)

      all = []
      value.each do |row|
        raise TooManyRows, "more than #{ROWS} rows" if all.size >= ROWS

        all << row
      end
      all
    end

    def answer(held, value)
      failed({ 'value' => Values.encode(value), 'class' => Values.class_name(value) }, held)
    end

    # Whether a block of the context failed since the last call.
    def failed(result, held)
      return result unless held.context&.failed?

      held.context.reset_failed
      result['failed'] = true
      result
    end

    # Adds an argument as it is after the call, if the provider modified it.
    def changed(result, key, sent, now)
      encode = ->(value) { block_given? ? yield(value) : Values.encode(value) }
      after = encode.call(now)
      return result if after.eql?(sent)

      # What was sent may be written in another way.
      before = block_given? ? sent.map { |name, one| [recoded(name), recoded(one)] } : recoded(sent)
      result[key] = after unless after.eql?(before)
      result
    end

    def recoded(json)
      Values.encode(Values.decode(json))
    end

    def changes(params)
      list(params, 'changes').map do |pair|
        raise BadParams, '`changes` is a list of pairs' unless pair.is_a?(Array) && pair.size == 2

        [Values.decode(pair[0]), Values.decode(pair[1])]
      end.to_h
    end

    def text(definition)
      Channel::GENERATOR.generate(Values.encode(definition))
    end

    def list(params, key)
      params[key].is_a?(Array) ? params[key] : raise(BadParams, "`#{key}` is a list")
    end

    # A name that is part of a path.
    def word(params, key)
      text = params[key]
      raise BadParams, "`#{key}` is a name" unless text.is_a?(String) && %r{\A[^/\0]+\z}.match?(text)

      text
    end
  end

  # Collects what Ruby warns of.
  module Warnings
    # The warnings, and what the block returned.
    def self.during
      @warnings = []
      result = yield
      [*@warnings, result]
    ensure
      @warnings = nil
    end

    def self.add(text)
      @warnings << text if @warnings
    end

    def warn(text, *rest, **options)
      Warnings.add(text)
      super
    end
  end
  Warning.singleton_class.prepend(Warnings)
end
