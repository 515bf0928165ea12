//! Rules and notation of standard chess and Chess960: no input or output, no clock, no global state.
//!
//! Parse a FEN and list the legal moves:
//!
//! ```
//! use smalt_chess::{Position, San};
//!
//! let position: Position = "8/8/8/8/8/k7/7R/K7 w - - 0 1".parse()?;
//! let moves = position.legal_moves();
//! assert_eq!(moves.len(), 15);
//! let names: Vec<String> = moves.iter().map(|&mv| San::from_move(mv, &position).to_string()).collect();
//! assert!(names.contains(&"Rh3+".to_owned()));
//! # Ok::<(), smalt_chess::FenError>(())
//! ```
//!
//! Play moves in standard algebraic notation (SAN):
//!
//! ```
//! use smalt_chess::{Position, San};
//!
//! let mut position = Position::start();
//! for text in ["e4", "e5", "Nf3", "Nc6", "Bb5"] {
//!     let mv = San::parse(text)?.to_move(&position)?;
//!     position.play(mv);
//! }
//! assert_eq!(position.to_fen(), "r1bqkbnr/pppp1ppp/2n5/1B2p3/4P3/5N2/PPPP1PPP/RNBQK2R b KQkq - 3 3");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Read the games of a PGN file:
//!
//! ```
//! use smalt_chess::PgnReader;
//! use smalt_chess::notation::pgn::Variations;
//!
//! let text = "[White \"Anderssen\"]\n[Black \"Kieseritzky\"]\n\n1. e4 e5 2. f4 exf4 *\n";
//! let mut reader = PgnReader::new(text.as_bytes());
//! while let Some(pgn) = reader.read_game(Variations::Skip)? {
//!     assert_eq!(pgn.tags().get("White"), Some("Anderssen"));
//!     assert_eq!(pgn.to_game().moves().len(), 4);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Chess960: set up start position 0 of 959 and castle; castling is encoded as the king capturing its own rook.
//!
//! ```
//! use smalt_chess::{CastlingMode, CastlingSide, FenStyle, Position, Setup, UciMove};
//!
//! let setup = Setup::chess960(0).ok_or("there are 960 start positions")?;
//! assert!(setup.to_fen(FenStyle::Shredder).starts_with("bbqnnrkr/pppppppp/"));
//! let mut position: Position = "4k3/8/8/8/8/8/8/1RK5 w B - 0 1".parse()?;
//! let castling = position.legal_castling(CastlingSide::Queen).ok_or("castling is legal")?;
//! assert_eq!(UciMove::from_move(castling, CastlingMode::of(&position)).to_string(), "c1b1");
//! position.play(castling);
//! assert_eq!(position.to_fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Endings and outcomes have names; draws by claim are found where the claims are automatic:
//!
//! ```
//! use smalt_chess::{Color, DrawClaims, Ending, Game, Outcome, San};
//!
//! let mut game = Game::default();
//! for text in ["f3", "e5", "g4", "Qh4"] {
//!     game.play(San::parse(text)?.to_move(game.position())?)?;
//! }
//! let ending = game.ending(DrawClaims::Automatic);
//! assert_eq!(ending, Some(Ending::Checkmate { winner: Color::Black }));
//! assert_eq!(ending.map(Ending::outcome), Some(Outcome::Win(Color::Black)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! EPD, and a Polyglot book; the key of a position is its Polyglot key:
//!
//! ```
//! use smalt_chess::notation::polyglot::{PolyglotBook, PolyglotBuilder};
//! use smalt_chess::{Epd, Position};
//!
//! let epd: Epd = "6k1/5ppp/8/8/8/8/8/R5K1 w - - bm Ra8#; id \"back rank\";".parse()?;
//! assert_eq!(epd.id().as_deref(), Some("back rank"));
//! let best = epd.best_moves().next().ok_or("there is a best move")??;
//!
//! assert_eq!(Position::start().key(), 0x463b_9618_1691_fc9c);
//! let mut builder = PolyglotBuilder::new();
//! builder.add(&epd.position, best, 1);
//! let book = PolyglotBook::new(builder.to_bytes())?;
//! assert_eq!(book.best_move(&epd.position), Some(best));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Modules
//!
//! In reading order:
//!
//! - [`square`], [`piece`], [`bitboard`]: squares, colors and pieces, and sets of squares;
//! - [`moves`]: moves in 16 bits, and move lists;
//! - [`attacks`]: attack tables of all pieces;
//! - [`setup`]: the parts of a position before validation;
//! - [`position`]: legal positions, their legal moves, making a move, the Polyglot key;
//! - [`outcome`]: results of games and the rules that end them;
//! - [`game`]: a start position with moves: repetition, fifty-move rule;
//! - [`notation`]: FEN, EPD, SAN, UCI moves, PGN and Polyglot books;
//! - [`perft`]: counts of move sequences;
//! - [`actions`]: moves as numbers, and masks of the legal ones, for policy networks;
//! - [`splitmix`]: a hash and generator of random numbers, for choices that depend on a seed alone.
//!
//! # Stability
//!
//! Versions follow Cargo's rules of semantic versioning: within 0.2 nothing that is exported here at the root, in
//! [`notation`], [`perft`] and [`actions`] changes its meaning, and the numbers of actions stay for good. What serves the
//! engine alone may change with each minor version: [`attacks`], [`splitmix`], [`MoveSink`], [`PawnStep`],
//! [`Checks`] and [`position::ExchangeValues`].

#![warn(missing_docs)]

pub mod actions;
pub mod attacks;
pub mod bitboard;
pub mod game;
pub mod moves;
pub mod notation;
pub mod outcome;
pub mod perft;
pub mod piece;
pub mod position;
pub mod setup;
pub mod splitmix;
pub mod square;

pub use bitboard::Bitboard;
pub use game::{DrawClaims, Game, IllegalMoveError};
pub use moves::{Move, MoveKind, MoveList};
pub use notation::epd::{Epd, EpdMoveError, ParseEpdError};
pub use notation::fen::{FenError, FenStyle, ParseFenError};
pub use notation::move_comment::{CommentScore, MoveComment, SearchComment};
pub use notation::pgn::{PgnGame, PgnReader};
pub use notation::san::{San, SanError};
pub use notation::uci_move::{CastlingMode, UciMove, UciMoveError};
pub use outcome::{Ending, Outcome};
pub use piece::{Color, Piece, Role};
pub use position::{Checks, MoveSink, Moves, PawnStep, Position, PositionError};
pub use setup::{CastlingSide, Setup};
pub use square::{File, Rank, Square};
