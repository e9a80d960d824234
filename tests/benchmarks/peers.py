"""The peers, each driven the way that is best for it; and what was measured of them once, for where they are not installed.

They stand in the dependency group ``bench``. ``recorded`` figures are medians from one machine with two cores and Python 3.11, on
payloads of about 80 bytes.
"""

import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from heapq import nlargest
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

RECORDED_TOP = {"stigmergy-scheduler": 0.106, "neuralcache": 1.137, "ormica": 2.244, "stigmergic": 0.041}
"""Seconds of a top-20 read at 100,000 items."""
RECORDED_REINFORCE = {"stigmergy-scheduler": 89_000.0, "neuralcache": 256_000.0, "ormica": 80_000.0}
"""Reinforcements a second; of those that decay."""
RECORDED_DURABLE = {"ormica": 5_300.0, "neuralcache": 5_400.0, "stigmergic": 449.0}
"""Durable writes a second; ormica and neuralcache run SQLite with synchronous=NORMAL, stigmergic with FULL."""


class Peer(Protocol):
    """A peer's memory. A name is a short text."""

    decays: bool

    def deposit(self, name: str, strength: float) -> None: ...

    def reinforce(self, name: str) -> None: ...

    def top(self) -> object:
        """Read the twenty strongest."""
        ...

    def close(self) -> None: ...


def _at_once(work: Awaitable[T]) -> T:
    """Run what never waits, without the cost of an event loop."""
    step = work.__await__()
    try:
        next(step)
    except StopIteration as done:
        result: T = done.value
        return result
    raise RuntimeError("it waits after all")


class StigmergyScheduler:
    """stigmergy-scheduler, in memory, each signal in a region of its own (its index is slow on large ones)."""

    decays = True

    def __init__(self) -> None:
        from stigmergy import InMemoryFieldBackend, PheromoneField

        self._field = PheromoneField(InMemoryFieldBackend())
        self._ids: dict[str, str] = {}

    def deposit(self, name: str, strength: float) -> None:
        self._ids[name] = _at_once(self._field.deposit("agent", "work", strength, {"text": name}, region=name)).id

    def reinforce(self, name: str) -> None:
        _at_once(self._field.amplify(self._ids[name], 1.0001))

    def top(self) -> object:
        return _at_once(self._field.read("reader"))[:20]

    def close(self) -> None: ...


class NeuralCache:
    """neuralcache's pheromones, in memory or in SQLite."""

    decays = True

    def __init__(self, path: Path | None = None) -> None:
        from neuralcache.pheromone import PheromoneStore
        from neuralcache.storage.sqlite_state import SQLiteState

        self._state = None if path is None else SQLiteState(str(path))
        self._store = PheromoneStore(backend="memory") if path is None else PheromoneStore(sqlite_state=self._state)
        self._names: list[str] = []

    def deposit(self, name: str, strength: float) -> None:
        self._names.append(name)
        self._store.reinforce([name], strength)

    def reinforce(self, name: str) -> None:
        self._store.reinforce([name], 0.01)

    def top(self) -> object:
        return nlargest(20, zip(self._store.bulk_bonus(self._names), self._names, strict=True))

    def close(self) -> None:
        if self._state is not None:
            self._state.close()


class Ormica:
    """ormica's stigma over its mycelium, in memory or in SQLite."""

    decays = True

    def __init__(self, path: Path | None = None) -> None:
        from ormica.mycelium import Mycelium
        from ormica.mycelium.sqlite_backend import SqliteBackend
        from ormica.stigma.stigma import Stigma

        self._backend = None if path is None else SqliteBackend(path)
        self._stigma = Stigma(Mycelium(self._backend), half_life=3600.0)

    def deposit(self, name: str, strength: float) -> None:
        self._stigma.emit(name, strength=strength, by="agent")

    def reinforce(self, name: str) -> None:
        self._stigma.reinforce(name, amount=0.01, by="agent")

    def top(self) -> object:
        return self._stigma.top(20)

    def close(self) -> None:
        if self._backend is not None:
            self._backend.close()


class Stigmergic:
    """stigmergic's ground, SQLite in memory or on the disk. Its entropies do not decay."""

    decays = False

    def __init__(self, path: Path | None = None) -> None:
        from stigmergic import PheromoneGround

        self._ground = PheromoneGround(":memory:" if path is None else str(path))
        self._ids: dict[str, int] = {}

    def deposit(self, name: str, strength: float) -> None:
        self._ids[name] = self._ground.inject_chaos(name, entropy=strength)

    def reinforce(self, name: str) -> None:
        self._ground.update_state(self._ids[name], entropy=0.75)

    def top(self) -> object:
        return self._ground.sense(limit=20)

    def close(self) -> None:
        self._ground.close()


IN_MEMORY: dict[str, Callable[[], Peer]] = {
    "stigmergy-scheduler": StigmergyScheduler,
    "neuralcache": NeuralCache,
    "ormica": Ormica,
    "stigmergic": Stigmergic,
}
DURABLE: dict[str, Callable[[Path], Peer]] = {"neuralcache": NeuralCache, "ormica": Ormica, "stigmergic": Stigmergic}


def loaded(n: int) -> dict[str, Peer]:
    """Those that are installed, in memory, each with ``n`` items."""
    found: dict[str, Peer] = {}
    for name, make in IN_MEMORY.items():
        with suppress(ImportError):
            peer = found[name] = make()
            fill(peer, n)
    return found


def fill(peer: Peer, n: int) -> list[str]:
    """Put in ``n`` items; their names."""
    rng = random.Random(1)
    names = [named(i) for i in range(n)]
    for name in names:
        peer.deposit(name, rng.uniform(0.5, 0.9))
    return names


def named(i: int) -> str:
    """The text of the ``i``-th item, about as long as ours."""
    return f"observation {i:>9}: the supplier of part {i % 977} quotes for lot {i % 89}, to be confirmed"


def durable_writes(folder: Path, seconds: float) -> dict[str, float]:
    """Durable writes a second of those that are installed, in files of their own: the same mix, on 1,000 items.

    Measured for so long that SQLite's own checkpoints, which alone are synced where it runs at NORMAL, come into it.
    """
    found: dict[str, float] = {}
    for label, make in DURABLE.items():
        try:
            peer = make(folder / f"{label}.db")
        except ImportError:
            continue
        rng = random.Random(2)
        names = fill(peer, 1_000 if seconds >= 1 else 10)
        began = perf_counter()
        for written in count(1):
            if rng.random() < 0.1:
                peer.deposit(named(1_000_000 + written), 0.5)
            else:
                peer.reinforce(rng.choice(names))
            if (passed := perf_counter() - began) >= seconds:
                found[label] = written / passed
                break
        peer.close()
    return found


def best(figures: dict[str, list[float]], recorded: dict[str, float], pick: Callable[..., Any]) -> tuple[str, list[float]]:
    """Which peer did best, and its figures; what was recorded, of those that are not installed."""
    every = {name: [value] for name, value in recorded.items()} | figures
    medians = {name: median(runs) for name, runs in every.items()}
    name = pick(medians, key=lambda each: medians[each])
    return (name if name in figures else f"{name} (recorded)"), every[name]


def ratios(ours: list[float], theirs: list[float], *, inverse: bool = False) -> tuple[float, ...]:
    """Run by run, ours over theirs (theirs over ours, where less is better); a figure that was recorded stands beside each run."""
    pairs = zip(ours, theirs if len(theirs) == len(ours) else theirs * len(ours), strict=True)
    return tuple(b / a if inverse else a / b for a, b in pairs)


def listed(figures: dict[str, list[float]], unit: str, scale: float = 1.0) -> str:
    """Every peer's median, for a note; which were not there."""
    found = [f"{name} {median(runs) * scale:,.0f}{unit}" for name, runs in figures.items()]
    return ", ".join([*found, *(f"{name} is not installed" for name in IN_MEMORY if not _installed(name))])


def _installed(name: str) -> bool:
    return find_spec(name.removesuffix("-scheduler")) is not None
