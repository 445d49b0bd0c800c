# frozen_string_literal: true

# The entry of the Ruby host: `ruby --disable-gems host.rb`. It speaks JSON-RPC 2.0, one JSON text a
# line; docs/provider-protocol.md describes the protocol.

require_relative 'compiled'
Stickler::Compiled.begin

begin
  require 'json'
rescue LoadError
  # Some distributions keep json where only RubyGems finds it.
  require 'rubygems'
  require 'json'
end

files = %w[values variables failure lacks channel aliases context through session server]
files.each { |file| require_relative file }

exit Stickler::Server.new(Stickler::Channel.open).run if $PROGRAM_NAME == __FILE__
