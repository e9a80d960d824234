"""The records of a network as rows of figures, many to a page, and what of that has to be written again.

Laws:

- A row holds all figures of its record. What can be rebuilt (indices, heaps, strengths) is in no row; nor is,
  but where everything is asked for, what an item says that lies in the archive: the length of its content stands for it.
- Taking what changed costs what changed, however large the network is. A page that changed in most of its rows is written again; the rows
  that changed on others go into *slips*, and as many pages as these are slips are written again in their turn. Once that has gone around,
  the slips from before it began say nothing that the pages do not say, and go. So there are never more than two goings-around leave.
- Of the slips that hold a record's row the newest is right, unless its page was written since. So most of it can be taken while more
  changes: what has changed meanwhile is on a later slip. Of a page that goes, a slip says that no record is there.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from sys import intern
from typing import Any, Generic, TypeVar, cast

import msgspec

from blackboard.archive import Archive
from blackboard.identity import partition
from blackboard.items import ContextItem, Edge, Pheromone
from bus import names
from bus.messages import Status

ROWS = 64
"""Rows a page, or a slip at most."""
_encode = msgspec.msgpack.Encoder().encode

P = TypeVar("P", ContextItem, Edge)


class Pages(Generic[P]):
    """Records by their ordinals, which it gives them."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._pages: dict[int, list[P | None]] = {}
        self._changed: set[int] = set()
        """Ordinals whose rows are not what was taken last."""
        self._gone: set[int] = set()
        """Pages that were written once, and hold nothing any more."""
        self._round: list[int] = []
        """Pages to be written again in this going around, the next one last."""
        self._began = 1
        """The slip that it began with."""
        self._superseded = 1
        """Slips before this one say nothing that the pages do not say."""
        self._slips = range(1, 1)
        """The numbers of those that are kept."""
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
        self._changed.add(record.ordinal)

    def remove(self, record: P) -> None:
        """The record is gone."""
        number = record.ordinal // ROWS
        page = self._pages[number]
        page[record.ordinal % ROWS] = None
        if any(page):
            self._changed.add(record.ordinal)
        else:  # and with it what it said of slips that are older: each of its rows is to be said to be none
            del self._pages[number]
            self._gone.add(number)
            self._changed.update(range(number * ROWS, (number + 1) * ROWS))

    # ---- how they are kept --------------------------------------------------------------------------------------------------------------

    def resume(self, next_ordinal: int, next_slip: int, pages: Iterable[str]) -> None:
        """Go on from what is kept under these names."""
        self.next_ordinal = next_ordinal
        slips = [_number(name) for name in pages if name.startswith(f"{self._name}+/")]
        self._slips = range(min(slips, default=next_slip), next_slip)

    @property
    def next_slip(self) -> int:
        """The number of the next slip."""
        return self._slips.stop

    def all_pages(self) -> dict[str, bytes]:
        """Every record, in pages, with all that it says."""
        return {self._page_name(number): self._encoded(number, whole=True) for number in sorted(self._pages)}

    def ahead(self, *, anew: bool = False) -> Iterator[tuple[str, bytes]]:
        """What is to be laid over the pages taken before, one after the other, as far as it can be had while more changes.

        It says how all records are only once all that ``take`` gives then is laid over it. ``anew``: all is written again, so that nothing
        is left of what was.
        """
        if anew or 2 * -(-len(self._changed) // ROWS) >= len(self._pages):  # which is less, then
            self._round, self._changed = [], set()
            self._began = self._superseded = self._slips.stop
            yield from ((self._page_name(number), self._encoded(number)) for number in sorted(self._pages))
        else:
            before = self._slips.stop
            yield from self._take_changed()
            again = self._slips.stop - before
            if again and not self._round:
                self._round, self._began = sorted(self._pages, reverse=True), self._slips.stop
            for number in [self._round.pop() for _ in range(min(again, len(self._round)))]:
                yield from self._again(number)

    def take(self) -> Iterator[tuple[str, bytes]]:
        """The rest of it, with which it says how all records are: nothing may change until the last is taken. ``b""``: it is gone."""
        yield from self._take_changed()
        gone, self._gone = sorted(self._gone - self._pages.keys()), set()
        yield from ((self._page_name(number), b"") for number in gone)
        if not self._round:
            self._superseded = self._began
        first, self._slips = self._slips.start, range(max(self._slips.start, self._superseded), self._slips.stop)
        yield from ((self._slip_name(slip), b"") for slip in range(first, self._slips.start))

    def _take_changed(self) -> Iterator[tuple[str, bytes]]:
        changed, self._changed = sorted(self._changed), set()
        few: list[int] = []
        for number, ordinals in groupby(changed, lambda ordinal: ordinal // ROWS):
            here = list(ordinals)
            if 2 * len(here) >= ROWS:  # then its page is less than a slip, and a page again later
                yield from self._again(number)
            if 2 * len(here) < ROWS or number not in self._pages:
                few += here
        for first in range(0, len(few), ROWS):
            slip, self._slips = self._slips.stop, range(self._slips.start, self._slips.stop + 1)
            yield self._slip_name(slip), _encode({ordinal: self._row(ordinal) for ordinal in few[first : first + ROWS]})

    def _again(self, number: int) -> Iterator[tuple[str, bytes]]:
        """A page that is written again beside slips: it begins with the number of the first that may be newer."""
        if number in self._pages:
            yield self._page_name(number), _encode([self._slips.stop, *(_row(record) for record in self.page(number))])

    def _row(self, ordinal: int) -> msgspec.Raw | None:
        page = self._pages.get(ordinal // ROWS)
        record = page[ordinal % ROWS] if page is not None else None
        return None if record is None else _row(record)

    def _page_name(self, number: int) -> str:
        return f"{self._name}/{number:010}"

    def _slip_name(self, number: int) -> str:
        return f"{self._name}+/{number:010}"

    def _encoded(self, number: int, *, whole: bool = False) -> bytes:
        return _encode([_row(record, whole=whole) for record in self.page(number)])


def _row(record: ContextItem | Edge, *, whole: bool = False) -> msgspec.Raw:
    # Encoded row by row: to keep many of them would stir the collector.
    if isinstance(record, Edge):
        said: tuple[Any, ...] = (record.a, record.b, record.relation)
    else:
        content, meta = (record.length, None) if record.shelved and not whole else (record.content, dict(record.meta))
        said = (
            content, record.kind, record.key, record.target, record.value, record.op, record.unit, record.said_hard,
            record.expires_at, meta, record.status, record.confirmed, record.confirmations, dict(record.asserters),
            record.shares(), record.marks, record.protected_until, record.folded,
        )  # fmt: skip
    figures = (
        record.ordinal, record.id, record.owner, record.scope, record.s, record.d, record.first, record.made, record.touched,
        record.last_entry, dict(record.formerly) if isinstance(record, ContextItem) else record.formerly,
    )  # fmt: skip
    return msgspec.Raw(_encode((*figures, *said)))


def items_of(pages: Mapping[str, bytes], archive: Archive, board: str) -> Iterator[ContextItem]:
    """The items of ``board`` that the pages hold, in order, each without its class; ``archive`` has what those say that lie there."""
    one = _Numbers()
    for row in _rows("items", pages):
        (
            ordinal, item_id, owner, scope, s, d, first, made, touched, last_entry, formerly,
            content, kind, key, target, value, op, unit, hard, expires_at, meta, status, confirmed, confirmations, asserters, shares,
            marks, protected_until, *folded,
        ) = row  # fmt: skip
        length = content if isinstance(content, int) else None
        item = ContextItem(
            content if length is None else "", kind=kind, key=key, target=target, value=value, op=op, unit=unit, hard=hard,
            expires_at=expires_at, meta=meta, owner=owner, scope=scope,
        )  # fmt: skip
        _restore(item, ordinal, item_id, s, one[d], first, one[made], one[touched], last_entry)
        if length is not None:
            item.lie_in(archive, length)
        item.status = cast("Status", intern(status))
        item.confirmed, item.confirmations, item.protected_until = one[confirmed], confirmations, one[protected_until]
        for agent, said_hard in asserters.items():
            item.asserted(intern(agent), said_hard)
        item.take_shares(shares)
        item.marks = marks
        if folded == [True]:  # rows of version 0.1 end before it
            item.folded = True
        if formerly:
            item.formerly = formerly if isinstance(formerly, dict) else _formerly(item, formerly, board)
        yield item


def edges_of(pages: Mapping[str, bytes]) -> Iterator[Edge]:
    """The edges that the pages hold, in order, each without its class."""
    one = _Numbers()
    for ordinal, edge_id, owner, scope, s, d, first, made, touched, last_entry, formerly, a, b, relation in _rows("edges", pages):
        edge = Edge(a, b, relation=relation, owner=owner, scope=scope)
        _restore(edge, ordinal, edge_id, s, one[d], first, one[made], one[touched], last_entry)
        edge.formerly = tuple(formerly)
        yield edge


def _formerly(item: ContextItem, ids: list[str], board: str) -> dict[str, str]:
    """Rows of version 0.1 do not say whose its former ids were: each was private to one who then strengthened it."""
    agents = dict.fromkeys(agent for agent, _ in item.contributions)
    private = {item.identify(board, owner=agent, scope=names.PRIVATE): partition(agent, names.PRIVATE) for agent in agents}
    return {former: whose for former, whose in private.items() if former in ids}


_slip = msgspec.msgpack.Decoder(dict[int, msgspec.Raw])


def _rows(name: str, pages: Mapping[str, bytes]) -> Iterator[list[Any]]:
    """The rows of all records, in order."""
    newer: dict[int, tuple[int, msgspec.Raw]] = {}
    for slip in sorted(page for page in pages if page.startswith(f"{name}+/")):
        newer.update((ordinal, (_number(slip), row)) for ordinal, row in _slip.decode(pages[slip]).items())
    changed = {number: list(ordinals) for number, ordinals in groupby(sorted(newer), lambda ordinal: ordinal // ROWS)}
    whole = {_number(page): page for page in pages if page.startswith(f"{name}/")}
    for number in sorted(whole.keys() | changed.keys()):
        rows: list[Any] = msgspec.msgpack.decode(pages[whole[number]]) if number in whole else []
        since = rows.pop(0) if rows and isinstance(rows[0], int) else 0
        if number not in changed:
            yield from rows
            continue
        found: dict[int, list[Any] | None] = {row[0]: row for row in rows}
        for ordinal in changed[number]:
            slip_number, row = newer[ordinal]
            if slip_number >= since:
                found[ordinal] = msgspec.msgpack.decode(row)
        yield from (row for _, row in sorted(found.items()) if row is not None)


def _number(page: str) -> int:
    return int(page.partition("/")[2])


class _Numbers(dict[float, float]):
    """One object for each number, as many records have the same times and levels."""

    def __missing__(self, number: float) -> float:
        self[number] = number
        return number


def _restore(
    record: Pheromone, ordinal: int, record_id: str, s: float, d: float, first: float, made: float, touched: float, last_entry: int
) -> None:
    record.ordinal, record.id = ordinal, record_id
    if s:
        record.mark(s, d)
    record.first = s if s == first else first
    record.made, record.touched, record.last_entry = made, touched, last_entry
