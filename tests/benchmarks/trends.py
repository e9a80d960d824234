"""How well ``Rising`` finds rises, on the seeded benchmark of labelled streams (needs numpy and scipy).

    python -m tests.benchmarks.trends PATH/bench_trends.py --seeds 101-110

prints means over the seeds, on rounds and on the wall clock.
"""

import argparse
import importlib.util
from collections.abc import Callable, Iterable
from pathlib import Path
from types import ModuleType

from blackboard.trends import Moment, Rising
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

MODES = ("rounds", "wall")
FIGURES = {
    "F1": "F1",
    "P": "precision",
    "R": "recall",
    "delay": "delay p50",
    "delay90": "delay p90",
    "spr": "signals a rise",
    "fa": "false alarms per 1,000 item-rounds",
    "ns": "ns an update",
}


class Adapter:
    """One item's stream, as the benchmark drives it. Strength plays no part in the test, so none is kept."""

    def __init__(self, t0: float, s0: float, _decay: float, window: float, _mode: str) -> None:
        self.rising = Rising(window)
        self.state = self.rising.begin(Moment(t0, 0.0, s0, fresh=True))

    def update(self, t: float, delta: float, agent: int) -> str | None:
        finding = self.rising.notice(self.state, Moment(t, 0.0, delta, ((str(agent), delta),)))
        return finding.signal if finding else None


def load(path: Path) -> ModuleType:
    """The benchmark's module, from its file."""
    spec = importlib.util.spec_from_file_location("bench_trends", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def means(bench: ModuleType, mode: str, seeds: Iterable[int], items: int = 2000) -> dict[str, float]:
    """Each figure of ``FIGURES``, the mean over ``seeds``."""
    generate: Callable[..., list[object]] = bench.generate
    runs = [bench.run(generate(seed, items, mode), Adapter, mode) for seed in seeds]
    return {key: sum(run[key] for run in runs) / len(runs) for key in FIGURES}


def rows(path: Path, sizes: Sizes) -> list[Row]:
    """The figures for the command's table: a run for each seed, as many as the pairs of other benchmarks."""
    bench = load(path)
    seeds = range(101, 101 + sizes.pairs)
    return [
        Row(f"trends on {mode}: {FIGURES[key]}", "", tuple(means(bench, mode, [seed])[key] for seed in seeds))
        for mode in MODES
        for key in FIGURES
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="the benchmark's file, bench_trends.py")
    parser.add_argument("--seeds", default="101-110", help="from-to")
    arguments = parser.parse_args()
    first, last = map(int, arguments.seeds.split("-"))
    bench = load(arguments.path)
    for mode in MODES:
        figures = means(bench, mode, range(first, last + 1))
        print(mode, *(f"{FIGURES[key]} {value:.4g}" for key, value in figures.items()), sep=" | ")  # noqa: T201 – its purpose


if __name__ == "__main__":
    main()
