"""Drives the live page in headless Chromium while a gauntlet is played: standings change, boards move, a game is played
through by keys, hostile names do no harm, nothing is asked of other hosts, nothing is wider than a phone. Then the report of the
same run, as a file.

    page.py PROGRAM [--pictures FOLDER]

PROGRAM is smalt-tournament. Wants chromium and chromedriver (Debian: chromium, chromium-driver)."""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile
import time

from browser import PATIENCE, Browser, Server, await_that, expect

HOSTILE = "<img src=x onerror=window.harmed=1>"
ARROW_LEFT, ARROW_RIGHT, END, HOME = "\ue012", "\ue014", "\ue010", "\ue011"
BOARD = "return document.querySelector('.board')?.getAttribute('aria-label') ?? ''"
ALL_BOARDS = "return [...document.querySelectorAll('.board')].map((board) => board.getAttribute('aria-label')).join()"
CURRENT = "return document.querySelector('.moves [aria-current]')?.innerText ?? ''"


def follow_the_run(browser):
    """Overview and boards, while games are played."""
    await_that("standings", lambda: browser.count(".standings tbody tr") == 5)
    expect(HOSTILE in browser.text(".standings"), f"the hostile name stands there as it is: {browser.text('.standings')}")
    table = browser.text(".standings")
    await_that("standings that change", lambda: browser.text(".standings") != table)
    position = browser.run(BOARD)
    await_that("a board that moves", lambda: browser.run(BOARD) not in ("", position))
    clock = browser.text(".clock.ticks")
    await_that("a clock that ticks", lambda: browser.text(".clock.ticks") not in ("", clock))
    await_that("a curve", lambda: browser.count(".curves path.line") > 0)
    units = browser.run("return [...document.querySelectorAll('.chart .unit')].map((text) => text.textContent).join()")
    expect("games,Elo" in units, f"the axes say what they count: {units}")
    await_that("numbers of pairs", lambda: any(digit in browser.text(".penta") for digit in "123456789"))
    await_that("word of who is out", lambda: "broken is disqualified: it failed to start" in browser.text(".notice"))
    expect("Skipped" in browser.text(".facts"), "skipped games are counted")
    browser.press("2")
    await_that("two boards", lambda: browser.count(".boards .board") == 2)
    await_that("arrows of the variations", lambda: browser.count(".boards .arrow") > 0)
    await_that("the opening of a game", lambda: re.search(r"Game \d+ · [A-E]\d\d ", browser.text(".boards")))
    await_that("PVs diverge or agree", lambda: any(words in browser.text(".boards") for words in ("PVs diverge at", "PVs agree")))
    positions = browser.run(ALL_BOARDS)
    await_that("boards that move", lambda: browser.run(ALL_BOARDS) != positions)


def check_words(browser):
    """Numbers are written as in the terminal, and nothing is said of games that nobody knows of."""
    shown = browser.run("""return import("/words.js").then(({ gamesText, score, signed }) => [
        signed(0.04), signed(-0.04), signed(-0.06), signed(0.06), score({ cp: 0 }), score({ cp: -120 }),
        gamesText({ games_finished: 12, games_planned: 400 }),
        gamesText({ games_finished: 15, games_planned: 1000000, sprt: { verdict: "H1" } }),
        gamesText({ games_finished: 12, games_planned: 64, course: { kind: "race", is_open: true } }),
        gamesText({ games_finished: 12, games_planned: 64, course: { kind: "race", is_open: false } }),
    ])""")
    expect(shown == ["0.0", "0.0", "−0.1", "+0.1", "0.00", "−1.20", "12 of 400", "15", "12", "12 of 64"], f"numbers as people read them: {shown}")


def check_variations(browser):
    """Two variations of one position."""
    found = browser.run("""return import("/variations.js").then(({ rest, shared }) => [
        shared(["e4", "e5", "Nf3"], ["e4", "c5"]), rest(["e4", "e5", "Nf3"], 0, 1, ["e4"]), rest(["e4", "e5"], 0, 1, ["d4"]),
    ])""")
    expect(found == [1, ["e5", "Nf3"], None], f"variations are compared: {found}")


def check_lead(browser):
    """The first line of the overview says who leads and how sure that is, in the words of each kind of run."""
    found = browser.run("""return import("/overview.js").then(({ lead }) => {
        const entrants = [{ name: "A", points: 12, games: 12 }, { name: "B", points: 0, games: 12 }];
        const say = (results, state = "running") => lead({ state, results: { entrants, ...results } })?.join(": ") ?? null;
        const leader = (los, ahead_of = "B") => ({ leader: { name: "A", ahead_of, los } });
        return [
            say({ leader: null }), say(leader(0.999)), say(leader(0.999, null)), say(leader(0.71)), say(leader(0.71), "finished"),
            say({ ...leader(0.999), sprt: { verdict: "continue" } }), say({ ...leader(0.999), sprt: { verdict: "H0", games: 1200 } }),
            say({ ...leader(0.999), course: { kind: "knockout", champion: "B" } }),
            say({ ...leader(null, null), entrants: [...entrants, { name: "C", points: 12, games: 12 }] }),
        ];
    })""")
    sure = "12 of 12 points, stronger than B with a likelihood of"
    even = "12 of 12 points and is stronger than B with a likelihood of"
    expect(found == [
        None, f"A leads: {sure} 99.9 %", "A leads: 12 of 12 points, stronger than its opponents with a likelihood of 99.9 %",
        f"Too early to say: A has {even} 71.0 %", f"Too close to call: A has {even} 71.0 %", f"Too early to say: A has {even} 99.9 %",
        "A fails the test: H0 is accepted after 1,200 games", "B has won the knockout: 0 of 12 points",
        "Shared lead: A, C have 12 of 12 points each",
    ], f"who leads: {found}")


IN_WINDOW = """
    const box = document.querySelector(arguments[0])?.getBoundingClientRect();
    return box !== undefined && box.top >= 0 && box.bottom <= window.innerHeight && box.left >= 0 && box.right <= window.innerWidth;
"""


def lost_games(browser):
    """Number and moves of each game with a losing move."""
    numbers = "return fetch('/api/runs/0/games').then((answer) => answer.json()).then((list) => list.games.map((game) => game.number))"
    stored = lambda number: browser.run("return fetch(`/api/runs/0/games/${arguments[0]}`).then((answer) => answer.json())", number)
    return ((number, game) for number in browser.run(numbers) for game in [stored(number)] if game["losing_ply"] is not None)


def read_at_a_glance(browser, base):
    """On a phone the first screen says who leads, how sure that is, and which move lost the last game; a link shows that move."""
    browser.look(390, 844, "light")
    browser.open(f"{base}#/run/0")
    await_that("who leads", lambda: browser.run(IN_WINDOW, ".lead"))
    await_that("the last game", lambda: browser.run(IN_WINDOW, "[data-focus='last game']"))
    heads = browser.run("return [...document.querySelectorAll('.standings th[scope=col]')].filter((cell) => cell.offsetWidth > 0).map((cell) => cell.innerText)")
    expect(heads == ["Engine", "Elo", "Points", "LOS"], f"columns on a phone: {heads}")
    expect(browser.run(IN_WINDOW.replace("box.top >= 0 && box.bottom <= window.innerHeight &&", ""), ".standings"), "the standings fit a phone")
    # The one with the longest PV needs the most room.
    games = await_that("a game with a losing move", lambda: list(lost_games(browser)))
    number, game = max(games, key=lambda entry: len(entry[1]["plies"][entry[1]["losing_ply"]]["line"]))
    ply = game["losing_ply"] + 1
    expect(game["plies"][ply - 1]["line"], "the losing move has its PV")
    browser.open(f"{base}#/run/0/games/{number}?ply={ply}")
    await_that("the board and the losing move in one window", lambda: browser.run(IN_WINDOW, ".replay .board") and browser.run(IN_WINDOW, ".loss"))
    current = browser.run(CURRENT).split("\n")[0]
    expect(current.startswith(game["plies"][ply - 1]["san"]), f"the losing move is shown: {current!r}")
    label = browser.run(BOARD)
    expect(re.match(r"(White|Black) to move\. last move [a-h][1-8] to [a-h][1-8]\. White: king [a-h][1-8]", label), f"the board in words: {label!r}")
    browser.look(1280, 900, "light")


CHOOSE = """
    const select = document.querySelector(`[data-focus="${arguments[0]}"]`);
    if (select === null) return false;
    select.value = arguments[1];
    select.dispatchEvent(new Event("change"));
    return true;
"""


def choose(browser, name, value):
    """What a select offers, once it is there: a view comes when its data has."""
    await_that(f"a choice of {name}", lambda: browser.run(CHOOSE, name, value))


def replay_a_game(browser):
    """A game from the list, by keys alone."""
    browser.press("3")
    await_that("games", lambda: browser.count(".games tbody tr") > 0)
    browser.run("document.querySelector('.games .players').focus()")
    browser.press("\ue007")
    await_that("a game", lambda: browser.count(".moves button") > 10)
    begin = browser.run(BOARD)
    browser.press(ARROW_RIGHT, ARROW_RIGHT, ARROW_RIGHT)
    third, moved = browser.run(CURRENT), browser.run(BOARD)
    expect(third and moved != begin, f"three moves on, the board has moved: {third!r}")
    browser.press(ARROW_LEFT)
    expect(browser.run(CURRENT) not in ("", third), "one move back is another move")
    browser.press(END)
    last = browser.run(CURRENT)
    expect(last == browser.run("return [...document.querySelectorAll('.moves button')].at(-1).innerText"), "End is the last move")
    expect(browser.count(".chart path.whites") + browser.count(".chart path.blacks") == 2, "both engines have a curve")
    browser.press(HOME)
    expect(browser.run(BOARD) == begin, "Home is the first position")
    onward = browser.run("return document.querySelector('.onward code').textContent")
    expect(re.fullmatch(r"smalt-tournament play run\.db --game \d+ --ply 0 --engine .+", onward), f"the game can be played on: {onward!r}")
    browser.press("f")
    pgn = browser.run("return fetch(document.querySelector('a.button[download]').href).then((answer) => answer.text())")
    expect(pgn.startswith("[Event "), f"the PGN can be had: {pgn[:80]!r}")
    hash_before = browser.run("return location.hash")
    browser.press("3")
    choose(browser, "filter engine", "1")
    await_that("a filter in the address", lambda: "engine=1" in browser.run("return location.hash"))
    await_that("the games of one engine", lambda: browser.count(".games tbody tr") > 0)
    choose(browser, "filter result", "loss 1")
    await_that("what one engine lost", lambda: "result=loss" in browser.run("return location.hash"))
    shown = "return document.querySelector('[data-focus=\"filter result\"]').selectedOptions[0].text"
    expect(browser.run(shown) == "Lost by level-1800", f"the filter says whose losses: {browser.run(shown)}")
    await_that("losses", lambda: browser.count(".games tbody tr") > 0)
    choose(browser, "filter engine", "")
    await_that("all games", lambda: browser.run("return location.hash").endswith("/games"))
    return hash_before


def look_for_what_is_not_there(browser, base):
    browser.open(f"{base}#/run/7")
    await_that("word of a missing run", lambda: "There is no run 7" in browser.text("main"))
    browser.open(f"{base}#/run/0/games/999999")
    await_that("word of a missing game", lambda: "does not exist" in browser.text("main"))


PRESS = """
    const button = [...document.querySelectorAll("button")].find((button) => button.innerText === arguments[0]);
    button?.click();
    return button !== undefined;
"""

def control_the_run(browser, folder, program, pictures):
    """With a token the page pauses the run, extends it and adds an engine; a lost game goes to an EPD file by one click."""
    expect(browser.count(".control button") == 0, "a page without a token changes nothing")
    serve = Server(folder, program, "serve", "run.db", "--token-file", "token", "--epd", "lost.epd")
    try:
        browser.open(serve.base)
        answer = lambda: browser.text(".control [role=status]")
        await_that("the present number of games", lambda: browser.run("return document.querySelector('.control [aria-label=\"Concurrent games\"]')?.value") == "2")
        expect(browser.run("return !document.querySelector('.to-control').hidden"), "a button at the top leads to the control")
        await_that("buttons", lambda: browser.run(PRESS, "Pause"))
        await_that("word of the pause", lambda: "Paused" in answer())
        await_that("the pause in the head", lambda: browser.text(".pill") == "Paused")
        expect("Done at" not in browser.text("#head"), "no end time during a pause")
        browser.look(390, 844, "light")
        wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
        expect(wide <= 0, f"the commands are {wide} pixels too wide for a phone")
        if pictures:
            browser.picture(pictures / "control-390-light.png")
        browser.look(1280, 900, "light")
        if pictures:
            browser.picture(pictures / "control-1280-light.png")
        browser.run(PRESS, "Resume")
        await_that("word that it continues", lambda: "continues" in answer())
        await_that("that it runs in the head", lambda: browser.text(".pill") == "Running")
        fields = """document.querySelector('.control [aria-label="Further games of each pairing"]').value = "3";
            document.querySelector('.control [aria-label="Engine to add"]').value = arguments[0];"""
        browser.run(fields, "cmd=false")
        browser.run(PRESS, "Add engine")
        await_that("a refusal", lambda: "registry only" in answer())
        browser.run(fields.replace('"3"', '"10"'), "builtin")
        planned = browser.run("return fetch('/api/runs/0').then((answer) => answer.json())")["results"]["games_planned"]
        browser.run(PRESS, "Extend")
        await_that("word of more games", lambda: "10 further games" in answer())
        browser.run(PRESS, "Add engine")
        await_that("word of the newcomer", lambda: "joins the run" in answer())
        await_that("a larger table", lambda: browser.count(".standings tbody tr") == 6)
        run = browser.run("return fetch('/api/runs/0').then((answer) => answer.json())")
        expect(run["results"]["games_planned"] == planned + 4 * 10 + 1010, f"the run is larger: {run['results']['games_planned']}, was {planned}")
        await_that("games of the newcomer", lambda: browser.run(
            "return fetch('/api/runs/0').then((answer) => answer.json())")["results"]["entrants"][5]["games"] > 0)
        controlled = serve.base.split("?")[0]
        keep_a_lost_game(browser, folder, controlled)
        return controlled
    finally:
        serve.end()


def keep_a_lost_game(browser, folder, base):
    """The position of a losing move is added to the EPD file once."""
    browser.open(f"{base}#/run/0")
    number, _ = await_that("a game with a losing move", lambda: next(lost_games(browser), None))
    browser.open(f"{base}#/run/0/games/{number}")
    await_that("the losing move", lambda: browser.run(PRESS, "Add to the EPD file"))
    answer = lambda: browser.text(".keeping [role=status]")
    await_that("word of the file", lambda: answer() == "Added to lost.epd")
    browser.run(PRESS, "Add to the EPD file")
    await_that("word that it is there", lambda: answer() == "lost.epd has it already")
    lines = (folder / "lost.epd").read_text().splitlines()
    expect(len(lines) == 1 and re.search(r" am \S+; id \"run.db game \d+\";", lines[0]), f"one position: {lines}")


def check_no_harm(browser, *bases):
    expect(browser.run("return window.harmed ?? null") is None, "a name was run as a script")
    expect(browser.count("img") == 0, "a name became an image")
    # A command that was refused is no fault of the page.
    severe = [entry for entry in browser.log("browser") if entry["level"] in ("SEVERE", "WARNING") and "409 (Conflict)" not in entry["message"]]
    expect(not severe, f"the console complains: {severe}")
    foreign = set()
    for entry in browser.log("performance"):
        message = json.loads(entry["message"])["message"]
        if message["method"] == "Network.requestWillBeSent":
            url = message["params"]["request"]["url"]
            if not url.startswith((*bases, "data:", "blob:", "about:", "chrome:")):
                foreign.add(url)
    expect(not foreign, f"other hosts were asked: {foreign}")


SMALLEST = """
    const sizes = [...document.querySelectorAll("svg text")].filter((text) => text.getClientRects().length > 0)
        .map((text) => parseFloat(getComputedStyle(text).fontSize) * Math.hypot(text.getScreenCTM().a, text.getScreenCTM().b));
    return Math.min(99, ...sizes)
"""


def expect_letters(browser, width, where):
    """A phone 390 pixels wide shows every letter of a drawing at least 11 pixels high."""
    smallest = browser.run(SMALLEST)
    expect(width != 390 or smallest >= 11, f"{where} has letters of {smallest:.1f} pixels")


def check_widths(browser, base, views, pictures, name):
    """No view is wider than the window, be it a phone's; pictures of all of them, if they are wanted."""
    sizes = [(1280, 900, "light"), (1280, 900, "dark"), (390, 844, "light"), (390, 844, "dark"), (360, 740, "light")]
    for width, height, scheme in sizes:
        browser.look(width, height, scheme)
        for view, fragment in views.items():
            browser.open(f"{base}{fragment}")
            await_that(f"something at {fragment}", lambda: browser.count("main section, main article, main .empty") > 0)
            time.sleep(0.7 if pictures else 0.2)
            wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
            expect(wide <= 0, f"{fragment} is {wide} pixels too wide for {width}")
            expect_letters(browser, width, fragment)
            if pictures:
                browser.picture(pictures / f"{name}-{view}-{width}-{scheme}.png")


def outlive_the_server(browser, base, serve):
    """The page keeps what it knows when its server ends, says so, and finds the next one by itself."""
    browser.open(f"{base}#/run/0")
    await_that("standings", lambda: browser.count(".standings tbody tr") == 6)
    serve.end()
    await_that("word of the end", lambda: "smalt-tournament serve run.db" in browser.text(".notice"))
    expect(browser.count(".standings tbody tr") == 6, "what was shown stays")
    browser.run("location.hash = '#/run/0/games/1'")
    await_that("word of how to see the game", lambda: "smalt-tournament serve run.db" in browser.text("main"))
    serve.begin(base.rstrip("/").rsplit(":", 1)[1])
    await_that("the server again", lambda: "smalt-tournament serve" not in browser.text("#head"))
    await_that("the game", lambda: browser.count(".moves button") > 10)


def look_at_the_report(browser, folder, pictures):
    """One file: its links lead to its own places, and it fits a phone."""
    for width, height, scheme in [(1280, 900, "light"), (1280, 900, "dark"), (390, 844, "light"), (390, 844, "dark")]:
        browser.look(width, height, scheme)
        browser.open((folder / "report.html").as_uri())
        wide = browser.run("return document.documentElement.scrollWidth - window.innerWidth")
        expect(wide <= 0, f"the report is {wide} pixels too wide for {width}")
        expect_letters(browser, width, "the report")
        if pictures:
            browser.picture(pictures / f"report-{width}-{scheme}.png")
    expect(browser.count("article figure svg") >= 4, "games have curves")
    expect(browser.run("return [...document.querySelectorAll('a')].every((link) => document.querySelector(link.hash))"), "links lead somewhere")
    browser.run("document.querySelector('#games').closest('details').open = true; document.querySelector('#games a').click()")
    await_that("the place of a game", lambda: browser.run("return document.querySelector('article:target h3')?.innerText ?? ''").startswith("Game "))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path)
    arguments = parser.parse_args()
    program = arguments.program.resolve()
    if arguments.pictures:
        arguments.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        # The last is as strong as the challenger: there is no curve where all games are won.
        limited = [f"cmd=builtin name=level-{elo} option.UCI_LimitStrength=true option.UCI_Elo={elo}" for elo in (1800, 3000, 3630)]
        entrants = [word for entrant in [*limited, "cmd=false name=broken"] for word in ("--opponent", entrant)]
        # Positions that have names.
        boards = ["4P3/8/PPPP1PPP/RNBQKBNR", "3P4/8/PPP1PPPP/RNBQKBNR", "2P5/8/PP1PPPPP/RNBQKBNR", "8/5N2/PPPPPPPP/RNBQKB1R", "8/6P1/PPPPPP1P/RNBQKBNR"]
        (folder / "book.epd").write_text("".join(f"rnbqkbnr/pppppppp/8/8/{board} b KQkq -\n" for board in boards))
        gauntlet = subprocess.Popen(
            [program, "gauntlet", "--engine", f'cmd=builtin "name={HOSTILE}"', *entrants, "--tc", "1.500+0.03", "--games", "1000",
             "--timemargin", "500", "--openings", "book.epd", "--concurrency", "2", "--store", "run.db", "--quiet"],
            cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        await_that("a store", (folder / "run.db").exists)
        serve = Server(folder, program, "serve", "run.db")
        base = serve.base
        browser = Browser(folder / "profile")
        try:
            browser.look(1280, 900, "light")
            browser.open(base)
            follow_the_run(browser)
            check_words(browser)
            check_variations(browser)
            check_lead(browser)
            read_at_a_glance(browser, base)
            browser.open(f"{base}#/run/0")
            game = replay_a_game(browser)
            views = {"overview": "#/run/0", "boards": "#/run/0/boards", "games": "#/run/0/games", "game": game}
            check_widths(browser, base, views, arguments.pictures, "running")
            browser.look(1280, 900, "light")
            browser.open(f"{base}#/run/0")
            await_that("the overview", lambda: browser.count(".standings tbody tr") == 5)
            controlled = control_the_run(browser, folder, program, arguments.pictures)
            gauntlet.terminate()
            gauntlet.wait(timeout=PATIENCE)
            browser.open(f"{base}#/run/0")
            await_that("a run that is over", lambda: "Stopped" in browser.text(".pill"))
            check_no_harm(browser, base, controlled)
            look_for_what_is_not_there(browser, base)
            outlive_the_server(browser, base, serve)
            subprocess.run([program, "report", "run.db", "-o", "report.html"], cwd=folder, check=True)
            look_at_the_report(browser, folder, arguments.pictures)
        finally:
            browser.close()
            serve.end()
            gauntlet.terminate()
            gauntlet.wait()
    print("page: standings change, boards move, games are played through; nothing hostile ran, nobody else was asked; the report fits")


main()
