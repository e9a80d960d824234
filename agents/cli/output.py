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

LEGIBLE = 20
"""Characters in a line of wrapped content, at least."""
NARROW = 12
"""The same of other columns that are wrapped."""
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
    """A table; where a terminal is too narrow for one, what each row says beside the names of columns. Nothing is ever cut.

    In a terminal columns of several words are wrapped, the widest most; a word stays whole, but in *content*.
    """
    filled = [[plain(cell) for cell in row] for row in rows]
    if not filled:
        print(empty)
        return
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    columns = [list(column) for column in zip(head, *filled, strict=True)]
    gaps = GAP * (len(head) - 1)
    whole = [max(map(_width, column)) for column in columns]
    console = Console(width=None if sys.stdout.isatty() else sum(whole) + gaps)
    widths = whole if sum(whole) + gaps <= console.width else _fitted(columns, console.width - gaps)
    if widths is None:
        _print_records(head, filled)
        return
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name, width in zip(head, widths, strict=True):
        table.add_column(name, width=width, justify="right" if name in NUMBERS else "left", overflow="fold")
    for row in filled:
        table.add_row(*map(Text, row))
    console.print(table)


def _print_records(head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    names = max(map(len, head)) + GAP
    for number, row in enumerate(rows):
        if number:
            print()
        for name, cell in zip(head, row, strict=True):
            if cell:
                print(name.ljust(names) + cell.replace("\n", "\n" + " " * names))


def _fitted(columns: Sequence[Sequence[str]], room: int) -> list[int] | None:
    """Widths of columns that fit into ``room``, none less than its ``_least``; None: there are none. Names are wrapped before cells."""
    least = list(map(_least, columns))
    if sum(least) > room:
        return None
    widths = [min(max(_word(name), *map(_width, cells)), room) for name, *cells in columns]
    while sum(widths) > room:
        widest = max((column for column, width in enumerate(widths) if width > least[column]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _least(column: Sequence[str]) -> int:
    """In how many characters a column can be read; its first cell is its name."""
    name, *cells = column
    whole = max(map(_width, cells))
    legible = LEGIBLE if name == "content" else max(NARROW, *map(_word, cells))
    return max(_word(name), min(whole, legible))


def _width(text: str) -> int:
    """Characters of its longest line; wide ones count for two."""
    from rich.cells import cell_len

    return max(map(cell_len, text.splitlines()), default=0)


def _word(text: str) -> int:
    """Characters of its longest word. Between wide ones a line may be broken."""
    from rich.cells import cell_len

    return max(map(cell_len, "".join(f" {each} " if cell_len(each) > 1 else each for each in text).split()), default=0)


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
