# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DCanon::DCanon < Stored::Provider
  def canonicalize(_context, resources)
    Stored.record('canonicalize', resources.map { |one| one.reject { |key, _| %i[require before notify subscribe].include?(key) } })
    resources.each { |one| one[:v] = one[:v].upcase if one[:v] }
  end
end
