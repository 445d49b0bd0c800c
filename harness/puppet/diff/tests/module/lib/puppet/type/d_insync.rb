# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_insync',
  desc: 'Its provider compares.',
  features: ['custom_insync'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    v: { type: 'Optional[Integer]', desc: 'V' },
    w: { type: 'Optional[String]', desc: 'W' },
    fixed: { type: 'Optional[String]', desc: 'I', behaviour: :init_only },
    answer: { type: 'Optional[String]', desc: 'A', behaviour: :parameter },
  },
)
