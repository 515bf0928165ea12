"""Kills, freezes and cuts off the workers of a run at random moments, and compares its games with those of a run without disturbance.

    fleet_soak.py PROGRAM ENGINE FOLDER --games N [--minutes M] [--kinds LIST] [--count N] [--think MS] [--workers N] [--longest S] [--outage S]

PROGRAM is smalt-tournament, ENGINE the scripted engine. FOLDER is made, and keeps the stores and logs. A NATS server runs on loopback, and
each worker reaches it through a proxy. Kinds of disturbance: kill (SIGKILL of the worker), freeze (SIGSTOP of the worker),
suspend (SIGSTOP of the worker and its engines), silent (no byte passes the proxy), cut (connections are closed). Each worker
has its share of --count disturbances; without it they last as long as the run, which --minutes ends. The games have a clock: a
disturbance must cost no engine a game.
"""

import argparse
import collections
import contextlib
import os
import pathlib
import random
import signal
import socket
import subprocess
import threading
import time

from evening import can_connect, free_port, games, query, say, wait_until
from soak import processes_below

KINDS = ("kill", "freeze", "suspend", "silent", "cut")


class Proxy:
    """Forwards connections to the server while it is open; a closed one refuses, a silent one delays."""

    def __init__(self, server: int) -> None:
        self.server, self.streams = server, []
        self.is_cut = False
        self.open = threading.Event()
        self.open.set()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self) -> None:
        while True:
            client, _ = self.listener.accept()
            try:
                target = socket.create_connection(("127.0.0.1", self.server))
            except OSError:
                client.close()
                continue
            self.streams += [client, target]
            for ends in ((client, target), (target, client)):
                threading.Thread(target=self.forward, args=ends, daemon=True).start()
            if self.is_cut:
                self.close_streams()

    def forward(self, source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(4096):
                self.open.wait()
                sink.sendall(data)
        for stream in (source, sink):
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)

    def close_streams(self) -> None:
        streams, self.streams = self.streams, []
        for stream in streams:
            with contextlib.suppress(OSError):
                stream.shutdown(socket.SHUT_RDWR)


class Worker:
    def __init__(self, name: str, soak: "Soak") -> None:
        self.name, self.soak = name, soak
        self.chance = random.Random(f"{soak.options.seed} {name}")
        self.proxy = Proxy(soak.port)
        self.folder = soak.folder / name
        self.folder.mkdir()
        self.log = soak.folder / f"{name}.log"
        self.start()

    def start(self) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [self.soak.program, "worker", "--nats", f"nats://127.0.0.1:{self.proxy.port}", "--engines", self.soak.folder / "engines.toml",
                 "--name", self.name, "--concurrency", "1", "--speed", "1000000"],
                cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
            )

    def disturb_while_playing(self, kinds: list[str], count: float) -> None:
        while count > 0 and not self.soak.over.wait(self.chance.uniform(0, self.soak.options.longest)):
            kind = self.chance.choice(kinds)
            self.disturb(kind, self.chance.uniform(0, self.soak.options.outage))
            self.soak.counts[kind] += 1
            count -= 1

    def disturb(self, kind: str, outage: float) -> None:
        wait = self.soak.over.wait
        match kind:
            case "kill":
                self.process.kill()
                self.process.wait()
                killed = time.monotonic()
                wait_until("the end of the engines of a killed worker", lambda: not processes_below(str(self.folder)))
                self.soak.longest_end = max(self.soak.longest_end, time.monotonic() - killed)
                self.start()
            case "freeze" | "suspend":
                frozen = [self.process.pid]
                if kind == "suspend":
                    frozen += [int(line.split(":")[0]) for line in processes_below(str(self.folder))]
                for pid in frozen:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGSTOP)
                wait(outage)
                for pid in reversed(frozen):
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGCONT)
            case "silent":
                self.proxy.open.clear()
                wait(outage)
                self.proxy.open.set()
            case "cut":
                self.proxy.is_cut = True
                self.proxy.close_streams()
                wait(outage)
                self.proxy.is_cut = False


class Soak:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = pathlib.Path(options.folder).resolve()
        self.folder.mkdir(parents=True)
        self.program = str(pathlib.Path(options.program).resolve())
        self.port = free_port()
        self.over = threading.Event()
        self.counts: collections.Counter[str] = collections.Counter()
        self.longest_end = 0.0
        self.is_interrupted = False

    def write_engines(self, think: int) -> None:
        engine = pathlib.Path(self.options.engine).resolve()
        self.folder.joinpath("engines.toml").write_text("\n".join(
            f'[[engine]]\nname = "{name}"\ncmd = "{engine}"\nargs = ["--name", "{name}", "--seed", "{seed}", "--think", "{think}"]\n'
            for seed, name in enumerate(("first", "second"))
        ))

    def match(self, store: str, count: int, *more: str) -> subprocess.Popen:
        command = [self.program, "match", "--engine", "first", "--engine", "second", "--engines", "engines.toml", "--tc", "2+0.1", "--maxmoves",
                   "60", "--seed", str(self.options.seed), "--games", str(count), "--store", store, *more]
        with open(self.folder / f"{store}.log", "wb") as log:
            return subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)

    def play(self) -> None:
        server = subprocess.Popen(
            ["/usr/sbin/nats-server", "-js", "-a", "127.0.0.1", "-p", str(self.port), "-sd", "js", "-l", "nats.log"],
            cwd=self.folder, start_new_session=True,
        )
        workers, run = [], None
        try:
            wait_until("nats-server", lambda: can_connect(self.port))
            self.write_engines(self.options.think)
            workers += [Worker(f"worker-{index}", self) for index in range(self.options.workers)]
            run = self.match("run.db", self.options.games, "--pgn", "run.pgn", "--nats", f"nats://127.0.0.1:{self.port}", "--lease", "3")
            wait_until("the first game", lambda: query(self.folder / "run.db", "SELECT 1 FROM game") or run.poll() is not None)
            share = self.options.count / self.options.workers or float("inf")
            threads = [
                threading.Thread(target=worker.disturb_while_playing, args=(self.options.kinds.split(","), share)) for worker in workers
            ]
            for thread in threads:
                thread.start()
            with contextlib.suppress(subprocess.TimeoutExpired):
                run.wait(self.options.minutes and self.options.minutes * 60)
            self.is_interrupted = run.poll() is None
            self.over.set()
            for thread in threads:
                thread.join()
            run.send_signal(signal.SIGTERM)
            assert run.wait() == (143 if self.is_interrupted else 0), f"the run ended with {run.returncode}: see run.db.log"
        finally:
            self.over.set()
            for worker in workers:
                worker.process.send_signal(signal.SIGTERM)
            for process in [worker.process for worker in workers] + [run] * (run is not None):
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(60)
                process.kill()
            server.terminate()
            server.wait()
        codes = [worker.process.returncode for worker in workers]
        assert codes == [143] * len(codes), f"workers ended with {codes}"

    def check(self) -> None:
        left = processes_below(str(self.folder))
        assert not left, f"left after the end: {left}"
        store = self.folder / "run.db"
        assert query(store, "SELECT * FROM fault") == query(store, "SELECT * FROM strike") == [], "an engine was at fault"
        self.write_engines(0)
        disturbed = games(store)
        # The games of an interrupted run and of its last pair.
        count = (disturbed[-1][0] + 2) // 2 * 2 if self.is_interrupted else self.options.games
        assert self.match("quiet.db", count, "--concurrency", "2").wait() == 0
        quiet = {row[0]: row for row in games(self.folder / "quiet.db")}
        different = [row[0] for row in disturbed if row != quiet[row[0]]]
        missing = count - len(disturbed)
        assert not different and missing <= 2 * self.options.workers * self.is_interrupted, f"different games: {different}, missing ones: {missing}"
        written = (self.folder / "run.pgn").read_text().count("[Event ")
        assert written == len(disturbed), f"{written} games in the PGN"
        residue = [name for name in os.listdir(self.folder) if name.endswith(("-wal", "-shm", ".new"))]
        assert not residue, residue
        logs = "".join(path.read_text(errors="replace") for path in self.folder.glob("worker-*.log"))
        by_worker = dict(query(store, "SELECT machine, count(*) FROM game GROUP BY machine"))
        print(f"{len(disturbed)} games, each once, as without disturbance, no fault; by worker {by_worker}")
        print(f"disturbances {dict(self.counts)}; engines of a killed worker ended after {self.longest_end:.2f} s at most; "
              f"games void by a disturbed clock: {logs.count('was suspended')}")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("engine")
    parser.add_argument("folder")
    parser.add_argument("--games", type=int, required=True)
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--think", type=int, default=20, help="milliseconds for a move")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--longest", type=float, default=10.0, help="seconds between disturbances of a worker, at most")
    parser.add_argument("--outage", type=float, default=10.0, help="seconds of a disturbance, at most")
    parser.add_argument("--seed", type=int, default=1)
    soak = Soak(parser.parse_args())
    began = time.monotonic()
    soak.play()
    say(f"played for {(time.monotonic() - began) / 60:.1f} minutes")
    soak.check()


if __name__ == "__main__":
    main()
