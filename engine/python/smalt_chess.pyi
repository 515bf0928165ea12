"""The rules and the notation of chess, standard and Chess960. Squares are 0 (a1) to 63 (h8); colors are True (White) and False."""

from collections.abc import Iterable, Iterator
from os import PathLike
from typing import final

import numpy as np
from numpy.typing import NDArray

ACTIONS: int
"""Number of actions, 4672."""
PLANES: int
"""Number of planes of 64 origins, 73."""
WHITE: bool
BLACK: bool
__version__: str

@final
class Move:
    """A move of a position. Castling is the king's move to the square of its rook."""

    @property
    def from_square(self) -> int: ...
    @property
    def to_square(self) -> int: ...
    @property
    def promotion(self) -> str | None:
        """'n', 'b', 'r', 'q', or None."""
    @property
    def is_capture(self) -> bool: ...
    @property
    def is_castling(self) -> bool: ...
    @property
    def is_en_passant(self) -> bool: ...
    def uci(self) -> str:
        """UCI notation of standard chess; see Board.uci for Chess960."""
    def __hash__(self) -> int: ...

@final
class Outcome:
    """The rule that ended a game, and its result."""

    @property
    def termination(self) -> str:
        """'checkmate', 'stalemate', 'insufficient material', 'dead position', 'fivefold repetition',
        'seventy-five moves rule', 'threefold repetition' or 'fifty moves rule'."""
    @property
    def winner(self) -> bool | None:
        """The winner's color; None for a draw."""
    def result(self) -> str:
        """'1-0', '0-1' or '1/2-1/2'."""

@final
class Board:
    """A position and the moves that were played on this board. Only legal positions and moves are accepted."""

    def __init__(self, fen: str | None = None) -> None:
        """The start position, or that of a FEN. Raises ValueError if the FEN is malformed or the position illegal."""
    @staticmethod
    def chess960(number: int) -> Board:
        """The start position of Chess960 with this number, 0 to 959."""
    @property
    def turn(self) -> bool: ...
    @property
    def halfmove_clock(self) -> int: ...
    @property
    def fullmove_number(self) -> int: ...
    @property
    def move_stack(self) -> list[Move]: ...
    def fen(self, *, shredder: bool = False) -> str: ...
    def key(self) -> int:
        """The Polyglot key of the position."""
    def piece_at(self, square: int) -> str | None:
        """The letter of the piece as in FEN, upper case for White."""
    def legal_moves(self) -> list[Move]: ...
    def count_legal_moves(self) -> int: ...
    def is_legal(self, mv: Move) -> bool: ...
    def is_check(self) -> bool: ...
    def push(self, mv: Move) -> None:
        """Plays a move. Raises ValueError if it is illegal."""
    def push_san(self, text: str) -> Move: ...
    def push_uci(self, text: str) -> Move: ...
    def pop(self) -> Move:
        """Takes the last move back. Raises IndexError if there is none."""
    def san(self, mv: Move) -> str: ...
    def uci(self, mv: Move, *, chess960: bool | None = None) -> str:
        """UCI notation. Castling is king takes rook with chess960=True, and by default where the position needs it."""
    def parse_san(self, text: str) -> Move: ...
    def parse_uci(self, text: str) -> Move: ...
    def outcome(self, *, claim_draw: bool = False) -> Outcome | None:
        """How the game ends here, or None. Threefold repetition and the fifty-move rule count with claim_draw only."""
    def perft(self, depth: int) -> int: ...
    def action(self, mv: Move) -> int:
        """The number of a move, 64 * plane + origin, seen from the side to move."""
    def move_of_action(self, action: int) -> Move:
        """The legal move with a number. Raises ValueError if there is none."""
    def copy(self) -> Board: ...

@final
class PgnReader(Iterator[Game]):
    """Iterates over the games of a PGN file."""

    @property
    def skipped(self) -> list[str]:
        """The games that could not be used so far, with line and reason."""

@final
class Game:
    """A game of a PGN file: headers and main line."""

    @property
    def headers(self) -> dict[str, str]: ...
    @property
    def moves(self) -> list[Move]:
        """The moves of the main line, up to the first that is illegal."""
    @property
    def result(self) -> str: ...
    @property
    def problems(self) -> list[str]:
        """What is wrong in the text of the game, with lines."""
    def board(self) -> Board:
        """The start position."""

def read_pgn(path: str | PathLike[str]) -> PgnReader: ...
def parse_pgn(text: str) -> PgnReader: ...
def legal_masks(boards: Iterable[Board], out: NDArray[np.bool_] | None = None) -> NDArray[np.bool_]:
    """Legal actions of each board, shape (boards, 4672). An array given as out, in C order, is overwritten and returned."""

def legal_mask_bits(boards: Iterable[Board], out: NDArray[np.uint64] | None = None) -> NDArray[np.uint64]:
    """Legal actions as bits, shape (boards, 73): bit i of word p is action 64 * p + i."""
