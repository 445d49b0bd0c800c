# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_keyword',
  desc: 'Its provider has a keyword, but not the feature.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
  },
)
