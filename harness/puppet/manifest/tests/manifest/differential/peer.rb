# Compiles manifests with the real Puppet: one JSON text a line.
require 'json'
require 'base64'
require 'tmpdir'
require 'puppet'
require 'puppet/resource_api'

$answers = $stdout.dup
$answers.sync = true
$stdout.reopen($stderr)
folder = Dir.mktmpdir('puppet-manifest')
at_exit { FileUtils.remove_entry(folder) }
FILE = File.join(folder, 'site.pp')
Puppet.initialize_settings(['--confdir', folder, '--vardir', folder])
# One error is as good as many; an unknown variable is one.
Puppet[:max_errors] = 1
Puppet[:strict_variables] = true
SENSITIVE = Puppet::Pops::Types::PSensitiveType::Sensitive
%w[pka pkb package_key].each do |name|
  attributes = %w[a b c d e].to_h { |key| [key.to_sym, { type: 'Any', desc: 'a value' }] }
  attributes[:name] = { type: 'String', desc: 'the name', behaviour: :namevar }
  attributes[:ensure] = { type: 'Optional[Any]', desc: 'is it there' }
  Puppet::ResourceApi.register_type(name: name, desc: 'a type', attributes: attributes)
rescue Puppet::DevError
  attributes[:ensure] = { type: 'Optional[Enum[present, absent]]', desc: 'is it there' }
  Puppet::ResourceApi.register_type(name: name, desc: 'a type', attributes: attributes)
end

def encode(value)
  case value
  when Float then value.finite? ? value : { '$f' => value.to_s }
  when Symbol then { '$sym' => value.to_s }
  when String then value.valid_encoding? ? value : { '$bin' => Base64.strict_encode64(value) }
  when Array then value.map { |one| encode(one) }
  when Regexp then { '$re' => value.source, 'options' => '' }
  when SENSITIVE then { '$sens' => encode(value.unwrap) }
  when Hash then { '$h' => value.map { |k, v| [encode(k), encode(v)] } }
  when Integer, true, false, nil then value
  else { '$obj' => value.to_s, 'class' => value.class.name }
  end
end

def resource(own)
  secret = own.sensitive_parameters.map(&:to_s)
  parameters = own.parameters.map do |name, value|
    encoded = encode(value)
    [name.to_s, secret.include?(name.to_s) ? { '$sens' => encoded } : encoded]
  end
  { type: own.type.to_s, title: own.title.to_s, parameters: parameters, tags: own.tags.to_a, line: own.line }
end

def failure(error)
  message = error.respond_to?(:basic_message) ? error.basic_message : error.message
  line = error.respond_to?(:line) ? error.line : nil
  column = error.respond_to?(:pos) ? error.pos : nil
  { message: message, line: line, column: column, class: error.class.name }
end

# What logs call the resources.
def paths(catalog)
  own = catalog.resources.reject { |one| one.is_a?(Puppet::Type.type(:component)) || one.is_a?(Puppet::Type.type(:stage)) }
  own.map(&:path)
end

def compile(text, paths = false)
  File.write(FILE, text)
  environment = Puppet::Node::Environment.create(:production, [], FILE)
  Puppet.override(current_environment: environment, rich_data: true) do
    node = Puppet::Node.new('localhost', environment: environment)
    catalog = Puppet::Parser::Compiler.new(node).compile(&:to_resource)
    own = catalog.resources.reject { |one| %w[Stage Class].include?(one.type) }
    return { json: catalog.to_json, paths: paths(catalog.to_ral) } if paths

    common = own.any? { |one| one[:noop] || one[:loglevel] }
    catalog.to_ral if common
    { resources: own.map { |one| resource(one) }, json: catalog.to_json }
  end
end

def answer(question)
  case question['ask']
  when 'compile' then compile(question['text'])
  when 'paths' then compile(question['text'], true)
  when 'file' then { file: FILE }
  end
rescue StandardError, NotImplementedError => e
  { error: failure(e) }
end

$stderr.reopen(File::NULL)
$VERBOSE = nil
STDIN.each_line { |line| $answers.puts(JSON.generate(answer(JSON.parse(line, max_nesting: 500)), max_nesting: 500)) }
