"""A listener's queue."""

import asyncio

import pytest

from bus.errors import Unreachable
from bus.mailbox import Mailbox


async def test_drops_the_oldest(monkeypatch: pytest.MonkeyPatch) -> None:
    """A full queue loses its oldest message and never refuses the newest."""
    monkeypatch.setattr("bus.mailbox.SIZE", 2)
    mailbox = Mailbox()
    for data in (b"1", b"2", b"3"):
        mailbox.put(data)
    assert [await anext(mailbox), await anext(mailbox)] == [b"2", b"3"]


async def test_wakes_its_listener() -> None:
    """A listener that waits gets what is put."""
    mailbox = Mailbox()
    waiting = asyncio.ensure_future(anext(mailbox))
    await asyncio.sleep(0)
    mailbox.put(b"1")
    async with asyncio.timeout(5):
        assert await waiting == b"1"


async def test_gives_what_is_left_before_the_end() -> None:
    """After the end what was put before is still given, then ``Unreachable``."""
    mailbox = Mailbox()
    mailbox.put(b"1")
    mailbox.close()
    assert await anext(mailbox) == b"1"
    with pytest.raises(Unreachable):
        await anext(mailbox)
