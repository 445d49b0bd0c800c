# frozen_string_literal: true

module Stickler
  # Counts the calls that providers make of a transport.
  module Through
    @calls = 0

    class << self
      attr_accessor :calls

      # Counts calls of this object's public methods from now on. Its class stays what it is.
      def watch(object)
        kind = Values.class_of(object)
        names = names_of(kind)
        answers_all = kind.method_defined?(:method_missing) || kind.private_method_defined?(:method_missing)
        answers_all &&= !kind.instance_method(:method_missing).owner.equal?(BasicObject)
        names << :method_missing if answers_all
        object.singleton_class.prepend(counting(names))
      rescue StandardError
        # Some objects have no singleton class, or are frozen.
        nil
      end

      # Yields, and returns the number of calls since.
      def during
        before = calls
        yield
        calls - before
      end

      private

      def names_of(kind)
        below = kind.ancestors.take_while { |mod| !mod.equal?(Object) }
        below.flat_map { |mod| mod.public_instance_methods(false) }.uniq
      end

      def counting(names)
        Module.new do
          names.each do |name|
            define_method(name) do |*arguments, &block|
              Through.calls += 1
              super(*arguments, &block)
            end
            ruby2_keywords(name)
          end
        end
      end
    end
  end
end
