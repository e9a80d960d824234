"""Two hundred requests, as colleagues put them, and what each asks for."""

import calendar
import random
from collections.abc import Callable
from datetime import date
from typing import NamedTuple

from msgspec import Struct

from examples.learning_crew.tools import ALL
from examples.learning_crew.world import CATALOGUE, REGIONS

NO_LOG = "do not use a log scale"
COUNT, UNSEEN = 200, 80


class Wish(Struct, frozen=True):
    """What a request asks for, as the form says beside its text; flat, and so the facts of the task."""

    measure: str
    """*revenue*, *units* or *returns* (the share of orders that came back)."""
    since: str
    until: str
    then_since: str = ""
    then_until: str = ""
    """The period to compare with."""
    by: str = ALL
    region: str = ALL
    category: str = ALL
    currency: str = "CNY"
    top: int = 0
    """How many of a ranking; 0: all."""
    chart: bool = False


class Request(NamedTuple):
    """One request."""

    text: str
    type: str
    wish: Wish
    critical: bool = False


class Period(NamedTuple):
    """Some months, and how people call them."""

    name: str
    since: str
    until: str


def months(year: int, first: int, last: int, name: str) -> Period:
    """From the first day of one month to the last of another."""
    end = date(year, last, calendar.monthrange(year, last)[1])
    return Period(f"{name} {year}".strip(), date(year, first, 1).isoformat(), end.isoformat())


def month(draw: random.Random) -> Period:
    """Any."""
    number = draw.randint(1, 12)
    return months(draw.choice((2024, 2025)), number, number, calendar.month_name[number])


def quarter(draw: random.Random) -> Period:
    """Any."""
    number = draw.randint(1, 4)
    return months(draw.choice((2024, 2025)), 3 * number - 2, 3 * number, f"Q{number}")


def half(draw: random.Random) -> Period:
    """Any."""
    number = draw.randint(1, 2)
    return months(draw.choice((2024, 2025)), 6 * number - 5, 6 * number, f"H{number}")


def year(draw: random.Random) -> Period:
    """Any."""
    return months(draw.choice((2024, 2025)), 1, 12, "")


def period(draw: random.Random) -> Period:
    """Short ones are asked for more often."""
    return draw.choices((month, quarter, half, year), (4, 4, 1, 1))[0](draw)


def trend(draw: random.Random) -> Request:
    """By month, often with a chart, and often without a log scale."""
    span, region, measure = draw.choice((half, year))(draw), draw.choice((ALL, *REGIONS)), draw.choice(("revenue", "units"))
    currency = draw.choice(("CNY", "CNY", "USD")) if measure == "revenue" else "CNY"
    chart = draw.random() < 0.6
    text = draw.choice(("{what} by month{where} for {when}{money}.", "How did {what} go month by month{where} in {when}{money}?"))
    text = text.format(what=_said(measure), where=_in(region), when=span.name, money=f", in {currency}" if measure == "revenue" else "")
    wish = Wish(measure, span.since, span.until, by="month", region=region, currency=currency, chart=chart)
    return Request(_capital(text) + (_charted(draw) if chart else ""), "trend", wish, critical=draw.random() < 0.2)


def ranking(draw: random.Random) -> Request:
    """The top few."""
    span, measure = period(draw), "units"
    by, top = draw.choice((("product", 3), ("product", 5), ("category", 2), ("region", 2)))
    where = ALL if by == "region" else draw.choice((ALL, ALL, *REGIONS))
    plural = {"product": "products", "category": "categories", "region": "regions"}[by]
    text = draw.choice(("Top {top} {plural} by {what}{where} in {when}.", "Which {top} {plural} had the most {what}{where} in {when}?"))
    text = text.format(top=top, plural=plural, what=_said(measure), where=_in(where), when=span.name)
    wish = Wish(measure, span.since, span.until, by=by, region=where, top=top)
    return Request(text, "ranking", wish, critical=draw.random() < 0.1)


def share(draw: random.Random) -> Request:
    """How much came back."""
    span, by, where = period(draw), draw.choice(("channel", "category", "region")), ALL
    if by != "region":
        where = draw.choice((ALL, *REGIONS))
    text = draw.choice(("Share of returns per {by}{where} in {when}.", "What share of orders came back, by {by}{where}, in {when}?"))
    wish = Wish("returns", span.since, span.until, by=by, region=where)
    return Request(text.format(by=by, where=_in(where), when=span.name), "share", wish)


def total(draw: random.Random) -> Request:
    """One figure."""
    measure = draw.choice(("revenue", "revenue", "units"))
    span = (month if measure == "revenue" else period)(draw)
    category, region = draw.choice((ALL, *CATALOGUE)), draw.choice((ALL, ALL, "overseas", "north", "south"))
    currency = draw.choice(("CNY", "USD")) if measure == "revenue" else "CNY"
    text = draw.choice(("Total {what}{of}{where} in {when}{money}.", "{what}{of}{where} in {when}{money}, in total."))
    of = "" if category == ALL else f" of {category}"
    text = text.format(
        what=_said(measure), of=of, where=_in(region), when=span.name, money=f", in {currency}" if measure == "revenue" else ""
    )
    wish = Wish(measure, span.since, span.until, category=category, region=region, currency=currency)
    return Request(_capital(text), "total", wish, critical=draw.random() < 0.2)


def comparison(draw: random.Random) -> Request:
    """Two months, side by side, with a chart."""
    year, first, second = draw.choice((2024, 2025)), *sorted(draw.sample(range(1, 13), 2))
    one, two = (months(year, number, number, calendar.month_name[number]) for number in (first, second))
    measure, by = draw.choice((("units", "region"), ("units", "category"), ("revenue", "category")))
    where = ALL if by == "region" else draw.choice(("north", "south", "east"))
    names = (calendar.month_name[first], calendar.month_name[second])
    text = draw.choice(("Compare {one} with {two} {year}: {what} per {by}{where}.", "{what} per {by}{where}, {one} against {two} {year}."))
    text = text.format(one=names[0], two=names[1], year=year, what=_said(measure), by=by, where=_in(where))
    wish = Wish(measure, one.since, one.until, two.since, two.until, by=by, region=where, chart=True)
    return Request(_capital(text) + _charted(draw), "comparison", wish)


KINDS: tuple[Callable[[random.Random], Request], ...] = (trend, ranking, share, total, comparison)


def requests(seed: int = 13) -> tuple[list[Request], list[Request]]:
    """Those that the desk learns from, in the order in which they come, and those that it never sees meanwhile; no two are the same."""
    draw = random.Random(seed)  # noqa: S311 – made-up requests
    made: dict[str, Request] = {}
    while len(made) < COUNT:
        request = KINDS[len(made) % len(KINDS)](draw)
        made.setdefault(request.text, request)
    seen, unseen = list(made.values())[UNSEEN:], list(made.values())[:UNSEEN]
    draw.shuffle(seen)
    return seen, unseen


def _charted(draw: random.Random) -> str:
    return draw.choices(
        (
            " Draw a chart.",
            f" Draw a chart, but {NO_LOG}.",
            f" Please {NO_LOG} in the chart.",
            " Draw a chart on a log scale.",
        ),
        (5, 2, 2, 1),
    )[0]


def _said(measure: str) -> str:
    return {"revenue": "revenue", "units": "units sold"}[measure]


def _in(region: str) -> str:
    return {ALL: "", "overseas": " overseas"}.get(region, f" in the {region}")


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]
