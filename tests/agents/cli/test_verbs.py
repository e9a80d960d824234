"""agents.cli.verbs: deposit, share, retract."""

from pathlib import Path

from tests.agents.cli.commands import pheroboard


def test_deposit_private(served: Path) -> None:
    """What is deposited is private unless said otherwise, and nobody else sees it."""
    done = pheroboard(served, "deposit", "shop", "The door code is 1234", "--as", "clerk")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("deposited: The door code is 1234 (private fact, standing, strength 4.00) ")
    item = done.out.split()[-1]
    other = pheroboard(served, "explain", "shop", item)
    assert (other.code, other.out, other.err) == (1, "", "pheroboard: not in your view\n")


def test_deposit_constraint(served: Path) -> None:
    """With an operator it is a constraint, with all that belongs to it; said again, it is confirmed."""
    said = ["deposit", "shop", "At most 50,000", "--key", "budget", "--op", "<=", "--value", "50000", "--unit", "CNY", "--hard", "--shared"]
    item = pheroboard(served, *said, "--json").json
    assert {name: item[name] for name in ("kind", "key", "op", "value", "unit", "hard", "scope", "strength")} == {
        "kind": "constraint", "key": "budget", "op": "<=", "value": 50_000, "unit": "CNY", "hard": True, "scope": "shared", "strength": 8.0,
    }  # fmt: skip
    assert pheroboard(served, *said, "--json").json["strength"] == 8.5


def test_share_and_retract(served: Path) -> None:
    """A private item is shared, and then anybody sees it; retracted by its only asserter, it is released."""
    item = pheroboard(served, "deposit", "shop", "Tomorrow we close", "--as", "clerk", "--json").json["id"]
    shared = pheroboard(served, "share", "shop", item, "--as", "clerk", "--json").json
    assert shared["scope"] == "shared"
    assert shared["id"] in pheroboard(served, "search", "shop", "tomorrow").out
    released = pheroboard(served, "retract", "shop", shared["id"], "--as", "clerk")
    assert released.out.startswith("retracted: Tomorrow we close (shared fact, released,")
    assert "Tomorrow" not in pheroboard(served, "search", "shop", "tomorrow").out


def test_refusals(served: Path) -> None:
    """What a board refuses is one line that names the value and the cure, and exit code 1."""
    for arguments, sentence in {
        ("shop", "x", "--strength", "-1"): "strength -1.0: give a number above 0 and at most 1,000,000",
        ("shop", "x", "--kind", "gossip"): "kind 'gossip': this board knows constraint, cycle, experience, fact",
        ("shop", "x", "--op", "<=", "--value", "1"): "--op <= limits a quantity: name it with --key",
        ("shop", "x", "--as", "a.b"): "agent name 'a.b': use 1 to 64 letters",
    }.items():
        done = pheroboard(served, "deposit", *arguments)
        assert (done.code, done.out) == (1, "")
        assert done.err.startswith(f"pheroboard: {sentence}")
        assert done.err.count("\n") == 1
