"""examples.learning_crew: a data desk that learns from its failures (chapter 5)."""

from collections import Counter
from itertools import chain

import pytest
from msgspec.structs import asdict

from examples.learning_crew.books import right
from examples.learning_crew.requests import NO_LOG, requests
from examples.learning_crew.tools import ToolError, Tools
from examples.learning_crew.world import CLOSED, build, copy, sales

YEAR = {"since": "2025-01-01", "until": "2025-12-31"}
MARCH = {"since": "2025-03-01", "until": "2025-03-31"}


@pytest.fixture(scope="module")
def tools() -> Tools:
    """Over a world of their own."""
    return Tools(copy(build()))


def test_the_world_is_the_same_at_every_start() -> None:
    """Nothing in it hangs on when it is made."""
    assert list(sales()) == list(sales())


def test_the_summary_is_as_old_as_its_last_load(tools: Tools) -> None:
    """The month that has not been closed is missing, and nothing says so."""
    months = tools.call("monthly_summary", YEAR)["groups"]
    assert max(months) == CLOSED
    assert len(months) == 11
    assert len(tools.call("monthly_summary", YEAR | {"realtime": True})["groups"]) == 12


def test_a_page_does_not_say_that_there_are_more(tools: Tools) -> None:
    """What a query returns looks the same, whether it is all or a page."""
    page, whole = tools.call("query_sales", MARCH | {"limit": 50}), tools.call("query_sales", MARCH | {"limit": 9999})
    assert len(page["rows"]) == 50 < len(whole["rows"])
    assert page.keys() == whole.keys()


def test_a_long_range_of_rows_times_out(tools: Tools) -> None:
    """Unless the store is told which index to use, or adds up by itself."""
    with pytest.raises(ToolError, match="timeout"):
        tools.call("query_sales", YEAR)
    assert tools.call("query_sales", YEAR | {"index": "sales_day"})["rows"]
    assert tools.call("query_sales", YEAR | {"aggregate": True})["groups"]


def test_amounts_are_added_up_as_they_were_booked(tools: Tools) -> None:
    """In two currencies at once, unless the query names one."""
    booked = tools.call("query_sales", YEAR | {"aggregate": True, "by": "region"})
    converted = tools.call("query_sales", YEAR | {"aggregate": True, "by": "region", "currency": "CNY"})
    assert booked["groups"]["north"] == pytest.approx(converted["groups"]["north"])
    assert booked["groups"]["overseas"] * 7.2 == pytest.approx(converted["groups"]["overseas"])


def test_a_chart_has_a_log_scale_unless_it_is_told_otherwise(tools: Tools) -> None:
    """As the tool's default is."""
    assert tools.call("plot", {"title": "revenue"})["scale"] == "log"


@pytest.mark.parametrize(
    ("tool", "parameters", "said"),
    [
        ("query", {}, "there is no tool query"),
        ("query_sales", MARCH | {"year": 2025}, "has no parameter 'year': it takes since, until"),
        ("query_sales", {"since": "2025-03-01"}, "until"),
        ("query_sales", MARCH | {"index": "day"}, "no such index: day"),
        ("query_sales", MARCH | {"currency": "EUR"}, "unknown currency 'EUR'"),
        ("monthly_summary", YEAR | {"by": "product"}, "holds months, not product"),
    ],
)
def test_tools_say_what_they_cannot_do(tools: Tools, tool: str, parameters: dict[str, object], said: str) -> None:
    """With what was wrong about the call."""
    with pytest.raises(ToolError, match=said):
        tools.call(tool, parameters)


def test_two_hundred_requests_of_five_types() -> None:
    """The same at every start, each once; some forbid a log scale, and few ask for one."""
    seen, unseen = requests()
    assert (seen, unseen) == requests()
    asked = seen + unseen
    assert (len(seen), len(unseen)) == (120, 80)
    assert len({request.text for request in asked}) == 200
    assert Counter(request.type for request in asked) == dict.fromkeys(("trend", "ranking", "share", "total", "comparison"), 40)
    scales = Counter("no" if NO_LOG in request.text else "log" if "log scale" in request.text else "" for request in asked)
    assert scales["no"] > 20 > scales["log"] > 2


def test_the_books_and_the_tools_agree_when_they_are_asked_well(tools: Tools) -> None:
    """Two ways to add up, which share nothing but the rows."""
    for request in chain(*requests()):
        wish = request.wish
        if wish.then_since:
            continue
        asked = {name: value for name, value in asdict(wish).items() if name in {"since", "until", "measure", "by", "region", "category"}}
        given = tools.call("query_sales", asked | {"aggregate": True, "currency": wish.currency})["groups"]
        expected = right(wish)
        assert {name: given[name] for name in expected} == pytest.approx(expected)
        assert len(expected) == (wish.top or len(given))
