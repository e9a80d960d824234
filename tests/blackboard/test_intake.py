"""Which messages of the log are applied."""

import msgspec
import pytest

from blackboard.board import Entry
from blackboard.intake import Intake
from blackboard.store import DeadLetter
from bus.messages import Confirm, Post, encode
from bus.port import LogMessage


def message(data: bytes, *, seq: int = 1, agent: str = "finance") -> LogMessage:
    return LogMessage(seq, 100.0, agent, data)


def post(number: int, *, epoch: str = "e", agent: str = "finance") -> LogMessage:
    return message(encode(Post(epoch, number, ((Confirm("i"),),))), seq=number, agent=agent)


def test_posts_are_taken_in_order_and_once() -> None:
    """Number after number is applied; what comes again is nothing."""
    intake = Intake({("finance", "e"): 4})
    assert intake.take(post(4)) is None
    assert intake.take(post(5)) == Entry(5, 100.0, "finance", "e", 5, ((Confirm("i"),),))
    assert intake.take(post(5)) is None
    assert isinstance(intake.take(post(6)), Entry)
    assert intake.moved().marks == {("finance", "e"): 6}


def test_watermarks_are_the_channel_s() -> None:
    """One agent's epoch says nothing about another's of the same name."""
    intake = Intake({("finance", "e"): 4})
    assert isinstance(intake.take(post(1, agent="mallory")), Entry)
    assert intake.moved().marks == {("mallory", "e"): 1}


def test_a_gap_is_set_aside() -> None:
    """A number that does not follow moves nothing: when the missing one has come, it may come again."""
    intake = Intake({})
    letter = intake.take(post(2))
    assert isinstance(letter, DeadLetter)
    assert (letter.code, letter.error) == ("OutOfOrder", "post 2 of epoch 'e' came after 0: send 1 first")
    assert [type(intake.take(post(number))) for number in (1, 2)] == [Entry, Entry]


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "observation: Input data was truncated"),
        (b"\xc1 nonsense", "observation: MessagePack data is malformed"),
        (b"x" * 1000, "observation: Expected `object`"),
        (encode(Post("", 1, ())), "post 1 of epoch '': name an epoch"),
        (encode(Post("e", 0, ())), "post 0 of epoch 'e': name an epoch, and count from 1"),
        (encode(Post("e" * 65, 1, ())), "name an epoch"),
        (encode(Post("e", -5, ())), "post -5"),
    ],
)
def test_what_has_no_number_is_set_aside(data: bytes, said: str) -> None:
    """What cannot be told from other posts moves no watermark; the letter says what is wrong, and keeps the first bytes."""
    intake = Intake({})
    letter = intake.take(message(data))
    assert isinstance(letter, DeadLetter)
    assert letter.code == "BadMessage"
    assert said in letter.error
    assert letter.head == data[:256]
    assert intake.moved().marks == {}


@pytest.mark.parametrize(
    ("units", "version", "said"),
    [
        ([], 2, "version 2 is not 1"),
        ([[{"type": "levitate"}]], 1, "levitate"),
        ([[{"type": "confirm", "item": 7}]], 1, "Expected `str`, got `int`"),
        ([[{"type": "confirm", "item": "i", "delta": 1}]], 1, "unknown field `delta`"),
        ("none", 1, "Expected `array`, got `str`"),
    ],
)
def test_a_bad_post_uses_up_its_number(units: object, version: int, said: str) -> None:
    """A post that cannot be read is set aside with the reason, and the one behind it is applied."""
    intake = Intake({})
    letter = intake.take(message(msgspec.msgpack.encode({"epoch": "e", "seq": 1, "units": units, "v": version})))
    assert isinstance(letter, DeadLetter)
    assert said in letter.error
    assert isinstance(intake.take(post(2)), Entry)
