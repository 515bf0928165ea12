"""Runs the commands of the README and of the guide (docs/*.md) and compares what they print.

    guide.py FOLDER [PAGE…]

FOLDER has the four programs. In a block marked `console` each line after `$ ` is a command, run by bash in an empty folder for each
page that has two engines, `new` and `old`, and a git repository `engine` with the branches `main` and `lmr`; the lines below it must come in its output in this order, where … stands for
anything. A command must succeed. Links to files must lead somewhere, those of the guide into the guide, and SUMMARY.md names each page once. Comments before a block: `<!-- append: WORDS -->` adds words to its commands, `<!-- background: TEXT -->`
leaves them running once TEXT is in their output, `<!-- not run: REASON -->` leaves them out. Other blocks that have commands
(those marked `sh` or `powershell`, and those with a line that begins with one) need such a reason, and each block says its language."""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from links import broken_links, links

ROOT = pathlib.Path(__file__).parent.parent.absolute()
PATIENCE = 300
BLOCK = re.compile(
    r"(?:<!-- (?P<what>append|background|not run):? ?(?P<words>.*?) -->\n *)?```(?P<kind>\w*)\n(?P<text>.*?)```", re.S
)
COMMAND = re.compile(
    r"^ *(\$|\.[/\\]\S+|apt|brew|cargo|cc|cd|cp|curl|docker|git|ln|make|mkdir|nats-server|nohup|pip3?|podman|python3?|smalt(-\w+)?|sudo|tar) ", re.M
)


def commands(text):
    """Pairs of a command and the lines below it."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        else:
            found[-1][1].append(line)
    return found


def fits(expected, output):
    """Whether the lines come in the output in this order."""
    lines = iter(output.splitlines())
    for line in expected:
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        if line != "…" and not any(re.search(pattern, other) for other in lines):
            return line
    return None


def start(command, folder, environment, log):
    with open(log, "wb") as output:
        return subprocess.Popen(
            ["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
            stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
        )


def await_text(process, text, log):
    deadline = time.monotonic() + PATIENCE
    while process.poll() is None and time.monotonic() < deadline:
        if text in log.read_text(errors="replace"):
            return True
        time.sleep(0.05)
    return text in log.read_text(errors="replace")


def make_repository(folder, program):
    """A repository whose Makefile installs a script that starts the program; its branches differ by a comment."""
    folder.mkdir()
    git = ["git", "-c", "user.name=Author", "-c", "user.email=author@example.org", "-c", "commit.gpgsign=false"]
    (folder / "Makefile").write_text('all:\n\tinstall -m 755 engine.sh "$(EXE)"\n')
    for step, branch in [("First version", "main"), ("Reduce more", "lmr")]:
        (folder / "engine.sh").write_text(f'#!/bin/sh\n# {step}\nexec "{program}" "$@"\n')
        for arguments in [["init", "-q"], ["checkout", "-q", "-b", branch], ["add", "."], ["commit", "-q", "-m", step]]:
            subprocess.run([*git, *arguments], cwd=folder, check=True)


def play(page, programs):
    """Runs a page; its complaints."""
    complaints, running, count = [], [], 0
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place) / "work"
        folder.mkdir()
        for name in ["new", "old"]:
            shutil.copy(programs / "smalt", folder / name)
        make_repository(folder / "engine", folder / "old")
        path = os.pathsep.join([str(programs), os.environ["PATH"], "/usr/games", "/usr/sbin"])
        environment = {**os.environ, "PATH": path, "SMALT": str(ROOT), "XDG_CONFIG_HOME": place, "XDG_CACHE_HOME": f"{place}/cache"}
        try:
            for block in BLOCK.finditer(page.read_text()):
                what, words = block["what"], block["words"] or ""
                if what == "not run":
                    if not words:
                        complaints.append(f"{page.name}: a block that is not run says no reason: {block['text']!r}")
                    continue
                if block["kind"] != "console":
                    if not block["kind"]:
                        complaints.append(f"{page.name}: a block has no language (`text` if none): {block['text']!r}")
                    elif block["kind"] in ["sh", "bash", "powershell"] or COMMAND.search(block["text"]):
                        complaints.append(f"{page.name}: commands that are not run need a reason: {block['text']!r}")
                    continue
                for command, expected in commands(block["text"]):
                    count += 1
                    log = pathlib.Path(place) / f"{count}.log"
                    if what == "append":
                        head, bar, tail = command.partition(" || ")
                        command = f"{head} {words}{bar}{tail}"
                    process = start(command, folder, environment, log)
                    if what == "background":
                        running.append(process)
                        if not await_text(process, words, log):
                            complaints.append(f"{page.name}: $ {command}\nwaited in vain for {words!r}:\n{log.read_text()}")
                        continue
                    try:
                        code = process.wait(PATIENCE)
                    except subprocess.TimeoutExpired:
                        os.killpg(process.pid, signal.SIGKILL)
                        code = f"none after {PATIENCE} s"
                    output = log.read_text(errors="replace")
                    missing = fits(expected, output)
                    if code != 0 or missing is not None:
                        complaints.append(f"{page.name}: $ {command}\nexit code {code}, missing line {missing!r}:\n{output}")
        finally:
            for process in reversed(running):
                if process.poll() is None:
                    os.killpg(process.pid, signal.SIGTERM)
                process.wait()
    print(f"{page.name}: {count} commands")
    return complaints


def broken_book():
    """What mdBook refuses or a reader of the book misses: pages that SUMMARY.md names twice or not, links out of the book."""
    docs = ROOT / "docs"
    named = re.findall(r"\]\(([^)]+)\)", (docs / "SUMMARY.md").read_text())
    pages = {str(page.relative_to(docs)) for page in docs.rglob("*.md")} - {"SUMMARY.md"}
    for page in sorted({*named, *pages}):
        if named.count(page) != 1:
            yield f"SUMMARY.md: {page} stands there {named.count(page)} times"
    for page in docs.rglob("*.md"):
        for target in links(page):
            if not (page.parent / target).resolve().is_relative_to(docs):
                yield f"{page.relative_to(ROOT)}: {target} is outside of the book"


programs = pathlib.Path(sys.argv[1]).absolute()
wanted = sys.argv[2:]
pages = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))] if not wanted or page.name in wanted]
complaints = [complaint for page in pages for complaint in play(page, programs)] + [
    *broken_links(ROOT, [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]), *broken_book()
]
if complaints:
    sys.exit("\n\n".join(complaints))
