#!/usr/bin/env python3
"""The evaluation of tunable.c in Python, with the trace that smalt-tuner asks for (docs/trace-protocol.md). It plays no
chess: it shows that any language will do.

    smalt-tuner texel positions.bin --engine "python3 tunable.py" --write=tunable.py
"""

import sys

# Values are pairs: middlegame, endgame.
MATERIAL = [
    # smalt:begin material
    (100, 100), (300, 300), (300, 300), (500, 500), (900, 900),
    # smalt:end material
]

# As the owner sees the board: a8 to h8 first.
PSQT = [
    [
        # smalt:begin psqt.pawn
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.pawn
    ],
    [
        # smalt:begin psqt.knight
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.knight
    ],
    [
        # smalt:begin psqt.bishop
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.bishop
    ],
    [
        # smalt:begin psqt.rook
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.rook
    ],
    [
        # smalt:begin psqt.queen
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.queen
    ],
    [
        # smalt:begin psqt.king
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0), (   0,    0),
        # smalt:end psqt.king
    ],
]

# Units for each square next to the enemy king that a knight, bishop, rook or queen attacks.
ATTACK = [
    # smalt:begin safety
    (10, 10), (10, 10), (10, 10), (10, 10),
    # smalt:end safety
]

# smalt:begin tempo
TEMPO = 10
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
        yield f"trace parameter safety.{name} {mg} {eg} curve=attack"
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
