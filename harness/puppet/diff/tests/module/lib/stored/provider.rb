# frozen_string_literal: true

require 'json'

# What the providers of this module share: rows in a file, and a record of all calls.
module Stored
  def self.path(name)
    File.join(ENV.fetch('STORED'), name)
  end

  def self.record(*words)
    File.write(path('calls'), "#{words.map { |word| word.is_a?(String) ? word : word.inspect }.join(' ')}\n", mode: 'a')
  end

  def self.rows(type)
    file = path("#{type}.json")
    return [] unless File.exist?(file)

    JSON.parse(File.read(file)).map { |row| row.to_h { |key, value| [key.to_sym, value] } }
  end

  def self.store(type, rows)
    File.write(path("#{type}.json"), JSON.generate(rows.map { |row| row.transform_values { |one| plain(one) } }))
  end

  def self.plain(value)
    value.respond_to?(:unwrap) ? value.unwrap : value
  end

  # Keeps rows by their namevars.
  class Provider
    def get(context, names = nil)
      Stored.record('get', context.type.name, names)
      rows = Stored.rows(context.type.name)
      raise ArgumentError, 'the store is broken' if rows.any? { |row| row[:broken] }

      rows
    end

    def set(context, changes)
      Stored.record('set', context.type.name, changes)
      changes.each do |name, change|
        should = change[:should]
        does(context, name, should[:does], change) if should.key?(:does)
        write(context, name, should)
      end
    end

    # What a parameter says that the provider does besides its work.
    def does(context, name, what, change)
      title = name.is_a?(Hash) ? name.values.join('-') : name
      case what
      when 'raise' then raise 'set was told to raise'
      when 'exit' then raise NotImplementedError, 'no standard error'
      when 'fail' then context.updating(title) { raise 'the block was told to raise' }
      when 'failed' then context.failed(title, message: 'it did not work')
      when 'wrong' then wrong(context, title)
      when 'talk' then talk(context, title, change)
      when 'block' then context.updating(title) { context.notice('inside') }
      when 'process' then context.processing(title, change[:is], change[:should]) { context.warning(title, 'slow') }
      end
    end

    def talk(context, title, change)
      context.notice('a text')
      context.notice(title, 'a text about it')
      context.warning([title, 'another'], 'about both')
      context.err([], 'about nobody')
      context.notice(title, 'three', 4)
      context.created(title)
      context.updated([title], message: 'Renewed')
      context.attribute_changed(title, 'v', 1, 'two', message: 'as told')
      context.attribute_changed(title, 'v', nil, true)
      context.processed(title, change[:is], change[:should])
      context.creating([title, 'more'], message: 'Making') { context.info('quietly') }
      context.failing(title) { context.notice('still going') }
    end

    # Calls of the context at which it raises: what it logs of them is nothing.
    def wrong(context, title)
      [
        -> { context.notice(5, 'about a number') },
        -> { context.created },
        -> { context.updated(title, 'two') },
        -> { context.processed([title], nil, nil) },
        -> { context.attribute_changed('v', nil, 'x', message: 'as the specification has it') },
        -> { context.attribute_changed([title], 'v', nil, 'x') },
        -> { context.failed(5) },
        -> { context.creating(5) { context.notice('inside') } },
        -> { context.processing([title], nil, nil) { context.notice('inside') } },
        -> { context.deleting(title, to: 'x') { context.notice('inside') } },
        -> { context.updating(title) { context.creating(5) { context.notice('inside') } } }
      ].each do |call|
        call.call
        context.notice('fine')
      rescue StandardError => e
        context.notice(e.class.name)
      end
    end

    def write(context, name, should)
      type = context.type.name
      key = name.is_a?(Hash) ? name : { context.type.namevars.first => name }
      rows = Stored.rows(type).reject { |row| key.all? { |var, value| row[var] == value } }
      rows << row(context, name, should) unless should[:ensure].to_s == 'absent'
      Stored.store(type, rows)
    end

    def row(context, name, should)
      row = should.reject { |key, _| context.type.attributes[key].nil? || context.type.attributes[key][:behaviour] == :parameter }
      row[:title] = name.values.join('-') if name.is_a?(Hash)
      row
    end
  end
end
