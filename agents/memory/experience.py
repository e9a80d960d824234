"""Which experiences go into a task: those that are alike, and apply (chapter 5, "Retrieval of experience").

    found = await recall(board, Situation(request="Sales by month in the north", type="report", tools=("query_sales",)))
    found.text()                                  # what worked, then what to beware of
    [(each.experience.id, each.why) for each in (*found.taken, *found.passed)]

Law: an experience is taken if it is alike, of the task's type, and nothing speaks against it; what was alike and is left out is told, too,
with the reason.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import log, sqrt

from msgspec import Struct

from agents.conditions import Situation
from agents.memory.applicability import obstacle
from agents.memory.distilling import compared
from agents.memory.journal import Journal
from agents.memory.records import Experience
from agents.memory.telling import shortened
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.text import terms

SUCCESSES, LESSONS = 3, 2
"""How many experiences go into a task: of what went well, and of what failed."""
LIKE = 0.25
"""How alike a request must be for what was learnt from others to be looked at, 0…1."""

LINE = 600
"""Characters of a lesson in a prompt, at most: whoever wrote it does not write the whole prompt."""


class Recalled(Struct, frozen=True):
    """An experience that was looked at for a task."""

    experience: Experience
    likeness: float
    """0…1: the cosine of the terms of both requests, by how few experiences have them."""
    why: str
    """Why it was taken, or why not."""


class Recollection(Struct, frozen=True):
    """What was found for a task."""

    taken: tuple[Recalled, ...] = ()
    """Successes first, the most alike first."""
    passed: tuple[Recalled, ...] = ()
    """Those that are alike, and were left out."""

    @property
    def ids(self) -> tuple[str, ...]:
        """Of what was taken, for ``TaskLog.recalled``."""
        return tuple(each.experience.id for each in self.taken)

    def text(self) -> str:
        """What was taken, a line each of some hundred characters, for a prompt; empty if there is nothing."""
        heads = {"success": "What worked", "failure": "Beware"}
        return "\n".join(f"{heads[each.experience.outcome]}: {shortened(each.experience.lesson, LINE)}" for each in self.taken)


async def recall(board: Board, situation: Situation, *, successes: int = SUCCESSES, lessons: int = LESSONS) -> Recollection:
    """What the experiences on ``board`` have for a task, as ``recollect``; what is taken is used, which strengthens it a little."""
    journal = Journal(board)
    found = recollect(await journal.experiences(), situation, successes=successes, lessons=lessons)
    await journal.use(found.ids)
    return found


def recollect(
    experiences: Iterable[Experience], situation: Situation, *, successes: int = SUCCESSES, lessons: int = LESSONS
) -> Recollection:
    """Of ``experiences`` up to ``successes`` of what went well, then up to ``lessons`` of what failed. Raises ``BadValue``."""
    wanted: Mapping[str, int] = {"success": successes, "failure": lessons}
    for name, number in zip(("successes", "lessons"), wanted.values(), strict=True):
        if number < 0:
            raise BadValue(f"{name} {number!r}: give a number of at least 0")
    taken: dict[str, list[Recalled]] = {"success": [], "failure": []}
    passed: list[Recalled] = []
    for experience, likeness, shared in _alike(list(experiences), situation):
        outcome = experience.outcome
        if (why := obstacle(experience, situation)) is not None:
            passed.append(Recalled(experience, likeness, why))
        elif len(taken[outcome]) == wanted[outcome]:
            passed.append(Recalled(experience, likeness, f"{wanted[outcome]} that are more alike were taken"))
        else:
            taken[outcome].append(Recalled(experience, likeness, _reason(experience, situation, shared)))
    return Recollection((*taken["success"], *taken["failure"]), tuple(passed))


def _alike(experiences: list[Experience], situation: Situation) -> list[tuple[Experience, float, frozenset[str]]]:
    """Those of the task's type whose requests are like its own, the most alike first, with the terms that both have."""
    known = [_terms(each.request or each.lesson) for each in experiences]
    counts = Counter(term for some in known for term in some)
    asked = _terms(situation.request)

    def weight(some: frozenset[str]) -> float:
        return sum(log(1 + len(known) / max(counts[term], 1)) ** 2 for term in some)

    found = []
    for experience, some in zip(experiences, known, strict=True):
        if experience.type and situation.type and experience.type != situation.type:
            continue
        shared = asked & some
        likeness = weight(shared) / sqrt(weight(asked) * weight(some)) if shared else 0.0
        if likeness >= LIKE:
            found.append((experience, likeness, shared))
    return sorted(found, key=lambda each: (-each[1], each[0].id))


@lru_cache(maxsize=1 << 14)
def _terms(text: str) -> frozenset[str]:
    return frozenset(map(compared, terms(text)))


def _reason(experience: Experience, situation: Situation, shared: Iterable[str]) -> str:
    reasons = [f"its tasks are alike ({', '.join(sorted(shared))})"]
    if experience.when:
        reasons.append("its conditions hold")
    if experience.path and situation.tools:
        reasons.append("its tools are at hand")
    return "; ".join(reasons)
