"""agents.cli.reads: top, search, assemble, explain, constraints, experts, stats."""

from pathlib import Path

import pytest

from agents.cli.output import reasons
from agents.cli.reads import _standing
from bus.messages import (
    HostState,
    Via,
    Why,
)
from tests.agents.cli.commands import pheroboard


@pytest.fixture(scope="module")
def budget(served: Path) -> str:
    """The id of a constraint on the board kitchen, confirmed once."""
    said = ["deposit", "kitchen", "At most 7,000", "--key", "budget", "--op", "<=", "--value", "7000", "--unit", "CNY", "--shared"]
    assert pheroboard(served, "deposit", "kitchen", "The oven is broken", "--key", "oven", "--shared").code == 0
    assert pheroboard(served, *said, "--as", "finance").code == 0
    item: str = pheroboard(served, *said, "--as", "chef", "--json").json["id"]
    return item


def test_top(served: Path, budget: str) -> None:
    """The strongest items first, as a table into a pipe in which nothing is cut, and as JSON."""
    table = pheroboard(served, "top", "kitchen").out.splitlines()
    assert table[0].split() == ["strength", "kind", "key", "content", "by", "id"]
    assert table[1].split() == ["8.50", "constraint", "budget", "At", "most", "7,000", "finance,", "chef", budget]
    items = pheroboard(served, "top", "kitchen", "--json").json
    assert items[0]["id"] == budget
    assert [item["kind"] for item in pheroboard(served, "top", "kitchen", "--kind", "fact", "--limit", "1", "--json").json] == ["fact"]


def test_search(served: Path, budget: str) -> None:
    """Only what has to do with the words."""
    assert [item["content"] for item in pheroboard(served, "search", "kitchen", "oven", "--json").json] == ["The oven is broken"]
    assert pheroboard(served, "search", "kitchen", "zeppelin").out == "Nothing that is in view has to do with it.\n"


def test_explain(served: Path, budget: str) -> None:
    """Every step that made a strength."""
    said = pheroboard(served, "explain", "kitchen", budget).out.splitlines()
    assert said[0] == "At most 7,000: constraint, standing, strength 8.50"
    assert [line.split()[2:4] for line in said[2:4]] == [["deposit", "finance"], ["confirm", "chef"]]
    assert [act["cause"] for act in pheroboard(served, "explain", "kitchen", budget, "--json").json["acts"]] == ["deposit", "confirm"]


def test_constraints(served: Path, budget: str) -> None:
    """Each constraint with its status and its rule."""
    [head, line] = pheroboard(served, "constraints", "kitchen").out.splitlines()
    assert head.split()[:3] == ["status", "binds", "rule"]
    assert line.split()[:6] == ["active", "soft", "budget", "<=", "7000", "CNY"]
    assert [view["status"] for view in pheroboard(served, "constraints", "kitchen", "--json").json] == ["active"]


def test_experts(served: Path, budget: str) -> None:
    """Who strengthened the items of a key."""
    lines = pheroboard(served, "experts", "kitchen", "budget").out.splitlines()
    assert [line.split()[0] for line in lines] == ["agent", "finance", "chef"]
    found = pheroboard(served, "experts", "kitchen", "budget", "--json").json
    assert {each["agent"]: each["amount"] for each in found} == {"finance": 8.0, "chef": 0.5}
    assert pheroboard(served, "experts", "kitchen", "nothing").out.startswith("Nobody has strengthened")


def test_stats(served: Path, budget: str) -> None:
    """The board in figures."""
    assert pheroboard(served, "stats", "kitchen").out.startswith("kitchen: round 0, 2 items and 0 edges in view\n")
    assert pheroboard(served, "stats", "kitchen", "--json").json["kinds"] == {"constraint": 1, "fact": 1}


def test_how_a_host_is_said_to_stand() -> None:
    """One that was not heard of lately is silent; it neither leads nor stands by."""
    assert _standing(HostState(host="a", leads=True)) == "leads"
    assert _standing(HostState(host="a", behind=1200, silent=0.7)) == "stands by, 1,200 entries behind"
    assert _standing(HostState(host="a", silent=12.3)) == "silent for 12.3 s, abreast"


def test_why(served: Path, budget: str) -> None:
    """How relevant each is, and because of what."""
    table = pheroboard(served, "search", "kitchen", "oven", "--why").out.splitlines()
    assert table[0].split()[:3] == ["score", "relevance", "strength"]
    assert table[1].split()[-2] == "oven"
    [hit] = pheroboard(served, "search", "kitchen", "oven", "--why", "--json").json
    assert (hit["item"]["content"], hit["why"]["terms"]) == ("The oven is broken", ["oven"])


def test_reasons_in_words() -> None:
    """The words that it has, what is named of it, and where the rest came from."""
    assert reasons(Why(0.8, ("cat", "purrs"), (Via("0123456789", 0.25),), ("finance",))) == "cat, purrs; finance; 25% from 01234567"
    assert reasons(Why(0.0)) == ""


def test_assemble(served: Path, budget: str) -> None:
    """The section as it stands, or why there is none; with --json the account. It only looks, unless it is told to use."""
    found = pheroboard(served, "assemble", "kitchen", "the oven", "--fill")
    assert found.out.startswith("<memory>\n")
    assert "At most 7,000" in found.out
    assert "The oven is broken" in found.out
    small = pheroboard(served, "assemble", "kitchen", "oven", "--max-tokens", "5")
    assert small.err.startswith("the budget of 5 tokens is too small")
    assert small.out == ""  # what is said about a section is not to get into a prompt
    nothing = pheroboard(served, "assemble", "kitchen", "zebra", "--json")
    assert (nothing.json["text"], nothing.json["tokens"], nothing.json["chosen"]) == ("", 0, [])
    assert "has to do with the query" in nothing.err
    assert "Nothing that is in view has to do with it." in pheroboard(served, "search", "kitchen", "zebra").out
    strength = pheroboard(served, "top", "kitchen", "--json").json[1]["strength"]
    account = pheroboard(served, "assemble", "kitchen", "oven", "--json").json
    assert [hit["item"]["content"] for hit in account["chosen"]] == ["The oven is broken"]
    assert pheroboard(served, "top", "kitchen", "--json").json[1]["strength"] == strength
    pheroboard(served, "assemble", "kitchen", "oven", "--use")
    assert pheroboard(served, "top", "kitchen", "--json").json[1]["strength"] > strength


def test_what_binds_and_does_not_fit_is_told_apart(served: Path) -> None:
    """On stderr, so that what is written into a prompt stays that alone."""
    said = "Never leave the kitchen unattended while the stove is on"
    assert pheroboard(served, "deposit", "kitchen", said, "--kind", "constraint", "--hard", "--as", "cook").code == 0
    found = pheroboard(served, "assemble", "kitchen", "stove", "--max-tokens", "20", "--as", "cook")
    assert f"did not fit, and binds all the same: {said}" in found.err
    assert said not in found.out
    found = pheroboard(served, "assemble", "kitchen", "stove", "--max-tokens", "20", "--as", "cook", "--json")
    assert f"did not fit, and binds all the same: {said}" in found.err
