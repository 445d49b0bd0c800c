# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_trigger',
  desc: 'No properties at all.',
  features: ['custom_insync'],
  attributes: {
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    answer: { type: 'Optional[Boolean]', desc: 'A', behaviour: :parameter },
  },
)
