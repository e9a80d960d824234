"""Messages that are none: real ones damaged in every way, and envelopes with anything in them."""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
from hypothesis import strategies as st

from blackboard.scent.settings import tutoring
from bus.messages import (
    About,
    Applied,
    Ask,
    Assemble,
    BeginTask,
    Check,
    Confirm,
    Deposit,
    EndRound,
    EndTask,
    Erase,
    Explain,
    Export,
    Fold,
    Get,
    History,
    Hits,
    Limits,
    Link,
    Missed,
    Post,
    Reinforce,
    RenameKey,
    Retract,
    Scent,
    Scents,
    Search,
    SetKinds,
    SetLimits,
    Share,
    Stats,
    Tick,
    Top,
    Unit,
    Use,
    UseAll,
    encode,
)

NOWHERE = "0" * 32

UNITS: tuple[Unit, ...] = (
    (Deposit("a note", kind="fact", key="price", target="part", value=[1, {"a": 2.5}], scope="shared", meta={"source": "desk"}),),
    (Deposit("at most 40", kind="constraint", key="price", op="<=", value=40, unit="EUR", hard=True, strength=8.0, expires_at=1e9),),
    (Deposit("one"), Deposit("two"), Deposit("three", value="x" * 100)),
    (Reinforce(NOWHERE, 0.5), Confirm(NOWHERE), Use(NOWHERE), UseAll((NOWHERE,), (NOWHERE,))),
    (Link(NOWHERE, "1" * 32, 2.0, "about", "shared"), Share(NOWHERE), Retract(NOWHERE), Erase(NOWHERE)),
    (EndRound(7),),
    (
        Scents(
            (Scent("price", 0.7, 0.9, "A1", [1, "EUR"], "price: 1 EUR", "slot"), Scent("confirmation", 0.0, 1.0)), "li", settings=tutoring
        ),
    ),
    (BeginTask("order", "li"), EndTask("li")),
    (Tick(), SetKinds({"fact": {"rate": 0.5}}), SetLimits(1.0, 1.0), RenameKey("price", "cost"), Fold((NOWHERE,), "all of it")),
)

QUERIES = (
    Top(5, "fact"), Search("a note", 5), Hits("a note", 5), Assemble("a note", 200, 50), Get(NOWHERE), History("price", "part"),
    About("pr*", "part"), Check({"price": [50, "EUR"]}), Explain(NOWHERE),
    Export(NOWHERE, NOWHERE, 5), Stats(), Applied(epoch="e"), Missed("shared", 3, 5), Limits(),
)  # fmt: skip

ODD: tuple[Any, ...] = (
    None, True, -1, 0, 2**63, 2**64 - 1, -(2**63), math.nan, math.inf, -math.inf, 1e308, "", "\x00", "x" * 300, b"", b"\xff\xfe", [], {},
    [[]], {"type": "deposit"}, msgspec.msgpack.Ext(5, b"x"), msgspec.msgpack.Ext(-1, b"\x00\x00\x00\x01"),
)  # fmt: skip


def post(rng: random.Random) -> bytes:
    """A real post, of an epoch of its own."""
    return encode(Post(f"{rng.getrandbits(64):016x}", 1, tuple(rng.choice(UNITS) for _ in range(rng.randint(1, 3)))))


def ask(rng: random.Random) -> bytes:
    """A real question."""
    return encode(Ask(rng.choice(QUERIES)))


def damaged(rng: random.Random, real: Callable[[random.Random], bytes]) -> Iterator[bytes]:
    """Real messages damaged, without an end."""
    while True:
        yield rng.choice(_WAYS)(rng, real)


def _flipped(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    data = bytearray(real(rng))
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def _cut(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    data = real(rng)
    return data[: rng.randrange(len(data))]


def _spliced(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    a, b = real(rng), real(rng)
    return a[: rng.randrange(len(a))] + b[rng.randrange(len(b)) :]


def _with_more(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    data = real(rng)
    place = rng.randrange(len(data) + 1)
    return data[:place] + rng.randbytes(rng.randint(1, 8)) + data[place:]


def _swapped(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    """Something in it is of another type."""
    message = msgspec.msgpack.decode(real(rng))
    at: Any = message
    while True:
        key = rng.choice(list(at) if isinstance(at, dict) else range(len(at)))
        if not isinstance(at[key], dict | list) or not at[key] or rng.random() < 0.2:
            break
        at = at[key]
    if isinstance(at, dict) and rng.random() < 0.2:
        at[rng.choice(("", "typ", "type ", "owner", "agent"))] = rng.choice(ODD)
    else:
        at[key] = rng.choice(ODD)
    return msgspec.msgpack.encode(message)


def _nested(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    """A value as deep as no reader goes, or deeper than a board takes."""
    depth = rng.choice((33, 40, 500, 5000))
    deep = msgspec.Raw(rng.choice((b"\x91", b"\x81\xa1a")) * depth + b"\xc0")
    return msgspec.msgpack.encode(
        {"epoch": f"{rng.getrandbits(64):016x}", "seq": 1, "units": [[{"type": "deposit", "content": "x", "value": deep}]]}
    )


def _from_the_future(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    message = msgspec.msgpack.decode(real(rng))
    message["v"] = rng.choice((0, 2, 999, "1", None))
    return msgspec.msgpack.encode(message)


def _not_unicode(rng: random.Random, real: Callable[[random.Random], bytes]) -> bytes:
    return real(rng).replace(b"note", b"\xff\xfe\xc0\x80").replace(b"price", b"\xed\xa0\x80\xff\xff")


def _boundless(rng: random.Random, _: Callable[[random.Random], bytes]) -> bytes:
    """What says that it is larger than it is."""
    return rng.choice((b"\xdd", b"\xdf", b"\xc6", b"\xdb")) + rng.choice((b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff")) + rng.randbytes(8)


def _anything(rng: random.Random, _: Callable[[random.Random], bytes]) -> bytes:
    return rng.randbytes(rng.randrange(200))


_WAYS = (_flipped, _flipped, _cut, _spliced, _with_more, _swapped, _swapped, _nested, _from_the_future, _not_unicode, _boundless, _anything)

_anything_at_all = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=20) | st.binary(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
_observations = st.fixed_dictionaries(
    {"type": st.sampled_from([type(each).__name__.lower() for unit in UNITS for each in unit])},
    optional={name: _anything_at_all for unit in UNITS for each in unit for name in each.__struct_fields__},
)
envelopes = st.fixed_dictionaries(
    {
        "epoch": st.text(max_size=70) | st.sampled_from(["a", "b"]),
        "seq": st.integers(-1, 4),
        "units": st.lists(st.lists(_observations | _anything_at_all, max_size=3), max_size=3),
    },
    optional={"v": _anything_at_all | st.just(1), "more": _anything_at_all},
).map(msgspec.msgpack.encode)
"""Posts in shape, with anything in them."""
