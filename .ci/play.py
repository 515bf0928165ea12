"""Plays on the play page in headless Chromium: a whole game by drag, tap, keys and typed moves, with an en passant capture, a
promotion, castling, a premove, a take-back, a lost connection, a reload and a mate; castling in Chess960; a game with another color
against the built-in engine; analysis with several lines. Nothing is wider than a phone, and the console stays silent.

    play.py PROGRAM SCRIPTED [--pictures FOLDER]

PROGRAM is smalt-tournament, SCRIPTED the scripted engine. Wants chromium and chromedriver."""

import argparse
import pathlib
import socket
import tempfile
import threading

from browser import Browser, Server, await_that, expect

FILES = "abcdefgh"
ENTER, ESCAPE, LEFT, RIGHT, UP, DOWN, HOME, END = "\ue007", "\ue00c", "\ue012", "\ue014", "\ue013", "\ue015", "\ue011", "\ue010"
GAME = (
    "e2e4 a7a6 e4e5 d7d5 e5d6 a6a5 d6c7 a5a4 c7b8q h7h6 g1f3 h6h5 f1c4 h5h4 e1g1 h4h3 c4f7 e8d7 f3e5"
).replace(" ", ",")

SQUARE = """
    const box = document.querySelector(".playing .board").getBoundingClientRect();
    const [column, row] = arguments;
    return [box.left + (column + 0.5) * box.width / 8, box.top + (row + 0.5) * box.height / 8].map(Math.round);
"""
MOVES = "return [...document.querySelectorAll('.moves button')].map((button) => button.firstChild.textContent).join(' ')"
BUTTON = """
    const button = [...document.querySelectorAll("button")].find((one) => one.textContent === arguments[0] && one.getClientRects().length > 0);
    if (!button || button.disabled) return false;
    button.click();
    return true;
"""
FIELD = """
    const field = document.querySelector(`.new-game [name="${arguments[0]}"]`);
    field.value = arguments[1];
    field.dispatchEvent(new Event("change"));
"""


class Player:
    """A human at the page."""

    def __init__(self, browser):
        self.browser = browser
        self.flipped = False

    def point(self, square):
        column, row = FILES.index(square[0]), 8 - int(square[1])
        return self.browser.run(SQUARE, *((7 - column, 7 - row) if self.flipped else (column, row)))

    def pointer(self, *actions):
        self.browser.call("POST", "/actions", {"actions": [
            {"type": "pointer", "id": "pointer", "parameters": {"pointerType": "mouse"}, "actions": list(actions)}]})

    def tap(self, *squares):
        for square in squares:
            x, y = self.point(square)
            self.pointer({"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0})

    def drag(self, start, end):
        (x, y), (to_x, to_y) = self.point(start), self.point(end)
        self.pointer({"type": "pointerMove", "duration": 0, "x": x, "y": y}, {"type": "pointerDown", "button": 0},
                     {"type": "pointerMove", "duration": 60, "x": (x + to_x) // 2, "y": (y + to_y) // 2},
                     {"type": "pointerMove", "duration": 60, "x": to_x, "y": to_y}, {"type": "pointerUp", "button": 0})

    def type(self, text):
        self.browser.run("document.querySelector('#typed').focus()")
        self.browser.press(*text, ENTER)

    def click(self, text):
        await_that(f"a button {text!r}", lambda: self.browser.run(BUTTON, text))

    def moves(self):
        return self.browser.run(MOVES)

    def expect_moves(self, wanted):
        await_that(f"the moves {wanted}", lambda: self.moves() == wanted)

    def state(self):
        return self.browser.text(".pill")

    def await_state(self, wanted):
        await_that(f"the state {wanted!r}", lambda: self.state() == wanted)


class Relay:
    """A connection to a server that can be cut: the same port of another loopback address."""

    def __init__(self, base):
        self.port = int(base.rstrip("/").rsplit(":", 1)[1])
        self.base = f"http://127.0.0.2:{self.port}/"
        self.open = []
        self.mend()

    def mend(self):
        self.listener = socket.create_server(("127.0.0.2", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def accept(self, listener):
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self.port))
            self.open += [client, server]
            for source, target in ((client, server), (server, client)):
                threading.Thread(target=self.copy, args=(source, target), daemon=True).start()

    def copy(self, source, target):
        try:
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def cut(self):
        for one in [self.listener, *self.open]:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            one.close()
        self.open = []


def picture(browser, pictures, name):
    """Pictures of the page in both themes, and the same on a phone; nothing is wider than the window."""
    sizes = [(1280, 900, "light"), (1280, 900, "dark"), (390, 844, "light"), (390, 844, "dark"), (360, 740, "light")]
    for width, height, scheme in sizes:
        browser.look(width, height, scheme)
        browser.run("return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
        expect(wide <= 0, f"{name} is {wide} pixels too wide for {width}")
        if pictures:
            browser.picture(pictures / f"play-{name}-{width}-{scheme}.png")
    browser.look(1280, 900, "light")


def play_a_whole_game(browser, relay, pictures):
    player = Player(browser)
    browser.open(relay.base)
    player.await_state("Your move")
    expect(browser.count(".playing .piece") == 32, "all pieces stand on the board")
    player.tap("e2")
    expect(browser.count(".board .target") == 2, "a pawn has two targets")
    picture(browser, pictures, "targets")
    player.tap("e2")
    expect(browser.count(".board .target") == 0, "a second tap forgets it")
    player.drag("e2", "e4")
    player.expect_moves("e4 a6")
    said = browser.text(".move-line")
    expect("robot" in said and "a6" in said, f"the reply is said: {said!r}")
    player.click("Take back")
    player.expect_moves("")
    player.click("Hint")
    await_that("a hint", lambda: browser.count(".arrow.best") == 1)
    player.drag("e2", "e4")
    player.expect_moves("e4 a6")
    player.tap("e4", "e6")
    expect(player.moves() == "e4 a6", "an illegal move is none")
    player.tap("e4", "e5")
    player.expect_moves("e4 a6 e5 d5")
    # En passant.
    player.tap("e5", "d6")
    player.expect_moves("e4 a6 e5 d5 exd6 a5")
    expect(browser.count(".playing .piece") == 31, "the captured pawn is gone")
    # A premove: while the engine thinks about its answer, the next capture is chosen already.
    player.tap("d6", "c7")
    player.await_state("The engine thinks")
    player.tap("c7", "c8")
    expect(browser.count(".board .premove") == 2, "a premove is marked")
    player.expect_moves("e4 a6 e5 d5 exd6 a5 dxc7 a4")
    await_that("word of an impossible premove", lambda: "premove is not possible" in browser.text(".move-line"))
    # A promotion, by the chooser.
    player.tap("c7", "b8")
    await_that("a choice of pieces", lambda: browser.count(".chooser:not([hidden]) button") == 4)
    picture(browser, pictures, "promotion")
    browser.press(ESCAPE)
    expect(browser.count(".chooser:not([hidden])") == 0 and "dxc7 a4" in player.moves(), "Escape promotes nothing")
    player.tap("c7", "b8")
    await_that("the focus on a piece", lambda: browser.run("return document.activeElement.closest('.chooser') !== null"))
    browser.press(ENTER)
    line = "e4 a6 e5 d5 exd6 a5 dxc7 a4 cxb8=Q h6"
    player.expect_moves(line)
    # A connection that is lost and found.
    relay.cut()
    player.await_state("No connection")
    player.type("Nf3")
    expect(player.moves() == line, "nothing is played without a server")
    relay.mend()
    player.await_state("Your move")
    expect(player.moves() == line, "the game is still there")
    browser.run("document.querySelector('#typed').value = ''")
    player.type("Nf3")
    line += " Nf3 h5"
    player.expect_moves(line)
    browser.open(relay.base)
    player.await_state("Your move")
    player.expect_moves(line)
    # By keys alone: the board's cursor begins at e2.
    browser.run("document.querySelector('.playing .board').focus()")
    browser.press(LEFT, RIGHT, DOWN, ENTER)
    expect(browser.count(".board .selected") == 1, "Enter chooses a piece")
    browser.press(UP, UP, UP, LEFT, LEFT, LEFT, ENTER)
    line += " Bc4 h4"
    player.expect_moves(line)
    player.drag("e1", "g1")
    line += " O-O h3"
    player.expect_moves(line)
    expect(browser.count(".playing .piece") == 29, "castling takes nothing")
    player.type("bxf7")
    player.await_state("The engine thinks")
    player.tap("f3", "e5")
    expect(browser.count(".board .premove") == 2, "the mate is chosen in advance")
    player.expect_moves(line + " Bxf7+ Kd7 Ne5#")
    player.await_state("1–0")
    expect("White mates" in browser.text("main"), "the page says how it ended")
    await_that("an evaluation graph", lambda: browser.count(".chart path.line") == 1 and "to go" not in browser.text("main"))
    browser.press(HOME)
    expect(browser.run("return document.querySelector('.moves [aria-current]')") is None, "Home is the first position")
    browser.press(END)
    expect(browser.run("return document.querySelector('.typed').hidden"), "no move is asked for after the game")
    picture(browser, pictures, "over")
    pgn = browser.run("return fetch(document.querySelector('a.button[download]').href).then((answer) => answer.text())")
    expect("Ne5# {White mates} 1-0" in pgn.replace("\n", " "), f"the PGN has the game: {pgn}")


def castle_in_chess960(browser, base, pictures):
    player = Player(browser)
    browser.open(base)
    player.await_state("Your move")
    expect("Chess960 number 288" in browser.text("header"), "the start position is named")
    player.tap("f1", "g1")
    await_that("castling", lambda: player.moves().startswith("O-O "))
    pieces = browser.run("return document.querySelector('.playing .board').getAttribute('aria-label')")
    expect("White: king g1, queen c1, rooks e1 f1, bishops a1 b1" in pieces, f"king and rook have changed places: {pieces}")
    picture(browser, pictures, "chess960")


def play_black_and_analyze(browser, base, pictures):
    player = Player(browser)
    browser.open(base)
    player.await_state("Your move")
    player.click("New game…")
    await_that("the form", lambda: browser.count(".new-game[open]") == 1)
    browser.run("document.querySelector('.new-game [value=black]').click()")
    browser.run(FIELD, "level", "1000")
    browser.run(FIELD, "time", "tc=300+3")
    browser.run(FIELD, "start", "fen")
    browser.run(FIELD, "fen", "no position")
    player.click("Start")
    await_that("a refusal", lambda: "The FEN: " in browser.text(".new-game .notice"))
    picture(browser, pictures, "form")
    browser.run(FIELD, "fen", "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 9")
    player.click("Start")
    await_that("the engine's move", lambda: player.state() == "Your move" and player.moves())
    player.flipped = True
    expect("1000 Elo" in browser.text("header"), "the level is shown")
    player.drag("e8", "c8")
    await_that("castling", lambda: "O-O-O" in player.moves() and len(player.moves().split()) == 3)
    clock = browser.text(".clock.ticks")
    await_that("a clock that ticks", lambda: browser.text(".clock.ticks") not in ("", clock))
    picture(browser, pictures, "black")
    player.click("Analyze")
    player.await_state("Analysis")
    browser.run("""
        const select = document.querySelector("[data-focus=lines]");
        select.value = 3;
        select.dispatchEvent(new Event("change"));
    """)
    await_that("three lines and arrows", lambda: browser.count(".line-of-play") == 3 and browser.count(".arrow") == 3)
    picture(browser, pictures, "analysis")
    browser.run("document.querySelector('.line-of-play').click()")
    await_that("a tried move", lambda: browser.count(".moves .tried") == 1)
    browser.press(LEFT)
    await_that("one back", lambda: browser.count(".moves .tried") == 0)
    player.click("Keep playing")
    player.await_state("Your move")
    player.click("Resign")
    player.click("Really resign?")
    player.await_state("1–0")
    expect("Black resigns" in browser.text("main"), "the page says who resigned")
    await_that("the review", lambda: browser.count(".chart path.line") == 1 and "to go" not in browser.text("main"))


def check_console(browser):
    severe = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING")]
    # The lost connection and the refused FEN are meant to fail.
    expected = ("net::ERR_", "409 (Conflict)")
    severe = [entry for entry in severe if not any(words in entry["message"] for words in expected)]
    expect(not severe, f"the console complains: {severe}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("scripted", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    program, scripted, pictures = arguments.program.resolve(), arguments.scripted.resolve(), arguments.pictures
    if pictures:
        pictures.mkdir(parents=True, exist_ok=True)
    robot = f'"cmd={scripted}" name=robot "args=--info-lines 1 --score 25 --think 700 --moves {GAME}"'
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        servers = [
            Server(folder, program, "play", "--engine", robot, "--side", "white"),
            Server(folder, program, "play", "--engine", f'"cmd={scripted}" name=robot', "--chess960=288"),
            Server(folder, program, "play", "--movetime", "100"),
        ]
        browser = Browser(folder / "profile")
        try:
            browser.look(1280, 900, "light")
            play_a_whole_game(browser, Relay(servers[0].base), pictures)
            castle_in_chess960(browser, servers[1].base, pictures)
            play_black_and_analyze(browser, servers[2].base, pictures)
            check_console(browser)
        finally:
            browser.close()
            for server in servers:
                server.end()
    print("play: whole games with mate, promotion, castling, en passant and Chess960; a lost connection resumed; lines were analyzed")


main()
