"""From a type to facts (chapter 3, "Recall kernel")."""

from blackboard.errors import BadValue
from blackboard.scent.field import PheromoneField
from blackboard.scent.superposition import superpose
from blackboard.scent.traces import Trace, standing
from blackboard.scent.wildcards import matches
from bus.messages import Fact, Facts

STALE = 2
"""Rounds after which the user is asked again before anything is done."""


class RecallKernel:
    """What a field says of a type. It changes nothing."""

    def __init__(self, field: PheromoneField) -> None:
        self.field = field

    def recall(self, type_: str, limit: int = 5) -> Facts:
        """The facts of a type, the most confident first (of equals the fresher); no more than ``limit`` of each type.

        ``*`` stands for any characters: ``shipping_*``; then only what says something is a fact. Of a slot there is its standing value
        alone. What is below ``min_concentration`` or was last said more than ``window`` rounds ago is no fact, so there may be none.

        :raises BadValue: a limit that is not a whole number from 1 upwards
        """
        if type(limit) is not int or limit < 1:
            raise BadValue(f"limit {limit!r} is not a whole number from 1 upwards")
        found = list[Fact]()
        for name in self.field.types:
            if matches(name, type_):
                certain = [fact for fact in self.known(name) if self._certain(fact)]
                found += [fact for fact in certain if name == type_ or fact.value is not None or fact.content][:limit]
        return Facts(tuple(sorted(found, key=_confidence)))

    def known(self, type_: str) -> list[Fact]:
        """All that the field still knows of one type, however weak and old, the most confident first."""
        return sorted((self._fact(group) for group in standing(self.field.traces(type_))), key=_confidence)

    def _fact(self, group: list[Trace]) -> Fact:
        """What several traces say alike, newest first."""
        newest, scent, settings = group[0], group[0].scent, self.field.settings
        confidence = min(1.0, superpose(map(self.field.strength, group), settings.sharpness))
        staleness = self.field.staleness(newest)
        return Fact(
            type=scent.type,
            value=scent.value,
            confidence=confidence,
            round=newest.round,
            staleness=staleness,
            confirm=newest.bridged or staleness >= STALE or confidence < settings.min_concentration,
            target=scent.target,
            content=scent.content,
        )

    def _certain(self, fact: Fact) -> bool:
        """Is it strong and fresh enough to be told?"""
        settings = self.field.settings
        return fact.confidence >= settings.min_concentration and fact.staleness <= settings.window


def _confidence(fact: Fact) -> tuple[float, int]:
    """Orders facts, the most confident first, of equals the fresher."""
    return -fact.confidence, -fact.round
