# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DParam::DParam < Stored::Provider
end
