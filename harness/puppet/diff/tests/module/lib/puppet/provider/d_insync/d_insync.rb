# frozen_string_literal: true

require 'stored/provider'

class Puppet::Provider::DInsync::DInsync < Stored::Provider
  def insync?(_context, name, property, is, should)
    Stored.record('insync', name, property, is, should)
    case should[:answer]
    when 'true' then true
    when 'false' then false
    when 'words' then [false, "#{property} is wrong"]
    when 'no words' then [false, '']
    when 'nil words' then [nil, 'nobody reads this']
    when 'right words' then [true, 'all is well']
    when 'number' then [false, 5]
    when 'text' then 'no'
    when 'symbol' then :true
    when 'raise' then raise 'insync was told to raise'
    end
  end
end
