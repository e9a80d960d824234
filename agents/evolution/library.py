"""The strategies of a board: their versions, what has become of each, and who said so (chapter 5, "Strategies").

Laws:

1. What has become of the versions is a fold of what was decided, in the log's order: everybody sees the same, and nothing is overwritten.
2. Nothing goes live, or comes back, without the name of whoever says so.
3. Every version can be brought back that was in force once.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

import anyio
from msgspec.structs import replace

from agents.evolution.decisions import LIVE, Decision, earlier, standing
from agents.evolution.decisions import validated as validated_decision
from agents.evolution.shelf import Shelf
from agents.evolution.strategies import Lineage, Release, Status, Strategy
from agents.evolution.validity import parsed_ref, validated
from blackboard.client import Board
from blackboard.errors import BadValue

AT_ONCE = 16
"""Names that are read at once."""
LISTED = 20
"""Names, or versions, that an error tells of what there is."""

Scores = Mapping[str, float]


class Library:
    """The strategies on ``board``. ``scope``: in which they are put, and read; ``clock`` gives the Unix seconds of decisions."""

    def __init__(self, board: Board, *, scope: str = "shared", clock: Callable[[], float] = time.time) -> None:
        self.board = board
        self._shelf = Shelf(board, scope)
        self._clock = clock

    # ---- reading ------------------------------------------------------------------------------------------------------------------------

    async def releases(self, status: Status | None = None) -> list[Release]:
        """Every version with what has become of it, by name and version; only those of ``status``, if one is given."""
        names = await self._shelf.names()
        found: dict[str, list[Release]] = {}
        slots = anyio.CapacityLimiter(AT_ONCE)

        async def read(name: str) -> None:
            async with slots:
                found[name] = await self._releases(name)

        async with anyio.create_task_group() as tasks:
            for name in names:
                tasks.start_soon(read, name)
        return [release for name in names for release in found[name] if status in {None, release.status}]

    async def versions(self, name: str) -> list[Release]:
        """A strategy's versions, the oldest first. Raises ``BadValue`` if there is none of that name."""
        if not (found := await self._releases(name)):
            there = _listed(await self._shelf.names()) or "none"
            raise BadValue(f"there is no strategy {name!r} on board {self.board.name!r}: there is {there}")
        return found

    async def get(self, ref: str) -> Release:
        """The version *name@version*; of a name alone the active one, or else the newest. Raises ``BadValue`` if there is none."""
        name, version = parsed_ref(ref)
        found = await self.versions(name)
        if version is None:
            return _active(found) or found[-1]
        for release in found:
            if release.strategy.version == version:
                return release
        raise BadValue(f"there is no {ref}: there is {_told(found)}")

    async def decisions(self, name: str) -> list[Decision]:
        """What was decided about a strategy's versions, by whom and when, the oldest first."""
        return await self._shelf.decisions(name)

    async def diff(self, old: str, new: str) -> str:
        """What differs between two versions, as a unified diff of what they are as files. Raises ``BadValue``, as ``get``."""
        from agents.evolution.files import difference  # what reads files takes a while to import

        return difference((await self.get(old)).strategy, (await self.get(new)).strategy)

    async def _releases(self, name: str) -> list[Release]:
        found = []
        for version, said in standing(await self.decisions(name)).items():
            if strategy := await self._shelf.version(f"{name}@{version}"):
                found.append(Release(strategy, said.status, share=said.share, by=said.by, scores=said.scores, why=said.why))
        return found

    # ---- deciding -----------------------------------------------------------------------------------------------------------------------

    async def add(
        self,
        strategy: Strategy,
        *,
        status: Status = "candidate",
        share: float = 0.0,
        by: str = "",
        scores: Scores | None = None,
        why: str = "",
    ) -> Release:
        """Put a strategy there as the next version of its name, whatever its own number, and say what becomes of it.

        One that says what a version of its name says already is that version: none is made anew, and one that is in force stays so.
        ``by``: who decides, for what goes live at once (with its ``share``, for a canary); else this agent. Raises ``BadValue``.
        """
        validated(strategy)
        by = by if status in LIVE else by or self.board.agent
        said = self._decision(1, status, share=share, by=by, scores=scores, why=why)
        found = await self._releases(strategy.name)
        for release in found:
            if _says(release.strategy) == _says(strategy):
                if release.status == status or (release.status in LIVE and status not in LIVE):
                    return release
                return await self._decide(release.strategy, said)
        newest = found[-1].strategy.version if found else 0
        return await self._decide(await self._shelf.claim(replace(strategy, version=newest + 1)), said)

    async def approve(self, ref: str, *, by: str, share: float | None = None, scores: Scores | None = None, why: str = "") -> Release:
        """Let a version go live: for all tasks, or for a ``share`` of them, as a canary. Raises ``BadValue``."""
        release = await self._only(ref, {"candidate", "canary", "retired"}, "approved")
        status: Status = "active" if share is None else "canary"
        said = self._decision(release.strategy.version, status, share=share or 0.0, by=by, scores=scores, why=why)
        return await self._decide(release.strategy, said)

    async def promote(self, ref: str, *, by: str, scores: Scores | None = None, why: str = "") -> Release:
        """Let a canary be in force for all tasks. Raises ``BadValue``."""
        release = await self._only(ref, {"canary"}, "promoted")
        return await self._decide(release.strategy, self._decision(release.strategy.version, "active", by=by, scores=scores, why=why))

    async def reject(self, ref: str, *, by: str, scores: Scores | None = None, why: str = "") -> Release:
        """Let a candidate, or a canary that did not hold, not go live. Raises ``BadValue``."""
        release = await self._only(ref, {"candidate", "canary"}, "rejected")
        return await self._decide(release.strategy, self._decision(release.strategy.version, "rejected", by=by, scores=scores, why=why))

    async def retire(self, ref: str, *, by: str, scores: Scores | None = None, why: str = "") -> Release:
        """Let a version be in force no longer, with none in its place. Raises ``BadValue``."""
        release = await self._only(ref, LIVE, "retired")
        return await self._decide(release.strategy, self._decision(release.strategy.version, "retired", by=by, scores=scores, why=why))

    async def rollback(self, name: str, *, by: str, to: int | None = None, why: str = "") -> Release:
        """Take back what went live last: a canary is retired; if there is none, the version before the active one is active again.

        If there was none before, the active one is retired. ``to`` names the version that is to be active again, and retires a canary, too.
        Gives the version that is active then; if there is none, the one that was retired. Raises ``BadValue``.
        """
        found = await self.versions(name)
        decided = await self.decisions(name)
        canaries = [release.strategy.version for release in found if release.status == "canary"]
        active = _active(found)
        now = active.strategy.version if active else None
        if to is None:
            if not canaries and now is None:
                raise BadValue(f"nothing of {name} is in force: name the version to bring back, of {_told(found)}")
            to = now if canaries or now is None else earlier(decided, now)
        elif not any(said.version == to and said.status in LIVE for said in decided):
            raise BadValue(f"{name}@{to} was never in force: approve it, or name one that was, of {_told(found)}")
        ended = canaries if to is not None or canaries else [now]
        reason = f"rolled back: {why}" if why else "rolled back"
        said = [self._decision(version, "retired", by=by, why=reason) for version in ended if version not in {None, to}]
        if to is not None and to != now:
            said.append(self._decision(to, "active", by=by, why=reason))
        if not said:
            raise BadValue(f"{name}@{to} is in force, and nothing beside it: there is nothing to roll back")
        await self._shelf.say(name, said)
        return await self.get(f"{name}@{to or ended[0]}")

    async def _decide(self, strategy: Strategy, said: Decision) -> Release:
        await self._shelf.say(strategy.name, [replace(said, version=strategy.version)])
        return await self.get(strategy.ref)

    def _decision(
        self, version: int, status: Status, *, by: str, share: float = 0.0, scores: Scores | None = None, why: str = ""
    ) -> Decision:
        scores = dict(scores or {})
        return validated_decision(Decision(version, status, share=share, by=by.strip(), scores=scores, why=why, at=self._clock()))

    async def _only(self, ref: str, statuses: AbstractSet[Status], done: str) -> Release:
        release = await self.get(ref)
        if release.status not in statuses:
            what = " or ".join(sorted(statuses))
            raise BadValue(f"{release.strategy.ref} is {release.status}, by {release.by}: only what is {what} can be {done}")
        return release


def _active(releases: Iterable[Release]) -> Release | None:
    return next((release for release in releases if release.status == "active"), None)


def _says(strategy: Strategy) -> Strategy:
    """What it says, whichever version, and wherever it comes from."""
    return replace(strategy, version=1, lineage=Lineage())


def _told(releases: Iterable[Release]) -> str:
    return _listed([f"{release.strategy.ref} ({release.status})" for release in releases])


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:LISTED]) + (f" and {len(names) - LISTED} more" if len(names) > LISTED else "")
