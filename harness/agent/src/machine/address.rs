//! The host's address, as the agent takes it for one of its own.

use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with,
};
use std::fs;
use std::net::{IpAddr, Ipv4Addr, ToSocketAddrs};

/// The first address of the first interface that is up and no loopback; else what
/// the host's name stands for; else nothing.
pub(crate) fn of_host(name: &str) -> String {
    let own = own().unwrap_or_default().into_iter();
    let own = own.min_by_key(|(interface, _)| *interface);
    let named = || {
        let found = (name, 0).to_socket_addrs().ok()?;
        found.map(|address| address.ip()).find(IpAddr::is_ipv4)
    };
    let address = own.map(|(_, address)| IpAddr::V4(address)).or_else(named);
    address.map_or(String::new(), |address| address.to_string())
}

const REQUEST: usize = 24;
const RTM_NEWADDR: u16 = 20;
const RTM_GETADDR: u16 = 22;
const NLMSG_DONE: u16 = 3;
/// A request whose answer is a table.
const DUMP: u16 = 0x301;
const AF_INET: u8 = 2;
const IFA_LOCAL: u16 = 2;
const UP: u32 = 1;
const LOOPBACK: u32 = 8;

/// Addresses that the kernel tells of, each with its interface's number.
fn own() -> Option<Vec<(u32, Ipv4Addr)>> {
    let flags = SocketFlags::CLOEXEC;
    let family = AddressFamily::NETLINK;
    // Without a protocol, it is the one about addresses.
    let socket = socket_with(family, SocketType::RAW, flags, None).ok()?;
    let mut request = [0; REQUEST];
    request[..4].copy_from_slice(&(REQUEST as u32).to_ne_bytes());
    request[4..6].copy_from_slice(&RTM_GETADDR.to_ne_bytes());
    request[6..8].copy_from_slice(&DUMP.to_ne_bytes());
    request[16] = AF_INET;
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
                RTM_NEWADDR => found.extend(address(message)),
                _ => return None,
            }
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
    }
}

fn number(bytes: &[u8]) -> u32 {
    bytes.try_into().map_or(0, u32::from_ne_bytes)
}

/// The address in a message, if its interface counts.
fn address(message: &[u8]) -> Option<(u32, Ipv4Addr)> {
    let interface = number(message.get(4..8)?);
    if !counts(interface) {
        return None;
    }
    let mut rest = message.get(8..)?;
    loop {
        let head = rest.get(..4)?;
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        if u16::from_ne_bytes([head[2], head[3]]) == IFA_LOCAL {
            let bytes: [u8; 4] = rest.get(4..8)?.try_into().ok()?;
            return Some((interface, Ipv4Addr::from(bytes)));
        }
        rest = rest.get(length.max(4).next_multiple_of(4)..)?;
    }
}

fn counts(interface: u32) -> bool {
    let folders = fs::read_dir("/sys/class/net")
        .into_iter()
        .flatten()
        .flatten();
    let read = |folder: &fs::DirEntry, name: &str| {
        let text = fs::read_to_string(folder.path().join(name)).unwrap_or_default();
        text.trim().to_owned()
    };
    let number = interface.to_string();
    let own = folders
        .into_iter()
        .find(|folder| read(folder, "ifindex") == number);
    let flags = own.map(|folder| read(&folder, "flags")).unwrap_or_default();
    let flags = flags.strip_prefix("0x").unwrap_or_default();
    let flags = u32::from_str_radix(flags, 16).unwrap_or(0);
    flags & UP != 0 && flags & LOOPBACK == 0
}
