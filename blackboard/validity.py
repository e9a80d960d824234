"""What cannot be right on any board, found before it is sent, and again before it is applied.

Each error says what is wrong, with the value and the cure.
"""

import re
from functools import lru_cache
from math import inf, isfinite
from typing import Any

import msgspec
from msgspec.structs import asdict

from blackboard import constraints
from blackboard.errors import BadValue, TooBig
from blackboard.identity import folded_name
from blackboard.items import kind_of
from blackboard.kinds import CONSTRAINT, amount
from blackboard.scent.settings import check as check_settings
from blackboard.waiting import FOLDED
from bus import names
from bus.errors import BadName
from bus.messages import (
    AnyObservation,
    BeginTask,
    Deposit,
    EndRound,
    EndTask,
    EraseOwned,
    Fold,
    HandOver,
    Link,
    Reinforce,
    RenameKey,
    Scent,
    Scents,
    SetKinds,
    SetLimits,
)

MAX_CONTENT = 128 * 1024
"""Bytes of UTF-8 in an item's content."""
MAX_ATTACHED = 64 * 1024
"""Bytes of an item's value and meta, encoded."""
MAX_NAME = 256
"""Characters in a key, a target, a kind, a unit or a relation."""
MAX_LIMIT = 10_000
"""The most items that one question may ask for."""
MAX_QUERY = 65_536
"""Characters of a query."""
MAX_SCENTS = 256
"""Scents of one message."""
MAX_DEPTH = 32
"""How deeply a value may nest."""
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


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
            if observation.relation == FOLDED:
                raise BadValue(f"relation {FOLDED!r} is that of a summary to what it was made of: take another name")
        case Fold():
            _content(observation.content)
        case RenameKey():
            _name(observation.key, "key")
            _name(observation.to, "key")
            if folded_name(observation.key) == folded_name(observation.to):
                raise BadValue(f"key {observation.key!r} is {observation.to!r} already: give another")
        case HandOver():
            _agent(observation.owner)
            _agent(observation.to)
            if observation.owner == observation.to:
                raise BadValue(f"what is private of {observation.owner!r} is {observation.to!r}'s already: give another")
        case EraseOwned():
            _agent(observation.owner)
        case SetKinds():
            for name in observation.kinds:
                _name(name, "kind")
        case SetLimits():
            for what, value in (("rate", observation.rate), ("burst", observation.burst)):
                if value is not None and not 0 < value < inf:
                    raise BadValue(f"{what} {value!r}: give a finite number of observations above 0")
        case Scents():
            _validate_scents(observation)
        case BeginTask():
            _name(observation.task, "task")
            validate_conversation(observation.conversation)
        case EndTask():
            validate_conversation(observation.conversation)
        case EndRound():
            if observation.round < 0:
                raise BadValue(f"round {observation.round}: rounds are counted from 0")
        case _:
            pass


def validate_said(observation: AnyObservation) -> None:
    """What a client says: ``validate``, and each field of its type, which what comes over the wire is already. Raises ``Refused``."""
    try:
        msgspec.convert(asdict(observation), type(observation))
    except msgspec.ValidationError as error:
        raise BadValue(f"{type(observation).__name__.lower()}: {error}") from error
    validate(observation)


def validate_limit(limit: int, name: str = "limit") -> None:
    """How many may be asked for at once."""
    if not 0 < limit <= MAX_LIMIT:
        raise BadValue(f"{name} {limit}: ask for 1 to {MAX_LIMIT:,}")


def validate_query(text: str) -> None:
    """What a host is asked to look for: it reads that while others wait."""
    if not isinstance(text, str):
        raise BadValue(f"a query is a text, not {type(text).__name__}: {text!r:.80}")
    if len(text) > MAX_QUERY:
        raise BadValue(f"a query of {len(text):,} characters: at most {MAX_QUERY:,}; say what it is about, not all of it")


def validate_types(pattern: str) -> None:
    """Which types of scents are asked about; ``*`` stands for any characters."""
    _name(pattern, "the type to recall")


def validate_conversation(name: str) -> None:
    """Which of an agent's conversations is meant; "" is the only one of most."""
    if name:
        _name(name, "conversation")


def _validate_scents(said: Scents) -> None:
    validate_conversation(said.conversation)
    _scope(said.scope)
    if len(said.scents) > MAX_SCENTS:
        raise TooBig(f"{len(said.scents):,} scents of one message: at most {MAX_SCENTS}; say them in several")
    if said.settings is not None:
        check_settings(said.settings)
    for scent in said.scents:
        _validate_scent(scent)


def _validate_scent(scent: Scent) -> None:
    _name(scent.type, "the type of a scent")
    _name(scent.target, "target")
    for what, number in (("concentration", scent.concentration), ("decay", scent.decay)):
        if not 0 <= number <= 1:
            raise BadValue(f"{what} {number!r} of a scent of the type {scent.type!r}: give a number from 0 to 1")
    _attached(scent.value, {})
    if scent.kind is None:
        _text(scent.content, "content")
        if len(scent.content) > MAX_NAME:
            raise TooBig(f"a scent of the type {scent.type!r} that makes no item says {len(scent.content):,} characters: leave them out")
        return
    _content(scent.content)
    match scent.kind:
        case "slot":
            if scent.value is None:
                raise BadValue(f"a slot of the type {scent.type!r} has no value: give one, or no kind")
        case "state":
            if not isinstance(scent.value, str):
                raise BadValue(f"a request has the value {scent.value!r}: name what is asked for in a word, as *cancel*")
            _name(scent.value, "the value of a request")
        case "constraint":
            pass
        case _:
            raise BadValue(f"kind {scent.kind!r} of a scent: slot, constraint or state; none, if no item comes of it")


def _validate_deposit(deposit: Deposit) -> None:
    _content(deposit.content)
    for value, what in ((deposit.kind, "kind"), (deposit.key, "key"), (deposit.target, "target"), (deposit.unit, "unit")):
        _name(value, what)
    if deposit.strength is not None:
        amount(deposit.strength, "strength")
    if deposit.expires_at is not None and not isfinite(deposit.expires_at):
        raise BadValue(f"expires_at {deposit.expires_at!r}: give a finite round or time")
    _scope(deposit.scope)
    if deposit.value is not None or deposit.meta:
        _attached(deposit.value, deposit.meta)
    kind = kind_of(deposit.kind, deposit.meta)
    if deposit.op is not None:
        if kind != CONSTRAINT:
            raise BadValue(f"operator {deposit.op!r} on a {kind!r}: only a constraint has a predicate")
        if deposit.key is None:
            raise BadValue(f"a constraint with operator {deposit.op!r} needs a key: the quantity that it bounds")
        constraints.check_predicate(deposit.op, deposit.value)
    elif kind == CONSTRAINT and deposit.value is not None:
        raise BadValue(f"a constraint with the value {deposit.value!r} needs an operator: one of {' '.join(constraints.OPERATORS)}")
    if deposit.hard and kind != CONSTRAINT:
        raise BadValue(f"hard on a {kind!r}: only a constraint is hard or soft")


def _attached(value: Any, meta: dict[str, Any]) -> None:
    _json(value, "value")
    _json(meta, "meta")
    if (size := len(msgspec.msgpack.encode((value, meta)))) > MAX_ATTACHED:
        raise TooBig(f"value and meta of {size:,} bytes: at most {MAX_ATTACHED:,} fit; keep the bulk elsewhere and deposit where it is")


def _content(content: str) -> None:
    size = _text(content, "content")
    if not content.strip():
        raise BadValue(f"content {content!r} is empty: say something")
    if size > MAX_CONTENT:
        raise TooBig(f"content of {size:,} bytes: at most {MAX_CONTENT:,} fit; keep the long text elsewhere and deposit where it is")


def _text(value: str, what: str) -> int:
    """Bytes of UTF-8."""
    try:
        return len(value.encode())
    except UnicodeEncodeError as error:
        raise BadValue(f"{what} is not Unicode text: character {error.start} is half of a surrogate pair") from error


@lru_cache(maxsize=10_000)  # names recur
def _name(value: str | None, what: str) -> None:
    if value is None:
        return
    _text(value, what)
    if not value.strip():
        raise BadValue(f"{what} {value!r} is empty: name one, or leave it out")
    if len(value) > MAX_NAME:
        raise TooBig(f"{what} of {len(value):,} characters: at most {MAX_NAME} fit; a long text belongs in the content")
    if _CONTROL.search(value):
        raise BadValue(f"{what} {value!r} has a control character: use plain text")


def _agent(name: str) -> None:
    try:
        names.valid_name(name)
    except BadName as error:
        raise BadValue(str(error)) from error


def _scope(value: str) -> None:
    if value not in {names.PRIVATE, names.SHARED}:
        raise BadValue(f"scope {value!r}: use {names.PRIVATE!r} or {names.SHARED!r}")


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
