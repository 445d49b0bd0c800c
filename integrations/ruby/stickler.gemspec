# frozen_string_literal: true

# `ci/packages/gem` builds it: it adds the program, and gives the version, the platform and the address of the release.
Gem::Specification.new do |spec|
  spec.name = 'stickler'
  spec.version = ENV.fetch('STICKLER_VERSION')
  spec.platform = ENV.fetch('STICKLER_PLATFORM')
  spec.summary = 'Checks Puppet Resource API types and providers by the rules of their specification'
  spec.description = 'The program `stickler`, a task for Rake and a matcher for RSpec.'
  spec.authors = ['The Stickler authors']
  spec.homepage = ENV.fetch('STICKLER_HOMEPAGE')
  spec.licenses = %w[MIT Apache-2.0]
  spec.required_ruby_version = '>= 2.7'
  spec.files = Dir['lib/**/*.rb', 'exe/*', 'libexec/*', 'README.md', 'LICENSE-*']
  spec.bindir = 'exe'
  spec.executables = ['stickler']
end
