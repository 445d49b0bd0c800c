# frozen_string_literal: true

module Stickler
  # What the host asks the harness, which knows the types of Puppet. The host knows none.
  module Questions
    module_function

    # Raises what the library raises if the information is none for this schema.
    def connecting(schema, info)
      params = { 'schema' => Values.encode(schema), 'connection_info' => Values.encode(info) }
      refused = Library.channel.ask('connecting', params)&.fetch('refused')
      return if refused.nil?

      raise Puppet.const_get(refused['class'].delete_prefix('Puppet::'), false), refused['message']
    end
  end
end
