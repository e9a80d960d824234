"""Strategies on a board: versions never change, and what becomes of them is told by whom, and why."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, patch

import msgspec
import pytest

from agents.evolution.library import Library
from agents.evolution.shelf import Shelf
from agents.evolution.strategies import Lineage, Release, Rule, Strategy
from blackboard.client import Board
from blackboard.errors import BadValue
from blackboard.opening import open, serving  # noqa: A004 - as its users call it
from blackboard.testing import RunningBoard, running_board
from bus.nats import NatsBus
from bus.server import running_server


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("ana", "bo") as board:
        yield board


@pytest.fixture
def library(running: RunningBoard) -> Library:
    return Library(running["ana"], clock=iter(range(100, 10_000)).__next__)


def sales(limit: int, name: str = "sales", **more: Any) -> Strategy:
    return Strategy(name, Rule(set={"limit": limit}), **more)


def told(releases: list[Release]) -> dict[str, str]:
    return {release.strategy.ref: release.status for release in releases}


async def test_versions(library: Library) -> None:
    """Each that is added is the next version of its name, a candidate at first, and is got by its name and number."""
    assert (await library.add(sales(1, version=7))).strategy == sales(1)
    lineage = Lineage(parents=("sales@1",), failures=("t1", "t2"), cycle="c1", reason="too many rows")
    await library.add(sales(2, lineage=lineage))
    await library.add(sales(3, name="按月"))
    assert told(await library.releases()) == {"sales@1": "candidate", "sales@2": "candidate", "按月@1": "candidate"}
    assert (await library.get("sales@2")).strategy.lineage == lineage
    assert (await library.get("sales")).strategy.version == 2
    assert told(await library.versions("sales")) == {"sales@1": "candidate", "sales@2": "candidate"}


async def test_another_agent_reads_the_same(library: Library, running: RunningBoard) -> None:
    """What one agent adds, and what becomes of it, another reads."""
    await library.add(sales(1))
    await library.approve("sales@1", by="Wang")
    assert await Library(running["bo"]).releases() == await library.releases("active")


async def test_the_same_again_is_the_same_version(library: Library) -> None:
    """One that says what a version says already is that version; one that was put away is proposed anew, one in force stays so."""
    first = await library.add(sales(1))
    assert await library.add(sales(1, lineage=Lineage(reason="again"))) == first
    await library.approve("sales@1", by="Wang")
    assert (await library.add(sales(1))).status == "active"
    assert (await library.add(sales(1), status="rejected")).status == "active"
    await library.retire("sales@1", by="Wang")
    assert (await library.add(sales(1))).status == "candidate"
    assert len(await library.versions("sales")) == 1


async def test_one_who_is_killed_while_adding(library: Library, running: RunningBoard, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number that was taken by one who then was gone is nobody's version: the next one is given to whoever adds next."""
    with monkeypatch.context() as patched:
        patched.setattr(Shelf, "say", AsyncMock(side_effect=RuntimeError("killed")))
        with pytest.raises(RuntimeError):
            await library.add(sales(1))
    assert await library.releases() == []
    assert (await Library(running["bo"]).add(sales(2))).strategy.ref == "sales@2"
    assert (await library.add(sales(1))).strategy.ref == "sales@3"
    assert told(await library.releases()) == {"sales@2": "candidate", "sales@3": "candidate"}


async def test_the_way_of_a_version(library: Library) -> None:
    """A candidate becomes a canary, then active in place of the one before; history says who decided what, when and why."""
    await library.add(sales(1), status="active", by="Wang")
    await library.add(sales(2), scores={"mended": 4})
    canary = await library.approve("sales@2", by="Li", share=0.2, why="looks right")
    assert (canary.status, canary.share, canary.by, canary.scores) == ("canary", 0.2, "Li", {"mended": 4.0})
    assert told(await library.releases()) == {"sales@1": "active", "sales@2": "canary"}
    await library.promote("sales@2", by="Li", scores={"success": 0.9})
    assert told(await library.releases()) == {"sales@1": "retired", "sales@2": "active"}
    assert [(each.version, each.status, each.by, each.at, each.why, each.said_by) for each in await library.decisions("sales")] == [
        (1, "active", "Wang", 100, "", "ana"),
        (2, "candidate", "ana", 101, "", "ana"),
        (2, "canary", "Li", 102, "looks right", "ana"),
        (2, "active", "Li", 103, "", "ana"),
    ]


async def test_nothing_goes_live_without_a_name(library: Library, running: RunningBoard) -> None:
    """No verb lets a version go live without somebody who says so; nor does a decision that another writes by hand."""
    await library.add(sales(1))
    for by in ("", "  "):
        with pytest.raises(BadValue, match="nothing becomes active without somebody who says so"):
            await library.approve("sales@1", by=by)
        with pytest.raises(BadValue, match="without somebody"):
            await library.add(sales(2), status="canary", share=0.5, by=by)
    await forged(running, version=1, status="active")
    assert told(await library.releases()) == {"sales@1": "candidate"}
    await forged(running, version=1, status="active", by="Wang")
    assert [(said.by, said.said_by) for said in await library.decisions("sales")][1:] == [("Wang", "bo")]


@pytest.mark.parametrize(
    "said",
    [
        {"status": "active", "by": " "},
        {"status": "canary", "share": 5.0},
        {"status": "canary", "share": -0.5},
        {"status": "active", "share": 0.5},
        {"status": "retired", "at": 1e300},
        {"status": "retired", "at": -1.0},
    ],
)
async def test_what_no_decision_can_say_is_passed_over(library: Library, running: RunningBoard, said: dict[str, Any]) -> None:
    """A decision that is written by hand is held to what the verbs are held to."""
    await library.add(sales(1))
    await forged(running, **{"version": 1, "by": "Wang", **said})
    assert told(await library.releases()) == {"sales@1": "candidate"}
    assert len(await library.decisions("sales")) == 1


async def forged(running: RunningBoard, **said: Any) -> None:
    """A decision about the first version, written by hand, which names what that says."""
    [item, *_] = await running["ana"].history("strategy:sales", "1")
    meta = {"record": said, "of": item.meta["of"]}
    await running["bo"].deposit(f"forged {said}", kind="strategy", key="strategy:sales", target="1", scope="shared", meta=meta)


@pytest.mark.parametrize("name", ["x" * 250, "not a name", "sales@1"])
async def test_a_name_that_no_strategy_can_have_is_passed_over(library: Library, running: RunningBoard, name: str) -> None:
    """Somebody who puts such a name there stops nobody from reading the others."""
    await library.add(sales(1))
    await running["bo"].deposit("by hand", kind="strategy", key="strategy", target=name, scope="shared")
    assert told(await library.releases()) == {"sales@1": "candidate"}
    with pytest.raises(BadValue, match=r"there is sales$"):
        await library.get("other")


async def test_an_approval_is_of_what_a_version_said(library: Library, running: RunningBoard) -> None:
    """Who puts two under one number, and erases the first once it is approved, has not got the second approved."""
    for limit in (1, 666):
        meta = {"record": msgspec.to_builtins(sales(limit))}
        await running["bo"].deposit(f"limit {limit}", kind="strategy", key="strategy:sales@1", scope="shared", meta=meta)
    theirs = Library(running["bo"])
    with patch.object(Shelf, "claim", AsyncMock(return_value=sales(1))):
        await theirs.add(sales(1))
    await library.approve("sales@1", by="Wang")
    assert (await library.get("sales")).strategy == sales(1)
    await running["bo"].erase((await running["bo"].history("strategy:sales@1"))[0])
    assert await Library(running["ana"]).releases() == []
    assert (await library.add(sales(2))).strategy.ref == "sales@2"


async def test_the_same_decision_at_the_same_time_by_the_clock(running: RunningBoard) -> None:
    """What is decided again counts, also where the clock stands still."""
    library = Library(running["ana"], clock=lambda: 5.0)
    await library.add(sales(1))
    for _ in range(2):
        assert (await library.approve("sales@1", by="Wang")).status == "active"
        assert (await library.retire("sales@1", by="Wang")).status == "retired"
    assert len(await library.decisions("sales")) == 5


async def test_errors_do_not_list_everything(library: Library) -> None:
    """Where there are many, an error names some."""
    for limit in range(25):
        await library.add(sales(limit))
    with pytest.raises(BadValue, match=r"sales@20 \(candidate\) and 5 more$"):
        await library.get("sales@99")


@pytest.mark.parametrize(
    "meta", [{}, {"record": 5}, {"record": {"version": "x"}}, {"record": {"version": 9, "status": "active", "by": "x"}}]
)
async def test_what_is_no_record_is_passed_over(library: Library, running: RunningBoard, meta: dict[str, Any]) -> None:
    """What somebody put there that is no record, or is about no version, stops nobody, and changes nothing."""
    await library.add(sales(1))
    for key, target in (("strategy", "other"), ("strategy:sales", "1"), ("strategy:sales", "9"), ("strategy:sales@2", None)):
        await running["bo"].deposit("junk", kind="strategy", key=key, target=target, scope="shared", meta=meta)
    assert told(await library.releases()) == {"sales@1": "candidate"}
    assert (await library.add(sales(2))).strategy.ref == "sales@2"


async def test_a_version_never_changes(library: Library, running: RunningBoard) -> None:
    """What is put under a number that is taken is never read; nor is a version gone because its item is retracted."""
    await library.add(sales(1))
    [item] = await running["ana"].history("strategy:sales@1")
    forged = {"record": {**item.meta["record"], "body": {"type": "rule", "set": {"limit": 666}}}}
    await running["bo"].deposit("forged", kind="strategy", key="strategy:sales@1", scope="shared", meta=forged)
    await running["ana"].retract(item)
    assert (await Library(running["bo"]).get("sales@1")).strategy == sales(1)


async def test_lines_for_people(library: Library, running: RunningBoard) -> None:
    """A version's item says its note, or else what it is; a decision's says what, by whom and why."""
    await library.add(sales(1, note="By  month"))
    await library.add(sales(2))
    await library.approve("sales@1", by="Li", share=0.2, why="try it")
    lines = [item.content for key in ("sales@1", "sales@2", "sales") for item in await running["ana"].history(f"strategy:{key}")]
    assert [line.rpartition(" #")[0] for line in lines] == [
        "sales@1: By month",
        "sales@2: rule",
        "sales@1 is candidate, by ana",
        "sales@2 is candidate, by ana",
        "sales@1 is canary for 20% of tasks, by Li: try it",
    ]


async def test_what_the_board_refused_is_said(library: Library) -> None:
    """A version that did not come to stand is nobody's."""
    with patch.object(Shelf, "_first", AsyncMock(return_value=None)), pytest.raises(BadValue, match="sales@1 was refused by board"):
        await library.add(sales(1))


async def test_reject_and_retire(library: Library) -> None:
    """What is rejected never goes live unless it is added anew; what is retired may be approved again."""
    await library.add(sales(1))
    assert (await library.reject("sales@1", by="Li", why="over-fitted")).why == "over-fitted"
    with pytest.raises(BadValue, match="sales@1 is rejected, by Li: only what is canary or candidate or retired can be approved"):
        await library.approve("sales@1", by="Wang")
    with pytest.raises(BadValue, match="only what is active or canary can be retired"):
        await library.retire("sales@1", by="Wang")
    await library.add(sales(1))
    await library.approve("sales@1", by="Wang")
    await library.retire("sales", by="Wang")
    assert (await library.approve("sales", by="Wang")).status == "active"


async def test_rollback(library: Library) -> None:
    """Rolling back brings back the version before, and again the one before that; then none is left in force. History says so."""
    for limit in (1, 2, 3):
        await library.add(sales(limit), status="active", by="Wang")
    back = await library.rollback("sales", by="Li", why="fails at month ends")
    assert (back.strategy.ref, back.status, back.why) == ("sales@2", "active", "rolled back: fails at month ends")
    assert told(await library.releases()) == {"sales@1": "retired", "sales@2": "active", "sales@3": "retired"}
    assert (await library.rollback("sales", by="Li")).strategy.ref == "sales@1"
    assert (await library.rollback("sales", by="Li")).status == "retired"
    assert told(await library.releases("active")) == {}
    with pytest.raises(BadValue, match="nothing of sales is in force"):
        await library.rollback("sales", by="Li")
    assert (await library.rollback("sales", by="Li", to=3)).strategy.ref == "sales@3"
    assert [each.status for each in await library.decisions("sales")][3:] == ["active", "active", "retired", "active"]


async def test_rollback_of_a_canary(library: Library) -> None:
    """Where a canary is what went live last it is retired, and the active version goes on."""
    await library.add(sales(1), status="active", by="Wang")
    await library.add(sales(2), status="canary", share=0.5, by="Wang")
    assert (await library.rollback("sales", by="Li")).strategy.ref == "sales@1"
    assert told(await library.releases()) == {"sales@1": "active", "sales@2": "retired"}
    with pytest.raises(BadValue, match="sales@1 is in force, and nothing beside it"):
        await library.rollback("sales", by="Li", to=1)
    await library.add(sales(3))
    with pytest.raises(BadValue, match="sales@3 was never in force"):
        await library.rollback("sales", by="Li", to=3)
    await library.add(sales(4, name="lone"), status="canary", share=0.5, by="Wang")
    assert (await library.rollback("lone", by="Li")).status == "retired"


@pytest.mark.parametrize(
    ("share", "status", "told"),
    [(0.0, "canary", "share 0.0: a canary"), (1.0, "canary", "share 1.0: a canary"), (0.5, "active", "share 0.5: only a canary")],
)
async def test_shares(library: Library, share: float, status: Any, told: str) -> None:
    """A canary's share is above 0 and below 1, and nothing else has one."""
    with pytest.raises(BadValue, match=told):
        await library.add(sales(1), status=status, share=share, by="Wang")
    assert await library.releases() == []


async def test_what_is_not_there(library: Library) -> None:
    """A name and a version that there is not are named, with those that there are."""
    await library.add(sales(1))
    with pytest.raises(BadValue, match="there is no strategy 'sale' on board 'board': there is sales"):
        await library.get("sale")
    with pytest.raises(BadValue, match=r"there is no sales@3: there is sales@1 \(candidate\)"):
        await library.get("sales@3")
    with pytest.raises(BadValue, match=r"scores\.x: nan is no finite number"):
        await library.approve("sales", by="Wang", scores={"x": float("nan")})


async def test_diff(library: Library) -> None:
    """Two versions differ in the lines of their files."""
    await library.add(sales(1))
    await library.add(sales(2))
    told = await library.diff("sales@1", "sales@2")
    assert told.startswith("--- sales@1\n+++ sales@2\n")
    assert "-    limit: 1\n+    limit: 2\n" in told


async def test_private_strategies_are_ones_own(running: RunningBoard) -> None:
    """In private scope the strategies are the agent's own, beside those that are shared."""
    await Library(running["ana"], scope="private").add(sales(1))
    assert await Library(running["bo"], scope="private").releases() == []
    assert await Library(running["ana"]).releases() == []
    assert len(await Library(running["ana"], scope="private").releases()) == 1


async def test_agents_hear_of_a_release(library: Library, running: RunningBoard) -> None:
    """Whoever listens to changes of strategies hears that something became of one, and of which."""
    await library.add(sales(1))
    changes = running["bo"].changes(kind="strategy", key="strategy:sales")
    async with changes:
        await library.approve("sales@1", by="Wang")
        async for change in changes:
            assert (change.key, change.target) == ("strategy:sales", "1")
            break


async def test_an_export_takes_them_along(library: Library, running: RunningBoard) -> None:
    """Brought into another board by an export, the strategies are the same there, and so is what became of them."""
    for limit in range(5):
        await library.add(sales(limit), status="active", by="Wang")
    await library.rollback("sales", by="Wang")
    async with running_board("ana", name="other") as other:
        await other["ana"].import_(await running["ana"].export())
        assert await Library(other["ana"]).releases() == await library.releases()


async def test_deciding_raises_no_signal(running: RunningBoard) -> None:
    """However often agents decide about a strategy, nothing of it is confirmed: so no rise, no consensus and no burst is told."""
    await Library(running["ana"]).add(sales(1))
    for by in ("ana", "bo", "ana", "bo"):
        await Library(running[by]).approve("sales@1", by="Wang", share=0.5)
    assert {item.confirmations for item in await running["ana"].top(kind="strategy")} == {0}


async def test_strategies_enter_no_prompt(library: Library, running: RunningBoard) -> None:
    """What is kept of strategies is in no assembled section."""
    await library.add(sales(1, note="limit the sales query"))
    assert (await running["ana"].assemble("limit the sales query", 1000)).text == ""


async def test_two_that_add_at_once(tmp_path: Path) -> None:
    """Two agents on a real server that add at once, and again and again, never get one number for two things; no number is left out."""
    async with running_server(tmp_path / "nats") as server:
        bus = await NatsBus.connect(server.url)
        try:
            async with serving(bus, "board", tmp_path), open(f"{server.url}/board", agent="ana") as a, open(
                f"{server.url}/board", agent="bo"
            ) as b:  # fmt: skip
                await _race(a, b)
        finally:
            await bus.aclose()


async def _race(a: Board, b: Board) -> None:
    adding = [(Library(board).add(sales(limit))) for limit, board in enumerate((a, b) * 6)]
    added = await asyncio.gather(*adding)
    versions = [release.strategy.version for release in added]
    assert sorted(versions) == list(range(1, 13))
    for release in await Library(b).releases():
        assert release in added
    twice = await asyncio.gather(*(Library(board).add(sales(99)) for board in (a, b)))
    assert {release.strategy.ref for release in twice} == {"sales@13"}
    approving = [Library(board).approve(f"sales@{version}", by="Wang") for version, board in ((1, a), (2, b), (3, a))]
    await asyncio.gather(*approving)
    assert len(await Library(a).releases("active")) == 1
    assert await Library(a).releases() == await Library(b).releases()
