"""examples.customer_service: twenty turns about an order, in two languages."""

import re
from collections.abc import AsyncIterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import pytest

import blackboard
from agents import Crew, ScentAgent
from agents.cli.transcript import Message
from blackboard.client import Board
from blackboard.testing import running_board
from bus.messages import Fact
from examples.customer_service.desk import Moment, Script, play
from examples.customer_service.story import SCRIPTS, behind
from tests.agents.cli.commands import ROOT, pheroboard

TURNS = 20


class Played(NamedTuple):
    """A conversation that has come to its end."""

    script: Script
    moments: list[Moment]
    warehouse: Board

    def fact(self, round_: int, type_: str, target: str) -> Fact:
        """What was recalled behind a turn; it was recalled."""
        found = behind(self.moments, round_).fact(type_, target)
        assert found is not None
        return found


@pytest.fixture(params=SCRIPTS.values(), ids=list(SCRIPTS))
async def played(request: pytest.FixtureRequest) -> AsyncIterator[Played]:
    """What is claimed holds in each language."""
    desk = ScentAgent("desk")
    async with running_board("desk", "front", "warehouse") as running:
        crew = Crew([desk], lambda agent: nullcontext(running[agent]))
        async with crew.working():
            moments = [moment async for moment in play(request.param, running["front"], desk, crew)]
        assert crew.report.failures == ()
        yield Played(request.param, moments, running["warehouse"])


def known(fact: Fact) -> tuple[object, float, bool]:
    return fact.value, round(fact.confidence, 2), fact.confirm


async def test_the_course(played: Played) -> None:
    """Twenty turns of the user's; the assistant and a log say something in between, which are none."""
    speakers = [moment.said.speaker for moment in played.moments if isinstance(moment.said, Message)]
    assert (speakers.count("user"), speakers.count("assistant"), speakers.count("system")) == (TURNS, 4, 1)
    assert played.moments[-1].field.round == TURNS


async def test_the_shipping_address(played: Played) -> None:
    """Changed twice, it is the last one, with no blend; it counts as when it was said, and the others are in the history alone."""
    order, last = played.script.order, played.script.last
    assert [known(played.fact(turn, "shipping_address", order))[1:] for turn in (2, 6, 9)] == [(0.75, False)] * 3
    assert played.fact(9, "shipping_address", order).value == last
    history = await played.warehouse.history("shipping_address", order)
    assert [(item.value, item.status) for item in history][2:] == [(last, "standing")]
    assert [item.status for item in history] == ["superseded", "superseded", "standing"]


async def test_the_billing_address(played: Played) -> None:
    """Untouched by both changes; said ten turns ago it is not lost, only uncertain, until it is confirmed."""
    order, bill = played.script.order, played.script.bill
    assert known(played.fact(3, "billing_address", order)) == (bill, 0.75, False)
    assert known(played.fact(11, "billing_address", order)) == (bill, 0.32, True)
    assert known(played.fact(12, "billing_address", order)) == (bill, 0.75, False)
    [item] = await played.warehouse.history("billing_address", order)
    assert (item.value, item.status) == (bill, "standing")


async def test_the_order_that_is_cancelled(played: Played) -> None:
    """Said with emphasis, as sure as can be and no surer; others see that it is asked for, and nothing is asked of the other order."""
    fact = played.fact(11, "directive", played.script.cancelled)
    assert (fact.value, fact.confidence, fact.confirm) == ("cancel", 1.0, False)
    states = {(item.key, item.target) for item in await played.warehouse.top(kind="state")}
    assert states == {("cancel", played.script.cancelled), ("change", played.script.order)}


async def test_what_nobody_needs(played: Played) -> None:
    """Small talk and a log's error are no facts and no items, and are hardly to be smelt a turn later."""
    types = {fact.type for moment in played.moments for fact in moment.facts}
    assert not types & {"chatter", "error_log", "general"}
    assert max(moment.field.concentrations.get("chatter", 0.0) for moment in played.moments) < 0.15
    assert behind(played.moments, 8).field.concentrations["error_log"] == pytest.approx(0.03)
    keys = {item.key for item in await played.warehouse.top(200) if item.kind != "trace"}
    assert not keys & {"chatter", "error_log", "general"}


async def test_the_other_task(played: Played) -> None:
    """It knows nothing of the first, and is not disturbed by it."""
    orders = {fact.target for moment in played.moments if 14 <= moment.field.round <= 17 for fact in moment.facts}
    assert len(orders) == 1
    assert not orders & {played.script.order, played.script.cancelled}


async def test_the_bridge(played: Played) -> None:
    """What stood comes back, at 0.8 of its strength and to be confirmed; once it is, it may be acted on, and no sooner."""
    order, last = played.script.order, played.script.last
    assert known(played.fact(18, "shipping_address", order)) == (last, 0.8, True)
    assert known(played.fact(18, "billing_address", order)) == (played.script.bill, 0.54, True)
    assert known(played.fact(18, "directive", played.script.cancelled)) == ("cancel", 0.8, True)
    assert known(played.fact(19, "shipping_address", order)) == (last, 1.0, False)
    assert played.fact(20, "shipping_address", order).value == last
    assert known(played.fact(20, "billing_address", order)) == (played.script.bill, 0.46, True)
    assert played.fact(20, "directive", played.script.cancelled).confirm


@pytest.mark.parametrize("language", SCRIPTS)
def test_as_a_person_runs_it(language: str, tmp_path: Path) -> None:
    """The turns with the field and the facts, what is looked back at, and what others see."""
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/customer_service"), "--language", language)
    assert (done.code, done.err) == (0, "")
    script = SCRIPTS[language]
    assert f"        fact   shipping_address of {script.order}: {script.last} (0.75)\n" in done.out
    assert f"        fact   billing_address of {script.order}: {script.bill} (0.32, ask again)\n" in done.out
    [row] = [line for line in done.out.splitlines() if line.startswith(f"where does {script.order} go?")]
    assert f"{script.last} (0.80, ask again)" in row
    seen = done.out.partition("What the warehouse sees")[2]
    assert f"{script.last}\n" in seen
    assert script.bill in seen


def test_its_lines_are_a_transcript(tmp_path: Path) -> None:
    """``pheroboard observe`` takes them as they are, and comes to the same."""
    database = tmp_path / "desk.db"
    with blackboard.open_sync(str(database), agent="operator"):
        pass  # it is made
    script = SCRIPTS["en"]
    done = pheroboard(tmp_path, "observe", str(database), str(script.path), "--conversation", "c1")
    assert (done.code, done.err) == (0, "")
    assert re.search(rf"^shipping_address +1.04 +{script.last} +{script.order} +1.00 ", done.out, re.MULTILINE)


def test_what_it_does_not_know(tmp_path: Path) -> None:
    """An option that is none ends it with a word, and the server that it runs on in order."""
    done = pheroboard(tmp_path, "run", str(ROOT / "examples/customer_service"), "--language", "fr")
    assert done.code == 2
    assert "invalid choice: 'fr'" in done.err
    assert "Traceback" not in done.err
