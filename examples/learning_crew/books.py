"""The right answers, added up from the rows themselves: no query and no tool has a part in them."""

from collections.abc import Iterable
from functools import cache

from examples.learning_crew.requests import Wish
from examples.learning_crew.tools import ALL
from examples.learning_crew.world import CNY, Sale, sales

Answer = dict[str, float]
"""Group → figure; of a comparison the groups of the second period have a prime: *north′*."""


@cache
def right(wish: Wish) -> Answer:
    """What the answer is."""
    answer = _figures(wish, wish.since, wish.until)
    if wish.then_since:
        answer |= {f"{name}′": figure for name, figure in _figures(wish, wish.then_since, wish.then_until).items()}
    return answer


def first(answer: Answer, top: int) -> Answer:
    """The ``top`` largest; 0: all."""
    ranked = sorted(answer.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ranked[: top or None])


@cache
def count(wish: Wish, since: str, until: str) -> int:
    """How many sales a figure of the answer rests on."""
    return sum(1 for _ in _chosen(wish, since, until))


@cache
def _book() -> tuple[Sale, ...]:
    return tuple(sales())


def _figures(wish: Wish, since: str, until: str) -> Answer:
    groups: dict[str, list[Sale]] = {}
    for sale in _chosen(wish, since, until):
        groups.setdefault(_group(sale, wish.by), []).append(sale)
    return first({name: _figure(wish, rows) for name, rows in groups.items()}, wish.top)


def _chosen(wish: Wish, since: str, until: str) -> Iterable[Sale]:
    asked = {column: value for column in ("region", "category") if (value := getattr(wish, column)) != ALL}
    return (
        sale for sale in _book() if since <= sale.day <= until and all(getattr(sale, column) == value for column, value in asked.items())
    )


def _group(sale: Sale, by: str) -> str:
    if by == ALL:
        return ALL
    return sale.day[:7] if by == "month" else str(getattr(sale, by))


def _figure(wish: Wish, rows: list[Sale]) -> float:
    match wish.measure:
        case "units":
            return float(sum(sale.units for sale in rows))
        case "returns":
            return sum(sale.returned for sale in rows) / len(rows)
        case _:
            return sum(sale.amount * CNY[sale.currency] for sale in rows) / CNY[wish.currency]
