#!/usr/bin/env python3
"""A small UCI engine in Python: the evaluation of tunable.c, with the trace that smalt-tuner asks for
(docs/trace-protocol.md), and a plain search of some thousand nodes a second.

    smalt-tuner texel positions.bin --engine "python3 tunable.py" --write=tunable.py
"""

import sys
import time

# Values are pairs: middlegame, endgame.
MATERIAL = [
    # smalt:begin material (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
    (68, 186), (329, 416), (363, 443), (412, 756), (891, 1369),
    # smalt:end material
]

# As the owner sees the board: a8 to h8 first.
PSQT = [
    [
        # smalt:begin psqt.pawn (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (  23,  227), (  70,  152), (  20,  197), (  57,  156), (  34,   73), (   9,  129), (  19,  147), (  48,  144),
        ( -18,   74), (  83,   30), ( -18,   52), (  71,    8), (  32,   11), (  34,  -12), (  34,   43), (   3,   -7),
        ( -29,  -17), ( -12,   -9), ( -17,  -24), (   5,  -51), (  13,  -29), (  52,  -36), (  41,   -4), (   1,  -57),
        ( -58,  -31), (  -9,  -23), ( -22,  -49), (  -1,  -46), (   3,  -46), (   1,  -45), (  41,  -28), ( -19,  -58),
        ( -55,  -55), ( -44,  -41), ( -28,  -46), ( -14,  -44), ( -10,  -47), ( -21,  -33), (  25,  -46), ( -26,  -58),
        ( -72,  -12), ( -56,  -24), ( -43,  -42), ( -27,  -34), ( -40,  -80), (  -2,  -26), (  20,  -48), ( -29,  -47),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.pawn
    ],
    [
        # smalt:begin psqt.knight (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        (  -8,  -32), (   0,   -5), (   1,    0), (   2,   11), (   4,    7), (  -3,    8), (  -1,   -6), (   9,   -3),
        (  35,   -1), (  23,   51), (  71,   15), (  30,   28), (  10,   26), (   9,   -3), (  -3,   -6), (  -6,  -24),
        (  49,    9), ( 103,   21), (  52,   23), (  87,   36), (  78,   65), (  14,   33), (  52,   41), (   8,    1),
        (  31,   12), (  34,  -30), (  44,   53), (  43,   30), (  20,   39), (  64,   55), ( -18,   21), ( -14,    6),
        ( -12,  -31), (   4,   12), (  26,   45), (  -5,   31), ( -15,   77), (  51,    4), (  16,   25), (  -6,   -1),
        ( -21,  -15), ( -22,    4), (  -5,   12), ( -18,   30), (   6,   39), (  -9,   -1), ( -19,   10), ( -18,  -16),
        ( -31,  -31), ( -43,  -19), ( -34,   12), ( -13,   22), ( -13,  -44), (   1,  -17), ( -58,    8), ( -12,   15),
        ( -12,  -30), ( -22,  -25), ( -94,  -48), ( -47,  -17), ( -16,  -21), ( -10,  -12), ( -25,  -63), ( -16,  -19),
        # smalt:end psqt.knight
    ],
    [
        # smalt:begin psqt.bishop (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        ( -13,   -6), (   7,   13), (   6,    9), (  -5,   -9), (   0,   12), (  -5,   -5), (   3,   21), ( -20,   -3),
        ( -12,    9), (   6,   28), (  44,   40), (  -5,   19), (  37,   -9), (  -6,   15), (   4,    3), (   1,    4),
        ( -28,   -3), (  23,    7), (   2,   34), (  92,   21), (  39,    9), (  29,   32), (  40,   28), (  75,   11),
        ( -27,    3), (  -6,   63), (  11,    1), (  58,   18), (  16,   47), (  61,   11), (  15,   -6), (  27,   15),
        ( -73,   -4), ( -60,   34), (  13,   41), ( -21,   58), (  25,   25), (  14,  -15), (  21,   -7), ( -12,  -41),
        (  31,   -4), (  -2,   15), (   3,   51), (   1,   -5), (  -4,   26), ( -19,   33), (   5,  -15), (  25,  -11),
        (  36,  -25), (  11,  -26), (   2,    2), ( -33,   13), ( -13,   43), (  -4,   -7), (  21,    5), (  11,  -37),
        (  19,    1), (  34,  -22), (   2,  -71), ( -49,   -6), ( -26,   12), ( -24,  -46), ( -17,  -13), ( -22,    9),
        # smalt:end psqt.bishop
    ],
    [
        # smalt:begin psqt.rook (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        (   8,   11), (  28,   26), (   1,   40), (  34,   50), (  18,   55), (  21,   54), (   6,    6), (  17,   38),
        (  42,   10), (  23,    3), (  37,   37), (  11,   43), (  19,   49), (  31,   53), (  23,   22), (  28,   17),
        ( -12,   14), (  56,   29), (  -4,   32), (  25,   35), (  25,   12), (  28,   16), (  12,   32), (  21,   25),
        (  19,    8), (   3,   30), (  35,   22), (  22,   29), (  43,   10), (  33,   13), (   4,    7), (  13,  -11),
        ( -45,   14), (  10,   45), (  13,   13), ( -27,   24), ( -51,   -3), ( -27,   -7), (  35,  -12), ( -39,  -10),
        (  17,  -11), (   1,   14), (  -3,   12), ( -14,    2), ( -33,   27), ( -15,  -18), (   4,   -5), (  54,  -33),
        ( -39,   18), ( -30,    5), (   4,    4), ( -40,    8), ( -35,    1), (   7,  -25), (  38,    0), (  -8,  -10),
        ( -21,    9), (   0,  -14), (  -2,    5), (  -3,   -5), ( -14,   -7), ( -17,  -14), (  54,  -52), ( -33,  -33),
        # smalt:end psqt.rook
    ],
    [
        # smalt:begin psqt.queen (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        (  -1,    9), (  16,   35), (  -1,   16), (  22,   28), (   9,   12), (  22,   32), (  16,   12), (  34,   51),
        (  29,   28), (  37,   46), (   9,   18), (  20,   34), (  18,   33), (  30,   35), (  31,   41), (  24,   20),
        (  46,   23), (  36,   35), (  46,   40), (  41,   35), (  46,   55), (  32,   28), (  45,   25), (  32,   28),
        (   9,   24), (  10,   51), (  24,   54), (  36,   73), (  28,   52), (  16,   32), (  43,   36), (  48,   16),
        (   9,   13), ( -20,   18), (  11,   47), (  -4,   52), (  13,   24), (  10,   29), (  32,   26), (  -2,   22),
        ( -15,    9), (   2,   44), ( -17,   44), (  -6,   31), ( -17,   39), (  -5,   33), (  12,   -2), (  32,    2),
        (  25,   15), ( -25,   -3), (   7,  -14), (   4,  -23), (  12,  -33), (  19,   14), (  38,   -8), (   7,    2),
        ( -16,   13), ( -24,   10), (  -8,   12), (   7,  -53), (  -6,   -7), ( -64,  -29), (  19,   -6), (   2,   -6),
        # smalt:end psqt.queen
    ],
    [
        # smalt:begin psqt.king (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
        (  -1,   -3), (   4,   19), (   3,   20), (  -2,   -7), (  -5,  -28), (   4,   25), (   2,    8), (  -4,  -27),
        (  -1,  -10), (  16,   47), (   5,   49), (   5,   32), (   0,   12), (   3,   22), (   6,   46), (   5,  -22),
        (   3,  -11), (   7,   48), (   5,   29), (   4,   41), (  -7,   15), (   3,   49), (   6,   43), (  -1,    0),
        (   3,    1), (   5,   19), (   3,   49), (   3,    4), (  -2,   14), (  -4,  -17), (  14,   37), (   6,   15),
        (  27,  -16), (   3,   -2), (   4,   15), (  -4,    3), (  -3,    5), ( -16,    6), (   3,    9), ( -28,  -35),
        (  -8,  -40), (   0,    2), ( -31,   15), (  -7,    5), ( -22,    3), ( -33,    7), (  12,  -17), ( -29,  -25),
        (  14,  -12), (  51,  -22), ( -30,   21), ( -29,    2), (  31,  -10), ( -29,   -3), (   6,  -19), (   3,  -30),
        ( -21,  -35), (  39,  -29), (  56,  -48), ( -35,  -62), (  29,  -74), ( -63,  -24), (   8,  -44), (  13,  -71),
        # smalt:end psqt.king
    ],
]

# Units for each square next to the enemy king that a knight, bishop, rook or queen attacks.
ATTACK = [
    # smalt:begin safety (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
    (47, 10), (71, 11), (40, 8), (50, 42),
    # smalt:end safety
]

# smalt:begin tempo (tuned 2026.11.24 by smalt-tuner 0.2.0: 202209 positions, error 0.109774 -> 0.024956)
TEMPO = 20
# smalt:end tempo

NAMES = ["pawn", "knight", "bishop", "rook", "queen", "king"]
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
LETTERS = "PNBRQKpnbrqk"
PHASES, ALL_PHASES, CURVE = [0, 1, 1, 2, 4, 0], 24, 512
FIRST_PSQT, FIRST_ATTACK, FIRST_TEMPO = 5, 5 + 6 * 64, 5 + 6 * 64 + 4

# ---- the board: 64 squares, a8 to h8 first; a piece is kind + 6 if it is Black's ----

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
JUMPS = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]
STEPS = {KNIGHT: JUMPS, BISHOP: DIAGONAL, ROOK: STRAIGHT, QUEEN: STRAIGHT + DIAGONAL, KING: STRAIGHT + DIAGONAL}


def ray(square, step, length=7):
    """The squares from there in steps of (rank, file)."""
    places = [(square // 8 + step[0] * i, square % 8 + step[1] * i) for i in range(1, length + 1)]
    return [8 * rank + file for rank, file in places if 0 <= rank < 8 and 0 <= file < 8]


def rays(square, kind):
    """The ways of a piece on an empty board: a list for each direction."""
    ways = [ray(square, step, 1 if kind in (KNIGHT, KING) else 7) for step in STEPS[kind]]
    return [way for way in ways if way]


RAYS = {kind: [rays(square, kind) for square in range(64)] for kind in STEPS}
NEAR = [{to for way in RAYS[KING][square] for to in way} for square in range(64)]
# Squares from which pawns of White, and of Black, attack a square.
PAWNS = [[[to for step in ((rank, -1), (rank, 1)) for to in ray(square, step, 1)] for square in range(64)] for rank in (1, -1)]
# Castling rights that end with a move from or to a square.
RIGHTS = {60: "KQ", 63: "K", 56: "Q", 4: "kq", 7: "k", 0: "q"}
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


def number_of(name):
    return 8 * (8 - int(name[1])) + "abcdefgh".index(name[0])


def name_of(move):
    origin, to, promotion = move
    places = "".join("abcdefgh"[square % 8] + str(8 - square // 8) for square in (origin, to))
    return places + ("" if promotion is None else "pnbrqk"[promotion])


class Position:
    def __init__(self, fen):
        fields = fen.split()
        self.board = []
        for letter in fields[0].replace("/", ""):
            self.board += [None] * int(letter) if letter.isdigit() else [LETTERS.index(letter)]
        self.white = fields[1] == "w"
        self.rights = fields[2] if len(fields) > 2 else "-"
        self.passing = number_of(fields[3]) if len(fields) > 3 and fields[3] != "-" else None
        self.clock = int(fields[4]) if len(fields) > 4 else 0

    def key(self):
        return tuple(self.board), self.white, self.rights, self.passing

    def is_attacked(self, square, white):
        """Whether a piece of that side attacks the square."""
        board, first = self.board, 0 if white else 6
        if any(board[origin] == first + PAWN for origin in PAWNS[not white][square]):
            return True
        for kind in (KNIGHT, KING):
            if any(board[to] == first + kind for (to,) in RAYS[kind][square]):
                return True
        for kind in (BISHOP, ROOK):
            for way in RAYS[kind][square]:
                piece = next((board[to] for to in way if board[to] is not None), None)
                if piece is not None and piece in (first + kind, first + QUEEN):
                    return True
        return False

    def is_check(self):
        return self.is_attacked(self.board.index(KING if self.white else 6 + KING), not self.white)

    def moves(self, noisy_only=False):
        """Moves that may leave the king in check; only captures and promotions if asked."""
        board, us = self.board, 0 if self.white else 6
        for origin, piece in enumerate(board):
            if piece is None or (piece < 6) != self.white:
                continue
            if piece - us == PAWN:
                yield from self.pawn_moves(origin, noisy_only)
                continue
            for way in RAYS[piece - us][origin]:
                for to in way:
                    if board[to] is None:
                        if not noisy_only:
                            yield origin, to, None
                        continue
                    if (board[to] < 6) != self.white:
                        yield origin, to, None
                    break
        if noisy_only:
            return
        king = 60 if self.white else 4
        for right, way, step in (("K", (1, 2), 1), ("Q", (-1, -2, -3), -1)):
            if (right if self.white else right.lower()) in self.rights and all(board[king + i] is None for i in way):
                if not any(self.is_attacked(square, not self.white) for square in (king, king + step)):
                    yield king, king + 2 * step, None

    def pawn_moves(self, origin, noisy_only):
        board, forward = self.board, -8 if self.white else 8
        ends = [to for to in PAWNS[self.white][origin] if self.is_target(to)]
        to = origin + forward
        if board[to] is None and (not noisy_only or to // 8 in (0, 7)):
            ends.append(to)
            if origin // 8 == (6 if self.white else 1) and board[to + forward] is None:
                ends.append(to + forward)
        for to in ends:
            for promotion in (QUEEN, ROOK, BISHOP, KNIGHT) if to // 8 in (0, 7) else (None,):
                yield origin, to, promotion

    def is_target(self, square):
        """Whether a pawn of the side to move may capture there."""
        piece = self.board[square]
        return square == self.passing if piece is None else (piece < 6) != self.white

    def after(self, move):
        """The position after a move; None if the king could be taken."""
        origin, to, promotion = move
        us = 0 if self.white else 6
        child = Position.__new__(Position)
        child.board = board = self.board[:]
        piece = board[origin]
        is_pawn = piece - us == PAWN
        child.clock = 0 if is_pawn or board[to] is not None else self.clock + 1
        child.passing = (origin + to) // 2 if is_pawn and abs(to - origin) == 16 else None
        board[to], board[origin] = piece if promotion is None else us + promotion, None
        if is_pawn and to == self.passing:
            board[to + (8 if self.white else -8)] = None
        if piece - us == KING and abs(to - origin) == 2:
            rook = to + 1 if to > origin else to - 2
            board[(origin + to) // 2], board[rook] = board[rook], None
        ended = RIGHTS.get(origin, "") + RIGHTS.get(to, "")
        child.rights = "".join(right for right in self.rights if right not in ended) if ended else self.rights
        child.white = not self.white
        return None if child.is_attacked(board.index(us + KING), child.white) else child


# ---- the evaluation, and its trace ----


def attacks_near(board, square, kind, king):
    """How many squares next to that king the piece attacks."""
    near, count = NEAR[king], 0
    for way in RAYS[kind][square]:
        for to in way:
            if to in near:
                count += 1
            if board[to] is not None:
                break
    return count


def evaluate(position, counts=None):
    """Score in centipawns for White and the phase; `counts` gets the coefficients (White less Black, White's, Black's)."""
    board = position.board
    kings = board.index(KING), board.index(6 + KING)
    score, units, phase = [0, 0], ([0, 0], [0, 0]), 0
    for square, piece in enumerate(board):
        if piece is None:
            continue
        kind, color = piece % 6, piece // 6
        sign, place = 1 - 2 * color, square ^ 56 * color
        phase += PHASES[kind]
        terms = [(FIRST_PSQT + 64 * kind + place, PSQT[kind][place])]
        if kind != KING:
            terms.append((kind, MATERIAL[kind]))
        for index, (mg, eg) in terms:
            score[0] += sign * mg
            score[1] += sign * eg
            if counts:
                counts[0][index] = counts[0].get(index, 0) + sign
        if PAWN < kind < KING:
            count = attacks_near(board, square, kind, kings[not color])
            mg, eg = ATTACK[kind - KNIGHT]
            units[color][0] += count * mg
            units[color][1] += count * eg
            if counts:
                index = FIRST_ATTACK + kind - KNIGHT
                counts[1 + color][index] = counts[1 + color].get(index, 0) + count
    phase = min(phase, ALL_PHASES)
    for half in range(2):
        white, black = (max(side[half], 0) ** 2 // CURVE for side in units)
        score[half] += white - black
    sign = 1 if position.white else -1
    if counts:
        counts[0][FIRST_TEMPO] = sign
    # Division towards zero, as C has it.
    total = int((score[0] * phase + score[1] * (ALL_PHASES - phase)) / ALL_PHASES)
    return total + sign * TEMPO, phase


def trace(fen):
    """The line that answers `trace fen`."""
    position, counts = Position(fen), ({}, {}, {})
    if position.board.count(KING) != 1 or position.board.count(6 + KING) != 1:
        return "trace skip"
    score, phase = evaluate(position, counts)
    shown = [" ".join(f"{i}:{c}" for i, c in sorted(terms.items()) if c) for terms in counts]
    return f"trace score {score} phase {phase} {shown[0]} white {shown[1]} black {shown[2]}"


def header():
    """The lines that answer `trace`."""
    yield "trace version 1"
    yield f"trace phase {ALL_PHASES}"
    yield f"trace curve attack quadratic {CURVE}"
    for name, (mg, eg) in zip(NAMES, MATERIAL):
        yield f"trace parameter material.{name} {mg} {eg}"
    for name, table in zip(NAMES, PSQT):
        for index, (mg, eg) in enumerate(table):
            yield f"trace parameter psqt.{name}[{index}] {mg} {eg}"
    for name, (mg, eg) in zip(NAMES[KNIGHT:], ATTACK):
        yield f"trace parameter safety.{name} {mg} {eg} curve=attack min=0"
    yield f"trace parameter tempo {TEMPO}"
    yield "trace ready"


# ---- the search: alpha-beta with quiescence and killers ----

MATE, PLIES = 30000, 60


class Stopped(Exception):
    pass


class Search:
    def __init__(self, history, node_limit, seconds):
        self.history, self.node_limit = history, node_limit
        self.deadline = time.monotonic() + seconds if seconds else None
        self.nodes, self.killers, self.best = 0, [None] * (PLIES + 1), None

    def count_node(self):
        if self.node_limit and self.nodes >= self.node_limit or self.deadline and time.monotonic() >= self.deadline:
            raise Stopped
        self.nodes += 1

    def order(self, position, moves, first):
        """Best move of the last iteration, captures by victim and attacker, killers, the rest."""
        board = position.board

        def rank(move):
            victim = board[move[1]]
            if move == first[0]:
                return 1000
            if victim is not None:
                return 100 + 10 * (victim % 6) - board[move[0]] % 6
            return 90 if move[2] == QUEEN or move == first[1] else 0

        return sorted(moves, key=rank, reverse=True)

    def quiesce(self, position, alpha, beta, ply):
        self.count_node()
        score, _ = evaluate(position)
        best = score if position.white else -score
        alpha = max(alpha, best)
        if alpha >= beta or ply >= PLIES:
            return best
        for move in self.order(position, position.moves(noisy_only=True), (None, None)):
            child = position.after(move)
            if child is None:
                continue
            best = max(best, -self.quiesce(child, -beta, -alpha, ply + 1))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def search(self, position, depth, alpha, beta, ply):
        is_check = position.is_check()
        depth += is_check
        if depth <= 0 or ply >= PLIES:
            return self.quiesce(position, alpha, beta, ply)
        self.count_node()
        key = position.key()
        if ply and (position.clock >= 100 or key in self.history):
            return 0
        self.history.append(key)
        best, first = None, (None if ply else self.best, self.killers[ply])
        try:
            for move in self.order(position, position.moves(), first):
                child = position.after(move)
                if child is None:
                    continue
                score = -self.search(child, depth - 1, -beta, -alpha, ply + 1)
                if best is None or score > best:
                    best = score
                    if not ply:
                        self.best = move
                        print(f"info depth {depth} score cp {score} nodes {self.nodes} pv {name_of(move)}")
                alpha = max(alpha, score)
                if alpha >= beta:
                    if position.board[move[1]] is None:
                        self.killers[ply] = move
                    break
        finally:
            self.history.pop()
        if best is None:
            return ply - MATE if is_check else 0
        return best


# ---- UCI ----


def set_position(words):
    """The position that `position …` names, and the keys of those before it."""
    moves = words[words.index("moves") + 1 :] if "moves" in words else []
    position = Position(" ".join(words[2:8]) if words[1] == "fen" else START)
    history = []
    for text in moves:
        history.append(position.key())
        origin, to = number_of(text[:2]), number_of(text[2:4])
        position = position.after((origin, to, "pnbrqk".index(text[4]) if text[4:] else None))
    return position, history


def go(position, history, words):
    """Prints the best move within the limits of `go …`."""
    limits = {name: int(value) for name, value in zip(words[1:], words[2:]) if value.lstrip("-").isdigit()}
    left, increment = (limits.get(side + name, 0) for side in "wb"[not position.white] for name in ("time", "inc"))
    milliseconds = limits.get("movetime") or min(left / 30 + increment / 2, left / 2)
    search = Search(history[:], limits.get("nodes"), milliseconds / 1000)
    legal = [move for move in position.moves() if position.after(move)]
    is_limited = milliseconds or "nodes" in limits
    try:
        for depth in range(1, limits.get("depth", PLIES if is_limited else 3) + 1):
            search.search(position, depth, -MATE, MATE, 0)
            if search.best is None:
                break
    except Stopped:
        pass
    best = search.best or (legal[0] if legal else None)
    print(f"bestmove {name_of(best) if best else '0000'}")


def main():
    position, history = Position(START), []
    for line in sys.stdin:
        words = line.split()
        if not words:
            continue
        if words[0] == "uci":
            print("id name Tunable in Python\nid author the authors of Smalt\nuciok")
        elif words[0] == "isready":
            print("readyok")
        elif words[0] == "position":
            position, history = set_position(words)
        elif words[0] == "go":
            go(position, history, words)
        elif words == ["trace"]:
            print("\n".join(header()))
        elif words[:2] == ["trace", "fen"]:
            print(trace(" ".join(words[2:])))
        elif words[0] == "quit":
            break
        sys.stdout.flush()


if __name__ == "__main__":
    main()
