"""How the command line prints: tables for people, JSON for programs, plain wide lines into a pipe."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from blackboard.items import ContextItem, to_wire
from bus.messages import Item

NUMBERS = ("strength", "before", "after", "evaporated", "amount", "times")
"""Columns that are read from the right."""


def print_json(value: Any) -> None:
    """One JSON document on one line. Flushed, since the reader may be waiting for it."""
    print(msgspec.json.encode(value).decode(), flush=True)


def print_items(items: Sequence[ContextItem], *, json: bool) -> None:
    """Items, the strongest first as they come."""
    if json:
        print_json([to_wire(item) for item in items])
    else:
        print_table(
            ("strength", "kind", "key", "content", "by", "id"),
            ((number(item.strength), item.kind, item.key or "", item.content, owners(to_wire(item)), item.id) for item in items),
            empty="Nothing is in view.",
        )


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> None:
    """A table as wide as the terminal; into a pipe, as wide as it needs, with nothing cut."""
    filled = list(rows)
    if not filled:
        print(empty)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in head:
        table.add_column(name, justify="right" if name in NUMBERS else "left", no_wrap=not terminal or name != "content", overflow="fold")
    for row in filled:
        table.add_row(*map(Text, row))
    Console(width=None if terminal else 10_000).print(table)


def number(value: float) -> str:
    """A strength, as a person reads it."""
    return f"{value:.2f}"


def moment(value: float, time: str) -> str:
    """A point of the board's time: a round, or a local time of day."""
    if time == "rounds":
        return f"round {value:g}"
    from datetime import datetime

    return datetime.fromtimestamp(value).astimezone().isoformat(" ", "seconds")


def owners(item: Item) -> str:
    """Who stands behind an item."""
    return ", ".join(item.asserters) or item.owner
