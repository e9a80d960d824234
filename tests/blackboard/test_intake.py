"""Which messages of the log are applied."""

from collections import Counter

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard import intake as module
from blackboard.entry import Entry
from blackboard.intake import Intake
from blackboard.limits import Debt, Limits
from blackboard.store import DeadLetter
from bus import names
from bus.messages import (
    MAX_OBSERVATIONS,
    Confirm,
    Post,
    Unit,
    UseAll,
    encode,
)
from bus.port import LogMessage


def message(data: bytes, *, seq: int = 1, agent: str = "finance", stamp: float = 100.0) -> LogMessage:
    return LogMessage(seq, stamp, agent, data)


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


# ---- no faster than the board lets it ---------------------------------------------------------------------------------------------------

TEN = Limits(rate=10.0, burst=20.0)


def said(number: int, count: int, stamp: float, *, agent: str = "finance") -> LogMessage:
    """A post of so many observations in one unit."""
    return message(encode(Post("e", number, ((Confirm("i"),) * count,))), agent=agent, stamp=stamp)


def test_above_the_burst_an_agent_is_refused() -> None:
    """With the limits and the seconds to wait; the post's number is used up, and once the debt is paid off the next is applied."""
    intake = Intake({}, {}, lambda: TEN)
    assert isinstance(intake.take(said(1, 500, 0.0)), Entry), "where there is no debt, a unit of any size passes"
    letter = intake.take(said(2, 1, 10.0))
    assert isinstance(letter, DeadLetter)
    assert (letter.code, letter.epoch, letter.post) == ("TooFast", "e", 2)
    assert "10 observations a second and 20 more at once" in letter.error
    assert "400 ahead of that rate: say this again in 38 s" in letter.error
    assert intake.take(said(2, 1, 10.0)) is None
    assert isinstance(intake.take(said(3, 20, 48.1)), Entry)
    assert isinstance(intake.take(said(4, 1, 48.1)), DeadLetter)
    assert intake.owed("finance", 48.1) == pytest.approx(41.0)
    assert intake.moved().debts["finance"] == Debt(intake.owed("finance", 48.1), 48.1)
    assert isinstance(intake.take(said(1, 1, 48.1, agent="quiet")), Entry)


def test_bad_messages_count_and_repeated_ones_do_not() -> None:
    """A flood of what cannot be read is a flood, and a post that is sent again costs nothing."""
    intake = Intake({}, {}, lambda: TEN)
    codes = Counter(letter.code for _ in range(50) if isinstance(letter := intake.take(message(b"no", stamp=1.0)), DeadLetter))
    assert codes == {"BadMessage": 21, "TooFast": 29}
    intake = Intake({("finance", "e"): 4}, {}, lambda: TEN)
    assert [intake.take(post(3)) for _ in range(50)] == [None] * 50
    assert intake.owed("finance", 100.0) == 0.0


def test_what_is_out_of_order_counts_as_one() -> None:
    """However many observations it has: none of them is applied."""
    intake = Intake({}, {}, lambda: TEN)
    assert isinstance(intake.take(message(encode(Post("e", 2, ((Confirm("i"),) * 5,))))), DeadLetter)
    assert intake.owed("finance", 100.0) == 1


def test_the_host_and_those_without_limits_speak_as_they_like() -> None:
    """The host's own voice is nobody's flood."""
    for intake, agent in ((Intake({}, {}, lambda: TEN), names.HOST), (Intake({}), "finance")):
        assert all(isinstance(intake.take(said(number, 100, 0.0, agent=agent)), Entry) for number in range(1, 50))
        assert intake.moved().debts == {}


def test_limits_may_change_between_two_messages() -> None:
    """What holds is what the board says when the message comes."""
    limits: list[Limits | None] = [TEN]
    intake = Intake({}, {}, lambda: limits[0])
    assert [type(intake.take(said(number, 15, 0.0))) for number in (1, 2, 3)] == [Entry, Entry, DeadLetter]
    limits[0] = Limits(10.0, 100.0)
    assert isinstance(intake.take(said(4, 1, 0.0)), Entry)


@pytest.mark.parametrize(
    "units",
    [
        ((),) * (MAX_OBSERVATIONS + 1),
        ((Confirm("i"),) * MAX_OBSERVATIONS, (Confirm("i"),)),
        ((Confirm("i"),) * (MAX_OBSERVATIONS + 1),),
        ((UseAll(("i",) * MAX_OBSERVATIONS, ("e",)),),),
    ],
)
def test_a_post_is_bounded(units: tuple[Unit, ...]) -> None:
    """However its observations are divided into units, and where they are none; its number is used up."""
    intake = Intake({})
    letter = intake.take(message(encode(Post("e", 1, units))))
    assert isinstance(letter, DeadLetter)
    assert "8,192" in letter.error or "8192" in letter.error
    assert isinstance(intake.take(post(2)), Entry)


# ---- epochs -----------------------------------------------------------------------------------------------------------------------------


def test_one_that_is_forgotten_in_the_batch_in_which_it_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not kept by that batch."""
    monkeypatch.setattr(module, "MAX_EPOCHS", 1)
    intake = Intake({})
    for epoch in "ab":
        assert isinstance(intake.take(post(1, epoch=epoch)), Entry)
    assert (intake.moved().marks, intake.moved().forgotten) == ({("finance", "b"): 1}, ())


def test_an_agent_s_epochs_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The one that was silent for longest goes, and no other agent's; the batch says so."""
    monkeypatch.setattr(module, "MAX_EPOCHS", 3)
    intake = Intake({("finance", "a"): 1, ("finance", "b"): 1, ("quiet", "z"): 1})
    for epoch, number in (("a", 2), ("c", 1), ("d", 1)):
        assert isinstance(intake.take(post(number, epoch=epoch)), Entry)
    moved = intake.moved()
    assert moved.forgotten == (("finance", "b"),)
    assert list(moved.marks.items()) == [(("finance", "a"), 2), (("finance", "c"), 1), (("finance", "d"), 1)]
    assert isinstance(intake.take(post(2, epoch="b")), DeadLetter)
    assert intake.take(post(2, epoch="a")) is None
    assert intake.take(post(1, epoch="z", agent="quiet")) is None


@given(st.lists(st.tuples(st.sampled_from("abcd"), st.integers(1, 3), st.integers(1, 30), st.floats(0, 3)), max_size=60), st.data())
def test_any_split_into_batches_decides_alike(course: list[tuple[str, int, int, float]], data: st.DataObject) -> None:
    """Whoever is opened again between two batches, from what was committed, goes on as one that never stopped."""
    messages, stamp = list[LogMessage](), 0.0
    for epoch, number, count, pause in course:
        stamp += pause
        messages.append(message(encode(Post(epoch, number, ((Confirm("i"),) * count,))), stamp=stamp))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "MAX_EPOCHS", 2)
        whole = Intake({}, {}, lambda: TEN)
        expected = [type(whole.take(each)) for each in messages]
        marks, debts = dict[tuple[str, str], int](), dict[str, Debt]()
        found: list[type] = []
        while len(found) < len(messages):
            count = data.draw(st.integers(1, 5))
            intake = Intake(marks, debts, lambda: TEN)
            found += [type(intake.take(each)) for each in messages[len(found) : len(found) + count]]
            moved = intake.moved()
            for who in (*moved.forgotten, *moved.marks):
                marks.pop(who, None)
            marks |= moved.marks
            debts |= moved.debts
        assert found == expected
