"""Three weeks at the data desk: forty requests each, and behind each week a cycle of evolution with its review."""

from collections.abc import AsyncIterator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from agents.evolution.account import Account
from agents.evolution.changes import identity
from agents.evolution.cycle import evolve
from agents.evolution.entries import Settings
from agents.evolution.evaluation import with_candidate
from agents.evolution.files import read_strategies
from agents.evolution.library import Library
from agents.evolution.release import Decision
from agents.evolution.strategies import Strategy
from examples.learning_crew.crew import DataDesk, retry, tried
from examples.learning_crew.requests import Request, requests
from examples.learning_crew.review import LEAD, Reviewed, canaries, review

FIRST = Path(__file__).with_name("strategies")
"""The first generation, as files."""
WEEKS, A_WEEK = 3, 40
SETTINGS = Settings(failures=A_WEEK, candidates=16)


class Score(NamedTuple):
    """The requests that are answered well."""

    seen: frozenset[str]
    unseen: frozenset[str]


class Effect(NamedTuple):
    """What a candidate does to the requests that nobody sees while the desk learns: how many it mends, and breaks."""

    mended: int
    broken: int


class Week(NamedTuple):
    """What a week came to."""

    number: int
    answered: frozenset[str]
    """Of its requests."""
    watched: list[Decision]
    account: Account
    effects: dict[str, Effect]
    """Of the candidates that mend their failures (``changes.identity``), beside what was in force; nobody who decides knows them."""
    reviewed: list[Reviewed]
    score: Score


async def first_generation(library: Library) -> None:
    """Put the strategies of the files in force."""
    for strategy in read_strategies(FIRST):
        await library.add(strategy, status="active", by=LEAD)


async def learn(desk: DataDesk, *, generalises: bool = True) -> AsyncIterator[Week]:
    """Work and learn. Without ``generalises`` candidates are not tried on tasks that were kept aside."""
    library, (seen, unseen) = Library(desk.board), requests()
    for week in range(WEEKS):
        answered = set()
        for number, request in enumerate(seen[week * A_WEEK : (week + 1) * A_WEEK], 1):
            if await desk.answer(request, f"week-{week + 1}-{number:02}"):
                answered.add(request.text)
        watched = await canaries(library)
        live = await in_force(library)
        account = await evolve(desk.board, retry, settings=replace(SETTINGS, generalises=generalises))
        effects = {identity(each): effect(unseen, live, each) for each in mending(account)}
        reviewed = await review(library, account)
        yield Week(week + 1, frozenset(answered), watched, account, effects, reviewed, score(await in_force(library)))


def mending(account: Account) -> list[Strategy]:
    """The candidates that mend what they were made for and break no past success: what is left to ask is whether that generalises."""
    return [each.strategy for each in account.candidates if each.evaluation and each.evaluation.verdict in {"holds", "overfitted"}]


async def in_force(library: Library) -> list[Strategy]:
    """The strategies that are in force for all tasks."""
    return [release.strategy for release in await library.releases("active")]


def score(live: Sequence[Strategy]) -> Score:
    """Try all requests in the sandbox."""
    seen, unseen = requests()
    return Score(well(seen, live), well(unseen, live))


def effect(unseen: Iterable[Request], live: Sequence[Strategy], candidate: Strategy) -> Effect:
    """Try the unseen requests with a candidate and without."""
    before, after = well(unseen, live), well(unseen, with_candidate(live, candidate))
    return Effect(len(after - before), len(before - after))


def well(asked: Iterable[Request], live: Sequence[Strategy]) -> frozenset[str]:
    """Those that are answered well with these strategies."""
    return frozenset(request.text for request in asked if (verdict := tried(request, live).verdict) and verdict.outcome == "success")
