"""Smalt through the eyes of python-chess: the engine driven over UCI and xboard's protocol through whole games, and the
runner's PGN read back.

usage: foreign_client.py SMALT [GAMES.pgn ...]
"""

import sys

import chess
import chess.engine
import chess.pgn


def play_whole_game(smalt: str, board: chess.Board, start, hash_option: str) -> None:
    with start([smalt]) as engine:
        engine.configure({hash_option: 8})
        while not board.is_game_over(claim_draw=True) and board.ply() < 400:
            played = engine.play(board, chess.engine.Limit(nodes=3000), info=chess.engine.INFO_ALL)
            assert played.move in board.legal_moves, (board.fen(), played.move)
            assert played.info["depth"] >= 1 and "score" in played.info, played.info
            for move, position in zip(played.info.get("pv", []), [board.copy()]):
                assert move in position.legal_moves, (board.fen(), move)
            board.push(played.move)
        print(f"{start.__name__}: a whole game{' of Chess960' if board.chess960 else ''}: {board.result(claim_draw=True)}, {board.ply()} plies")


def analyse_over_xboard(smalt: str) -> None:
    with chess.engine.SimpleEngine.popen_xboard([smalt]) as engine:
        mate = chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
        found = engine.analyse(mate, chess.engine.Limit(depth=4))
        assert found["score"].white() == chess.engine.Mate(1), found
        only = engine.analyse(chess.Board(), chess.engine.Limit(depth=5), root_moves=[chess.Move.from_uci("a2a3")])
        assert only["pv"][0] == chess.Move.from_uci("a2a3"), only
        clock = chess.engine.Limit(white_clock=2, black_clock=2, white_inc=0.1, black_inc=0.1)
        assert engine.play(mate, clock, ponder=True).move == chess.Move.from_uci("d1d8")
        print("popen_xboard: a mate in one seen and played, one move alone analyzed")


def analyse(smalt: str) -> None:
    with chess.engine.SimpleEngine.popen_uci([smalt]) as engine:
        lines = engine.analyse(chess.Board(), chess.engine.Limit(depth=8), multipv=3)
        assert len({line["pv"][0] for line in lines}) == 3, lines
        mate = chess.Board("6k1/5ppp/8/8/8/8/8/K2R4 w - - 0 1")
        found = engine.analyse(mate, chess.engine.Limit(depth=4))
        assert found["score"].white() == chess.engine.Mate(1), found
        print("analysis: three lines, and a mate in one seen")


def read_back(path: str) -> None:
    games = 0
    with open(path, encoding="utf-8") as file:
        while (game := chess.pgn.read_game(file)) is not None:
            assert not game.errors, (path, game.headers, game.errors)
            board = game.end().board()
            assert int(game.headers["PlyCount"]) == game.end().ply() - game.board().ply(), game.headers
            outcome = board.outcome(claim_draw=True)
            if outcome is not None and outcome.termination == chess.Termination.CHECKMATE:
                assert game.headers["Result"] == outcome.result(), game.headers
            games += 1
    assert games > 0, path
    print(f"{path}: {games} games read without error")


if __name__ == "__main__":
    smalt, *collections = sys.argv[1:]
    for start, hash_option in [(chess.engine.SimpleEngine.popen_uci, "Hash"), (chess.engine.SimpleEngine.popen_xboard, "memory")]:
        play_whole_game(smalt, chess.Board(), start, hash_option)
        play_whole_game(smalt, chess.Board.from_chess960_pos(321), start, hash_option)
    analyse(smalt)
    analyse_over_xboard(smalt)
    for collection in collections:
        read_back(collection)
