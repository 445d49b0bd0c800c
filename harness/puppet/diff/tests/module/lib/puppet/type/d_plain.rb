# frozen_string_literal: true

require 'puppet/resource_api'

Puppet::ResourceApi.register_type(
  name: 'd_plain',
  desc: 'One namevar and many kinds of values.',
  attributes: {
    ensure: { type: 'Enum[present, absent]', desc: 'E', default: 'present' },
    name: { type: 'String', desc: 'N', behaviour: :namevar },
    v: { type: 'Optional[Integer]', desc: 'V' },
    flag: { type: 'Optional[Boolean]', desc: 'F' },
    list: { type: 'Optional[Array[Variant[String, Integer]]]', desc: 'L' },
    text: { type: 'Optional[Variant[Integer, String]]', desc: 'T' },
    map: { type: 'Optional[Hash[String, Data]]', desc: 'M' },
    ratio: { type: 'Optional[Numeric]', desc: 'R' },
    first: { type: 'Optional[String]', desc: 'I', behaviour: :init_only },
    seen: { type: 'Optional[Integer]', desc: 'S', behaviour: :read_only },
    does: { type: 'Optional[String]', desc: 'D', behaviour: :parameter },
  },
)
