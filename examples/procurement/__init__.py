"""A procurement, a finance and a schedule agent on one board: the price moves, the budget breaks, a limit fades.

Run it: ``pheroboard run examples/procurement [--processes]``.
"""

import sys

from agents import Crew
from examples.procurement.crew import ROUNDS, agents
from examples.timeline import Timeline, summary

__all__ = ["ROUNDS", "agents", "main"]


async def main(address: str, *args: str) -> int:
    """Play the story on the board at ``address``; with ``--processes``, each agent in a process of its own."""
    if args not in {(), ("--processes",)}:
        print(f"examples/procurement takes --processes or nothing, not {' '.join(args)}", file=sys.stderr)
        return 2
    print(f"Three agents, {ROUNDS} rounds, one board at {address}. What an agent keeps private is not shown.\n", flush=True)
    if args:
        from examples.procurement.processes import conduct

        await conduct(address)
        failed = False
    else:
        report = await Crew([Timeline(), *agents()], address, rounds=ROUNDS).run()
        failed = bool(report.failures)
    await summary(address, [agent.name for agent in agents()])
    return 1 if failed else 0
