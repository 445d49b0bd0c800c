# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DTrigger::DTrigger < Stored::Provider
  def insync?(_context, name, property, is, should)
    Stored.record('insync', name, property, is, should)
    should[:answer]
  end
end
