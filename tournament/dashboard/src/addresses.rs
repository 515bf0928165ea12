//! Addresses of a server that listens on all interfaces.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

/// The addresses for browsers. For a server on all interfaces: those of this machine in its networks, then the
/// loopback address.
pub fn addresses(listen: SocketAddr) -> Vec<SocketAddr> {
    if !listen.ip().is_unspecified() {
        return vec![listen];
    }
    let mut hosts: Vec<IpAddr> =
        own_address(Ipv4Addr::UNSPECIFIED.into(), FOREIGN_V4.into()).into_iter().collect();
    if listen.is_ipv6() {
        hosts.extend(own_address(Ipv6Addr::UNSPECIFIED.into(), FOREIGN_V6.into()));
    }
    hosts.push(Ipv4Addr::LOCALHOST.into());
    hosts.into_iter().map(|host| SocketAddr::new(host, listen.port())).collect()
}

/// Unused addresses: networks for documentation (RFC 5737 and RFC 3849).
const FOREIGN_V4: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const FOREIGN_V6: Ipv6Addr = Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 1);

/// Source address that this machine would use. Nothing is sent: a datagram socket only looks up the route.
fn own_address(from: IpAddr, to: IpAddr) -> Option<IpAddr> {
    let socket = UdpSocket::bind((from, 0)).ok()?;
    socket.connect((to, 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_unspecified() && !own.is_loopback()).then_some(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_on_all_interfaces_has_working_addresses() {
        let found = addresses("0.0.0.0:8064".parse().unwrap());
        assert_eq!(found.last().unwrap().to_string(), "127.0.0.1:8064");
        for address in &found {
            assert!(!address.ip().is_unspecified() && address.port() == 8064, "{address}");
            // Only addresses of this machine can be bound.
            assert!(UdpSocket::bind((address.ip(), 0)).is_ok(), "{address}");
        }
        assert!(found[..found.len() - 1].iter().all(|address| !address.ip().is_loopback()), "{found:?}");
    }

    #[test]
    fn one_address_is_itself() {
        let address = "10.1.2.3:80".parse().unwrap();
        assert_eq!(addresses(address), [address]);
    }
}
