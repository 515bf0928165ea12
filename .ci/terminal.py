#!/usr/bin/env python3
"""Plays with the engine at a terminal (a pseudo-terminal of the system): typed moves, undo, hint, level, and the board in
color, in Unicode and in ASCII.

usage: terminal.py ENGINE
"""

import os
import pty
import re
import select
import sys
import time

LONGEST = 30  # seconds for an answer
COLOR = "\x1b["


class Terminal:
    """The engine at a terminal with these variables in its environment."""

    def __init__(self, engine, **variables):
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "LC_ALL", "LANG")}
        environment.update({"TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}, **variables)
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.execve(engine, [engine], environment)
        self.until("smalt> ")

    def until(self, end):
        """What is shown up to the end of `end`."""
        shown, last = "", time.monotonic() + LONGEST
        while not shown.endswith(end):
            ready, _, _ = select.select([self.terminal], [], [], max(0, last - time.monotonic()))
            assert ready, f"no {end!r} within {LONGEST} s, but {shown!r}"
            shown += os.read(self.terminal, 65536).decode(errors="replace")
        return shown

    def type(self, line):
        """What is shown after a typed line, up to the next prompt."""
        os.write(self.terminal, (line + "\n").encode())
        return self.until("smalt> ").replace("\r", "")

    def quit(self):
        os.write(self.terminal, b"quit\n")
        _, status = os.waitpid(self.process, 0)
        os.close(self.terminal)
        assert os.waitstatus_to_exitcode(status) == 0, status


def play(engine):
    terminal = Terminal(engine)
    terminal.type("time 0.05")
    for move in ["e2e4", "Nf3"]:
        shown = terminal.type(move)
        assert re.search(r"Smalt plays \S+ \(", shown) and "White to move" in shown, shown
        assert COLOR in shown and "♞" in shown, shown
    assert "hint: " in terminal.type("hint")
    terminal.type("undo")
    assert "no move to take back" in terminal.type("undo") + terminal.type("undo")
    # Castling needs an opponent who does not hinder it.
    shown = terminal.type("moves e4 e5 Nf3 Nc6 Bb5 a6")
    assert "White to move" in shown, shown
    shown = terminal.type("O-O")
    assert "Smalt plays " in shown, shown
    assert "1500 Elo" in terminal.type("level 1500") and "full" in terminal.type("level full")
    assert "800" in terminal.type("level 5")
    assert "not a legal move" in terminal.type("Ke5")
    terminal.quit()


def boards(engine):
    for variables, has_color, has_unicode in [({}, True, True), ({"NO_COLOR": "1"}, False, True), ({"LC_ALL": "C"}, False, False)]:
        terminal = Terminal(engine, **variables)
        shown = terminal.type("new")
        assert (COLOR in shown, any(piece in shown for piece in "♔♚")) == (has_color, has_unicode), (variables, shown)
        shown = terminal.type("board ascii")
        assert COLOR not in shown and "♔" not in shown and "♚" not in shown, shown
        assert re.search(r"R\W+N\W+B\W+Q\W+K\W+B\W+N\W+R", shown), shown
        terminal.quit()


def main():
    engine = os.path.abspath(sys.argv[1])
    play(engine)
    boards(engine)
    print("terminal: moves, undo, hint, level, and boards in color, Unicode and ASCII")


main()
