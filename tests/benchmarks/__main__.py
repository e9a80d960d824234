"""How fast the board is, and how well it recalls, beside what it stands on and its peers: ``python -m tests.benchmarks [NAME …]``.

Each benchmark runs in a process of its own, so that none sees what another left in memory. The peers stand in the dependency group
``bench``: ``uv run --group bench python -m tests.benchmarks``; figures recorded of them stand in for those that are not installed.
"""

import argparse
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from time import perf_counter

from tests.benchmarks import (
    compression,
    core,
    crosswoz,
    durable,
    experience,
    field,
    injection,
    isolation,
    latency,
    locomo,
    observing,
    selection,
    size,
    tasks,
    tau,
    trends,
    who_and_when,
)
from tests.benchmarks.sizes import FULL, QUICK, Sizes
from tests.benchmarks.table import Report, Row, encode, figure, lines, machine, write

Benchmark = Callable[[Sizes], list[Row]]

BENCHMARKS: dict[str, Benchmark] = {
    "top": core.top,
    "index": core.index,
    "assemble": core.assemble,
    "evaporate": core.evaporate,
    "reinforce": core.reinforce,
    "apply": core.apply,
    "durable": durable.durable,
    "latency": latency.latency,
    "injection": injection.injection,
    "isolation": isolation.isolation,
    "selection": selection.selection,
    "observe": observing.observing,
    "field": field.field,
    "experience": experience.experience,
    "size": size.size,
    "import": core.importing,
    "tasks": tasks.tasks,
}


ON_DATA: dict[str, Callable[[Path, Sizes], list[Row]]] = {
    "compression": compression.rows,
    "crosswoz": crosswoz.rows,
    "locomo": locomo.rows,
    "locomo-minilm": locomo.rows_with_model,
    "ablations": selection.ablations,
    "tau": tau.rows,
    "trends": trends.rows,
    "who_and_when": who_and_when.rows,
}
"""Those that need a file which is no part of this project: its path stands behind the name."""


def run(names: list[str], sizes: Sizes, *, data: Mapping[str, Path] | None = None, train: Path | None = None) -> Report:
    """Run these, one after the other. One that raises is reported, and hinders no other.

    ``data``: the file of each that needs one; ``train``: that from which *tau* learns, unless it is the same.
    """
    chosen = BENCHMARKS | {name: partial(ON_DATA[name], path) for name, path in (data or {}).items()}
    if train is not None and data and "tau" in data:
        chosen["tau"] = partial(tau.rows, data["tau"], train=train)
    place, began = machine(), perf_counter()
    rows: list[Row] = []
    failures: dict[str, str] = {}
    for name in names:
        _tell(f"{name}, after {perf_counter() - began:.0f} s …")
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
            try:
                found = process.submit(chosen[name], sizes).result()
            except Exception as error:  # noqa: BLE001 - whatever it is, it is reported
                failures[name] = f"{type(error).__name__}: {error}"
                _tell(failures[name])
            else:
                rows += found
                for row in found:
                    _tell(f"  {row.name}: {figure(row.value)} {row.unit} {row.verdict}")
    return Report(place, sizes.name, perf_counter() - began, tuple(rows), failures)


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)  # noqa: T201 - its purpose


def main() -> int:
    prose = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__, formatter_class=prose)
    every = ", ".join((*BENCHMARKS, *(f"{name} PATH" for name in ON_DATA)))
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {every}; if none, all that need no PATH")
    parser.add_argument("--quick", action="store_true", help="smaller boards, fewer pairs: about two minutes, and no figures to rely on")
    parser.add_argument("--train", type=Path, metavar="FILE", help="for tau: learn from this file's trajectories instead")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the run as JSON")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the table into its place in this page (docs/benchmarks.md)")
    arguments = parser.parse_args()
    names, given = list[str](), iter(arguments.names or BENCHMARKS)
    data = dict[str, Path]()
    for name in given:
        names.append(name)
        if name in ON_DATA:
            if not (path := Path(next(given, ""))).is_file():
                parser.error(f"{name} needs its data: {name} PATH; there is no file {str(path)!r}")
            data[name] = path
    if unknown := set(names) - {*BENCHMARKS, *ON_DATA}:
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}: choose from {every}")
    report = run(names, QUICK if arguments.quick else FULL, data=data, train=arguments.train)
    print(*lines(report), sep="\n")  # noqa: T201 - its purpose
    if arguments.json is not None:
        arguments.json.write_bytes(encode(report))
    if arguments.write is not None:
        write(report, arguments.write)
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main())
