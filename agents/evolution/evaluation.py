"""Whether a candidate holds, tried offline (chapter 5, "The evolution cycle", evaluate).

Three sets of logged tasks are done once more, each as things are and with the candidate: (a) past successes: nothing may break;
(b) the failures: some must be mended; (c) tasks that took no part in the evolution: it must not do worse there, and better where they have
the same trouble. One that does not hold on (c) is over-fitted.

Laws: what is due next, and the verdict, follow from what has been tried, so whoever keeps each ``Tried`` goes on where it was left, and
what was tried for one candidate is known for the next. The baseline is tried as well, since what was logged came about under other
strategies: no candidate is credited with what mends itself. A retry that raises is no verdict, and counts on no side.
"""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Literal

from msgspec import Struct

from agents.evolution.analyst import Retry
from agents.evolution.changes import identity, in_force
from agents.evolution.deviations import known
from agents.evolution.exact import fisher, sign_test
from agents.evolution.signs import trouble
from agents.evolution.strategies import Strategy
from agents.memory.records import Outcome, TaskLog
from agents.memory.telling import shortened, told_error

MOST = 200
"""Retries for one candidate, the baseline's counted in: where there are more tasks, some are left out, evenly."""
LEVEL = 0.05
"""Of the test whether it mends fewer of the tasks kept aside than of the failures that it was made for."""
SHOWN = 2
"""Tasks that a candidate must mend, of the failures and of those kept aside together."""
TOLD = 300
"""Characters of what a retry or an analyst raised, at most."""

Part = Literal["failures", "successes", "aside"]
Judgement = Literal["holds", "rejected", "overfitted", "unhelpful", "undecided"]
"""It holds; it does harm; it fits nothing but what it was made for; it mends none of that, though it may others; it cannot be told yet."""


class Plan(Struct, frozen=True):
    """What is to be tried: ids of tasks."""

    candidate: str
    """Its ``changes.identity``."""
    before: str
    after: str
    """What is in force without it, and with it: ``changes.in_force``."""
    failures: tuple[str, ...]
    successes: tuple[str, ...]
    aside: tuple[str, ...] | None
    """None: not looked at."""
    troubles: dict[str, str] = {}
    """What trouble each of ``failures`` had, and each of ``aside`` that failed: ``signs.trouble``."""


class Trial(Struct, frozen=True):
    """A unit of work: one retry."""

    task: str
    strategies: str
    """Those that are to be in force: ``Plan.before`` or ``Plan.after``."""


class Tried(Struct, frozen=True, omit_defaults=True):
    """What came of a trial."""

    task: str
    strategies: str
    outcome: Outcome | None
    """None: no verdict."""
    why: str = ""
    """Why there is none."""
    tokens: int = 0


class Counts(Struct, frozen=True):
    """One set, before and after: tasks that have a verdict in both."""

    judged: int = 0
    before: int = 0
    """Successes as things were."""
    after: int = 0
    mended: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    """Ids of those that were tried and have no verdict."""
    trouble: str = ""
    """Why the first of these has none."""


class Evaluation(Struct, frozen=True):
    """What a candidate came to."""

    candidate: str
    verdict: Judgement
    why: str
    failures: Counts
    successes: Counts
    aside: Counts | None
    p: float | None = None
    """How probable what is seen on the tasks kept aside would be if it made no difference: ``exact.sign_test``. None: not looked at."""
    retries: int = 0
    """For it alone."""
    tokens: int = 0


def plan(
    candidate: Strategy,
    *,
    live: Sequence[Strategy],
    failures: Sequence[TaskLog],
    successes: Sequence[TaskLog],
    aside: Sequence[TaskLog] | None,
    most: int = MOST,
) -> Plan:
    """What is to be tried of it. Each set gets a third of ``most`` at least, if it has as many tasks."""
    beside = known(successes)
    had = {task.id: trouble(task, beside) for task in failures}
    kept = {task.id: trouble(task, beside) for task in aside or () if task.verdict and task.verdict.outcome == "failure"}
    alike = [task.id for task in aside or () if kept.get(task.id) in had.values()]
    others = [task.id for task in aside or () if task.id not in set(alike)]
    sizes = _fitted([len(failures), len(successes), len(alike) + len(others)], most // 2)
    same = _thinned(alike, max(sizes[2] // 2, sizes[2] - len(others)))
    rest = _thinned(others, sizes[2] - len(same))
    return Plan(
        identity(candidate),
        in_force(live),
        in_force(with_candidate(live, candidate)),
        _thinned([task.id for task in failures], sizes[0]),
        _thinned([task.id for task in successes], sizes[1]),
        None if aside is None else (*same, *rest),
        had | kept,
    )


def due(plan: Plan, tried: Iterable[Tried]) -> Trial | None:
    """What is to be tried next; None: the verdict stands."""
    done = {(each.task, each.strategies): each for each in tried}
    for part in ("failures", "successes", "aside"):
        for task in getattr(plan, part) or ():
            for strategies in (plan.before, plan.after):
                if (task, strategies) not in done:
                    return Trial(task, strategies)
            if part == "successes" and _counts([task], plan, done).broken:
                return None
        if part == "failures" and not _counts(plan.failures, plan, done).mended:
            return None
    return None


async def attempt(trial: Trial, retry: Retry, task: TaskLog, strategies: Sequence[Strategy]) -> Tried:
    """Tries it, with the strategies that it names. What the retry raises is no verdict, and neither is what is no log."""
    try:
        log = await retry(task, strategies)
    except Exception as error:  # noqa: BLE001 - a retry raises what it likes
        return Tried(trial.task, trial.strategies, None, shortened(told_error(error), TOLD))
    if not isinstance(log, TaskLog):
        return Tried(trial.task, trial.strategies, None, f"retry gave {shortened(repr(log), TOLD)}: give a TaskLog with its verdict")
    tokens = sum(turn.tokens for turn in log.turns)
    if log.verdict is None:
        return Tried(trial.task, trial.strategies, None, "it ended without a verdict", tokens)
    return Tried(trial.task, trial.strategies, log.verdict.outcome, tokens=tokens)


def judge(plan: Plan, tried: Iterable[Tried]) -> Evaluation:
    """The verdict on what has been tried so far."""
    done = {(each.task, each.strategies): each for each in tried}
    failures, successes = _counts(plan.failures, plan, done), _counts(plan.successes, plan, done)
    aside = None if plan.aside is None else _counts(plan.aside, plan, done)
    mended = {plan.troubles[task] for task in failures.mended}
    same = [_counts((task for task in of or () if plan.troubles.get(task) in mended), plan, done) for of in (plan.failures, plan.aside)]
    verdict, why = _verdict(plan, failures, successes, aside, same[0], same[1], due(plan, done.values()) is None)
    own = [each for each in done.values() if each.strategies == plan.after]
    return Evaluation(
        plan.candidate,
        verdict,
        why,
        failures,
        successes,
        aside,
        p=None if aside is None else sign_test(len(aside.mended), len(aside.broken)),
        retries=len(own),
        tokens=sum(each.tokens for each in own),
    )


async def evaluate(
    candidate: Strategy,
    retry: Retry,
    *,
    live: Sequence[Strategy],
    failures: Sequence[TaskLog],
    successes: Sequence[TaskLog],
    aside: Sequence[TaskLog] | None,
    most: int = MOST,
    tried: Iterable[Tried] = (),
    told: Callable[[Tried], Awaitable[None]] | None = None,
) -> Evaluation:
    """All of it, one retry after the other. ``tried``: what is known already; ``told`` is called with each that is new, before the next.

    ``aside=None`` does not look whether it generalises.
    """
    tasks = {task.id: task for task in (*failures, *successes, *(aside or ()))}
    outline = plan(candidate, live=live, failures=failures, successes=successes, aside=aside, most=most)
    strategies = {outline.before: list(live), outline.after: with_candidate(live, candidate)}
    done = list(tried)
    while trial := due(outline, done):
        done.append(await attempt(trial, retry, tasks[trial.task], strategies[trial.strategies]))
        if told:
            await told(done[-1])
    return judge(outline, done)


def with_candidate(live: Sequence[Strategy], candidate: Strategy) -> list[Strategy]:
    """The strategies in force if it were: it takes the place of the version that has its name."""
    return [*(each for each in live if each.name != candidate.name), candidate]


def _verdict(
    plan: Plan, failures: Counts, successes: Counts, aside: Counts | None, seen: Counts, unseen: Counts, is_done: bool
) -> tuple[Judgement, str]:
    """``seen`` and ``unseen``: the failures, and the tasks kept aside, that had a trouble of which it mends some."""
    if not is_done:
        return "undecided", "not all of it has been tried"
    for counts, of, name in ((failures, plan.failures, "failures"), (successes, plan.successes, "past successes")):
        if 2 * len(counts.without) > len(of):
            return "undecided", f"{len(counts.without)} of {len(of)} {name} have no verdict: {counts.trouble}"
    if not failures.mended:
        return "unhelpful", f"it mends none of {failures.judged} failures"
    if successes.broken:
        return "rejected", f"it breaks what went well: {', '.join(successes.broken)}"
    if len(failures.broken) >= len(failures.mended):
        return "rejected", f"of the failures it mends {len(failures.mended)} and breaks {len(failures.broken)}"
    said = f"it mends {len(failures.mended)} of {failures.judged} failures and breaks none of {successes.before} past successes"
    if aside is None or plan.aside is None:
        return "holds", f"{said}; tasks kept aside were not looked at"
    if 2 * len(aside.without) > len(plan.aside):
        return "undecided", f"{len(aside.without)} of {len(plan.aside)} tasks kept aside have no verdict: {aside.trouble}"
    kept = f"of {aside.judged} tasks kept aside {aside.before} went well before, {aside.after} with it"
    if aside.broken and len(aside.broken) >= len(aside.mended):
        return "overfitted", f"{said}, but {kept}: it breaks {', '.join(aside.broken)}"
    troubled = unseen.judged - unseen.before
    if troubled and not unseen.mended:
        return "overfitted", f"{said}, but of {troubled} tasks kept aside that have the same trouble none"
    if troubled and fisher(len(unseen.mended), troubled, len(seen.mended), seen.judged - seen.before) < LEVEL:
        return "overfitted", f"{said}, but of {troubled} tasks kept aside that have the same trouble only {len(unseen.mended)}"
    if len(failures.mended) + len(aside.mended) < SHOWN:
        return "undecided", f"{said}; {kept}: what mends one task alone may fit that one alone, so wait for more like it"
    if not troubled:
        kept += ", and none of them had the trouble that it mends"
    return "holds", f"{said}; {kept}"


def _counts(tasks: Iterable[str], plan: Plan, done: dict[tuple[str, str], Tried]) -> Counts:
    known = [task for task in tasks if (task, plan.before) in done and (task, plan.after) in done]
    pairs = [(task, done[task, plan.before], done[task, plan.after]) for task in known]
    judged = [(task, old.outcome == "success", new.outcome == "success") for task, old, new in pairs if old.outcome and new.outcome]
    return Counts(
        judged=len(judged),
        before=sum(old for _, old, _ in judged),
        after=sum(new for _, _, new in judged),
        mended=tuple(task for task, old, new in judged if new and not old),
        broken=tuple(task for task, old, new in judged if old and not new),
        without=tuple(task for task, old, new in pairs if not (old.outcome and new.outcome)),
        trouble=next((each.why for _, *both in pairs for each in both if not each.outcome), ""),
    )


def _fitted(sizes: Sequence[int], room: int) -> list[int]:
    """As many of each as fit into ``room``: the small ones whole, the rest in equal shares."""
    given = [0] * len(sizes)
    for left, place in enumerate(sorted(range(len(sizes)), key=lambda each: sizes[each])):
        given[place] = min(sizes[place], (room - sum(given)) // (len(sizes) - left))
    return given


def _thinned(ids: Sequence[str], size: int) -> tuple[str, ...]:
    """``size`` of them, evenly from the oldest to the newest."""
    if size >= len(ids):
        return tuple(ids)
    return tuple(ids[n * len(ids) // size] for n in range(size))
