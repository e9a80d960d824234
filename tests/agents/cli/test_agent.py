"""agents.cli.agent: who may speak on the boards of a folder."""

import asyncio
import json
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from agents.cli import call
from agents.cli.agent import _in_force
from bus.binary import find_server
from bus.identities import Identities
from tests.agents.cli.commands import Ran, line_of, started

Run = Callable[..., Ran]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on the folder, in this process: there are many, and an interpreter takes a while to start."""
    monkeypatch.delenv("PHEROBOARD_CREDENTIALS", raising=False)
    monkeypatch.setenv("PHEROBOARD_DATA", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "200")

    def ran(*arguments: str) -> Ran:
        code = call(arguments)
        return Ran(code, *capsys.readouterr())

    return ran


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Path]:
    """A folder of one's own, of which two boards are served."""
    with started(tmp_path, "up", "shop", "lab") as up:
        line_of(up)
        yield tmp_path


def refused(ran: Ran, sentence: str) -> bool:
    return ran.code == 1 and sentence in ran.err and ran.out == ""


def test_from_the_first_agent_on(served: Path, run: Run) -> None:
    """An agent that is added may speak on its boards from then on, with its key, and nobody without one; added again, on more."""
    assert run("deposit", "shop", "Before", "--shared", "--as", "schedule").code == 0
    said = run("agent", "add", "finance", "shop").out
    assert said == f"finance may speak on shop, with the key in {served / 'keys' / 'finance.nk'}\n"
    assert run("deposit", "shop", "Mine", "--as", "finance").code == 0
    assert "Before" in run("top", "shop").out
    assert refused(run("top", "shop", "--as", "schedule"), "does not know anyone who shows no key")
    assert refused(run("top", "lab", "--as", "finance"), "does not let this user use")
    assert "may speak on lab, shop" in run("agent", "add", "finance", "lab").out
    assert run("top", "lab", "--as", "finance").code == 0
    assert "may speak on every board" in run("agent", "add", "finance").out


def test_rotating(served: Path, run: Run) -> None:
    """The former key is refused once the command returns, and the new one is not."""
    key = served / "keys" / "finance.nk"
    run("agent", "add", "finance", "shop")
    former = served / "former.nk"
    key.rename(former)  # handed over, say
    assert "finance has a new key" in run("agent", "rotate", "finance").out
    assert refused(run("top", "shop", "--as", "finance", "--credentials", str(former)), "does not know the key in")
    assert run("top", "shop", "--as", "finance").code == 0
    assert refused(run("agent", "rotate", "nobody"), "there is no agent 'nobody' here")
    assert "operator has a new key" in run("agent", "rotate", "operator").out
    assert run("top", "shop").code == 0


def notes(run: Run, agent: str) -> list[str]:
    """What an agent has in private, on both boards."""
    found = [run("top", board, "--as", agent, "--json").json for board in ("shop", "lab")]
    return sorted(item["content"] for items in found for item in items if "scope" not in item)


def two_agents(run: Run) -> None:
    for agent in ("finance", "schedule"):
        run("agent", "add", agent)
    for board in ("shop", "lab"):
        run("deposit", board, f"A note on {board}", "--as", "finance")
        run("deposit", board, "For all", "--shared", "--as", "finance")


def test_removing(served: Path, run: Run) -> None:
    """Who was removed is refused; its private items are kept, handed over or erased on every board, as is said; shared ones stay."""
    two_agents(run)
    both = ["A note on lab", "A note on shop"]
    assert run("agent", "remove", "finance", "--keep").out == "finance may speak no more; its private items are kept\n"
    assert refused(run("top", "shop", "--as", "finance"), "does not know anyone who shows no key")
    run("agent", "add", "finance")
    assert notes(run, "finance") == both
    assert run("agent", "remove", "finance", "--give-to", "schedule").out.endswith("its private items are those of schedule\n")
    assert notes(run, "schedule") == both
    assert run("agent", "remove", "schedule", "--erase").out.endswith("its private items are erased\n")
    for agent in ("finance", "schedule"):
        run("agent", "add", agent)
        assert notes(run, agent) == []
    assert "For all" in run("top", "shop").out


def test_removing_where_nothing_is_served(tmp_path: Path, run: Run) -> None:
    """Also then its items become what is said, and also once it was removed: they can be erased later."""
    with started(tmp_path, "up", "shop", "lab") as up:
        line_of(up)
        two_agents(run)
        up.terminate()
        up.wait(10)
    assert run("agent", "remove", "finance", "--give-to", "schedule").code == 0
    assert run("agent", "remove", "schedule", "--keep").code == 0
    assert run("agent", "remove", "finance", "--erase").code == 0
    with started(tmp_path, "up") as up:
        line_of(up)
        run("agent", "add", "schedule")
        assert notes(run, "schedule") == ["A note on lab", "A note on shop"]
        run("agent", "remove", "schedule", "--keep")
        assert run("agent", "remove", "schedule", "--erase").code == 0
        run("agent", "add", "schedule")
        assert notes(run, "schedule") == []


def test_what_is_to_be_said(tmp_path: Path, run: Run) -> None:
    """What becomes of the items has to be said, once; whoever gets them is known; the operator stays; names are names."""
    run("agent", "add", "finance")
    for arguments in ((), ("--keep", "--erase"), ("--erase", "--give-to", "finance")):
        assert refused(run("agent", "remove", "finance", *arguments), "Give one of --keep, --erase, --give-to AGENT")
    assert refused(run("agent", "remove", "finance", "--give-to", "nobody"), "there is no agent 'nobody' here")
    assert refused(run("agent", "remove", "finance", "--give-to", "finance"), "give them to another")
    assert refused(run("agent", "remove", "nobody", "--keep"), "there is no agent 'nobody' here")
    assert refused(run("agent", "remove", "operator", "--keep"), "operator is this machine's own")
    assert refused(run("agent", "add", "a.b"), "agent name 'a.b'")
    unnamed = run("agent", "add")
    assert (unnamed.code, "parameter NAME requires an argument" in unnamed.err) == (2, True)
    assert list(json.loads((tmp_path / "agents.json").read_text())["agents"]) == ["finance"]


def test_listing(run: Run) -> None:
    """Agents with their boards and public keys; an open folder says that it is."""
    assert "is open: whoever reaches its server may speak as any agent" in run("agent", "list").out
    run("agent", "add", "finance", "shop")
    said = run("agent", "list").out
    assert "finance  shop" in said
    assert "open" not in said
    known = run("agent", "list", "--json").json
    assert known["agents"]["finance"]["boards"] == ["shop"]
    assert known["agents"]["finance"]["key"] in said


def test_a_token(tmp_path: Path, run: Run) -> None:
    """It is printed for an agent that has a key in the folder, or in another place that is named; a new key has another."""
    assert run("agent", "add", "finance").code == 0
    token = run("agent", "token", "finance").out
    assert token == run("agent", "token", "finance", "--credentials", str(tmp_path / "keys")).out
    assert token.startswith("finance.")
    assert refused(run("agent", "token", "schedule"), "there is no agent 'schedule' here")
    assert refused(run("agent", "token", "schedule", "--credentials", str(tmp_path / "keys")), "there is no key of schedule in")
    assert run("agent", "rotate", "finance").code == 0
    assert run("agent", "token", "finance").out != token


def test_a_configuration_for_others(tmp_path: Path, run: Run) -> None:
    """The accounts are printed as a server takes them, with public keys alone, closed whether the folder is or not."""
    for agents in ((), ("finance",)):
        for agent in agents:
            run("agent", "add", agent, "shop")
        text = run("agent", "config", "shop").out
        (tmp_path / "accounts.conf").write_text(text)
        (tmp_path / "server.conf").write_text(f'include "accounts.conf"\njetstream {{ store_dir: "{tmp_path / "nats"}" }}\n')
        checked = subprocess.run(
            [find_server(), "-t", "-c", "server.conf"], cwd=tmp_path, capture_output=True, text=True, check=False, timeout=20
        )
        assert checked.returncode == 0, checked.stderr
        assert "no_auth_user" not in text
        assert not [key for key in (tmp_path / "keys").glob("*.nk") if key.read_text().strip() in text]
    assert "pb.obs.shop.finance" in text
    assert "pb.obs.shop.operator" in text


def test_what_up_cannot_take_over(served: Path, run: Run) -> None:
    """A registry that cannot be read stops no board, and one that is lost opens none; the change that puts it right is in force at once."""
    file = served / "agents.json"
    assert run("agent", "add", "finance").code == 0
    good = file.read_text()
    file.write_text("{")
    assert refused(run("agent", "add", "schedule"), "agents.json cannot be read")
    assert run("top", "shop", "--as", "finance").code == 0
    file.unlink()
    asyncio.run(_in_force(Identities(served), served))
    assert refused(run("top", "shop", "--as", "nobody"), "does not know anyone who shows no key")
    assert refused(run("top", "shop", "--as", "finance"), "does not know the key in")
    file.write_text(good)
    assert run("agent", "add", "schedule").code == 0
    for who in ("operator", "finance", "schedule"):
        assert run("top", "shop", "--as", who).code == 0
