//! PGN games read per second, compared with pgn-reader plus shakmaty: tokens only, and with every move checked.

use std::ops::ControlFlow;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgn_reader::{Reader, SanPlus, Visitor as TheirVisitor};
use shakmaty::Position as _;
use smalt_chess::notation::pgn::{Flow, PgnGame, PgnReader, Variations, Visitor};
use smalt_chess::{Game, Position, San};

/// The games of data/games.
fn games() -> Vec<u8> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../data/games/ethereal12-stockfish15.pgn.zst");
    let file = std::fs::File::open(file).expect("the file is in the repository");
    zstd::decode_all(file).expect("the file is whole")
}

fn pattern() -> String {
    let mut game = Game::default();
    while game.moves().len() < 120 {
        let moves = game.position().legal_moves();
        if moves.is_empty() {
            break;
        }
        let mv = moves[(game.position().key() % moves.len() as u64) as usize];
        game.play(mv).expect("the move comes from the list of legal ones");
    }
    format!("{}\n", PgnGame::from(&game)).repeat(2000)
}

struct Nothing;

impl Visitor for Nothing {}

impl TheirVisitor for Nothing {
    type Tags = ();
    type Movetext = ();
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, (): ()) -> ControlFlow<(), ()> {
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, (): ()) {}
}

/// Our reader, checking every move.
#[derive(Default)]
struct OurJudge(Position);

impl Visitor for OurJudge {
    fn begin_game(&mut self, _: u64) {
        self.0 = Position::start();
    }

    fn tag(&mut self, name: &str, value: &str) {
        if name == "FEN" {
            self.0 = Position::from_fen(value).expect("the start positions are legal");
        }
    }

    fn san(&mut self, san: San, _: u64) -> Flow {
        let mv = san.to_move(&self.0).expect("the games are legal");
        self.0.play(mv);
        Flow::Read
    }
}

/// pgn-reader with shakmaty, checking every move.
struct MoveChecker;

impl TheirVisitor for MoveChecker {
    type Tags = shakmaty::Chess;
    type Movetext = shakmaty::Chess;
    type Output = ();

    fn begin_tags(&mut self) -> ControlFlow<(), shakmaty::Chess> {
        ControlFlow::Continue(shakmaty::Chess::default())
    }

    fn tag(
        &mut self,
        start: &mut shakmaty::Chess,
        name: &[u8],
        value: pgn_reader::RawTag<'_>,
    ) -> ControlFlow<()> {
        if name == b"FEN" {
            let fen =
                shakmaty::fen::Fen::from_ascii(value.as_bytes()).expect("the start positions are legal");
            *start =
                fen.into_position(shakmaty::CastlingMode::Standard).expect("the start positions are legal");
        }
        ControlFlow::Continue(())
    }

    fn begin_movetext(&mut self, start: shakmaty::Chess) -> ControlFlow<(), shakmaty::Chess> {
        ControlFlow::Continue(start)
    }

    fn san(&mut self, position: &mut shakmaty::Chess, san: SanPlus) -> ControlFlow<()> {
        let mv = san.san.to_move(position).expect("the games are legal");
        position.play_unchecked(mv);
        ControlFlow::Continue(())
    }

    fn end_game(&mut self, _: shakmaty::Chess) {}
}

fn read_games(criterion: &mut Criterion) {
    let text = games();
    let mut group = criterion.benchmark_group("pgn");
    group.throughput(Throughput::Bytes(text.len() as u64)).sample_size(20);
    group.bench_function("tokens/smalt", |bencher| {
        bencher.iter(|| {
            let mut reader = PgnReader::new(text.as_slice());
            while reader.visit_game(&mut Nothing).expect("memory does not fail") {}
        });
    });
    group.bench_function("tokens/pgn-reader", |bencher| {
        bencher.iter(|| {
            let mut reader = Reader::new(text.as_slice());
            while reader.read_game(&mut Nothing).expect("memory does not fail").is_some() {}
        });
    });
    group.bench_function("legal/smalt", |bencher| {
        bencher.iter(|| {
            let mut reader = PgnReader::new(text.as_slice());
            while reader.visit_game(&mut OurJudge::default()).expect("memory does not fail") {}
        });
    });
    group.bench_function("whole games/smalt", |bencher| {
        bencher.iter(|| {
            let mut reader = PgnReader::new(text.as_slice());
            while reader.read_game(Variations::Skip).expect("the games can be used").is_some() {}
        });
    });
    group.bench_function("legal/pgn-reader and shakmaty", |bencher| {
        bencher.iter(|| {
            let mut reader = Reader::new(text.as_slice());
            while reader.read_game(&mut MoveChecker).expect("memory does not fail").is_some() {}
        });
    });
    group.finish();
}

fn write_moves(criterion: &mut Criterion) {
    let mut reader = PgnReader::new(pattern().into_bytes().leak() as &[u8]);
    let game =
        reader.read_game(Variations::Skip).expect("the pattern is a game").expect("there is one").to_game();
    let plies: Vec<_> = game.plies().collect();
    let mut group = criterion.benchmark_group("san");
    group.throughput(Throughput::Elements(plies.len() as u64));
    group.bench_function("write", |bencher| {
        bencher.iter(|| plies.iter().map(|(position, mv)| San::from_move(*mv, position) as San).max());
    });
    group.bench_function("play_through_a_game", |bencher| {
        bencher.iter(|| {
            let mut replay = Game::default();
            for (_, mv) in &plies {
                replay.play(*mv).expect("the game is legal");
                std::hint::black_box(replay.ending(smalt_chess::DrawClaims::Never));
            }
        });
    });
    group.finish();
}

criterion_group!(benches, read_games, write_moves);
criterion_main!(benches);
