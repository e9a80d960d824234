"""Claims about what a board is made with."""

import math
from typing import Any

import msgspec
import pytest

from blackboard.config import BoardConfig
from blackboard.errors import BadValue


@pytest.mark.parametrize("setting", ["round_seconds", "core", "patience"])
@pytest.mark.parametrize("value", [0, -1.0, math.nan, math.inf])
def test_a_setting_that_cannot_be_is_refused_by_name(setting: str, value: float) -> None:
    """Whatever detectors the board has, and wherever its origin comes from."""
    given: dict[str, Any] = {"name": "x", setting: value}
    with pytest.raises(BadValue, match=f"'x': {setting} is {value}"):
        BoardConfig(**given)
    with pytest.raises(msgspec.ValidationError, match=setting):
        msgspec.convert(given, BoardConfig)


def test_an_origin_is_read_back_as_it_was_made() -> None:
    """Whole numbers, too: a replay gives the very bytes."""
    made = BoardConfig(name="x", core=2, patience=7)
    read = msgspec.json.decode(msgspec.json.encode(made), type=BoardConfig)
    assert read == made
    assert type(made.core) is type(read.core) is float
