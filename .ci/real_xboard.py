#!/usr/bin/env python3
"""Lets xboard itself, on a screen that nobody sees, play two games of the engine against Fairy-Max, one with each color,
and reads them with python-chess: both must end by the rules, without a fault of either side.

usage: real_xboard.py ENGINE
"""

import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import time

import chess.pgn

GAMES = 2
LONGEST = 180  # seconds for all games
ENDED = re.compile(r"\} (1-0|0-1|1/2-1/2)$", re.MULTILINE)
# How xboard words an end by the rules, and what it says besides where something went wrong.
BY_RULES = re.compile(r"checkmate|mates|stalemate|repetition|50-move|fifty|insufficient|bare king|trivial", re.IGNORECASE)
FAULT = re.compile(r"false|exit|forfeit|illegal|time|resign|agreed", re.IGNORECASE)


@contextlib.contextmanager
def started(command, **options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def written(file):
    if not os.path.exists(file):
        return ""
    with open(file, encoding="utf-8") as games:
        return games.read()


def play(engine, folder):
    """The games as xboard saved them."""
    file = os.path.join(folder, "games.pgn")
    said = open(os.path.join(folder, "said"), "w+", encoding="utf-8")
    screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
    match = ["xboard", "-fcp", engine, "-scp", "fairymax", "-mm", "-mg", str(GAMES), "-matchPause", "100", "-autoCallFlag", "true"]
    match += ["-mps", "40", "-tc", "0:12", "-sgf", file, "-saveSettingsOnExit", "false"]
    with said, started(screen, stdout=subprocess.PIPE, stderr=said) as xvfb:
        display = ":" + xvfb.stdout.readline().strip()
        path = os.environ["PATH"] + ":/usr/games"
        environment = dict(os.environ, PATH=path, DISPLAY=display, HOME=folder)
        with started(match, env=environment, stdout=said, stderr=said) as xboard:
            until = time.monotonic() + LONGEST
            while len(ENDED.findall(written(file))) < GAMES and time.monotonic() < until and xboard.poll() is None:
                time.sleep(0.2)
        text = written(file)
        if len(ENDED.findall(text)) < GAMES:
            said.seek(0)
            lines = [line for line in said.read().splitlines() if not line.startswith(("ALSA", "aplay"))]
            sys.exit(f"xboard did not play {GAMES} games (exit code {xboard.returncode}):\n{text}\n" + "\n".join(lines[-20:]))
    return text


def main():
    engine = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        text = io.StringIO(play(engine, folder))
    colors = set()
    for game in iter(lambda: chess.pgn.read_game(text), None):
        ending = game.end().comment
        print(f"{game.headers['White']} - {game.headers['Black']}: {game.headers['Result']}, {game.end().ply()} plies, {ending}")
        assert not game.errors, game.errors
        assert BY_RULES.search(ending) and not FAULT.search(ending), ending
        colors.add(game.headers["White"].startswith("Smalt"))
    assert colors == {True, False}, "not both colors"


main()
