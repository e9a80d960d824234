"""agents.cli.up: serving boards until interrupted."""

import json
import os
import shutil
import signal
import sys
import urllib.request
from pathlib import Path

import pytest
import trustme

from tests.agents.cli.commands import address_in, error_line_of, line_of, pheroboard, started


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129), (signal.SIGINT, 130)])
def test_ends_cleanly(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Asked to end, it lets go of everything, takes its record back, and stands again as it was when started anew."""
    with started(tmp_path, "up", "shop") as up:
        url = address_in(line_of(up))
        assert json.loads((tmp_path / "serving.json").read_text())["url"] == url
        assert pheroboard(tmp_path, "deposit", "shop", "It stays", "--shared").code == 0
        up.send_signal(number)
        assert up.wait(10) == code
        assert up.stderr is not None
        assert up.stderr.read() == ""
    assert not (tmp_path / "serving.json").exists()
    with started(tmp_path, "up") as again:  # without a name: the boards that are there
        assert line_of(again).startswith("serving shop at ")
        assert "It stays" in pheroboard(tmp_path, "top", "shop").out


def test_asked_to_end_in_the_background(tmp_path: Path) -> None:
    """A script's shell has what it starts in the background ignore Ctrl-C; asked to end, it ends all the same."""
    with started(tmp_path, "up", "shop", through=("sh", "-c", "trap '' INT; exec \"$@\"", "sh")) as up:
        line_of(up)
        up.terminate()
        assert up.wait(10) == 143
    assert not (tmp_path / "serving.json").exists()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_server_that_is_killed(tmp_path: Path) -> None:
    """Its server is started again where it was, which it says, and the board is served as before."""
    with started(tmp_path, "up", "shop") as up:
        url = address_in(line_of(up))
        assert pheroboard(tmp_path, "deposit", "shop", "It stays", "--shared").code == 0
        [server] = Path(f"/proc/{up.pid}/task/{up.pid}/children").read_text().split()
        os.kill(int(server), signal.SIGKILL)
        while "was started again" not in (line := error_line_of(up)):
            assert line
        assert url in line
        assert "It stays" in pheroboard(tmp_path, "top", "shop").out
        assert pheroboard(tmp_path, "deposit", "shop", "It goes on", "--shared").code == 0
        up.terminate()
        assert up.wait(10) == 143


def test_named_twice(tmp_path: Path) -> None:
    """A board that is named twice is served once."""
    with started(tmp_path, "up", "shop", "shop") as up:
        assert line_of(up).startswith("serving shop at ")


def test_refusals(served: Path, tmp_path: Path) -> None:
    """A folder that is served already, a port that is taken, a folder without boards, a bad name: each its own sentence."""
    port = json.loads((served / "serving.json").read_text())["url"].rpartition(":")[2]
    file = tmp_path / "file"
    file.touch()
    for arguments, sentence in {
        ("shop", "--data", str(served)): "is served already, by process",
        ("shop", "--port", port): f"port {port} is in use",
        ("shop", "--port", "70000"): "port 70000 is none",
        (): "there is no board in",
        ("a.b",): "board name 'a.b'",
        ("shop", "--data", str(file)): "cannot",
    }.items():
        done = pheroboard(tmp_path, "up", *arguments)
        assert (done.code, done.out) == (1, "")
        assert sentence in done.err
        assert done.err.startswith("pheroboard: ")
        assert done.err.count("\n") == 1


def test_time(tmp_path: Path) -> None:
    """A new board runs on rounds or on wall-clock time, as it is told; one that is there keeps its own."""
    with started(tmp_path, "up", "shop", "--time", "wall") as up:
        line_of(up)
        assert pheroboard(tmp_path, "stats", "shop", "--json").json["time"] == "wall"
        up.terminate()
        up.wait(10)
    again = pheroboard(tmp_path, "up", "shop", "--time", "rounds")
    assert again.code == 1
    assert "made with time='wall'" in again.err


def test_on_a_named_server(served: Path, tmp_path: Path) -> None:
    """With --nats it serves its boards on a server that runs already, to those whom that knows: the host too must be one."""
    url = json.loads((served / "serving.json").read_text())["url"]
    there, keys = ("--nats", url.removeprefix("nats://")), ("--credentials", str(served / "keys"))
    refusal = pheroboard(tmp_path, "up", "annex", *there).err
    assert "does not know the key in" in refusal
    assert f"copy its keys/_board.nk (and keys/operator.nk, for other commands) into {tmp_path / 'keys'}" in refusal
    with started(tmp_path, "up", "annex", *there, *keys) as up:
        assert address_in(line_of(up)) == url
        for board in ("annex", f"{url}/annex"):
            assert pheroboard(tmp_path, "stats", board, "--as", "visitor", *keys).code == 0
        assert f"{tmp_path} is served at {url}, which is not in our hands" in pheroboard(tmp_path, "agent", "list").out


def test_encrypted(tmp_path: Path) -> None:
    """With a certificate it speaks TLS; commands on the machine know it by the certificate, as an agent elsewhere does that has it."""
    issued = trustme.CA().issue_cert("board.example")
    certificate, key, mine = tmp_path / "cert.pem", tmp_path / "key.pem", tmp_path / "mine"
    issued.cert_chain_pems[0].write_to_path(str(certificate))
    issued.private_key_pem.write_to_path(str(key))
    pheroboard(tmp_path, "agent", "add", "finance", "shop")
    with started(tmp_path, "up", "shop", "--listen", "127.0.0.1", "--tls-cert", str(certificate), "--tls-key", str(key)) as up:
        url = next(word for word in line_of(up).split() if word.startswith("tls://127.0.0.1:"))
        for who in ("operator", "finance"):
            done = pheroboard(tmp_path, "top", "shop", "--as", who)
            assert (done.code, done.err) == (0, "")
        mine.mkdir()
        shutil.copy2(tmp_path / "keys" / "finance.nk", mine)
        there = (f"{url}/shop", "--as", "finance", "--data", str(mine / "none"), "--credentials", str(mine))
        assert "is not trusted" in pheroboard(tmp_path, "top", *there).err
        shutil.copy2(tmp_path / "keys" / "server.pem", mine)
        assert pheroboard(tmp_path, "top", *there).code == 0


def test_half_a_certificate(tmp_path: Path) -> None:
    """A certificate without its key, or on a server that is not ours, is refused."""
    assert "takes both" in pheroboard(tmp_path, "up", "shop", "--tls-cert", "cert.pem").err
    assert "listens where it does" in pheroboard(tmp_path, "up", "shop", "--nats", "127.0.0.1:4222", "--listen", "127.0.0.2").err


def test_metrics(tmp_path: Path) -> None:
    """With --metrics its boards' figures are there to be scraped."""
    with started(tmp_path, "up", "shop", "--metrics", "127.0.0.1:0") as up:
        line_of(up)
        shown, _, url = line_of(up).rstrip().rpartition(" ")
        assert shown == "metrics at"
        with urllib.request.urlopen(url, timeout=5) as response:
            page = response.read().decode()
        assert 'pheroboard_log_lag{messaging_destination_name="shop",messaging_system="nats"} 0.0' in page
        up.terminate()
        assert up.wait(10) == 143
