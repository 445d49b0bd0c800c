//! Functions of addresses and host names; they do not use the network.

use super::{Done, arg, class};
use crate::context::{Agent, Reference};
use crate::log::Severity;
use crate::number;
use crate::scan;
use crate::value::{Text, Value};
use std::net::{Ipv4Addr, Ipv6Addr};

/// `isipinsubnet(range, address, …)`
pub(super) fn isipinsubnet(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    if arguments.is_empty() {
        agent.complain("Function 'isipinsubnet' requires at least one argument");
        return Ok(None);
    }
    let range = arg(arguments, 0);
    for at in 1..arguments.len() {
        if matches(agent, range, arg(arguments, at)) {
            return class(true);
        }
    }
    class(false)
}

/// `iprange(range, interface, …)`: whether this host has an address in a range.
pub(super) fn iprange(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    if arguments.is_empty() {
        agent.complain("Function 'iprange' requires at least one argument");
        return Ok(None);
    }
    let range = arg(arguments, 0);
    let wanted = &arguments[1..];
    let wanted: Vec<String> = wanted
        .iter()
        .filter_map(Value::scalar)
        .map(|name| scan::canonify(name))
        .collect();
    let sys = |name: &str| Reference::parse(name, (None, Some("sys")));
    let addresses = agent.find_value(&sys("ip_addresses"));
    let addresses = addresses.and_then(|(_, value)| value.items().map(<[Value]>::to_vec));
    for address in addresses
        .unwrap_or_default()
        .iter()
        .filter_map(Value::scalar)
    {
        if !matches(agent, range, address) {
            continue;
        }
        if wanted.is_empty() {
            return class(true);
        }
        let interface = agent.find_value(&sys(&format!("ip2iface[{address}]")));
        let newer = agent.machine.newer.iter();
        let newer = newer.filter(|(ip, _)| *ip == **address);
        let interface = interface
            .and_then(|(_, value)| value.scalar().cloned())
            .or_else(|| newer.map(|(_, name)| Text::from(&**name)).next());
        if interface.is_some_and(|name| wanted.iter().any(|one| **one == *name)) {
            return class(true);
        }
    }
    class(false)
}

/// Whether an address lies in a range: `10.0.0.0/8`, `10.0.1-5`, `10.0`.
fn matches(agent: &mut Agent, range: &str, address: &str) -> bool {
    if range == address {
        return true;
    }
    let has = |c: char| range.contains(c) || address.contains(c);
    match (has('.'), has(':')) {
        (true, true) => return false,
        (false, false) => {
            agent.complain(format!(
                "Not a valid address range - or not a fully qualified name '{range}'"
            ));
            return false;
        }
        _ => {}
    }
    match (range.split_once('/'), range.contains('-')) {
        (Some(_), true) => {
            agent.complain(format!(
                "Cannot mix CIDR notation with xxx-yyy range notation '{range}'"
            ));
            false
        }
        (Some((network, bits)), false) => in_network(agent, range, network, bits, address),
        (None, true) if has('.') => in_octets(range, address),
        (None, true) => {
            agent.say(
                Severity::Error,
                "ranges of IPv6 addresses are not supported by the reference agent",
            );
            false
        }
        // A partial address must end at an octet's end.
        (None, false) => match address.strip_prefix(range) {
            Some(rest) => rest.starts_with('.'),
            None => false,
        },
    }
}

/// Whether an address lies in a CIDR range. An unreadable address counts as all zeros. An
/// unreadable IPv4 network matches no address, unless its prefix has zero bits.
fn in_network(agent: &mut Agent, range: &str, network: &str, bits: &str, address: &str) -> bool {
    let four = range.contains('.') || address.contains('.');
    let (kind, most, longest) = if four { (4, 32, 16) } else { (6, 128, 40) };
    let bits = number::leading(bits).and_then(|(bits, _)| u32::try_from(bits).ok());
    let bits = bits.filter(|bits| *bits <= most && (1..=longest).contains(&network.len()));
    let Some(bits) = bits else {
        agent.complain(format!("Invalid IPv{kind} CIDR: {range}"));
        return false;
    };
    if four {
        let part = |address: Ipv4Addr| address.to_bits().checked_shr(32 - bits);
        let address = address.parse().unwrap_or(Ipv4Addr::UNSPECIFIED);
        bits == 0
            || network
                .parse()
                .is_ok_and(|network| part(network) == part(address))
    } else if bits % 8 != 0 {
        agent.complain("Cannot handle ipv6 masks which are not 8 bit multiples (fix me)");
        false
    } else {
        let read = |text: &str| text.parse().unwrap_or(Ipv6Addr::UNSPECIFIED);
        let part = |text: &str| read(text).to_bits().checked_shr(128 - bits);
        part(network) == part(address)
    }
}

/// Each octet is a number or a range of them.
fn in_octets(range: &str, address: &str) -> bool {
    let number = |text: &str| text.parse::<i64>().unwrap_or(-1);
    range
        .split('.')
        .zip(address.split('.'))
        .all(|(octet, own)| {
            let own = number(own);
            match octet.split_once('-') {
                Some((from, to)) => number(from) <= own && own <= number(to),
                None => number(octet) == own,
            }
        })
}

/// `hostrange(prefix, range)`: whether this host's name is the prefix and a number of the range.
pub(super) fn hostrange(agent: &mut Agent, _: &str, arguments: &[Value]) -> Done {
    let range = arg(arguments, 1).split_once('-');
    let range = range.and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?)));
    let Some((from, to)): Option<(i64, i64)> = range else {
        agent.complain(
            "HostRange syntax error: second arg should have X-Y format where X and Y are decimal numbers",
        );
        return Ok(None);
    };
    let host = agent.machine.host.clone();
    let base = host.trim_end_matches(|c: char| c.is_ascii_digit());
    let number: i64 = host[base.len()..].parse().unwrap_or(-1);
    class(
        number >= 0
            && !base.is_empty()
            && (from..=to).contains(&number)
            && base.eq_ignore_ascii_case(arg(arguments, 0)),
    )
}
