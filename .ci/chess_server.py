#!/usr/bin/env python3
"""Lets xboard -ics -zippyPlay (as on FICS) log in at a small chess server on loopback, accept a challenge and play a whole
game with the engine. The server speaks the part of FICS that this needs: login, a challenge, boards in style 12, and the end.

usage: chess_server.py ENGINE
"""

import os
import random
import re
import socket
import subprocess
import sys
import tempfile
import time

import chess
from real_xboard import started

LONGEST = 150  # seconds for the game
SECONDS = 120  # on the clock of each player
BOT, GUEST = "SmaltBot", "Stub"


class Client:
    """The connection of xboard."""

    def __init__(self, connection):
        self.connection = connection
        self.rest = ""
        self.log = []
        self.last = time.monotonic() + LONGEST

    def send(self, text):
        self.connection.sendall(text.replace("\n", "\n\r").encode())

    def line(self):
        while "\n" not in self.rest:
            self.connection.settimeout(max(0.01, self.last - time.monotonic()))
            received = self.connection.recv(4096)
            assert received, f"xboard hung up after {self.log[-10:]}"
            self.rest += received.decode(errors="replace").replace("\r", "")
        line, self.rest = self.rest.split("\n", 1)
        self.log.append(line)
        return line.strip()

    def until(self, wanted):
        """The first line that matches; settings and questions of the interface before it are answered with a prompt."""
        while True:
            line = self.line()
            if found := re.fullmatch(wanted, line):
                return found
            self.send("fics% ")


def style_12(board, bot, previous, san):
    ranks = []
    for rank in range(7, -1, -1):
        pieces = (board.piece_at(chess.square(file, rank)) for file in range(8))
        ranks.append("".join(piece.symbol() if piece else "-" for piece in pieces))
    turn = "W" if board.turn else "B"
    double_push = previous is not None and board.ep_square is not None
    rights = [board.has_kingside_castling_rights(chess.WHITE), board.has_queenside_castling_rights(chess.WHITE),
              board.has_kingside_castling_rights(chess.BLACK), board.has_queenside_castling_rights(chess.BLACK)]
    names = (BOT, GUEST) if bot else (GUEST, BOT)
    words = ranks + [turn, str(chess.square_file(board.ep_square)) if double_push else "-1"]
    words += [str(int(right)) for right in rights] + [str(board.halfmove_clock), "1", *names]
    words += ["1" if board.turn == bot else "-1", str(SECONDS // 60), "0", "39", "39", str(SECONDS), str(SECONDS)]
    words += [str(board.fullmove_number), previous or "none", "(0:00)", san or "none", "0" if bot else "1", "1", "0"]
    return "\n<12> " + " ".join(words) + "\nfics% "


def read_move(board, line):
    """The move of a line of xboard, or None."""
    text = line.strip()
    for parse in (board.parse_uci, board.parse_san):
        for form in (text, text.replace("=", "").lower(), text.upper()):
            try:
                return parse(form)
            except ValueError:
                continue
    return None


def long_form(board, move):
    if board.is_castling(move):
        return "o-o" if chess.square_file(move.to_square) == 6 else "o-o-o"
    piece = board.piece_at(move.from_square).symbol().upper()
    promotion = "=" + chess.piece_symbol(move.promotion).upper() if move.promotion else ""
    return f"{piece}/{chess.square_name(move.from_square)}-{chess.square_name(move.to_square)}{promotion}"


def play(client):
    """Plays White with random moves, up to the end by the rules."""
    chance, board, bot = random.Random(4), chess.Board(), chess.BLACK
    client.send(f"\nCreating: {GUEST} (++++) {BOT} (++++) unrated blitz {SECONDS // 60} 0\n")
    client.send(f"{{Game 1 ({GUEST} vs. {BOT}) Creating unrated blitz match.}}\n")
    previous = san = None
    while True:
        client.send(style_12(board, bot, previous, san))
        if board.is_game_over(claim_draw=True):
            break
        if board.turn == bot:
            move = None
            while move is None:
                move = read_move(board, client.line())
        else:
            move = chance.choice(list(board.legal_moves))
        previous, san = long_form(board, move), board.san(move)
        board.push(move)
    outcome = board.outcome(claim_draw=True)
    names = {chess.WHITE: GUEST, chess.BLACK: BOT}
    reason = "Game drawn" if outcome.winner is None else f"{names[not outcome.winner]} checkmated"
    client.send(f"\n{{Game 1 ({GUEST} vs. {BOT}) {reason}}} {outcome.result()}\nfics% ")
    return board, outcome


def serve(server):
    server.settimeout(60)
    connection, _ = server.accept()
    client = Client(connection)
    client.send("Welcome to a small chess server.\nlogin: ")
    client.until(BOT)
    client.send("password: ")
    client.line()
    client.send(f"\n**** Starting FICS session as {BOT} ****\nfics% ")
    client.until(r".*style 12.*")
    client.send(f"\nChallenge: {GUEST} (++++) {BOT} (++++) unrated blitz {SECONDS // 60} 0.\nfics% ")
    client.until(rf"(/|\$)*accept( {GUEST})?")
    return play(client)


def main():
    engine = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as server:
        logon = os.path.join(folder, "logon")
        with open(logon, "w", encoding="utf-8") as file:
            file.write(f"{BOT}\nsecret\n")
        said = open(os.path.join(folder, "said"), "w+", encoding="utf-8")
        screen = ["Xvfb", "-displayfd", "1", "-screen", "0", "1280x1024x24", "-nolisten", "tcp"]
        port = str(server.getsockname()[1])
        bot = ["xboard", "-ics", "-icshost", "127.0.0.1", "-icsport", port, "-icslogon", logon, "-zp", "-fcp", engine]
        bot += ["-autoflag", "true", "-saveSettingsOnExit", "false"]
        with said, started(screen, stdout=subprocess.PIPE, stderr=said) as xvfb:
            display = ":" + xvfb.stdout.readline().strip()
            path = os.environ["PATH"] + ":/usr/games"
            environment = dict(os.environ, PATH=path, DISPLAY=display, HOME=folder)
            with started(bot, env=environment, stdout=said, stderr=said):
                try:
                    board, outcome = serve(server)
                except Exception:
                    said.seek(0)
                    print(said.read()[-3000:], file=sys.stderr)
                    raise
    assert outcome.winner is not chess.WHITE, "the engine lost to random moves"
    print(f"xboard -ics -zp: {board.ply()} plies, {outcome.result()}, {outcome.termination.name.lower()}")


main()
