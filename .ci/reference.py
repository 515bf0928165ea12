"""Writes the reference pages of the guide (docs/reference) from what the programs say about themselves, and adds the
settings that data/gauntlet.toml does not mention yet.

    reference.py FOLDER [--check]

FOLDER has the four programs. With --check nothing is written, and files that are out of date are an error."""

import json
import pathlib
import re
import subprocess
import sys
import textwrap

ROOT = pathlib.Path(__file__).parent.parent
PAGES = ROOT / "docs" / "reference"
MANUAL = ROOT / "data" / "gauntlet.toml"


SUITES = {
    "results": (
        "Results on suites (`smalt-suites score --json`, `grade --json`)",
        "One table for one engine on one suite; otherwise a list of these.\n\n",
    ),
    "comparisons": ("Comparisons of suite results (`smalt-suites compare --json`)", "A list of tables.\n\n"),
    "history": ("History of builds (`smalt-suites history --json`)", ""),
}
TUNER = {
    "extract": "Extraction of positions (`smalt-tuner extract --json`)",
    "convert": "Conversion of positions (`smalt-tuner convert --json`)",
    "rescore": "New scores of positions (`smalt-tuner rescore --json`)",
    "texel": "Texel fits (`smalt-tuner texel --json`)",
    "trace": "Collected traces (`smalt-tuner trace --json`)",
    "check": "Findings on a data set (`smalt-tuner check --json`)",
    "prove": "Test of a tuned version (`smalt-tuner prove --json`)",
    "spsa": "SPSA (`smalt-tuner spsa --json`)",
    "clop": "CLOP (`smalt-tuner clop --json`)",
    "night": "Nights (`smalt-tuner night --json`)",
}


def run(program, *arguments):
    return subprocess.run([str(FOLDER / program), *arguments], check=True, capture_output=True, text=True).stdout


def resolved(schema, part):
    """A part of a schema, references followed and their properties added; the alternative that is not null."""
    while True:
        if "$ref" in part:
            target = schema["$defs"][part["$ref"].rsplit("/", 1)[1]]
            properties = {**target.get("properties", {}), **part.get("properties", {})}
            part = {**target, **{key: value for key, value in part.items() if key != "$ref"}}
            if properties:
                part["properties"] = properties
        elif "anyOf" in part and len([one for one in part["anyOf"] if one.get("type") != "null"]) == 1:
            other = [one for one in part["anyOf"] if one.get("type") != "null"][0]
            part = {**other, **{key: value for key, value in part.items() if key != "anyOf"}}
        else:
            return part


def kind(schema, part):
    part = resolved(schema, part)
    if "const" in part:
        return f"`{part['const']}`"
    words = part.get("enum") or [word for one in part.get("oneOf", []) for word in one.get("enum", [one["const"]] if "const" in one else [])]
    if words:
        return ", ".join(f"`{word}`" for word in words if word is not None)
    if "anyOf" in part:
        return " or ".join(kind(schema, one) for one in part["anyOf"] if one.get("type") != "null")
    names = part.get("type", "value")
    names = [name for name in ([names] if isinstance(names, str) else names) if name != "null"]
    name = {"integer": "whole number", "number": "number", "boolean": "true or false", "string": "text"}.get(names[0], names[0])
    if names[0] == "array":
        return f"list of {kind(schema, part.get('items', {}))}"
    return "table" if name == "object" else name


def sentence(text):
    return " ".join(text.split()).replace("|", "\\|")


def rows(schema, properties, defaults=True):
    head = "| key | type | default | meaning |\n|---|---|---|---|" if defaults else "| field | type | meaning |\n|---|---|---|"
    lines = [head]
    for name, part in properties.items():
        said = sentence(part.get("description") or resolved(schema, part).get("description", ""))
        default = part.get("default")
        default = "" if default is None or isinstance(default, (dict, list)) else f"`{json.dumps(default)}`"
        if said.endswith("]") and " [default: " in said:
            said, default = said[:-1].rsplit(" [default: ", 1)
        cells = [f"`{name}`", kind(schema, part), *([default] if defaults else []), said]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def plan():
    schema = json.loads(run("smalt-tournament", "schema", "plan"))
    text = "# Plan files\n\nA plan file is TOML. Every key is also a flag of the commands that play, and `smalt-tournament plan` prints a file from flags.\n"
    text += "`smalt-tournament schema plan` prints the JSON schema, for editors: its file is named in the first line, `#:schema ./plan.schema.json`, which `plan` prints.\n\n"
    for name, part in schema["properties"].items():
        part = resolved(schema, part)
        inner = resolved(schema, part["items"]) if "items" in part else part
        title = f"`[[{name}]]`" if "items" in part else f"`[{name}]`"
        defaults = part.get("default") or {}
        properties = {
            key: {**value, **({"default": defaults[key]} if key in defaults else {})}
            for key, value in inner.get("properties", {}).items()
        }
        text += f"## {title}\n\n{sentence(schema['properties'][name].get('description', inner.get('description', '')))}\n\n"
        text += rows(schema, properties) + "\n"
        for key, value in properties.items():
            rule = resolved(schema, value)
            tables = [resolved(schema, one) for one in rule.get("anyOf", [])]
            for table in tables:
                if table.get("properties"):
                    text += f"### `{name}.{key}`\n\n{sentence(table.get('description', ''))}\n\n{rows(schema, table['properties'])}\n"
    return text.rstrip() + "\n"


def fields(title, schema, said=""):
    part = resolved(schema, schema.get("items", schema))
    text = f"## {title}\n\n{said}{rows(schema, part.get('properties', {}), False)}\n"
    for name, definition in schema.get("$defs", {}).items():
        properties = definition.get("properties")
        if properties and properties != part.get("properties"):
            text += f"### {name}\n\n{sentence(definition.get('description', ''))}\n\n{rows(schema, properties, False)}\n"
            for one in definition.get("oneOf", []):
                text += f"{sentence(one.get('description', ''))}\n\n{rows(schema, one['properties'], False)}\n"
    return text


def json_page():
    text = "# JSON\n\nNames are fixed: fields are added, never renamed or removed. `schema` is the version of the form. A number that has no finite\n"
    text += "value is `null`. `smalt-tournament schema results` prints the JSON schema of results; `smalt-suites schema` and `smalt-tuner schema` have\n"
    text += "those of the other programs. [Statistics](../statistics.md) explains the numbers. `spsa.json` and `clop.json` are checkpoints: they have\n"
    text += "`format` and `clop_format` instead of `schema`, and only the tuner that wrote them reads them.\n\n"
    text += "The answers of the live page under `/api/` are for the page itself: they have `schema`, in the list `/api/runs` for each run, and their\n"
    text += "`results` are those below, but other fields follow the page. `/api/queue` is that of `queue list --json`, with `run`: the number of the\n"
    text += "job's run; it is `null` if the server has no queue, as `/api/commands` is without a token.\n\n"
    text += fields("Results (`--json`)", json.loads(run("smalt-tournament", "schema", "results")))
    text += fields("Status (`status --json`)", json.loads(run("smalt-tournament", "schema", "status")))
    text += fields("Rating lists (`ratings --json`)", json.loads(run("smalt-tournament", "schema", "ratings")))
    text += fields("Elo of given results (`elo --json`)", json.loads(run("smalt-tournament", "schema", "elo")))
    text += fields("Games (`export --format json`, `jsonl`)", json.loads(run("smalt-tournament", "schema", "games")))
    text += fields("Engines of the registry (`engines --json`)", json.loads(run("smalt-tournament", "schema", "engines")))
    text += fields("Findings on an engine (`check --json`)", json.loads(run("smalt-tournament", "schema", "check")))
    text += fields("Jobs of a queue (`queue list --json`)", json.loads(run("smalt-tournament", "schema", "queue")))
    end = json.loads(run("smalt-tournament", "schema", "webhook"))
    text += f"## End of a run (`--webhook`)\n\n{rows(end, end['properties'], False)}\n"
    events = json.loads(run("smalt-tournament", "schema", "events"))
    text += "## Events (`--events`)\n\nOne line per event, with `event` (its name), `time` (seconds since 1970) and `schema`.\n\n"
    for one in events["oneOf"]:
        properties = {**resolved(events, one)["properties"]}
        name = properties.pop("event")["const"]
        text += f"### `{name}`\n\n{sentence(one.get('description', ''))}\n\n"
        text += ("The fields of [Results](#results---json).\n" if name == "standings" else rows(events, properties, False)) + "\n"
    text = text.rstrip() + "\n\n"
    for name, (title, said) in SUITES.items():
        text += fields(title, json.loads(run("smalt-suites", "schema", name)), said)
    for name, title in TUNER.items():
        text += fields(title, json.loads(run("smalt-tuner", "schema", name)))
    return text.rstrip() + "\n"


def store():
    text = """# The store

A run is one SQLite file. It can be read at any time, also during its run; only the runner writes to it. Times are
milliseconds since 1970 (`_ms`) or microseconds (`_us`); `white`, `black` and `entrant` are indices of the plan's engines, from 0.

For your own queries there are three views, `names`, `games` and `standings`. They are temporary, and leave the file as it is:

```console
$ smalt-tournament schema views > views.sql
$ sqlite3 -readonly -init views.sql run.db
```

`engine`, `white` and `black` are names of the plan, `reported` is the name that the engine gives itself. Some questions:

```sql
SELECT * FROM standings ORDER BY points DESC;

-- how the games of each engine with White ended
SELECT white, termination, count(*) FROM games GROUP BY white, termination ORDER BY white, count(*) DESC;

-- the ten longest games, in seconds
SELECT game, white, black, seconds FROM games ORDER BY seconds DESC LIMIT 10;

-- faults with the engine's words
SELECT f.game + 1 AS game, engine, f.name, f.words FROM fault f JOIN names USING (entrant);
```

A store of a format before 11 has the names of the plan once it is resumed. To query it as it is, put
`CREATE TEMP TABLE entrant AS SELECT entrant, name FROM engine;` before the views: its names are then the reported ones.

## Tables and views

`smalt-tournament schema store` prints them.

"""
    return text + "```sql\n" + run("smalt-tournament", "schema", "store") + "```\n"


def manual():
    """The default plan, with a comment and a line for each key that it lacks at the end of the key's section."""
    schema = json.loads(run("smalt-tournament", "schema", "plan"))
    text = MANUAL.read_text()
    written = {"measured", "grown", "skipped"}  # By the runner itself.
    for section in set(schema["properties"]) - {"each", "entrant", "prior"}:
        part = resolved(schema, schema["properties"][section])
        for key, value in part["properties"].items():
            if key in written or "properties" in resolved(schema, value) or re.search(rf"(^|[ #{{,`]){key} = ", text, re.M):
                continue
            default = (part.get("default") or {}).get(key, value.get("default"))
            said = re.sub(r" \[default: .*\]$", "", sentence(value.get("description", "")))
            line = f"{key} = {json.dumps(default)}" if default is not None else f'# {key} = "…"'
            comment = textwrap.fill(said + ".", 120, initial_indent="# ", subsequent_indent="# ")
            head, mark, body, tail = re.search(
                rf"(?s)^(.*\n)((?:# )?)(\[{section}\]\n.*?)(\n+(?:# )?\[.*|\n*)$", text
            ).groups()
            line = line if line.startswith(mark) else mark + line
            text = f"{head}{mark}{body}\n{comment}\n{line}{tail}"
    return text


def pages():
    for program in ["smalt-tournament", "smalt-suites", "smalt-tuner", "smalt"]:
        yield f"{program}.md", run(program, "reference")
    yield "plan.md", plan()
    yield "json.md", json_page()
    yield "store.md", store()


FOLDER = pathlib.Path(sys.argv[1]).absolute()
PAGES.mkdir(exist_ok=True)
stale = []
for page, text in [*((PAGES / name, text) for name, text in pages()), (MANUAL, manual())]:
    if "--check" not in sys.argv:
        page.write_text(text)
    elif not page.exists() or page.read_text() != text:
        stale.append(page.name)
if stale:
    sys.exit(f"reference: out of date: {', '.join(stale)}; run: python3 .ci/reference.py {sys.argv[1]}")
