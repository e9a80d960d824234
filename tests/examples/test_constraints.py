"""examples.constraints: five agents lay down constraints and test them."""

from contextlib import nullcontext

from agents import Crew
from blackboard.testing import running_board
from examples.constraints.crew import ROUNDS, agents
from tests.agents.cli.commands import ROOT, pheroboard


async def test_statuses() -> None:
    """What is confirmed stays active, what nobody confirms fades; a faded soft limit may be relaxed, a hard one binds."""
    async with running_board(*(agent.name for agent in agents()), "viewer") as running:
        report = await Crew(agents(), lambda agent: nullcontext(running[agent]), rounds=ROUNDS).run()
        assert report.failures == ()
        viewer = running["viewer"]
        statuses = {(view.item.owner, view.item.key): (view.status, view.relaxable) for view in await viewer.constraints()}
        assert statuses == {
            ("finance", "budget"): ("fading", False),
            ("engineering", "budget"): ("fading", True),
            ("engineering", "latency"): ("fading", True),
            ("legal", "region"): ("active", False),
            ("marketing", "slogan"): ("fading", True),
        }
        slogans = [(item.value, item.status) for item in await viewer.history("slogan") if item.kind == "fact"]
        assert slogans == [("Twice as fast!", "superseded"), ("Twice as fast", "standing")]


def test_as_a_person_reads_it() -> None:
    """The contested limit, the broken and mended slogan, the limit that binds and is later relaxed, and a unit that does not agree."""
    done = pheroboard(ROOT, "run", "examples/constraints")
    assert (done.code, done.err) == (0, "")
    assert "≠ CONTESTED    60,000 CNY would be better  (engineering says 60,000, finance says 50,000)" in done.out
    assert "✗ VIOLATED     Slogan: Twice as fast!" in done.out
    assert done.out.count("✗ VIOLATED     Latency") == 1
    assert "latency = 250? no: latency <= 200 ms (may be relaxed)" in done.out
    assert "region = US? no: region in ['CN', 'EU'] (binds)" in done.out
    assert "budget=55000 is in 'EUR'" in done.out
