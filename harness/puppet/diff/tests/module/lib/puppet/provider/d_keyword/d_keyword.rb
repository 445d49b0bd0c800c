# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DKeyword::DKeyword < Stored::Provider
  def set(context, changes, noop: false)
    Stored.record('noop', noop)
    super(context, changes)
  end
end
