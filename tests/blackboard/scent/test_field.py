"""Claims about the field of one conversation."""

from math import nan

import pytest

from blackboard.errors import BadValue
from blackboard.scent import FieldSettings, PheromoneField, RecallKernel, Scent, commerce, superpose, tutoring
from blackboard.scent.field import ANSWERABLE, CORE, ROUND, STRONGEST
from blackboard.scent.traces import says
from tests.blackboard.scent.said import CHATTER, CONFIRMATION, CONTINUATION, directive, order, plain, ship, slot


def passed(rounds: int, *scents: Scent, settings: FieldSettings = commerce) -> PheromoneField:
    """A field so many rounds after these were released."""
    field = PheromoneField(settings)
    field.release(scents)
    for _ in range(rounds):
        field.release([])
    return field


def values(field: PheromoneField, type_: str) -> list[object]:
    """What the scents of a type say, the newest first."""
    return [trace.scent.value for trace in field.traces(type_)]


# ---- decay ------------------------------------------------------------------------------------------------------------------------------


def test_each_decays_by_its_own_factor() -> None:
    """Five rounds of 0.95 leave 0.7738 of a directive, five of 0.90 leave 0.5905 of an address, whatever came between."""
    field = passed(0, Scent("directive", 1.0, 0.95), Scent("shipping_address", 1.0, 0.90))
    for _ in range(5):
        field.release([plain("noise", 0.1, 0.3)])
    assert field.concentration("directive") == pytest.approx(0.7738, abs=5e-5)
    assert field.concentration("shipping_address") == pytest.approx(0.5905, abs=5e-5)


def test_those_of_one_type_keep_their_own_factors() -> None:
    """A fast one that arrives later does not hasten a slow one, nor the other way round."""
    field = passed(0, Scent("x", 0.8, 0.9))
    field.release([Scent("x", 0.5, 0.3)])
    field.release([])
    assert field.concentration("x") == pytest.approx(superpose([0.8 * 0.9**2, 0.5 * 0.3], 1.2), abs=1e-12)


@pytest.mark.parametrize("settings", [commerce, tutoring])
def test_scents_of_a_type_are_superposed(settings: FieldSettings) -> None:
    """With the sharpness of the settings."""
    field = passed(0, *[plain("x", 0.1)] * 10, settings=settings)
    assert field.concentration("x") == superpose([0.1] * 10, settings.sharpness)
    assert field.concentration("unknown") == 0


def test_concentrations_come_strongest_first() -> None:
    """Of equals by name."""
    field = passed(0, plain("b", 0.2), plain("c", 0.9), plain("a", 0.2))
    assert list(field.concentrations().items()) == [("c", 0.9), ("a", 0.2), ("b", 0.2)]
    assert field.sums() == {"a": 0.2, "b": 0.2, "c": 0.9}


@pytest.mark.parametrize(
    "scent", [Scent("x", 1.01, 0.9), Scent("x", -0.1, 0.9), Scent("x", nan, 0.9), Scent("x", 0.5, 1.1), Scent("x", 0.5, nan)]
)
def test_what_no_scent_can_be_is_refused_as_a_whole(scent: Scent) -> None:
    """No concentration is ever above 1; the message leaves no trace."""
    field = PheromoneField()
    before = field.dump()
    with pytest.raises(BadValue, match="not from 0 to 1"):
        field.release([ship("Beijing"), scent])
    assert field.dump() == before


# ---- rounds and bounds ------------------------------------------------------------------------------------------------------------------


def test_a_turn_begins_a_round() -> None:
    """A reply and a line of a log belong to the one that runs."""
    field = PheromoneField()
    field.release([plain("x", 0.5)], turn=False)
    assert field.round == 0
    field.release([])
    field.release([plain("x", 0.5)], turn=False)
    assert field.round == 1
    assert [trace.round for trace in field.traces("x")] == [1, 0]


@pytest.mark.parametrize("settings", [commerce, tutoring])
def test_it_remembers_so_many_rounds(settings: FieldSettings) -> None:
    """The one that runs is one of them."""
    assert passed(settings.max_rounds - 1, plain("x", 0.5), settings=settings).types == ["x"]
    assert passed(settings.max_rounds, plain("x", 0.5), settings=settings).types == []


def test_of_a_type_and_round_the_strongest_stay() -> None:
    """In the order of release."""
    shades = [n / 100 for n in (5, 40, 3, *range(41, 60), 4)]
    field = passed(0, *(Scent("note", shade, 1.0, content=f"note {n}") for n, shade in enumerate(shades)))
    kept = [trace.scent.concentration for trace in field.traces("note")][::-1]
    assert kept == [shade for shade in shades if shade in sorted(shades)[-STRONGEST:]]


def test_the_newest_value_stays_however_weak() -> None:
    """What it superseded goes first: no outdated value is left standing."""
    field = passed(0, *(ship(f"Shanghai {n}") for n in range(STRONGEST)), slot("shipping_address", "Beijing", concentration=0.1))
    assert values(field, "shipping_address")[0] == "Beijing"
    assert len(values(field, "shipping_address")) == STRONGEST


def test_a_slot_whose_newest_value_has_to_go_is_empty() -> None:
    """Its older value does not come back."""
    field = passed(0, ship("Shanghai", target="A1"), ship("Tianjin", target="A2"))
    weak = slot("shipping_address", "Beijing", concentration=0.1, target="A1")
    field.release([weak, *(ship("Xi'an", target=f"B{n}") for n in range(STRONGEST))])
    assert {trace.scent.target for trace in field.traces("shipping_address")} == {"A2", *(f"B{n}" for n in range(STRONGEST))}


def test_a_slot_that_is_left_without_a_scent_leaves_the_field() -> None:
    """Also where its type had no other in an earlier round."""
    field = passed(0, ship("Shanghai", target="A1"))
    field.release(
        [slot("shipping_address", "Beijing", concentration=0.1, target="A1"), *(ship("x", target=f"B{n}") for n in range(STRONGEST))]
    )
    assert [trace.round for trace in field.traces("shipping_address")] == [2] * STRONGEST


def test_of_a_round_the_strongest_stay() -> None:
    """Of whichever types; of equals the later."""
    field = passed(0, plain("weak", 0.1), *(plain(f"t{n}", 0.2) for n in range(ROUND - 1)), plain("strong", 0.9), plain("late", 0.2))
    assert len(field.types) == ROUND
    assert not {"weak", "t0"} & set(field.types)
    assert {"strong", "late", "t1"} <= set(field.types)
    field = passed(0, *(plain(f"t{n}", 0.2) for n in range(ROUND)), plain("t0", 0.2), plain("late", 0.2))
    assert {"t0", "t2", "late"} <= set(field.types)
    assert "t1" not in field.types


def test_a_full_round_has_the_newest_value_whatever_its_type_s_place() -> None:
    """What was said last is last, also where another type came first."""
    others = [plain(f"t{n}", 0.9) for n in range(ROUND - 2)]
    field = passed(0, ship("Shanghai"), *others, slot("name", "Li"), slot("shipping_address", "Beijing", concentration=0.1))
    assert values(field, "shipping_address") == ["Beijing"]


def test_in_a_full_round_too_no_older_value_comes_back() -> None:
    """Not even of an earlier round."""
    field = passed(0, ship("Shanghai"), slot("name", "Li"))
    field.release([slot("shipping_address", "Beijing", concentration=0.1), *(plain(f"t{n}", 0.2) for n in range(ROUND))])
    assert "shipping_address" not in field.types
    assert values(field, "name") == ["Li"]


def test_what_goes_for_another_name_takes_nothing_newer_along() -> None:
    """An older round that becomes too full by it leaves what was said since as it is."""
    field = passed(0, slot("address", "Shanghai", concentration=0.1, target="A1"), *(ship("x", target=f"B{n}") for n in range(STRONGEST)))
    field.release([ship("Beijing", target="A1")])
    field.rename("address", "shipping_address")
    assert [trace.scent.value for trace in field.traces("shipping_address") if trace.scent.target == "A1"] == ["Beijing"]


def test_notes_that_go_take_none_of_an_earlier_round_along() -> None:
    """They give no slot a value, so none supersedes another."""
    field = passed(0, Scent("note", 0.5, 1.0, content="first"))
    field.release([Scent("note", 0.5 + n / 100, 1.0, content=f"{n}") for n in range(STRONGEST + 1)])
    field.release([*(Scent("note", 0.5, 1.0, value=n, target=str(n)) for n in range(STRONGEST)), Scent("note", 0.1, 1.0, content="weak")])
    assert "first" in [trace.scent.content for trace in field.traces("note")]


def test_it_grows_no_larger() -> None:
    """Whatever comes: also replies for ever, within one round."""
    field = PheromoneField()
    for n in range(2_000):
        field.release([plain(f"t{n * k % 97}", (n * k % 101) / 100) for k in range(1, 9)], turn=n % 20 == 0)
        assert len(field.dump().traces) <= ROUND * commerce.max_rounds
    for n in range(5_000):
        field.release([slot(f"t{n % 97}", n, target=str(n % 31)), slot("user_id", n, target=str(n))], turn=False)
    latest = range(5_000 - CORE, 5_000)
    state = field.dump()
    assert len(state.traces) <= ROUND * commerce.max_rounds + CORE
    assert len([trace for trace in state.traces if trace.round == field.round and trace.scent.type != "user_id"]) == ROUND
    assert sorted(trace.scent.target or "" for trace in field.traces("user_id")) == sorted(str(n) for n in latest)
    field.release([directive("cancel", f"cancel {n}") for n in range(ANSWERABLE + 9)])
    assert [each.content for each in field.dump().pending] == [f"cancel {n}" for n in range(9, ANSWERABLE + 9)]


# ---- what is asked, and confirmed -------------------------------------------------------------------------------------------------------


def test_what_was_released_is_returned_in_order() -> None:
    """Several values of a slot, too."""
    said = [ship("Shanghai"), plain("general", 0.3), ship("Beijing")]
    assert PheromoneField().release(said) == said


def test_what_is_asked_waits_for_an_answer() -> None:
    """It is not released, and a yes releases it."""
    field = PheromoneField()
    assert field.release([ship("Beijing", asked=True)]) == []
    assert field.types == []
    assert field.release([CONFIRMATION]) == [ship("Beijing")]
    assert values(field, "shipping_address") == ["Beijing"]


@pytest.mark.parametrize("asked_by_reply", [True, False])
def test_a_yes_confirms_the_message_before(asked_by_reply: bool) -> None:
    """A reply of the round before, or the user's own question."""
    field = passed(0, ship("Shanghai"))
    field.release([ship("Beijing", asked=True)], turn=not asked_by_reply)
    assert field.release([CONFIRMATION]) == [ship("Beijing")]


def test_what_a_reply_asks_for_is_an_offer() -> None:
    """ "You can cancel it any time" is no request, until the user says yes; a value or a rule in a reply is told."""
    rule = Scent("directive", 0.85, 0.95, None, "never", "never open it", "constraint")
    field = passed(0)
    assert field.release([directive("cancel", "cancel it"), rule, ship("Beijing")], turn=False) == [rule, ship("Beijing")]
    assert field.release([CONFIRMATION]) == [directive("cancel", "cancel it"), rule, ship("Beijing")]
    assert field.release([directive("cancel", "cancel it")]) == [directive("cancel", "cancel it")]


def test_a_reply_that_confirms_belongs_to_the_same_round() -> None:
    """It releases again what the user stated."""
    field = passed(0, ship("Beijing"))
    assert field.release([CONFIRMATION], turn=False) == [ship("Beijing")]
    assert [trace.round for trace in field.traces("shipping_address")] == [1, 1]


def test_what_is_confirmed_is_as_strong_as_when_it_was_said() -> None:
    """And of the round that runs."""
    field = passed(0, ship("Beijing"), directive("cancel", "cancel it"), plain("general", 0.4))
    assert field.release([CONFIRMATION]) == [ship("Beijing"), directive("cancel", "cancel it")]
    assert [trace.round for trace in field.traces("shipping_address")] == [2, 1]
    assert field.concentration("shipping_address") == superpose([0.75, 0.75 * 0.9], 1.2)


@pytest.mark.parametrize("between", [[], [CHATTER], [plain("general", 0.4)], [ship("Xi'an")]])
def test_nothing_of_two_messages_back_is_confirmed(between: list[Scent]) -> None:
    """Neither what was stated nor what was asked."""
    field = passed(0, ship("Shanghai"), directive("cancel", "cancel it", asked=True))
    field.release(between)
    assert field.release([CONFIRMATION]) == [each for each in between if says(each)]


@pytest.mark.parametrize("between", [[], [plain("error_log", 0.3, 0.1)], [plain("general", 0.4)], [CHATTER]])
def test_a_line_that_says_nothing_does_not_stand_between(between: list[Scent]) -> None:
    """Of a log, or "is that right?" as a reply."""
    field = passed(0, ship("Beijing"))
    field.release(between, turn=False)
    assert field.release([CONFIRMATION]) == [ship("Beijing")]


def test_there_may_be_nothing_to_confirm() -> None:
    """Then a yes is nothing; it is no answer to itself, either."""
    field = PheromoneField()
    assert field.release([CONFIRMATION]) == []
    field.release([ship("Beijing")])
    assert field.release([CONFIRMATION, CONFIRMATION]) == [ship("Beijing")]
    assert field.release([CONFIRMATION]) == []


def test_a_yes_with_another_value_confirms_the_rest() -> None:
    """Wherever the yes stands in the message."""
    for message in ([CONFIRMATION, ship("Beijing")], [ship("Beijing"), CONFIRMATION]):
        field = passed(0, ship("Shanghai", asked=True), order("A1"))
        released = field.release(message)
        assert sorted(str(each.value) for each in released) == ["A1", "Beijing"]
        assert values(field, "shipping_address") == ["Beijing"]


def test_a_yes_with_another_question_confirms_what_it_answers() -> None:
    """What is asked next waits for its own answer."""
    field = passed(0, ship("Beijing", asked=True))
    assert field.release([CONFIRMATION, ship("Tianjin", asked=True)]) == [ship("Beijing")]
    assert field.release([CONFIRMATION]) == [ship("Tianjin")]


def test_chatter_confirms_nothing() -> None:
    """However often it is said."""
    field = passed(0, ship("Beijing", asked=True))
    for _ in range(5):
        assert all(not says(each) for each in field.release([CHATTER]))
    assert field.types == ["chatter"]


def test_chatter_tires_from_the_second_repetition_on() -> None:
    """Its decay is then 0.8 of what it was; another round in between begins anew."""
    field = PheromoneField()
    decays = [field.release([CHATTER])[0].decay for _ in range(4)]
    field.release([])
    decays += [field.release([CHATTER])[0].decay for _ in range(3)]
    assert decays == pytest.approx([0.3, 0.3, 0.24, 0.24, 0.3, 0.3, 0.24], abs=1e-12)


def test_chatter_of_one_round_is_no_repetition() -> None:
    """Of the user's and of a reply."""
    field = PheromoneField()
    assert [field.release([CHATTER, CHATTER], turn=n == 0)[1].decay for n in range(3)] == [0.3] * 3


def test_a_continuation_alone_brings_nothing() -> None:
    """That is a governor's."""
    assert passed(0, ship("Beijing")).release([CONTINUATION]) == []


# ---- what it is about -------------------------------------------------------------------------------------------------------------------


def test_it_knows_its_topic_and_its_focus() -> None:
    """Those named last; an order that is asked about counts once it is confirmed."""
    field = PheromoneField()
    assert (field.topic, field.focus) == (None, None)
    field.release([Scent("topic", 0.2, 0.5, "hotel"), order("A1"), order("B2")])
    assert (field.topic, field.focus) == ("hotel", "B2")
    field.release([Scent("topic", 0.2, 0.5, "taxi"), slot("order_reference", "C3", target="C3", asked=True)])
    assert (field.topic, field.focus) == ("taxi", "B2")
    field.release([CONFIRMATION])
    assert field.focus == "C3"


def test_an_order_without_a_target_is_its_value() -> None:
    """As a scent made by hand may be."""
    assert passed(0, Scent("order_reference", 0.7, 0.88, value=17)).focus == "17"


# ---- texts ------------------------------------------------------------------------------------------------------------------------------


def test_a_text_is_read_as_the_field_stands() -> None:
    """What it does not name itself is of the order named last; addresses decay as the settings say."""
    field = PheromoneField(tutoring)
    field.observe("This is about order #A1001.")
    released = field.observe("Please cancel it!")
    assert [(each.type, each.target, each.value, each.decay) for each in released] == [("directive", "A1001", "cancel", 0.97)]
    assert field.round == 2
    field.observe("It is done.", turn=False)
    assert field.round == 2


def test_reading_a_text_alone_releases_nothing() -> None:
    """As a client does, whose board releases it."""
    field = passed(0, order("A1001"))
    before = field.dump()
    assert [each.target for each in field.scents_of("Please cancel it!")] == ["A1001"]
    assert field.dump() == before


# ---- the core ---------------------------------------------------------------------------------------------------------------------------


def test_the_core_never_decays() -> None:
    """Nor does it leave with its round."""
    field = passed(100, slot("user_id", "u1", concentration=0.8), slot("language", "zh"))
    assert field.concentrations() == {"user_id": 0.8, "language": 0.75}
    assert field.sums() == {"user_id": 0.8, "language": 0.75}


def test_the_core_has_the_newest_value_of_each_slot() -> None:
    """And no other."""
    field = passed(0, slot("language", "zh"), slot("language", "fr", target="guest"))
    field.release([slot("language", "en")])
    assert values(field, "language") == ["en", "fr"]


def test_what_is_core_may_be_named_by_a_star() -> None:
    """As by its name."""
    field = passed(50, slot("user_name", "Li"), slot("name", "Wang"), settings=FieldSettings(core=("user_*",)))
    assert field.types == ["user_name"]


def test_clearing_leaves_the_core() -> None:
    """And neither what the rest was about, nor what waited for an answer, nor what was held down."""
    field = passed(0, slot("user_id", "u1"), order("A1"), Scent("topic", 0.2, 0.5, "hotel"), ship("Beijing", asked=True))
    field.task, field.diluted = "order", {"order_reference"}
    field.clear()
    assert [field.types, field.topic, field.focus, field.task, field.diluted] == [["user_id"], None, None, None, set()]
    assert field.release([CONFIRMATION]) == []
    assert field.round == 2


# ---- other settings, another name, no more ----------------------------------------------------------------------------------------------


def test_fewer_rounds_drop_the_older() -> None:
    """At once."""
    field = passed(5, ship("Beijing"), slot("user_id", "u1"))
    field.settings = FieldSettings(max_rounds=5)
    assert field.types == ["user_id"]


def test_what_is_core_may_change() -> None:
    """What becomes core has its newest value; what is no longer core is as old as it is."""
    field = passed(9, slot("user_id", "u1"))
    field.release([slot("name", "Li"), slot("name", "Wang")])
    field.settings = FieldSettings(core=("name",))
    assert field.types == ["name"]
    assert values(field, "name") == ["Wang"]
    for _ in range(50):
        field.release([])
    assert field.concentrations() == {"name": 0.75}


def test_what_was_released_keeps_its_decay() -> None:
    """Whatever the settings are later."""
    field = passed(1, ship("Beijing"))
    field.settings = tutoring
    assert field.concentration("shipping_address") == 0.75 * 0.9


def test_what_is_forgotten_is_nowhere() -> None:
    """Not in what was released, nor in what waits, nor in what it is about."""
    field = passed(0, order("A1"), slot("user_id", "A1"), ship("Beijing"), ship("A1", asked=True), Scent("topic", 0.2, 0.5, "hotel"))
    field.diluted = {"order_reference"}
    field.forget(lambda scent: scent.value == "A1")
    assert "A1" not in str(field.dump())
    assert (field.types, field.topic, field.focus) == (["shipping_address", "topic"], "hotel", None)
    assert field.diluted == set()
    assert field.release([CONFIRMATION]) == [ship("Beijing")]


def test_what_a_forgotten_value_superseded_does_not_stand_again() -> None:
    """While a newer one goes on standing."""
    field = passed(0, ship("Shanghai"), ship("Xi'an", target="A1"))
    field.release([ship("Beijing"), ship("Tianjin", target="A1")])
    field.forget(lambda scent: scent.value in {"Beijing", "Xi'an"})
    assert values(field, "shipping_address") == ["Tianjin"]


def test_types_are_renamed_together_with_all_that_is_kept_of_them() -> None:
    """What was released last stands; the bounds hold."""
    field = passed(0, ship("Shanghai"), *(slot("address", f"x{n}") for n in range(STRONGEST)))
    field.release([slot("address", "Beijing"), ship("Xi'an"), slot("address", "Tianjin", asked=True)])
    field.diluted = {"address"}
    field.rename("address", "shipping_address")
    assert field.types == ["shipping_address"]
    assert field.diluted == {"shipping_address"}
    assert [trace.round for trace in field.traces("shipping_address")] == [2, 2, *[1] * STRONGEST]
    assert values(field, "shipping_address")[:3] == ["Xi'an", "Beijing", f"x{STRONGEST - 1}"]
    (confirmed,) = (each for each in field.release([CONFIRMATION]) if each.value == "Tianjin")
    assert confirmed.type == "shipping_address"


def test_what_named_no_order_gives_way_to_what_does() -> None:
    """Of the same type, and said later: what is said of no order once one is named stands beside it."""
    field = PheromoneField()
    kernel = RecallKernel(field)
    field.release([ship("Shanghai"), slot("billing_address", "Wuhan")])
    field.release([ship("Beijing", target="A1")])
    assert {fact.value for fact in kernel.recall("*_address")} == {"Beijing", "Wuhan"}
    field.release([ship("Xiamen")])
    assert {fact.value for fact in kernel.recall("shipping_address")} == {"Beijing", "Xiamen"}
