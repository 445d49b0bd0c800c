# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DPlain::DPlain < Stored::Provider
end
