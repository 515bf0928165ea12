#!/usr/bin/env python3
"""Prints the licenses of all crates that the four programs have in them, each text once, with the crates that it is for.

    licenses.py TARGET"""

import collections
import json
import pathlib
import re
import subprocess
import sys

PROGRAMS = {"smalt", "smalt-tournament", "smalt-suites", "smalt-tuner"}
LICENSE_FILE = re.compile(r"(un)?licen[sc]e|copying|notice|copyright", re.I)


def dependencies(metadata):
    """The crates from registries that are linked into the programs."""
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    found = set()
    waiting = [identity for identity, package in packages.items() if package["name"] in PROGRAMS]
    while waiting:
        identity = waiting.pop()
        if identity in found:
            continue
        found.add(identity)
        for dependency in nodes[identity]["deps"]:
            if any(kind["kind"] is None for kind in dependency["dep_kinds"]):
                waiting.append(dependency["pkg"])
    return sorted((packages[one] for one in found if packages[one]["source"]), key=lambda package: package["name"])


def license_texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = {path for path in folder.iterdir() if path.is_file() and LICENSE_FILE.match(path.name)}
    if package["license_file"]:
        files.add(folder / package["license_file"])
    return [path.read_text(encoding="utf-8", errors="replace").strip() for path in sorted(files)]


def main():
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", sys.argv[1]]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = dependencies(metadata)
    texts = collections.defaultdict(list)
    print("Smalt is under the GNU General Public License, version 3 or later. These crates are part of its programs:\n")
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or package['license_file']}")
        for text in license_texts(package):
            texts[text].append(name)
    print("Rust's standard library: MIT OR Apache-2.0")
    for text, names in texts.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n\n{text}")


if __name__ == "__main__":
    main()
