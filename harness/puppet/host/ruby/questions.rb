# frozen_string_literal: true

module Stickler
  # What the host asks the harness, which knows the types of Puppet. The host knows none.
  module Questions
    module_function

    # Raises what the library raises if it refuses the schema of a transport, and tells what it warns of.
    def registering(schema)
      params = { 'schema' => Values.encode(schema), 'runtime' => Library.runtime }
      answer = Library.channel.ask('registering', params) || {}
      answer.fetch('warnings', []).each { |text| Library.say('warning', text) }
      refuse(answer['refused'])
    end

    # Whether a row is one of this type: the keys that are unknown, and what is wrong with values.
    def checking(schema, resource)
      params = { 'schema' => Values.encode(schema), 'resource' => Values.encode(resource) }
      answer = Library.channel.ask('checking', params) || {}
      [answer.fetch('unknown', []), answer.fetch('wrong', [])]
    end

    # Raises what the library raises if the information is none for this schema.
    def connecting(schema, info)
      params = { 'schema' => Values.encode(schema), 'connection_info' => Values.encode(info) }
      refused = Library.channel.ask('connecting', params)&.fetch('refused')
      refuse(refused)
    end

    def refuse(refused)
      return if refused.nil?
      raise Object.const_get(refused['class']), refused['message'] unless refused['class'].start_with?('Puppet::')

      raise Puppet.const_get(refused['class'].delete_prefix('Puppet::'), false), refused['message']
    end
  end
end
