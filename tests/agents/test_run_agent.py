"""agents.run_agent: an agent in a process of its own."""

import json
import signal
import subprocess
import sys
from pathlib import Path

from tests.agents.cli.commands import ROOT, address_in, environment, line_of, pheroboard, started

PROGRAM = """
import sys
from agents import Agent, on_change, run_agent

class Echo(Agent):
    async def start(self):
        print("listening", flush=True)

    @on_change(cause="deposit")
    async def heard(self, change):
        if change.by != self.name:
            item = await self.board.deposit("Echo", key="echo", scope="shared")
            print("answered", flush=True)

    async def stop(self):
        print("stopped", flush=True)

run_agent(Echo, sys.argv[1])
print("over", flush=True)
"""


def test_run_agent(tmp_path: Path) -> None:
    """It joins the board at an address, reacts for as long as it runs, and ends cleanly on Ctrl-C."""
    with started(tmp_path, "up", "valley") as up:
        address = f"{address_in(line_of(up))}/valley"
        command = [sys.executable, "-c", PROGRAM, address]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment(tmp_path)
        ) as echo:
            try:
                assert line_of(echo) == "listening\n"
                assert pheroboard(tmp_path, "deposit", "valley", "Hello", "--shared").code == 0
                assert line_of(echo) == "answered\n"
                echo.send_signal(signal.SIGINT)
                assert [line_of(echo), line_of(echo)] == ["stopped\n", "over\n"]
                assert echo.wait(10) == 0
            finally:
                echo.kill()
        found = json.loads(pheroboard(tmp_path, "search", "valley", "echo", "--json").out)
        assert [item["asserters"] for item in found] == [["echo"]]
