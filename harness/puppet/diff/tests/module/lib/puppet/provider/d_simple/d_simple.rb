# frozen_string_literal: true

require 'stored/provider'

require 'puppet/resource_api/simple_provider'

class Puppet::Provider::DSimple::DSimple < Puppet::ResourceApi::SimpleProvider
  def initialize
    @stored = Stored::Provider.new
  end

  def get(context)
    @stored.get(context).map { |row| row.key?(:secret) ? row.merge(secret: wrap(row[:secret])) : row }
  end

  def set(context, changes, noop: false)
    Stored.record('set', changes, noop)
    super(context, changes)
  end

  def create(context, name, should)
    act('create', context, name, should)
  end

  def update(context, name, should)
    act('update', context, name, should)
  end

  def delete(context, name)
    act('delete', context, name, ensure: 'absent')
  end

  private

  def act(what, context, name, should)
    Stored.record(what, name, should)
    context.notice("#{what} goes on")
    raise 'told to raise' if should[:does] == 'raise'

    @stored.write(context, name, should)
  end

  def wrap(text)
    Puppet::Pops::Types::PSensitiveType::Sensitive.new(text)
  end
end
