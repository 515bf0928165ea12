#!/usr/bin/env python3
"""The evaluation of tunable.c in Python, with the trace that smalt-tuner asks for (docs/trace-protocol.md). It plays no
chess: it shows that any language will do.

    smalt-tuner texel positions.bin --engine "python3 tunable.py" --write=tunable.py
"""

import sys

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
LETTERS = "pnbrqk"
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(6)
PHASES, ALL_PHASES, CURVE = [0, 1, 1, 2, 4, 0], 24, 512
FIRST_PSQT, FIRST_ATTACK, FIRST_TEMPO = 5, 5 + 6 * 64, 5 + 6 * 64 + 4

STRAIGHT = [(1, 0), (-1, 0), (0, 1), (0, -1)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
JUMPS = [(2, 1), (1, 2), (-1, 2), (-2, 1), (-2, -1), (-1, -2), (1, -2), (2, -1)]
RAYS = {BISHOP: DIAGONAL, ROOK: STRAIGHT, QUEEN: STRAIGHT + DIAGONAL}


def parse(fen):
    """The pieces by (rank, file), rank 0 is the eighth; and the side to move."""
    board, side = fen.split()[:2]
    pieces = {}
    for rank, row in enumerate(board.split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                pieces[rank, file] = (LETTERS.index(letter.lower()), letter.isupper())
                file += 1
    return pieces, side == "w"


def attacks_near(pieces, square, kind, king):
    """How many squares next to that king the piece attacks."""
    rank, file = square
    near = [(king[0] + r, king[1] + f) for r in (-1, 0, 1) for f in (-1, 0, 1) if r or f]
    if kind == KNIGHT:
        return sum((rank + r, file + f) in near for r, f in JUMPS if 0 <= rank + r < 8 and 0 <= file + f < 8)
    count = 0
    for r, f in RAYS[kind]:
        to = (rank + r, file + f)
        while 0 <= to[0] < 8 and 0 <= to[1] < 8:
            count += to in near
            if to in pieces:
                break
            to = (to[0] + r, to[1] + f)
    return count


def trace(fen):
    """The line that answers `trace fen`."""
    pieces, is_white_to_move = parse(fen)
    kings = {is_white: square for square, (kind, is_white) in pieces.items() if kind == KING}
    if len(kings) != 2:
        return "trace skip"
    score, units, phase = [0, 0], {True: [0, 0], False: [0, 0]}, 0
    linear, sides = {}, {True: {}, False: {}}
    for square, (kind, is_white) in pieces.items():
        sign = 1 if is_white else -1
        rank, file = square
        place = (rank if is_white else 7 - rank) * 8 + file
        phase += PHASES[kind]
        terms = [(FIRST_PSQT + 64 * kind + place, PSQT[kind][place])]
        if kind != KING:
            terms.append((kind, MATERIAL[kind]))
        for index, values in terms:
            linear[index] = linear.get(index, 0) + sign
            for half in range(2):
                score[half] += sign * values[half]
        if kind in (KNIGHT, BISHOP, ROOK, QUEEN):
            count = attacks_near(pieces, square, kind, kings[not is_white])
            index = FIRST_ATTACK + kind - KNIGHT
            sides[is_white][index] = sides[is_white].get(index, 0) + count
            for half in range(2):
                units[is_white][half] += count * ATTACK[kind - KNIGHT][half]
    phase = min(phase, ALL_PHASES)
    for half in range(2):
        for is_white, sign in ((True, 1), (False, -1)):
            score[half] += sign * (max(units[is_white][half], 0) ** 2 // CURVE)
    linear[FIRST_TEMPO] = 1 if is_white_to_move else -1
    # Division towards zero, as C has it.
    total = int((score[0] * phase + score[1] * (ALL_PHASES - phase)) / ALL_PHASES) + linear[FIRST_TEMPO] * TEMPO
    shown = [" ".join(f"{i}:{c}" for i, c in sorted(terms.items()) if c) for terms in (linear, sides[True], sides[False])]
    return f"trace score {total} phase {phase} {shown[0]} white {shown[1]} black {shown[2]}"


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


for line in sys.stdin:
    line = line.strip()
    if line == "uci":
        print("id name Tunable in Python\nuciok")
    elif line == "isready":
        print("readyok")
    elif line == "trace":
        print("\n".join(header()))
    elif line.startswith("trace fen "):
        print(trace(line.removeprefix("trace fen ")))
    elif line == "quit":
        break
    sys.stdout.flush()
