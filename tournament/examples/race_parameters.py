"""Writes the parameter files of the race in docs/statistics.md: race_parameters.py EVALUATION.toml FOLDER

base.toml is the evaluation without mobility and passed pawns; p1.toml to p7.toml are base.toml with piece values changed by up to
3 %. The shipped parameters are the one candidate that is better."""

import pathlib
import random
import re
import sys


def changed(text, sections, change):
    """The text with every number of these sections changed; comments stay."""
    lines, inside = [], False
    for line in text.splitlines(keepends=True):
        if line.startswith("["):
            inside = line.strip().strip("[]") in sections
        elif inside and not line.startswith("#"):
            # Names of terms have no digits.
            line = re.sub(r"-?\d+(\.\d+)?", lambda number: f"{change(float(number[0])):g}", line)
        lines.append(line)
    return "".join(lines)


source, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
folder.mkdir(exist_ok=True)
base = changed(source.read_text(), {"mobility", "passed"}, lambda _: 0)
(folder / "base.toml").write_text(base)
chance = random.Random(1)
for number in range(1, 8):
    candidate = changed(base, {"material"}, lambda value: round(value * chance.uniform(0.97, 1.03), 1))
    (folder / f"p{number}.toml").write_text(candidate)
