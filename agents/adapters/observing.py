"""What of an event goes onto the board, and what of the board into a prompt: the contract of all adapters, on a board.

Laws:

- What was assembled for a prompt is never observed: whole sections are taken out of every text first.
- What a person said is read by rules (chapter 3), and stands besides word for word, unless it is small talk or only asks; what the agent
  stated and what a tool returned stands word for word. Said again it confirms, and adds nothing.
- An item is short enough to be recalled: of a long text the beginning stands, with how much is left out.
"""

import json

from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
from blackboard.client import Board
from blackboard.section import without_memory
from blackboard.tokens import count_tokens
from bus.messages import Assembled

MAX_ITEM = 400
"""Tokens of an observed text that stand in its item."""
LONGEST_QUERY = 4_000
"""Characters of a query, of which the last ones count: a question tends to end a message."""
NOTHING_SAID = frozenset({"chatter", "error_log"})


async def assemble(board: Board, query: str, max_tokens: int) -> Assembled:
    """The section for a prompt about ``query``, of at most ``max_tokens``; its text is "" if nothing is relevant.

    What is in it is not used yet: ``board.used`` says so, for which no prompt need wait.
    """
    return await board.assemble(without_memory(query)[-LONGEST_QUERY:], max_tokens, use=False)


async def observe(board: Board, event: Event, scope: str = "private") -> None:
    """Put onto ``board`` what an event says, in ``scope``. Nothing comes of what says nothing."""
    match event:
        case UserSaid(text, conversation):
            scents = await board.observe(text, conversation=conversation, scope=scope)
            said = excerpt(without_memory(text))
            if said and not said.endswith(("?", "？")) and any(scent.type not in NOTHING_SAID for scent in scents):
                await board.deposit(said, scope=scope, meta={"speaker": "user"})
        case AgentSaid(text):
            if said := excerpt(without_memory(text)):
                await board.deposit(said, scope=scope)
        case ToolReturned(tool, arguments, result, failed):
            if said := excerpt(without_memory(result)):
                given = ", ".join(f"{name}={json.dumps(value, ensure_ascii=False, default=str)}" for name, value in arguments.items())
                content = f"{excerpt(f'{tool}({given})', MAX_ITEM // 4)}{' failed' * failed}: {said}"
                await board.deposit(content, kind="trace" if failed else "tool_result", scope=scope, meta={"tool": tool})


def excerpt(text: str, max_tokens: int = MAX_ITEM) -> str:
    """A text of at most about ``max_tokens``: all of it, or its beginning and how many characters are left out."""
    said = text.strip()
    if len(said) <= max_tokens or count_tokens(said) <= max_tokens:  # no tokenizer makes more tokens of a text than it has bytes
        return said
    cut = min(len(said), max_tokens * 4)
    while count_tokens(said[:cut]) > max_tokens:
        cut = cut * 3 // 4
    return f"{said[:cut].rstrip()} […{len(said) - cut:,} characters left out]"
