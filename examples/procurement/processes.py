"""The same three agents, each in a process of its own, on one board over NATS.

An agent needs nothing but the board's address; what stands here is only the beat. Rounds are ended by one of many, so the parent must know
that nobody has anything left to do: each child, when asked, settles and says up to which entry of the log it has done so. Once all say the
same, nobody has spoken since, and the round may end.
"""

import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream

from agents import Crew
from examples.procurement.crew import ROUNDS, agents
from examples.procurement.timeline import Timeline


async def conduct(address: str) -> None:
    """Start the children, and play the rounds with them."""
    timeline = Timeline()
    crew = Crew([timeline], address)
    async with crew.working(), AsyncExitStack() as stack:
        members = [await stack.enter_async_context(_started(address, agent.name)) for agent in agents()]
        await _settle(members, crew)
        for _ in range(ROUNDS):
            number = await crew.play()
            for member in members:
                await member.say(f"play {number}")
            await _settle(members, crew)
            await crew.end_round()
        await _settle(members, crew)
        await timeline.end()
