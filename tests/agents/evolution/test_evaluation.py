from collections.abc import Sequence

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.evaluation import MOST, Evaluation, Plan, Tried, due, evaluate, judge, plan
from agents.evolution.strategies import Rule, Strategy
from agents.memory.records import TaskLog, Verdict
from tests.agents.evolution.cases import call, task, went_well

LIVE = [Strategy("old", Rule(advice="be kind"))]


class Desk:
    """Retries tasks: a task goes well if it is easy, or if a strategy sets what it needs."""

    def __init__(self, broken: Sequence[str] = (), raising: Sequence[str] = ()) -> None:
        self.broken, self.raising = broken, raising
        self.retried: list[tuple[str, tuple[str, ...]]] = []

    async def __call__(self, task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        self.retried.append((task.id, tuple(strategy.name for strategy in strategies)))
        values = {value for each in strategies if isinstance(each.body, Rule) for value in each.body.set.values()}
        if values and task.id in self.raising:
            raise ConnectionError("the sandbox is away")
        is_fine = task.facts["needs"] in {"nothing", *values} and not (values and task.id in self.broken)
        return msgspec.structs.replace(task, verdict=Verdict("success" if is_fine else "failure"))


def candidate(value: str = "insurance") -> Strategy:
    """One that sets something."""
    return Strategy("new", Rule(set={"give": value}))


def easy(prefix: str, count: int) -> list[TaskLog]:
    """Tasks that go well."""
    return [went_well(f"{prefix}{n}", call("book"), needs="nothing") for n in range(count)]


def hard(prefix: str, count: int, needs: str = "insurance") -> list[TaskLog]:
    """Tasks that fail, all with the same trouble."""
    return [task(f"{prefix}{n}", call("book", "insurance is a required parameter"), needs=needs) for n in range(count)]


async def judged(one: Strategy, desk: Desk, aside: Sequence[TaskLog] | None, failures: Sequence[TaskLog] | None = None) -> Evaluation:
    """The evaluation beside five past successes."""
    return await evaluate(one, desk, live=LIVE, failures=failures or hard("f", 3), successes=easy("s", 5), aside=aside)


async def test_a_candidate_that_mends_and_breaks_nothing_holds() -> None:
    """On all three sets, with how probable it would be by chance."""
    found = await judged(candidate(), Desk(), [*easy("e", 4), *hard("h", 5)])
    assert found.verdict == "holds"
    assert found.failures.mended == ("f0", "f1", "f2")
    assert (found.successes.before, found.successes.after, found.successes.broken) == (5, 5, ())
    assert found.aside
    assert (found.aside.before, found.aside.after, found.p) == (4, 9, 1 / 32)
    assert "of 9 tasks kept aside 4 went well before, 9 with it" in found.why


async def test_one_that_over_fits_a_failure_is_rejected_on_tasks_kept_aside_and_gets_through_without_them() -> None:
    """It mends the one failure that it was made for, and none that have the same trouble."""
    failures = hard("f", 1, needs="Dr. Wang's insurance")
    over_fitted = candidate("Dr. Wang's insurance")
    found = await judged(over_fitted, Desk(), [*easy("e", 4), *hard("h", 5)], failures)
    assert found.verdict == "overfitted"
    assert "of 5 tasks kept aside that have the same trouble none" in found.why
    assert (await judged(over_fitted, Desk(), None, failures)).verdict == "holds"


async def test_one_that_mends_far_fewer_of_the_tasks_kept_aside_is_over_fitted() -> None:
    """By Fisher's test, also where it mends one of them by chance."""
    found = await judged(candidate(), Desk(), [*hard("h", 9, needs="a referral"), *hard("i", 1)], hard("f", 6))
    assert found.verdict == "overfitted"
    assert "only 1" in found.why


async def test_one_that_does_worse_on_tasks_kept_aside_is_over_fitted() -> None:
    """It breaks there as many as it mends."""
    found = await judged(candidate(), Desk(broken=["e0"]), [*easy("e", 4), *hard("h", 1)])
    assert found.verdict == "overfitted"
    assert "it breaks e0" in found.why


async def test_one_that_breaks_a_past_success_is_rejected_at_once() -> None:
    """And what would come after it is not tried."""
    desk = Desk(broken=["s1"])
    found = await judged(candidate(), desk, easy("e", 4))
    assert (found.verdict, found.successes.broken) == ("rejected", ("s1",))
    assert not [each for each, _ in desk.retried if each in {"s2", "e0"}]


async def test_one_that_mends_nothing_is_given_up_before_a_success_is_tried() -> None:
    """It costs as little as can be."""
    desk = Desk()
    found = await judged(candidate("a smile"), desk, easy("e", 4))
    assert (found.verdict, found.retries) == ("unhelpful", 3)
    assert {each for each, _ in desk.retried} == {"f0", "f1", "f2"}


async def test_where_nothing_kept_aside_has_the_trouble_that_is_said() -> None:
    """It holds as far as can be seen; unless it mends one task alone, and so may fit that one alone."""
    found = await judged(candidate(), Desk(), easy("e", 4))
    assert found.verdict == "holds"
    assert "none of them had the trouble" in found.why
    found = await judged(candidate(), Desk(), easy("e", 4), hard("f", 1))
    assert (found.verdict, "wait for more" in found.why) == ("undecided", True)


async def test_a_trouble_that_it_does_not_mend_is_not_asked_for_aside() -> None:
    """Of the failures some have another one, too; so have those kept aside."""
    other = [task(f"o{n}", call("book", "timeout"), needs="a miracle") for n in range(4)]
    found = await judged(candidate(), Desk(), [*other[2:], *easy("e", 4)], [*other[:2], *hard("f", 3)])
    assert found.verdict == "holds"


async def test_a_retry_that_raises_is_no_verdict_and_is_told() -> None:
    """It counts on no side; of a set of which more than half has none nothing can be said."""
    found = await judged(candidate(), Desk(raising=["s0"]), None)
    assert (found.verdict, found.successes.judged, found.successes.without) == ("holds", 4, ("s0",))
    found = await judged(candidate(), Desk(raising=["f0", "f1"]), None)
    assert (found.verdict, found.why) == ("undecided", "2 of 3 failures have no verdict: ConnectionError: the sandbox is away")


async def test_a_task_that_ends_without_a_verdict_has_none() -> None:
    """As one that raises."""

    async def leave(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        return msgspec.structs.replace(task, verdict=None)

    told: list[Tried] = []

    async def tell(tried: Tried) -> None:
        told.append(tried)

    found = await evaluate(candidate(), leave, live=LIVE, failures=hard("f", 1), successes=[], aside=None, told=tell)
    assert found.verdict == "undecided"
    assert {each.why for each in told} == {"it ended without a verdict"}


async def test_what_is_no_log_is_no_verdict() -> None:
    """Whatever a retry gives in place of one is told."""

    async def forget(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
        return None  # type: ignore[return-value]

    found = await evaluate(candidate(), forget, live=LIVE, failures=hard("f", 1), successes=[], aside=None)
    assert found.why == "1 of 1 failures have no verdict: retry gave None: give a TaskLog with its verdict"


async def test_what_mends_itself_is_no_merit_of_the_candidate() -> None:
    """A logged failure that goes well without it is not mended by it."""
    failures = [task("flaky", needs="nothing")]
    assert (await judged(candidate(), Desk(), None, failures)).verdict == "unhelpful"


async def test_it_takes_the_place_of_the_version_that_has_its_name() -> None:
    """The others stay in force."""
    desk = Desk()
    live = [*LIVE, Strategy("new", Rule(set={"give": "a smile"}))]
    await evaluate(candidate(), desk, live=live, failures=hard("f", 1), successes=[], aside=None)
    assert desk.retried == [("f0", ("old", "new")), ("f0", ("old", "new"))]


async def test_what_was_tried_is_not_tried_again() -> None:
    """An evaluation that was broken off goes on; and the baseline is known to the next candidate."""
    whole: list[Tried] = []

    async def tell(tried: Tried) -> None:
        whole.append(tried)

    sets = {"live": LIVE, "failures": hard("f", 3), "successes": easy("s", 5), "aside": [*easy("e", 4), *hard("h", 5)]}
    first = await evaluate(candidate(), Desk(), told=tell, **sets)  # type: ignore[arg-type]
    for done in range(len(whole)):
        desk = Desk()
        assert await evaluate(candidate(), desk, tried=whole[:done], **sets) == first  # type: ignore[arg-type]
        assert len(desk.retried) == len(whole) - done
    desk = Desk()
    await evaluate(candidate("a smile"), desk, tried=whole, **sets)  # type: ignore[arg-type]
    assert len(desk.retried) == 3


async def test_the_retries_of_one_candidate_are_bounded() -> None:
    """Of many tasks some are left out: evenly, and those with the same trouble last."""
    aside = [*easy("e", 3000), *hard("h", 40)]
    outline = plan(candidate(), live=LIVE, failures=hard("f", 10), successes=easy("s", 1000), aside=aside)
    assert outline.aside
    assert 2 * sum(map(len, (outline.failures, outline.successes, outline.aside))) <= MOST
    assert (len(outline.failures), len(outline.successes), len(outline.aside)) == (10, 45, 45)
    assert len(set(outline.aside) & outline.troubles.keys()) == 22


ids = st.lists(st.sampled_from("abcdefghij"), unique=True).map(tuple)


@given(ids, ids, st.none() | ids, st.data())
def test_whatever_is_tried_an_evaluation_ends_and_its_verdict_follows(
    failures: tuple[str, ...], successes: tuple[str, ...], aside: tuple[str, ...] | None, data: st.DataObject
) -> None:
    """Nothing is due twice; none that breaks a past success or mends nothing holds; none holds that lost more than it won aside."""
    troubles = {task: data.draw(st.sampled_from(["one", "two"])) for task in (*failures, *(aside or ())[:5])}
    outline = Plan("new#1", "before", "after", failures, successes, aside, troubles)
    done: list[Tried] = []
    while trial := due(outline, done):
        assert judge(outline, done).verdict == "undecided"
        assert (trial.task, trial.strategies) not in {(each.task, each.strategies) for each in done}
        done.append(Tried(trial.task, trial.strategies, data.draw(st.sampled_from(["success", "failure", None]))))
    found = judge(outline, done)
    if found.verdict == "holds":
        assert found.failures.mended
        assert not found.successes.broken
        assert not found.aside or found.aside.after >= found.aside.before
        assert not found.aside or len(found.failures.mended) + len(found.aside.mended) > 1
