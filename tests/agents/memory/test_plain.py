"""Claims about records as plain data."""

from typing import Any

import pytest

from agents.memory.plain import DEEPEST, as_read, depth, plain, require_plain
from agents.memory.records import ToolCall, Turn
from blackboard.errors import BadValue


def test_a_record_becomes_what_json_has() -> None:
    """What is as by default is left out."""
    turn = Turn("ada", calls=(ToolCall("q", {"by": ("a", 1)}),))
    assert plain(turn) == {"by": "ada", "calls": ({"name": "q", "parameters": {"by": ("a", 1)}},)}
    assert as_read(turn) == Turn("ada", calls=(ToolCall("q", {"by": ["a", 1]}),))


@pytest.mark.parametrize(
    ("value", "why"),
    [
        ({1, 2}, r"^x\.y\[0\] is a set: use null, .* or tell it as text$"),
        (b"raw", "is a bytes"),
        (2**64, "does not fit in 64 bits"),
        (float("nan"), "is nan: numbers must be finite"),
        ("\ud800", "character 0 is half of a surrogate pair"),
        ({1: 2}, "has the key 1: keys are texts"),
        ({"\ud800": 2}, "is not Unicode text"),
    ],
)
def test_what_is_no_json_is_named(value: Any, why: str) -> None:
    """By its path, with what it is."""
    with pytest.raises(BadValue, match=why):
        require_plain({"y": [value]}, "x")


def test_what_nests_without_end_is_named() -> None:
    """Before the interpreter gives up."""
    value: list[Any] = []
    value.append(value)
    named: dict[str, Any] = {}
    named["x"] = named
    for endless in (value, named, ToolCall("q", named)):
        with pytest.raises(BadValue, match=rf"nests more than {DEEPEST} levels deep"):
            require_plain(endless, "x")


def test_depth_counts_lists_and_mappings() -> None:
    """Of a value of neither there are none."""
    values: list[Any] = [1, [], {}, [[1], {"a": [2]}], ({"a": ()},)]
    assert list(map(depth, values)) == [0, 1, 1, 3, 3]
