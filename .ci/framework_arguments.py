#!/usr/bin/env python3
"""Writes the command lines that OpenBench's client and fishtest's worker make, by their own functions, for sample workloads.

    .ci/framework_arguments.py OPENBENCH FISHTEST > tournament/tests/data/frameworks.json

OPENBENCH and FISHTEST are checkouts of AndyGrant/OpenBench and official-stockfish/fishtest. The file also holds the patterns by
which fishtest's worker reads what the match runner prints."""

import contextlib
import io
import json
import re
import shlex
import sys
import tempfile
import types
from pathlib import Path


def stub_modules(*names):
    """Modules of theirs that the functions called here do not use."""
    for name in names:
        sys.modules.setdefault(name, types.ModuleType(name))


def openbench(folder):
    stub_modules("cpuinfo", "psutil", "requests")
    sys.path.insert(0, str(folder / "Client"))
    import worker

    def workload(**changes):
        engine = {"engine": "Scripted", "options": "Threads=1 Hash=8", "time_control": "10.0+0.1", "name": "x"}
        test = {
            "id": 42, "type": "SPRT", "book": {"name": "UHO_Lichess.epd"}, "book_index": 3, "book_seed": 18446744073709551557,
            "win_adj": "movecount=3 score=400", "draw_adj": "movenumber=40 movecount=8 score=10",
            "syzygy_adj": "OPTIONAL", "syzygy_wdl": "OPTIONAL", "play_reverses": True,
            "dev": dict(engine), "base": dict(engine),
        }
        for key, value in changes.items():
            if key == "time_control":
                test["dev"]["time_control"] = test["base"]["time_control"] = value
            elif key == "options":
                test["dev"]["options"] = test["base"]["options"] = value
            else:
                test[key] = value
        distribution = {"concurrency-per": 2, "rounds-per-runner": 4, "runner-count": 1}
        spsa = {"Lmr": {"dev": ["3"], "base": ["5"]}, "Margin": {"dev": ["17"], "base": ["9"]}}
        return {"test": test, "distribution": distribution, "result": {"id": 7}, "spsa": spsa}

    cases = {
        "sprt": workload(),
        "fixed nodes": workload(time_control="N=200"),
        "fixed depth": workload(time_control="D=2"),
        "move time": workload(time_control="MT=50"),
        "moves in a time": workload(time_control="40/20.0+0.2"),
        "no adjudication": workload(win_adj="None", draw_adj="None", syzygy_adj="DISABLED", syzygy_wdl="DISABLED"),
        "chess960": workload(book={"name": "DFRC_openings.epd"}),
        "spsa": workload(type="SPSA"),
        "data generation": workload(type="DATAGEN"),
        "data generation without reverses": workload(type="DATAGEN", play_reverses=False),
        "quoted option": workload(options='Hash=8 "EvalFile=a net.nnue"'),
    }
    for name, load in cases.items():
        config = types.SimpleNamespace(workload=load, syzygy_max=0, syzygy_path=None)
        command = worker.build_runner_command(config, "scripted-dev", "scripted-base", 1.0, 1700000000, 0)
        program, *arguments = shlex.split(command)
        yield {"framework": "OpenBench", "name": name, "program": program, "arguments": arguments}


class Captured(Exception):
    pass


def fishtest(folder):
    sys.path.insert(0, str(folder / "worker"))
    import games

    commands = []

    def popen(command, **_):
        commands.append(command)
        raise Captured

    games.subprocess.Popen = popen
    games.setup_engine = lambda testing_dir, remote, sha, *rest: Path("stockfish_" + sha[:10])
    games.required_nets = lambda engine: {}
    games.get_cpu_features = lambda engine: "x86-64"
    games.verify_signature = lambda *rest: None
    games.get_bench_nps = lambda *rest: 628000.0
    games.text_hash = lambda book: "hash"
    games.send_api_post_request = lambda url, payload, quiet=False: {
        "task_alive": True,
        "w_params": [{"name": "Lmr", "value": 3.2}],
        "b_params": [{"name": "Lmr", "value": 5.7}],
        "sig": 1,
    }
    games.random.uniform = lambda low, high: 0.0

    def run(**changes):
        args = {
            "book": "UHO_Lichess_4852_v1.epd", "book_depth": "8", "book_sri": "hash", "threads": 1, "tc": "10+0.1",
            "new_options": "Hash=16", "base_options": "Hash=16", "resolved_new": "a" * 40, "resolved_base": "b" * 40,
            "new_tag": "Prüfung 1", "base_tag": "master", "new_signature": "1", "base_signature": "2",
            "tests_repo": "https://github.com/official-stockfish/Stockfish",
            "sprt": {"batch_size": 2},
        }
        args.update(changes)
        args = {key: value for key, value in args.items() if value is not None}
        return {"_id": "64e74776a170cb1f26fa3930", "args": args, "my_task": {"num_games": 8}}

    cases = {
        "sprt": run(),
        "fixed games": run(sprt=None),
        "spsa": run(sprt=None, spsa={"params": []}),
        "chess960": run(book="DFRC_v1.epd"),
        "pgn book": run(book="8moves_v3.pgn"),
        "no adjudication": run(adjudication=False),
        "nodestime": run(new_options="Hash=16 nodestime=600", base_options="Hash=16 nodestime=600"),
        "two time controls": run(tc="40/20+0.2", new_tc="10+0.1"),
        "no book": run(book_depth="0"),
    }
    with tempfile.TemporaryDirectory() as place:
        testing = Path(place) / "testing"
        testing.mkdir()
        for name, case in cases.items():
            (testing / case["args"]["book"]).touch()
            info = {"concurrency": 2, "compiler": "g++", "gcc_version": "0", "uname": "Linux"}
            with contextlib.suppress(Captured), contextlib.redirect_stdout(io.StringIO()):
                games.run_games(Path(place), info, {"task_id": 3}, "secret", "https://tests.stockfishchess.org:443", case, 3, {}, None)
            program, *arguments = commands.pop()
            yield {"framework": "fishtest", "name": name, "program": Path(program).name, "arguments": arguments}


def patterns(folder):
    """The regular expressions of `parse_fastchess_output` and of `verify_fastchess`."""
    source = (folder / "worker" / "games.py").read_text()
    source = source[source.index("def parse_fastchess_output"):source.index("def launch_fastchess")]

    def in_tuple(name):
        block = source[source.index(name + " = ("):]
        return re.findall(r're\.compile\(r"(.*?)"\)', block[:block.index("\n    )")])

    worker = (folder / "worker" / "worker.py").read_text()
    return {
        "results": re.search(r'pattern_WLD = re\.compile\(\s*r"(.*?)"', source).group(1),
        "pairs": re.search(r'pattern_ptnml = re\.compile\(\s*r"(.*?)"', source).group(1),
        "errors": in_tuple("patterns_fastchess_error"),
        "warnings": in_tuple("patterns_fastchess_warning"),
        "version": re.search(r'r"(fastchess alpha .*?)"', worker).group(1),
        "sha": re.search(r'FASTCHESS_SHA = "(.*?)"', worker).group(1),
    }


def main():
    openbench_folder, fishtest_folder = map(Path, sys.argv[1:3])
    openbench_folder, fishtest_folder = openbench_folder.resolve(), fishtest_folder.resolve()
    lines = list(openbench(openbench_folder)) + list(fishtest(fishtest_folder))
    json.dump({"command_lines": lines, "fishtest_patterns": patterns(fishtest_folder)}, sys.stdout, indent=1, ensure_ascii=False)
    print()


main()
