# frozen_string_literal: true

module Stickler
  # The decisions of SimpleProvider. They are kept apart from it, so that providers can name their own
  # methods as they like. The runtimes cope with different gaps in the changes.
  module SimpleSteps
    module_function

    # The row of a resource, for a change that does not say what `is`.
    def find(context, rows, name)
      namevars = context.type.namevars
      old = %w[1.8.16 1.9.2].include?(Library.runtime)
      row = (rows || []).find { |one| (old ? one[:name] : name_of(namevars, one)) == name }
      context.type.check_schema(row) unless row.nil? && Library.spec?
      row
    end

    def name_of(namevars, row)
      namevars.size > 1 ? namevars.map { |namevar| [namevar, row[namevar]] }.to_h : row[namevars[0]]
    end

    # What `create` and its like are given as the name. The releases read it from `:should`.
    def key(context, name, change)
      namevars = context.type.namevars
      return name if namevars.length <= 1

      source = Library.spec? ? name : change[:should]
      namevars.map { |namevar| [namevar, source[namevar]] }.to_h
    end

    def step(is, should)
      is = is.nil? ? 'absent' : is[:ensure].to_s
      should = should.nil? ? 'absent' : should[:ensure].to_s
      return :create if is == 'absent' && should == 'present'
      return :delete if is == 'present' && should == 'absent'

      :update if is == 'present'
    end

    # An error of the provider, though the library raises it.
    def refuse(text)
      raise Failure.of_author(RuntimeError.new(text))
    end
  end
end

module Puppet
  module ResourceApi
    # Calls `create`, `update` and `delete` for the changes that `set` is given.
    class SimpleProvider
      def set(context, changes)
        steps = Stickler::SimpleSteps
        changes.each do |name, change|
          is = if change.key?(:is)
                 change[:is]
               elsif context.type.feature?('simple_get_filter')
                 steps.find(context, get(context, [name]), name)
               else
                 steps.find(context, get(context), name)
               end
          should = change[:should]
          steps.refuse('SimpleProvider cannot be used with a Type that is not ensurable') unless context.type.ensurable?

          key = steps.key(context, name, change)
          case steps.step(is, should)
          when :create then context.creating(name) { create(context, key, should) }
          when :delete then context.deleting(name) { delete(context, key) }
          when :update then context.updating(name) { update(context, key, should) }
          end
        end
      end

      def create(_context, _name, _should)
        Stickler::SimpleSteps.refuse("#{self.class} has not implemented `create`")
      end

      def update(_context, _name, _should)
        Stickler::SimpleSteps.refuse("#{self.class} has not implemented `update`")
      end

      def delete(_context, _name)
        Stickler::SimpleSteps.refuse("#{self.class} has not implemented `delete`")
      end
    end
  end
end
