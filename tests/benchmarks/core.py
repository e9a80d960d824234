"""The pure rooms: reading the strongest, indexing, assembling, evaporating, reinforcing, applying posts; and importing them.

Boards of three sizes stand side by side, frozen out of the collector's sight as a long-lived one is; the collector runs. What is taken is
taken in turn from each, so that all see the same machine.
"""

import asyncio
import gc
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from time import process_time

from blackboard import ContextItem, PheromoneNetwork, views
from blackboard.archive import Unwritten
from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.intake import entry_of
from blackboard.questions import PREPARED_AT_ONCE
from blackboard.sqlite import SqliteStore
from blackboard.text import AnalysisCache
from bus.messages import Answer, Assemble, EndRound, Search, Top, decode_post, encode
from bus.port import LogMessage
from tests.benchmarks import load, peers
from tests.benchmarks.load import Loaded
from tests.benchmarks.sizes import Sizes
from tests.benchmarks.table import Row

READER = "finance"
US = 1e6


def timed(work: Callable[[], object]) -> float:
    """Seconds of this process that it takes: what else runs on the machine does not count."""
    began = process_time()
    work()
    return process_time() - began


def frozen() -> None:
    """Collect what is garbage, and take what stands out of the collector's sight."""
    gc.collect()
    gc.freeze()


# ---- reading ----------------------------------------------------------------------------------------------------------------------------


def top(sizes: Sizes) -> list[Row]:
    """The twenty strongest in an agent's view, after changes; on three sizes, and beside the peers."""
    boards = {n: Loaded(n) for n in (sizes.few, sizes.some, sizes.many)}
    targets = {n: loaded.ids() for n, loaded in boards.items()}
    others = peers.loaded(sizes.some)
    frozen()
    after = {(n, changes): list[float]() for n in boards for changes in (100, 1_000)}
    answer = partial(boards[sizes.some].board.answer, READER, Top(20))
    answered: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in others}
    for run in range(sizes.pairs):
        for (n, changes), found in after.items():
            found.append(_read_after(boards[n].board, targets[n], changes, sizes.reads, seed=run) * US)
        answered.append(median(timed(answer) for _ in range(sizes.reads)) * US)
        for name, peer in others.items():
            theirs[name].append(timed(peer.top))
    label, slow = peers.best(theirs, peers.RECORDED_TOP, min)
    small, some, large = (after[n, 100] for n in boards)
    late = after[sizes.some, 1_000]
    ratios = peers.ratios([each / US for each in some], slow, inverse=True)
    every = peers.listed(theirs, " ms", 1e3)
    growth = tuple(a / b for a, b in zip(large, small, strict=True))
    growth_late = tuple(a / b for a, b in zip(after[sizes.many, 1_000], after[sizes.few, 1_000], strict=True))
    return [
        Row(f"top-20 of a view, {sizes.some:,} items, after 100 changes", "µs", tuple(some), 60, 20),
        Row("… after 1,000 changes", "µs", tuple(late), 400, 120),
        Row("… answered for the wire (Board.answer)", "µs", tuple(answered), note="unchanged since the last read"),
        Row(
            f"… at {sizes.many:,} over {sizes.few:,} items", "×", growth, 1.5, 1.1,
            note=f"after 100 changes: {median(large):.0f} and {median(small):.0f} µs; after 1,000: {median(growth_late):.2f}×",
        ),
        Row(f"… over the fastest peer, {sizes.some:,} items", "×", ratios, 300, 2_000, least=True, note=f"{label}; {every}"),
    ]  # fmt: skip


def _read_after(board: Board, targets: list[str], changes: int, reads: int, *, seed: int) -> float:
    """Seconds of one read in the middle of ``reads``, each after so many reinforcements anywhere."""
    network, seen = board._network, views.partitions(READER)
    rng = random.Random(seed)
    network.top(20, partitions=seen)
    found = []
    for _ in range(reads):
        for item in rng.choices(targets, k=changes):
            network.reinforce(item, 0.5, by=READER)
        board._outcome.take_touches()  # as the board would have
        found.append(timed(lambda: network.top(20, partitions=seen)))
    return median(found)


def assemble(sizes: Sizes) -> list[Row]:
    """A section of 2,000 tokens for a prompt, encoded for the wire, once the texts are indexed; and what of that is recall."""
    loaded = Loaded(sizes.some)
    board, network, seen = loaded.board, loaded.board._network, views.partitions(READER)
    while network.index(1_000, partitions=seen):
        pass
    frozen()
    whole, recall = [], []
    for run in range(sizes.pairs + 1):
        rng = random.Random(run)
        asked = [Assemble(f"what is quoted for part {rng.randrange(977)}, lot {rng.randrange(89)}?") for _ in range(sizes.reads)]
        answered = [timed(partial(_answer, board, each)) for each in asked]
        recalled = [timed(partial(network.hits, each.text, each.max_candidates, partitions=seen)) for each in asked]
        if run:  # the first one warms up
            whole.append(quantiles(answered, n=20)[-1] * 1e3)
            recall.append(quantiles(recalled, n=20)[-1] * 1e3)
    return [
        Row(
            f"assemble for 2,000 tokens, {sizes.some:,} items, p95", "ms", tuple(whole), 10, note="encoded for the wire; texts are indexed"
        ),
        Row("… recalling alone, p95", "ms", tuple(recall)),
    ]


def _answer(board: Board, query: Assemble) -> bytes:
    return encode(Answer(board.answer(READER, query)))


def index(sizes: Sizes) -> list[Row]:
    """The first search of a board that was opened: with nothing kept of what its texts come to, and with what that search has kept."""
    board = Loaded(sizes.some).board
    pages, config = board.snapshot(full=True), board.config
    del board
    frozen()
    runs = []
    for run in range(sizes.pairs + 1):
        with tempfile.TemporaryDirectory() as folder:
            found = asyncio.run(_searched_first(Path(folder, "board.db"), config, pages))
        if run:  # the first one warms up
            runs.append(found)
    anew, kept = zip(*runs, strict=True)
    return [
        Row(
            f"items indexed a second by the first search, {sizes.some:,} items", "k/s", tuple(sizes.some / each / 1e3 for each in anew), 5,
            least=True, note=f"{median(anew):.1f} s of the process; what texts come to is kept meanwhile",
        ),
        Row(
            "… opened again, over without what was kept", "×", tuple(a / b for a, b in zip(anew, kept, strict=True)), least=True,
            note=f"{median(kept):.1f} s; nothing is analysed anew",
        ),
    ]  # fmt: skip


async def _searched_first(path: Path, config: BoardConfig, pages: dict[str, bytes]) -> tuple[float, float]:
    """Seconds of the first search in a board's first life, and in its second."""
    store, found = SqliteStore(path), list[float]()
    await store.open()
    try:
        for _ in range(2):
            board, written = Board.restore(config, pages, analyses=AnalysisCache(store)), list[Unwritten]()
            frozen()
            found.append(timed(partial(_search_first, board, written)))
            for each in written:
                await store.keep_analyses(0, each)
    finally:
        await store.aclose()
    anew, kept = found
    return anew, kept


def _search_first(board: Board, written: list[Unwritten]) -> None:
    """As a host does."""
    while board.prepare(READER, Search("what is quoted for part 7?"), PREPARED_AT_ONCE):
        if board.analyses.is_due():
            written.append(board.analyses.take())
    written.append(board.analyses.take())
    board.answer(READER, Search("what is quoted for part 7?"))


# ---- time -------------------------------------------------------------------------------------------------------------------------------


def evaporate(sizes: Sizes) -> list[Row]:
    """One step, with items so strong that none is due; the step's time does not depend on how many there are."""
    boards = {n: Loaded(n, strongest=1e6).board._network for n in (sizes.few, sizes.many)}
    frozen()
    steps: dict[int, list[float]] = {n: [] for n in boards}
    longest = 0.0
    for _ in range(sizes.pairs):
        for n, network in boards.items():
            before = network.stats()["items"]
            found = [timed(network.evaporate) * US for _ in range(20)]
            assert network.stats()["items"] == before, "something was due"
            steps[n].append(median(found))
            longest = max(longest, *found) if n == sizes.many else longest
    small, large = steps.values()
    return [
        Row(
            f"one evaporation step, {sizes.many:,} items, nothing due", "µs", tuple(large), 20, 4,
            note=f"with {sizes.few:,} items {median(small):.1f} µs; the longest step {longest:.0f} µs",
        ),
        Row("… over the smallest board", "×", tuple(a / b for a, b in zip(large, small, strict=True)), note="as at 1,000 items: about 1"),
    ]  # fmt: skip


# ---- writing ----------------------------------------------------------------------------------------------------------------------------


def reinforce(sizes: Sizes) -> list[Row]:
    """Reinforcing items of a lone network (with its ledger, for ``explain``), beside the peers that decay."""
    network = PheromoneNetwork()
    names = [peers.named(i) for i in range(sizes.some)]
    items = [network.deposit(ContextItem(name), initial_strength=10.0) for name in names]
    for _ in range(load.SETTLED):
        network.evaporate()
    others = {name: peer for name, peer in peers.loaded(sizes.some).items() if peer.decays}
    frozen()
    ours: list[float] = []
    theirs: dict[str, list[float]] = {name: [] for name in others}

    def own(item: str) -> None:  # the peers are called through a method of ours, too
        network.reinforce(item, 0.01, by=READER)

    for run in range(sizes.pairs):
        picked = random.Random(run).choices(range(sizes.some), k=sizes.writes)
        ids, called = [items[i].id for i in picked], [names[i] for i in picked]
        ours.append(sizes.writes / timed(partial(_each, own, ids)))
        for name, peer in others.items():
            theirs[name].append(sizes.writes / timed(partial(_each, peer.reinforce, called)))
    label, fast = peers.best(theirs, peers.RECORDED_REINFORCE, max)
    ratios = peers.ratios(ours, fast)
    return [
        Row(
            f"PheromoneNetwork.reinforce over the fastest peer that decays, {sizes.some:,} items", "×", ratios, 1.1, 2.5, least=True,
            note=f"ours {median(ours):,.0f}/s; {label}; {peers.listed(theirs, '/s')}",
        )
    ]  # fmt: skip


def _each(act: Callable[[str], None], names: list[str]) -> None:
    for name in names:
        act(name)


def apply(sizes: Sizes) -> list[Row]:
    """Packed posts, decoded and applied, with constraints and detectors; between two runs a round ends, and what changed is taken."""
    loaded = Loaded(sizes.some)
    loaded.taken()
    targets = loaded.ids()
    frozen()
    rates, decoding = [], []
    for run in range(sizes.pairs + 1):
        posts = load.packed(load.mix(targets, sizes.writes, seed=run), f"epoch-{run}")
        messages = [LogMessage(1, 0.0, load.AGENTS[run % 4], post) for post in posts]
        decode = timed(partial(_decode, posts))
        refused = 0
        began = process_time()
        for message in messages:
            for addressed in loaded.board.apply(entry_of(message, decode_post(message.data))):
                refused += len(addressed.events.refusals)
        seconds = process_time() - began
        assert not refused
        loaded.say(READER, [EndRound(int(loaded.board.now))])
        loaded.taken()
        if run:  # the first one warms up
            rates.append(sizes.writes / seconds / 1e3)
            decoding.append(decode / seconds)
    return [
        Row(
            f"Board.apply of packed observations, {sizes.some:,} items", "k/s", tuple(rates), 100, 280, least=True,
            note=f"decoding alone is {median(decoding):.0%} of it",
        )
    ]  # fmt: skip


def _decode(posts: list[bytes]) -> None:
    for post in posts:
        decode_post(post)


# ---- importing --------------------------------------------------------------------------------------------------------------------------


def importing(sizes: Sizes) -> list[Row]:
    """``import blackboard`` in fresh interpreters, byte-code compiled, beside msgspec alone, which it stands on."""
    codes = ("import blackboard", "from blackboard import PheromoneNetwork", "import msgspec")
    found: dict[str, list[float]] = {code: [] for code in codes}
    for run in range(2 * sizes.pairs + 1):
        for code, times in found.items():
            program = f"from time import perf_counter; began = perf_counter(); {code}; print(perf_counter() - began)"
            said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
            if run:  # the first one compiles
                times.append(float(said) * 1e3)
    package, network, msgspec = found.values()
    return [
        Row("import blackboard", "ms", tuple(package), 150, 80, note="its names are imported when they are used"),
        Row("… from blackboard import PheromoneNetwork", "ms", tuple(network), 150, 80, note=f"msgspec alone {median(msgspec):.0f} ms"),
    ]
