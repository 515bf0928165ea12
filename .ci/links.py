"""Finds links of Markdown pages to files that are not there.

    links.py FOLDER

All pages in FOLDER are checked."""

import pathlib
import re
import sys


def links(page):
    """The files to which a page links, as it names them."""
    return re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text())


def broken_links(folder, pages):
    for page in pages:
        for target in links(page):
            if not (page.parent / target).exists():
                yield f"{page.relative_to(folder)}: there is no {target}"


if __name__ == "__main__":
    where = pathlib.Path(sys.argv[1])
    if complaints := [*broken_links(where, where.rglob("*.md"))]:
        sys.exit("\n".join(complaints))
