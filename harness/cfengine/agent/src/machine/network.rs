//! cf-agent's variables and classes about the network: hard classes and `$(sys.…)`.

use super::UNKNOWN_EVERYWHERE;
use super::netlink::{Address, Link, addresses, links};
use crate::context::Agent;
use crate::data::Data;
use crate::scan;
use crate::value::{Text, Value};
use std::net::{IpAddr, Ipv6Addr, ToSocketAddrs};
use std::path::Path;
use std::rc::Rc;

const UP: u32 = 0x1;
const LOOPBACK: u32 = 0x8;
/// The flags of interfaces, in cf-agent's order.
const FLAGS: [(u32, &str); 11] = [
    (UP, "up"),
    (0x2, "broadcast"),
    (0x4, "debug"),
    (LOOPBACK, "loopback"),
    (0x10, "pointopoint"),
    (0x20, "notrailers"),
    (0x40, "running"),
    (0x80, "noarp"),
    (0x100, "promisc"),
    (0x200, "allmulti"),
    (0x1000, "multicast"),
];
/// The flags of a route that is in use and leads through a gateway.
const GATEWAY: u32 = 0x3;

/// The tags of most variables.
const AGENT: &str = "source=agent";
/// The tags of variables that cf-agent gets from `ifconfig`.
const IFCONFIG: &str = "source=agent,derived-from=ifconfig";
/// The tags of addresses.
const INVENTORY: &str = "inventory,attribute_name=none,source=agent";
/// The tags of gateways.
const ROUTE: &str = "inventory,networking,/proc,source=agent,attribute_name=none,procfs";

/// The first address of an interface that is up and no loopback. Otherwise the address of the
/// host's name, otherwise empty.
pub(crate) fn of_host(name: &str) -> String {
    let network = Network::look();
    let mut own = network.own();
    let own = own.find_map(|(link, address)| link.is_outside().then_some(IpAddr::V4(address.ip)));
    let named = || {
        let found = (name, 0).to_socket_addrs().ok()?;
        found.map(|address| address.ip()).find(IpAddr::is_ipv4)
    };
    own.or_else(named)
        .map_or(String::new(), |address| address.to_string())
}

impl Link {
    fn is_up(&self) -> bool {
        self.flags & UP != 0
    }

    fn is_outside(&self) -> bool {
        self.is_up() && self.flags & LOOPBACK == 0
    }

    /// The hardware address as cf-agent writes it.
    fn mac(&self) -> String {
        let byte = |at| self.hardware.get(at).copied().unwrap_or(0);
        let bytes: Vec<String> = (0..6).map(|at| format!("{:02x}", byte(at))).collect();
        bytes.join(":")
    }
}

/// The network of this host.
#[derive(Clone, Debug, Default)]
pub(crate) struct Network {
    links: Vec<Link>,
    addresses: Vec<Address>,
    /// IPv6 addresses, with the names of their interfaces.
    newer: Vec<(String, Ipv6Addr)>,
    gateways: Vec<String>,
    /// Whether `ifconfig` exists. cf-agent only gets interfaces without addresses, and IPv6
    /// addresses, from it.
    has_ifconfig: bool,
}

impl Network {
    fn look() -> Self {
        Self {
            links: links().unwrap_or_default(),
            addresses: addresses().unwrap_or_default(),
            newer: newer(&read("/proc/net/if_inet6")),
            gateways: gateways(&read("/proc/net/route")),
            has_ifconfig: ["/sbin/ifconfig", "/bin/ifconfig"]
                .iter()
                .any(|path| Path::new(path).exists()),
        }
    }

    /// IPv4 addresses, with their interfaces.
    fn own(&self) -> impl Iterator<Item = (&Link, &Address)> {
        self.addresses.iter().filter_map(|address| {
            let mut links = self.links.iter();
            let link = links.find(|link| link.number == address.link)?;
            Some((link, address))
        })
    }

    /// Removes the interfaces to ignore.
    fn without(mut self, mut ignored: impl FnMut(&str) -> bool) -> Self {
        self.addresses.retain(|address| !ignored(&address.label));
        self.newer.retain(|(name, _)| !ignored(name));
        self
    }

    /// The hard classes and their tags.
    fn classes(&self) -> Vec<(String, &'static str)> {
        let mut classes = Vec::new();
        for (link, Address { label, ip, .. }) in self.own() {
            classes.push((format!("net_iface_{label}"), AGENT));
            if !link.is_up() {
                continue;
            }
            classes.push((ip.to_string(), INVENTORY));
            let whole = format!("ipv4_{ip}");
            let parts = whole.match_indices('.').map(|(at, _)| &whole[..at]);
            classes.extend(parts.chain([&*whole]).map(|name| (name.into(), INVENTORY)));
            if link.is_outside() {
                classes.push((format!("mac_{}", link.mac()), INVENTORY));
            }
        }
        if self.has_ifconfig {
            for (_, ip) in &self.newer {
                classes.push((ip.to_string(), INVENTORY));
                classes.push((format!("ipv6_{ip}"), INVENTORY));
            }
        }
        let gateways = self.gateways.iter();
        classes.extend(gateways.map(|gateway| (format!("ipv4_gw_{gateway}"), ROUTE)));
        classes
    }

    /// The variables of the scope `sys`, in the order in which cf-agent sets them.
    fn variables(&self) -> Vec<Known> {
        let mut told = Told::default();
        for (link, Address { label, ip, .. }) in self.own() {
            let ip = ip.to_string();
            let name = scan::canonify(label);
            told.text("interface", label, AGENT);
            let flags = FLAGS.iter().filter(|(bit, _)| link.flags & bit != 0);
            let flags: Vec<&str> = flags.map(|(_, name)| *name).collect();
            if !flags.is_empty() {
                told.text(
                    &format!("interface_flags[{label}]"),
                    &flags.join(" "),
                    AGENT,
                );
                told.flags.push(flags.join(" "));
            }
            if !link.is_up() {
                continue;
            }
            if link.is_outside() && !told.has("ipv4") {
                told.text("ipv4", &ip, "inventory,source=agent,attribute_name=none");
            }
            told.addresses.push(ip.clone());
            told.text(&format!("ipv4[{name}]"), &ip, AGENT);
            told.text(&format!("ip2iface[{ip}]"), &name, AGENT);
            for (number, (at, _)) in [3, 2, 1].iter().zip(ip.rmatch_indices('.')) {
                told.text(&format!("ipv4_{number}[{name}]"), &ip[..at], AGENT);
            }
            if link.is_outside() {
                told.card(&name, link, AGENT);
                told.interface(label);
            }
        }
        let mut links: Vec<&Link> = self.links.iter().collect();
        links.sort_by_key(|link| natural(&link.name));
        for link in links.into_iter().filter(|_| self.has_ifconfig) {
            if link.ether && !told.cards.contains(&link.mac()) {
                told.card(&scan::canonify(&link.name), link, IFCONFIG);
            }
            for (_, ip) in self.newer.iter().filter(|(name, _)| *name == link.name) {
                told.addresses.push(ip.to_string());
                told.interface(&link.name);
            }
        }
        told.all()
    }
}

/// A variable: name, value, tags.
type Known = (String, Value, &'static str);

#[derive(Default)]
struct Told {
    variables: Vec<Known>,
    interfaces: Vec<String>,
    cards: Vec<String>,
    flags: Vec<String>,
    addresses: Vec<String>,
}

impl Told {
    fn text(&mut self, name: &str, value: &str, tags: &'static str) {
        self.variables.push((name.into(), Value::text(value), tags));
    }

    fn has(&self, name: &str) -> bool {
        self.variables.iter().any(|(known, ..)| known == name)
    }

    fn card(&mut self, name: &str, link: &Link, tags: &'static str) {
        let mac = link.mac();
        self.text(&format!("hardware_mac[{name}]"), &mac, tags);
        if !self.cards.contains(&mac) {
            self.cards.push(mac);
        }
    }

    fn interface(&mut self, name: &str) {
        if !self.interfaces.iter().any(|known| known == name) {
            self.interfaces.push(name.to_owned());
        }
    }

    fn all(mut self) -> Vec<Known> {
        let lists = [
            (
                "interfaces",
                self.interfaces,
                "inventory,source=agent,attribute_name=Interfaces",
            ),
            (
                "hardware_addresses",
                self.cards,
                "inventory,source=agent,attribute_name=MAC addresses",
            ),
            ("hardware_flags", self.flags, AGENT),
            ("ip_addresses", self.addresses, AGENT),
        ];
        for (name, items, tags) in lists {
            if !items.is_empty() {
                self.variables
                    .push((name.into(), Value::texts(items), tags));
            }
        }
        self.variables
    }
}

impl Agent {
    /// Sets classes and variables about the network.
    pub(super) fn put_network(&mut self) {
        let list = self
            .voice
            .options
            .workdir
            .join("inputs/ignore_interfaces.rx");
        let list = std::fs::read_to_string(list).unwrap_or_default();
        let network = Network::look().without(|name| {
            let mut patterns = list.split_ascii_whitespace();
            patterns.any(|wanted| wanted == name || self.patterns.matches_fully(wanted, name))
        });
        let newer = network.newer.iter();
        let newer = newer.map(|(name, ip)| (ip.to_string(), scan::canonify(name)));
        Rc::make_mut(&mut self.machine).newer = newer.collect();
        for (name, tags) in network.classes() {
            self.put_hard(&name, tags);
        }
        for (name, value, tags) in network.variables() {
            let tags = Rc::new(tags.split(',').map(Text::from).collect());
            self.put_tagged(("sys", &name), value, tags);
        }
        // Lists of all variables mark them instead of dropping them.
        for name in UNKNOWN_EVERYWHERE {
            let marker = format!("sys.{name} is not supported by the reference agent");
            let value = Value::data(Data::text(marker));
            self.put_tagged(("sys", name), value, Rc::new(vec![AGENT.into()]));
        }
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// IPv6 addresses except the loopback's, from `/proc/net/if_inet6`.
fn newer(table: &str) -> Vec<(String, Ipv6Addr)> {
    let address = |line: &str| {
        let mut fields = line.split_ascii_whitespace();
        let bits = u128::from_str_radix(fields.next()?, 16).ok()?;
        Some((fields.next_back()?.to_owned(), Ipv6Addr::from_bits(bits)))
    };
    let all = table.lines().filter_map(address);
    all.filter(|(_, ip)| !ip.is_loopback()).collect()
}

/// The gateways in use, from `/proc/net/route`.
fn gateways(table: &str) -> Vec<String> {
    let gateway = |line: &str| {
        let mut fields = line.split_ascii_whitespace().skip(2);
        let bytes = u32::from_str_radix(fields.next()?, 16).ok()?.to_le_bytes();
        let flags = u32::from_str_radix(fields.next()?, 16).ok()?;
        let used = flags & GATEWAY == GATEWAY;
        used.then(|| std::net::Ipv4Addr::from(bytes).to_string())
    };
    table.lines().filter_map(gateway).collect()
}

/// The sort key that puts `eth2` before `eth10`, as `ifconfig` does.
fn natural(name: &str) -> (&str, u64) {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (stem, name[stem.len()..].parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Network {
        let link = |number, name: &str, flags, hardware: &[u8]| Link {
            number,
            name: name.into(),
            flags,
            ether: !hardware.is_empty(),
            hardware: hardware.to_vec(),
        };
        let address = |link, label: &str, ip: [u8; 4]| Address {
            link,
            label: label.into(),
            ip: ip.into(),
        };
        Network {
            links: vec![
                link(1, "lo", 0x49, &[]),
                link(2, "eth0.7", 0x1043, &[2, 0, 0, 0, 0, 0xa]),
                link(3, "ifb10", 0x2, &[2, 0, 0, 0, 0, 0xb]),
                link(4, "ifb9", 0x2, &[2, 0, 0, 0, 0, 0xc]),
            ],
            addresses: vec![
                address(1, "lo", [127, 0, 0, 1]),
                address(2, "eth0.7", [192, 0, 2, 7]),
                address(3, "ifb10", [192, 0, 2, 9]),
            ],
            newer: newer("fe800000000000000000000000000001 02 40 20 80   eth0.7\n"),
            gateways: gateways("Iface Destination Gateway Flags\neth0 00000000 010200C0 0003\n"),
            has_ifconfig: true,
        }
    }

    #[test]
    fn classes_name_interfaces_addresses_and_gateways() {
        let names: Vec<String> = network().classes().into_iter().map(|one| one.0).collect();
        assert_eq!(
            names,
            [
                "net_iface_lo",
                "127.0.0.1",
                "ipv4_127",
                "ipv4_127.0",
                "ipv4_127.0.0",
                "ipv4_127.0.0.1",
                "net_iface_eth0.7",
                "192.0.2.7",
                "ipv4_192",
                "ipv4_192.0",
                "ipv4_192.0.2",
                "ipv4_192.0.2.7",
                "mac_02:00:00:00:00:0a",
                "net_iface_ifb10",
                "fe80::1",
                "ipv6_fe80::1",
                "ipv4_gw_192.0.2.1",
            ]
        );
    }

    #[test]
    fn ignored_interfaces_define_no_classes() {
        let network = network().without(|name| name.starts_with("eth"));
        let left = network.classes();
        assert!(left.iter().all(|(name, _)| !name.contains("192.0.2.7")));
        assert!(left.iter().any(|(name, _)| name == "net_iface_lo"));
    }

    #[test]
    fn variables_tell_of_each_interface() {
        let variables = network().variables();
        let get = |name: &str| {
            let found = variables.iter().rfind(|(known, ..)| known == name);
            found.map(|(_, value, _)| value.clone())
        };
        let text = |value: &str| Some(Value::text(value));
        let list = |items: &[&str]| Some(Value::texts(items.iter().copied()));
        assert_eq!(get("interface"), text("ifb10"));
        assert_eq!(get("ipv4"), text("192.0.2.7"));
        assert_eq!(get("ipv4_2[eth0_7]"), text("192.0"));
        assert_eq!(get("ip2iface[192.0.2.7]"), text("eth0_7"));
        assert_eq!(
            get("interface_flags[eth0.7]"),
            text("up broadcast running multicast")
        );
        assert_eq!(get("ipv4[ifb10]"), None);
        assert_eq!(get("interfaces"), list(&["eth0.7"]));
        assert_eq!(
            get("hardware_addresses"),
            list(&[
                "02:00:00:00:00:0a",
                "02:00:00:00:00:0c",
                "02:00:00:00:00:0b"
            ])
        );
        assert_eq!(
            get("ip_addresses"),
            list(&["127.0.0.1", "192.0.2.7", "fe80::1"])
        );
    }
}
