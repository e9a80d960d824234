"""Strategies as files that people read and write: YAML, a document for each.

    name: monthly-sales
    types: [report]
    when:
      request: {matches: by month}
      tool: {==: query_sales}
    rule:
      set: {limit: 100}
      advice: state the currency

Laws: what is written is read as what it was. Nothing in a file is run, and nothing is left unread: what a strategy does not have is an
error, told with file, line and key.
"""

from collections.abc import Mapping, Sequence
from difflib import unified_diff
from pathlib import Path
from reprlib import repr as shown
from typing import Any

import msgspec

from agents.conditions import validated as conditions
from agents.evolution.strategies import Lineage, PlanStep, Rule, Strategy, Template
from agents.evolution.validity import validated
from agents.evolution.yaml_text import Document, documents
from agents.evolution.yaml_text import written as written_yaml
from blackboard.errors import BadValue

LARGEST = 1_000_000
"""Bytes of a file."""
LINE = 200
"""Characters of keys in an error, at most."""
SUFFIXES = (".yaml", ".yml")
BODIES = ("rule", "template", "parameters")
_KEYS = ("name", "version", "note", "types", "when", "priority", *BODIES, "lineage")
"""In the order in which they are written."""
_PARTS: dict[str, type[msgspec.Struct]] = {"rule": Rule, "template": Template, "lineage": Lineage}


def read_strategies(path: Path) -> list[Strategy]:
    """The strategies of a file, or of all files of a folder that end in .yaml or .yml, in the order of their names.

    Raises ``BadValue``, which names file, line and key.
    """
    if path.is_dir():
        files = sorted(each for each in path.iterdir() if each.suffix in SUFFIXES and each.is_file())
        if not files:
            raise BadValue(f"{path} has no file that ends in {' or '.join(SUFFIXES)}")
    else:
        files = [path]
    found: dict[str, str] = {}
    strategies = []
    for file in files:
        for document in documents(_text(file), str(file)):
            strategy = _strategy(document, str(file))
            if strategy.ref in found:
                raise BadValue(
                    f"{file}, line {document.line('name')}, name: {strategy.ref} is in {found[strategy.ref]}, too: "
                    f"give another name, or a version of its own"
                )
            found[strategy.ref] = f"{file}, line {document.line('name')}"
            strategies.append(strategy)
    if not strategies:
        raise BadValue(f"{path} has no strategy in it")
    return strategies


def parse(text: str, file: str = "text") -> list[Strategy]:
    """The strategies that a text says. Raises ``BadValue``, which names ``file``, line and key."""
    return [_strategy(document, file) for document in documents(text, file)]


def written(*strategies: Strategy) -> str:
    """Strategies as the text of one file."""
    return "---\n".join(written_yaml(_data(strategy)) for strategy in strategies)


def difference(old: Strategy, new: Strategy) -> str:
    """What differs, as a unified diff of what the two are as files; empty, if they are the same."""
    before, after = (written(each).splitlines(keepends=True) for each in (old, new))
    return "".join(unified_diff(before, after, fromfile=old.ref, tofile=new.ref))


def _text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise BadValue(f"{file} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise BadValue(f"{file} has more than {LARGEST:,} bytes: make several files of it, in one folder")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise BadValue(f"{file}, line {line}: it is no UTF-8: save it as such") from None


def _data(strategy: Strategy) -> dict[str, Any]:
    data = msgspec.to_builtins(strategy)
    body = data.pop("body")
    kind = body.pop("type")
    data[kind] = body["values"] if kind == "parameters" else body
    return {key: data[key] for key in _KEYS if key in data}


def _strategy(document: Document, file: str) -> Strategy:
    """The strategy that a document says."""
    try:
        return validated(_converted(document.data))
    except BadValue as error:
        path = str(error).partition(": ")[0]  # each begins with its place, but for what is wrong with the whole
        line = document.line(path)
        raise BadValue(f"{file}, line {line}{', ' if line != document.line('') or path in document.lines else ': '}{error}") from None


def _converted(data: Any) -> Strategy:
    given = dict(_mapping(data, "", _KEYS))
    kinds = [key for key in BODIES if key in given]
    if "name" not in given or len(kinds) != 1:
        raise BadValue(f"a strategy has a name, and one of {', '.join(BODIES)}; here is {', '.join(given)[:LINE] or 'nothing'}")
    if "when" in given:
        conditions(given["when"])
    for part, shape in _PARTS.items():
        if part in given:
            _mapping(given[part], part, shape.__struct_fields__)
    kind = kinds[0]
    body = _mapping(given.pop(kind), kind)
    if kind == "template" and isinstance(body.get("steps"), list):
        for number, step in enumerate(body["steps"]):
            _mapping(step, f"template.steps[{number}]", PlanStep.__struct_fields__)
    if kind == "parameters":
        for name, value in body.items():
            if not isinstance(value, str | bool | int | float):
                raise BadValue(f"parameters.{name}: a setting is a text, a number, true or false, not {shown(value)}")
        body = {"values": body}
    try:
        return msgspec.convert({**given, "body": {**body, "type": kind}}, Strategy)
    except msgspec.ValidationError as error:
        fault, _, path = str(error).partition(" - at `$")
        at = path.rstrip("`").removeprefix(".")
        at = f"{kind}{at.removeprefix('body')}" if at.startswith("body") else at  # the file says which body it is
        raise BadValue(f"{at}: {fault[:1].lower()}{fault[1:]}") from None


def _mapping(value: Any, at: str, keys: Sequence[str] | None = None) -> Mapping[str, Any]:
    """``value``, if it is a mapping, with none but these keys."""
    if not isinstance(value, dict):
        as_in = f", as in {next(iter(keys))}: …" if keys else ""
        raise BadValue(f"{f'{at}: ' if at else ''}give a mapping{as_in}, not {shown(value)}")
    for key in value:
        if keys is not None and key not in keys:
            raise BadValue(f"{f'{at}.' if at else ''}{key[:LINE]}: there is no such key here: there is {', '.join(keys)}")
    return value
