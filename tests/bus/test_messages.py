"""The structs on the wire."""

import msgspec
import pytest

from bus import messages as m
from bus.errors import BadMessage

BUDGET = m.Deposit(content="Budget: at most 50,000", kind="constraint", key="budget", op="<=", value=50_000, unit="CNY")
ACTS = (
    m.Confirm(item="i"),
    m.Reinforce(item="i", delta=0.5),
    m.Use(item="i"),
    m.UseAll(items=("i", "j"), edges=("e",)),
    m.Link(a="i", b="j"),
    m.Share(item="i"),
)
SCENTS = m.Scents(
    (m.Scent("price", 0.7, 0.9, "A1", [1, "EUR"], "price (A1): 1 EUR", "slot", asked=True), m.Scent("chatter", 0.1, 0.3)),
    "li", turn=False, scope="shared", settings=m.FieldSettings(max_rounds=12, core=("user_*",)),
)  # fmt: skip
TALK = ((SCENTS,), (m.BeginTask("order", "li"),), (m.EndTask(),))
POST = m.Post(epoch="e", seq=1, units=((BUDGET, m.EndRound(round=3)), ACTS, (m.Retract(item="i"), m.Tick()), *TALK))


def test_posts_come_back_as_they_went() -> None:
    """Every observation survives the wire."""
    assert m.decode_post(m.encode(POST)) == POST


def test_answers_and_events_come_back_as_they_went() -> None:
    """Replies and events survive the wire."""
    items = m.Items(items=(m.Item(id="i", content="x", kind="fact", strength=4.0),))
    answer = m.Answer(reply=items)
    assert m.decode_answer(m.encode(answer)) == answer
    hit = m.HitView(item=items.items[0], why=m.Why(0.5, ("x",), (m.Via("j", 0.2),), ("finance",)), score=0.4, edges=("e",))
    left = m.LeftOut(item=hit.item, reason="over budget")
    assembled = m.Answer(reply=m.Assembled(text="x", tokens=1, budget=2, prefix=1, chosen=(hit,), left_out=(left,), unlisted=3))
    assert m.decode_answer(m.encode(assembled)) == assembled
    change = m.Change(item="i", kind="fact", cause="deposit", old=0.0, new=4.0, by="finance")
    events = m.Events(n=1, t=0.0, changes=(change,), signals=(m.Signal(signal="rising", item="i", kind="fact"),))
    assert m.decode_events(m.encode(events)) == events
    ask = m.Ask(query=m.Applied(), epoch="e", seq=2)
    assert m.decode_ask(m.encode(ask)) == ask


NONSENSE = [b"", b"\xc1", b"\xff" * 9, msgspec.msgpack.encode([1]), msgspec.msgpack.encode({"epoch": "e"}), b"\x91" * 100_000]


@pytest.mark.parametrize("data", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense(data: bytes) -> None:
    """Bytes that are no message are a ``BadMessage``, whatever they are, however deep."""
    for decode in (m.decode_post, m.decode_ask, m.decode_events, m.decode_answer):
        with pytest.raises(BadMessage):
            decode(data)


def test_a_misspelt_field() -> None:
    """A field that an observation does not have is named."""
    unit = [{"type": "deposit", "content": "x", "strenght": 4.0}]
    with pytest.raises(BadMessage, match="strenght"):
        m.decode_post(msgspec.msgpack.encode({"epoch": "e", "seq": 1, "units": [unit]}))


def test_a_version_from_the_future() -> None:
    """A message of a later version says so, also where this side cannot read the rest, and its number can be told."""
    future = msgspec.msgpack.encode({"v": 2, "epoch": "e", "seq": 7, "units": [[{"type": "teleport"}]]})
    with pytest.raises(BadMessage, match="version 2"):
        m.decode_post(future)
    assert m.number_of(future) == ("e", 7, 2)


def test_what_a_unit_weighs() -> None:
    """Its observations; each thing that is used together counts by itself, and nobody says nothing for nothing."""
    assert m.weight(POST.units[0]) == 2
    assert m.weight((m.UseAll(("i", "j"), ("e",)), m.Tick())) == 4
    assert m.weight(()) == 1
    assert m.weight((m.UseAll(()),) * 3) == 3
    assert m.weight((SCENTS,)) == 2
    assert m.weight((m.Scents(()),)) == 1


def test_boards_are_read_leniently() -> None:
    """A field that a newer board adds does not stop an older client."""
    data = msgspec.msgpack.encode({"n": 1, "seq": 1, "t": 0.0, "changes": [], "mood": "fine"})
    assert m.decode_events(data).n == 1


def test_what_a_newer_board_tells_is_read_leniently() -> None:
    """A cause, a status and a field that this side does not know yet are no reason to be deaf."""
    change = {"type": "change", "item": "i", "kind": "fact", "cause": "dream", "old": 0.0, "new": 1.0, "mood": "calm"}
    events = m.decode_events(msgspec.msgpack.encode({"type": "events", "n": 1, "t": 0.0, "changes": [change], "weather": "fine"}))
    assert events.changes[0].cause == "dream"
    item = {"id": "i", "content": "x", "kind": "fact", "strength": 1.0, "status": "asleep"}
    answer = m.decode_answer(msgspec.msgpack.encode({"reply": {"type": "items", "items": [item]}}))
    assert answer.reply == m.Items((m.Item(id="i", content="x", kind="fact", strength=1.0, status="asleep"),))
