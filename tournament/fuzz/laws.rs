//! The properties that the fuzz targets check: no input makes the parsers panic, and what they accept survives a
//! round trip. `cargo test` replays the corpus through them.

use std::io::Write as _;

use smalt_fleet::wire::{self, Announcement, Message, Response, WorkMessage, WorkerRequest};
use smalt_match::plan::{Plan, Settings};
use smalt_match::store::{Store, StoreError};
use smalt_workbench::entrant::Registry;

/// Plan files: settings survive printing, and are a plan or refused.
pub(crate) fn plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let Ok(settings) = Settings::parse(&text, "plan") else { return };
    let printed = settings.to_toml();
    assert_eq!(Settings::parse(&printed, "printed").map(|read| read.to_toml()).ok(), Some(printed));
    if let Ok(layer) = Settings::parse_layer(&text, "plan") {
        let _ = Plan::of_layers(layer, &Registry::shipped());
    }
}

/// Registries, Smalt's and Cute Chess's: each engine is found by its name.
pub(crate) fn registry(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let own = Registry::parse(&text, "engines.toml").ok();
    let foreign = Registry::parse_cutechess(&text, "engines.json").ok().map(|(registry, _)| registry);
    for registry in [own, foreign].into_iter().flatten() {
        for name in registry.names() {
            assert!(registry.find(name).is_some(), "{name:?}");
        }
        let _ = registry.nearest_name("stockfish");
        let _ = registry.parse_engine("name option.Hash=1");
    }
}

/// Stores: every reader reads or refuses, and a store that cannot be resumed is unchanged.
pub(crate) fn store(bytes: &[u8]) {
    let mut file = tempfile::NamedTempFile::new().expect("there is a folder for temporary files");
    file.write_all(bytes).expect("the file can be written");
    let _ = read_all(file.path());
    let is_resumed = Store::resume(file.path()).is_ok();
    let left = std::fs::read(file.path()).expect("the file can be read");
    assert!(is_resumed || left == bytes, "a store that is refused keeps its bytes");
}

fn read_all(path: &std::path::Path) -> Result<(), StoreError> {
    let store = Store::read(path)?;
    let readers: [&dyn Fn() -> Result<(), StoreError>; 8] = [
        &|| store.run().map(drop),
        &|| store.for_each_game(|game| drop(game.sentence())),
        &|| store.for_each_fault(|_| {}),
        &|| store.last_faults(5).map(drop),
        &|| store.engines().map(drop),
        &|| store.machines().map(drop),
        &|| store.latest_session().map(drop),
        &|| store.disqualifications().map(drop),
    ];
    readers.iter().try_for_each(|read| read())
}

/// Messages: accepted ones survive a round trip.
pub(crate) fn wire(bytes: &[u8]) {
    let headed = [format!("smalt {}\n", wire::VERSION).as_bytes(), bytes].concat();
    for bytes in [bytes, &headed] {
        taken_again::<Announcement>(bytes);
        taken_again::<Response>(bytes);
        if let Some(WorkerRequest::Result { record, .. }) = taken_again::<WorkerRequest>(bytes) {
            let _ = record.to_report();
        }
        if let Some(work) = taken_again::<WorkMessage>(bytes) {
            let _ = work.to_work(2);
        }
    }
}

fn taken_again<M: Message + PartialEq + std::fmt::Debug>(bytes: &[u8]) -> Option<M> {
    let message: M = wire::decode(bytes).ok()?;
    let encoded = wire::encode(&message).expect("a message that was taken is not too long");
    assert_eq!(wire::decode::<M>(&encoded).as_ref(), Ok(&message));
    Some(message)
}
