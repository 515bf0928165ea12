#!/usr/bin/env python3
"""Writes the flags of fastchess, cutechess-cli and c-chess-cli with their keys, read from their sources.

    .ci/foreign_flags.py FASTCHESS CUTECHESS C_CHESS_CLI > tournament/tests/data/foreign_flags.json

The arguments are checkouts of Disservin/fastchess, cutechess/cutechess and lucasart/c-chess-cli. The tests check that
docs/compat.md has each of them."""

import json
import re
import sys
from pathlib import Path


def functions(source, pattern):
    """The bodies of functions by name; a body ends where the next function begins."""
    starts = [(found.start(), found.group(1)) for found in re.finditer(pattern, source, re.M)]
    ends = [start for start, _ in starts[1:]] + [len(source)]
    return {name: source[start:end] for (start, name), end in zip(starts, ends)}


def fastchess(folder):
    source = (folder / "app/src/cli/cli.cpp").read_text()
    bodies = functions(source, r"^void (parse\w+)\(")
    keys = {name: re.findall(r'key == "(\w+)"', body) for name, body in bodies.items()}
    keys["parseEngine"] = keys["parseEach"] = keys["parseEngineKeyValues"] + ["option."]
    flags = {"-compliance": []}
    for name, function in re.findall(r'addOption(?:<[^>]*>)?\("([\w-]+)", (?:\w+::)?(\w+)\)', source):
        # The parser takes the first dash away: `--version` is called `-version` here.
        flags["-" + name.lstrip("-")] = keys.get(function, [])
    return flags


def cutechess(folder):
    source = (folder / "projects/cli/src/main.cpp").read_text()
    flags = {name: [] for name in re.findall(r'parser\.addOption\("(-[\w-]+)"', source)}
    flags |= {name: [] for name in re.findall(r'arg == "(-\w+)"', source)}
    body = source[source.index("bool parseEngine("):source.index("EngineMatch* parseMatch(")]
    flags["-engine"] = flags["-each"] = re.findall(r'name == "(\w+)"', body) + ["option."]
    for name, block in re.findall(r'name == "(-\w+)"\)(.*?)(?=name == "-|\Z)', source, re.S):
        for text in re.findall(r'option\.toMap\("([^"]*)"\)', block):
            flags[name] = [word.split("=")[0] for word in text.split("|")]
    return flags


def c_chess_cli(folder):
    source = (folder / "src/options.c").read_text()
    bodies = functions(source, r"^(?:static int|EngineOptions \*)\s*(options_parse\w*)\(")
    keys = {name: [key.rstrip("=") for key in re.findall(r'"([\w.]+=?)"\)\)', body)] for name, body in bodies.items()}
    main = bodies["options_parse"]
    flags = {"-version": []}
    for name, block in re.findall(r'argv\[i\], "(-\w+)"\)\)(.*?)(?=argv\[i\], "-|\Z)', main, re.S):
        called = re.search(r"= (options_parse_\w+)\(", block)
        flags[name] = keys[called.group(1)] if called else []
    flags["-sample"] = [key for key in flags["-sample"] if key not in ("csv", "bin")]
    flags["-openings"] = [key for key in flags["-openings"] if key not in ("random", "sequential")]
    return flags


def main():
    readers = {"fastchess": fastchess, "cutechess-cli": cutechess, "c-chess-cli": c_chess_cli}
    folders = map(Path, sys.argv[1:4])
    flags = {name: dict(sorted(read(folder).items())) for (name, read), folder in zip(readers.items(), folders)}
    lines = [
        f' "{program}": {{\n' + ",\n".join(f"  {json.dumps(flag)}: {json.dumps(keys)}" for flag, keys in found.items()) + "\n }"
        for program, found in flags.items()
    ]
    print("{\n" + ",\n".join(lines) + "\n}")


main()
