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
from blackboard.errors import BadValue, NotYours, Refused, TooBig, UnknownKind
from blackboard.items import direction, folded, identity, partition
from blackboard.kinds import amount
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
    if not value.strip():
        raise BadValue(f"{what} {value!r} is empty: name one, or leave it out")
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

    @property
    def present(self) -> bool:
        return self.status in {"standing", "archived"}

    def unsay(self, status: str) -> None:
        """The agent says it no longer; with the last one who did, it is ``status``."""
        self.asserted = False
        if not self.others:
            self.status = status


class Admission:
    """Checks one unit of one agent against the board as it stands. Changes nothing."""

    def __init__(self, network: PheromoneNetwork, config: BoardConfig, agent: str) -> None:
        self._network = network
        self._config = config
        self._agent = agent
        self._draft: dict[str, _Prospect] = {}
        self._moved: dict[str, str] = {}
        self._slots: dict[tuple[Any, ...], _Prospect] = {}
        self._now = network.now
        self._ended = False
        """Has the unit ended a round? What then still stands of what was there before, nobody knows yet."""

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
                prospect = self._find(observation.item)
                if not prospect.present:
                    raise BadValue(f"the item is {prospect.status}: it is history, and not to be used; see what stands in its place")
                prospect.status = "standing"
            case Link():
                self._check_link(observation)
            case Share():
                self._check_share(observation)
            case Retract():
                self._check_retract(observation)
            case EndRound():
                if self._config.time == "wall":
                    raise BadValue(f"end of round {observation.round}: this board runs on wall-clock time and has no rounds")
                if observation.round == self._now:
                    self._now += 1
                    self._ended = True
                    self._draft, self._moved, self._slots = {}, {}, {}
            case Tick():
                if self._agent != names.HOST:
                    raise NotYours("tick: only a board's host tells the time")

    def _check_deposit(self, deposit: Deposit) -> None:
        if deposit.kind not in self._network.kinds:
            known = ", ".join(sorted(self._network.kinds))
            raise UnknownKind(f"kind {deposit.kind!r}: this board knows {known}; new kinds are configuration")
        if deposit.expires_at is not None and deposit.expires_at <= self._now:
            raise BadValue(f"expires_at {deposit.expires_at!r} has passed already: it is {self._now!r} on this board")
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
            moved = self._say(prospect.says, views.SHARED)
            self._draft.pop(share.item, None)
            self._moved[share.item] = moved

    def _check_retract(self, retract: Retract) -> None:
        prospect = self._find(retract.item)
        if not prospect.present:
            raise BadValue(f"the item is {prospect.status}: there is nothing to withdraw")
        if not prospect.asserted:
            raise NotYours("retract: you have not asserted this item; only what one has said oneself can be withdrawn")
        prospect.unsay("released")

    def _say(self, says: Saying, scope: str) -> str:
        """Foresee what becomes of saying this: a twin confirmed or revived, or an item made anew; it supersedes what one said before."""
        item_id = says.id_for(self._network.board, self._agent, scope)
        prospect = self._twin(item_id, scope)
        if prospect is None:
            prospect = _Prospect(says=says, scope=scope, owner=self._agent, asserted=True)
            self._moved.pop(item_id, None)
        prospect.status, prospect.asserted = "standing", True
        self._supersede(prospect)
        self._draft[item_id] = prospect
        return item_id

    def _twin(self, item_id: str, scope: str) -> _Prospect | None:
        """What says the same already, or said it until it faded. To something shared a private id leads only while that stands."""
        try:
            prospect = self._find(item_id)
        except Refused:
            return None
        return prospect if prospect.status == "standing" or (prospect.present and prospect.scope == scope) else None

    def _supersede(self, prospect: _Prospect) -> None:
        says = prospect.says
        if says.value is None or says.key is None:
            return
        place = partition(self._agent, prospect.scope)
        slot = (place, says.kind, says.key, says.target, direction(says.op))
        there = () if self._ended else self._network.slot(place, says.kind, says.key, says.target, says.op)
        former = [self._find(item.id) for item in there if item.id not in self._moved]
        for each in (*former, self._slots.get(slot, prospect)):
            if each is not prospect and each.asserted:
                each.unsay("superseded")
        self._slots[slot] = prospect

    def _standing(self, item_id: str) -> _Prospect:
        prospect = self._find(item_id)
        if prospect.status != "standing":
            raise BadValue(f"the item is {prospect.status}: deposit it again if it holds still")
        return prospect

    def _find(self, item_id: str) -> _Prospect:
        item_id = self._moved.get(item_id, item_id)
        if item_id in self._draft:
            return self._draft[item_id]
        if self._ended:
            raise BadValue("what still stands after the end of a round is known only then: send this in a unit of its own")
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
