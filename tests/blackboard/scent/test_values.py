"""Claims about which pattern finds what."""

from pathlib import Path

import pytest

from blackboard.scent import load_rules, observe
from blackboard.scent.rules import Rules

TYPES = r"""
[types.first]
concentration = 0.5
decay = 0.5
patterns = ['take (?P<value>\w+)', '(?P<value>\w+) left']

[types.second]
concentration = 0.5
decay = 0.5
patterns = ['take (?P<value>\w+ \w+)']

[types.torn]
concentration = 0.5
decay = 0.5
patterns = ['note: (?P<value>.+)', 'torn', '(?P<target>\w+) sleeve (?P<value>\w+)', 'either(?P<value>\d)?']

[types."*_price"]
label = "price"
concentration = 0.5
decay = 0.5
topics = ["hotel", "cinema"]
questions = "stated"
patterns = ['(?P<value>\d+) euros']

[types."*_seat"]
concentration = 0.5
decay = 0.5
topics = ["cinema"]
patterns = ['seat (?P<value>\d+)']

[types.ribbon]
concentration = 0.9
decay = 0.5
target = "entity"
patterns = ['ribbon (?P<value>\w+)(?: for (?P<target>\w+))?']

[topics]
hotel = ["hotel"]
cinema = ["cinema"]
"""


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    path: Path = tmp_path_factory.mktemp("rules") / "mine.toml"
    path.write_text(TYPES, encoding="utf-8")
    return load_rules(path)


def test_of_two_that_begin_at_one_place_the_later_rule_has_it(rules: Rules) -> None:
    """And what was claimed is no other's."""
    assert [(scent.type, scent.value) for scent in observe("take red shoes left", rules=rules)] == [("second", "red shoes")]


def test_a_pattern_without_a_value_says_only_that_it_is_so(rules: Rules) -> None:
    """No value, no content, no kind; and nothing in a question."""
    (scent,) = observe("it is torn", rules=rules)
    assert (scent.type, scent.value, scent.content, scent.kind) == ("torn", None, "", None)
    assert [each.type for each in observe("is it torn?", rules=rules)] == ["general"]


def test_a_pattern_may_name_the_target(rules: Rules) -> None:
    """It stands in the content."""
    (scent,) = observe("left sleeve short", rules=rules)
    assert (scent.target, scent.value, scent.content) == ("left", "short", "Torn (left): short")


def test_a_value_that_is_not_there_is_none(rules: Rules) -> None:
    """A group that took no part."""
    assert [scent.type for scent in observe("either", rules=rules)] == ["general"]
    assert [scent.value for scent in observe("either5", rules=rules)] == ["5"]
    assert [scent.type for scent in observe("either 北", rules=rules)] == ["general"]


def test_a_slot_of_a_topic_is_of_the_nearest_that_is_named(rules: Rules) -> None:
    """Else of the conversation's; and nothing where none of its topics is."""

    def slots(text: str, topic: str | None = None) -> list[tuple[str, object]]:
        return [(scent.type, scent.value) for scent in observe(text, topic=topic, rules=rules) if scent.value]

    assert slots("a hotel for 80 euros, a cinema for 9 euros") == [("hotel_price", "80"), ("cinema_price", "9")]
    assert slots("a hotel. At most 80 euros") == [("hotel_price", "80")]
    assert slots("at most 80 euros?", "hotel") == [("hotel_price", "80")]
    assert slots("at most 80 euros") == []
    assert slots("at most 80 euros", "airport") == []
    assert slots("in the hotel seat 5", "cinema") == [("cinema_seat", "5")]
    assert slots("ribbon red, 80 euros", "hotel") == [("ribbon", "red"), ("hotel_price", "80")], "beside it stands what is of no topic"
    assert slots("ribbon red, 80 euros") == [("ribbon", "red")]


def test_a_value_is_a_slot_under_its_label(rules: Rules) -> None:
    """A topic stands before the label."""
    topic, price = observe("a hotel for 80 euros", rules=rules)
    assert (topic.type, topic.target, topic.value, topic.kind) == ("topic", "hotel", None, None)
    assert (price.content, price.kind, price.asked) == ("Hotel price: 80", "slot", False)


@pytest.mark.parametrize("text", ["ship it to me", "send it to the address", "寄到我", "发到哪里", "ship it there", "send it to you later"])
def test_what_only_points_is_no_value(text: str) -> None:
    """Me, there, the address."""
    assert not [scent for scent in observe(text) if scent.value]


@pytest.mark.parametrize(
    "text", ['ship to "Bath", please', "ship to Bath right away", "Ship to Bath now, thanks!", "寄到Bath吧，谢谢", "寄到“Bath”"]
)
def test_what_stands_around_a_value_is_no_part_of_it(text: str) -> None:
    """Quotation marks, thanks, particles."""
    assert [scent.value for scent in observe(text) if scent.value] == ["Bath"]


def test_marks_around_a_value_are_taken_away_whatever_its_pattern(rules: Rules) -> None:
    """Of both languages."""
    assert [scent.value for scent in observe("note: “well, done”！", rules=rules)] == ["well, done"]


def test_what_a_pattern_names_is_what_it_is_about(rules: Rules) -> None:
    """Before the order that the conversation is about."""
    assert [observe(text, focus="A1", rules=rules)[0].target for text in ("ribbon red", "ribbon red for Ann")] == ["A1", "Ann"]


def test_emphasis_brings_no_value_above_one(rules: Rules) -> None:
    """However sure its type is."""
    assert [observe(text, rules=rules)[0].concentration for text in ("ribbon red", "ribbon red!!")] == [0.9, 1.0]
