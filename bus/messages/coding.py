"""Structs → bytes → structs, as MessagePack; what cannot be read is a ``BadMessage`` that says what is wrong where."""

from collections.abc import Iterable
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bus.errors import BadMessage
from bus.messages.answering import Answer
from bus.messages.asking import Ask
from bus.messages.hosting import Beat
from bus.messages.saying import VERSION, Number, Post
from bus.messages.telling import Events

_encoder = msgspec.msgpack.Encoder()
encode = _encoder.encode
"""Any struct of this file → bytes."""


class _Packed(Struct):
    """A ``Post`` whose units are encoded already."""

    epoch: str
    seq: int
    units: tuple[msgspec.Raw, ...]
    v: int = VERSION


class _Header(Struct):
    v: int = VERSION
    epoch: str = ""
    seq: Number = 0


_header = msgspec.msgpack.Decoder(_Header)
_post = msgspec.msgpack.Decoder(Post)
_ask = msgspec.msgpack.Decoder(Ask)
_events = msgspec.msgpack.Decoder(Events)
_answer = msgspec.msgpack.Decoder(Answer)
_beat = msgspec.msgpack.Decoder(Beat)


def packed(epoch: str, number: int, units: Iterable[bytes]) -> bytes:
    """The encoded ``Post`` of units that were encoded each by itself."""
    return encode(_Packed(epoch, number, tuple(map(msgspec.Raw, units))))


T = TypeVar("T", Post, Ask, Events, Answer, Beat)


def _decode(decoder: "msgspec.msgpack.Decoder[T]", data: bytes, what: str) -> T:
    try:
        message = decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        version = number_of(data)[2]
        if version != VERSION:
            raise BadMessage(f"{what}: version {version} is not {VERSION}, which this side speaks; upgrade the older of the two") from error
        raise BadMessage(f"{what}: {error}") from error
    if message.v != VERSION:
        raise BadMessage(f"{what}: version {message.v} is not {VERSION}, which this side speaks; upgrade the older of the two")
    return message


def traced(events: bytes, trace: str) -> bytes:
    """Encoded ``Events`` with what they came of."""
    return encode(replace(decode_events(events), trace=trace))


def number_of(data: bytes) -> tuple[str, int, int]:
    """``(epoch, seq, v)`` of a post that may be otherwise unreadable; ``("", 0, VERSION)`` where not even these are there."""
    try:
        header = _header.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return "", 0, VERSION
    return header.epoch, header.seq, header.v


def decode_post(data: bytes) -> Post:
    """Bytes → ``Post``, or ``BadMessage`` that says what is wrong where."""
    return _decode(_post, data, "observation")


def decode_ask(data: bytes) -> Ask:
    """Bytes → ``Ask``, or ``BadMessage``."""
    return _decode(_ask, data, "query")


def decode_events(data: bytes) -> Events:
    """Bytes → ``Events``, or ``BadMessage``."""
    return _decode(_events, data, "event")


def decode_answer(data: bytes) -> Answer:
    """Bytes → ``Answer``, or ``BadMessage``."""
    return _decode(_answer, data, "answer")


def decode_beat(data: bytes) -> Beat:
    """Bytes → ``Beat``, or ``BadMessage``."""
    return _decode(_beat, data, "beat")
