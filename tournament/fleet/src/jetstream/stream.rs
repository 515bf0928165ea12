//! The work queue stream of one run. Operations run in order; failed ones are repaired by the next
//! [`StreamOrder::Hold`], which lists all pairs that should be there.

use std::collections::HashSet;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, pull};
use async_nats::jetstream::stream::{Config, DiscardPolicy, RetentionPolicy, StorageType, Stream};
use async_nats::jetstream::{self, Context};
use futures_util::StreamExt;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::timeout;

use super::{SERVER_TIMEOUT, Subjects};
use crate::wire::MAX_MESSAGE_BYTES;

/// Age after which the server deletes an abandoned run.
const MAX_STREAM_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Maximum number of waiting pairs, and their bytes.
const MAX_PAIRS: i64 = 200_000;
const MAX_BYTES: i64 = 1 << 30;

/// Maximum number of waiting fetch requests, and of leased pairs.
const MAX_WAITING: i64 = 16_384;
const MAX_HELD: i64 = 200_000;

/// An operation on a stream.
#[derive(Debug)]
pub(super) enum StreamOrder {
    /// Put this pair, replacing an older message.
    Put(u32, Vec<u8>),
    Remove(u32),
    /// Hold exactly these pairs.
    Hold(Vec<(u32, Vec<u8>)>),
}

/// The stream of a run.
pub(super) struct WorkQueue {
    context: Context,
    names: Subjects,
    lease: Duration,
    /// Says which plan the pairs are of.
    description: String,
    stream: Option<Stream>,
    /// Whether the last check found pairs that no worker could fetch.
    was_stranded: bool,
}

/// Content of a stream.
struct StreamListing {
    pairs: HashSet<u32>,
    /// Whether some pairs are neither waiting nor leased.
    is_stranded: bool,
}

impl WorkQueue {
    /// The queue of a run of this plan, not yet open.
    pub(super) fn new(client: async_nats::Client, names: Subjects, lease: Duration, plan: &str) -> WorkQueue {
        let mut context = jetstream::new(client);
        context.set_timeout(SERVER_TIMEOUT);
        let description = format!("pairs of games of smalt-tournament that wait for workers; plan {plan}");
        WorkQueue { context, names, lease, description, stream: None, was_stranded: false }
    }

    /// Whether the server has a stream of this name: the run goes on or was killed, or another has its name.
    pub(super) async fn exists(&self) -> bool {
        self.context.get_stream(self.names.stream()).await.is_ok()
    }

    /// Creates the stream or opens that of the same plan; one of another plan is deleted with its pairs.
    pub(super) async fn open(&mut self) -> Result<(), String> {
        let found = self.context.get_stream(self.names.stream()).await;
        let is_other = found
            .is_ok_and(|stream| stream.cached_info().config.description.as_ref() != Some(&self.description));
        if is_other {
            let deletion = self.context.delete_stream(self.names.stream()).await;
            deletion.map_err(|error| error.to_string())?;
        }
        self.make().await
    }

    async fn make(&mut self) -> Result<(), String> {
        let config = Config {
            name: self.names.stream(),
            subjects: vec![self.names.all_work()],
            description: Some(self.description.clone()),
            retention: RetentionPolicy::WorkQueue,
            storage: StorageType::File,
            discard: DiscardPolicy::Old,
            max_messages: MAX_PAIRS,
            max_messages_per_subject: 1,
            max_bytes: MAX_BYTES,
            max_age: MAX_STREAM_AGE,
            max_message_size: MAX_MESSAGE_BYTES as i32,
            num_replicas: 1,
            ..Config::default()
        };
        let consumer = pull::Config {
            durable_name: Some(self.names.consumer().to_owned()),
            ack_policy: AckPolicy::Explicit,
            ack_wait: self.lease,
            max_deliver: -1,
            max_ack_pending: MAX_HELD,
            max_waiting: MAX_WAITING,
            ..pull::Config::default()
        };
        let make = async {
            self.context.create_or_update_stream(config).await.map_err(|error| error.to_string())?;
            let stream = self.context.get_stream(self.names.stream()).await;
            let stream = stream.map_err(|error| error.to_string())?;
            stream.create_consumer(consumer).await.map_err(|error| error.to_string())?;
            Ok::<_, String>(stream)
        };
        let made = timeout(2 * SERVER_TIMEOUT, make).await.map_err(|_| "no answer".to_owned())?;
        self.stream = Some(made?);
        Ok(())
    }

    /// Runs operations until the channel is closed. Failed ones are repaired by the next
    /// [`StreamOrder::Hold`].
    pub(super) async fn serve(mut self, mut orders: UnboundedReceiver<StreamOrder>) {
        while let Some(order) = orders.recv().await {
            let done = match order {
                StreamOrder::Put(pair, bytes) => self.put(pair, bytes).await,
                StreamOrder::Remove(pair) => self.remove(pair).await,
                StreamOrder::Hold(pairs) => self.hold(pairs).await,
            };
            if done.is_none() {
                self.stream = None;
            }
        }
    }

    async fn put(&self, pair: u32, bytes: Vec<u8>) -> Option<()> {
        let published = async {
            let receipt = self.context.publish(self.names.work(pair), bytes.into()).await.ok()?;
            receipt.await.ok()
        };
        timeout(SERVER_TIMEOUT, published).await.ok()??;
        Some(())
    }

    async fn remove(&self, pair: u32) -> Option<()> {
        let purge = self.stream.as_ref()?.purge().filter(self.names.work(pair));
        timeout(SERVER_TIMEOUT, purge.into_future()).await.ok()?.ok()?;
        Some(())
    }

    async fn hold(&mut self, pairs: Vec<(u32, Vec<u8>)>) -> Option<()> {
        let listing = match self.list().await {
            Some(listing) => listing,
            // The server lost the stream or its consumer, or was away.
            None => {
                self.make().await.ok()?;
                self.list().await?
            }
        };
        let StreamListing { pairs: found, is_stranded } = listing;
        // Once may be a coincidence: a pair that the server was just about to deliver.
        let stays_stranded = is_stranded && self.was_stranded;
        self.was_stranded = is_stranded && !stays_stranded;
        if stays_stranded {
            let deletion = self.stream.as_ref()?.delete_consumer(self.names.consumer());
            timeout(SERVER_TIMEOUT, deletion).await.ok()?.ok()?;
            self.make().await.ok()?;
        }
        let wanted: HashSet<u32> = pairs.iter().map(|(pair, _)| *pair).collect();
        for pair in found.difference(&wanted) {
            self.remove(*pair).await?;
        }
        for (pair, bytes) in pairs.into_iter().filter(|(pair, _)| !found.contains(pair)) {
            self.put(pair, bytes).await?;
        }
        Some(())
    }

    /// The content, if stream and consumer exist: a killed server may come back with the stream but without
    /// its consumer, or with one that skips pairs that it never delivered.
    async fn list(&self) -> Option<StreamListing> {
        let stream = self.stream.as_ref()?;
        let list = async {
            // Read first: pairs acknowledged meanwhile are then missing from the pairs rather than from those
            // in reach.
            let consumer = stream.consumer_info(self.names.consumer()).await.ok()?;
            let subjects = stream.info_with_subjects(self.names.all_work()).await.ok()?;
            let count = usize::try_from(subjects.info.state.subjects_count).ok()?;
            let mut pairs = HashSet::new();
            let mut subjects = subjects.take(count);
            while let Some(subject) = subjects.next().await {
                pairs.extend(self.names.pair_of(&subject.ok()?.0));
            }
            let in_reach = consumer.num_pending + consumer.num_ack_pending as u64;
            Some(StreamListing { is_stranded: pairs.len() as u64 > in_reach, pairs })
        };
        timeout(SERVER_TIMEOUT, list).await.ok()?
    }
}

/// Deletes the stream of a run.
pub(super) async fn delete(client: &async_nats::Client, names: &Subjects, patience: Duration) {
    let context = jetstream::new(client.clone());
    let _ = timeout(patience, context.delete_stream(names.stream())).await;
}
