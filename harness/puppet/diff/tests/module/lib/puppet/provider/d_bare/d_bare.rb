# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DBare::DBare < Stored::Provider
end
