"""How a field behaves: the presets of chapter 3, and what figures are refused or warned of.

Impossible figures are refused wherever they come (``check``). Unusual ones are warned of once, where a user gives them (``validated``): a
board that replays them warns nobody.
"""

import warnings
from math import inf

from blackboard.errors import BadValue
from bus.messages import FieldSettings

commerce = FieldSettings()
"""Orders, deliveries, complaints."""
tutoring = FieldSettings(max_rounds=12, directive=0.97, address=0.88, min_concentration=0.45, sharpness=1.0)
"""Longer conversations, in which what is said holds longer."""

USUAL = {
    "max_rounds": (4, 12),
    "directive": (0.92, 0.98),
    "address": (0.85, 0.92),
    "min_concentration": (0.4, 0.6),
    "sharpness": (1.0, 2.0),
}
"""The ranges of chapter 3: figures outside them are taken, with a warning."""
MOST_ROUNDS = 256
"""A field that remembers more is not bounded in earnest."""


class UnusualSettings(UserWarning):
    """A figure outside the range that chapter 3 gives for it."""


def check(settings: FieldSettings) -> None:
    """:raises BadValue: a figure that no field can have, or what is no settings"""
    if not isinstance(settings, FieldSettings):
        raise BadValue(f"settings {settings!r:.200} are none: give commerce, tutoring or FieldSettings(…)")
    for name in ("max_rounds", "window"):
        rounds = getattr(settings, name)
        if type(rounds) is not int or not 1 <= rounds <= MOST_ROUNDS:
            raise BadValue(f"{name} {rounds!r} is not a whole number of rounds from 1 to {MOST_ROUNDS}")
    for name in ("min_concentration", "directive", "address"):
        share = getattr(settings, name)
        if type(share) not in {int, float} or not 0 <= share <= 1:
            raise BadValue(f"{name} {share!r} is not a number from 0 to 1")
    if type(settings.sharpness) not in {int, float} or not 0 < settings.sharpness < inf:
        raise BadValue(f"sharpness {settings.sharpness!r} is not a number above 0: 1.0 is the usual one")
    if type(settings.core) is not tuple or not all(type(name) is str for name in settings.core):
        raise BadValue(f"core {settings.core!r} is not a tuple of types: write core=('user_id',)")


def validated(settings: FieldSettings) -> FieldSettings:
    """The same settings, with an ``UnusualSettings`` warning for each figure outside its range.

    :raises BadValue: as ``check``
    """
    check(settings)
    for name, (low, high) in USUAL.items():
        figure = getattr(settings, name)
        if not low <= figure <= high:
            warnings.warn(f"{name} {figure} is outside of the usual {low}–{high}", UnusualSettings, stacklevel=3)
    return settings
