"""Looking after what was released: canaries are promoted or rolled back once enough tasks have told."""

from agents.evolution.library import Library
from agents.evolution.release import Decision, Test, decide
from agents.memory.journal import Journal
from blackboard.client import Board


async def watch(board: Board, test: Test | None = None) -> list[Decision]:
    """Decide about each canary of ``board``, and do so; how each stands. Whoever approved it answers for its promotion, too."""
    library = Library(board)
    canaries = await library.releases("canary")
    if not canaries:
        return []
    tasks = await Journal(board).heads()
    found = []
    for canary in canaries:
        strategy = canary.strategy
        decided = await library.decisions(strategy.name)
        since = max(each.at for each in decided if (each.version, each.status) == (strategy.version, "canary"))
        decision = decide(canary, tasks, test or Test(), since=since)
        found.append(decision)
        if decision.ruling == "promote":
            await library.promote(decision.ref, by=canary.by, why=decision.why, scores=decision.scores)
        elif decision.ruling == "roll back":
            await library.reject(decision.ref, by=canary.by, why=decision.why, scores=decision.scores)
    return found
