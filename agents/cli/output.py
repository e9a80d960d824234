"""How the command line prints: tables for people, JSON for programs, plain wide lines into a pipe."""

import sys
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from blackboard.items import ContextItem
from blackboard.recall import Hit
from blackboard.wire import to_wire
from bus.messages import HitView, Item, Why

NUMBERS = ("score", "relevance", "strength", "before", "after", "evaporated", "amount", "times")
"""Columns that are read from the right."""

WIDE = 10_000
"""Characters in a line, where there is no terminal."""
LEGIBLE = 20
"""Characters in a line of wrapped content, at least."""
GAP = 2
"""Spaces between columns."""


def print_json(value: Any) -> None:
    """One JSON document on one line. Flushed, since the reader may be waiting for it."""
    print(msgspec.json.encode(value).decode(), flush=True)


NOTHING_MEETS = "Nothing that is in view has to do with it."


def print_items(items: Sequence[ContextItem], *, json: bool, empty: str = "Nothing is in view.") -> None:
    """Items, the strongest first as they come."""
    if json:
        print_json([to_wire(item) for item in items])
    else:
        print_table(
            ("strength", "kind", "key", "content", "by", "id"),
            ((number(item.strength), item.kind, item.key or "", item.content, owners(to_wire(item)), item.id) for item in items),
            empty=empty,
        )


def print_hits(hits: Sequence[Hit], *, json: bool) -> None:
    """What a text recalled, and why."""
    if json:
        print_json([HitView(item=to_wire(hit.item), why=hit.why, score=hit.score, edges=hit.edges) for hit in hits])
    else:
        rows = (
            (number(score), number(why.relevance), number(item.strength), item.content, reasons(why), item.id)
            for item, score, why, _ in hits
        )
        print_table(("score", "relevance", "strength", "content", "because of", "id"), rows, empty=NOTHING_MEETS)


def reasons(why: Why) -> str:
    """Why an item was recalled, in words."""
    spread = (f"{each.share:.0%} from {each.item[:8]}" for each in why.via)
    return "; ".join(filter(None, (", ".join(why.terms), ", ".join(why.names), ", ".join(spread))))


def print_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, empty: str) -> None:
    """A table; in a terminal that is too narrow for one, a few lines for each row. Nothing is ever cut."""
    filled = [[plain(cell) for cell in row] for row in rows]
    if not filled:
        print(empty)
        return
    from rich.cells import cell_len
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    terminal = sys.stdout.isatty()
    console = Console(width=None if terminal else WIDE)
    table = Table(box=None, pad_edge=False, header_style="bold")
    needed = -GAP
    for name, *column in zip(head, *filled, strict=True):
        wraps = terminal and name == "content"
        table.add_column(name, justify="right" if name in NUMBERS else "left", no_wrap=not wraps, overflow="fold")
        needed += GAP + min(max(map(cell_len, [name, *column])), LEGIBLE if wraps else WIDE)
    if needed <= console.width:
        for row in filled:
            table.add_row(*map(Text, row))
        console.print(table)
        return
    for row in filled:
        cells = dict(zip(head, row, strict=True))
        below = [cells.pop(name) for name in ("content", "id") if name in cells]
        print("  ".join(filter(None, cells.values())), *below, sep="\n    ")


def plain(text: str) -> str:
    """A text that somebody else wrote, without what would steer the terminal: control characters are shown as what they are."""
    return "".join(each if each.isprintable() or each in "\n\t" else repr(each)[1:-1] for each in text)


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
