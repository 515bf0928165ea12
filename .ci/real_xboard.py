#!/usr/bin/env python3
"""Lets xboard itself, in a framebuffer nobody sees, play a game of the engine against Fairy-Max, both ways of colors, and
reads the games with python-chess: they must end on the board, without a fault of either side.

usage: real_xboard.py ENGINE
"""

import os
import re
import signal
import subprocess
import sys
import tempfile
import time

import chess.pgn

LONGEST = 180  # seconds for both games
ENDED = re.compile(r"\} (1-0|0-1|1/2-1/2)$", re.MULTILINE)
# How xboard words an end by the rules.
BY_RULES = ("checkmate", "mates", "stalemate", "draw", "repetition", "50", "insufficient", "bare king", "trivial")


def play(engine, file):
    command = ["xvfb-run", "-a", "xboard", "-fcp", engine, "-scp", "fairymax", "-mm", "-mg", "2", "-matchPause", "100"]
    command += ["-mps", "40", "-tc", "0:04", "-sgf", file]
    path = os.environ["PATH"] + ":/usr/games"
    return subprocess.Popen(command, env=dict(os.environ, PATH=path), start_new_session=True,
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def written(file):
    if not os.path.exists(file):
        return ""
    with open(file, encoding="utf-8") as games:
        return games.read()


def main():
    engine = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "games.pgn")
        xboard = play(engine, file)
        try:
            until = time.monotonic() + LONGEST
            while len(ENDED.findall(written(file))) < 2 and time.monotonic() < until and xboard.poll() is None:
                time.sleep(0.2)
        finally:
            os.killpg(xboard.pid, signal.SIGTERM)
            xboard.wait()
        with open(file, encoding="utf-8") as games:
            read = [chess.pgn.read_game(games) for _ in range(2)]
    assert all(read), "xboard did not play two games"
    ours = set()
    for game in read:
        ending = game.end().comment.lower()
        assert not game.errors, game.errors
        assert any(word in ending for word in BY_RULES), f"ended otherwise: {ending}"
        ours.add(game.headers["White"].startswith("Smalt"))
        print(f"{game.headers['White']} - {game.headers['Black']}: {game.headers['Result']}, {game.end().ply()} plies, {ending}")
    assert ours == {True, False}, "not both colors"


main()
