#!/usr/bin/env python3
"""Runs one workload each of OpenBench's client and of fishtest's worker, by their own code, against a stub server on loopback, with
smalt-tournament in the place of fastchess. Fails unless both report every game.

    .ci/framework_clients.py OPENBENCH FISHTEST PROGRAM ENGINE

OPENBENCH and FISHTEST are checkouts of AndyGrant/OpenBench and official-stockfish/fishtest, PROGRAM is smalt-tournament, ENGINE a
scripted engine (engine/scripted). OpenBench's client wants psutil, py-cpuinfo and requests."""

import argparse
import hashlib
import io
import json
import os
import shutil
import sys
import tempfile
import threading
import urllib.parse
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

BOOK = "".join(
    f"rnbqkbnr/pppppppp/8/8/{row}/8/{pawns}/RNBQKBNR b KQkq - 0 1\n"
    for row, pawns in [("4P3", "PPPP1PPP"), ("3P4", "PPP1PPPP"), ("2P5", "PP1PPPPP"), ("6P1", "PPPPPP1P")]
)


def zipped(**files):
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("__", "/"), text)
    return data.getvalue()


def engine_script(engine, seed):
    options = "".join(
        f" --option '{option}'" for option in ("Threads type spin default 1 min 1 max 8", "Hash type spin default 16 min 1 max 64")
    )
    return (
        "#!/bin/sh\n"
        'if [ "$1" = bench ]; then echo "1000 nodes 500000 nps"; exit; fi\n'
        f"exec '{engine}' --seed {seed} --info-lines 2{options}\n"
    )


class Stub(BaseHTTPRequestHandler):
    """Answers by the tables of its server."""

    def answer(self, fields):
        path = urllib.parse.urlparse(self.path).path.strip("/")
        reply = self.server.replies.get(path)
        self.server.requests.append((path, fields))
        body = reply(fields) if callable(reply) else reply
        if body is None:
            print(f"stub: nothing at {path}", file=sys.stderr)
            return self.send_error(404)
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self):
        self.answer({})

    def do_POST(self):
        text = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.headers.get("Content-Type", "").startswith("application/json"):
            return self.answer(json.loads(text))
        fields = urllib.parse.parse_qs(text.decode("latin-1"), keep_blank_values=True)
        self.answer({key: value[-1] for key, value in fields.items()})

    def log_message(self, *_):
        pass


def serve(replies):
    server = ThreadingHTTPServer(("127.0.0.1", 0), Stub)
    server.replies, server.requests = replies, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server, f"http://127.0.0.1:{server.server_address[1]}"


def openbench(folder, program, engine, place):
    client = place / "Client"
    shutil.copytree(folder / "Client", client)
    (client / "fastchess-ob").symlink_to(program)
    sys.path.insert(0, str(client))
    sys.argv = ["client.py", "-T", "2", "-N", "1"]
    import utils
    import worker

    server, url = serve({})
    makefile = "EXE ?= engine\nall:\n\tcp engine.sh $(EXE)\n\tchmod +x $(EXE)\n"

    def source(seed):
        return zipped(repository__Makefile=makefile, **{"repository__engine.sh": engine_script(engine, seed)})

    def branch(name, seed):
        return {
            "id": seed, "name": name, "sha": str(seed) * 40, "source": f"{url}/{name}.zip", "private": False, "engine": "Scripted",
            "bench": 1000, "build": {"path": "", "compilers": ["g++"]}, "netname": "", "network": "", "options": "Threads=1 Hash=8",
            "time_control": "5.0+0.05",
        }

    workload = {
        "test": {
            "id": 42, "type": "SPRT", "book": {"name": "stub.epd", "sha": hashlib.sha256(BOOK.encode()).hexdigest(), "source": f"{url}/book.zip"},
            "book_index": 1, "book_seed": 18446744073709551557, "win_adj": "movecount=3 score=400",
            "draw_adj": "movenumber=20 movecount=4 score=10", "syzygy_adj": "DISABLED", "syzygy_wdl": "DISABLED", "scale_method": "BOTH",
            "scale_nps": 500000, "upload_pgns": "VERBOSE", "dev": branch("dev", 1), "base": branch("base", 2),
        },
        "distribution": {"runner-count": 1, "concurrency-per": 2, "rounds-per-runner": 4},
        "result": {"id": 7}, "spsa": {}, "reporting_type": "BATCHED",
    }
    ok = {}
    server.replies.update({
        "clientMatchRunnerVersionRef": {"fastchess_min_version": "1.8.2", "fastchess_repo_url": f"{url}/none", "fastchess_repo_ref": "x"},
        "clientGetBuildInfo": {"Scripted": {"compilers": ["g++"], "private": False, "cpuflags": []}},
        "clientWorkerInfo": {"machine_id": 1, "secret": "secret"},
        "clientGetWorkload": {"workload": workload},
        "book.zip": zipped(**{"stub.epd": BOOK}), "dev.zip": source(1), "base.zip": source(2),
        "clientSubmitNPS": ok, "clientHeartbeat": ok, "clientSubmitResults": ok, "clientSubmitPGN": ok, "clientSubmitError": ok,
    })

    killed = []
    # Its way of killing takes every process of the machine with such a name.
    utils.kill_process_by_name = killed.append
    args = argparse.Namespace(
        threads="2", nsockets="1", username="u", password="p", server=url, identity=None, syzygy=None, fleet=False, noisy=False, focus=[],
    )
    config = worker.Configuration(args)
    worker.server_configure_fastchess(config)
    worker.server_configure_worker(config)
    worker.server_request_workload(config)
    worker.complete_workload(config)

    results = [fields for path, fields in server.requests if path == "clientSubmitResults"]
    pairs = sum(sum(map(int, fields["pentanomial"].split())) for fields in results)
    games = sum(sum(map(int, fields["trinomial"].split())) for fields in results)
    errors = [fields for path, fields in server.requests if path == "clientSubmitError"]
    pgns = [path for path, _ in server.requests if path == "clientSubmitPGN"]
    assert config.fastchess_ver == "1.8.2", config.fastchess_ver
    assert (games, pairs, errors, len(pgns)) == (8, 4, [], 1), (games, pairs, errors, pgns)
    assert "fastchess-ob" in killed, killed
    print(f"OpenBench: {games} games in {pairs} pairs reported, PGN uploaded")


def fishtest(folder, program, engine, place):
    testing = place / "testing"
    testing.mkdir()
    (testing / "fastchess").symlink_to(program)
    (testing / "stub.epd").write_text(BOOK)
    sys.path.insert(0, str(folder / "worker"))
    import games
    import worker

    assert worker.verify_fastchess(testing / "fastchess", worker.FASTCHESS_SHA), "the version of fastchess"
    for name, seed in (("new", 1), ("base", 2)):
        path = testing / f"stockfish_{name}"
        path.write_text(engine_script(engine, seed))
        path.chmod(0o755)
    # Stockfish is neither built nor benched here: what is tried is how games are played, read and reported.
    games.setup_engine = lambda testing_dir, remote, sha, *rest: testing / ("stockfish_new" if sha == "a" * 40 else "stockfish_base")
    games.required_nets = lambda engine: {}
    games.get_cpu_features = lambda engine: "x86-64"
    games.verify_signature = lambda *rest: None
    games.get_bench_nps = lambda *rest: 628000.0

    server, url = serve({"api/update_task": {"task_alive": True, "duration": 0}, "api/worker_log": {"duration": 0}})
    args = {
        "book": "stub.epd", "book_depth": "8", "book_sri": games.text_hash(testing / "stub.epd"), "threads": 1, "tc": "5+0.05",
        "new_options": "Hash=16", "base_options": "Hash=16", "resolved_new": "a" * 40, "resolved_base": "b" * 40, "new_tag": "new",
        "base_tag": "base", "new_signature": "1", "base_signature": "2", "sprt": {"batch_size": 2},
    }
    run = {"_id": "64e74776a170cb1f26fa3930", "args": args, "my_task": {"num_games": 8}}
    info = {"concurrency": 2, "compiler": "g++", "gcc_version": "0", "uname": "Linux"}
    pgn = {"name": None, "CRC": None}
    games.run_games(place, info, {"task_id": 3}, "secret", url, run, 3, pgn, None)

    updates = [fields["stats"] for path, fields in server.requests if path == "api/update_task"]
    last = updates[-1]
    played = last["wins"] + last["losses"] + last["draws"]
    assert (played, sum(last["pentanomial"]), last["crashes"], last["time_losses"]) == (8, 4, 0, 0), last
    import zlib

    actual = hex(zlib.crc32(Path(pgn["name"]).read_bytes()))
    assert pgn["CRC"] == actual, (pgn["CRC"], actual)
    assert not [path for path, _ in server.requests if path == "api/worker_log"], "warnings were posted"
    print(f"fishtest: {played} games in {len(updates)} updates reported, checksum of the PGN right")


def main():
    paths = [Path(path).resolve() for path in sys.argv[1:5]]
    openbench_folder, fishtest_folder, program, engine = paths
    for run, folder in ((openbench, openbench_folder), (fishtest, fishtest_folder)):
        with tempfile.TemporaryDirectory() as place:
            # Both import modules of the same names, and change folders.
            child = os.fork()
            if child == 0:
                try:
                    run(folder, program, engine, Path(place))
                    sys.stdout.flush()
                    os._exit(0)
                except BaseException:
                    import traceback

                    traceback.print_exc()
                    sys.stderr.flush()
                    os._exit(1)
            _, status = os.waitpid(child, 0)
            if status != 0:
                sys.exit(f"{run.__name__} failed")


main()
