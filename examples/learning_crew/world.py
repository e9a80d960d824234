"""What there is to be asked about: two years of sales in an SQLite table, the same at every start."""

import random
import sqlite3
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

FIRST, LAST = date(2024, 1, 1), date(2025, 12, 31)
CLOSED = "2025-11"
"""The monthly summary was last loaded when this month had ended; of what came later it knows nothing."""
REGIONS = ("north", "south", "east", "overseas")
CHANNELS = ("store", "web", "marketplace")
CATALOGUE = {
    "furniture": {"desk": 1450, "office chair": 890, "shelf": 620, "cabinet": 1280},
    "electronics": {"monitor": 1350, "keyboard": 260, "projector": 3900, "headset": 410},
    "stationery": {"notebook": 18, "pen set": 35, "planner": 62, "paper": 24},
}
"""Category → product → its list price in CNY."""
CNY = {"CNY": 1.0, "USD": 7.2}
"""What one of each currency is worth in CNY: the rate at which the books are kept."""

SCHEMA = """
create table sales (
    day text, region text, product text, category text, channel text, units integer, amount real, currency text, returned integer
);
create index sales_day on sales (day);
create table monthly (month text, region text, units integer, revenue real, orders integer, returned integer);
"""
LOAD = """
select substr(day, 1, 7), region, sum(units), sum(amount * case currency when 'USD' then 7.2 else 1 end), count(*), sum(returned)
from sales where substr(day, 1, 7) > (select coalesce(max(month), '') from monthly) group by 1, 2
"""
"""The rows that the monthly summary does not have yet."""


class Sale(NamedTuple):
    """A row of the table."""

    day: str
    region: str
    product: str
    category: str
    channel: str
    units: int
    amount: float
    """What was paid for all of them, in ``currency``."""
    currency: str
    returned: int
    """1, if it came back."""


def sales(seed: int = 5) -> Iterator[Sale]:
    """Every sale, day by day: the shop grows, the last quarter is the strongest, and what is sold online comes back more often."""
    draw = random.Random(seed)  # noqa: S311 – a made-up world
    for number in range((LAST - FIRST).days + 1):
        day = FIRST + timedelta(number)
        for _ in range(round(draw.uniform(3, 7) * (1 + number / 1500) * (1.3 if day.month >= 10 else 1.0))):
            category = draw.choices(list(CATALOGUE), (3, 4, 5))[0]
            product = draw.choice(list(CATALOGUE[category]))
            region = draw.choices(REGIONS, (4, 3, 3, 2))[0]
            channel = draw.choices(CHANNELS, (4, 4, 2))[0]
            units = draw.randint(5, 60) if category == "stationery" else draw.randint(1, 6)
            price = CATALOGUE[category][product] * draw.uniform(0.85, 1.05) * units
            currency = "USD" if region == "overseas" else "CNY"
            returned = draw.random() < {"store": 0.04, "web": 0.11, "marketplace": 0.16}[channel]
            yield Sale(day.isoformat(), region, product, category, channel, units, round(price / CNY[currency], 2), currency, int(returned))


def build(path: Path | str = ":memory:") -> sqlite3.Connection:
    """Make the table, and the summary that a job loads from it once a month."""
    world = sqlite3.connect(path)
    world.executescript(SCHEMA)
    world.executemany("insert into sales values (?, ?, ?, ?, ?, ?, ?, ?, ?)", sales())
    world.execute(f"insert into monthly {LOAD}")
    world.execute("delete from monthly where month > ?", (CLOSED,))
    world.commit()
    return world


def copy(world: sqlite3.Connection) -> sqlite3.Connection:
    """A sandbox: the same tables in memory, where nothing that is done counts."""
    sandbox = sqlite3.connect(":memory:")
    world.backup(sandbox)
    return sandbox
