"""YAML is plain data with its lines, and nothing else."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.yaml_text import documents, written
from blackboard.errors import BadValue
from tests.agents.evolution.drawn import VALUES


@given(VALUES.filter(lambda value: value is not None))
def test_round_trip(value: Any) -> None:
    """What is written is read as what it was, with its types."""
    [document] = documents(written(value), "x")
    assert repr(document.data) == repr(value)


@given(st.text(max_size=60))
def test_whatever_is_read(text: str) -> None:
    """Whatever a file says, it is read or refused, and nothing else happens."""
    with suppress(BadValue):
        documents(text, "x.yaml")


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("no", "no"), ("on", "on"), ("true", True), ("~", None), ("null", None), ("5", 5), ("-5", -5), ("007", 7), ("0x1F", 31),
        ("0o17", 15), ("1e5", 1e5), (".5", 0.5), ("12:30", "12:30"), ("1_000", "1_000"), ("2024-01-01", "2024-01-01"), ("'5'", "5"),
        ("+.inf", float("inf")), ("9" * 5000, float("inf")),
    ],
)  # fmt: skip
def test_plain_words(word: str, value: Any) -> None:
    """Words are read by the core schema of YAML 1.2: what looks like a number is one, and what only old parsers convert is a text."""
    assert documents(f"a: {word}", "x")[0].data == {"a": value}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: 1\nb: !!python/object/apply:os.system [ls]", "line 2, b: !!python/object/apply:os.system would be a tag"),
        ("a: !!str 5", "line 1, a: !!str would be a tag"),
        ("a: !x 5", "line 1, a: !x would be a tag"),
        ("a: {!=: 5}", "line 1, a.5: !=: would be a tag"),
        ("a: &x [1]\nb: *x", "line 1, a: &x would be an anchor"),
        ("a: *x", "line 1, a: *x would be an anchor"),
        ("&x a: 5", "line 1, a: &x would be an anchor"),
        ("a: 1\nb:\n\tc: 2", "line 3, b: while scanning for the next token found character '\\t'"),
        ("a:\n  b: 1\n  b: 2", "line 3, a.b: it is there already, in line 2"),
        ("a:\n  [1]: 2", "line 2, a: a key is a text"),
        ("a: {b: 1", "line 1, a.b: while parsing a flow mapping"),
        ("a:\n  >: 5", "line 2, a: while scanning a block scalar"),
        ("a: \x07", "line 1: the character '\\x07' is not allowed"),
        ("a: 1\n  b: 2", "line 2, a: mapping values are not allowed here"),
    ],
)
def test_errors(text: str, told: str) -> None:
    """What is no plain data is told with file, line and key."""
    with pytest.raises(BadValue) as error:
        documents(text, "x.yaml")
    assert str(error.value).startswith(f"x.yaml, {told}")


def test_nothing_grows() -> None:
    """What nests without end is refused before it is built, in a moment, and so is what would say itself many times over."""
    for text in ("a: " + "[" * 500_000, "a: " + "{b: " * 200_000, "- " * 300_000):
        with pytest.raises(BadValue, match="nests more than 24 levels"):
            documents(text, "x")
    keys = "".join(f"{{{chr(97 + n) * 1_000}: " for n in range(20))
    with pytest.raises(BadValue, match="too many values, or too long keys") as error:
        documents(f"{keys}[{'1,' * 1_000}1]{'}' * 20}", "x")  # each with where it is said: 20 MB, and there is room for 400 times as many
    assert len(str(error.value)) < 400
    with pytest.raises(BadValue, match="would be an anchor"):
        documents("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]", "x")


@pytest.mark.parametrize(("begin", "end"), [("[", "]"), ("{a: ", "}")])
def test_what_is_as_deep_as_it_may_be_is_read(begin: str, end: str) -> None:
    """24 levels are, and 25 are not."""
    assert documents(begin * 24 + "1" + end * 24, "x")
    with pytest.raises(BadValue, match="more than 24 levels"):
        documents(begin * 25 + "1" + end * 25, "x")


def test_lines() -> None:
    """A document knows in which line it says what; of what it does not say, in which line that would be part of something."""
    first, second = documents("# sales\na: 1\nb:\n- c: 2\n  d: 3\n---\ne:\n  f.g: 4\n", "x")
    assert [first.line(path) for path in ("", "a", "b[0].d", "b[0].x", "b[7].x", "z")] == [2, 2, 5, 4, 3, 2]
    assert [second.line(path) for path in ("", "e.f.g", "e.f.g.h")] == [7, 8, 8]
