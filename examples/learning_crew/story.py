"""What happens, as it is told: week by week, then the curve."""

from argparse import ArgumentParser
from collections.abc import Iterable, Sequence
from pathlib import Path

import blackboard
from agents import plot
from agents.evolution.changes import identity
from agents.evolution.library import Library
from agents.evolution.report import report
from agents.memory.distiller import distil_board
from agents.memory.journal import Journal
from agents.plot import Curves
from blackboard.client import Board
from examples.learning_crew import world
from examples.learning_crew.course import A_WEEK, Score, Week, first_generation, in_force, learn, score
from examples.learning_crew.crew import DataDesk
from examples.learning_crew.desk import NAME
from examples.learning_crew.requests import NO_LOG, requests
from examples.learning_crew.tools import Tools

BAR = 20
"""Characters of a whole bar."""


async def main(address: str, *args: str) -> int:
    """Work and learn for three weeks on the board at ``address``."""
    options = ArgumentParser("learning_crew", description=__doc__)
    options.add_argument("--unchecked", action="store_true", help="do not try candidates on tasks that were kept aside")
    options.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the curve of success")
    try:
        chosen = options.parse_args(args)
    except SystemExit as told:  # the board that this runs on is to be closed in order
        return 2 if told.code else 0
    if chosen.plot:
        plot.ready(chosen.plot)  # before three weeks of work
    async with blackboard.open(address, agent=NAME) as board:
        scores = await tell(board, generalises=not chosen.unchecked)
    if chosen.plot:
        plot.save(plot.figure(curves(scores), title="Requests answered well", values="share", over="week"), chosen.plot)
        print(f"\nThe curve: {chosen.plot}")
    return 0


async def tell(board: Board, *, generalises: bool) -> list[Score]:
    """Print what happens on ``board``; how the requests are answered before, and after each week."""
    library = Library(board)
    await first_generation(library)
    scores, answered = [score(await in_force(library))], set[str]()
    aside = "" if generalises else ", and does not try candidates on tasks that were kept aside"
    print(f"The desk learns from {len(requests()[0])} requests, never sees {len(requests()[1])} others{aside}.\n")
    print(_scored("before", scores[0]))
    desk = DataDesk(Tools(world.build()), board)
    async with desk.memory.compressing():
        async for week in learn(desk, generalises=generalises):
            _tell(week)
            scores.append(week.score)
            answered |= week.answered
    broken = sorted(answered - scores[-1].seen)
    print("\nThe curve\n")
    print(*curve(scores), sep="\n")
    print(f"\nOf the seen requests that went well when they were asked, {len(broken) or 'none'} would fail now{': ' if broken else '.'}")
    for text in broken:
        print(f"  {text}")
    await _tell_figures(board)
    await _tell_experience(board)
    return scores


def _tell(week: Week) -> None:
    print(f"\nWeek {week.number}: {len(week.answered)} of its requests were answered well")
    for decision in week.watched:
        print(f"  canary {decision.ref}: {decision.ruling}: {decision.why}")
    print(f"  the cycle: {week.account.why}; it spent {week.account.spent.retries} retries")
    for candidate in week.account.candidates:
        effect, found = week.effects.get(identity(candidate.strategy)), candidate.evaluation
        if effect and found:
            print(f"  {found.verdict:10} {candidate.ref or candidate.strategy.name}: {candidate.change}")
            print(f"             since {candidate.strategy.lineage.reason}")
            print(f"             {found.why}")
            print(f"             (of the unseen it mends {effect.mended} and breaks {effect.broken})")
    for reviewed in week.reviewed:
        print(f"  the review: {reviewed.ref} is {reviewed.decision}")
    print(_scored(f"week {week.number}", week.score))


async def _tell_figures(board: Board) -> None:
    library = Library(board)
    decisions = {name: await library.decisions(name) for name in {each.strategy.name for each in await library.releases()}}
    found = report(await Journal(board).tasks(), decisions, tasks=A_WEEK)
    print("\nThe four figures that are watched (also: pheroboard tasks report)\n")
    for window in found.windows:
        told = f"success {window.success:4.0%}, {window.turns:.1f} turns a task, memory found for {window.found:.0%}"
        print(f"  tasks {window.first:3}–{window.last:<3}  {told}")
    print("  strategies: " + ", ".join(f"{count} {status}" for status, count in found.library.items()))


async def _tell_experience(board: Board) -> None:
    await distil_board(board)
    print("\nWhat is kept, to the letter, in the experiences that these tasks came to\n")
    for experience in await Journal(board).experiences():
        for sentence in (each for each in experience.kept if NO_LOG in each):
            print(f"  {experience.outcome} of {len(experience.records)} tasks by {' → '.join(experience.path)}: “{sentence}”")


def curve(scores: Sequence[Score]) -> Iterable[str]:
    """A line for each week, from before the first."""
    for number, each in enumerate(scores):
        yield _scored(f"week {number}" if number else "before", each)


def curves(scores: Sequence[Score]) -> Curves:
    """The same, for a picture."""
    seen, unseen = map(len, requests())
    return {
        "seen": {week: len(each.seen) / seen for week, each in enumerate(scores)},
        "unseen": {week: len(each.unseen) / unseen for week, each in enumerate(scores)},
    }


def _scored(when: str, score: Score) -> str:
    told = (
        f"{name} {len(well):3} of {len(asked)} {_bar(len(well) / len(asked))} {len(well) / len(asked):4.0%}"
        for name, well, asked in zip(("seen", "unseen"), score, requests(), strict=True)
    )
    return f"  {when:8}" + "   ".join(told)


def _bar(share: float) -> str:
    full = round(share * BAR)
    return "█" * full + "░" * (BAR - full)
