"""Claims about topics: whose slot a value is of, and what a message speaks of."""

from collections.abc import Mapping
from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.scent import observe
from blackboard.scent.rules import Rules, compile_rules

PLAIN = {"concentration": 0.5, "decay": 0.9}
BOOK: Mapping[str, Any] = {
    "types": {
        "directive": {"concentration": 0.85, "class": "directive"},
        "general": PLAIN,
        "chatter": PLAIN,
        "topic": PLAIN,
        "*_points": {
            **PLAIN,
            "label": "points",
            "questions": "stated",
            "topics": ["hotel", "sight"],
            "patterns": ["(?P<value>[0-9]) points"],
        },
        "*_name": {
            **PLAIN,
            "label": "name",
            "topics": ["hotel", "sight"],
            "patterns": ["the (?P<value>(?-i:[A-Z][a-z]+(?: [A-Z][a-z]+){0,2})(?:\\([a-z ]+\\))?)"],
        },
        "*_extra": {
            **PLAIN,
            "topics": ["hotel"],
            "many": True,
            "never": ["^nothing"],
            "patterns": ["with (?P<value>[a-z ]+)(?:[.,!?]|$)", "without [a-z]+|(?P<value>sauna)"],
        },
    },
    "topics": {"hotel": ["hotel", "garden"], "sight": ["sight", "hotel museum"]},
    "hints": {"sight": ["ticket"], "hotel": ["room"]},
    "kinds": {"hotel": ["lodge"], "sight": ["tower", "garden"]},
    "words": {"before": ["near"], "after": ["附近"], "between": ["and"], "question": ["is"], "conditional": ["if"], "negation": ["no"]},
}


@pytest.fixture(scope="module")
def rules() -> Rules:
    """Rules of hotels and sights, made up for these claims."""
    return compile_rules(BOOK)


def found(text: str, rules: Rules, topic: str | None = None) -> dict[str, Any]:
    """Type → value, of what a message says."""
    return {scent.type: scent.value for scent in observe(text, topic=topic, rules=rules) if scent.value is not None}


def topics(text: str, rules: Rules) -> list[str | None]:
    """What a message speaks of."""
    return [scent.target for scent in observe(text, rules=rules) if scent.type == "topic"]


def test_a_value_is_of_the_nearest_topic(rules: Rules) -> None:
    """Before it or behind it."""
    assert found("a hotel and then some sight of 4 points", rules) == {"sight_points": "4"}
    assert found("of 4 points a hotel, and a sight", rules) == {"hotel_points": "4"}


def test_a_value_that_names_its_topic_is_of_that_one(rules: Rules) -> None:
    """However near another is; the last word counts, and what is in brackets does not."""
    assert found("the sight is the Garden Hotel", rules) == {"hotel_name": "Garden Hotel"}
    assert found("at the Garden Hotel(near the sight)", rules) == {"hotel_name": "Garden Hotel(near the sight)"}


def test_brackets_before_a_value_take_nothing_from_its_name(rules: Rules) -> None:
    """Only those within it do."""
    assert found("(as I said) the sight is the Garden Hotel", rules) == {"hotel_name": "Garden Hotel"}


def test_what_stands_in_brackets_is_no_topic(rules: Rules) -> None:
    """However near."""
    assert found("a hotel (by a sight) of 4 points", rules) == {"hotel_points": "4"}
    assert topics("a hotel (by a sight) of 4 points", rules) == ["hotel"]


def test_what_says_only_within_a_value_what_it_is_says_nothing_of_others(rules: Rules) -> None:
    """So the tower of a chess set has no points of a sight."""
    assert found("the River Lodge", rules) == found("the River Lodge", rules, "sight") == {"hotel_name": "River Lodge"}
    assert found("the Lodge", rules) == found("the Lodge Keys", rules) == found("the River Lodge Keys", rules) == {}
    assert found("a tower of 4 points", rules) == {}
    assert found("a tower of 4 points", rules, "hotel") == {"hotel_points": "4"}
    assert topics("a tower", rules) == []


def test_a_word_of_two_meanings_leaves_it_to_the_rest(rules: Rules) -> None:
    """To the nearest of them, then to the conversation; alone it has the meaning of a name's end."""
    assert found("the River Garden, what a sight", rules) == {"sight_name": "River Garden"}
    assert found("the River Garden", rules, "hotel") == {"hotel_name": "River Garden"}
    assert found("the River Garden", rules) == {"sight_name": "River Garden"}


def test_what_is_only_near_is_passed_over(rules: Rules) -> None:
    """In the order of either language."""
    assert found("a hotel 附近 4 points, a little sight", rules) == {"sight_points": "4"}
    assert found("a sight of the most beautiful, near a hotel, 4 points", rules, "sight")["hotel_points"] == "4"
    assert topics("a sight near a hotel", rules) == ["sight"]
    assert topics("hotel 附近 a sight", rules) == ["sight"]
    assert topics("near a hotel", rules) == ["hotel"]


def test_a_hint_counts_less_than_a_name_unless_it_is_the_label(rules: Rules) -> None:
    """A hint names no topic of the conversation."""
    assert found("after the ticket for the night a hotel with: 4 points", rules) == {"hotel_points": "4"}
    assert found("in the hotel a ticket: 4 points", rules) == {"sight_points": "4"}
    assert topics("a room, a ticket", rules) == []


def test_a_label_stands_within_twelve_bytes(rules: Rules) -> None:
    """What is farther is a hint only."""
    assert found("a hotel ticket, valued at 4 points", rules) == {"sight_points": "4"}
    assert found("a hotel ticket, valued at: 4 points", rules) == {"hotel_points": "4"}


def test_the_conversation_answers_for_what_names_no_topic(rules: Rules) -> None:
    """Without one such a value is nothing; and a topic of another's slots is none."""
    assert found("4 points", rules, "sight") == {"sight_points": "4"}
    assert found("4 points", rules) == found("4 points", rules, "taxi") == {}
    assert found(f"a hotel of {'very ' * 16}good 4 points", rules, "sight") == {"hotel_points": "4"}
    assert found(f"a hotel. {'It was all very fine there and nobody said a word. ' * 4}4 points", rules, "sight") == {"sight_points": "4"}


def test_what_can_be_of_one_topic_speaks_of_that(rules: Rules) -> None:
    """So words in it name no other, and values beside it are near it."""
    assert found("with a sight, 4 points", rules, "hotel") == {"hotel_extra": "a sight", "hotel_points": "4"}


def test_a_value_may_be_several(rules: Rules) -> None:
    """Parted by the words that part; a single one is itself."""
    scents = [scent for scent in observe("a hotel with bath and towels.", rules=rules) if scent.value]
    assert [(scent.value, scent.content) for scent in scents] == [(["bath", "towels"], "Hotel extra: bath and towels")]


def test_what_is_no_value_is_none(rules: Rules) -> None:
    """By a pattern of ``never``, and by a match without a value."""
    assert found("a hotel with nothing", rules) == found("a hotel without sauna", rules) == {}
    assert found("a hotel, sauna", rules) == {"hotel_extra": "sauna"}


def test_what_is_looked_for_may_be_supposed(rules: Rules) -> None:
    """Where a question states, so does an *if*; a negation does not."""
    assert found("if a hotel has 4 points", rules) == {"hotel_points": "4"}
    assert found("no hotel of 4 points", rules) == {}


def test_a_wrong_pattern_of_what_is_no_value_is_named() -> None:
    """With where it stands."""
    with pytest.raises(BadValue, match=r"types\.x\.never: .*\("):
        compile_rules({"types": {"x": {**PLAIN, "never": ["("]}}})
