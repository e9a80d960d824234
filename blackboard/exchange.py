"""A view as a document, and a document as what an agent says to bring it in.

Laws:

- An export of a board at work is of no single moment: each page is as it stood when it was read.
- An import says what an agent may say, in its own name: deposits, reinforcements and links. What stands already is not said again, only
  lifted to what the document says; so bringing in the same twice at the same time says nothing the second time.
- What an agent cannot say stays behind, and is counted: the history, who else asserted it, what others did for it.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Collection
from typing import Literal

from msgspec import Struct, field

from blackboard.document import Document, check, from_json, to_json
from blackboard.errors import NotInView
from blackboard.identity import edge_identity
from blackboard.kinds import STRONGEST
from blackboard.register import Slot, slot_of
from blackboard.waiting import FOLDED
from blackboard.wire import from_deposit
from bus.messages import AnyObservation, BoardStats, Deposit, EdgeRecord, Export, Exported, ItemRecord, Link, Reinforce

Format = Literal["json", "graphml"]
ROUNDING = 1e-9
"""Relative. What is weaker by less is not lifted."""


class Imported(Struct, frozen=True):
    """What an import said, and what it left behind, by reason."""

    deposited: int = 0
    reinforced: int = 0
    linked: int = 0
    left: dict[str, int] = {}


class Plan(Struct):
    """What an agent says to bring a document in, in this order."""

    deposits: list[Deposit] = field(default_factory=list)
    reinforcements: list[Reinforce] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    left: Counter[str] = field(default_factory=Counter)

    def observations(self) -> list[AnyObservation]:
        """All of them."""
        return [*self.deposits, *self.reinforcements, *self.links]

    def done(self) -> Imported:
        """Its figures."""
        return Imported(len(self.deposits), len(self.reinforcements), len(self.links), dict(sorted(self.left.items())))


def write(document: Document, form: Format) -> str:
    """The document as text."""
    if form == "json":
        return to_json(document)
    from blackboard.graphml import to_graphml  # which takes a while to import, and few need

    return to_graphml(document)


def read(text: str | bytes) -> Document:
    """The document that a text is, JSON or GraphML. Raises ``BadValue``."""
    data = text.encode() if isinstance(text, str) else text
    if not data.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
        return from_json(data)
    from blackboard.graphml import from_graphml

    return from_graphml(data)


async def collect(ask: Callable[[Export], Awaitable[Exported]], stats: BoardStats) -> Document:
    """The whole view of who asks, page by page."""
    items: dict[str, ItemRecord] = {}
    edges: dict[str, EdgeRecord] = {}
    query: Export | None = Export()
    while query is not None:
        try:
            page = await ask(query)
        except NotInView:  # the item that the page comes after is gone since: begin after the one before
            items.pop(query.after or "", None)
            query = Export(after=next(reversed(items), None))
            continue
        items.update((item.id, item) for item in page.items)
        edges.update((edge.id, edge) for edge in page.edges)
        query = page.next
    between = tuple(edge for edge in edges.values() if edge.a in items and edge.b in items)
    return Document(board=stats.board, time=stats.time, now=stats.now, items=tuple(items.values()), edges=between)


def plan(document: Document, there: Document, *, agent: str, kinds: Collection[str]) -> Plan:
    """What ``agent`` says on the board of whose view ``there`` is the document, and which knows these ``kinds``. Raises ``BadValue``."""
    check(document)
    made = Plan()
    stands = {each: item for item in there.items if item.status == "standing" for each in (item.id, *item.formerly)}
    ids: dict[str, str] = {}
    wanted: dict[str, tuple[Deposit, ItemRecord]] = {}
    slots: dict[Slot, str] = {}
    for record in document.items:
        if (reason := _stays(record, document, there, kinds)) is not None:
            made.left[reason] += 1
            continue
        said = _said(record, document, there)
        item = from_deposit(said, agent)
        item_id = ids[record.id] = item.identify(there.board)
        if item_id in wanted:
            made.left["said by several, and one here"] += 1
            continue
        wanted[item_id] = said, record
        slot = slot_of(item)
        if slot is not None:
            if slot in slots:
                made.left["an older value of a slot"] += 1
                del wanted[slots[slot]]
            slots[slot] = item_id
    for item_id, (said, record) in wanted.items():
        known = stands.get(item_id)
        if known is None:
            made.deposits.append(said)
        elif (lacks := _capped(record.strength) - known.strength) > ROUNDING * known.strength:
            made.reinforcements.append(Reinforce(item_id, lacks))
    joined = {edge.id for edge in there.edges}
    for edge in document.edges:
        a, b = ids.get(edge.a, ""), ids.get(edge.b, "")
        if a not in wanted or b not in wanted or a == b:
            made.left["an edge of what stays"] += 1
            continue
        if edge.relation == FOLDED:
            made.left["the way from a summary to what was folded"] += 1
            continue
        edge_id = edge_identity(there.board, owner=agent, scope=edge.scope, a=a, b=b, relation=edge.relation)
        if edge_id not in joined:
            joined.add(edge_id)
            made.links.append(Link(a, b, _capped(edge.strength), edge.relation, edge.scope))
    return made


def _stays(record: ItemRecord, document: Document, there: Document, kinds: Collection[str]) -> str | None:
    """Why an item stays behind."""
    if record.status != "standing":
        return "history"
    if record.kind not in kinds:
        return f"kind {record.kind!r}, which the board does not know"
    if record.expires_at is None:
        return None
    if document.time != there.time:
        return "an expiry by another clock"
    expires = _expires(record, document, there)
    return "expired" if expires is not None and expires <= there.now else None


def _said(record: ItemRecord, document: Document, there: Document) -> Deposit:
    return Deposit(
        content=record.content, kind=record.kind, key=record.key, target=record.target, value=record.value, op=record.op,
        unit=record.unit, hard=record.hard, strength=_capped(record.strength), expires_at=_expires(record, document, there),
        scope=record.scope, meta=record.meta,
    )  # fmt: skip


def _expires(record: ItemRecord, document: Document, there: Document) -> float | None:
    """Each board counts its own rounds: on another one an item lasts as many more."""
    if record.expires_at is None or document.time == "wall" or document.board == there.board:
        return record.expires_at
    return there.now + (record.expires_at - document.now)


def _capped(strength: float) -> float:
    """No more than may be given."""
    return min(strength, STRONGEST)
