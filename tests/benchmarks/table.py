"""What a benchmark found: rows, the table that people read, the JSON that machines do, and their page.

A row's value is a median; ``runs`` are what it is the median of. ``must`` and ``aim`` are what is promised and what is hoped for; a row
without them is there to be compared with.
"""

import os
import platform
import re
import sqlite3
import subprocess
from datetime import UTC, datetime
from importlib import metadata
from math import inf
from pathlib import Path
from statistics import median

import msgspec
from msgspec import Struct

from bus.binary import find_server
from bus.errors import ServerError

BEGIN, END = "<!-- figures -->", "<!-- end of the figures -->"
"""What stands between them in a page is written by the command."""
LIBRARIES = ("pheroboard", "msgspec", "nats-py", "aiosqlite", "stigmergy-scheduler", "neuralcache", "ormica", "stigmergic")


class Row(Struct, frozen=True, omit_defaults=True):
    """One line of the table."""

    name: str
    unit: str
    runs: tuple[float, ...]
    must: float | None = None
    aim: float | None = None
    least: bool = False
    """The limits are the least that must be reached, not the most."""
    note: str = ""
    """What it was compared with, and what that took."""

    @property
    def value(self) -> float:
        """The median."""
        return median(self.runs)

    @property
    def verdict(self) -> str:
        """Whether it is reached, and if not by which factor it falls short."""
        if self.must is None:
            return ""
        if self._reaches(self.must):
            return "aim" if self.aim is not None and self._reaches(self.aim) else "ok"
        over, under = (self.must, self.value) if self.least else (self.value, self.must)
        short = over / under if under else inf
        return f"short {short:.3g}×"

    def _reaches(self, limit: float) -> bool:
        return self.value >= limit if self.least else self.value <= limit


class Machine(Struct, frozen=True):
    """Where and when it was measured."""

    date: str
    commit: str
    cpu: str
    cores: int
    load: float
    """How many others wanted a core on average in the minute before."""
    system: str
    python: str
    server: str
    sqlite: str
    libraries: dict[str, str]


class Report(Struct, frozen=True):
    """A whole run. ``size``: the name of the sizes that it was made with."""

    machine: Machine
    size: str
    seconds: float
    rows: tuple[Row, ...]
    failures: dict[str, str] = {}
    """Benchmarks that raised, and what."""


def machine() -> Machine:
    """This machine, now."""
    return Machine(
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        commit=_said("git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"),
        cpu=_cpu(),
        cores=len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1,
        load=os.getloadavg()[0],
        system=platform.platform(terse=True),
        python=platform.python_version(),
        server=_server(),
        sqlite=sqlite3.sqlite_version,
        libraries={name: version for name in LIBRARIES if (version := _version(name)) is not None},
    )


def _said(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unknown"


def _server() -> str:
    try:
        return _said(str(find_server()), "-v")
    except ServerError:
        return "none"


def _cpu() -> str:
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text(encoding="utf-8"))
    except OSError:
        found = None
    return found[1] if found else platform.processor() or "unknown"


def _version(library: str) -> str | None:
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None


# ---- as text ----------------------------------------------------------------------------------------------------------------------------


def figure(value: float) -> str:
    """A number with three digits that count."""
    if value == 0 or 0.001 <= abs(value) < 1000:
        return f"{value:.3g}"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.2e}"


def limit(row: Row, value: float | None) -> str:
    """``≤ 60`` or ``≥ 15``."""
    return "" if value is None else f"{'≥' if row.least else '≤'} {figure(value)}"


def lines(report: Report) -> list[str]:
    """The page's part that a run writes, as Markdown; a terminal shows it well enough."""
    place = report.machine
    versions = ", ".join(f"{name} {version}" for name, version in place.libraries.items())
    cells = [
        ("what", "median", "range", "runs", "must", "aim", "", "compared with"),
        *(
            (
                row.name,
                f"{figure(row.value)} {row.unit}",
                f"{figure(min(row.runs))} – {figure(max(row.runs))}",
                str(len(row.runs)),
                limit(row, row.must),
                limit(row, row.aim),
                row.verdict,
                row.note,
            )
            for row in report.rows
        ),
    ]
    widths = [max(len(row[column]) for row in cells) for column in range(len(cells[0]) - 1)]
    padded = [[*(cell.ljust(width) for cell, width in zip(row, widths, strict=False)), row[-1]] for row in cells]
    return [
        f"Measured {place.date} at commit {place.commit}, sizes *{report.size}*, in {report.seconds:.0f} s.",
        f"{place.cpu}, {place.cores} cores (load before: {place.load:.1f}), {place.system}.",
        f"Python {place.python}, {place.server}, SQLite {place.sqlite}; {versions}.",
        "",
        "| " + " | ".join(padded[0]) + " |",
        "| " + " | ".join("-" * width for width in widths) + " | --- |",
        *("| " + " | ".join(row) + " |" for row in padded[1:]),
        *(f"\n**{name}** was not measured: {why}" for name, why in report.failures.items()),
    ]


def write(report: Report, page: Path) -> None:
    """Put the figures in their place in the page. Raises ``ValueError`` if it has none."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"{page} has no place for figures: write {BEGIN!r} and {END!r} into it")
    page.write_text(before + "\n".join((BEGIN, "", *lines(report), "", END)) + after, encoding="utf-8")


def encode(report: Report) -> bytes:
    """The run as JSON, with each row's median and verdict."""
    built = msgspec.to_builtins(report)
    for row, plain in zip(report.rows, built["rows"], strict=True):
        plain |= {"median": row.value, "verdict": row.verdict}
    return msgspec.json.format(msgspec.json.encode(built), indent=2)
