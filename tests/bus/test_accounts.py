"""The accounts of a server."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from bus.accounts import ANYONE, BOARDS, OPERATOR, Agent, Registry, configuration

KNOWN = Registry(agents={OPERATOR: Agent("UO"), "finance": Agent("UF", ("shop",)), "BOARDS": Agent("UB", ("lab", "shop"))}, closed=True)
NAMES = st.from_regex(r"[A-Za-z0-9-][A-Za-z0-9_-]{0,8}", fullmatch=True)
REGISTRIES = st.dictionaries(NAMES, st.builds(Agent, key=NAMES, boards=st.none() | st.lists(NAMES, max_size=3).map(tuple)), max_size=5).map(
    lambda agents: Registry(agents, closed=True)
)


def accounts(text: str) -> Any:
    return json.loads(text.partition("accounts: ")[2])


def test_an_agent_has_its_own_subjects() -> None:
    """On each board that it was granted it publishes, asks and listens under its own name, and hears its inbox: no more."""
    of = accounts(configuration(KNOWN, "UH", ("shop", "lab")))
    assert of["agent-finance"] == {
        "users": [
            {
                "nkey": "UF",
                "permissions": {
                    "publish": {"allow": ["pb.obs.shop.finance", "pb.ask.shop.finance"]},
                    "subscribe": {"allow": ["pb.evt.shop.shared", "pb.evt.shop.private.finance", "_INBOX.>"]},
                },
            }
        ],
        "imports": [
            {"service": {"account": BOARDS, "subject": "pb.obs.shop.finance"}},
            {"service": {"account": BOARDS, "subject": "pb.ask.shop.finance"}},
            {"stream": {"account": BOARDS, "subject": "pb.evt.shop.shared"}},
            {"stream": {"account": BOARDS, "subject": "pb.evt.shop.private.finance"}},
        ],
    }


def test_every_board_is_spelt_out() -> None:
    """Whoever may speak on every board of the folder has each by its name."""
    of = accounts(configuration(KNOWN, "UH", ("shop", "lab")))
    allowed = of["agent-operator"]["users"][0]["permissions"]["publish"]["allow"]
    assert allowed == [f"pb.{way}.{board}.operator" for board in ("lab", "shop") for way in ("obs", "ask")]


def test_a_board_that_is_granted_is_there() -> None:
    """Who may speak on every board may also on one that is not made yet, but was granted to another."""
    allowed = accounts(configuration(KNOWN, "UH", ()))["agent-operator"]["users"][0]["permissions"]["publish"]["allow"]
    assert allowed == [f"pb.{way}.{board}.operator" for board in ("lab", "shop") for way in ("obs", "ask")]


@given(REGISTRIES, st.lists(NAMES, max_size=3))
def test_nobody_is_given_anothers(registry: Registry, boards: list[str]) -> None:
    """Whatever the names: every grant names its own agent, no wildcard stands in any but the inbox, and each import has its export."""
    of = accounts(configuration(registry, "UH", boards))
    assert of[BOARDS]["users"] == [{"nkey": "UH"}]
    exported = {
        (way, export[way], account)
        for export in of[BOARDS]["exports"]
        for way in export
        if way != "accounts"
        for account in export["accounts"]
    }
    imported = set()
    for name in registry.agents:
        account = of[f"agent-{name}"]
        [user] = account["users"]
        subjects = [*user["permissions"]["publish"]["allow"], *user["permissions"]["subscribe"]["allow"]]
        for subject in subjects:
            assert subject == "_INBOX.>" or subject.endswith((f".{name}", ".shared"))
            assert subject == "_INBOX.>" or not set("*>") & set(subject)
        imported |= {(way, each[way]["subject"], f"agent-{name}") for each in account["imports"] for way in each}
    assert imported == exported
    assert not of.keys() - {BOARDS} - {f"agent-{name}" for name in registry.agents}


def test_an_open_server_lets_anyone_in() -> None:
    """As any agent but the host, in an account of its own, until an agent is added; a configuration can be had closed all the same."""
    text = configuration(Registry(), "UH", ("shop",))
    assert text.startswith(f"no_auth_user: {ANYONE}\n")
    [user] = accounts(text)[ANYONE]["users"]
    assert user["permissions"]["publish"] == {"allow": ["pb.obs.*.*", "pb.ask.*.*"], "deny": ["pb.obs.*._board", "pb.ask.*._board"]}
    for closed in (configuration(Registry(closed=True), "UH", ("shop",)), configuration(Registry(), "UH", ("shop",), closed=True)):
        assert ANYONE not in closed
