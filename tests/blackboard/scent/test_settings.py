"""Claims about how a field may behave."""

import warnings
from math import nan
from typing import Any

import pytest
from msgspec.structs import replace

from blackboard.errors import BadValue
from blackboard.scent import FieldSettings, PheromoneField, UnusualSettings, commerce, tutoring
from blackboard.scent.settings import check, validated


def test_the_presets_of_the_chapter() -> None:
    """Chapter 3, "Presets"."""
    given = [(each.max_rounds, each.directive, each.address, each.min_concentration, each.sharpness) for each in (commerce, tutoring)]
    assert given == [(8, 0.95, 0.90, 0.5, 1.2), (12, 0.97, 0.88, 0.45, 1.0)]
    assert commerce.window == tutoring.window == 5


def test_the_presets_are_usual() -> None:
    """They warn of nothing."""
    assert [validated(commerce), validated(tutoring)] == [commerce, tutoring]


USUAL = [
    ("max_rounds", 4, 12),
    ("directive", 0.92, 0.98),
    ("address", 0.85, 0.92),
    ("min_concentration", 0.4, 0.6),
    ("sharpness", 1.0, 2.0),
]


@pytest.mark.parametrize(("name", "low", "high"), USUAL)
def test_both_ends_of_a_range_are_usual(name: str, low: float, high: float) -> None:
    """The ranges are those of chapter 3."""
    for figure in (low, high):
        validated(replace(commerce, **{name: figure}))


@pytest.mark.parametrize(("name", "low", "high"), USUAL)
def test_a_figure_outside_of_its_range_is_taken_with_a_warning(name: str, low: float, high: float) -> None:
    """It names the figure and the range."""
    step = 1 if name == "max_rounds" else 0.01
    for figure in (low - step, high + step):
        settings = replace(commerce, **{name: figure})
        with pytest.warns(UnusualSettings, match=rf"{name} {figure} is outside of the usual {low}–{high}"):
            assert PheromoneField(settings).settings == settings


def test_as_many_rounds_as_may_be() -> None:
    """With a warning."""
    with pytest.warns(UnusualSettings, match="max_rounds 256"):
        validated(FieldSettings(max_rounds=256, window=256))


def test_each_unusual_figure_is_told() -> None:
    """Not the first alone; and the warning points to who gave them."""
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        PheromoneField(FieldSettings(max_rounds=2, sharpness=3))
    assert [str(each.message).split()[0] for each in told] == ["max_rounds", "sharpness"]
    assert all(each.filename == __file__ for each in told)


@pytest.mark.parametrize(
    ("name", "figure"),
    [
        *((name, figure) for name in ("max_rounds", "window") for figure in (0, -1, 257, 2.0, "8", True, None, nan)),
        *((name, figure) for name in ("min_concentration", "directive", "address") for figure in (-0.1, 1.1, nan, "0.5", True, None)),
        *(("sharpness", figure) for figure in (0, -1.0, nan, float("inf"), "1", None)),
        *(("core", figure) for figure in ("user_id", ("user_id", 1), None)),
    ],
)
def test_a_figure_that_cannot_be_is_refused(name: str, figure: Any) -> None:
    """It is named; and a field keeps what it had."""
    settings = replace(commerce, **{name: figure})
    with pytest.raises(BadValue, match=name):
        check(settings)
    with pytest.raises(BadValue, match=name):
        PheromoneField(settings)
    field = PheromoneField()
    with pytest.raises(BadValue, match=name):
        field.settings = settings
    assert field.settings == commerce


@pytest.mark.parametrize("settings", ["commerce", None, {"max_rounds": 8}])
def test_what_is_no_settings_is_refused(settings: Any) -> None:
    """The name of a preset is none."""
    with pytest.raises(BadValue, match="are none: give commerce, tutoring or FieldSettings"):
        check(settings)


def test_a_field_that_is_told_other_settings_warns_nobody() -> None:
    """As a board does that replays what was said."""
    field = PheromoneField()
    field.settings = FieldSettings(max_rounds=2)
    assert field.settings.max_rounds == 2
