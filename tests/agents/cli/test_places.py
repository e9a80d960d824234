"""agents.cli.places: what BOARD may be."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from agents.cli.places import Serving, Where, databases_in, home, keys_at, locate, served_from, sole_server_of
from agents.errors import CommandError
from bus.errors import BadName


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_address(tmp_path: Path) -> None:
    """An address is taken as it is."""
    assert locate("nats://host:4222/shop", Where(data=tmp_path)) == "nats://host:4222/shop"


def test_named_server(tmp_path: Path) -> None:
    """A name is a board on the server that --nats names, before any other."""
    Path("shop.db").touch()
    for nats in ("nats://host:4222/", "nats://host:4222", "host:4222"):
        assert locate("shop", Where(nats=nats, data=tmp_path)) == "nats://host:4222/shop"


def test_path(tmp_path: Path) -> None:
    """A path is a database, with or without its ending, and must be there."""
    Path("boards").mkdir()
    Path("boards/shop.db").touch()
    for path in ("boards/shop", "boards/shop.db", "./boards/shop.db"):
        assert Path(locate(path, Where(data=tmp_path))) == Path("boards/shop.db")
    with pytest.raises(CommandError, match=r"there is no database boards/lab\.db"):
        locate("boards/lab", Where(data=tmp_path))


def test_running_server(tmp_path: Path) -> None:
    """A name is found on the server that runs on this machine, and no more once that is gone."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"nats://127.0.0.1:{server.getsockname()[1]}"
        Serving(os.getpid(), url, ("shop",)).write(tmp_path)
        assert locate("shop", Where(data=tmp_path)) == f"{url}/shop"
        with pytest.raises(CommandError, match=r"no board 'lab': the server on this machine serves shop.*pheroboard up lab"):
            locate("lab", Where(data=tmp_path))
    assert served_from(tmp_path) is None
    with pytest.raises(CommandError, match="no server runs on this machine"):
        locate("shop", Where(data=tmp_path))


def test_cluster(tmp_path: Path) -> None:
    """Of a cluster's servers, named with commas between them, one that answers is enough."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"nats://127.0.0.1:1,127.0.0.1:{server.getsockname()[1]}"
        Serving(os.getpid(), url, ("shop",)).write(tmp_path)
        assert locate("shop", Where(data=tmp_path)) == f"{url}/shop"
    assert served_from(tmp_path) is None


def test_whom_the_keys_are_shown_to(tmp_path: Path) -> None:
    """Those of the data folder to the server that serves it alone, whatever another calls itself; those that are named, to any."""
    here, given = Where(data=tmp_path), Where(data=tmp_path, credentials=tmp_path / "finance.nk")
    assert keys_at("nats://127.0.0.1:4222/shop", here) is None
    Serving(1, "nats://127.0.0.1:4222", ("shop",)).write(tmp_path)
    assert keys_at("nats://127.0.0.1:4222/shop", here) == tmp_path / "keys"
    for address in ("nats://127.0.0.1:42222/shop", "nats://127.0.0.1:4222.example.org/shop", "nats://example.org:4222/shop"):
        assert keys_at(address, here) is None
        assert keys_at(address, given) == tmp_path / "finance.nk"


def test_embedded(tmp_path: Path) -> None:
    """Without a server, a name is the database in this folder."""
    Path("shop.db").touch()
    assert locate("shop", Where(data=tmp_path / "nowhere")) == "shop.db"


def test_unreadable_record(tmp_path: Path) -> None:
    """A record that is no record counts as none, and an erased one is gone."""
    (tmp_path / "serving.json").write_text("{")
    assert served_from(tmp_path) is None
    record = Serving(1, "nats://127.0.0.1:1", ())
    record.write(tmp_path)
    record.erase(tmp_path)
    record.erase(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A user without a home has the data folder where it is."""

    def unknown() -> Path:
        raise RuntimeError("Could not determine home directory.")

    assert home() == Path.home()
    monkeypatch.setattr(Path, "home", unknown)
    assert home() == Path()


def test_bad_name(tmp_path: Path) -> None:
    """What is no name, no path and no address is refused."""
    with pytest.raises(BadName, match="board name 'a b'"):
        locate("a b", Where(data=tmp_path))


def test_a_folder_has_one_server_and_a_killed_one_is_none(tmp_path: Path) -> None:
    """A second is refused with the first one's process; a record that a killed one left behind keeps nobody out."""
    folder = tmp_path / "new" / "folder"
    with sole_server_of(folder):
        code = f"from pathlib import Path; from agents.cli.places import sole_server_of; sole_server_of(Path({str(folder)!r})).__enter__()"
        other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert f"is served already, by process {os.getpid()}" in other.stderr
    Serving(1, "nats://127.0.0.1:4222", ("shop",)).write(folder)
    with sole_server_of(folder):
        pass


def test_databases_in(tmp_path: Path) -> None:
    """A board's companions, its origin after a cut too, are no boards."""
    for name in ("shop", "lab", "shop.state", "shop.origin"):
        (tmp_path / f"{name}.db").touch()
    assert databases_in(tmp_path) == [tmp_path / "lab.db", tmp_path / "shop.db"]
