//! The PGN and EPD files of a run, written from its store.

use super::{Coordinator, RunError, RunEvent};

impl Coordinator<'_> {
    /// Rewrites game files that were removed or replaced during the run.
    pub(super) fn restore_games(&mut self) -> Result<(), RunError> {
        let restored = self
            .games
            .restore(|each| Ok::<(), RunError>(self.store.for_each_game(|record| each(&record))?))?;
        if restored.is_empty() {
            return Ok(());
        }
        let mut settings = self.grown.as_ref().unwrap_or(&self.prepared.plan).settings.clone();
        for (lost, file) in restored {
            let names = [&mut settings.output.pgn, &mut settings.output.epd];
            for name in names.into_iter().flatten().filter(|name| **name == lost) {
                name.clone_from(&file);
            }
            let words = format!(
                "Warning: {} was removed, renamed or replaced during the run; all games were written again, to {}",
                lost.display(),
                file.display()
            );
            self.notify(&RunEvent::Notice(&words));
        }
        Ok(self.store.change_plan(&settings.to_toml())?)
    }
}
