"""Kinds and their defaults (chapter 2)."""

import math

import msgspec
import pytest

from blackboard.decay import half_life_to_rate
from blackboard.errors import BadValue
from blackboard.kinds import DEFAULTS, EDGE, Policy, Then, configured, policy, table, wall_clock


@pytest.mark.parametrize(
    ("kind", "initial", "rate", "threshold", "then"),
    [
        ("constraint", 8, 0.005, 1.0, "archive"),
        ("preference", 6, 0.02, 1.0, "archive"),
        ("fact", 4, 0.02, 1.0, "fold"),
        ("slot", 4, 0.02, 1.0, "archive"),
        ("tool_result", 4, 0.03, 1.0, "fold"),
        ("summary", 3, 0.02, 0.5, "archive"),
        ("state", 2, 0.05, 1.0, "discard"),
        ("trace", 1, 0.1, 0.5, "discard"),
    ],
)
def test_the_defaults_are_the_table_of_chapter_2(kind: str, initial: float, rate: float, threshold: float, then: Then) -> None:
    """Every row of the table, protected for three rounds, confirmed by 0.5 and used by 0.5."""
    expected = Policy(name=kind, initial=initial, rate=rate, threshold=threshold, then=then, protect=3, confirm=0.5, use=0.5)
    assert DEFAULTS[kind] == expected


def test_edges_have_a_row_of_their_own() -> None:
    """An edge begins at 1, fades at 0.1, is not protected, and grows by 0.2 when it is linked again or walked."""
    assert Policy(name="edge", initial=1, rate=0.02, threshold=0.1, then="discard", protect=0, confirm=0.2, use=0.2) == EDGE


def test_a_new_kind_is_one_line() -> None:
    """A half-life will do in place of a rate."""
    assert policy("rumour", initial=2, half_life=15, then="discard").rate == pytest.approx(0.045158, abs=5e-7)


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("rate", {"rate": 1.0}),
        ("rate", {"rate": math.nan}),
        ("rate or half_life", {}),
        ("rate or half_life", {"rate": 0.1, "half_life": 3}),
        ("initial", {"rate": 0.1, "initial": 0}),
        ("initial", {"rate": 0.1, "initial": 2e6}),
        ("threshold", {"rate": 0.1, "threshold": -1}),
        ("protect", {"rate": 0.1, "protect": math.inf}),
        ("confirm", {"rate": 0.1, "confirm": -0.5}),
        ("use", {"rate": 0.1, "use": math.nan}),
        ("then", {"rate": 0.1, "then": "burn"}),
    ],
)
def test_a_bad_policy_names_its_field(field: str, given: dict[str, float]) -> None:
    """What cannot be is refused, with the kind and the field."""
    with pytest.raises(BadValue, match=f"'rumour'.*{field}"):
        policy("rumour", **{"initial": 1.0, **given})  # type: ignore[arg-type]


def test_a_kind_needs_a_name() -> None:
    """The empty name is none."""
    with pytest.raises(BadValue, match="name"):
        policy("", initial=1, rate=0.1)


def test_on_a_wall_clock_a_round_lasts_its_seconds() -> None:
    """After the seconds of a round as much has evaporated as in the round, and protection lasts as many rounds."""
    for name, kind in wall_clock(DEFAULTS, 30).items():
        assert (1 - kind.rate) ** 30 == pytest.approx(1 - DEFAULTS[name].rate)
        assert kind.protect == 90
        assert kind.initial == DEFAULTS[name].initial


@pytest.mark.parametrize("seconds", [0, -1, math.inf, math.nan])
def test_a_round_takes_time(seconds: float) -> None:
    """Seconds a round are finite and above 0."""
    with pytest.raises(BadValue, match=repr(seconds)):
        wall_clock(DEFAULTS, seconds)


def test_policies_survive_the_wire() -> None:
    """A board's origin holds its kinds."""
    data = msgspec.msgpack.encode(dict(DEFAULTS))
    assert msgspec.msgpack.decode(data, type=dict[str, Policy]) == DEFAULTS


@pytest.mark.parametrize("wrong", [{"rate": 1.0}, {"initial": 0.0}, {"threshold": -1.0}, {"name": ""}])
def test_a_bad_policy_is_none_wherever_it_comes_from(wrong: dict[str, object]) -> None:
    """Read from a board's origin it is refused as well: it would stop the board at its first item."""
    row = {"name": "rumour", "initial": 1.0, "rate": 0.1, "threshold": 1.0, "then": "archive"}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({**row, **wrong}, Policy)


def test_whole_numbers_in_a_policy_are_numbers_like_all_others() -> None:
    """A board that is opened again from its origin gives the very bytes that it gave when its kinds were written down."""
    kind = policy("rumour", initial=2, rate=0, threshold=1, protect=0)
    assert msgspec.json.decode(msgspec.json.encode(kind), type=Policy) == kind
    assert {type(number) for number in (kind.initial, kind.rate, kind.threshold, kind.protect)} == {float}


def test_a_table_stands_in_place_of_a_default() -> None:
    """What it leaves out stays; a half-life is a rate; a policy will do for a table; a new kind has the defaults of ``policy``."""
    own = policy("note", initial=1, rate=0.5)
    kinds = configured({"fact": {"half_life": 15, "then": "archive"}, "rumour": {"initial": 2, "rate": 0.1}, "note": own}, DEFAULTS)
    assert kinds["fact"] == msgspec.structs.replace(DEFAULTS["fact"], rate=half_life_to_rate(15), then="archive")
    assert kinds["rumour"] == policy("rumour", initial=2, rate=0.1)
    assert kinds["note"] is own
    assert configured({"fact": {"half_life": math.inf}}, DEFAULTS)["fact"].rate == 0


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("kinds.fact", 3),
        ("kinds.fact.half_life", {"half_life": -1}),
        ("kinds.fact.half_life", {"half_life": "a week"}),
        ("kinds.fact.half_life", {"half_life": 3, "rate": 0.1}),
        ("kinds.fact.half_live", {"half_live": 3}),
        ("kinds.fact.rate", {"rate": 1}),
        ("kinds.fact.initial", {"initial": 0}),
        ("kinds.fact.then", {"then": "burn"}),
        ("kinds.fact.protect", {"protect": math.inf}),
        ("kinds.fact.use", {"use": True}),
        ("kinds.rumour.initial", {"rate": 0.1}),
        ("kinds.rumour.rate", {"initial": 3}),
    ],
)
def test_a_bad_table_names_the_key(key: str, given: object) -> None:
    """As it stands in the file."""
    with pytest.raises(BadValue, match=rf"^{key}: "):
        configured({key.split(".")[1]: given}, DEFAULTS)


def test_a_policy_is_written_as_a_table() -> None:
    """And read back it is the same."""
    assert configured({name: table(kind) for name, kind in DEFAULTS.items()}, {}) == DEFAULTS
