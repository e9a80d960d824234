"""Whether a unit can be applied, decided before anything is changed.

Laws:

- A unit is applied whole or refused whole. All that can be wrong with it is found here, so ``board`` applies it without looking back.
- What an observation does to those behind it in its unit (it makes an item, supersedes one, shares, retracts) is foreseen in a *draft* that
  lives as long as the check.
- An id that is not in the agent's view is refused in the same words whether it exists or not.
"""

import unicodedata
from math import isfinite
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from blackboard import constraints, views
from blackboard.config import BoardConfig
from blackboard.errors import BadValue, NotInView, NotYours, Refused, TooBig, UnknownKind
from blackboard.items import direction, folded, identity, partition
from blackboard.network import PheromoneNetwork
from bus import names
from bus.messages import (
    AnyObservation,
    Confirm,
    Deposit,
    EndRound,
    Link,
    Reinforce,
    Retract,
    Share,
    Tick,
    Unit,
    Use,
)

MAX_CONTENT = 128 * 1024
"""Bytes of UTF-8 in an item's content."""
MAX_ATTACHED = 64 * 1024
"""Bytes of an item's value and meta, encoded."""
MAX_NAME = 256
"""Characters in a key, a target, a kind, a unit or a relation."""
MAX_AMOUNT = 1e6
"""The largest strength or delta that one observation may give."""
MAX_LIMIT = 10_000
"""The most items that one question may ask for."""
MAX_DEPTH = 32
"""How deeply a value may nest."""


# ---- what can be said without a board ---------------------------------------------------------------------------------------------------


def validate(observation: AnyObservation) -> None:
    """Raise ``Refused`` if the observation cannot be right on any board. Clients call it before they send."""
    match observation:
        case Deposit():
            _validate_deposit(observation)
        case Reinforce():
            amount(observation.delta, "delta")
        case Link():
            if observation.strength is not None:
                amount(observation.strength, "strength")
            if observation.scope is not None:
                _scope(observation.scope)
            _name(observation.relation, "relation")
        case EndRound():
            if observation.round < 0:
                raise BadValue(f"round {observation.round}: rounds are counted from 0")
        case _:
            pass


def amount(value: float, what: str) -> float:
    """A strength or a delta: finite, above 0, at most 10⁶; else ``BadValue``."""
    if isinstance(value, bool) or not 0 < value <= MAX_AMOUNT:
        raise BadValue(f"{what} {value!r}: give a number above 0 and at most {MAX_AMOUNT:,.0f}")
    return float(value)


def validate_limit(limit: int) -> None:
    """How many may be asked for at once."""
    if not 0 < limit <= MAX_LIMIT:
        raise BadValue(f"limit {limit}: ask for 1 to {MAX_LIMIT:,}")


def _validate_deposit(deposit: Deposit) -> None:
    _text(deposit.content, "content")
    if not deposit.content.strip():
        raise BadValue(f"content {deposit.content!r} is empty: say something")
    if (size := len(deposit.content.encode())) > MAX_CONTENT:
        raise TooBig(f"content of {size:,} bytes: at most {MAX_CONTENT:,} fit; keep the long text elsewhere and deposit where it is")
    if not deposit.kind.strip():
        raise BadValue(f"kind {deposit.kind!r} is empty: name one, as in 'fact'")
    for value, what in ((deposit.kind, "kind"), (deposit.key, "key"), (deposit.target, "target"), (deposit.unit, "unit")):
        _name(value, what)
    if deposit.strength is not None:
        amount(deposit.strength, "strength")
    if deposit.expires_at is not None and not isfinite(deposit.expires_at):
        raise BadValue(f"expires_at {deposit.expires_at!r}: give a finite round or time")
    _scope(deposit.scope)
    _json(deposit.value, "value")
    _json(deposit.meta, "meta")
    if (size := len(msgspec.msgpack.encode((deposit.value, deposit.meta)))) > MAX_ATTACHED:
        raise TooBig(f"value and meta of {size:,} bytes: at most {MAX_ATTACHED:,} fit")
    if deposit.op is not None:
        if deposit.kind != constraints.KIND:
            raise BadValue(f"operator {deposit.op!r} on a {deposit.kind!r}: only a constraint has a predicate")
        if deposit.key is None:
            raise BadValue(f"a constraint with operator {deposit.op!r} needs a key: the quantity that it bounds")
        constraints.check_predicate(deposit.op, deposit.value)
    elif deposit.kind == constraints.KIND and deposit.value is not None:
        raise BadValue(f"a constraint with the value {deposit.value!r} needs an operator: one of {' '.join(constraints.OPERATORS)}")
    if deposit.hard and deposit.kind != constraints.KIND:
        raise BadValue(f"hard on a {deposit.kind!r}: only a constraint is hard or soft")


def _text(value: str, what: str) -> None:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise BadValue(f"{what} is not Unicode text: character {error.start} is half of a surrogate pair") from error


def _name(value: str | None, what: str) -> None:
    if value is None:
        return
    _text(value, what)
    if len(value) > MAX_NAME:
        raise TooBig(f"{what} of {len(value):,} characters: at most {MAX_NAME} fit")
    if any(unicodedata.category(character) == "Cc" for character in value):
        raise BadValue(f"{what} {value!r} has a control character: use plain text")


def _scope(value: str) -> None:
    if value not in {"private", "shared"}:
        raise BadValue(f"scope {value!r}: use 'private' or 'shared'")


def _json(value: Any, what: str, depth: int = 0) -> None:
    if depth > MAX_DEPTH:
        raise BadValue(f"{what} nests more than {MAX_DEPTH} levels deep: flatten it")
    match value:
        case None | bool():
            pass
        case str():
            _text(value, what)
        case int():
            if not -(2**63) <= value < 2**64:
                raise BadValue(f"{what} {value!r} does not fit in 64 bits: give it as text")
        case float():
            if not isfinite(value):
                raise BadValue(f"{what} {value!r}: numbers must be finite")
        case list() | tuple():
            for each in value:
                _json(each, what, depth + 1)
        case dict():
            for key, each in value.items():
                if not isinstance(key, str):
                    raise BadValue(f"{what} has the key {key!r}: keys are texts")
                _text(key, what)
                _json(each, what, depth + 1)
        case _:
            raise BadValue(f"{what} {value!r} is a {type(value).__name__}: use null, booleans, numbers, texts, lists and mappings")


# ---- what depends on how the board stands -----------------------------------------------------------------------------------------------


class Saying(NamedTuple):
    """What an item says: all that its id is computed from, but for the board, the owner and the scope."""

    kind: str
    key: str | None
    target: str | None
    content: str
    value: Any
    op: str | None
    unit: str | None

    def id_for(self, board: str, owner: str, scope: str) -> str:
        """The id of the item that ``owner`` makes by saying this in ``scope``."""
        return identity(board, owner=owner, scope=scope, **self._asdict())


class _Prospect(Struct):
    """An item as it will stand at this point of the unit."""

    says: Saying
    scope: str
    owner: str
    asserted: bool
    """By the unit's agent."""
    others: bool = False
    """By somebody else, too."""
    status: str = "standing"


class Admission:
    """Checks one unit of one agent against the board as it stands. Changes nothing."""

    def __init__(self, network: PheromoneNetwork, config: BoardConfig, agent: str) -> None:
        self._network = network
        self._config = config
        self._agent = agent
        self._draft: dict[str, _Prospect] = {}
        self._moved: dict[str, str] = {}
        self._slots: dict[tuple[Any, ...], str] = {}

    def check(self, unit: Unit) -> None:
        """Raise ``Refused`` for the first observation that could not be applied in its turn."""
        for position, observation in enumerate(unit):
            try:
                validate(observation)
                self._check(observation)
            except Refused as error:
                if len(unit) == 1:
                    raise
                where = f"{type(observation).__name__.lower()}, number {position + 1} of {len(unit)} in its unit"
                raise type(error)(f"{error} ({where}: none of them was applied)") from error

    def _check(self, observation: AnyObservation) -> None:
        match observation:
            case Reinforce() | Confirm():
                self._standing(observation.item)
            case Deposit():
                self._check_deposit(observation)
            case Use():
                if (prospect := self._find(observation.item)).status not in {"standing", "archived"}:
                    raise BadValue(f"the item is {prospect.status}: it is history, and not to be used; see what stands in its place")
            case Link():
                self._check_link(observation)
            case Share():
                self._check_share(observation)
            case Retract():
                self._check_retract(observation)
            case EndRound():
                if self._config.time == "wall":
                    raise BadValue(f"end of round {observation.round}: this board runs on wall-clock time and has no rounds")
            case Tick():
                if self._agent != names.HOST:
                    raise NotYours("tick: only a board's host tells the time")

    def _check_deposit(self, deposit: Deposit) -> None:
        if deposit.kind not in self._network.kinds:
            known = ", ".join(sorted(self._network.kinds))
            raise UnknownKind(f"kind {deposit.kind!r}: this board knows {known}; new kinds are configuration")
        if deposit.expires_at is not None and deposit.expires_at <= self._network.now:
            raise BadValue(f"expires_at {deposit.expires_at!r} has passed already: it is {self._network.now!r} on this board")
        key = None if deposit.key is None else folded(deposit.key)
        target = None if deposit.target is None else folded(deposit.target)
        self._say(Saying(deposit.kind, key, target, deposit.content, deposit.value, deposit.op, deposit.unit), deposit.scope)

    def _check_link(self, link: Link) -> None:
        a, b = self._standing(link.a), self._standing(link.b)
        if a is b:
            raise BadValue("link: both ends are the same item; an edge joins two")
        if link.scope == views.SHARED and not a.scope == b.scope == views.SHARED:
            raise BadValue("link: a shared edge joins shared items; share the private end first, or make the edge private")

    def _check_share(self, share: Share) -> None:
        prospect = self._standing(share.item)
        if prospect.owner != self._agent:
            raise NotYours("share: only its owner shares an item")
        if prospect.scope != views.SHARED:
            self._moved[share.item] = self._say(prospect.says, views.SHARED)

    def _check_retract(self, retract: Retract) -> None:
        prospect = self._standing(retract.item)
        if not prospect.asserted:
            raise NotYours("retract: you have not asserted this item; only what one has said oneself can be withdrawn")
        prospect.asserted = False
        if not prospect.others:
            prospect.status = "released"

    def _say(self, says: Saying, scope: str) -> str:
        """Foresee what becomes of saying this: a twin confirmed, or an item made anew, which supersedes one's own former value."""
        item_id = says.id_for(self._network.board, self._agent, scope)
        prospect = self._draft.get(item_id) or self._standing_twin(item_id)
        if prospect is not None and prospect.status == "standing":
            prospect.asserted = True
        else:
            prospect = _Prospect(says=says, scope=scope, owner=self._agent, asserted=True)
            self._supersede(item_id, prospect)
        self._draft[item_id] = prospect
        return item_id

    def _standing_twin(self, item_id: str) -> _Prospect | None:
        try:
            return self._find(item_id)
        except NotInView:
            return None

    def _supersede(self, item_id: str, prospect: _Prospect) -> None:
        says = prospect.says
        if says.value is None or says.key is None:
            return
        place = partition(self._agent, prospect.scope)
        for item in self._network.slot(place, says.kind, says.key, says.target, says.op):
            if item.owner == self._agent:
                self._find(item.id).status = "superseded"
        slot = (place, says.kind, says.key, says.target, direction(says.op))
        if (former := self._slots.get(slot)) not in {None, item_id}:
            self._draft[str(former)].status = "superseded"
        self._slots[slot] = item_id

    def _standing(self, item_id: str) -> _Prospect:
        prospect = self._find(item_id)
        if prospect.status != "standing":
            raise BadValue(f"the item is {prospect.status}: deposit it again if it holds still")
        return prospect

    def _find(self, item_id: str) -> _Prospect:
        item_id = self._moved.get(item_id, item_id)
        if item_id in self._draft:
            return self._draft[item_id]
        item = views.find(self._network, self._agent, item_id)
        if item.id in self._draft:
            return self._draft[item.id]
        prospect = self._draft[item.id] = _Prospect(
            says=Saying(item.kind, item.key, item.target, item.content, item.value, item.op, item.unit),
            scope=item.scope,
            owner=item.owner,
            asserted=self._agent in item.asserters,
            others=any(agent != self._agent for agent in item.asserters),
            status=item.status,
        )
        return prospect
