"""examples.chat_crew: three chat agents that keep to what they were told, also once it has left their windows."""

from pathlib import Path

import pytest

from agents.adapters.service import MemoryService
from examples.chat_crew import main
from examples.chat_crew.script import script
from examples.chat_crew.server import BROKEN, BUSY, serving

BROKEN_AND_SETTLED = """\
you → travel: Propose a trip.
    travel: I propose Qingdao by train: 58,000 CNY for twelve.
you → finance: The trip may cost 50,000 CNY at most, all in.
    finance: It binds everybody now: 50,000 CNY and no more.
    ✗ the board tells travel that its proposal breaks it
    travel: I propose Hangzhou by train: 46,000 CNY for twelve.
"""
REMEMBERED = """\
you → travel: May we have a boat with a band in Hangzhou, for 6,000 CNY more?
    travel: No: 52,000 CNY would break trip_cost <= 50000 CNY.
you → travel: How do we get there: do we fly?
    travel: We go by train. Nobody flies, as you said.
        ('Nobody flies: only trains.' has left its window, which begins with 'What about the food in Hangzhou?'; it is in the memory at \
the end of its last prompt)
you → host: Tell everybody about the trip: which town, what does it cost, do we fly?
    host: We go to Hangzhou by train, for 46,000 CNY, of 50,000 at most.

At the end the board says, to everybody:
    trip_cost <= 50000 CNY, hard, by finance: active
    Hangzhou by train: 46,000 CNY for twelve, by travel
    trip_cost = 52,000? breaks trip_cost <= 50000 CNY
"""


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agents.chat.PAUSE", 0.0)
    monkeypatch.delenv("OPENAI_MODEL", raising=False)


async def test_the_story(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """At the model that the environment names: the budget is broken and settled, and what was said in the second turn holds to the end."""
    with serving(script, {2: BUSY, 5: BROKEN}) as url:
        for name, value in {"MODEL": "any", "BASE_URL": url, "API_KEY": "sk-7"}.items():
            monkeypatch.setenv(f"OPENAI_{name}", value)
        assert await main(str(tmp_path / "trip")) == 0
    out = capsys.readouterr().out
    assert BROKEN_AND_SETTLED in out
    assert out.endswith(REMEMBERED)


async def test_it_is_the_memory_that_holds_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The same models without what the board recalls spend more than they may, and fly."""

    async def nothing(*_: object) -> str:
        return ""

    monkeypatch.setattr(MemoryService, "assemble", nothing)
    assert await main(str(tmp_path / "trip")) == 0
    out = capsys.readouterr().out
    assert "travel: Gladly: 52,000 CNY." in out
    assert "travel: We go by plane." in out
    assert "it is not in the memory" in out


async def test_it_takes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    """What it is given too much it names."""
    assert await main("trip", "--faster") == 2
    assert "--faster" in capsys.readouterr().err
