"""Both conversations, side by side on one board, and what is remembered of them."""

from argparse import ArgumentParser
from collections.abc import Iterable
from contextlib import AsyncExitStack
from pathlib import Path

import blackboard
from agents import plot
from blackboard.tokens import count_tokens
from examples.sixty_rounds.assistant import Assistant
from examples.sixty_rounds.chinese import CHINESE
from examples.sixty_rounds.comparison import compare, table
from examples.sixty_rounds.course import ROUNDS
from examples.sixty_rounds.english import ENGLISH
from examples.sixty_rounds.memories import transcript
from examples.sixty_rounds.plot import save

SCRIPTS = {script.language: script for script in (ENGLISH, CHINESE)}
BUDGET = 2000
"""Tokens that a memory section may have. It takes what matters, not what there is room for."""


async def main(address: str, *args: str) -> int:
    """Play the rounds on the board at ``address``, then put the question to three memories."""
    options = ArgumentParser("sixty_rounds", description=__doc__)
    options.add_argument("--language", choices=SCRIPTS, help="one conversation only")
    options.add_argument("--plot", type=Path, metavar="FILE.png", help="draw how strong the notes were, round by round")
    try:
        chosen = options.parse_args(args)
    except SystemExit as told:  # the board that this runs on is to be closed in order
        return 2 if told.code else 0
    if chosen.plot:
        plot.ready(chosen.plot)  # before all the rounds are played
    async with AsyncExitStack() as boards:
        assistants = [
            Assistant(await boards.enter_async_context(blackboard.open(address, agent=f"assistant-{script.language}")), script)
            for script in SCRIPTS.values()
            if chosen.language in {None, script.language}
        ]
        await converse(assistants)
        for assistant in assistants:
            await tell(assistant)
    if chosen.plot:
        save(assistants[0].strengths, chosen.plot)
        print(f"\nHow strong the notes were, round by round: {chosen.plot}")
    return 0


async def converse(assistants: Iterable[Assistant]) -> None:
    """Play all the rounds. Each assistant's notes are its own: it neither sees nor weighs the other's."""
    first, *_ = assistants = list(assistants)
    for number in range(1, ROUNDS + 1):
        await first.board.end_round()
        for assistant in assistants:
            await assistant.hear(number)


async def tell(assistant: Assistant) -> None:
    """Ask for the question's memory section, and for the cat's name; print what came of it."""
    script = assistant.script
    question = script.turns[-1].said
    section = await assistant.board.assemble(question, max_tokens=BUDGET)
    asked = await assistant.board.assemble(script.cat_question, max_tokens=BUDGET)
    said, facts = count_tokens(transcript(script.turns)), sum(count_tokens(hit.item.content) for hit in section.chosen)
    print(f"\n[{script.language}] round {ROUNDS}: {question}\n")
    print(table(compare(script, assistant.strengths, section, asked)))
    print(f"\nAll that was said is {said} tokens, the facts in the network's section are {facts}:\n\n{section.text}")
    print(f"\n{script.cat_question}\n\n{asked.text}")
