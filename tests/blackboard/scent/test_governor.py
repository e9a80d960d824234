"""Claims about balance and tasks."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blackboard.errors import BadValue
from blackboard.scent import ContextGovernor, FieldSettings, PheromoneField, RecallKernel, Scent, commerce, superpose, tutoring
from blackboard.scent.field import CORE, ROUND, STRONGEST
from blackboard.scent.governor import SNAPSHOTS
from blackboard.scent.traces import GovernorState
from tests.blackboard.scent.said import CHATTER, CONFIRMATION, CONTINUATION, directive, order, plain, rule, ship, slot


def governed(*messages: list[Scent]) -> ContextGovernor:
    """One into whose field these were released, a turn each."""
    governor = ContextGovernor(PheromoneField())
    for message in messages:
        governor.release(message)
    return governor


def standing(governor: ContextGovernor) -> dict[tuple[str, str | None], Any]:
    """What a field says: (type, target) → value."""
    return {(fact.type, fact.target): fact.value for fact in RecallKernel(governor.field).recall("*", 100)}


# ---- balance ----------------------------------------------------------------------------------------------------------------------------


def test_a_type_whose_sum_passes_the_cap_is_held_down() -> None:
    """By 0.7, in the field alone: its scents are as they were."""
    field = governed([plain("x", 1.0)] * 5).field
    assert field.diluted == set()
    full = field.concentration("x")
    governor = governed([plain("x", 1.0)] * 5 + [plain("x", 0.001)])
    assert governor.field.diluted == {"x"}
    assert governor.field.concentration("x") == pytest.approx(0.7 * full, rel=1e-3)
    assert governor.field.sums()["x"] == 5.001


def test_it_is_held_down_once() -> None:
    """However long it stays above, and by whichever rule."""
    governor = governed(*[[plain("x", 1.0)] * 16 + [plain("a", 0.1), plain("b", 0.1)]] * 4)
    assert governor.field.concentration("x") == pytest.approx(0.7 * PheromoneField.restore(_undiluted(governor)).concentration("x"))


def _undiluted(governor: ContextGovernor) -> Any:
    return msgspec.structs.replace(governor.field.dump(), diluted=())


def test_one_of_three_that_holds_most_is_held_down() -> None:
    """More than 80 % of the whole; of two none is."""
    assert governed([plain("x", 0.9), plain("a", 0.01)]).field.diluted == set()
    assert governed([plain("x", 0.9), plain("a", 0.01), plain("b", 0.01)]).field.diluted == {"x"}
    assert governed([plain("x", 0.8), plain("a", 0.1), plain("b", 0.1)]).field.diluted == set()


def test_that_others_fade_may_be_enough() -> None:
    """Shares are of what is there now."""
    governor = governed([plain("x", 0.5), Scent("a", 0.3, 0.1), Scent("b", 0.3, 0.1)])
    assert governor.field.diluted == set()
    governor.release([])
    assert governor.field.diluted == {"x"}


def test_it_stays_held_down_until_it_has_left_the_field() -> None:
    """Then it begins anew."""
    governor = governed([Scent("x", 0.9, 0.1), plain("a", 0.01), plain("b", 0.01)])
    for _ in range(commerce.max_rounds - 1):
        governor.release([plain("a", 0.5), plain("b", 0.5)])
        assert governor.field.diluted == {"x"}
    governor.release([plain("a", 0.5)])
    assert governor.field.diluted == set()
    governor.release([plain("x", 0.3)])
    assert governor.field.concentration("x") == 0.3


def test_the_core_is_not_held_down() -> None:
    """It counts towards the whole."""
    assert governed([slot("user_id", "u1"), plain("a", 0.01), plain("b", 0.01)]).field.diluted == set()


# ---- tasks ------------------------------------------------------------------------------------------------------------------------------


def test_another_task_begins_with_the_core_alone() -> None:
    """And has a name."""
    governor = governed([slot("user_id", "u1"), ship("Beijing")])
    governor.begin_task("invoice")
    assert governor.field.types == ["user_id"]
    assert governor.field.task == "invoice"


def test_a_snapshot_has_what_stands_of_the_strong_types() -> None:
    """One scent for each thing that stands, as strong as it is in the end; and the core."""
    governor = governed(
        [slot("user_id", "u1"), ship("Shanghai"), order("A1")],
        [plain("general", 0.4, 0.75), ship("Beijing"), Scent("topic", 0.2, 0.5, "parcel")],
        [CHATTER],
    )
    governor.field.task = "parcel"
    snapshot = governor.end_task()
    assert [(each.type, each.value) for each in snapshot.scents] == [
        ("user_id", "u1"),
        ("order_reference", "A1"),
        ("shipping_address", "Beijing"),
    ]
    assert [each.concentration for each in snapshot.scents] == pytest.approx([0.75, 0.7 * 0.88**2, 0.75 * 0.9])
    assert (snapshot.task, snapshot.round) == ("parcel", 3)
    assert governor.snapshots == (snapshot,)
    assert governor.field.task is None
    assert "shipping_address" in governor.field.types


def test_the_core_is_in_a_snapshot_however_weak() -> None:
    """It is what it is."""
    core = [slot("user_id", "u1", concentration=0.1), ship("Beijing")]
    assert [each.value for each in governed(core).end_task().scents] == ["u1", "Beijing"]


def test_a_snapshot_has_no_more_than_a_round() -> None:
    """The strongest, beside the core."""
    rounds = [
        [slot(f"t{n}", n, concentration=0.5 + (r + n) / 1000, decay=1.0) for n in range(r * ROUND, (r + 1) * ROUND)] for r in range(2)
    ]
    scents = governed([slot("user_id", "u1")], *rounds).end_task().scents
    assert [each.value for each in scents] == ["u1", *range(ROUND, 2 * ROUND)]


def test_what_was_strong_within_three_rounds_is_kept() -> None:
    """Whenever it was said: what counts is how strong its type was in one of them."""
    fading = [slot("name", "Li", concentration=0.9, decay=0.5)]
    assert [len(governed(fading, *[[]] * rounds).end_task().scents) for rounds in range(5)] == [1, 1, 1, 1, 0]
    slow = [directive("cancel", "cancel it")]
    assert len(governed(slow, *[[]] * 7).end_task().scents) == 1


def test_a_weak_scent_comes_along_with_its_strong_type() -> None:
    """As weak as it is; so it does where several make the type strong together."""
    weak, strong = slot("name", "Li", concentration=0.1, target="A1"), slot("name", "Wang", concentration=0.5, target="B2")
    assert [each.concentration for each in governed([weak, strong]).end_task().scents] == [0.1, 0.5]
    together = [slot("name", f"name {n}", concentration=0.2, target=str(n)) for n in range(3)]
    assert len(governed(together).end_task().scents) == 3


def test_what_was_said_often_is_one_scent() -> None:
    """As strong as all that say it, and at most 1: a snapshot has no history."""
    often = [slot("name", "Li", concentration=0.2, decay=0.9)]
    (scent,) = governed(often, often, often).end_task().scents
    assert scent.concentration == pytest.approx(superpose([0.2, 0.18, 0.162], 1.2))
    assert [each.concentration for each in governed(*[often] * 6, often * 9).end_task().scents] == [1.0]


def test_at_the_threshold_a_type_is_not_strong() -> None:
    """Above it, it is."""
    assert governed([slot("name", "Li", concentration=0.4)]).end_task().scents == ()
    assert len(governed([slot("name", "Li", concentration=0.41)]).end_task().scents) == 1


def test_a_continuation_brings_back_what_the_last_task_ended_with() -> None:
    """At 0.8 of its strength and no less than the threshold, in one class of decay."""
    governor = governed([order("A1"), slot("name", "Li", concentration=1.0)], [], [directive("cancel", "cancel it", target="A1")])
    governor.begin_task("another")
    assert standing(governor) == {}
    released = governor.release([CONTINUATION])
    assert [(each.type, each.value, each.decay) for each in released] == [
        ("order_reference", "A1", 0.92),
        ("name", "Li", 0.92),
        ("directive", "cancel", 0.92),
    ]
    assert [each.concentration for each in released] == pytest.approx([0.5, 0.8 * 0.81, 0.68])
    assert standing(governor) == {("order_reference", "A1"): "A1", ("name", None): "Li", ("directive", "A1"): "cancel"}
    governor.release([])
    assert governor.field.concentration("directive") == pytest.approx(0.68 * 0.92)


def test_what_is_brought_back_stands_in_the_place_of_the_continuation() -> None:
    """And gives no value to a slot that the message itself fills, wherever it does."""
    for place in (0, 1, 2):
        governor = governed([ship("Beijing"), slot("name", "Li")])
        governor.begin_task("another")
        message = [ship("Tianjin"), plain("general", 0.3)]
        message.insert(place, CONTINUATION)
        released = governor.release(message)
        assert [each.value for each in released if each.value] == (["Tianjin", "Li"] if place else ["Li", "Tianjin"])


def test_a_request_of_before_is_not_made_again() -> None:
    """It is brought back as a question, until a yes makes it."""
    request = directive("cancel", "cancel it", target="A1")
    governor = governed([request, ship("Beijing")])
    governor.begin_task("another")
    assert {each.type: each.asked for each in governor.release([CONTINUATION])} == {"directive": True, "shipping_address": False}
    assert [each.asked for each in governor.release([CONFIRMATION])] == [False, False]


@pytest.mark.parametrize(
    ("first", "again"),
    [("Ship order #A1001 to 12 Nanjing Road, Shanghai", "Continue with the order from before"), ("订单A1001发到北京", "接着刚才的订单")],
)
def test_texts_of_chapter_three(first: str, again: str) -> None:
    """A task is left, and gone on with, in words."""
    governor = ContextGovernor(PheromoneField())
    governor.observe(first)
    governor.begin_task("another")
    governor.observe("嗯")
    assert standing(governor) == {}
    governor.observe(again)
    assert standing(governor)["order_reference", "A1001"] == "A1001"
    assert ("shipping_address", "A1001") in standing(governor)
    assert (governor.field.focus, governor.field.round) == ("A1001", 3)


def test_the_conversation_is_about_the_same_again() -> None:
    """Its topic and its order, and the task, if no other runs."""
    for other, task in ((None, "parcel"), ("invoice", "invoice")):
        governor = governed(
            [Scent("topic", 0.9, 0.5, "hotel"), Scent("topic", 0.2, 0.5, "parcel"), order("A1"), ship("Beijing")], [order("B2")]
        )
        governor.field.task = "parcel"
        governor.begin_task("another")
        governor.field.task = other
        assert (governor.field.topic, governor.field.focus) == (None, None)
        governor.release([CONTINUATION])
        assert (governor.field.topic, governor.field.focus, governor.field.task) == ("parcel", "B2", task)


def test_what_a_task_was_about_is_brought_back_however_long_ago_it_was_named() -> None:
    """Who goes on with a task names it; what stood of it comes once, as strong as it stood."""
    for rounds, concentration in ((1, 0.5), (6, 0.56), (20, 0.56)):
        governor = governed([order("A1")], *[[]] * rounds, [ship("Beijing", target="A1")])
        governor.begin_task("another")
        orders = [each for each in governor.release([CONTINUATION]) if each.type == "order_reference"]
        assert [each.concentration for each in orders] == [pytest.approx(concentration)]


def test_what_is_named_is_what_it_is_about() -> None:
    """Before the continuation or behind it, and whatever else the task before was about."""
    hotel, taxi = Scent("topic", 0.9, 0.9, "hotel"), Scent("topic", 0.9, 0.9, "taxi")
    for message in ([order("A1"), taxi, CONTINUATION], [CONTINUATION, order("A1"), taxi]):
        governor = governed([order("A1"), hotel, order("B2"), ship("Beijing", target="B2")])
        governor.begin_task("another")
        governor.release(message)
        assert (governor.field.focus, governor.field.topic) == ("A1", "taxi")


def test_the_order_that_is_named_says_which_task() -> None:
    """Of several the latest that knows it; it is what the conversation is about then. What no task knows brings nothing back."""
    governor = governed([order("A1"), ship("Beijing")])
    governor.begin_task("second")
    governor.release([order("B2"), ship("Tianjin")])
    governor.begin_task("third")
    assert [each.value for each in governor.release([CONTINUATION, order("X9")])] == ["X9"]
    assert "Beijing" in [each.value for each in governor.release([order("A1"), CONTINUATION])]
    governor.begin_task("fourth")
    assert "Beijing" in [each.value for each in governor.release([CONTINUATION])]
    governor.begin_task("fifth")
    assert "Tianjin" in [each.value for each in governor.release([order("B2"), CONTINUATION])]
    assert governor.field.focus == "B2"


def test_without_a_task_before_a_continuation_brings_nothing() -> None:
    """It is no error."""
    assert governed().release([CONTINUATION, plain("general", 0.3)]) == [plain("general", 0.3)]


@pytest.mark.parametrize("named", [True, False])
def test_a_task_that_was_not_ended_is_not_lost(named: bool) -> None:
    """Whether it had a name or not."""
    governor = governed()
    if named:
        governor.begin_task("parcel")
    governor.release([ship("Beijing")])
    governor.begin_task("another")
    assert [each.task for each in governor.snapshots] == ["parcel" if named else ""]


def test_small_talk_before_another_task_loses_nothing() -> None:
    """What was said before it is kept."""
    governor = governed([ship("Beijing")], [CHATTER])
    governor.begin_task("another")
    assert len(governor.snapshots) == 1


def test_a_task_without_a_name_goes_on_without_one() -> None:
    """It has none, as before."""
    governor = governed([ship("Beijing")])
    governor.end_task()
    governor.release([CONTINUATION])
    assert governor.field.task is None


def test_a_task_that_was_ended_is_not_ended_again() -> None:
    """Thanks after its end make no task; what is said after it does."""
    governor = governed([ship("Beijing")])
    governor.end_task()
    governor.release([CHATTER])
    governor.begin_task("second")
    assert len(governor.snapshots) == 1
    governor.release([ship("Tianjin")])
    governor.end_task()
    governor.release([slot("name", "Li")])
    governor.begin_task("third")
    assert [sorted(str(scent.value) for scent in each.scents) for each in governor.snapshots] == [
        ["Li", "Tianjin"],
        ["Tianjin"],
        ["Beijing"],
    ]


def test_a_task_with_nothing_to_go_on_with_is_not_continued() -> None:
    """Small talk and the core alone: the one before it is."""
    governor = governed([ship("Beijing")])
    governor.begin_task("talk")
    governor.release([plain("general", 0.6), slot("user_id", "u1")])
    assert [each.type for each in governor.end_task().scents] == ["general", "user_id"]
    assert "Beijing" in [each.value for each in governor.release([CONTINUATION])]


def test_the_latest_tasks_can_be_continued() -> None:
    """The latest first, and so many."""
    governor = governed()
    for n in range(SNAPSHOTS + 3):
        governor.begin_task(f"task {n}")
        governor.release([ship(f"address {n}")])
    governor.end_task()
    assert [each.task for each in governor.snapshots] == [f"task {n}" for n in range(SNAPSHOTS + 2, 2, -1)]


def test_a_core_value_that_has_changed_is_not_brought_back() -> None:
    """One that is there no more is, as it was."""
    levels = [slot("account_level", "gold", target="host"), slot("account_level", "silver", target="guest")]
    governor = governed([slot("language", "zh"), *levels, ship("Beijing")])
    governor.end_task()
    governor.field.forget(lambda scent: scent.value == "gold")
    governor.begin_task("another")
    governor.release([slot("language", "en")])
    released = governor.release([CONTINUATION])
    assert [(each.value, each.concentration) for each in released] == [("gold", 0.75), ("Beijing", pytest.approx(0.6))]
    facts = RecallKernel(governor.field).recall("*")
    assert {fact.value: fact.confirm for fact in facts} == {"en": False, "gold": False, "silver": False, "Beijing": True}


def test_a_message_that_is_refused_changes_nothing() -> None:
    """Also where it would bring something back."""
    governor = governed([order("A1"), ship("Beijing")])
    governor.begin_task("another")
    before = governor.dump()
    with pytest.raises(BadValue):
        governor.release([CONTINUATION, Scent("x", 2.0, 0.5)])
    assert governor.dump() == before


def test_what_is_forgotten_is_in_no_snapshot() -> None:
    """One that has nothing left to go on with is gone."""
    governor = governed([ship("Beijing"), order("A1"), plain("general", 0.6), slot("user_id", "u1")])
    governor.begin_task("second")
    governor.release([ship("Beijing")])
    governor.begin_task("third")
    governor.forget(lambda scent: scent.value == "Beijing")
    assert "Beijing" not in str(governor.dump())
    assert [[each.value for each in snapshot.scents] for snapshot in governor.snapshots] == [["A1", None, "u1"]]
    governor.forget(lambda scent: scent.value == "A1")
    assert "A1" not in str(governor.dump())
    assert governor.snapshots == ()


def test_what_is_forgotten_is_not_what_a_task_was_about() -> None:
    """Though the rest of it can be continued."""
    governor = governed([order("A1"), ship("Beijing")])
    governor.begin_task("second")
    governor.forget(lambda scent: scent.value == "A1")
    assert "A1" not in str(governor.dump())
    governor.release([CONTINUATION])
    assert governor.field.focus is None


def test_types_are_renamed_in_snapshots_too() -> None:
    """So that what is brought back is of the new name."""
    governor = governed([slot("address", "Beijing")])
    governor.begin_task("second")
    governor.release([slot("address", "Tianjin")])
    governor.rename("address", "shipping_address")
    assert governor.field.types == ["shipping_address"]
    assert [each.type for each in governor.release([CONTINUATION])] == ["shipping_address"]


# ---- any conversation -------------------------------------------------------------------------------------------------------------------

TARGETS = st.sampled_from([None, "A1", "B2"])
SHARES = st.floats(0, 1)
SLOTS = st.builds(
    slot,
    st.sampled_from(["shipping_address", "billing_address", "order_reference", "user_id", "language"]),
    st.sampled_from(["x", "y", 3, ["x", "y"]]),
    concentration=SHARES,
    decay=SHARES,
    target=TARGETS,
    asked=st.booleans(),
)
DIRECTIVES = st.builds(
    directive, st.sampled_from(["cancel", "change"]), st.sampled_from(["do it", "do that"]), target=TARGETS, asked=st.booleans()
)
PLAIN = st.builds(Scent, st.sampled_from(["general", "chatter", "error_log", "topic"]), SHARES, SHARES, TARGETS)
MANY = st.builds(lambda n, c: [slot(f"t{k % 70}", k, concentration=c, target=str(k)) for k in range(n)], st.integers(0, 150), SHARES)
FLOOD = st.builds(lambda n: [slot("shipping_address", k, concentration=k / 40, target=str(k % 19)) for k in range(n)], st.integers(0, 40))
MESSAGES = st.lists(SLOTS | DIRECTIVES | PLAIN | st.sampled_from([CONFIRMATION, CONTINUATION, CHATTER]), max_size=6) | MANY | FLOOD
SETTINGS = st.sampled_from([commerce, tutoring, FieldSettings(max_rounds=4, core=("user_*", "shipping_address"))])
STEPS = st.lists(
    st.tuples(st.just("release"), MESSAGES, st.booleans())
    | st.tuples(st.just("begin"), st.sampled_from(["a", "b"]), st.none())
    | st.tuples(st.just("end"), st.none(), st.none())
    | st.tuples(st.just("settings"), SETTINGS, st.none())
    | st.tuples(st.just("forget"), st.sampled_from(["x", 3]), st.none())
    | st.tuples(st.just("rename"), st.sampled_from(["shipping_address", "directive"]), st.sampled_from(["billing_address", "general"])),
    max_size=25,
)


def do(governor: ContextGovernor, step: tuple[str, Any, Any]) -> object:
    """One step of a conversation, and what came of it."""
    match step:
        case ("release", message, turn):
            return governor.release(message, turn=turn)
        case ("begin", task, _):
            governor.begin_task(task)
        case ("end", _, _):
            return governor.end_task()
        case ("settings", chosen, _):
            governor.field.settings = chosen
        case ("forget", value, _):
            governor.forget(lambda scent: scent.value == value)
        case (_, old, new):
            governor.rename(old, new)
    return None


@settings(max_examples=300, deadline=None)
@given(STEPS)
def test_any_conversation_goes_on_as_it_was_kept_within_its_bounds(steps: list[tuple[str, Any, Any]]) -> None:
    """Put down and taken up after each step it gives the same, to the bit; concentrations are from 0 to 1; all stays bounded."""
    whole, pieces = governed(), governed()
    for step in steps:
        assert do(pieces, step) == do(whole, step)
        encoded = msgspec.msgpack.encode(whole.dump())
        pieces = ContextGovernor.restore(msgspec.msgpack.decode(msgspec.msgpack.encode(pieces.dump()), type=GovernorState))
        assert msgspec.msgpack.encode(pieces.dump()) == encoded
        assert list(pieces.field.concentrations().items()) == list(whole.field.concentrations().items())
        assert RecallKernel(pieces.field).recall("*") == RecallKernel(whole.field).recall("*")

        field = whole.field
        assert len(whole.snapshots) <= SNAPSHOTS
        assert all(len(each.scents) <= ROUND + CORE for each in whole.snapshots)
        assert all(0 <= field.strength(trace) <= 1 for type_ in field.types for trace in field.traces(type_))
        assert all(
            trace.round > field.round - field.settings.max_rounds
            for type_ in field.types
            for trace in field.traces(type_)
            if not field.is_core(type_)
        )
        assert field.diluted <= set(field.types)
        rounds = [trace.round for type_ in field.types for trace in field.traces(type_) if not field.is_core(type_)]
        assert max((rounds.count(each) for each in set(rounds)), default=0) <= ROUND
        for type_ in field.types:
            rounds = [trace.round for trace in field.traces(type_)]
            assert field.is_core(type_) or max(rounds.count(each) for each in rounds) <= STRONGEST


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(MESSAGES, st.booleans()), max_size=12))
def test_no_outdated_value_is_ever_recalled(messages: list[tuple[list[Scent], bool]]) -> None:
    """What is recalled of a slot is what was released last of it, or nothing."""
    governor, last = governed(), dict[tuple[str, str | None], Any]()
    for message, turn in messages:
        for scent in governor.release(message, turn=turn):
            if scent.kind == "slot":
                last[scent.type, scent.target] = scent.value
        for type_ in governor.field.types:
            for fact in RecallKernel(governor.field).known(type_):
                assert (type_, fact.target) not in last or fact.value == last[type_, fact.target]


def test_what_is_said_of_one_order_is_brought_back_beside_the_same_of_another() -> None:
    """The same words of another order state it of that one alone."""
    governor = governed([rule("keep", "keep it", target="A1")])
    governor.begin_task("another")
    governor.release([rule("keep", "keep it", target="B2")])
    assert [each.target for each in governor.release([CONTINUATION])] == ["A1"]


def test_to_go_on_twice_states_nothing_anew() -> None:
    """What is back already is no surer by it; what has faded since comes back again."""
    governor = governed([ship("Beijing")])
    governor.begin_task("another")
    governor.release([CONTINUATION])
    [fact] = RecallKernel(governor.field).recall("shipping_address")
    assert fact.confidence == pytest.approx(0.6)
    assert governor.release([CONTINUATION]) == []
    [fact] = RecallKernel(governor.field).recall("shipping_address")
    assert fact.confidence == pytest.approx(0.6 * 0.92)
    assert fact.confirm
    governor.release([CHATTER])
    governor.release([CHATTER])
    assert governor.release([CONTINUATION]) != []
