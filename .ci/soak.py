"""Kills a run again and again with SIGKILL, resumes it, and checks that nothing is lost, doubled or left behind.

usage: soak.py TOURNAMENT FOLDER --games N [--kills K] [--seed S] [--every GAMES] -- ARGUMENTS OF THE RUN
The arguments are those of a run without --store, --games and --pgn: a command with its engines and clocks.
"""

import argparse
import contextlib
import os
import random
import re
import signal
import sqlite3
import subprocess
import sys
import time

SETTLING_S = 1.0
LONGEST_WAIT_S = 180.0


def processes_below(folder: str) -> list[str]:
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            where = os.readlink(f"/proc/{pid}/cwd")
            line = open(f"/proc/{pid}/cmdline", "rb").read().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if where.startswith(folder) and line:
            found.append(f"{pid}: {line}")
    return found


def resident_kb(pid: int) -> int:
    with open(f"/proc/{pid}/status") as status:
        return next((int(line.split()[1]) for line in status if line.startswith("VmRSS")), 0)


def stored(store: str) -> dict[int, str]:
    """Games by their numbers, each with its moves."""
    if not os.path.exists(store):
        return {}
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=10)) as database:
        return dict(database.execute("SELECT number, started_ms || moves FROM game"))


def await_games(store: str, count: int, runner: subprocess.Popen) -> None:
    deadline = time.monotonic() + LONGEST_WAIT_S
    while len(stored(store)) < count and runner.poll() is None:
        if time.monotonic() >= deadline:
            runner.kill()
            sys.exit(f"fewer than {count} games after {LONGEST_WAIT_S:.0f} s")
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--games", type=int, required=True)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--longest", type=float, default=2.0, help="seconds before a kill, at most")
    parser.add_argument("--every", type=int, default=0, help="games that must be stored between kills")
    parser.add_argument("--seed", type=int, default=1)
    split = sys.argv.index("--")
    options = parser.parse_args(sys.argv[1:split])
    chance = random.Random(options.seed)
    folder = os.path.realpath(options.folder)
    os.makedirs(folder)
    store, pgn = os.path.join(folder, "run.db"), os.path.join(folder, "run.pgn")
    program = os.path.abspath(options.program)
    begin = [program, *sys.argv[split + 1 :], "--games", str(options.games), "--store", store, "--pgn", pgn]
    resume = [program, "resume", store]
    before: dict[int, str] = {}
    memory = []
    for kill in range(options.kills + 1):
        command = resume if os.path.exists(store) else begin
        if command is begin and os.path.exists(pgn):
            os.remove(pgn)
        with open(os.path.join(folder, f"log-{kill}"), "wb") as log:
            runner = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, start_new_session=True)
        if kill == options.kills:
            while runner.poll() is None:
                memory.append(resident_kb(runner.pid))
                time.sleep(0.2)
            assert runner.returncode == 0, f"the last resume ended with {runner.returncode}: see {log.name}"
        else:
            await_games(store, len(before) + options.every, runner)
            time.sleep(chance.uniform(0, options.longest))
            memory.append(resident_kb(runner.pid))
            finished = runner.poll() is not None
            running = len(processes_below(folder))
            runner.send_signal(signal.SIGKILL)
            runner.wait()
            time.sleep(SETTLING_S)
            print(f"kill {kill + 1}: {len(stored(store))} games stored, {running} processes{', had ended' if finished else ''}", flush=True)
        left = processes_below(folder)
        assert not left, f"left {SETTLING_S} s after the end: {left}"
        after = stored(store)
        changed = [number for number, game in before.items() if after.get(number) != game]
        assert not changed, f"stored games changed or vanished: {changed}"
        before = after
    numbers = sorted(before)
    assert numbers == list(range(len(numbers))), "every number of a game once"
    text = open(pgn, encoding="utf-8").read()
    results = re.findall(r'^\[Result "([^"]*)"\]', text, flags=re.MULTILINE)
    assert len(results) == len(numbers), f"{len(results)} games in the PGN, {len(numbers)} in the store"
    assert "*" not in results, "every game has its result"
    assert not [name for name in os.listdir(folder) if name.endswith(("-wal", "-shm", ".new")) or ".new." in name]
    print(f"{len(numbers)} games, each once; resident memory {min(memory[-20:])} to {max(memory)} kB")


if __name__ == "__main__":
    main()
