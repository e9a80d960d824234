"""Kills agents, subscribers, boards' hosts and servers, and breaks lines between them, while agents work; then everything is counted.

    python -m tests.chaos --kills 200 --observations 200000 --nodes 3 --hosts 3 --seed 7

What a run does follows from its seed. The exit code is 1 if anything was found that must not be; the folder then stays, to be looked into.
"""

import argparse
import asyncio
import shutil
import sys
import tempfile
from pathlib import Path

import msgspec

from tests.chaos.plan import Plan
from tests.chaos.run import Report, Run


def main() -> int:
    prose = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__, formatter_class=prose)
    defaults = Plan()
    for name, value in msgspec.structs.asdict(defaults).items():
        parser.add_argument(f"--{name.replace('_', '-')}", type=type(value), default=value, metavar="N", help=f"by default {value}")
    parser.add_argument("--folder", type=Path, help="an empty folder to work in, which stays; by default a temporary one")
    parser.add_argument("--quiet", action="store_true", help="do not tell of each blow")
    arguments = vars(parser.parse_args())
    named, quiet = arguments.pop("folder"), arguments.pop("quiet")
    plan = Plan(**arguments)
    folder = named or Path(tempfile.mkdtemp(prefix="chaos-"))
    folder.mkdir(parents=True, exist_ok=True)
    report = asyncio.run(Run(plan, folder, (lambda _: None) if quiet else _tell).run())
    print(*lines(plan, report), sep="\n")  # noqa: T201 - its purpose
    if report.findings:
        print(f"everything of it is in {folder}")  # noqa: T201 - its purpose
        return 1
    if named is None:
        shutil.rmtree(folder)
    return 0


def lines(plan: Plan, report: Report) -> list[str]:
    """The report as a person reads it."""
    rows = [*sorted(report.done.items()), *report.counts.items()]
    width = max(len(name) for name, _ in rows)
    return [
        f"seed {plan.seed}: {plan.kills} kills, {plan.nodes} servers, {plan.hosts} hosts, {plan.boards} boards, in {report.seconds:.0f} s",
        *(f"  {name.ljust(width)}  {value:>10,}" for name, value in rows),
        *(f"WRONG: {finding}" for finding in report.findings),
        "nothing is wrong" if not report.findings else f"{len(report.findings)} things are wrong",
    ]


def _tell(progress: str) -> None:
    print(progress, file=sys.stderr, flush=True)  # noqa: T201 - its purpose


if __name__ == "__main__":
    sys.exit(main())
