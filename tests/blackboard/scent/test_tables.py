"""Claims about the tables of files of rules."""

from typing import Any

import pytest

from blackboard.errors import BadValue
from blackboard.scent.tables import BadRule, merged

PLAIN = {"decay": 0.5, "concentration": 0.5}


def test_lists_add_up_and_fields_override() -> None:
    """Of several files, the later over the earlier."""
    one = {"types": {"x": {**PLAIN, "label": "X", "patterns": ["a"]}}, "parts": {"p": ["a"], "q": "b"}, "requests": {"cancel": ["drop"]}}
    two = {"types": {"x": {"decay": 0.1, "patterns": ["b"]}}, "parts": {"p": ["c"], "q": "d"}, "requests": {"cancel": ["bin"]}}
    tables = merged(one, two)
    assert (tables.types["x"].labels, tables.types["x"].decay, tables.types["x"].patterns) == (("X",), 0.1, ("a", "b"))
    assert tables.parts == {"p": ["a", "c"], "q": "d"}
    assert tables.requests == {"cancel": ["drop", "bin"]}


def test_a_part_of_words_takes_the_place_of_a_pattern() -> None:
    """They are of two sorts, and add up to nothing."""
    assert merged({"parts": {"q": "bc"}}, {"parts": {"q": ["d"]}}).parts == {"q": ["d"]}


def test_a_label_stands_beside_the_one_in_other_characters() -> None:
    """And in the place of the one in the same."""
    books = [{"types": {"x": {**PLAIN, "label": label}}} for label in ("Colour", "颜色", "Color")]
    assert merged(*books).types["x"].labels == ("颜色", "Color")


def test_words_are_folded_as_texts_are() -> None:
    """So that they are found."""
    assert merged({"words": {"negation": ["ｄｏｎ’ｔ"]}}).words["negation"] == ["don't"]


@pytest.mark.parametrize(
    ("book", "path", "cure"),
    [
        ({"typos": {}}, ("typos",), "choose from parts, types"),
        ({"types": 3}, ("types",), "a table [types]"),
        ({"types": {"x": 3}}, ("types", "x"), "a table [types.x]"),
        ({"types": {"a b": PLAIN}}, ("types", "a b"), "letters, digits"),
        ({"types": {"**_x": PLAIN}}, ("types", "**_x"), "letters, digits"),
        ({"types": {"x": {"topics": "hotel"}}}, ("types", "x", "topics"), "a list of topics"),
        ({"types": {"x": {"colour": 1}}}, ("types", "x", "colour"), "choose from label, class"),
        ({"types": {"x": {"concentration": 2}}}, ("types", "x", "concentration"), "from 0 to 1"),
        ({"types": {"x": {"decay": float("nan")}}}, ("types", "x", "decay"), "from 0 to 1"),
        ({"types": {"x": {"decay": True}}}, ("types", "x", "decay"), "from 0 to 1"),
        ({"types": {"x": {"class": "adress"}}}, ("types", "x", "class"), '"address" or "directive"'),
        ({"types": {"x": {"class": []}}}, ("types", "x", "class"), '"address" or "directive"'),
        ({"types": {"x": {"target": {}}}}, ("types", "x", "target"), '"entity" or "self"'),
        ({"types": {"x": {"questions": []}}}, ("types", "x", "questions"), '"asked" or "stated"'),
        ({"types": {"x": {"target": "me"}}}, ("types", "x", "target"), '"entity" or "self"'),
        ({"types": {"x": {"questions": "yes"}}}, ("types", "x", "questions"), '"asked" or "stated"'),
        ({"types": {"x": {"many": 1}}}, ("types", "x", "many"), "true or false"),
        ({"types": {"x": {"upper": 1}}}, ("types", "x", "upper"), "true or false"),
        ({"types": {"x": {"patterns": "a"}}}, ("types", "x", "patterns"), "a list of patterns"),
        ({"types": {"x": {"label": ""}}}, ("types", "x", "label"), "a text"),
        ({"parts": {"a b": ["c"]}}, ("parts", "a b"), "letters, digits"),
        ({"parts": {"a": 3}}, ("parts", "a"), "a list of words"),
        ({"requests": {"cancel": [1]}}, ("requests", "cancel"), "a list of words"),
        ({"words": {"negatoin": ["no"]}}, ("words", "negatoin"), "choose from abbreviation"),
        ({"words": {"negation": ["no", " "]}}, ("words", "negation"), "none of them empty"),
    ],
)
def test_what_cannot_be_is_named_with_its_place_and_the_cure(book: dict[str, Any], path: tuple[str, ...], cure: str) -> None:
    """As it stands in the file."""
    with pytest.raises(BadRule) as caught:
        merged(book)
    assert caught.value.path == path
    assert cure in str(caught.value)
    assert isinstance(caught.value, BadValue)
