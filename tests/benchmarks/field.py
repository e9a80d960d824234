"""One conversation that never ends: what a message costs its field, and that its memory is flat: ``python -m tests.benchmarks field``."""

import gc
from random import Random
from time import process_time

from blackboard.scent import ContextGovernor, PheromoneField, RecallKernel
from bus.messages import Scent
from tests.benchmarks.size import resident
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

WARM = 10
"""The first of so many parts of a run may grow it: what is allocated once."""
TASK_EVERY = 997
"""Messages after which another task begins; half as many behind it a message asks to go on with the one before."""


def field(sizes: Sizes) -> list[Row]:
    """Releasing random messages under a governor, with tasks that end and are gone on with, and recalling what stands at times."""
    messages = 50 * sizes.writes
    draw, governor, took = Random(1), ContextGovernor(PheromoneField()), list[float]()
    kernel = RecallKernel(governor.field)
    resident_first = 0
    for part in range(WARM):
        spent = 0.0
        for n in range(part * messages // WARM, (part + 1) * messages // WARM):
            said = _message(draw, n)
            begun = process_time()
            if n % TASK_EVERY == 0:
                governor.begin_task(f"task {n}")
            governor.release(said, turn=n % 3 != 2)
            spent += process_time() - begun
            if n % 100 == 0:
                kernel.recall("*")
        took.append(spent / (messages // WARM) * 1e6)
        gc.collect()
        if part == 0:
            resident_first = resident()
    grown = max(resident() - resident_first, 0) / 1024
    note = f"one to four scents of forty types, under a governor; {messages:,} in one field"
    return [
        Row("a message released into a field", "µs", tuple(took), 20, note=note),
        Row(f"a field after {messages:,} messages, grown since the first {messages // WARM:,}", "KiB", (grown,), 1024, note="resident"),
    ]


def _message(draw: Random, n: int) -> list[Scent]:
    """Slots, requests, small talk, a yes now and then, and at times the wish to go on with the task before."""
    if n % TASK_EVERY == TASK_EVERY // 2:
        return [Scent("continuation", 0.0, 0.0)]
    said = list[Scent]()
    for _ in range(draw.randint(1, 4)):
        kind, target, value = draw.random(), draw.choice((None, "A1", f"order {draw.random()}")), f"value {draw.random()}"
        if kind < 0.5:
            type_ = f"slot_{draw.randrange(36)}"
            said.append(Scent(type_, draw.random(), 0.9, target, value, f"{type_}: {value}", "slot", draw.random() < 0.2))
        elif kind < 0.7:
            said.append(Scent("directive", draw.random(), 0.95, target, "change", value, "state"))
        elif kind < 0.8:
            said.append(Scent("confirmation", 0.0, 0.0))
        else:
            said.append(Scent(draw.choice(("general", "chatter", "error_log")), draw.random(), draw.random()))
    return said
