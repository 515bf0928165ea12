//! Options that depend on the game (`UCI_Chess960`, `Ponder`), sent before it if they change.

use smalt_chess::CastlingMode;
use smalt_protocol::{OptionDeclaration, OptionKind, option};

use crate::engine::GameOptions;
use crate::fault::Fault;
use crate::settings::Pondering;

const CHESS960: &str = "UCI_Chess960";
const PONDER: &str = "Ponder";

/// The values sent last; `None` if never sent. Options set by the user are not changed.
#[derive(Debug, Default)]
pub(super) struct SentOptions {
    chess960: Option<bool>,
    ponder: Option<bool>,
    ponder_is_chosen: bool,
}

impl SentOptions {
    /// Records that the user set this option.
    pub(super) fn note_choice(&mut self, name: &str) {
        if name.eq_ignore_ascii_case(CHESS960) {
            self.chess960 = None;
        }
        self.ponder_is_chosen |= name.eq_ignore_ascii_case(PONDER);
    }

    /// The options to set for this game, with their values.
    pub(super) fn changes(
        &mut self,
        terms: GameOptions,
        options: &[OptionDeclaration],
    ) -> Result<impl Iterator<Item = (&'static str, &'static str)> + use<>, Fault> {
        let wants_960 = terms.variant == CastlingMode::Chess960;
        let chess960 = change(&mut self.chess960, wants_960, default_of(options, CHESS960));
        if wants_960 && option::find(options, CHESS960).is_none() {
            self.chess960 = None;
            return Err(Fault::NoChess960 { lack: "it has no option UCI_Chess960" });
        }
        let may_ponder = terms.pondering == Pondering::On;
        let offered = default_of(options, PONDER).filter(|_| !self.ponder_is_chosen);
        let ponder = change(&mut self.ponder, may_ponder, offered);
        let word = |value: bool| if value { "true" } else { "false" };
        let changes = [(CHESS960, chess960), (PONDER, ponder)];
        Ok(changes.into_iter().filter_map(move |(name, value)| Some((name, word(value?)))))
    }
}

/// The value to send, if the engine has the option with another value.
fn change(sent: &mut Option<bool>, wanted: bool, default: Option<bool>) -> Option<bool> {
    let change = default.is_some_and(|default| sent.unwrap_or(default) != wanted).then_some(wanted);
    *sent = change.or(*sent);
    change
}

fn default_of(options: &[OptionDeclaration], name: &str) -> Option<bool> {
    match option::find(options, name)?.kind {
        OptionKind::Check { default } => Some(default),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn declared(name: &str, default: bool) -> OptionDeclaration {
        OptionDeclaration { name: name.to_owned(), kind: OptionKind::Check { default } }
    }

    const PONDERED_960: GameOptions =
        GameOptions { variant: CastlingMode::Chess960, pondering: Pondering::On };

    fn check(known: &mut SentOptions, terms: GameOptions, expected: &[(&str, &str)]) {
        let options = [declared(CHESS960, false), declared(PONDER, true)];
        assert_eq!(known.changes(terms, &options).unwrap().collect::<Vec<_>>(), expected);
    }

    #[test]
    fn only_changes_are_sent() {
        let mut known = SentOptions::default();
        check(&mut known, GameOptions::default(), &[(PONDER, "false")]);
        check(&mut known, GameOptions::default(), &[]);
        check(&mut known, PONDERED_960, &[(CHESS960, "true"), (PONDER, "true")]);
        check(&mut known, PONDERED_960, &[]);
        check(&mut known, GameOptions::default(), &[(CHESS960, "false"), (PONDER, "false")]);
    }

    #[test]
    fn options_set_by_the_user_stay() {
        let mut known = SentOptions::default();
        known.note_choice("ponder");
        check(&mut known, GameOptions::default(), &[]);
    }

    #[test]
    fn an_engine_without_the_option_cannot_play_chess960() {
        let mut known = SentOptions::default();
        assert_eq!(known.changes(PONDERED_960, &[]).err().unwrap().name(), "no-chess960");
        assert_eq!(known.changes(GameOptions::default(), &[]).unwrap().count(), 0);
    }
}
