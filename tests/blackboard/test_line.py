"""An agent's line to its board."""

import pytest

from blackboard import line as module
from blackboard.errors import BlackboardError, NotInView, OutOfOrder, Refused
from blackboard.line import Line
from bus.errors import BadMessage, NoAnswer
from bus.memory import MemoryBus
from bus.messages import Answer, AnyReply, Failed, Items, Top, encode


class Scripted(MemoryBus):
    """A bus that gives these replies, one after another."""

    def __init__(self, *script: AnyReply | Exception, now: float = 0.0) -> None:
        super().__init__(lambda: 0.0)
        self._script = list(script)
        self._now = now

    async def ask(self, board: str, agent: str, data: bytes, *, timeout: float = 5.0) -> bytes:  # noqa: ARG002, ASYNC109
        reply = self._script.pop(0)
        if isinstance(reply, Exception):
            raise reply
        return encode(Answer(reply, now=self._now))


def line(*script: AnyReply | Exception, now: float = 0.0) -> Line:
    return Line(Scripted(*script, now=now), "board", "finance")


async def test_asked_again_until_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    """While nobody answers a question is asked again, also when the board says that it is not so far; patience has an end."""
    monkeypatch.setattr(module, "_AGAIN", 0.0)
    reply = await line(NoAnswer("nobody"), Failed("NoAnswer", "behind"), Items(())).ask(Top())
    assert reply == Items(())
    with pytest.raises(NoAnswer, match="nobody"):
        await line(NoAnswer("nobody"), Items(())).ask(Top(), patience=0.0)


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("NotInView", NotInView), ("OutOfOrder", OutOfOrder), ("BadMessage", BadMessage), ("BlackboardError", BlackboardError),
        ("SomethingOfTheFuture", Refused),
    ],
)  # fmt: skip
async def test_a_failure_is_the_error_that_it_names(code: str, kind: type[Exception]) -> None:
    """An error crosses the wire as what it is; one of a later version as a refusal."""
    with pytest.raises(kind, match=r"^why$"):
        await line(Failed(code, "why")).ask(Top())


async def test_the_time_is_heard() -> None:
    """The board's time is known from its answers."""
    asked = line(Items(()), now=7.0)
    await asked.ask(Top())
    assert asked.now == 7.0
