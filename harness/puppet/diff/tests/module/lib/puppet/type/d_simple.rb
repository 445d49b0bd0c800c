# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_simple',
  desc: 'By the library.',
  features: ['supports_noop'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    v: { type: 'Optional[Integer]', desc: 'V' },
    secret: { type: 'Optional[Sensitive[String]]', desc: 'S' },
    does: { type: 'Optional[String]', desc: 'D', behaviour: :parameter },
  },
)
