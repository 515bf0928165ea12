"""Tests of the Python package that need nothing but numpy: python3 -m unittest discover -s engine/python/tests"""

import subprocess
import sys
import tempfile
import unittest

import numpy as np
import smalt_chess
from smalt_chess import Board


class Boards(unittest.TestCase):
    def test_moves_are_played_and_taken_back(self):
        board = Board()
        self.assertEqual(len(board.legal_moves()), 20)
        for text in ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "Bxc6", "dxc6", "O-O"]:
            move = board.push_san(text)
        self.assertTrue(move.is_castling)
        self.assertEqual((move.uci(), move.from_square, move.to_square), ("e1g1", 4, 7))
        self.assertEqual(board.fen(), "r1bqkbnr/1pp2ppp/p1p5/4p3/4P3/5N2/PPPP1PPP/RNBQ1RK1 b kq - 1 5")
        self.assertEqual(len(board.move_stack), 9)
        while board.move_stack:
            board.pop()
        self.assertEqual(board, Board())
        self.assertRaises(IndexError, board.pop)

    def test_only_legal_moves_are_accepted(self):
        board = Board()
        stranger = Board("4k3/8/8/8/8/8/8/4K2R w K - 0 1").parse_uci("e1g1")
        for play in [lambda: board.push(stranger), lambda: board.push_san("Ke2"), lambda: board.push_uci("e2e5"),
                     lambda: board.san(stranger), lambda: board.parse_san("hello"), lambda: Board("no FEN"),
                     lambda: Board("8/8/8/8/8/8/8/8 w - - 0 1"), lambda: Board.chess960(960)]:
            self.assertRaises(ValueError, play)
        self.assertEqual(board, Board())

    def test_pieces_have_letters(self):
        board = Board()
        self.assertEqual([board.piece_at(square) for square in (0, 60, 35)], ["R", "k", None])
        self.assertRaises(IndexError, board.piece_at, 64)
        self.assertEqual(str(board).splitlines()[7], "R N B Q K B N R")

    def test_promotions_and_captures_say_so(self):
        board = Board("1r2k3/P7/8/8/8/8/8/4K3 w - - 0 1")
        moves = {move.uci(): move for move in board.legal_moves()}
        self.assertEqual(moves["a7b8n"].promotion, "n")
        self.assertTrue(moves["a7b8n"].is_capture)
        self.assertFalse(moves["a7a8q"].is_capture)
        self.assertIsNone(moves["e1e2"].promotion)
        self.assertEqual(moves["a7b8n"], board.parse_san("axb8=N"))

    def test_games_end(self):
        board = Board()
        for text in ["f3", "e5", "g4", "Qh4#"]:
            self.assertIsNone(board.outcome())
            board.push_san(text)
        outcome = board.outcome()
        self.assertEqual((outcome.termination, outcome.winner, outcome.result()), ("checkmate", False, "0-1"))
        board = Board()
        for _ in range(2):
            for text in ["Nf3", "Nf6", "Ng1", "Ng8"]:
                self.assertIsNone(board.outcome(claim_draw=True))
                board.push_san(text)
        self.assertEqual(board.outcome(claim_draw=True).termination, "threefold repetition")
        self.assertIsNone(board.outcome())

    def test_chess960_castles_by_the_rook(self):
        board = Board("4k3/8/8/8/8/8/8/1RK5 w B - 0 1")
        self.assertEqual(board.uci(board.push_san("O-O-O")), "c1b1")
        self.assertEqual(board.fen(), "4k3/8/8/8/8/8/8/2KR4 b - - 1 1")
        self.assertEqual(Board.chess960(518).fen(), Board().fen())

    def test_perft_and_key(self):
        self.assertEqual(Board().perft(4), 197_281)
        self.assertRaises(ValueError, Board().perft, 65)
        self.assertEqual(Board().key(), 0x463B96181691FC9C)


class Pgn(unittest.TestCase):
    text = '[White "A"]\n[Black "B"]\n[Result "1-0"]\n\n1. e4 {best} e5 (1... c5) 2. Qh5 Ke7 3. Qxe5# 1-0\n\n' \
           '[FEN "x"]\n\n1. e4 *\n\n1. d4 Ke5 *\n'

    def check(self, reader):
        first, second = reader
        self.assertEqual(first.headers["White"], "A")
        self.assertEqual((first.result, len(first.moves), first.problems), ("1-0", 5, []))
        board = first.board()
        for move in first.moves:
            board.push(move)
        self.assertEqual(board.outcome().termination, "checkmate")
        self.assertEqual(len(second.moves), 1)
        self.assertIn("Ke5", second.problems[0])
        self.assertEqual(len(reader.skipped), 1)

    def test_text_is_read(self):
        self.check(smalt_chess.parse_pgn(self.text))

    def test_files_are_read(self):
        with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
            file.write(self.text)
            file.flush()
            self.check(smalt_chess.read_pgn(file.name))
        self.assertRaises(FileNotFoundError, smalt_chess.read_pgn, file.name)


class Masks(unittest.TestCase):
    boards = [Board(), Board("r3k2r/8/8/8/8/8/6p1/R3K3 b Qkq - 0 1"), Board("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")]

    def test_masks_hold_the_legal_moves(self):
        masks = smalt_chess.legal_masks(self.boards)
        self.assertEqual((masks.shape, masks.dtype), ((3, smalt_chess.ACTIONS), np.bool_))
        for board, mask in zip(self.boards, masks):
            actions = sorted(board.action(move) for move in board.legal_moves())
            self.assertEqual(np.flatnonzero(mask).tolist(), actions)
            for action in actions:
                self.assertEqual(board.action(board.move_of_action(action)), action)
        self.assertRaises(ValueError, Board().move_of_action, 0)
        self.assertRaises(ValueError, Board().move_of_action, smalt_chess.ACTIONS)

    def test_bits_are_the_masks(self):
        bits = smalt_chess.legal_mask_bits(self.boards)
        unpacked = np.unpackbits(bits.view(np.uint8), axis=1, bitorder="little").astype(bool)
        np.testing.assert_array_equal(unpacked, smalt_chess.legal_masks(self.boards))

    def test_arrays_of_the_caller_are_overwritten(self):
        out = np.ones((3, smalt_chess.ACTIONS), dtype=bool)
        self.assertIs(smalt_chess.legal_masks(self.boards, out=out), out)
        np.testing.assert_array_equal(out, smalt_chess.legal_masks(self.boards))
        wrong = [np.zeros((2, smalt_chess.PLANES), dtype=np.uint64), np.zeros((smalt_chess.PLANES, 3), dtype=np.uint64).T]
        for out in wrong:
            self.assertRaises((ValueError, TypeError), smalt_chess.legal_mask_bits, self.boards, out=out)
        self.assertRaises(TypeError, smalt_chess.legal_masks, [1])

    def test_without_numpy_masks_raise_import_error(self):
        script = "import sys; sys.modules['numpy'] = None; import smalt_chess; smalt_chess.legal_masks([smalt_chess.Board()])"
        ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ImportError: masks are numpy arrays: install numpy", ended.stderr)


if __name__ == "__main__":
    unittest.main()
