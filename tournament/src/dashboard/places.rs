//! Places for connections: how many there are, and how many those may have who have not shown the token. Those give way to
//! whoever comes after them, so that one stranger, or many, cannot shut out who knows it.

use std::collections::VecDeque;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::Limits;

/// All places of a server.
#[derive(Debug)]
pub(super) struct Places {
    room: Arc<Semaphore>,
    /// Those who have not shown the token, in the order in which they came; nobody where none is needed.
    strangers: Mutex<Strangers>,
    needs_token: bool,
}

#[derive(Debug)]
struct Strangers {
    present: VecDeque<Stranger>,
    came: u64,
    most: usize,
    most_of_a_peer: usize,
}

#[derive(Debug)]
struct Stranger {
    number: u64,
    peer: IpAddr,
    gives_way: Arc<Notify>,
}

/// A place of a connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    /// Its number among strangers; none where no token is needed.
    number: Option<u64>,
    gives_way: Arc<Notify>,
    _room: OwnedSemaphorePermit,
}

impl Places {
    /// Places within limits; without a token nobody is a stranger.
    pub(super) fn new(limits: Limits, needs_token: bool) -> Arc<Places> {
        let strangers = Strangers {
            present: VecDeque::new(),
            came: 0,
            most: (limits.connections / 2).max(1),
            most_of_a_peer: limits.strangers,
        };
        let room = Arc::new(Semaphore::new(limits.connections));
        Arc::new(Places { room, strangers: Mutex::new(strangers), needs_token })
    }

    /// Waits for room.
    pub(super) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Gives room to a connection from there. Another stranger may have to give way.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, room: OwnedSemaphorePermit) -> Place {
        let gives_way = Arc::new(Notify::new());
        let number = self.needs_token.then(|| {
            self.with_strangers(|strangers| strangers.add(network_of(peer), Arc::clone(&gives_way)))
        });
        Place { places: Arc::clone(self), number, gives_way, _room: room }
    }

    fn with_strangers<T>(&self, work: impl FnOnce(&mut Strangers) -> T) -> T {
        // Nothing in it is left half done by a panic.
        work(&mut self.strangers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Strangers {
    fn add(&mut self, peer: IpAddr, gives_way: Arc<Notify>) -> u64 {
        let number = self.came;
        self.came += 1;
        self.present.push_back(Stranger { number, peer, gives_way });
        let of_peer = self.present.iter().filter(|stranger| stranger.peer == peer).count();
        let first = if of_peer > self.most_of_a_peer {
            self.present.iter().position(|stranger| stranger.peer == peer)
        } else {
            (self.present.len() > self.most).then_some(0)
        };
        if let Some(stranger) = first.and_then(|place| self.present.remove(place)) {
            stranger.gives_way.notify_one();
        }
        number
    }

    fn remove(&mut self, number: u64) {
        self.present.retain(|stranger| stranger.number != number);
    }
}

impl Place {
    /// Who has it knows the token: nobody shuts it out any more.
    pub(super) fn make_known(&self) {
        if let Some(number) = self.number {
            self.places.with_strangers(|strangers| strangers.remove(number));
        }
    }

    /// Waits until it must give way to somebody else.
    pub(super) async fn gives_way(&self) {
        self.gives_way.notified().await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.make_known();
    }
}

/// Whom an address belongs to: of version 6 a household has a whole network of 64 bits (RFC 6177).
fn network_of(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => Ipv6Addr::from_bits((address.to_bits() >> 64) << 64).into(),
        address @ IpAddr::V4(_) => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(connections: usize, strangers: usize, needs_token: bool) -> Arc<Places> {
        Places::new(Limits { connections, strangers, ..Limits::default() }, needs_token)
    }

    fn take(places: &Arc<Places>, peer: &str) -> Place {
        let room = Arc::clone(&places.room).try_acquire_owned().unwrap();
        places.take(peer.parse().unwrap(), room)
    }

    /// Those of these places, by index, whose connections must give way.
    fn giving_way(places: &[Place]) -> Vec<usize> {
        use std::pin::pin;
        use std::task::{Context, Poll, Waker};
        let mut context = Context::from_waker(Waker::noop());
        let mut must = |place: &Place| pin!(place.gives_way()).poll(&mut context) == Poll::Ready(());
        (0..places.len()).filter(|&index| must(&places[index])).collect()
    }

    #[test]
    fn the_oldest_stranger_of_a_peer_gives_way() {
        let places = places(20, 2, true);
        let other = take(&places, "10.0.0.1");
        let taken: Vec<_> = (0..4).map(|_| take(&places, "10.0.0.2")).collect();
        assert_eq!(giving_way(&taken), [0, 1]);
        assert!(giving_way(&[other]).is_empty());
    }

    #[test]
    fn who_knows_the_token_never_gives_way() {
        let places = places(20, 2, true);
        let known = take(&places, "10.0.0.2");
        known.make_known();
        let taken: Vec<_> = std::iter::once(known).chain((0..3).map(|_| take(&places, "10.0.0.2"))).collect();
        assert_eq!(giving_way(&taken), [1]);
    }

    #[test]
    fn strangers_of_many_addresses_have_half_of_all_places() {
        let places = places(6, 2, true);
        let taken: Vec<_> = (0..5).map(|host| take(&places, &format!("10.0.0.{host}"))).collect();
        assert_eq!(giving_way(&taken), [0, 1]);
    }

    #[test]
    fn without_a_token_nobody_is_a_stranger() {
        let places = places(6, 2, false);
        let taken: Vec<_> = (0..6).map(|_| take(&places, "127.0.0.1")).collect();
        assert!(giving_way(&taken).is_empty());
        assert!(Arc::clone(&places.room).try_acquire_owned().is_err());
        drop(taken);
        assert!(Arc::clone(&places.room).try_acquire_owned().is_ok());
    }

    #[test]
    fn a_household_is_one_peer() {
        let network = |text: &str| network_of(text.parse().unwrap());
        assert_eq!(network("2001:db8:1:2:3::4"), network("2001:db8:1:2:ffff::1"));
        assert_ne!(network("2001:db8:1:2::4"), network("2001:db8:1:3::4"));
        assert_eq!(network("::ffff:10.0.0.1"), network("10.0.0.1"));
        assert_ne!(network("10.0.0.1"), network("10.0.0.2"));
    }
}
