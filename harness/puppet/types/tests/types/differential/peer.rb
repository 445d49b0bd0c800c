# Answers questions about types from the real Puppet: one JSON text a line.
require 'json'
require 'base64'
require 'puppet'
require 'puppet/resource_api'

$answers = $stdout.dup
$answers.sync = true
$stdout.reopen($stderr)
TYPES = Puppet::Pops::Types
SENSITIVE = TYPES::PSensitiveType::Sensitive
HANDLING = Puppet::ResourceApi::DataTypeHandling

def decode(value)
  case value
  when Array then value.map { |one| decode(one) }
  when Hash
    key, first = value.first
    return value.to_h { |k, v| [k.sub(/\A\$/, '').to_sym, decode(v)] } unless key&.match?(/\A\$(?!\$)/)

    case key
    when '$f' then { 'NaN' => Float::NAN, 'Infinity' => Float::INFINITY, '-Infinity' => -Float::INFINITY }[first]
    when '$sym' then first.to_sym
    when '$re' then Regexp.new(first, options(value['options']))
    when '$sens' then SENSITIVE.new(decode(first))
    when '$bin' then Base64.strict_decode64(first).force_encoding('UTF-8')
    when '$h' then first.to_h { |k, v| [decode(k), decode(v)] }
    when '$proc' then proc {}
    when '$obj' then Object.new
    else raise "unknown #{key}"
    end
  else value
  end
end

def options(text)
  { 'i' => Regexp::IGNORECASE, 'm' => Regexp::MULTILINE, 'x' => Regexp::EXTENDED }
    .sum { |letter, bit| text.include?(letter) ? bit : 0 }
end

def encode(value)
  case value
  when Float
    value.finite? ? value : { '$f' => value.to_s }
  when Symbol then { '$sym' => value.to_s }
  when String
    value.valid_encoding? ? value : { '$bin' => Base64.strict_encode64(value) }
  when Array then value.map { |one| encode(one) }
  when Regexp
    letters = { 'i' => Regexp::IGNORECASE, 'm' => Regexp::MULTILINE, 'x' => Regexp::EXTENDED }
    { '$re' => value.source, 'options' => letters.select { |_, bit| value.options & bit != 0 }.keys.join }
  when SENSITIVE then { '$sens' => encode(value.unwrap) }
  when Hash
    if value.keys.all? { |key| key.is_a?(Symbol) }
      value.to_h { |k, v| [k.to_s.sub(/\A\$/, '$$'), encode(v)] }
    else
      { '$h' => value.map { |k, v| [encode(k), encode(v)] } }
    end
  else value
  end
end

def failure(error)
  { class: error.class.name, message: error.message }
end

# Deep definitions are warned of through Puppet's log.
$warnings = []
module Puppet
  def self.warning(text)
    $warnings << text
  end
end

def types(question)
  type = TYPES::TypeParser.singleton.parse(question['type'])
  results = question['values'].map do |encoded|
    value = decode(encoded)
    begin
      found = type.instance?(value)
      found ? true : HANDLING.try_validate(type, value, 'it').to_s
    rescue StandardError => e
      failure(e)
    end
  end
  { text: type.to_s, results: results }
end

def munge(question)
  type = TYPES::TypeParser.singleton.parse(question['type'])
  results = question['values'].map do |encoded|
    { value: encode(HANDLING.mungify(type, decode(encoded), 'it', true)) }
  rescue StandardError => e
    failure(e)
  end
  { results: results }
end

def register(question)
  definition = decode(question['definition'])
  $warnings = []
  begin
    if question['kind'] == 'transport'
      Puppet::ResourceApi.register_transport(definition)
    else
      Puppet::ResourceApi.register_type(definition)
    end
    answer = { warnings: $warnings }
  rescue StandardError, NotImplementedError => e
    return { error: failure(e), warnings: $warnings }
  end
  if question['titles']
    type = Puppet::Type.type(definition[:name].to_sym)
    answer[:titles] = question['titles'].map do |title|
      found = nil
      type.title_patterns.each_with_index do |(pattern, symbols), index|
        next unless (captures = pattern.match(title))

        namevars = symbols.zip(captures[1..-1]).map { |symbol, text| [symbol[0].to_s, text] }
        found = [index, namevars]
        break
      end
      found
    end
  end
  answer
end

def answer(question)
  case question['ask']
  when 'types' then types(question)
  when 'munge' then munge(question)
  when 'register' then register(question)
  when 'inspect' then { results: question['values'].map { |one| decode(one).inspect } }
  when 'regexp'
    begin
      pattern = Regexp.new(question['source'])
      { results: question['values'].map { |text| (found = pattern.match(text)) && found.named_captures.to_a } }
    rescue RegexpError => e
      { error: failure(e) }
    end
  end
rescue StandardError => e
  { error: failure(e) }
end

$stderr.reopen(File::NULL)
$VERBOSE = nil
STDIN.each_line { |line| $answers.puts(JSON.generate(answer(JSON.parse(line, max_nesting: 500)), max_nesting: 500)) }
