//! A fastchess configuration as an equivalent command line.

use super::{ConfigEngine, ConfigFile, Draw, Log, NEVER, Opening, Pgn, Resign, Sprt, Times};

impl ConfigFile {
    /// The equivalent command line.
    pub(in crate::cli::compat) fn to_arguments(&self) -> Vec<String> {
        let mut words = Words(Vec::new());
        for engine in &self.engines {
            engine.push(&mut words);
        }
        let Opening { file, format, order, plies, start } = &self.opening;
        if !file.is_empty() {
            words.flag("openings", [format!("file={file}"), format!("start={}", (*start).max(1))]);
            words.word_if(*format < 2, || format!("format={}", ["epd", "pgn"][usize::from(*format)]));
            words.word(format!("order={}", if *order == 0 { "random" } else { "sequential" }));
            words.word_if(*plies >= 0, || format!("plies={plies}"));
        }
        words.number("srand", self.seed);
        words.number("rounds", self.rounds.max(1));
        words.number("games", self.games.max(1));
        // Two games per round share an opening, which is fastchess's default only.
        words.switch("repeat", self.games == 2);
        words.number("concurrency", self.concurrency);
        words.number("autosaveinterval", self.autosaveinterval);
        let interval = |interval: u64| if interval >= NEVER { 0 } else { interval };
        words.number("ratinginterval", interval(self.ratinginterval));
        words.number("scoreinterval", interval(self.scoreinterval));
        words.number("wait", self.wait);
        words.number("seeds", self.gauntlet_seeds.max(1));
        words.flag("tournament", [["roundrobin", "gauntlet"][usize::from(self.r#type.min(1))].to_owned()]);
        words.flag("variant", [["standard", "fischerandom"][usize::from(self.variant.min(1))].to_owned()]);
        words.flag(
            "output",
            [format!("format={}", ["fastchess", "cutechess"][usize::from(self.output.min(1))])],
        );
        words.flag("report", [format!("penta={}", self.report_penta)]);
        if self.resign.enabled {
            let Resign { move_count, score, twosided, .. } = self.resign;
            let rule =
                [format!("movecount={move_count}"), format!("score={score}"), format!("twosided={twosided}")];
            words.flag("resign", rule);
        }
        if self.draw.enabled {
            let Draw { move_number, move_count, score, .. } = self.draw;
            let rule = [
                format!("movenumber={move_number}"),
                format!("movecount={move_count}"),
                format!("score={score}"),
            ];
            words.flag("draw", rule);
        }
        if self.maxmoves.enabled {
            words.number("maxmoves", self.maxmoves.move_count);
        }
        if self.tb_adjudication.enabled {
            words.flag("tb", [self.tb_adjudication.syzygy_dirs.clone()]);
            words.number("tbpieces", self.tb_adjudication.max_pieces);
            words.switch("tbignore50", self.tb_adjudication.ignore_50_move_rule);
        }
        if self.sprt.enabled {
            let Sprt { alpha, beta, elo0, elo1, model, .. } = &self.sprt;
            let rule = [
                format!("elo0={elo0}"),
                format!("elo1={elo1}"),
                format!("alpha={alpha}"),
                format!("beta={beta}"),
                format!("model={model}"),
            ];
            words.flag("sprt", rule);
        }
        self.push_files(&mut words);
        words.switch("recover", self.recover);
        words.switch("noswap", self.noswap);
        words.switch("reverse", self.reverse);
        words.switch("use-affinity", self.affinity);
        words.switch("check-mate-pvs", self.check_mate_pvs);
        words.switch("show-latency", self.show_latency);
        words.0
    }

    fn push_files(&self, words: &mut Words) {
        let Pgn { file, event_name, site, .. } = &self.pgn;
        words.flag("event", [event_name.clone()]);
        if site != "?" {
            words.flag("site", [site.clone()]);
        }
        if !file.is_empty() {
            // The file already has games of the run.
            words.flag("pgnout", [format!("file={file}"), "append=true".to_owned()]);
            words.word(format!("notation={}", ["san", "lan", "uci"][usize::from(self.pgn.notation.min(2))]));
            let figures = [
                ("nodes", self.pgn.track_nodes),
                ("seldepth", self.pgn.track_seldepth),
                ("nps", self.pgn.track_nps),
                ("hashfull", self.pgn.track_hashfull),
                ("tbhits", self.pgn.track_tbhits),
                ("timeleft", self.pgn.track_timeleft),
                ("latency", self.pgn.track_latency),
                ("pv", self.pgn.track_pv),
                ("min", self.pgn.min),
            ];
            for (name, is_on) in figures {
                words.word_if(is_on, || format!("{name}=true"));
            }
            for pattern in &self.pgn.additional_lines_rgx {
                words.word(format!("match_line={pattern}"));
            }
        }
        if self.pgn.crc {
            words.flag("crc32", ["pgn=true".to_owned()]);
        }
        if !self.epd.file.is_empty() {
            words.flag("epdout", [format!("file={}", self.epd.file), "append=true".to_owned()]);
        }
        let Log { file, level, append_file, compress, engine_coms, .. } = &self.log;
        if !file.is_empty() {
            let level = ["trace", "trace", "info", "warn", "err", "fatal"][usize::from(*level).min(5)];
            words.flag("log", [format!("file={file}"), format!("level={level}")]);
            words.word(format!("append={append_file}"));
            words.word(format!("compress={compress}"));
            words.word(format!("engine={engine_coms}"));
        }
    }
}

impl ConfigEngine {
    fn push(&self, words: &mut Words) {
        let Times { increment, fixed_time, time, moves, timemargin } = self.limit.tc;
        words.flag("engine", [format!("cmd={}", self.cmd), format!("name={}", self.name)]);
        words.word_if(!self.dir.is_empty(), || format!("dir={}", self.dir));
        words.word_if(!self.args.is_empty(), || format!("args={}", self.args));
        words.word_if(self.restart, || "restart=on".to_owned());
        let seconds = |ms: u64| format!("{}.{:03}", ms / 1000, ms % 1000);
        words.word_if(time + increment > 0, || {
            let moves = if moves > 0 { format!("{moves}/") } else { String::new() };
            format!("tc={moves}{}+{}", seconds(time), seconds(increment))
        });
        words.word_if(fixed_time > 0, || format!("st={}", seconds(fixed_time)));
        words.word_if(timemargin > 0, || format!("timemargin={timemargin}"));
        words.word_if(self.limit.nodes > 0, || format!("nodes={}", self.limit.nodes));
        words.word_if(self.limit.plies > 0, || format!("depth={}", self.limit.plies));
        for (name, value) in &self.options {
            words.word(format!("option.{name}={value}"));
        }
    }
}

/// A command line under construction.
struct Words(Vec<String>);

impl Words {
    fn word(&mut self, word: String) {
        self.0.push(word);
    }

    fn word_if(&mut self, is_given: bool, word: impl FnOnce() -> String) {
        if is_given {
            self.0.push(word());
        }
    }

    fn flag<const N: usize>(&mut self, name: &str, words: [String; N]) {
        self.0.push(format!("-{name}"));
        self.0.extend(words);
    }

    fn number(&mut self, name: &str, number: impl ToString) {
        self.flag(name, [number.to_string()]);
    }

    fn switch(&mut self, name: &str, is_on: bool) {
        if is_on {
            self.flag(name, []);
        }
    }
}
