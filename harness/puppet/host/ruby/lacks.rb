# frozen_string_literal: true

module Stickler
  # What this machine lacks, even where the provider keeps the exception for itself: what it does afterwards
  # says nothing about it.
  module Lacks
    class << self
      # Reports each thing that the block misses, once.
      def during
        told = {}
        watch = TracePoint.new(:raise) do |point|
          error = point.raised_exception
          next unless NameError === error || LoadError === error

          data = Failure.lack(error)
          next if data.empty? || told.key?(data)

          told[data] = true
          Library.report('event' => 'lack', 'error' => { 'message' => Failure.message(error) }.merge(data))
        end
        watch.enable
        yield
      ensure
        watch&.disable
      end
    end
  end
end
