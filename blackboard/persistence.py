"""How a network is kept, and taken up again: as pages of figures, of which only what changed is written again, and as a document.

Laws:

- A snapshot holds every figure once; indices are rebuilt from it. What is restored goes on exactly as the original does.
- What lies in the archive is in a full snapshot, and in an export; not in what changed.
- An export holds all items and edges, to the bit of their strengths; whoever takes it up begins each decay class anew, when it was made.
"""

from collections.abc import Iterator, Mapping
from heapq import heapify

import msgspec
from msgspec import Struct

from blackboard.document import Document, edge_record, from_json, item_record, rebuilt, to_json
from blackboard.errors import BadValue
from blackboard.items import ContextItem
from blackboard.recall import Recall
from blackboard.storage import items_of

_PAGE = "network"


class _Scalars(Struct):
    """What stands on the network's own page. Of each decay class: its base and its origin; and the numbers of the next slips."""

    now: float
    items: int
    edges: int
    classes: dict[str, tuple[float, float]]
    slips: tuple[int, int] = (1, 1)


class Persistent(Recall):
    """Holdings that can be written down, and taken up in a new network of the same kinds."""

    _written = b""
    """The network's own page, as it was taken last."""

    def snapshot(self, *, full: bool = False) -> dict[str, bytes]:
        """Page name → bytes: what ``ahead`` and ``take`` give; or, ``full``, of everything, which is a mere read: it is not taken by that.

        What lies in the archive is only in a full one.
        """
        if full:
            return {_PAGE: self._scalars((1, 1)), **self._pages.all_pages(), **self._links.pages.all_pages()}
        return dict((*self.ahead(), *self.take()))

    def ahead(self, *, anew: bool = False) -> Iterator[tuple[str, bytes]]:
        """(page name, bytes) of what changed since that was taken last, a little at a time, and while more changes.

        ``take`` must follow. ``anew``: of everything, so that nothing is left of what was written before.
        """
        yield from self._pages.ahead(anew=anew)
        yield from self._links.pages.ahead(anew=anew)

    def take(self) -> Iterator[tuple[str, bytes]]:
        """The rest of it, with which it is as of now: nothing may change meanwhile. ``b""``: the page is gone."""
        yield from self._pages.take()
        yield from self._links.pages.take()
        scalars = self._scalars((self._pages.next_slip, self._links.pages.next_slip))
        if scalars != self._written:
            self._written = scalars
            yield _PAGE, scalars

    def _scalars(self, slips: tuple[int, int]) -> bytes:
        classes = {name: (decay.base, decay.origin) for name, decay in self._classes().items()}
        return msgspec.msgpack.encode(_Scalars(self.now, self._pages.next_ordinal, self._links.pages.next_ordinal, classes, slips))

    def restore(self, pages: Mapping[str, bytes]) -> None:
        """Take up a snapshot in a new network of the same kinds: a full one, or all that ever changed, over the archive of then.

        Raises ``BadValue``, ``UnknownKind``.
        """
        self._require_new("a snapshot")
        scalars = msgspec.msgpack.decode(pages[_PAGE], type=_Scalars)
        self.now = scalars.now
        self._pages.resume(scalars.items, scalars.slips[0], pages)
        self._links.pages.resume(scalars.edges, scalars.slips[1], pages)
        # A kind that came with a later version is as if it had been there from the beginning, as a replay has it.
        began = min((origin for _, origin in scalars.classes.values()), default=self.now)
        for name, decay in self._classes().items():
            decay.base, decay.origin = scalars.classes.get(name, (0.0, began))
            decay.advance(self.now)
        for item in items_of(pages, self.archive, self.board):
            lane = self._lanes(item.kind)[item.protected_until > self.now]
            self._pages.put(item)
            if not item.standing and not item.shelved:  # a full snapshot's, or a checkpoint's of schema 2
                item.shelve(self.archive)
                self._pages.touch(item)
            self._take_up(item)
            if item.standing:
                item.decay = lane.decay
                lane.resume(item)
        heapify(self._expiries)
        self._links.restore(pages)

    def _take_up(self, item: ContextItem) -> None:
        self._items[item.id] = item
        for former, whose in item.formerly.items():
            self.aliases.setdefault(whose, {})[former] = item
        self._register.learn(item)
        self._register.enter(item)
        if item.expires_at is not None:
            self._expiries.append((item.expires_at, item.ordinal, item))
        if item.standing and item.protected_until > self.now:
            self._protections.enter(item)

    def export_json(self) -> str:
        """All that it holds, as JSON. Raises ``BadValue`` for a value that JSON does not carry."""
        return to_json(self.document())

    def export_graphml(self) -> str:
        """All that it holds, as GraphML, for networkx, Gephi and yEd. Raises ``BadValue`` for a value that JSON does not carry."""
        from blackboard.graphml import to_graphml  # which takes a while to import, and few networks need

        return to_graphml(self.document())

    def import_json(self, text: str | bytes) -> None:
        """Take up an export as JSON, as ``take_in`` does."""
        self.take_in(from_json(text))

    def import_graphml(self, text: str | bytes) -> None:
        """Likewise, from GraphML."""
        from blackboard.graphml import from_graphml

        self.take_in(from_graphml(text))

    def document(self) -> Document:
        """All that it holds."""
        items = list(self.made_after(-1))
        edges = [edge for item in items for edge in self.edges_from(item)]
        return Document(
            board=self.board,
            now=self.now,
            items=tuple(item_record(item, formerly=item.formerly) for item in items),
            edges=tuple(edge_record(edge, formerly=edge.formerly) for edge in edges),
        )

    def take_in(self, document: Document) -> None:
        """Take up what was exported in a new network; it goes on from there. Raises ``BadValue``, ``UnknownKind``."""
        self._require_new("an export")
        items, edges = rebuilt(document, self.board)
        for kind in {item.kind for item in items}:
            self._policy(kind)
        self.begin(document.now)
        for item in items:
            self._pages.append(item)
            if not item.standing:
                item.shelve(self.archive)
            self._take_up(item)
            if item.standing:
                lane = self._lanes(item.kind)[item.protected_until > self.now]
                lane.enter(item, item.s, lane.decay.level)
        heapify(self._expiries)
        for edge in edges:
            self._links.take_in(edge)

    def _require_new(self, taken_up: str) -> None:
        if self._pages.next_ordinal:
            raise BadValue(f"only a new network can take up {taken_up}: this one holds items already")
