//! Early ends of games and tournaments in other programs' flags: draw and resign rules, tests, tablebases.

use std::path::PathBuf;

use anyhow::Context;
use smalt_stats::sprt::Model;

use super::Dialect;
use super::flag::Flag;
use crate::cli::output::print_info;
use smalt_match::plan::{
    DrawRule, FiftyMoves, ResignRule, Sides, SprtSettings, TablebaseResults, TablebaseRule,
};

/// `-draw movenumber= movecount= score=`.
pub(super) fn draw(flag: &Flag<'_>) -> anyhow::Result<DrawRule> {
    let mut rule = DrawRule { movenumber: 0, movecount: 1, score: 0 };
    for (key, value) in flag.pairs()? {
        match key {
            "movenumber" => rule.movenumber = flag.value(key, value)?,
            "movecount" => rule.movecount = flag.value(key, value)?,
            "score" => rule.score = flag.value(key, value)?,
            _ => return Err(flag.unknown(key, "movenumber, movecount and score")),
        }
    }
    Ok(rule)
}

/// `-resign movecount= score= twosided=`; c-chess-cli has `movenumber=` too.
pub(super) fn resign(flag: &Flag<'_>) -> anyhow::Result<ResignRule> {
    let mut rule = ResignRule { movenumber: 0, movecount: 1, score: 0, sides: Sides::One };
    for (key, value) in flag.pairs()? {
        match key {
            "movenumber" => rule.movenumber = flag.value(key, value)?,
            "movecount" => rule.movecount = flag.value(key, value)?,
            "score" => rule.score = flag.value(key, value)?,
            "twosided" => {
                rule.sides = if flag.truth(key, value)? { Sides::Both } else { Sides::One };
            }
            _ => return Err(flag.unknown(key, "movecount, score and twosided")),
        }
    }
    Ok(rule)
}

/// `-sprt elo0= elo1= alpha= beta= model=`.
pub(super) fn sprt(flag: &Flag<'_>, dialect: Dialect) -> anyhow::Result<SprtSettings> {
    let mut test = SprtSettings::default();
    if dialect != Dialect::Fastchess {
        test.model = Model::Logistic;
    }
    let mut has_elo1 = false;
    for (key, value) in flag.pairs()? {
        match key {
            "elo0" => test.elo0 = flag.value(key, value)?,
            "elo1" => {
                test.elo1 = flag.value(key, value)?;
                has_elo1 = true;
            }
            "alpha" => test.alpha = flag.value(key, value)?,
            "beta" => test.beta = flag.value(key, value)?,
            "model" => {
                test.model = value.parse().map_err(|error| flag.refuse(key, value, &format!("{error}")))?;
            }
            _ => return Err(flag.unknown(key, "elo0, elo1, alpha, beta and model")),
        }
    }
    anyhow::ensure!(has_elo1, "-sprt needs elo1=");
    Ok(test)
}

/// Parses one of `-tb`, `-tbpieces`, `-tbignore50` and `-tbadjudicate`, which form one rule.
pub(super) fn take_tables(rule: &mut TablebaseRule, flag: &Flag<'_>) -> anyhow::Result<()> {
    match flag.name {
        "tb" => rule.path = Some(folders(flag.word()?)?),
        "tbpieces" => rule.pieces = flag.number()?,
        "tbignore50" => {
            flag.alone()?;
            rule.fifty = FiftyMoves::Ignored;
        }
        _ => {
            rule.adjudicate = match flag.word()? {
                "WIN_LOSS" | "WON_LOST" => TablebaseResults::Wins,
                "DRAW" => TablebaseResults::Draws,
                "BOTH" => TablebaseResults::Both,
                other => anyhow::bail!("-tbadjudicate {other}: the settings are WIN_LOSS, DRAW and BOTH"),
            };
        }
    }
    Ok(())
}

/// Folders separated by semicolons or the system's separator, joined by the latter.
fn folders(paths: &str) -> anyhow::Result<PathBuf> {
    let folders = paths.split(';').flat_map(std::env::split_paths);
    let list = std::env::join_paths(folders).with_context(|| format!("-tb {paths}"))?;
    Ok(PathBuf::from(list))
}

/// Warns of table settings without tables, which fastchess accepts.
pub(super) fn warn_without_tables(rule: &TablebaseRule) {
    if rule.path.is_none() && *rule != TablebaseRule::default() {
        print_info("Warning: -tbpieces, -tbignore50 and -tbadjudicate do nothing without -tb PATHS");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_tables_are_parted_by_semicolons_and_as_the_system_does() {
        let check = |paths: &str, expected: &[&str]| {
            let list = folders(paths).unwrap();
            let found: Vec<PathBuf> = std::env::split_paths(&list).collect();
            assert_eq!(found, expected.iter().map(PathBuf::from).collect::<Vec<_>>(), "{paths}");
        };
        check("a;b", &["a", "b"]);
        if cfg!(windows) {
            check(r"C:\a;D:\b", &[r"C:\a", r"D:\b"]);
        } else {
            check("/a:/b;/c", &["/a", "/b", "/c"]);
        }
    }
}
