#!/usr/bin/env python3
"""Prints the licenses of all crates that the four programs have in them, of Rust's standard library, and of the C library if its
file is named; each text once, with the crates that it is for. Fails if a crate has none.

    licenses.py TARGET SOURCE_OF_RUST [LICENSE_OF_C_LIBRARY]"""

import collections
import json
import pathlib
import re
import subprocess
import sys

PROGRAMS = {"smalt", "smalt-tournament", "smalt-suites", "smalt-tuner"}
LICENSE_FILE = re.compile(r"((un)?licen[sc]e|copying|notice|copyright)(?!.*\.(rs|py|toml|html)$)", re.I)
# Crates that come without the text of their license, and the license that we take.
WITHOUT_TEXT = {
    "argmin": "Apache-2.0",
    "argmin-math": "Apache-2.0",
    "async-nats": "Apache-2.0",
    "shakmaty": "GPL-3.0-or-later",
    "shakmaty-syzygy": "GPL-3.0-or-later",
}
APACHE = re.compile(r"\s*Apache License\s+Version 2\.0, January 2004")


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


def license_files(folder):
    """Files of a crate with licenses: its own, and those of what it has copied or built in."""
    return sorted(path for path in folder.rglob("*") if path.is_file() and LICENSE_FILE.match(path.name))


def read(path):
    return path.read_text(encoding="utf-8", errors="replace").strip()


def license_texts(package):
    folder = pathlib.Path(package["manifest_path"]).parent
    files = set(license_files(folder))
    if package["license_file"]:
        files.add(folder / package["license_file"])
    return [read(path) for path in sorted(files)]


def standard_library(source):
    """Pairs of a name and a license text: Rust's notice, and the files of the crates in the standard library."""
    yield "Rust's standard library", read(source / "COPYRIGHT")
    library = source / "library"
    for path in license_files(library):
        parts = path.relative_to(library).parts
        yield f"{parts[1] if parts[0] == 'vendor' else parts[0]} (Rust's standard library)", read(path)


def main():
    target, source, *c_library = sys.argv[1:]
    command = ["cargo", "metadata", "--format-version", "1", "--locked", "--filter-platform", target]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    packages = dependencies(metadata)
    texts = collections.defaultdict(list)
    missing = []
    print("Smalt is under the GNU General Public License, version 3 or later. These crates are part of its programs:\n")
    for package in packages:
        name = f"{package['name']} {package['version']}"
        print(f"{name}: {package['license'] or package['license_file']}")
        found = license_texts(package)
        for text in found:
            texts[text].append(name)
        if not found:
            missing.append((name, WITHOUT_TEXT.get(package["name"])))
    print("Rust's standard library: MIT OR Apache-2.0")
    for name, text in standard_library(pathlib.Path(source)):
        if name not in texts[text]:
            texts[text].append(name)
    for path in c_library:
        texts[read(pathlib.Path(path))].append("the C library")
    standard = {
        "Apache-2.0": next(filter(APACHE.match, texts)),
        "GPL-3.0-or-later": read(pathlib.Path(__file__).parent.parent / "LICENSE"),
    }
    for name, license in missing:
        if license is None:
            sys.exit(f"{name} has no text of a license: add it to WITHOUT_TEXT")
        texts[standard[license]].append(name)
    for text, names in texts.items():
        print(f"\n{'=' * 100}\n{', '.join(names)}\n\n{text}")


if __name__ == "__main__":
    main()
