"""The claims of ``agents.replies``: pieces as servers send them."""

from typing import Any

import pytest

from agents.errors import BadReply
from agents.replies import Gathered, Reply, ToolCall
from tests.agents.chat_server import USAGE, call, calls, chunk, reply

WANTED = (("look_up", '{"town": "北京"}'), ("look_up", '{"town": "Xi\'an"}'))


def gathered(*pieces: Any) -> Reply:
    came = Gathered(500)
    for piece in pieces:
        assert list(came.take(piece)) == []
    return came.reply()


@pytest.mark.parametrize(
    "pieces",
    [
        calls(*WANTED),
        [  # no index, as some servers; the id again with each piece, as others
            chunk(tool_calls=[call("look_up", '{"town": "北', None, "a")]),
            chunk(tool_calls=[call(None, '京"}', None, "a")]),
            chunk(tool_calls=[call(*WANTED[1], None, "b")]),
            chunk(finish="stop"),
        ],
        [  # one index for all
            chunk(tool_calls=[call(*WANTED[0], 0, "a"), call(*WANTED[1], 0, "b")]),
            chunk(finish="tool_calls"),
        ],
        [  # no ids
            chunk(tool_calls=[call(*WANTED[0], 0), call(*WANTED[1], 1)]),
            chunk(finish="tool_calls"),
        ],
        [  # one id for all, as that of servers which give the tool's name
            chunk(tool_calls=[call(*WANTED[0], 0, "look_up"), call(*WANTED[1], 1, "look_up")]),
            chunk(finish="tool_calls"),
        ],
        [  # the id in a piece of its own, with no function yet
            chunk(tool_calls=[{"index": 0, "id": "a"}]),
            chunk(tool_calls=[call(*WANTED[0], 0), call(*WANTED[1], 1, "b")]),
            chunk(finish="tool_calls"),
        ],
        [reply(None, "tool_calls", None, tool_calls=[call(*WANTED[0], None, "a"), call(*WANTED[1], None, "b")])],  # whole
    ],
)
def test_calls_are_told_apart_however_a_server_numbers_them(pieces: list[Any]) -> None:
    """By index, by id, or by both; and each gets an id, by which its result is told."""
    came = gathered(*pieces)
    assert tuple((each.name, each.arguments) for each in came.calls) == WANTED
    assert len({each.id for each in came.calls if each.id}) == 2


def test_the_last_usage_counts() -> None:
    """Servers that tell it with each piece tell what it is so far; nonsense is passed over."""
    growing = [chunk() | {"usage": {"prompt_tokens": 9, "completion_tokens": n, "total_tokens": 9 + n}} for n in (1, 2)]
    ended = [chunk(tool_calls=[call("end", "{}", id="a")]), chunk(finish="stop")]
    assert gathered(*growing, *ended, {"choices": [], "usage": "much"}).tokens == 11
    assert gathered(*ended).tokens == 500
    assert gathered(*ended, {"choices": [], "usage": USAGE}) == Reply("", (ToolCall("a", "end", "{}"),), "stop", 12)


def test_nothing_that_was_written_is_no_nonsense() -> None:
    """A usage may say that the reply itself had no tokens."""
    free = chunk(tool_calls=[call("end", "{}", id="a")], finish="stop") | {
        "usage": {"prompt_tokens": 9, "completion_tokens": 0, "total_tokens": 9}
    }
    assert gathered(free).tokens == 9


def test_of_several_choices_the_first_is_the_reply() -> None:
    """Whatever the others say."""
    first, second = chunk(tool_calls=[call("end", "{}", id="a")], finish="stop"), chunk("Another.", "length")
    assert gathered({"choices": first["choices"] + second["choices"]}).calls == (ToolCall("a", "end", "{}"),)


def test_a_reply_that_is_not_over_is_none() -> None:
    """Without an end it is half of one, though it reads well."""
    came = Gathered(500)
    assert list(came.take(chunk("Beijing."))) == ["Beijing."]
    with pytest.raises(BadReply, match="broke off"):
        came.reply()
