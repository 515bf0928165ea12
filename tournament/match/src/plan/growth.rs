//! Runs that grow: more games, or another engine. The plan keeps the earlier sizes, since games keep their numbers.

use std::num::NonZeroU32;

use smalt_workbench::entrant::{EngineSettings, Names, Registry, check_new_name};
use toml::Table;

use super::check::resolve_error;
use super::entrant::Role;
use super::run::RunSize;
use super::{Format, Plan, PlanError};

/// Why a run cannot grow.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum GrowthError {
    #[error("a sequential test has as many games as it takes, of two engines: start another one")]
    Test,
    #[error("a {0} cannot be extended")]
    Format(Format),
    #[error("{games} further games: only even numbers keep games in pairs (a pairing had {before})")]
    Odd { games: u32, before: u32 },
    #[error("workers of a fleet get the engines at the start of the run; start another one")]
    Fleet,
    #[error(transparent)]
    Plan(#[from] PlanError),
}

impl Plan {
    /// Sizes of the run, from the first to the current one.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = RunSize> + '_ {
        self.settings.run.grown.iter().copied().chain([self.size()])
    }

    fn size(&self) -> RunSize {
        RunSize { engines: self.settings.entrants.len(), games: self.games() }
    }

    /// The plan with more games per pairing.
    ///
    /// # Errors
    /// If the format has no fixed number of games, or pairs of games would be split.
    pub fn extended(&self, further: NonZeroU32) -> Result<Plan, GrowthError> {
        self.check_growth()?;
        let (games, before) = (further.get(), self.games());
        if !games.is_multiple_of(2) || !before.is_multiple_of(2) {
            return Err(GrowthError::Odd { games, before });
        }
        let mut settings = self.settings.clone();
        settings.run.grown.push(self.size());
        settings.run.games = settings.run.games.saturating_add(games);
        Ok(Plan::new(settings)?)
    }

    /// The plan with another engine, which meets the same opponents as if it had been there from the start; a match
    /// becomes a round robin.
    ///
    /// # Errors
    /// If the format allows no further entrant, its settings are invalid, or its name is taken.
    pub fn joined(&self, engine: EngineSettings) -> Result<Plan, GrowthError> {
        self.check_growth()?;
        if self.fleet().is_some() {
            return Err(GrowthError::Fleet);
        }
        let mut settings = self.settings.clone();
        settings.run.grown.push(self.size());
        if settings.run.format == Format::Match {
            settings.run.format = Format::RoundRobin;
        }
        settings.entrants.push(EngineSettings { role: engine.role.or(Some(Role::Opponent)), ..engine });
        Ok(Plan::new(settings)?)
    }

    fn check_growth(&self) -> Result<(), GrowthError> {
        if self.sprt.is_some() {
            return Err(GrowthError::Test);
        }
        match self.format() {
            Format::Gauntlet | Format::RoundRobin | Format::Match => Ok(()),
            other => Err(GrowthError::Format(other)),
        }
    }

    /// Settings of a joining engine: as typed, with those of the registry and the clock of the run.
    ///
    /// # Errors
    /// If it has no command, or its name is taken.
    pub fn newcomer(&self, engine: &Table, registry: &Registry) -> Result<EngineSettings, PlanError> {
        let clock = self.settings.clock.layer().map_err(|error| PlanError::Value(error.to_string()))?;
        let mut names = Names::default();
        for entrant in &self.entrants {
            names.take(Some(&entrant.name), "")?;
        }
        let number = self.entrants.len() + 1;
        let newcomer = registry
            .resolve(engine, &Table::new(), &clock, &mut names)
            .map_err(|error| resolve_error(number, error))?;
        newcomer.name.as_deref().map_or(Ok(()), check_new_name)?;
        Ok(newcomer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Settings;

    fn plan(text: &str) -> Plan {
        let layer = Settings::parse_layer(text, "test").unwrap();
        Plan::of_layers(layer, &Registry::default()).unwrap()
    }

    fn engines(names: &[&str]) -> String {
        names.iter().map(|name| format!("[[entrant]]\nname = \"{name}\"\ncmd = \"builtin\"\n")).collect()
    }

    fn newcomer(plan: &Plan, words: &str) -> Result<EngineSettings, PlanError> {
        plan.newcomer(&Registry::default().parse_engine(words).unwrap(), &Registry::default())
    }

    #[test]
    fn a_grown_plan_is_read_as_it_was_written() {
        let text = format!("[run]\nformat = \"match\"\ngames = 4\n{}", engines(&["a", "b"]));
        let grown = plan(&text).extended(NonZeroU32::new(6).unwrap()).unwrap();
        let c = newcomer(&grown, "cmd=builtin name=c depth=3").unwrap();
        let grown = grown.joined(c).unwrap();
        assert_eq!((grown.format(), grown.games(), grown.entrants.len()), (Format::RoundRobin, 10, 3));
        assert_eq!(grown.name(), "a vs b");
        let read = Plan::new(Settings::parse(&grown.settings.to_toml(), "test").unwrap()).unwrap();
        assert_eq!(read, grown);
        let games: Vec<_> = read.sizes().map(|size| (size.engines, size.games)).collect();
        assert_eq!(games, [(2, 4), (2, 10), (3, 10)]);
    }

    #[test]
    fn what_cannot_grow_says_why() {
        let two = NonZeroU32::new(2).unwrap();
        let test = plan(&format!("[run]\nformat = \"match\"\n[sprt]\nelo1 = 5\n{}", engines(&["a", "b"])));
        assert_eq!(test.extended(two), Err(GrowthError::Test));
        let c = newcomer(&test, "cmd=builtin name=c").unwrap();
        assert_eq!(test.joined(c), Err(GrowthError::Test));
        let knockout = plan(&format!("[run]\nformat = \"knockout\"\n{}", engines(&["a", "b"])));
        assert_eq!(knockout.extended(two), Err(GrowthError::Format(Format::Knockout)));
        let odd = plan(&format!("[run]\nformat = \"match\"\ngames = 3\n{}", engines(&["a", "b"])));
        assert_eq!(odd.extended(two), Err(GrowthError::Odd { games: 2, before: 3 }));
        assert!(matches!(newcomer(&odd, "cmd=builtin name=b"), Err(PlanError::Name(_))));
        assert!(matches!(newcomer(&odd, "cmd=builtin name=c\u{200b}"), Err(PlanError::Name(_))));
    }

    #[test]
    fn sizes_that_do_not_grow_are_refused() {
        for grown in
            ["{ engines = 1, games = 8 }", "{ engines = 2, games = 9 }", "{ engines = 3, games = 4 }"]
        {
            let text =
                format!("[run]\nformat = \"match\"\ngames = 8\ngrown = [{grown}]\n{}", engines(&["a", "b"]));
            let layer = Settings::parse_layer(&text, "test").unwrap();
            let refused = Plan::of_layers(layer, &Registry::default()).unwrap_err();
            assert!(matches!(refused, PlanError::Format { key: "grown", .. }), "{grown}: {refused}");
        }
    }
}
