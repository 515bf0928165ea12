"""The package against python-chess on positions of random games, standard and Chess960: legal moves, UCI, SAN, FEN, outcome,
and the games as PGN. SMALT_POSITIONS sets the number of positions [default: 2000]; .ci/run takes 100,000."""

import io
import os
import random
import unittest

import chess
import chess.pgn
import smalt_chess

# What the two call the same. python-chess does not know dead positions.
TERMINATIONS = {
    "checkmate": chess.Termination.CHECKMATE,
    "stalemate": chess.Termination.STALEMATE,
    "insufficient material": chess.Termination.INSUFFICIENT_MATERIAL,
    "seventy-five moves rule": chess.Termination.SEVENTYFIVE_MOVES,
    "fivefold repetition": chess.Termination.FIVEFOLD_REPETITION,
}
STARTS = [
    chess.STARTING_FEN,
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
]


class Differential(unittest.TestCase):
    def check(self, theirs, ours):
        self.assertEqual(ours.fen(), theirs.fen())
        moves = {ours.uci(move, chess960=theirs.chess960): ours.san(move) for move in ours.legal_moves()}
        expected = {theirs.uci(move): theirs.san(move) for move in theirs.legal_moves}
        self.assertEqual(moves, expected, theirs.fen())
        for uci, san in moves.items():
            self.assertEqual(ours.parse_san(san), ours.parse_uci(uci))
        self.assertEqual(ours.is_check(), theirs.is_check())
        self.check_outcome(theirs, ours.outcome())

    def check_outcome(self, theirs, ours):
        expected = theirs.outcome()
        if ours is not None and ours.termination == "dead position":
            self.assertIsNone(expected)
            return
        self.assertEqual(ours and ours.result(), expected and expected.result(), theirs.fen())
        self.assertEqual(ours and ours.winner, expected and expected.winner)
        # A stalemate with little material is called by the one that python-chess looks for first.
        if expected and not (expected.termination == chess.Termination.INSUFFICIENT_MATERIAL
                             and not any(theirs.legal_moves)):
            self.assertEqual(TERMINATIONS[ours.termination], expected.termination, theirs.fen())

    def check_pgn(self, theirs):
        text = str(chess.pgn.Game.from_board(theirs))
        (game,) = smalt_chess.parse_pgn(text)
        read = chess.pgn.read_game(io.StringIO(text))
        self.assertEqual(game.headers, dict(read.headers))
        self.assertEqual(game.problems, [])
        board = game.board()
        for move in game.moves:
            board.push(move)
        self.assertEqual(board.fen(), read.end().board().fen())
        self.assertEqual(len(game.moves), len(list(read.mainline_moves())))

    def test_random_games(self):
        wanted = int(os.environ.get("SMALT_POSITIONS", "2000"))
        chance = random.Random(2026)
        seen = games = 0
        while seen < wanted:
            if games % 3 == 2:
                number = chance.randrange(960)
                theirs, ours = chess.Board.from_chess960_pos(number), smalt_chess.Board.chess960(number)
            else:
                fen = STARTS[games % len(STARTS)]
                theirs, ours = chess.Board(fen), smalt_chess.Board(fen)
            games += 1
            # Some games are long, so that few pieces, repetitions and the 75-move rule come up.
            for _ in range(chance.choice([40, 100, 400])):
                seen += 1
                self.check(theirs, ours)
                if theirs.is_game_over() or seen >= wanted:
                    break
                uci = theirs.uci(chance.choice(list(theirs.legal_moves)))
                theirs.push_uci(uci)
                ours.push_uci(uci)
            self.check_pgn(theirs)
        print(f"{seen} positions of {games} games", flush=True)


if __name__ == "__main__":
    unittest.main()
