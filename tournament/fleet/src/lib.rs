//! Games on other machines, over NATS JetStream: a [`smalt_match::run::Queue`] whose workers are programs elsewhere.
//!
//! Work is done only when its games are stored: a redelivered game is played twice at worst, never counted twice. Knows
//! no results.

pub mod fleet_state;
pub mod jetstream;
pub mod machine;
pub mod run_config;
pub mod verify;
pub mod wire;
