"""What of an event goes onto the board, and what of the board into a prompt: the contract of all adapters, on a board.

Laws:

- What was assembled for a prompt is never observed: whole sections are taken out of every text first, also of JSON in it.
- What a person said is read by rules (chapter 3), and stands besides word for word, unless it is one rule, small talk or a question; what
  the agent stated stands word for word, unless it is small talk, and what a tool returned always. Said again it confirms, and adds nothing.
- An item is short enough to be recalled: of a long text the beginning stands, with how much is left out. Whatever the length, it takes
  milliseconds: the board's event loop waits for it.
"""

import json
import re
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
from blackboard.client import Board
from blackboard.kinds import CONSTRAINT
from blackboard.scent.observing import LONGEST
from blackboard.scent.observing import observe as scents_of
from blackboard.scent.rules_file import shipped
from blackboard.section import OPENING, without_memory
from blackboard.tokens import count_tokens
from blackboard.validity import MAX_NAME
from bus.messages import Assembled

MAX_ITEM = 400
"""Tokens of an observed text that stand in its item."""
LONGEST_TOKEN = 8
"""Characters that one has at most, on average, in what is read: blanks and dashes may have more."""
LONGEST_QUERY = 4_000
"""Characters of a query, of which the last ones count: a question tends to end a message."""
LONGEST_BESIDE = 16_000
"""Characters of what a prompt has besides that are looked at."""
SMALL_TALK = "chatter"
NOTHING_SAID = frozenset({SMALL_TALK, "error_log"})

_loading = threading.Lock()


def load() -> None:
    """Have at hand what texts are read and counted by. It takes some tenths of a second the first time: not in an event loop."""
    with _loading:
        shipped()
        count_tokens("")


async def assemble(board: Board, query: str, max_tokens: int, beside: Iterable[str] = ()) -> Assembled:
    """The section for a prompt about ``query``, of at most ``max_tokens``; its text is "" if nothing is relevant.

    ``beside``: the texts of its messages, newest first: what was observed of one that stands there is not said again. What is in the
    section is not used yet: ``board.used`` says so, for which no prompt need wait.
    """
    told, room = list[str](), LONGEST_BESIDE
    for text in beside:
        told.append(excerpt(heard(text)))
        room -= len(told[-1]) + 1
        if room < 0:
            told.pop()
            break
    return await board.assemble(asked(query), max_tokens, beside="\n".join(told), account=False, use=False)


def asked(query: str) -> str:
    """A query as a board takes it, whatever a framework gives as one."""
    return heard(query)[-LONGEST_QUERY:]


async def observe(board: Board, event: Event, scope: str = "private") -> None:
    """Put onto ``board`` what an event says, in ``scope``. Nothing comes of what says nothing."""
    match event:
        case UserSaid(text, conversation):
            said = heard(text)
            half = (LONGEST - 1) // 2  # of a long message what frames it, as what is said of a document that is pasted, is read by rules
            framed = said if len(said) <= LONGEST else f"{said[:half]}\n{said[-half:]}"
            scents = await board.observe(framed, conversation=conversation, scope=scope)
            states = any(scent.type not in NOTHING_SAID for scent in scents) and not said.endswith(("?", "？"))
            if states and not any(scent.kind == CONSTRAINT and scent.content == said for scent in scents):  # then it stands already
                await board.deposit(excerpt(said), scope=scope, meta={"speaker": "user"})
        case AgentSaid(text):
            said = heard(text)
            if any(scent.type != SMALL_TALK for scent in scents_of(said)):  # none for a text of blanks
                await board.deposit(excerpt(said), scope=scope)
        case ToolReturned(tool, arguments, result, failed):
            if said := heard(result):
                call = excerpt(heard(_call(tool, arguments)), MAX_ITEM // 4) + " failed" * failed
                # The call is part of what tells the item from others: two may well have one result.
                key, about, kind = _named(heard(tool)), _named(call), "trace" if failed else "tool_result"
                await board.deposit(excerpt(said), kind=kind, key=key or None, target=about, scope=scope, meta={"speaker": call})


def excerpt(text: str, max_tokens: int = MAX_ITEM) -> str:
    """A text of at most about ``max_tokens``: all of it, or its beginning and how many characters are left out."""
    if len(text) <= max_tokens and len(text.encode(errors="replace")) <= max_tokens:
        return text  # no token is less than a byte
    cut = min(len(text), max_tokens * LONGEST_TOKEN)
    while count_tokens(text[:cut]) > max_tokens:
        cut = cut * 4 // 5
    return text if cut == len(text) else f"{text[:cut].rstrip()} […{len(text) - cut:,} characters left out]"


def _call(tool: str, arguments: Mapping[str, Any]) -> str:
    """A call as one writes it."""
    return f"{tool}({', '.join(f'{name}={_written(value)}' for name, value in arguments.items())})"


def _named(text: str) -> str:
    """A text as a key or a target may be: which tool is called, and with what, is a model's to make up."""
    plain = " ".join(_CONTROL.sub(" ", text).split())
    return plain if len(plain) <= MAX_NAME else f"{plain[: MAX_NAME - 1]}…"


_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


def _written(value: Any) -> str:
    """A value as JSON, or else as Python shows it; of a framework's own objects, in all their variety, some can be neither."""
    with suppress(Exception):
        return json.dumps(_news(value), ensure_ascii=False, default=str)
    with suppress(Exception):
        return repr(value)
    return "…"


def _news(value: Any) -> Any:
    """A value whose texts are without memory."""
    match value:
        case str():
            return _without_memory(value)
        case Mapping():
            return {name: _news(each) for name, each in value.items()}
        case list() | tuple():
            return [_news(each) for each in value]
        case _:
            return value


def heard(text: str) -> str:
    """What a text says that the board did not, as Unicode has it: what a model streamed may hold half of a pair."""
    return _without_memory(text).encode("utf-16", "surrogatepass").decode("utf-16", "replace").strip()


_ESCAPED = re.compile(re.escape(json.dumps(OPENING)[1:-1]) + r'[^"\\]*(?:\\.[^"\\]*)*')
"""What a string of JSON has from a section's beginning on."""


def _without_memory(text: str) -> str:
    """A text without sections, also without those in JSON that it has: as such, frameworks write what tools return."""

    def decoded(found: re.Match[str]) -> str:
        try:
            return json.dumps(without_memory(json.loads(f'"{found[0]}"', strict=False)), ensure_ascii=False)[1:-1]
        except ValueError:  # it only looked like JSON
            return found[0]

    return _ESCAPED.sub(decoded, without_memory(text))
