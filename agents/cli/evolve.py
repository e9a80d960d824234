"""``evolve``: learn from the failures that lie on a board, up to candidates that await review.

What is named offers, as names of a module:

    async def retry(task, strategies) -> TaskLog      does a logged task once more, where nothing that it does counts
    analyst                                           finds out why a task failed (an ``Analyst``); the rules, if there is none
    budget                                            of the models that the two ask (a ``Budget``)

The exit code is 1 where no retry at all gave a verdict, since then it is the retry that is to be mended.
"""

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from inspect import iscoroutinefunction, signature
from typing import Any

from agents.chat import Budget
from agents.cli.output import number, plain, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.cli.run import load
from agents.errors import CommandError
from agents.evolution.account import Account, Candidate
from agents.evolution.cycle import Watch
from agents.evolution.cycle import evolve as go_through
from agents.evolution.entries import Settings, Spent
from agents.evolution.evaluation import Counts
from agents.evolution.release import Decision, Test
from agents.evolution.state import State
from agents.evolution.watching import watch

DEFAULTS = Settings()
TEST = Test()


async def evolve(
    target: str,
    board: BoardName,
    /,
    *,
    budget: int = DEFAULTS.retries,
    tokens: int | None = None,
    failures: int = DEFAULTS.failures,
    candidates: int = DEFAULTS.candidates,
    aside: float = DEFAULTS.aside,
    seen_only: bool = False,
    test_tasks: int = TEST.tasks,
    who: Who = OPERATOR,
) -> int:
    """Learn from failures: decide about canaries, then go through a cycle, or on with the one that was left half finished.

    Parameters
    ----------
    target
        Who does tasks once more: examples/learning_crew, crew.py, or package.module. It offers `retry`, and perhaps `analyst` and `budget`.
    budget
        Retries, at most.
    tokens
        Tokens of models, at most.
    failures
        So many failures are learned from, at most.
    candidates
        So many candidates are tried, at most.
    aside
        The share of tasks that take no part, on which candidates are tried at last.
    seen_only
        Do not try candidates on those: one that fits its failures alone gets through.
    test_tasks
        Tasks after which a canary is decided about at the latest.
    """
    settings = Settings(
        failures=failures, aside=aside, generalises=not seen_only, candidates=candidates, retries=budget, tokens=tokens
    )  # fmt: skip
    test = Test(tasks=test_tasks)
    offered = load(target)
    retry: Any = getattr(offered, "retry", None)
    analyst, purse = (getattr(offered, name, None) for name in ("analyst", "budget"))
    if wrong := _no_retry(retry):
        raise CommandError(f"{target} has nothing to try candidates with, since {wrong}: give it `async def retry(task, strategies)`")
    async with opened(board, who) as at:
        decisions = await watch(at, test)
        with _shown() as shown:
            account = await go_through(
                at, retry, analyst=analyst, settings=settings, budget=purse if isinstance(purse, Budget) else None, watch=shown
            )
    if who.json:
        print_json({"canaries": decisions, "cycle": account})
    else:
        _print(decisions, account, board)
    return 1 if account.trouble else 0


def _no_retry(offered: Any) -> str:
    """Why it cannot be awaited with a task and strategies; empty: it can be."""
    if offered is None:
        return "it offers no `retry`"
    if not (iscoroutinefunction(offered) or iscoroutinefunction(type(offered).__call__)):
        return "its `retry` is no coroutine function"
    try:
        signature(offered).bind("task", "strategies")
    except TypeError as error:
        return f"its `retry{signature(offered)}` cannot be called with two arguments ({error})"
    return ""


@contextmanager
def _shown() -> Iterator[Watch | None]:
    """Show on stderr how far it is, where that is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[retries]}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("evolve", total=None, retries="")

        def show(state: State) -> None:
            done, of = state.steps
            doing = type(state.next).__name__.lower()
            bar.update(
                task, description=doing, completed=done, total=of, retries=f"{state.spent.retries} of {state.settings.retries} retries"
            )

        yield show


def _print(decisions: list[Decision], account: Account, board: str) -> None:
    for decision in decisions:
        print(f"canary {decision.ref}: {decision.ruling}: {decision.why}")
    print(f"cycle {account.cycle}: {plain(account.why)}")
    if account.selected:
        found: dict[str, Any] = {each.task: each for each in account.diagnoses}
        print("\nwhat was learned from")
        print_table(
            ("score", "task", "because of", "cause", "reason"),
            (
                (
                    number(each.score),
                    each.task,
                    ", ".join(each.parts),
                    found[each.task].cause if each.task in found else "not told",
                    found[each.task].reason if each.task in found else account.unexplained.get(each.task, ""),
                )
                for each in account.selected
            ),
            empty="",
        )
    if account.candidates:
        print("\nwhat was tried: successes before → after")
        held = {each.strategy.name for each in account.candidates if each.ref}
        print_table(
            ("candidate", "failures", "successes", "kept aside", "change", "verdict"),
            (_row(each, held) for each in account.candidates),
            empty="",
        )
    for each in account.left_out:
        print(f"left out: {plain(each)}")
    print(f"\nspent: {_spent(account.spent)} (of {account.settings.retries:,} retries)")
    for ref in account.proposed:
        print(f"review it: pheroboard strategy show {board} {ref}, then strategy approve, or reject")


def _row(each: Candidate, held: Collection[str]) -> tuple[str, ...]:
    name = each.ref or each.strategy.name
    found = each.evaluation
    if found is None:
        return name, "", "", "", each.change, f"not tried{': another one holds' * (each.strategy.name in held)}"
    return name, *map(_counts, (found.failures, found.successes, found.aside)), each.change, f"{found.verdict}: {found.why}"


def _counts(counts: Counts | None) -> str:
    return f"{counts.before} → {counts.after} of {counts.judged}" if counts else "not looked at"


def _spent(spent: Spent) -> str:
    return f"{spent.retries:,} retries, {spent.tokens:,} tokens, {spent.seconds:.1f} s"
