//! Translates c-chess-cli's command line to cutechess-cli's.

use std::path::Path;

use anyhow::{Context, bail};

use super::flag::{Flag, flags};
use super::sample::SampleOptions;

/// A c-chess-cli command line as cutechess-cli flags, plus settings that the latter lacks.
#[derive(Debug, PartialEq)]
pub(super) struct CChessCli {
    pub(super) arguments: Vec<String>,
    pub(super) sample: Option<SampleOptions>,
}

/// Default timeout of an engine in seconds, to which c-chess-cli's `timeout=` is relative.
const USUAL_TIMEOUT: f64 = 10.0;

impl CChessCli {
    /// Parses a command line.
    pub(super) fn parse(arguments: &[String]) -> anyhow::Result<CChessCli> {
        let mut translated = CChessCli { arguments: Vec::new(), sample: None };
        for flag in flags(arguments)? {
            translated.take(&flag)?;
        }
        Ok(translated)
    }

    fn take(&mut self, flag: &Flag<'_>) -> anyhow::Result<()> {
        match flag.name {
            "engine" | "each" => {
                let words: Vec<Vec<String>> =
                    flag.words.iter().map(|word| engine_word(word)).collect::<anyhow::Result<_>>()?;
                self.push(flag.name, words.concat());
            }
            "repeat" | "version" | "help" => {
                flag.alone()?;
                self.push(flag.name, Vec::new());
            }
            "games" | "rounds" | "concurrency" => self.push(flag.name, vec![flag.word()?.to_owned()]),
            "gauntlet" => {
                flag.alone()?;
                self.push("tournament", vec!["gauntlet".to_owned()]);
            }
            "log" => {
                flag.alone()?;
                self.push("log", vec!["file=c-chess-cli.log".to_owned(), "engine=true".to_owned()]);
            }
            "openings" => self.take_openings(flag)?,
            "pgn" => self.take_pgn(flag)?,
            "draw" | "resign" => self.push_rule(flag)?,
            "sprt" => {
                let mut words = flag.words.to_vec();
                if !words.iter().any(|word| word.starts_with("elo1=")) {
                    words.push("elo1=4".to_owned());
                }
                self.push("sprt", words);
            }
            "sample" => self.sample = Some(SampleOptions::parse(flag)?),
            other => bail!("unknown flag -{other} of c-chess-cli"),
        }
        Ok(())
    }

    fn push(&mut self, name: &str, words: Vec<String>) {
        self.arguments.push(format!("-{name}"));
        self.arguments.extend(words);
    }

    fn take_openings(&mut self, flag: &Flag<'_>) -> anyhow::Result<()> {
        let mut words = vec!["format=epd".to_owned()];
        for (key, value) in flag.pairs()? {
            match key {
                "file" | "order" => words.push(format!("{key}={value}")),
                // 0 means a random seed, as without the flag.
                "srand" if value == "0" => {}
                "srand" => self.push("srand", vec![value.to_owned()]),
                _ => return Err(flag.unknown(key, "file, order and srand")),
            }
        }
        self.push("openings", words);
        Ok(())
    }

    /// `-pgn FILE [VERBOSITY]`: below 2, moves have no comments.
    fn take_pgn(&mut self, flag: &Flag<'_>) -> anyhow::Result<()> {
        let (file, verbosity) = match flag.words {
            [file] => (file, 3),
            [file, verbosity] => {
                (file, verbosity.parse::<u32>().with_context(|| format!("-pgn {file} {verbosity}"))?)
            }
            _ => bail!("-pgn takes a file and its verbosity, 0 to 3"),
        };
        let minimal = (verbosity < 2).then(|| "min".to_owned());
        self.push("pgnout", [file.clone()].into_iter().chain(minimal).collect());
        Ok(())
    }

    /// `-draw` and `-resign`; off without a count.
    fn push_rule(&mut self, flag: &Flag<'_>) -> anyhow::Result<()> {
        let mut words = Vec::new();
        for (key, value) in flag.pairs()? {
            match key {
                "number" | "count" => words.push(format!("move{key}={value}")),
                "score" => words.push(format!("{key}={value}")),
                _ => return Err(flag.unknown(key, "number, count and score")),
            }
        }
        if words.iter().any(|word| word.starts_with("movecount=") && word != "movecount=0") {
            self.push(flag.name, words);
        }
        Ok(())
    }
}

/// Translates a word of an engine. A command with a folder runs in that folder.
fn engine_word(word: &str) -> anyhow::Result<Vec<String>> {
    Ok(match word.split_once('=') {
        Some(("cmd", command)) => {
            let (program, arguments) = command.split_once(' ').unwrap_or((command, ""));
            let mut words = Vec::new();
            let path = Path::new(program);
            match (path.parent().and_then(Path::to_str), path.file_name().and_then(|name| name.to_str())) {
                (Some(folder), Some(name)) if program.contains('/') => {
                    words.extend([format!("cmd=./{name}"), format!("dir={folder}")]);
                }
                _ => words.push(format!("cmd={program}")),
            }
            words.push(format!("args={arguments}"));
            words
        }
        Some(("movetime", seconds)) => vec![format!("st={seconds}")],
        Some(("timeout", seconds)) => {
            let seconds: f64 = seconds.parse().with_context(|| word.to_owned())?;
            vec![format!("tscale={}", (seconds / USUAL_TIMEOUT).clamp(0.2, 120.0))]
        }
        Some(("name" | "tc" | "depth" | "nodes", _)) => vec![word.to_owned()],
        Some((key, _)) if key.starts_with("option.") => vec![word.to_owned()],
        _ => bail!(
            "{word}: the words of an engine are cmd, name, tc, movetime, depth, nodes, timeout and option.NAME"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &[&str], expected: &str) {
        let line: Vec<String> = line.iter().map(|&word| word.to_owned()).collect();
        assert_eq!(CChessCli::parse(&line).unwrap().arguments.join(" "), expected);
    }

    /// The example of c-chess-cli's README.
    #[test]
    fn its_flags_are_those_of_cutechess_in_other_words() {
        check(
            &[
                "-each",
                "tc=4+0.04",
                "option.Hash=8",
                "-engine",
                "cmd=demolito",
                "option.Time Buffer=80",
                "nodes=200000",
                "-engine",
                "cmd=../Engines/critter_1.6a -x 1",
                "movetime=0.5",
                "timeout=4",
                "-games",
                "1920",
                "-openings",
                "file=test/chess960.epd",
                "order=random",
                "srand=7",
                "-repeat",
                "-sprt",
                "elo0=1",
                "-resign",
                "count=3",
                "score=700",
                "-draw",
                "number=40",
                "count=8",
                "score=10",
                "-pgn",
                "out.pgn",
                "1",
                "-gauntlet",
            ],
            "-each tc=4+0.04 option.Hash=8 -engine cmd=demolito args= option.Time Buffer=80 nodes=200000 -engine \
             cmd=./critter_1.6a dir=../Engines args=-x 1 st=0.5 tscale=0.4 -games 1920 -srand 7 -openings format=epd \
             file=test/chess960.epd order=random -repeat -sprt elo0=1 elo1=4 -resign movecount=3 score=700 -draw \
             movenumber=40 movecount=8 score=10 -pgnout out.pgn min -tournament gauntlet",
        );
        check(&["-draw", "score=10"], "");
        assert!(CChessCli::parse(&["-draws".to_owned()]).is_err());
    }
}
