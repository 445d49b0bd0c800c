# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_canon',
  desc: 'Canonical values are in upper case.',
  features: ['canonicalize'],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    v: { type: 'Optional[String]', desc: 'V' },
  },
)
