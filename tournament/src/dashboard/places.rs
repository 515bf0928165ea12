//! Places for connections: how many there are, who gives way where all are taken, and how many those may have who have not
//! shown the token. Strangers give way to whoever comes after them, so that one of them, or many, cannot shut out who knows
//! it; and where there is no room, whoever has been asking nothing for the longest time does.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{Notify, OwnedSemaphorePermit, Semaphore};

use super::Limits;

/// All places of a server.
#[derive(Debug)]
pub(super) struct Places {
    room: Arc<Semaphore>,
    guests: Mutex<Guests>,
    needs_token: bool,
}

/// Those whose connections are open, and have not been told to give way.
#[derive(Debug)]
struct Guests {
    /// By their numbers, which are in the order in which they came.
    present: BTreeMap<u64, Guest>,
    /// How many comings and requests there were.
    events: u64,
    /// The most strangers of all peers, and of one.
    most: usize,
    most_of_a_peer: usize,
}

#[derive(Debug)]
struct Guest {
    peer: IpAddr,
    /// It has not shown the token that is needed.
    is_stranger: bool,
    /// After how many events it last asked for something; none while it is answered.
    idle_since: Option<u64>,
    gives_way: Arc<Notify>,
}

/// A place of a connection, until it is dropped.
#[derive(Debug)]
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    gives_way: Arc<Notify>,
    _room: OwnedSemaphorePermit,
}

/// A request that is being answered, until this is dropped.
#[derive(Debug)]
pub(super) struct Answering(Arc<Place>);

impl Places {
    /// Places within limits; without a token nobody is a stranger.
    pub(super) fn new(limits: Limits, needs_token: bool) -> Arc<Places> {
        let guests = Guests {
            present: BTreeMap::new(),
            events: 0,
            most: (limits.connections / 2).max(1),
            most_of_a_peer: limits.strangers,
        };
        let room = Arc::new(Semaphore::new(limits.connections));
        Arc::new(Places { room, guests: Mutex::new(guests), needs_token })
    }

    /// Waits for room, which whoever has been idle for the longest time gives if there is none.
    pub(super) async fn room(&self) -> Option<OwnedSemaphorePermit> {
        if self.room.available_permits() == 0 {
            self.with_guests(Guests::dismiss_idle);
        }
        Arc::clone(&self.room).acquire_owned().await.ok()
    }

    /// Gives room to a connection from there. A stranger may have to give way.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, room: OwnedSemaphorePermit) -> Place {
        let gives_way = Arc::new(Notify::new());
        let guest = Guest {
            peer: network_of(peer),
            is_stranger: self.needs_token,
            idle_since: None,
            gives_way: Arc::clone(&gives_way),
        };
        let number = self.with_guests(|guests| guests.add(guest));
        Place { places: Arc::clone(self), number, gives_way, _room: room }
    }

    fn with_guests<T>(&self, work: impl FnOnce(&mut Guests) -> T) -> T {
        // Nothing in it is left half done by a panic.
        work(&mut self.guests.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Guests {
    fn add(&mut self, guest: Guest) -> u64 {
        let (number, peer) = (self.events, guest.peer);
        self.present.insert(number, guest);
        self.set_idle(number);
        let strangers = || self.present.iter().filter(|(_, guest)| guest.is_stranger);
        let mut of_peer = strangers().filter(|(_, guest)| guest.peer == peer);
        let first = if of_peer.clone().count() > self.most_of_a_peer {
            of_peer.next()
        } else if strangers().count() > self.most {
            strangers().next()
        } else {
            None
        };
        if let Some(&number) = first.map(|(number, _)| number) {
            self.dismiss(number);
        }
        number
    }

    fn dismiss(&mut self, number: u64) {
        if let Some(guest) = self.present.remove(&number) {
            guest.gives_way.notify_one();
        }
    }

    fn dismiss_idle(&mut self) {
        let idle = self.present.iter().filter_map(|(&number, guest)| Some((guest.idle_since?, number)));
        if let Some((_, number)) = idle.min() {
            self.dismiss(number);
        }
    }

    fn set_idle(&mut self, number: u64) {
        self.events += 1;
        if let Some(guest) = self.present.get_mut(&number) {
            guest.idle_since = Some(self.events);
        }
    }
}

impl Place {
    /// Who has it knows the token: it is no stranger any more.
    pub(super) fn make_known(&self) {
        self.with_guest(|guest| guest.is_stranger = false);
    }

    /// It has asked for something, and is not idle until that is answered.
    pub(super) fn answer(self: &Arc<Self>) -> Answering {
        self.with_guest(|guest| guest.idle_since = None);
        Answering(Arc::clone(self))
    }

    /// Waits until it must give way to somebody else.
    pub(super) async fn gives_way(&self) {
        self.gives_way.notified().await;
    }

    fn with_guest(&self, work: impl FnOnce(&mut Guest)) {
        self.places.with_guests(|guests| guests.present.get_mut(&self.number).map(work));
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.places.with_guests(|guests| guests.present.remove(&self.number));
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.places.with_guests(|guests| guests.set_idle(self.0.number));
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
    use std::borrow::Borrow;

    use super::*;

    fn places(connections: usize, strangers: usize, needs_token: bool) -> Arc<Places> {
        Places::new(Limits { connections, strangers, ..Limits::default() }, needs_token)
    }

    fn take(places: &Arc<Places>, peer: &str) -> Place {
        let room = Arc::clone(&places.room).try_acquire_owned().unwrap();
        places.take(peer.parse().unwrap(), room)
    }

    /// Those of these places, by index, whose connections must give way.
    fn giving_way(places: &[impl Borrow<Place>]) -> Vec<usize> {
        use std::pin::pin;
        use std::task::{Context, Poll, Waker};
        let mut context = Context::from_waker(Waker::noop());
        let mut must = |place: &Place| pin!(place.gives_way()).poll(&mut context) == Poll::Ready(());
        (0..places.len()).filter(|&index| must(places[index].borrow())).collect()
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
    fn where_all_places_are_taken_the_longest_idle_gives_way() {
        use std::task::{Context, Poll, Waker};
        let places = places(4, 4, false);
        let taken: Vec<_> = (0..4).map(|_| Arc::new(take(&places, "127.0.0.1"))).collect();
        let _first = taken[0].answer();
        drop(taken[1].answer());
        let mut room = std::pin::pin!(places.room());
        let mut poll = || room.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        assert!(poll().is_pending());
        // The first is being answered, and the second has asked since the third came.
        assert_eq!(giving_way(&taken), [2]);
        drop(taken);
        assert!(matches!(poll(), Poll::Ready(Some(_))));
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
