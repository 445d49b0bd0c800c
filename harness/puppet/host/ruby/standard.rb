# frozen_string_literal: true

# The names of `$?` and others cannot be loaded on first use.
require 'English'

# Puppet loads much of Ruby's standard library, and authors rely on that without a `require`. Here it
# is loaded on first use, which keeps the start short.
{
  'base64' => %i[Base64], 'benchmark' => %i[Benchmark], 'cgi' => %i[CGI], 'date' => %i[Date DateTime],
  'delegate' => %i[Delegator SimpleDelegator], 'digest' => %i[Digest], 'erb' => %i[ERB], 'etc' => %i[Etc],
  'fileutils' => %i[FileUtils], 'find' => %i[Find], 'forwardable' => %i[Forwardable SingleForwardable],
  'getoptlong' => %i[GetoptLong], 'open3' => %i[Open3], 'ripper' => %i[Ripper], 'syslog' => %i[Syslog],
  'tsort' => %i[TSort],
  'ipaddr' => %i[IPAddr], 'logger' => %i[Logger], 'net/http' => %i[Net], 'openssl' => %i[OpenSSL],
  'monitor' => %i[Monitor MonitorMixin], 'optparse' => %i[OptionParser OptParse], 'ostruct' => %i[OpenStruct],
  'pathname' => %i[Pathname], 'psych' => %i[Psych], 'rbconfig' => %i[RbConfig], 'resolv' => %i[Resolv],
  'securerandom' => %i[SecureRandom], 'set' => %i[Set],
  'singleton' => %i[Singleton], 'stringio' => %i[StringIO], 'strscan' => %i[StringScanner],
  'socket' => %i[Addrinfo BasicSocket IPSocket Socket SocketError TCPServer TCPSocket UDPSocket UNIXServer UNIXSocket],
  'tempfile' => %i[Tempfile], 'timeout' => %i[Timeout], 'uri' => %i[URI], 'yaml' => %i[YAML], 'zlib' => %i[Zlib]
}.each do |library, constants|
  constants.each { |name| Object.autoload(name, library) unless Object.const_defined?(name, false) }
end

# Methods that libraries add to classes of the core load their library, which then replaces them.
{
  Time.singleton_class => ['time', %i[parse strptime iso8601 rfc2822 httpdate]],
  Dir.singleton_class => ['tmpdir', %i[tmpdir mktmpdir]],
  Time => ['time', %i[iso8601 xmlschema rfc2822 httpdate]],
  Enumerable => ['set', %i[to_set]],
  Object => ['yaml', %i[to_yaml]]
}.each do |owner, (library, methods)|
  methods.each do |name|
    next if owner.method_defined?(name)

    owner.define_method(name) do |*arguments, &block|
      # The library only adds its own method where there is none.
      owner.send(:remove_method, name) if owner.instance_method(name).source_location&.first == __FILE__
      require library
      public_send(name, *arguments, &block)
    end
  end
end

module Kernel
  private

  # The library replaces it.
  def URI(uri)
    require 'uri'
    URI(uri)
  end

  def Pathname(path)
    ::Pathname.new(path)
  end

  unless private_method_defined?(:gem)
    # RubyGems replaces this.
    def gem(*arguments)
      require 'rubygems'
      gem(*arguments)
    end
  end

  # Texts for people, untranslated.

  def _(text)
    text
  end

  def n_(singular, plural, count)
    count == 1 ? singular : plural
  end
end
