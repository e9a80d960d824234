"""agents.cli.hosting: a server of ours is told who is known."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from agents.cli import hosting
from bus.accounts import configuration
from bus.errors import ServerError
from bus.identities import Identities
from bus.server import Server


class Stubborn:
    """A server that does not take the first that it is told."""

    def __init__(self) -> None:
        self.tries = 0
        self.accounts = ""

    async def reload(self, accounts: str) -> None:
        self.tries += 1
        if self.tries == 1:
            raise ServerError("it said nothing for 10 s")
        self.accounts = accounts


async def test_what_the_server_does_not_take_it_is_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Else an agent that was removed while the server stood still would speak until the next change. What cannot be read stops nothing."""
    for pause in ("LOOK_AGAIN", "TRY_AGAIN"):
        monkeypatch.setattr(hosting, pause, 0.01)
    identities, server, told = Identities(tmp_path), Stubborn(), asyncio.Queue[str]()
    await identities.prepare()

    def tell(*, identities: str) -> None:
        told.put_nowait(identities)

    following = asyncio.create_task(hosting._follow(identities, ("shop",), cast("Server", server), identities.stamp(), tell))
    async with asyncio.timeout(10):
        await identities.add("finance")
        assert await told.get() == identities.stamp()
        assert server.accounts == configuration(identities.registry(), identities.host, ["shop"])
        file = tmp_path / "agents.json"
        good = file.rename(tmp_path / "good")
        file.mkdir()
        while "agents.json cannot be read" not in caplog.text:  # noqa: ASYNC110 - a log has no event for us
            await asyncio.sleep(0.01)
        file.rmdir()
        good.rename(file)
        await identities.add("schedule")
        while await told.get() != identities.stamp():
            pass
    assert [record.message.partition(":")[0] for record in caplog.records].count("the agents' new state is not in force; trying again") == 2
    following.cancel()
    await asyncio.wait({following})
