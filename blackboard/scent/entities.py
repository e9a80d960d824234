"""Which entity – an order – something in a message is about (chapter 3, "Observe": ``target``).

Law: what stands in the same clause comes first; then what was named before, in the message and then in the conversation.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter

from blackboard.scent.clauses import Clause, Reading
from blackboard.scent.values import Found

_start = attrgetter("start")
_AND = re.compile(r"(?:[\s,#&、和与及跟]|\b(?:and|or|orders?)\b|订单)*", re.IGNORECASE)
"""What stands between several orders."""


class Entities:
    """The entities that a text names.

    :param named: in the order in which they are
    :param focus: the one that was last named before
    """

    def __init__(self, reading: Reading, named: Sequence[Found], focus: str | None) -> None:
        self._reading = reading
        self._named = named
        self._focus = focus

    def of_value(self, place: int) -> str | None:
        """The entity that a value there is about: of its clause the last before it, or else the next."""
        clause, before, behind = self._around(place)
        if before and before[-1].start >= clause.start:
            return before[-1].value
        if behind and behind[0].start < clause.end:
            return behind[0].value
        return self._elsewhere(clause, before, behind)

    def of_directive(self, place: int) -> list[str | None]:
        """All that a directive there is about: of its clause those that are named together behind it ("cancel order 1001, 1002 and 1003"),
        or else before it.
        """
        clause, before, behind = self._around(place)
        if behind and behind[0].start < clause.end:
            return [each.value for each in self._together(behind)]
        if before and before[-1].start >= clause.start:
            return [each.value for each in self._together(before[::-1])][::-1]
        return [self._elsewhere(clause, before, behind)]

    def _around(self, place: int) -> tuple[Clause, Sequence[Found], Sequence[Found]]:
        number = bisect_left(self._named, place, key=_start)
        return self._reading.clause_at(place), self._named[:number], self._named[number:]

    def _elsewhere(self, clause: Clause, before: Sequence[Found], behind: Sequence[Found]) -> str | None:
        if before:
            return before[-1].value
        later = behind and behind[0].start < self._reading.sentences[clause.sentence][1]
        return behind[0].value if later else self._focus

    def _together(self, named: Sequence[Found]) -> Iterator[Found]:
        """The first of these, and those that are only parted from it by what stands between several."""
        yield named[0]
        for one, another in pairwise(named):
            first, second = sorted((one, another), key=_start)
            if not _AND.fullmatch(self._reading.text[first.end : second.start].decode()):
                return
            yield another
