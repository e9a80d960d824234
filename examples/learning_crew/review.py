"""The review: a data lead, played by a script, who decides about what a cycle has put before them. Nothing goes live without.

A candidate that holds goes live. One that could be tried on nothing but its own failures, since no task of its kind has gone well yet and
none that was kept aside has its trouble, goes to half of the tasks first, and is promoted or rolled back by what comes of them.
"""

from typing import NamedTuple

from agents.evolution.account import Account, Candidate
from agents.evolution.library import Library
from agents.evolution.release import Decision, Test
from agents.evolution.strategies import Rule
from agents.evolution.watching import watch

LEAD = "data-lead"
HALF = 0.5
TEST = Test(tasks=8, looks=1, alpha=0.25)
"""Of a canary, in a week's tasks of one type: one of four that make no difference goes live, which does no harm either."""


class Reviewed(NamedTuple):
    """What was decided about a version, and why."""

    ref: str
    decision: str


async def review(library: Library, account: Account) -> list[Reviewed]:
    """Decide about each candidate of a cycle."""
    return [Reviewed(each.ref, await _decide(library, each)) for each in account.candidates if each.ref]


async def canaries(library: Library) -> list[Decision]:
    """Promote or roll back what is in force for a share of tasks, once enough of them have told."""
    return await watch(library.board, TEST)


async def _decide(library: Library, candidate: Candidate) -> str:
    body, found = candidate.strategy.body, candidate.evaluation
    if isinstance(body, Rule) and body.advice:
        await library.reject(candidate.ref, by=LEAD, why="the desk reads no advice")
        return "rejected: the desk reads no advice"
    if found and not found.successes.judged and not (found.aside and found.aside.mended):
        await library.approve(candidate.ref, by=LEAD, share=HALF, why="it was tried on its own failures alone")
        return f"approved for {HALF:.0%} of tasks: it was tried on its own failures alone"
    await library.approve(candidate.ref, by=LEAD)
    return "approved"
