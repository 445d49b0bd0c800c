//! Interfaces and their addresses, as the kernel reports them.

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};
use std::net::Ipv4Addr;

/// An interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) number: u32,
    pub(super) name: String,
    pub(super) flags: u32,
    /// Whether it is an Ethernet device, or behaves like one.
    pub(super) ether: bool,
    /// The hardware address.
    pub(super) hardware: Vec<u8>,
}

/// An address of an interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    pub(super) link: u32,
    /// The interface's name, or an alias for this address.
    pub(super) label: String,
    pub(super) ip: Ipv4Addr,
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
const ARPHRD_ETHER: u16 = 1;
const IFLA_ADDRESS: u16 = 1;
const IFLA_IFNAME: u16 = 3;
const IFA_LOCAL: u16 = 2;
const IFA_LABEL: u16 = 3;

/// Requests a table from the kernel; returns its messages.
fn table(ask: u16, kinds: u8, answer: u16) -> Option<Vec<Vec<u8>>> {
    let flags = SocketFlags::CLOEXEC;
    let family = AddressFamily::NETLINK;
    // The default protocol is the one about routes and addresses.
    let socket = socket_with(family, SocketType::RAW, flags, None).ok()?;
    let mut request = [0; REQUEST];
    request[..4].copy_from_slice(&(REQUEST as u32).to_ne_bytes());
    request[4..6].copy_from_slice(&ask.to_ne_bytes());
    request[6..8].copy_from_slice(&DUMP.to_ne_bytes());
    request[16] = kinds;
    send(&socket, &request, SendFlags::empty()).ok()?;
    let mut found = Vec::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
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

/// All IPv4 addresses, with their interfaces.
pub(super) fn addresses() -> Option<Vec<Address>> {
    let messages = table(RTM_GETADDR, AF_INET, RTM_NEWADDR)?;
    let address = |message: &Vec<u8>| {
        let attributes = message.get(8..)?;
        let bytes: [u8; 4] = attribute(attributes, IFA_LOCAL)?.try_into().ok()?;
        Some(Address {
            link: number(message.get(4..8)?),
            label: text(attribute(attributes, IFA_LABEL)?),
            ip: Ipv4Addr::from(bytes),
        })
    };
    let mut addresses: Vec<Address> = messages.iter().filter_map(address).collect();
    addresses.sort_by_key(|address| address.link);
    Some(addresses)
}

/// All interfaces.
pub(super) fn links() -> Option<Vec<Link>> {
    let messages = table(RTM_GETLINK, AF_UNSPEC, RTM_NEWLINK)?;
    let link = |message: &Vec<u8>| {
        let kind = message.get(2..4)?;
        let attributes = message.get(16..)?;
        Some(Link {
            number: number(message.get(4..8)?),
            name: text(attribute(attributes, IFLA_IFNAME)?),
            flags: number(message.get(8..12)?),
            ether: u16::from_ne_bytes([kind[0], kind[1]]) == ARPHRD_ETHER,
            hardware: attribute(attributes, IFLA_ADDRESS)
                .unwrap_or_default()
                .to_vec(),
        })
    };
    Some(messages.iter().filter_map(link).collect())
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0);
    String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
}

fn number(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_ne_bytes)
}

/// Finds an attribute of a message.
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
