# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DMulti::DMulti < Stored::Provider
end
