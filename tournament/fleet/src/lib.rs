//! Distributed runs over NATS JetStream: a [`smalt_match::run::Queue`] whose workers run on other machines.
//!
//! Work is done only when its games are stored: a redelivered game may be played twice, but is never counted
//! twice.

pub mod fleet_state;
pub mod jetstream;
pub mod machine;
pub mod run_config;
pub mod verify;
pub mod wire;
