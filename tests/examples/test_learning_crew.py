"""examples.learning_crew: a data desk that learns from its failures (chapter 5)."""

import asyncio
from collections import Counter
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import pytest
from msgspec.structs import asdict

import blackboard
from agents.evolution.account import Candidate
from agents.evolution.files import read_strategies
from agents.evolution.library import Library
from agents.evolution.strategies import Release
from agents.memory.distiller import distil_board
from agents.memory.journal import Journal
from agents.memory.records import Experience, TaskLog
from examples.learning_crew.books import right
from examples.learning_crew.course import FIRST, Score, Week, first_generation, learn, score
from examples.learning_crew.crew import DataDesk, retry
from examples.learning_crew.desk import NAME
from examples.learning_crew.requests import NO_LOG, requests
from examples.learning_crew.review import LEAD
from examples.learning_crew.story import curve, curves
from examples.learning_crew.tools import ToolError, Tools
from examples.learning_crew.world import CLOSED, build, copy, sales
from tests.agents.cli.commands import ROOT, pheroboard

YEAR = {"since": "2025-01-01", "until": "2025-12-31"}
MARCH = {"since": "2025-03-01", "until": "2025-03-31"}


@pytest.fixture(scope="module")
def tools() -> Tools:
    """Over a world of their own."""
    return Tools(copy(build()))


def test_the_world_is_the_same_at_every_start() -> None:
    """Nothing in it hangs on when it is made."""
    assert list(sales()) == list(sales())


def test_the_summary_is_as_old_as_its_last_load(tools: Tools) -> None:
    """The month that has not been closed is missing, and nothing says so."""
    months = tools.call("monthly_summary", YEAR)["groups"]
    assert max(months) == CLOSED
    assert len(months) == 11
    assert len(tools.call("monthly_summary", YEAR | {"realtime": True})["groups"]) == 12


def test_a_page_does_not_say_that_there_are_more(tools: Tools) -> None:
    """What a query returns looks the same, whether it is all or a page."""
    page, whole = tools.call("query_sales", MARCH | {"limit": 50}), tools.call("query_sales", MARCH | {"limit": 9999})
    assert len(page["rows"]) == 50 < len(whole["rows"])
    assert page.keys() == whole.keys()


def test_a_long_range_of_rows_times_out(tools: Tools) -> None:
    """Unless the store is told which index to use, or adds up by itself."""
    with pytest.raises(ToolError, match="timeout"):
        tools.call("query_sales", YEAR)
    assert tools.call("query_sales", YEAR | {"index": "sales_day"})["rows"]
    assert tools.call("query_sales", YEAR | {"aggregate": True})["groups"]


def test_amounts_are_added_up_as_they_were_booked(tools: Tools) -> None:
    """In two currencies at once, unless the query names one."""
    booked = tools.call("query_sales", YEAR | {"aggregate": True, "by": "region"})
    converted = tools.call("query_sales", YEAR | {"aggregate": True, "by": "region", "currency": "CNY"})
    assert booked["groups"]["north"] == pytest.approx(converted["groups"]["north"])
    assert booked["groups"]["overseas"] * 7.2 == pytest.approx(converted["groups"]["overseas"])


def test_a_chart_has_a_log_scale_unless_it_is_told_otherwise(tools: Tools) -> None:
    """As the tool's default is."""
    assert tools.call("plot", {"title": "revenue"})["scale"] == "log"


@pytest.mark.parametrize(
    ("tool", "parameters", "said"),
    [
        ("query", {}, "there is no tool query"),
        ("query_sales", MARCH | {"year": 2025}, "has no parameter 'year': it takes since, until"),
        ("query_sales", {"since": "2025-03-01"}, "until"),
        ("query_sales", MARCH | {"index": "day"}, "no such index: day"),
        ("query_sales", MARCH | {"currency": "EUR"}, "unknown currency 'EUR'"),
        ("monthly_summary", YEAR | {"by": "product"}, "holds months, not product"),
    ],
)
def test_tools_say_what_they_cannot_do(tools: Tools, tool: str, parameters: dict[str, object], said: str) -> None:
    """With what was wrong about the call."""
    with pytest.raises(ToolError, match=said):
        tools.call(tool, parameters)


def test_two_hundred_requests_of_five_types() -> None:
    """The same at every start, each once; some forbid a log scale, and few ask for one."""
    seen, unseen = requests()
    assert (seen, unseen) == requests()
    asked = seen + unseen
    assert (len(seen), len(unseen)) == (120, 80)
    assert len({request.text for request in asked}) == 200
    assert Counter(request.type for request in asked) == dict.fromkeys(("trend", "ranking", "share", "total", "comparison"), 40)
    scales = Counter("no" if NO_LOG in request.text else "log" if "log scale" in request.text else "" for request in asked)
    assert scales["no"] >= 20 > scales["log"] > 2


def test_the_books_and_the_tools_agree_when_they_are_asked_well(tools: Tools) -> None:
    """Two ways to add up, which share nothing but the rows."""
    for request in chain(*requests()):
        wish = request.wish
        if wish.then_since:
            continue
        asked = {name: value for name, value in asdict(wish).items() if name in {"since", "until", "measure", "by", "region", "category"}}
        given = tools.call("query_sales", asked | {"aggregate": True, "currency": wish.currency})["groups"]
        expected = right(wish)
        assert {name: given[name] for name in expected} == pytest.approx(expected)
        assert len(expected) == (wish.top or len(given))


class Learnt(NamedTuple):
    """What three weeks came to."""

    before: Score
    weeks: list[Week]
    releases: list[Release]
    logs: list[TaskLog]
    experiences: list[Experience]

    @property
    def candidates(self) -> list[Candidate]:
        """Of all cycles."""
        return [candidate for week in self.weeks for candidate in week.account.candidates]

    def verdicts(self, change: str) -> set[str]:
        """What was said of the candidates that make this change."""
        return {each.evaluation.verdict for each in self.candidates if each.evaluation and each.change == change}


async def work(path: Path, *, generalises: bool) -> Learnt:
    """Three weeks, on a board in a file."""
    async with blackboard.open(str(path), agent=NAME) as board:
        await first_generation(Library(board))
        desk = DataDesk(Tools(build()), board)
        async with desk.memory.compressing():
            weeks = [week async for week in learn(desk, generalises=generalises)]
        await distil_board(board)
        journal = Journal(board)
        logs, experiences = await journal.logs(), await journal.experiences()
        return Learnt(score(read_strategies(FIRST)), weeks, await Library(board).releases(), logs, experiences)


@pytest.fixture(scope="module")
def learnt(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    """As the example is run."""
    return asyncio.run(work(tmp_path_factory.mktemp("checked") / "board", generalises=True))


@pytest.fixture(scope="module")
def unchecked(tmp_path_factory: pytest.TempPathFactory) -> Learnt:
    """With ``--unchecked``."""
    return asyncio.run(work(tmp_path_factory.mktemp("unchecked") / "board", generalises=False))


def test_the_first_generation_fails_on_a_known_share(learnt: Learnt) -> None:
    """About every other request, of those that are seen and of the others."""
    assert (len(learnt.before.seen), len(learnt.before.unseen)) == (67, 35)


def test_what_was_learnt_serves_requests_that_nobody_saw(learnt: Learnt) -> None:
    """By 25 points and more, and nothing that went well when it was asked fails now."""
    score = learnt.weeks[-1].score
    assert (len(score.unseen) - len(learnt.before.unseen)) / 80 >= 0.25
    assert frozenset().union(*(week.answered for week in learnt.weeks)) <= score.seen


def test_each_week_is_better_than_the_one_before(learnt: Learnt) -> None:
    """As the curve shows."""
    unseen = list(curves([learnt.before, *(week.score for week in learnt.weeks)])["unseen"].values())
    assert unseen == sorted(unseen)
    assert len(list(curve([learnt.before]))) == 1


def test_a_candidate_that_fits_its_failures_alone_is_rejected(learnt: Learnt) -> None:
    """It breaks what others ask for: a log scale, which nobody had asked for among those that it was made from."""
    [overfitted] = [each for each in learnt.candidates if each.evaluation and each.evaluation.verdict == "overfitted"]
    assert overfitted.evaluation
    assert overfitted.evaluation.failures.mended
    assert not overfitted.evaluation.successes.broken
    assert overfitted.evaluation.aside
    assert overfitted.evaluation.aside.broken
    assert overfitted.strategy.ref not in {release.strategy.ref for release in learnt.releases}


def test_without_the_tasks_kept_aside_it_gets_through(learnt: Learnt, unchecked: Learnt) -> None:
    """And breaks, once it is in force, what nobody tried it on."""
    [change] = [each.change for each in learnt.candidates if each.evaluation and each.evaluation.verdict == "overfitted"]
    assert unchecked.verdicts(change) == {"holds"}
    [through] = [each for each in unchecked.candidates if each.change == change]
    assert "active" in {release.status for release in unchecked.releases if release.strategy.name == through.strategy.name}
    answered = frozenset[str]().union(*(week.answered for week in unchecked.weeks))
    assert answered - unchecked.weeks[-1].score.seen
    assert any(effect.broken for week in unchecked.weeks for effect in week.effects.values())


def test_nothing_is_in_force_that_the_lead_did_not_approve(learnt: Learnt) -> None:
    """Candidates wait for somebody."""
    assert {release.by for release in learnt.releases if release.status in {"active", "canary"}} == {LEAD}
    assert {reviewed.ref for week in learnt.weeks for reviewed in week.reviewed} == {each.ref for each in learnt.candidates if each.ref}


def test_a_canary_is_promoted_by_what_came_of_it(learnt: Learnt) -> None:
    """By the tasks of the week after, with a test that is told."""
    [decision] = [each for week in learnt.weeks for each in week.watched if each.ruling == "promote"]
    assert decision.better <= 0.25
    assert "p = " in decision.why


def test_what_must_not_be_is_in_the_experiences_to_the_letter(learnt: Learnt) -> None:
    """Through all three tiers."""
    kept = [sentence for experience in learnt.experiences for sentence in experience.kept]
    assert f"Draw a chart, but {NO_LOG}." in kept


async def test_a_task_that_is_done_again_goes_as_it_went(learnt: Learnt) -> None:
    """With the strategies that it was done with: the sandbox is the world, and the desk draws nothing."""
    by_ref = {release.strategy.ref: release.strategy for release in learnt.releases}
    assert len(learnt.logs) == 120
    for log in learnt.logs:
        again = await retry(log, [by_ref[ref] for ref in log.strategies])
        assert (again.turns, again.verdict) == (log.turns, log.verdict)


def test_it_is_run_by_its_name(tmp_path: Path) -> None:
    """On a server of its own; the curve is drawn, too."""
    picture = tmp_path / "curve.png"
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/learning_crew"), "--plot", str(picture))
    assert done.code == 0, done.err
    assert "The curve" in done.out
    assert "none would fail now" in done.out
    assert picture.stat().st_size > 1000
