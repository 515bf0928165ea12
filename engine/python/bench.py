"""Speed beside python-chess, on its own perft loop and on lists, SAN, UCI and PGN; masks in positions a second.

    python3 engine/python/bench.py GAMES.pgn

Both run in turn in one process, three times each; the processor time of the best run counts."""

import random
import sys
import time

import chess
import chess.pgn
import numpy as np
import smalt_chess


def best(work):
    times = []
    for _ in range(3):
        start = time.process_time()
        result = work()
        times.append(time.process_time() - start)
    return min(times), result


def compare(name, theirs, ours):
    (their_time, expected), (our_time, result) = best(theirs), best(ours)
    assert result == expected, (name, result, expected)
    print(f"{name:<44} {their_time * 1e3:>10.1f} ms {our_time * 1e3:>9.2f} ms {their_time / our_time:>8.1f}")


def their_perft(depth, board):
    """As in examples/perft/perft.py of python-chess."""
    if depth == 1:
        return board.legal_moves.count()
    count = 0
    for move in board.legal_moves:
        board.push(move)
        count += their_perft(depth - 1, board)
        board.pop()
    return count


def our_perft(depth, board):
    """The same loop, in Python."""
    if depth == 1:
        return board.count_legal_moves()
    count = 0
    for move in board.legal_moves():
        board.push(move)
        count += our_perft(depth - 1, board)
        board.pop()
    return count


def random_fens(count):
    chance, fens = random.Random(1), []
    while len(fens) < count:
        board = smalt_chess.Board()
        for _ in range(120):
            moves = board.legal_moves()
            if not moves:
                break
            fens.append(board.fen())
            board.push(chance.choice(moves))
    return fens[:count]


def read_theirs(path):
    moves = 0
    with open(path, encoding="utf-8", errors="replace") as file:
        while game := chess.pgn.read_game(file):
            moves += sum(1 for _ in game.mainline_moves())
    return moves


def masks(boards, name, write, width, dtype):
    out = np.zeros((1000, width), dtype=dtype)
    batches = [boards[start:start + 1000] for start in range(0, len(boards), 1000)]
    seconds, _ = best(lambda: [write(batch, out=out) for _ in range(20) for batch in batches] and None)
    print(f"{name:<44} {20 * len(boards) / seconds / 1e6:.2f} M positions/s")


def actions_of(boards):
    """The action of each side, origin, target and promotion among these boards' moves."""
    pieces = {None: None, "n": chess.KNIGHT, "b": chess.BISHOP, "r": chess.ROOK, "q": chess.QUEEN}
    return {(board.turn, move.from_square, move.to_square, pieces[move.promotion]): board.action(move)
            for board in boards for move in board.legal_moves()}


def their_masks(boards, actions, out):
    """Masks as bool: the actions of the legal moves are looked up."""
    out.fill(False)
    for row, board in zip(out, boards):
        row[[actions[board.turn, move.from_square, move.to_square, move.promotion] for move in board.legal_moves]] = True


def compare_masks(fens):
    """The speed of python-chess's masks, which must be those of smalt_chess."""
    # Their Chess960 moves have the king castle to the square of the rook, as actions do.
    theirs, ours = [chess.Board(fen, chess960=True) for fen in fens], [smalt_chess.Board(fen) for fen in fens]
    actions, out = actions_of(ours), np.zeros((len(fens), smalt_chess.ACTIONS), dtype=np.bool_)
    seconds, _ = best(lambda: their_masks(theirs, actions, out))
    assert np.array_equal(out, smalt_chess.legal_masks(ours))
    print(f"{'the same from python-chess, bool':<44} {len(fens) / seconds / 1e6:.3f} M positions/s")


def main(path):
    print(f"{'':<44} {'python-chess':>13} {'smalt_chess':>12} {'ratio':>8}")
    kiwipete = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1"
    for name, fen, depth in [("start", chess.STARTING_FEN, 4), ("kiwipete", kiwipete, 3)]:
        their_board, our_board = chess.Board(fen), smalt_chess.Board(fen)
        compare(f"perft {depth} of {name}, loop in Python",
                lambda: their_perft(depth, their_board), lambda: our_perft(depth, our_board))
        compare(f"perft {depth} of {name}, Board.perft",
                lambda: their_perft(depth, their_board), lambda: our_board.perft(depth))
    fens = random_fens(10_000)
    compare("10,000 FENs read and written", lambda: [chess.Board(fen).fen() for fen in fens],
            lambda: [smalt_chess.Board(fen).fen() for fen in fens])
    theirs, ours = [chess.Board(fen) for fen in fens], [smalt_chess.Board(fen) for fen in fens]
    compare("legal moves of 10,000 positions, as lists", lambda: sum(len(list(board.legal_moves)) for board in theirs),
            lambda: sum(len(board.legal_moves()) for board in ours))
    few = range(0, 10_000, 10)
    compare("SAN of all moves of 1,000 positions",
            lambda: sum(len(theirs[i].san(move)) for i in few for move in theirs[i].legal_moves),
            lambda: sum(len(ours[i].san(move)) for i in few for move in ours[i].legal_moves()))
    texts = [[ours[i].san(move) for move in ours[i].legal_moves()] for i in few]
    compare("the same read", lambda: len([theirs[i].parse_san(text) for i, row in zip(few, texts) for text in row]),
            lambda: len([ours[i].parse_san(text) for i, row in zip(few, texts) for text in row]))
    compare("PGN read, moves of all games", lambda: read_theirs(path),
            lambda: sum(len(game.moves) for game in smalt_chess.read_pgn(path)))
    print()
    masks(ours, "masks of 1,000 boards, bits", smalt_chess.legal_mask_bits, smalt_chess.PLANES, np.uint64)
    masks(ours, "masks of 1,000 boards, bool", smalt_chess.legal_masks, smalt_chess.ACTIONS, np.bool_)
    compare_masks(fens[:1000])


if __name__ == "__main__":
    main(sys.argv[1])
