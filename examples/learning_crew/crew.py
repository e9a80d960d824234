"""The desk as an agent that records what it does, and a sandbox in which it does a task once more."""

from collections.abc import Iterable, Sequence
from functools import cache

import msgspec
from msgspec.structs import replace

from agents import Agent
from agents.conditions import Situation
from agents.evolution.matcher import Picked
from agents.evolution.strategies import Strategy
from agents.memory.records import TaskLog
from blackboard.client import Board
from examples.learning_crew import colleagues, world
from examples.learning_crew.desk import NAME, Work
from examples.learning_crew.requests import Request, requests
from examples.learning_crew.tools import Tools


class DataDesk(Agent):
    """Answers requests, one after the other, by the strategies that are in force on its board."""

    def __init__(self, tools: Tools, board: Board | None = None) -> None:
        super().__init__(NAME, board)
        self._tools = tools

    async def answer(self, request: Request, id_: str) -> bool:
        """Do it, record it, and hear what whoever asked says: was it right?"""
        facts = msgspec.to_builtins(request.wish)
        about = {"type": request.type, "tools": self._tools.names, "facts": facts, "critical": request.critical}
        async with self.task(request.text, id=id_, **about) as task:
            work = Work(request.wish, self._tools, task.picked)
            for turn in work.turns():
                await task.step(turn.text, calls=turn.calls, tokens=turn.tokens, seconds=turn.seconds, done=turn.done)
            verdict = colleagues.verdict(request, task.log.turns, work.done)
            judged = task.succeed if verdict.outcome == "success" else task.fail
            judged(verdict.feedback, by=verdict.by, expected=verdict.expected)
        return verdict.outcome == "success"


async def retry(task: TaskLog, strategies: Sequence[Strategy]) -> TaskLog:
    """Do a logged task once more, in a sandbox."""
    return tried(_book()[task.request], strategies, task)


def tried(request: Request, strategies: Iterable[Strategy], task: TaskLog | None = None) -> TaskLog:
    """How a request goes with other strategies."""
    tools = _sandbox()
    facts = msgspec.to_builtins(request.wish)
    log = task or TaskLog("", NAME, request.text, request.type, tools=tools.names, facts=facts)
    picked = Picked.of(strategies, Situation.of(log))
    work = Work(request.wish, tools, picked)
    turns = tuple(work.turns())
    return replace(log, turns=turns, strategies=picked.refs, verdict=colleagues.verdict(request, turns, work.done))


@cache
def _sandbox() -> Tools:
    return Tools(world.build())


@cache
def _book() -> dict[str, Request]:
    return {request.text: request for group in requests() for request in group}
