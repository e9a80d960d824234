"""agents.cli.doctor: is everything in place?"""

import sqlite3
from pathlib import Path
from typing import Any

import msgspec

from bus.nats import NatsBus
from tests.agents.cli.commands import address_in, line_of, pheroboard, started


def test_all_well(served: Path) -> None:
    """Every check of a running server, and what its boards have set aside with the reasons."""
    assert pheroboard(served, "share", "lab", "0" * 32).code == 1
    done = pheroboard(served, "doctor")
    assert done.code == 0
    lines = done.out.splitlines()
    assert all(line.startswith("ok ") for line in lines)
    assert [line.split()[1] for line in lines if "its log goes on from there" in line] == ["desk:", "kitchen:", "lab:", "shop:"]
    assert any("set aside: " in line and "NotInView" in line for line in lines)
    assert any("operator: NotInView: not in your view" in line for line in lines)


def test_a_board_that_is_named(served: Path) -> None:
    """A board of the folder, which is looked into anyway, may be named."""
    done = pheroboard(served, "doctor", "lab")
    assert done.code == 0
    assert done.out.count("lab: its log goes on from there") == 1


async def test_dead_letters(tmp_path: Path) -> None:
    """Whatever was refused is listed with its sender, the reason and what it said."""
    deposit = {"type": "deposit", "content": "c"}
    said: dict[str, Any] = {
        "BadMessage: observation: Expected `float | null`, got `str`": {"units": [[deposit | {"strength": "much"}]]},
        "BadMessage: observation: Invalid value 'explode'": {"units": [[{"type": "explode"}]]},
        "BadMessage: observation: version 7": {"v": 7},
        "BadValue: strength nan": {"units": [[deposit | {"strength": float("nan")}]]},
        "BadValue: strength inf": {"units": [[deposit | {"strength": float("inf")}]]},
        "BadValue: strength -1.0": {"units": [[deposit | {"strength": -1.0}]]},
        "UnknownKind: kind 'gossip'": {"units": [[deposit | {"kind": "gossip"}]]},
        "TooBig: content of 200,000 bytes": {"units": [[deposit | {"content": "x" * 200_000}]]},
        'NotInView: not in your view: \'[{"type":"confirm","item":"0000': {"units": [[{"type": "confirm", "item": "0" * 32}]]},
        "OutOfOrder: post 99": {"seq": 99},
    }
    with started(tmp_path, "up", "shop") as up:
        bus = await NatsBus.connect(address_in(line_of(up)))
        for number, sent in enumerate(said.values(), 1):
            await bus.publish("shop", "mallory", msgspec.msgpack.encode({"v": 1, "epoch": "e", "seq": number, "units": [[deposit]]} | sent))
        await bus.publish("shop", "mallory", b"\xff no message")
        await bus.aclose()
        assert pheroboard(tmp_path, "deposit", "shop", "Behind them all").code == 0  # once it is applied, so are they
    listed = [line for line in pheroboard(tmp_path, "doctor").out.splitlines() if ": entry " in line]
    assert len(listed) == len(said) + 1
    for reason in (*said, "BadMessage: observation: Expected `object`, got `int`: '� no message'"):
        assert any(f", mallory: {reason}" in line for line in listed), (reason, listed)


def test_nothing_there(tmp_path: Path) -> None:
    """On a fresh machine there is nothing wrong."""
    done = pheroboard(tmp_path, "doctor", "--data", str(tmp_path / "new"), "--json")
    assert done.code == 0
    assert [finding["ok"] for finding in done.json] == [True] * len(done.json)


def test_wrong(tmp_path: Path) -> None:
    """A database of a newer schema, and one that is none, are named, with exit code 1."""
    database = sqlite3.connect(tmp_path / "newer.db")
    database.execute("PRAGMA user_version = 99")
    database.close()
    (tmp_path / "torn.db").write_bytes(b"no database" * 1000)
    done = pheroboard(tmp_path, "doctor", "--json")
    assert done.code == 1
    wrong = {finding["check"]: finding["said"] for finding in done.json if not finding["ok"]}
    assert wrong.keys() == {"newer", "torn"}
    assert "schema 99" in wrong["newer"]
