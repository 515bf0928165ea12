"""A disturbed evening of the queue with real engines, and the same test without disturbance.

    evening.py PROGRAM FOLDER --repo REPOSITORY --git BASE..NEW --build COMMAND [--nodes N] [--elo1 ELO] [--seed N]

PROGRAM is smalt-tournament. FOLDER is made, and keeps the stores, logs and built engines. The queue tests NEW against BASE at fixed
nodes over a NATS server of its own, on two workers: one builds the engines by its own recipe, the other is started over ssh
(a separate sshd on loopback). The ssh worker is frozen, the other one is killed, the daemon is killed five times, and at last every process
at once, as by a restart of the machine: daemon, run, workers, engines and servers. Then the test is played again on this machine alone. Verdict,
LLR and games must be the same: rows of the store and PGN without dates and times. Before, the time to the first game on both of
two ssh hosts is measured.
"""

import argparse
import collections
import contextlib
import getpass
import json
import os
import pathlib
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import time

PATIENCE_S = 1800
DAEMON_KILLS = 5
GAMES_BETWEEN = 8
TIMES = ("Date", "GameDuration", "GameStartTime", "GameEndTime")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_until(what: str, holds) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        if time.monotonic() > deadline:
            sys.exit(f"evening.py: waited {PATIENCE_S} s in vain for {what}")
        time.sleep(0.1)


def query(store: pathlib.Path, sql: str) -> list[tuple]:
    """Rows of a store; none while it does not exist."""
    if not store.exists():
        return []
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True, timeout=30)) as database:
        try:
            return database.execute(sql).fetchall()
        except sqlite3.OperationalError:
            return []


def games(store: pathlib.Path) -> list[tuple]:
    """Games in the order of their numbers, without what depends on time or machine."""
    columns = "number, pair, round, white, black, opening, fen, outcome, termination, moves"
    rows = query(store, f"SELECT {columns} FROM game ORDER BY number")
    return [(*row[:-1], " ".join(without_times(word) for word in row[-1].split(" "))) for row in rows]


def without_times(move: str) -> str:
    """A stored move without the times of engine, runner and clock (see game/moves.rs)."""
    fields = move.split("/")
    return "/".join(field for index, field in enumerate(fields) if index not in (4, 5, 8))


def timeless(pgn: str) -> list[str]:
    """The games of a PGN without dates and times, each one's words in a line."""
    texts = re.split(r"\n\n(?=\[Event )", pgn.strip())
    found = []
    for text in texts:
        lines = [line for line in text.splitlines() if not line.startswith(tuple(f"[{tag} " for tag in TIMES))]
        found.append(" ".join(word for word in " ".join(lines).split() if not re.fullmatch(r"[{,]?\d+\.\d+s[,}]?", word)))
    return found


class Evening:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.folder = pathlib.Path(options.folder).absolute()
        self.program = str(pathlib.Path(options.program).absolute())
        self.repository = pathlib.Path(options.repo).absolute()
        self.running: list[subprocess.Popen] = []
        for name in ("host/smalt", "bin", "smalt"):
            (self.folder / name).mkdir(parents=True)
        path = f"{self.folder}/bin:{os.environ['PATH']}:/usr/sbin"
        self.environment = {
            **os.environ, "PATH": path, "XDG_CONFIG_HOME": str(self.folder), "XDG_CACHE_HOME": f"{self.folder}/cache", "NO_COLOR": "1",
        }

    def start(self, name: str, *command: object, **settings) -> subprocess.Popen:
        """Starts a program in a process group of its own; its output goes to the file NAME.log."""
        with open(self.folder / f"{name}.log", "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in command], cwd=self.repository, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, start_new_session=True, **settings,
            )
        self.running.append(process)
        return process

    def call(self, *arguments: object) -> str:
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, cwd=self.repository, env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S)
        if done.returncode != 0:
            sys.exit(f"evening.py: {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
        return done.stdout

    def configure_ssh(self) -> None:
        for key in ("host_key", "user_key"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key], check=True)
        self.ssh_port, self.nats_port = free_port(), free_port()
        (self.folder / "sshd_config").write_text(
            f"Port {self.ssh_port}\nListenAddress 127.0.0.1\nHostKey {self.folder}/host_key\nPidFile none\nUsePAM no\n"
            f"AuthorizedKeysFile {self.folder}/user_key.pub\nStrictModes no\nPermitRootLogin yes\n"
            f"SetEnv XDG_CONFIG_HOME={self.folder}/host XDG_CACHE_HOME={self.folder}/host/cache\n"
            f'ForceCommand cd {self.folder}/host && eval "$SSH_ORIGINAL_COMMAND"\n'
        )
        (self.folder / "ssh_config").write_text(
            f"Host near\nHost far\nHost *\n  HostName 127.0.0.1\n  Port {self.ssh_port}\n  User {getpass.getuser()}\n"
            f"  IdentityFile {self.folder}/user_key\n  IdentitiesOnly yes\n  UserKnownHostsFile {self.folder}/known_hosts\n"
            "  StrictHostKeyChecking no\n"
        )
        wrapper = self.folder / "bin/ssh"
        wrapper.write_text(f'#!/bin/sh\nexec /usr/bin/ssh -F {self.folder}/ssh_config "$@"\n')
        wrapper.chmod(0o755)
        with contextlib.suppress(OSError):
            os.makedirs("/run/sshd", exist_ok=True)

    def start_servers(self) -> None:
        self.start("sshd", "/usr/sbin/sshd", "-D", "-e", "-f", self.folder / "sshd_config")
        self.start("nats", "nats-server", "-js", "-a", "127.0.0.1", "-p", self.nats_port, "-sd", self.folder / "js")
        wait_until("sshd and nats-server", lambda: can_connect(self.ssh_port) and can_connect(self.nats_port))

    def first_games(self, name: str) -> float:
        """Seconds from the start of a match to the first game on both of two ssh hosts."""
        store = self.folder / f"{name}.db"
        begun = time.time()
        self.call(
            "match", "--engine", "builtin name=one", "--engine", "builtin name=two", "--nodes", 2000, "--games", 12,
            "--ssh", "near/1,far/1", "--store", store,
        )
        first = dict(query(store, "SELECT machine, min(started_ms) FROM game GROUP BY machine"))
        assert set(first) == {"near", "far"}, first
        return max(first.values()) / 1000 - begun

    def test(self) -> list[object]:
        options = self.options
        return [
            "sprt", "--git", options.git, "--build", options.build, "--nodes", options.nodes, "--elo0", -options.elo1,
            "--elo1", options.elo1, "--model", "logistic", "--games", 2000, "--seed", options.seed,
        ]

    def start_worker(self) -> subprocess.Popen:
        (self.folder / "worker.toml").write_text(
            f"[[engine]]\nname = \"mine\"\nrepo = {json.dumps(str(self.repository))}\nbuild = {json.dumps(self.options.build)}\n"
        )
        return self.start(
            "worker", self.program, "worker", "--nats", f"nats://127.0.0.1:{self.nats_port}", "--engines", self.folder / "worker.toml",
            "--name", "home", "--concurrency", 1, "--speed", 1000000,
        )

    def ssh_worker(self) -> int | None:
        """Process of the newest worker on the ssh host."""
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                words = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
                if words[0].startswith(f"{self.folder}/host/cache/".encode()) and b"--attached" in words:
                    found.append(int(pid))
        return max(found, default=None)

    def queue(self, *words: object) -> str:
        return self.call("queue", "--queue", self.folder / "queue.db", *words)

    def job(self) -> dict:
        return json.loads(self.queue("list", "--json", "-"))["jobs"][0]

    def start_daemon(self) -> subprocess.Popen:
        return self.start("daemon", self.program, "queue", "--queue", self.folder / "queue.db", "run", "--no-page", "--concurrency", 1)

    def disturb(self) -> pathlib.Path:
        """Plays the test by the queue; the store."""
        hosts = ["--ssh", "near/1", "--nats", f"nats://127.0.0.1:{self.nats_port}", "--lease", 2]
        self.queue("add", "--name", "evening", "--", *self.test(), *hosts)
        store = self.folder / "queue-jobs/job-1.db"
        due = 0

        def await_more_games() -> None:
            nonlocal due
            due = max(due, played(store)) + GAMES_BETWEEN
            wait_until(f"{due} games", lambda: played(store) >= due or self.job()["state"] not in ("waiting", "running"))
            assert played(store) >= due, self.job()

        worker, daemon = self.start_worker(), self.start_daemon()
        await_more_games()
        frozen = self.ssh_worker()
        os.kill(frozen, signal.SIGSTOP)
        say(f"worker on the ssh host frozen after {due} games")
        await_more_games()
        worker.kill()
        worker.wait()
        say(f"worker on this machine killed after {due} games")
        worker = self.start_worker()
        for _ in range(DAEMON_KILLS):
            await_more_games()
            daemon.kill()
            daemon.wait()
            say(f"daemon killed after {due} games")
            daemon = self.start_daemon()
        with contextlib.suppress(ProcessLookupError):
            os.kill(frozen, signal.SIGCONT)
        await_more_games()
        self.kill_everything()
        say(f"every process killed after {due} games")
        self.start_servers()
        worker, daemon = self.start_worker(), self.start_daemon()
        wait_until("the end of the job", lambda: self.job()["state"] not in ("waiting", "running"))
        daemon.send_signal(signal.SIGTERM)
        daemon.wait(60)
        worker.send_signal(signal.SIGINT)
        worker.wait(60)
        wait_until("the end of the ssh worker", lambda: self.ssh_worker() is None)
        job = self.job()
        assert (job["state"], job["flag"]) == ("done", ""), job
        return store

    def kill_everything(self) -> None:
        """Ends all processes of this evening at once, also those on the ssh host."""
        # sshd has written its title over its environment.
        found = [process.pid for process in self.running if process.poll() is None]
        for pid in map(int, filter(str.isdigit, os.listdir("/proc"))):
            with contextlib.suppress(OSError):
                if f"XDG_CONFIG_HOME={self.folder}".encode() in pathlib.Path(f"/proc/{pid}/environ").read_bytes():
                    found.append(pid)
        for pid in found:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for process in self.running:
            process.wait()

    def compare(self, disturbed: pathlib.Path, quiet: pathlib.Path) -> None:
        results = [json.loads(self.call("standings", store, "--json", "-")) for store in (disturbed, quiet)]
        tests = [found["sprt"] for found in results]
        assert tests[0] == tests[1], tests
        rows = [games(store) for store in (disturbed, quiet)]
        pgns = [timeless(store.with_suffix(".pgn").read_text()) for store in (disturbed, quiet)]
        # Games of later pairs may end before the deciding one.
        common = min(map(len, rows))
        first = next((index for index in range(common) if rows[0][index] != rows[1][index]), None)
        assert first is None, (rows[0][first], rows[1][first])
        shared = min(map(len, pgns))
        assert shared == common and pgns[0][:shared] == pgns[1][:shared]
        machines = collections.Counter(name for name, in query(disturbed, "SELECT machine FROM game"))
        sessions = query(disturbed, "SELECT count(*) FROM session")[0][0]
        print(f"verdict {tests[0]['verdict']} in both, {json.dumps(tests[0])}")
        print(f"games: {len(rows[0])} disturbed (by worker: {dict(machines)}, sessions: {sessions}), {len(rows[1])} quiet; the first {common} are the same")

    def end(self) -> None:
        for process in reversed(self.running):
            if process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGTERM)
                try:
                    process.wait(30)
                except subprocess.TimeoutExpired:
                    process.kill()
        if (left := self.ssh_worker()) is not None:
            os.kill(left, signal.SIGKILL)


def can_connect(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def played(store: pathlib.Path) -> int:
    counted = query(store, "SELECT count(*) FROM game")
    return counted[0][0] if counted else 0


def say(words: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {words}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("folder")
    parser.add_argument("--repo", required=True)
    parser.add_argument("--git", required=True)
    parser.add_argument("--build", required=True)
    parser.add_argument("--nodes", type=int, default=2000)
    parser.add_argument("--elo1", type=float, default=50)
    parser.add_argument("--seed", type=int, default=1)
    evening = Evening(parser.parse_args())
    try:
        evening.configure_ssh()
        evening.start_servers()
        for name in ("cold", "warm"):
            say(f"first game on both ssh hosts after {evening.first_games(name):.1f} s, {name} copies")
        disturbed = evening.disturb()
        say("the same test without disturbance")
        quiet = evening.folder / "quiet.db"
        evening.call(*evening.test(), "--concurrency", 2, "--store", quiet)
        evening.compare(disturbed, quiet)
    finally:
        evening.end()


if __name__ == "__main__":
    main()
