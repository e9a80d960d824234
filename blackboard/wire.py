"""Items and edges as they cross the wire, and back: what an agent says becomes a record, and a record what it is shown as."""

from blackboard.items import ContextItem, Edge
from bus import messages


def from_deposit(said: messages.Deposit, owner: str) -> ContextItem:
    """The item that ``owner`` deposits by saying this."""
    return ContextItem(
        said.content, kind=said.kind, key=said.key, target=said.target, value=said.value, op=said.op, unit=said.unit, hard=said.hard,
        expires_at=said.expires_at, meta=said.meta, owner=owner, scope=said.scope,
    )  # fmt: skip


def to_wire(item: ContextItem, at_strength: float | None = None) -> messages.Item:
    """The item as it stands, or as it stands with another strength (that of another moment)."""
    return messages.Item(
        id=item.id,
        content=item.content,
        kind=item.kind,
        strength=item.strength if at_strength is None else at_strength,
        owner=item.owner,
        scope=item.scope,
        key=item.key,
        target=item.target,
        value=item.value,
        op=item.op,
        unit=item.unit,
        hard=item.hard,
        expires_at=item.expires_at,
        meta=dict(item.meta),
        status=item.status,
        first=item.first,
        made=item.made,
        confirmed=item.confirmed,
        touched=item.touched,
        confirmations=item.confirmations,
        asserters=tuple(item.asserters),
        contributions=tuple(
            messages.Contribution(agent=agent, cause=cause, amount=share.amount, count=share.count, last=share.last)
            for (agent, cause), share in item.contributions.items()
        ),
    )


def from_wire(wire: messages.Item, *, said_hard: bool | None = None) -> ContextItem:
    """An item that was read from a board: in no network, with the strength that it had there. ``said_hard``: if that is known."""
    item = ContextItem(
        wire.content,
        kind=wire.kind,
        key=wire.key,
        target=wire.target,
        value=wire.value,
        op=wire.op,
        unit=wire.unit,
        hard=wire.hard if said_hard is None else said_hard,
        expires_at=wire.expires_at,
        meta=wire.meta,
        owner=wire.owner,
        scope=wire.scope,
    )
    item.id = wire.id
    item.detach(wire.strength)
    item.status = wire.status
    item.first, item.made, item.confirmed, item.touched = wire.first, wire.made, wire.confirmed, wire.touched
    item.confirmations = wire.confirmations
    item.asserters = dict.fromkeys(wire.asserters, wire.hard)  # who of them says hard does not cross the wire
    for each in wire.contributions:
        item.contribute(each.agent, each.cause, each.amount, each.last, each.count)
    return item


def edge_to_wire(edge: Edge, at_strength: float | None = None) -> messages.EdgeView:
    """The edge as it stands, or as it stands with another strength."""
    return messages.EdgeView(
        id=edge.id,
        a=edge.a,
        b=edge.b,
        strength=edge.strength if at_strength is None else at_strength,
        relation=edge.relation,
        owner=edge.owner,
        scope=edge.scope,
    )
