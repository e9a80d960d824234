"""The records of a network, in pages: each record's figures are one row, and only the pages that changed are written again.

Law: a row holds all figures of its record. What can be rebuilt (indices, heaps, strengths) is in no row; nor is, but where everything is
asked for, what an item says that lies in the archive: the length of its content stands for it.
"""

from collections.abc import Iterator, Mapping
from sys import intern
from typing import Any, Generic, TypeVar, cast

import msgspec

from blackboard.archive import Archive
from blackboard.identity import partition
from blackboard.items import ContextItem, Edge, Pheromone
from bus import names
from bus.messages import Status

ROWS = 64
"""Rows a page."""

P = TypeVar("P", ContextItem, Edge)


class Pages(Generic[P]):
    """Records by their ordinals, which it gives them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._pages: dict[int, list[P | None]] = {}
        self._dirty: set[int] = set()
        self.next_ordinal = 0

    def __getitem__(self, ordinal: int) -> P:
        record = self._pages[ordinal // ROWS][ordinal % ROWS]
        assert record is not None
        return record

    def __iter__(self) -> Iterator[P]:
        """All records, in order."""
        for number in sorted(self._pages):
            yield from self.page(number)

    def page(self, number: int) -> Iterator[P]:
        """The records of a page, in order."""
        return (record for record in self._pages.get(number, ()) if record is not None)

    def append(self, record: P) -> None:
        """Take in a new record, and number it."""
        record.ordinal = self.next_ordinal
        self.next_ordinal += 1
        self.put(record)
        self.touch(record)

    def put(self, record: P) -> None:
        """Take in a record that has its number."""
        self._pages.setdefault(record.ordinal // ROWS, [None] * ROWS)[record.ordinal % ROWS] = record

    def touch(self, record: P) -> None:
        """The record has changed."""
        self._dirty.add(record.ordinal // ROWS)

    def remove(self, record: P) -> None:
        """The record is gone."""
        number = record.ordinal // ROWS
        page = self._pages[number]
        page[record.ordinal % ROWS] = None
        if not any(page):
            del self._pages[number]
        self._dirty.add(number)

    def all_pages(self) -> dict[str, bytes]:
        """Every page, with all that its records say."""
        return {self._page_name(number): self._encoded(number, whole=True) for number in sorted(self._pages)}

    def take_dirty(self) -> dict[str, bytes]:
        """The pages that changed since the last call; ``b""`` for one that is gone."""
        dirty, self._dirty = sorted(self._dirty), set()
        return {self._page_name(number): self._encoded(number) if number in self._pages else b"" for number in dirty}

    def _page_name(self, number: int) -> str:
        return f"{self._name}/{number:010}"

    def _encoded(self, number: int, *, whole: bool = False) -> bytes:
        return msgspec.msgpack.encode([_row(record, whole) for record in self.page(number)])


def _row(record: ContextItem | Edge, whole: bool) -> list[Any]:
    figures = [
        record.ordinal, record.id, record.owner, record.scope, record.s, record.d, record.first, record.made, record.touched,
        record.last_entry, dict(record.formerly) if isinstance(record, ContextItem) else record.formerly,
    ]  # fmt: skip
    if isinstance(record, Edge):
        return [*figures, record.a, record.b, record.relation]
    content, meta = (record.length, None) if record.shelved and not whole else (record.content, dict(record.meta))
    return [
        *figures, content, record.kind, record.key, record.target, record.value, record.op, record.unit, record.said_hard,
        record.expires_at, meta, record.status, record.confirmed, record.confirmations, dict(record.asserters),
        record.shares(),
        record.marks, record.protected_until, record.folded,
    ]  # fmt: skip


def items_of(pages: Mapping[str, bytes], archive: Archive, board: str) -> Iterator[ContextItem]:
    """The items of ``board`` that the pages hold, in order, each without its class; ``archive`` has what those say that lie there."""
    one = _Numbers()
    for row in _rows("items", pages):
        content, kind, key, target, value, op, unit, hard, expires_at, meta, *standing = row[11:]
        length = content if isinstance(content, int) else None
        item = ContextItem(
            content if length is None else "", kind=kind, key=key, target=target, value=value, op=op, unit=unit, hard=hard,
            expires_at=expires_at, meta=meta,
        )  # fmt: skip
        _restore(item, row, one)
        if length is not None:
            item.lie_in(archive, length)
        status, confirmed, item.confirmations, asserters, shares, item.marks, protected_until = standing[:7]
        item.confirmed, item.protected_until = one[confirmed], one[protected_until]
        item.folded = standing[7:8] == [True]  # rows of version 0.1 end before it
        item.status = cast("Status", intern(status))
        for agent, hard in asserters.items():
            item.asserted(intern(agent), hard)
        item.take_shares(shares)
        if row[10]:
            item.formerly = row[10] if isinstance(row[10], dict) else _formerly(item, row[10], board)
        yield item


def edges_of(pages: Mapping[str, bytes]) -> Iterator[Edge]:
    """The edges that the pages hold, in order, each without its class."""
    one = _Numbers()
    for row in _rows("edges", pages):
        a, b, relation = row[11:]
        edge = Edge(a, b, relation=relation)
        _restore(edge, row, one)
        edge.formerly = tuple(row[10])
        yield edge


def _formerly(item: ContextItem, ids: list[str], board: str) -> dict[str, str]:
    """Rows of version 0.1 do not say whose its former ids were: each was private to one who then strengthened it."""
    agents = dict.fromkeys(agent for agent, _ in item.contributions)
    private = {item.identify(board, owner=agent, scope=names.PRIVATE): partition(agent, names.PRIVATE) for agent in agents}
    return {former: whose for former, whose in private.items() if former in ids}


def _rows(name: str, pages: Mapping[str, bytes]) -> Iterator[list[Any]]:
    for page in sorted(pages):
        if page.startswith(f"{name}/"):
            yield from msgspec.msgpack.decode(pages[page])


class _Numbers(dict[float, float]):
    """One object for each number, as many records have the same times and levels."""

    def __missing__(self, number: float) -> float:
        self[number] = number
        return number


def _restore(record: Pheromone, row: list[Any], one: _Numbers) -> None:
    ordinal, record_id, owner, scope, s, d, first, made, touched, last_entry = row[:10]
    record.ordinal, record.id = ordinal, record_id
    # Interned: they recur, and msgspec leaves a default out of what it encodes only where it is the very same text.
    record.owner, record.scope, record.partition = intern(owner), intern(scope), intern(partition(owner, scope))
    if s:
        record.mark(s, one[d])
    record.first = s if s == first else first
    record.made, record.touched, record.last_entry = one[made], one[touched], last_entry
