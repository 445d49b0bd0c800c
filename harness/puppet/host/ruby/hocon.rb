# frozen_string_literal: true

module Stickler
  # Reads credentials of devices: the part of HOCON that such files use, which includes JSON. There are
  # no substitutions, includes or concatenations.
  class Hocon
    class Malformed < StandardError; end

    # The settings that a `file:` address names, with symbols as keys.
    def self.connection_info(url)
      symbolize(of_url(url))
    end

    def self.of_url(url)
      path = url[%r{\Afile://(?:localhost)?(/.*)\z}, 1]
      raise "Unexpected url '#{url}' found. Only file:/// URLs for configuration supported at the moment." if path.nil?
      raise "Trying to load config from '#{path}, but file does not exist." unless File.exist?(path)

      parse(File.read(path, encoding: 'UTF-8'))
    end

    def self.parse(text)
      new(text).whole
    end

    def self.symbolize(value)
      case value
      when Hash then value.map { |key, one| [key.to_sym, symbolize(one)] }.to_h
      when Array then value.map { |one| symbolize(one) }
      else value
      end
    end

    def initialize(text)
      require 'strscan'
      @text = StringScanner.new(text)
    end

    def whole
      blank
      value = @text.scan(/\{/) ? fields(/\}/) : fields(/\z/)
      blank
      @text.eos? ? value : wrong
    end

    private

    def blank
      @text.skip(%r{(?:\s|,|(?:#|//)[^\n]*)+})
    end

    def fields(close)
      found = {}
      loop do
        blank
        break if @text.scan(close)

        wrong if @text.eos?
        path = key
        @text.skip(/[ \t]*/)
        inner = @text.check(/\{/)
        wrong unless @text.scan(/[:=]/) || inner
        last = path.pop
        place = path.inject(found) { |hash, name| hash[name].is_a?(Hash) ? hash[name] : hash[name] = {} }
        one = value
        place[last] = one.is_a?(Hash) && place[last].is_a?(Hash) ? place[last].merge(one) : one
      end
      found
    end

    def key
      return [quoted] if @text.check(/"/)

      (@text.scan(/[^\s:={}\[\],#"]+/) || wrong).split('.')
    end

    def value
      @text.skip(/\s*/)
      return fields(/\}/) if @text.scan(/\{/)
      return list if @text.scan(/\[/)
      return @text[1] if @text.scan(/"""(.*?)"""/m)
      return quoted if @text.check(/"/)

      plain((@text.scan(%r{(?:[^\s,\]\}#/"\{\[]|/(?!/)|[ \t]+(?=[^\s,\]\}#/]))+}) || wrong).strip)
    end

    def list
      found = []
      loop do
        blank
        break if @text.scan(/\]/)

        wrong if @text.eos?
        found << value
      end
      found
    end

    def quoted
      text = @text.scan(/"(?:[^"\\\n]|\\.)*"/) || wrong
      JSON.parse(text)
    rescue JSON::ParserError
      wrong
    end

    def plain(text)
      case text
      when 'true' then true
      when 'false' then false
      when 'null' then nil
      when /\A-?\d+\z/ then text.to_i
      when /\A-?\d+\.\d+([eE][-+]?\d+)?\z/ then text.to_f
      when /\$\{/ then wrong
      else text
      end
    end

    def wrong
      raise Malformed, "line #{@text.string[0, @text.pos].count("\n") + 1} of the configuration cannot be read"
    end
  end
end

# What the gem of this name gives.
module Hocon
  module ConfigSyntax
    HOCON = :hocon
    JSON = :json
    CONF = :conf
  end

  def self.load(path, _options = {})
    Stickler::Hocon.parse(File.read(path, encoding: 'UTF-8'))
  end

  def self.parse(text, _options = {})
    Stickler::Hocon.parse(text)
  end
end
