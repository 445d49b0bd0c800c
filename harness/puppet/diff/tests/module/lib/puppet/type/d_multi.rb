# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_multi',
  desc: 'Two namevars.',
  features: ['simple_get_filter'],
  title_patterns: [
    { pattern: /^(?<pkg>.*[^-])-(?<mgr>.*)$/, desc: 'both' },
    { pattern: /^(?<pkg>.*)$/, desc: 'the first' },
  ],
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    pkg: { type: 'String', desc: 'P', behaviour: :namevar },
    mgr: { type: 'String', desc: 'M', behaviour: :namevar },
    v: { type: 'Optional[Integer]', desc: 'V', default: 7 },
    does: { type: 'Optional[String]', desc: 'D', behaviour: :parameter },
  },
)
