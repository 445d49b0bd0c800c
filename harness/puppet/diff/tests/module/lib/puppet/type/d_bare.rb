# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_bare',
  desc: 'Always there.',
  attributes: {
    key: { type: 'Integer[0]', desc: 'K', behaviour: :namevar },
    must: { type: 'String[1]', desc: 'M' },
    level: { type: 'Integer', desc: 'L', default: 3 },
    on: { type: 'Boolean', desc: 'O', default: false },
    wild: { type: 'Variant[Undef, Integer]', desc: 'W' },
    how: { type: 'Enum[slow, fast]', desc: 'H', behaviour: :parameter, default: 'slow' },
  },
)
