"""Claims about what is recalled of a field."""

from typing import Any

import pytest
from msgspec.structs import replace

from blackboard.errors import BadValue
from blackboard.scent import ContextGovernor, Facts, FieldSettings, PheromoneField, RecallKernel, Scent, commerce, superpose
from tests.blackboard.scent.said import CONFIRMATION, CONTINUATION, directive, order, plain, rule, ship, slot


def kernel(*messages: list[Scent], settings: FieldSettings = commerce) -> RecallKernel:
    """Of a field into which these were released, a turn each."""
    field = PheromoneField(settings)
    for message in messages:
        field.release(message)
    return RecallKernel(field)


def test_ship_to_shanghai_no_to_beijing() -> None:
    """The newer value wins with no blend, and the billing address is untouched."""
    recall = kernel([ship("Shanghai"), slot("billing_address", "Suzhou")], [ship("Beijing")]).recall
    assert [(fact.value, fact.confidence) for fact in recall("shipping_address")] == [("Beijing", 0.75)]
    assert [(fact.value, fact.confidence) for fact in recall("billing_address")] == [("Suzhou", 0.75 * 0.9)]


def test_so_it_does_within_one_message() -> None:
    """A correction in the same breath."""
    assert kernel([ship("Shanghai"), ship("Beijing")]).recall("shipping_address").value == "Beijing"


def test_five_kinds_of_address_are_five_slots() -> None:
    """A star brings them all."""
    kinds = ["shipping", "billing", "return", "spare", "temporary"]
    facts = kernel([slot(f"{kind}_address", kind) for kind in kinds]).recall("*_address")
    assert {fact.type: fact.value for fact in facts} == {f"{kind}_address": kind for kind in kinds}


def test_a_fact_says_what_is_known_of_it() -> None:
    """Value, confidence, round, staleness, and whether to ask again."""
    (fact,) = kernel([ship("Beijing", target="A1")], []).recall("shipping_address")
    assert (fact.type, fact.value, fact.target, fact.content) == ("shipping_address", "Beijing", "A1", "shipping_address (A1): Beijing")
    assert (fact.confidence, fact.round, fact.staleness, fact.confirm) == (0.75 * 0.9, 1, 1, False)


def test_the_confidence_is_of_all_that_state_the_value() -> None:
    """Superposed, and at most 1; what stated another adds nothing."""
    twice = kernel([ship("Beijing")], [ship("Shanghai")], [ship("Beijing")])
    weak = slot("shipping_address", "Beijing", concentration=0.2)
    assert twice.recall("shipping_address").confidence == 1.0
    assert kernel([ship("Shanghai")], [weak], [ship("Beijing")]).recall("shipping_address").confidence == superpose([0.75, 0.2 * 0.9], 1.2)


@pytest.mark.parametrize(("stale", "confirm"), [(0, False), (1, False), (2, True), (5, True)])
def test_what_is_two_rounds_old_is_to_be_confirmed(stale: int, confirm: bool) -> None:
    """Before anything is done."""
    (fact,) = kernel([slot("name", "Li", concentration=1.0, decay=1.0)], *[[]] * stale).recall("name")
    assert (fact.staleness, fact.confirm) == (stale, confirm)


def test_what_is_outside_of_the_window_is_no_fact() -> None:
    """Five rounds after it was last said it still is."""
    scent = slot("name", "Li", concentration=1.0, decay=1.0)
    assert len(kernel([scent], *[[]] * 5).recall("name")) == 1
    assert kernel([scent], *[[]] * 6).recall("name") == Facts()
    assert len(kernel([scent], *[[]] * 6, settings=FieldSettings(window=6)).recall("name")) == 1


def test_what_is_below_the_threshold_is_no_fact() -> None:
    """Never a guess; at the threshold it is one."""
    scent = slot("name", "Li", concentration=0.5, decay=0.99)
    assert kernel([scent]).recall("name").confidence == 0.5
    empty = kernel([scent], []).recall("name")
    assert (empty.value, empty.confidence, len(empty)) == (None, 0.0, 0)


def test_an_unknown_type_is_empty() -> None:
    """By name and by star."""
    found = kernel([ship("Beijing")])
    assert found.recall("colour") == found.recall("colour_*") == found.recall("") == Facts()
    assert RecallKernel(PheromoneField()).recall("*") == Facts()


def test_each_type_has_its_strongest() -> None:
    """So many, of equals the fresher; as a whole the most confident first."""
    facts = kernel(
        [order("A1"), slot("order_reference", "B2", concentration=0.9, decay=1.0, target="B2")],
        [slot("order_reference", "C3", concentration=0.9, decay=1.0, target="C3"), ship("Beijing")],
    )
    assert [fact.value for fact in facts.recall("*", limit=2)] == ["C3", "B2", "Beijing"]
    assert [fact.value for fact in facts.recall("order_reference")] == ["C3", "B2", "A1"]
    assert [fact.value for fact in facts.recall("*", limit=1)] == ["C3", "Beijing"]


def test_of_several_types_the_most_confident_comes_first() -> None:
    """Whatever they are called; of equals the fresher."""
    facts = kernel([slot("c", 1, concentration=0.9, decay=1.0)], [slot(*each, decay=1.0) for each in (("a", 2), ("b", 3))])
    assert [fact.value for fact in facts.recall("*")] == [1, 2, 3]
    again = kernel([slot("a", 1, decay=1.0)], [slot("b", 2, decay=1.0)])
    assert [fact.value for fact in again.recall("*")] == [2, 1]


def test_what_has_no_value_is_a_fact_for_each_content() -> None:
    """A request has its verb as its value."""
    message = [directive("cancel", "cancel it", target="A1"), directive("change", "change it")]
    facts = kernel(message, message[:1]).recall("directive")
    assert [(fact.value, fact.content, fact.target, fact.round) for fact in facts] == [
        ("cancel", "cancel it", "A1", 2),
        ("change", "change it", None, 1),
    ]


def test_a_sentence_that_asks_for_two_things_is_two_facts() -> None:
    """Both stand, each as sure as it was said."""
    both = [directive("cancel", "cancel it and delete my note"), directive("delete", "cancel it and delete my note")]
    assert {fact.value: fact.confidence for fact in kernel(both).recall("directive")} == {"cancel": 0.85, "delete": 0.85}


def test_what_is_asked_for_again_in_other_words_is_one_fact() -> None:
    """As sure as both make it, in the words that were said last; of a rule each sentence is another."""
    facts = kernel([directive("cancel", "cancel it")], [directive("cancel", "cancel it now")]).recall("directive")
    assert [(fact.value, fact.content, fact.confidence) for fact in facts] == [("cancel", "cancel it now", 1.0)]
    assert len(kernel([rule("must", "it must be red"), rule("must", "it must be new")]).recall("directive")) == 2


def test_what_says_nothing_is_recalled_by_its_name_alone() -> None:
    """A star brings what one could act on."""
    found = kernel([plain("general", 0.6), ship("Beijing")])
    assert [fact.confidence for fact in found.recall("general")] == [0.6]
    assert [fact.type for fact in found.recall("*")] == ["shipping_address"]


def test_a_star_brings_words_without_a_value() -> None:
    """They say something."""
    assert [fact.content for fact in kernel([Scent("note", 0.6, 0.9, content="ring twice")]).recall("*")] == ["ring twice"]


def test_the_core_is_never_stale() -> None:
    """Nor does anybody need to ask again."""
    (fact,) = kernel([slot("user_id", "u1")], *[[]] * 50).recall("user_id")
    assert (fact.value, fact.confidence, fact.round, fact.staleness, fact.confirm) == ("u1", 0.75, 1, 0, False)


def test_what_was_brought_back_is_to_be_confirmed() -> None:
    """Until it is said again, or a yes confirms it."""
    for answer in ([ship("Beijing")], [CONFIRMATION]):
        governor = ContextGovernor(PheromoneField())
        recall = RecallKernel(governor.field).recall
        governor.release([ship("Beijing")])
        governor.begin_task("another")
        governor.release([CONTINUATION])
        assert [(fact.value, fact.staleness, fact.confirm) for fact in recall("shipping_address")] == [("Beijing", 0, True)]
        governor.release(answer)
        assert [fact.confirm for fact in recall("shipping_address")] == [False]


def test_what_is_known_beyond_what_is_certain() -> None:
    """For whoever has the value from elsewhere: weak and old, to be confirmed."""
    weak, old = slot("name", "Li", concentration=0.3), slot("phone", "123", concentration=1.0, decay=1.0)
    found = kernel([weak, old], *[[]] * 6)
    assert [(fact.value, fact.confirm, fact.staleness) for fact in found.known("name")] == [("Li", True, 6)]
    assert [(fact.value, fact.confidence, fact.confirm) for fact in found.known("phone")] == [("123", 1.0, True)]
    assert [fact.confirm for fact in kernel([weak]).known("name")] == [True]
    assert found.known("nothing") == []


def test_what_is_held_down_is_as_certain_as_before() -> None:
    """Being spoken of much is no reason for doubt."""
    found = kernel([ship("Beijing"), plain("chatter", 0.1)])
    found.field.diluted = {"shipping_address"}
    assert found.field.concentration("shipping_address") == 0.75 * 0.7
    assert found.recall("shipping_address").confidence == 0.75


def test_recalling_changes_nothing() -> None:
    """However often."""
    found = kernel([ship("Beijing"), order("A1")], [plain("general", 0.3)])
    before = found.field.dump()
    assert found.recall("*") == found.recall("*")
    assert found.field.dump() == before


@pytest.mark.parametrize("limit", [0, -1, 2.0, True, None])
def test_a_limit_that_cannot_be(limit: Any) -> None:
    """It is named."""
    with pytest.raises(BadValue, match=f"limit {limit!r} is not a whole number"):
        kernel().recall("*", limit)


def test_values_come_as_they_were_said() -> None:
    """With their digits and minutes, and of whatever shape."""
    for value in ("北京市朝阳区建国路88号院5号楼1203室", "14:30", 7, ["duck", "rice"], {"from": "A"}, 0, False):
        assert kernel([replace(ship(""), value=value)]).recall("shipping_address").value == value
