//! The host's address, as the agent takes it for one of its own, and how much it
//! says of interfaces.

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

/// The first address of the first interface that is up and no loopback; else what
/// the host's name stands for; else nothing.
pub(crate) fn of_host(name: &str) -> String {
    let links = links().unwrap_or_default();
    let counts = |number: u32| {
        let link = links.iter().find(|link| link.number == number);
        link.is_some_and(|link| link.up && !link.loopback)
    };
    let own = addresses().unwrap_or_default().into_iter();
    let own = own.filter(|(interface, _)| counts(*interface));
    let own = own.min_by_key(|(interface, _)| *interface);
    let named = || {
        let found = (name, 0).to_socket_addrs().ok()?;
        found.map(|address| address.ip()).find(IpAddr::is_ipv4)
    };
    let address = own.map(|(_, address)| IpAddr::V4(address)).or_else(named);
    address.map_or(String::new(), |address| address.to_string())
}

/// How many variables the agent has of a host's interfaces, none of which there are
/// here.
pub(crate) fn variables() -> usize {
    let links = links().unwrap_or_default();
    let addresses = addresses().unwrap_or_default();
    let told = |link: &Link| {
        let own = addresses.iter().filter(|(on, _)| *on == link.number);
        if link.up { own.count() } else { 0 }
    };
    let up = links.iter().filter(|link| told(link) > 0).count();
    let outside = links.iter().any(|link| !link.loopback && told(link) > 0);
    let cards = links.iter().filter(|link| link.card).count();
    let whole = [
        // `inet`, `inet6`, `interfaces_data`
        3,
        // `hardware_flags`, `interface`, `ip_addresses`
        if up > 0 { 3 } else { 0 },
        // `interfaces`, `ipv4`
        if outside { 2 } else { 0 },
        // `hardware_addresses`
        usize::from(cards > 0),
    ];
    let elements = [
        // `interface_flags`, `ipv4`, `ipv4_1`, `ipv4_2`, `ipv4_3`
        5 * up,
        // `ip2iface`
        links.iter().map(told).sum(),
        // `hardware_mac`
        cards,
    ];
    whole.iter().chain(&elements).sum()
}

/// An interface.
struct Link {
    number: u32,
    up: bool,
    loopback: bool,
    /// It has an address of its hardware.
    card: bool,
}

const REQUEST: usize = 24;
const RTM_NEWLINK: u16 = 16;
const RTM_GETLINK: u16 = 18;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const NLMSG_DONE: u16 = 3;
/// A request whose answer is a table.
const DUMP: u16 = 0x301;
const AF_UNSPEC: u8 = 0;
const AF_INET: u8 = 2;
const IFLA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const UP: u32 = 1;
const LOOPBACK: u32 = 8;

/// A table that the kernel tells, message by message.
fn table(ask: u16, kinds: u8, answer: u16) -> Option<Vec<Vec<u8>>> {
    let flags = SocketFlags::CLOEXEC;
    let family = AddressFamily::NETLINK;
    // Without a protocol, it is the one about addresses.
    let socket = socket_with(family, SocketType::RAW, flags, None).ok()?;
    let mut request = [0; REQUEST];
    request[..4].copy_from_slice(&(REQUEST as u32).to_ne_bytes());
    request[4..6].copy_from_slice(&ask.to_ne_bytes());
    request[6..8].copy_from_slice(&DUMP.to_ne_bytes());
    request[16] = kinds;
    send(&socket, &request, SendFlags::empty()).ok()?;
    let mut found = Vec::new();
    loop {
        let mut buffer = vec![0; 64 << 10];
        let (length, _) = recv(&socket, &mut buffer, RecvFlags::empty()).ok()?;
        let mut rest = buffer.get(..length)?;
        while !rest.is_empty() {
            let length = number(rest.get(..4)?) as usize;
            let kind = rest.get(4..6)?;
            let message = rest.get(16..length)?;
            match u16::from_ne_bytes([kind[0], kind[1]]) {
                NLMSG_DONE => return Some(found),
                kind if kind == answer => found.push(message.to_vec()),
                _ => return None,
            }
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
    }
}

/// Addresses, each with its interface's number.
fn addresses() -> Option<Vec<(u32, Ipv4Addr)>> {
    let messages = table(RTM_GETADDR, AF_INET, RTM_NEWADDR)?;
    let address = |message: &Vec<u8>| {
        let bytes = attribute(message.get(8..)?, IFA_LOCAL)?;
        let bytes: [u8; 4] = bytes.try_into().ok()?;
        Some((number(message.get(4..8)?), Ipv4Addr::from(bytes)))
    };
    Some(messages.iter().filter_map(address).collect())
}

fn links() -> Option<Vec<Link>> {
    let messages = table(RTM_GETLINK, AF_UNSPEC, RTM_NEWLINK)?;
    let link = |message: &Vec<u8>| {
        let flags = number(message.get(8..12)?);
        let hardware = attribute(message.get(16..)?, IFLA_ADDRESS);
        let hardware = hardware.unwrap_or_default();
        Some(Link {
            number: number(message.get(4..8)?),
            up: flags & UP != 0,
            loopback: flags & LOOPBACK != 0,
            card: hardware.iter().any(|byte| *byte != 0),
        })
    };
    Some(messages.iter().filter_map(link).collect())
}

fn number(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_ne_bytes)
}

/// An attribute among those of a message.
fn attribute(mut rest: &[u8], kind: u16) -> Option<&[u8]> {
    loop {
        let head = rest.get(..4)?;
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]])).max(4);
        if u16::from_ne_bytes([head[2], head[3]]) == kind {
            return rest.get(4..length);
        }
        rest = rest.get(length.next_multiple_of(4)..)?;
    }
}
