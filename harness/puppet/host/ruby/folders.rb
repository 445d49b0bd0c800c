# frozen_string_literal: true

module Stickler
  # Where Puppet keeps its files: for root as the packages have it, for others below their home.
  module Folders
    OF_PACKAGES = {
      confdir: '/etc/puppetlabs/puppet', codedir: '/etc/puppetlabs/code', vardir: '/opt/puppetlabs/puppet/cache',
      rundir: '/var/run/puppetlabs', logdir: '/var/log/puppetlabs/puppet', ssldir: '/etc/puppetlabs/puppet/ssl'
    }.freeze
    OF_DEBIAN = {
      confdir: '/etc/puppet', codedir: '/etc/puppet/code', vardir: '/var/cache/puppet',
      rundir: '/run/puppet', logdir: '/var/log/puppet', ssldir: '/var/lib/puppet/ssl'
    }.freeze

    module_function

    def all
      return of_user unless root?

      File.directory?('/etc/puppet') && !File.directory?('/etc/puppetlabs') ? OF_DEBIAN : OF_PACKAGES
    end

    # In a sandbox, root may be a user of the machine, who cannot write there.
    def root?
      Process.euid.zero? && File.owned?('/etc')
    end

    def home
      File.join(ENV.fetch('HOME', '/'), '.puppetlabs')
    end

    def of_user
      { confdir: "#{home}/etc/puppet", codedir: "#{home}/etc/code", vardir: "#{home}/opt/puppet/cache",
        rundir: "#{home}/var/run", logdir: "#{home}/var/log", ssldir: "#{home}/etc/puppet/ssl" }
    end
  end
end
