"""Learning from many tasks: how long it takes to distil them, and to find what applies to a new one."""

import asyncio
from functools import partial
from random import Random
from time import perf_counter

from msgspec.structs import replace

from agents.conditions import Situation
from agents.memory.distilling import by_fingerprint, distil
from agents.memory.experience import recall, recollect
from agents.memory.journal import Journal
from agents.memory.likeness import by_likeness
from agents.memory.records import Experience, Outcome, TaskRecord
from blackboard.testing import running_board
from tests.benchmarks.core import timed
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

SORTS = 40
"""Sorts of tasks, each with its own words and its own path, from which each task strays a little."""
WORDS = tuple(
    f"{a}{b}" for a in ("sal", "refund", "stock", "client", "ship", "tax", "price", "order") for b in ("es", "ing", "ed", "al", "ry")
)
TOOLS = tuple(f"{verb}_{what}" for verb in ("query", "plot", "mail", "check", "update") for what in ("table", "report", "order", "client"))


def records(count: int, seed: int) -> list[TaskRecord]:
    """Random task records of ``SORTS`` sorts, of which a third failed."""
    random = Random(seed)
    sorts = [(random.sample(WORDS, 6), tuple(random.sample(TOOLS, 4))) for _ in range(SORTS)]
    made = []
    for n in range(count):
        words, path = random.choice(sorts)
        way = path if random.random() < 0.7 else (*path, random.choice(TOOLS))
        request = " ".join((*random.sample(words, 5), random.choice(WORDS), str(n)))
        outcome: Outcome = "failure" if random.random() < 1 / 3 else "success"
        made.append(
            TaskRecord(f"t{n}", "ada", request, outcome, f"{outcome} {way}", type="report", path=way, tools=tuple(sorted(set(way))))
        )
    return made


def experience(sizes: Sizes) -> list[Row]:
    """Distilling by both ways, and recall from the list and from a board."""
    count = 3 * sizes.few
    tasks = records(count, seed=7)
    rows = []
    for name, grouping in (("fingerprint", by_fingerprint), ("likeness", by_likeness)):
        distil(tasks[:50], grouping=grouping)  # what is imported is imported
        runs = tuple(timed(partial(distil, tasks, grouping=grouping)) for _ in range(sizes.pairs))
        rows.append(Row(f"distil {count:,} task records by {name}", "s", runs, note=f"{len(distil(tasks, grouping=grouping))} experiences"))
    known = _known(tasks, sizes.few)
    asked = [Situation(record.request, record.type, TOOLS) for record in records(sizes.reads, seed=8)]
    for situation in asked:
        recollect(known, situation)
    runs = tuple(1e3 * timed(lambda: [recollect(known, each) for each in asked]) / len(asked) for _ in range(sizes.pairs))
    rows.append(Row(f"what of {len(known):,} experiences applies to a task", "ms", runs))
    return [*rows, asyncio.run(_recall(known, asked, sizes))]


def _known(tasks: list[TaskRecord], count: int) -> list[Experience]:
    made = distil(tasks, grouping=by_fingerprint, least=1)
    return [replace(made[n % len(made)], id=f"e{n}", request=tasks[n].request) for n in range(count)]


async def _recall(known: list[Experience], asked: list[Situation], sizes: Sizes) -> Row:
    runs = []
    async with running_board("ada") as running:
        journal = Journal(running["ada"])
        for each in known:
            await journal.put_experience(replace(each, records=each.records[:20]))
        for _ in range(sizes.pairs):
            began = perf_counter()
            for situation in asked:
                await recall(journal.board, situation)
            runs.append(1e3 * (perf_counter() - began) / len(asked))
    return Row(f"the same, from a board in memory: {len(known):,} experiences", "ms", tuple(runs), note="read anew for each task")
