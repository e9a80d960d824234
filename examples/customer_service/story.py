"""The conversation as a person can follow it, and what of it is known when."""

from argparse import ArgumentParser
from collections.abc import Sequence

import blackboard
from agents import Crew, ScentAgent
from agents.cli.output import print_table
from agents.cli.transcript import Begin, Message
from bus.messages import Fact
from examples.customer_service.desk import CHINESE, ENGLISH, Moment, Script, play

SCRIPTS = {"en": ENGLISH, "zh": CHINESE}
WHEN = {"in the order's task": 13, "in the other task": 17, "just continued": 18, "confirmed": 19}
"""What is looked back at: how the conversation stood behind these turns."""


async def main(address: str, *args: str) -> int:
    """Play the conversations on the board at ``address``; then look back."""
    options = ArgumentParser("customer_service", description=__doc__)
    options.add_argument("--language", choices=SCRIPTS, help="one conversation only")
    try:
        chosen = options.parse_args(args)
    except SystemExit as told:  # the board that this runs on is to be closed in order
        return 2 if told.code else 0
    desk = ScentAgent("desk")
    crew = Crew([desk], address)
    async with blackboard.open(address, agent="front") as front, crew.working():
        for language, script in SCRIPTS.items():
            if chosen.language in {None, language}:
                print(f"\n[{language}] {script.path.name}\n")
                moments = list[Moment]()
                async for moment in play(script, front, desk, crew):
                    tell(moment)
                    moments.append(moment)
                look_back(script, moments)
    async with blackboard.open(address, agent="warehouse") as warehouse:
        print("\nWhat the warehouse sees on the board, which has heard nothing of all this:")
        seen = [item for kind in ("slot", "state", "constraint") for item in await warehouse.top(kind=kind)]
        for item in sorted(seen, key=lambda item: item.target or ""):
            print(f"    {item.target}  {item.kind:<10}  {item.content}")
    return 1 if crew.report.failures else 0


def tell(moment: Moment) -> None:
    """What was said, and behind each turn how concentrated the scents of the conversation are, and what is recalled of it."""
    match moment.said:
        case Message("user", text):
            print(f"{moment.field.round:>2}  user: {text}")
        case Message(speaker, text):
            print(f"    {speaker}: {text}")
            return
        case Begin(task):
            print(f"    – the task {task!r} begins –")
        case _:
            print("    – the task ends –")
    print("        field  " + (", ".join(f"{type_} {value:.2f}" for type_, value in moment.field.concentrations.items()) or "empty"))
    for fact in moment.facts:
        if fact.value != fact.target:  # that there is an order, the others tell
            said = "" if _is_slot(fact) else f" – {fact.content}"
            print(f"        fact   {fact.type} of {fact.target}: {fact.value}{said} ({_sure(fact)})")


def look_back(script: Script, moments: Sequence[Moment]) -> None:
    """What was known of the order when."""
    stood = [behind(moments, round_) for round_ in WHEN.values()]
    asked = {
        f"where does {script.order} go?": ("shipping_address", script.order),
        "and its bill?": ("billing_address", script.order),
        f"what of {script.cancelled}?": ("directive", script.cancelled),
    }
    rows = [(question, *map(_said, (moment.fact(*what) for moment in stood))) for question, what in asked.items()]
    print()
    print_table(("", *WHEN), rows, empty="")


def behind(moments: Sequence[Moment], round_: int) -> Moment:
    """How the conversation stood when the user had said this turn's message."""
    return next(moment for moment in moments if moment.field.round == round_ and isinstance(moment.said, Message))


def _is_slot(fact: Fact) -> bool:
    return fact.value is not None and fact.content.endswith(f": {fact.value}")


def _said(fact: Fact | None) -> str:
    return "–" if fact is None else f"{fact.value} ({_sure(fact)})"


def _sure(fact: Fact) -> str:
    return f"{fact.confidence:.2f}, ask again" if fact.confirm else f"{fact.confidence:.2f}"
