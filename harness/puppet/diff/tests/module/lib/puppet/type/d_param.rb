# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_param',
  desc: 'A mandatory parameter, and a namevar with another name.',
  attributes: {
    ensure: { type: 'Optional[Enum[present, absent]]', desc: 'E' },
    path: { type: 'Pattern[/\A\//]', desc: 'P', behaviour: :namevar },
    need: { type: 'String', desc: 'N', behaviour: :parameter },
    v: { type: 'Optional[Enum[a, b]]', desc: 'V' },
  },
  autorequire: { d_plain: ['$v', 'base'] },
  autobefore: { d_bare: '$need' },
)
