"""Claims about what a board is made with."""

import math
from typing import Any

import msgspec
import pytest

from blackboard.config import BoardConfig
from blackboard.decay import rate_to_half_life
from blackboard.errors import BadValue
from blackboard.kinds import DEFAULTS, EDGE, policy
from blackboard.trends import Detector, Finding, Moment, defaults


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


def test_kinds_of_the_board_s_own_stand_beside_the_defaults_or_in_their_place() -> None:
    """On a board of rounds as they are given."""
    own, other = policy("rumour", initial=1, rate=0.5), policy("fact", initial=9, rate=0.1)
    policies = BoardConfig(name="x", kinds={"rumour": own, "fact": other}).policies()
    assert policies == {**DEFAULTS, "rumour": own, "fact": other}
    assert BoardConfig(name="x").edge_policy() == EDGE


def test_a_wall_clock_board_counts_rounds_in_seconds() -> None:
    """Half-lives and protection of the defaults become seconds; its own kinds are given in seconds."""
    own = policy("rumour", initial=1, rate=0.5)
    config = BoardConfig(name="x", time="wall", round_seconds=10, kinds={"rumour": own})
    policies = config.policies()
    assert (config.scale, BoardConfig(name="x", round_seconds=10).scale) == (10.0, 1.0)
    assert policies["rumour"] == own
    assert policies["fact"].protect == 10 * DEFAULTS["fact"].protect
    assert 1 - (1 - policies["fact"].rate) ** 10 == pytest.approx(DEFAULTS["fact"].rate)
    assert 1 - (1 - config.edge_policy().rate) ** 10 == pytest.approx(EDGE.rate)


class Third(Detector):
    """A user's own."""

    name = "third"
    version = 7

    def notice(self, state: dict[str, Any], moment: Moment) -> Finding | None:  # noqa: ARG002
        return None


def test_the_detectors_are_settled_once() -> None:
    """The defaults unless others are given; a log that was made with some is not replayed with others."""
    config, detectors = BoardConfig(name="x").with_detectors(None)
    assert config.detectors == tuple(f"{each.name}/{each.version}" for each in defaults())
    assert config.with_detectors(detectors)[0] == config
    own, _ = BoardConfig(name="x").with_detectors((Third(),))
    assert own.detectors == ("third/7",)
    with pytest.raises(BadValue, match=r"made with the detectors third/7, not rising/1, .*give the same ones"):
        own.with_detectors(None)


def test_kinds() -> None:
    """Beside the defaults or in their place, in the board's own time; *edge* is how edges fade, and no kind of items."""
    config = BoardConfig(name="x").with_kinds({"fact": {"rate": 0.5}, "rumour": {"initial": 1, "half_life": 3}, "edge": {"threshold": 0.5}})
    assert config.policies()["fact"].rate == 0.5
    assert config.policies()["fact"].initial == 4
    assert set(config.policies()) == {*DEFAULTS, "rumour"}
    assert (config.edge_policy().threshold, config.edge_policy().rate) == (0.5, 0.02)
    assert config.with_kinds({}) == BoardConfig(name="x")
    wall = BoardConfig(name="x", time="wall").with_kinds({"fact": {"initial": 5}, "state": {"half_life": 3600}})
    assert wall.policies()["fact"].protect == 180
    assert rate_to_half_life(wall.policies()["state"].rate) == pytest.approx(3600)
