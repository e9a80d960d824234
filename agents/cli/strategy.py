"""``strategy``: the strategies of a board, and what a person decides about them."""

import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import msgspec
from cyclopts import App, Parameter

from agents.cli.output import plain, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, opened
from agents.errors import CommandError
from agents.evolution.decisions import LIVE, Decision
from agents.evolution.library import Library
from agents.evolution.strategies import Release, Status
from agents.evolution.validity import parsed_ref

Ref = Annotated[str, Parameter(help="NAME@VERSION; a name alone is its active version, or else its newest.")]
Name = Annotated[str, Parameter(help="The strategy's name.")]
By = Annotated[str | None, Parameter(help="Who decides so; you, by the name that the system knows you by, if not given.")]
Why = Annotated[str, Parameter(help="The reason, which is kept with it.")]

strategy = App(name="strategy", help="The strategies of a board: list, show, diff, add; approve, reject, retire, rollback.")


@strategy.command(name="list")
async def list_(board: BoardName, /, *, status: Status | None = None, who: Who = OPERATOR) -> None:
    """Every version with what has become of it.

    Parameters
    ----------
    status
        Only those that are candidate, canary, active, retired or rejected.
    """
    async with _library(board, who) as library:
        found = await library.releases(status)
    if who.json:
        print_json([_json(release) for release in found])
        return
    head = ("strategy", "is", "by", "kind", "for", "priority", "scores", "content")
    print_table(head, map(_row, found), empty=f"No strategy is {status}." if status else "There is no strategy.")


@strategy.command
async def show(board: BoardName, ref: Ref, /, *, yaml: bool = False, who: Who = OPERATOR) -> None:
    """A version: what it says, where it comes from, and what was decided about it.

    Parameters
    ----------
    yaml
        What it says alone, as a file.
    """
    async with _library(board, who) as library:
        release = await library.get(ref)
        version = release.strategy.version
        decided = [each for each in await library.decisions(release.strategy.name) if each.version == version]
    if who.json:
        print_json(_json(release) | {"decisions": decided})
        return
    from agents.evolution.files import written  # which takes a while to import

    text = written(release.strategy)
    if yaml:
        print(plain(text) if sys.stdout.isatty() else text, end="")  # a file gets it to the letter
        return
    print(f"# {plain(_told(release))}\n{plain(text)}")
    print_table(("when", "is", "by", "said by", "scores", "content"), map(_decided, decided), empty="")


@strategy.command
async def diff(board: BoardName, old: Ref, new: Ref | None = None, /, *, who: Who = OPERATOR) -> None:
    """What differs between two versions; of one alone, from the version before it.

    Parameters
    ----------
    new
        The other version.
    """
    async with _library(board, who) as library:
        if new is None:
            new = (await library.get(old)).strategy.ref
            name, _, version = new.partition("@")
            before = [each.strategy.ref for each in await library.versions(name) if each.strategy.version < int(version)]
            if not before:
                raise CommandError(f"{new} is the first of its name: name another to compare it with")
            old = before[-1]
        print(plain(await library.diff(old, new)), end="")


@strategy.command
async def add(
    board: BoardName,
    /,
    *files: Annotated[Path, Parameter(help="A file of strategies (YAML), or a folder of such.")],
    by: By = None,
    why: Why = "",
    who: Who = OPERATOR,
) -> None:
    """Propose strategies: each becomes the next version of its name, a candidate that waits to be approved."""
    from agents.evolution.files import read_strategies  # which takes a while to import

    if not files:
        raise CommandError("name a file of strategies, or a folder: pheroboard strategy add BOARD FILE")
    read_ = [each for file in files for each in read_strategies(file)]  # all that is wrong is found before any is added
    async with _library(board, who) as library:
        before = {each.strategy.ref: each for each in await library.releases()}
        added = [await library.add(each, by=_by(by, who), why=why) for each in read_]
    _say(added, who, before)


@strategy.command
async def approve(board: BoardName, ref: Ref, /, *, share: float | None = None, by: By = None, why: Why = "", who: Who = OPERATOR) -> None:
    """Let a version go live, in place of the one that is active.

    Parameters
    ----------
    share
        Of tasks for which it is tried first, as a canary: above 0 and below 1. Not given: for all.
    """
    async with _library(board, who) as library:
        _say([await library.approve(ref, by=_by(by, who), share=share, why=why)], who)


@strategy.command
async def reject(board: BoardName, ref: Ref, /, *, by: By = None, why: Why = "", who: Who = OPERATOR) -> None:
    """Let a candidate, or a canary, not go live."""
    async with _library(board, who) as library:
        _say([await library.reject(ref, by=_by(by, who), why=why)], who)


@strategy.command
async def retire(board: BoardName, ref: Ref, /, *, by: By = None, why: Why = "", who: Who = OPERATOR) -> None:
    """Let a version be in force no longer, with none in its place."""
    async with _library(board, who) as library:
        _say([await library.retire(ref, by=_by(by, who), why=why)], who)


@strategy.command
async def rollback(board: BoardName, name: Name, /, *, to: str | None = None, by: By = None, why: Why = "", who: Who = OPERATOR) -> None:
    """Take back what went live last: a canary, or else the active version, in whose place the one before it is active again.

    Parameters
    ----------
    to
        The version that is to be active again: its number, or NAME@VERSION.
    """
    version = None if to is None else _version(name, to)
    async with _library(board, who) as library:
        in_force = [each.strategy.ref for each in await library.versions(name) if each.status in LIVE]
        done = await library.rollback(name, by=_by(by, who), to=version, why=why)
        ended = [each for each in await library.versions(name) if each.strategy.ref in in_force and each.status not in LIVE]
    _say([*(each for each in ended if each != done), done], who)


@asynccontextmanager
async def _library(board: str, who: Who) -> AsyncIterator[Library]:
    async with opened(board, who) as at:
        yield Library(at)


def _by(name: str | None, who: Who) -> str:
    """The name of the person who decides."""
    if name is not None:
        return name
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user that the system does not know
        return who.agent


def _version(name: str, said: str) -> int:
    """The number of a version of ``name`` that is named by it, or as *NAME@VERSION*."""
    of, version = parsed_ref(said if "@" in said else f"{name}@{said}")
    if of != name or version is None:
        raise CommandError(f"--to {said} is no version of {name}: give its number, or {name}@VERSION")
    return version


def _say(releases: Sequence[Release], who: Who, before: Mapping[str, Release] | None = None) -> None:
    """What has become of versions; of those that a decision ``before`` had ended, that it is so no longer."""
    if who.json:
        print_json([_json(release) for release in releases])
        return
    for release in releases:
        was = (before or {}).get(release.strategy.ref)
        if was and was.status in {"rejected", "retired"}:
            print(plain(f"{was.strategy.ref} was {was.status}, by {was.by}: it is {release.status} again{_by_whom(release)}"))
        else:
            print(plain(_told(release)))


def _json(release: Release) -> dict[str, Any]:
    return {"ref": release.strategy.ref, **msgspec.structs.asdict(release)}


def _told(release: Release) -> str:
    return f"{release.strategy.ref} is {_is(release)}{_by_whom(release)}"


def _by_whom(release: Release) -> str:
    return f", by {release.by}" + (f": {release.why}" if release.why else "")


def _is(said: Release | Decision) -> str:
    return f"canary for {said.share:.0%} of tasks" if said.status == "canary" else said.status


def _row(release: Release) -> tuple[str, ...]:
    of = release.strategy
    kind = type(of.body).__name__.lower()
    return of.ref, _is(release), release.by, kind, ", ".join(of.types) or "all", str(of.priority), _scores(release.scores), of.note


def _decided(said: Decision) -> tuple[str, ...]:
    when = datetime.fromtimestamp(said.at).astimezone().isoformat(" ", "seconds")
    return when, _is(said), said.by, said.said_by, _scores(said.scores), said.why


def _scores(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {score:g}" for name, score in scores.items())
