"""Claims about crews that cannot share an environment with us, and join over MCP (docs/integrations/openai_agents.md)."""

import asyncio
import json
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler
from itertools import count
from pathlib import Path
from typing import Any

import pytest

import blackboard
from agents.adapters.mcp import BoardServer, KeyTokens, serve_http
from agents.adapters.service import MemoryService
from agents.cli.hosting import hosting
from blackboard.section import OPENING
from bus.credentials import token
from bus.identities import Identities
from tests.agents.chat_server import reply, says, serving

PAGE = Path(__file__).parent.parent.parent.parent / "docs" / "integrations" / "openai_agents.md"
NUMBERS = count()
TRAIN = "To Hangzhou rather by train (杭州，坐火车)."


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The interpreter of an environment that has what the page says, and nothing of ours."""
    package = re.search(r"pip install '(openai-agents[^']*)'", PAGE.read_text("utf-8"))
    uv = shutil.which("uv")
    if uv is None:
        pytest.skip("uv is not here, which makes the environment of the crew")
    assert package
    folder = tmp_path_factory.mktemp("crew") / "environment"
    interpreter = folder / "bin" / "python"
    impatient = {**os.environ, "UV_HTTP_RETRIES": "1", "UV_HTTP_TIMEOUT": "10"}
    try:
        for command in (["venv", folder], ["pip", "install", "--python", interpreter, package[1]]):
            subprocess.run([uv, "--quiet", *command], env=impatient, capture_output=True, text=True, timeout=30, check=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"the environment of the crew cannot be made: {error.stderr.strip()[-300:]}")
    except subprocess.TimeoutExpired:
        pytest.skip("the environment of the crew cannot be made within 30 s")
    yield str(interpreter)
    shutil.rmtree(folder)


def calls(*tools: tuple[str, dict[str, Any]]) -> Callable[[BaseHTTPRequestHandler], None]:
    """The model calls these tools."""
    functions = [{"name": name, "arguments": json.dumps(arguments)} for name, arguments in tools]
    made = [{"id": f"call_{next(NUMBERS)}", "type": "function", "function": function} for function in functions]
    return says(reply(None, "tool_calls", tool_calls=made))


@asynccontextmanager
async def served(data: Path, *agents: str) -> AsyncIterator[tuple[str, str, dict[str, str]]]:
    """A board that is served in a folder with these agents: its address, that over MCP, and each one's token."""
    identities = Identities(data)
    for agent in agents:
        await identities.add(agent)
    async with hosting(["trip"], data) as url:
        address, listening = f"{url}/trip", asyncio.get_running_loop().create_future()
        server = BoardServer(MemoryService(address, credentials=identities.keys))
        running = asyncio.create_task(serve_http(server, KeyTokens(identities.keys), told=listening.set_result))
        try:
            yield address, await listening, {agent: token(agent, identities.key(agent)) for agent in agents}
        finally:
            running.cancel()
            await asyncio.wait({running})


@pytest.mark.data
async def test_a_crew_of_openai_agents_joins_from_an_environment_of_its_own(python: str, tmp_path: Path) -> None:
    """What it constrains reaches an agent of ours, and ours reaches its prompts, at their end; what is private reaches nobody else."""
    (code,) = re.findall(r"^```python\n(.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    (tmp_path / "crew.py").write_text(code, "utf-8")
    async with (
        served(tmp_path, "planner", "booker", "finance") as (address, mcp, tokens),
        blackboard.open(address, agent="finance", credentials=tmp_path / "keys") as finance,
    ):
        await finance.constrain("budget", "<=", 50_000, unit="CNY", scope="shared")
        await finance.deposit("The director would pay 60,000 for Hangzhou.")
        with serving() as model:
            model.does(
                calls(("check", {"values": {"budget": 52_000}})),
                calls(("constrain", {"key": "nights", "op": "<=", "value": 3}), ("observe", {"text": TRAIN})),
                says(reply("Three nights in Hangzhou.")),
                says(reply("Booked.")),
            )
            environment = {
                "BOARD": mcp, "MODEL": "scripted", "OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "none",
                **{f"{agent.upper()}_TOKEN": shown for agent, shown in tokens.items()},
            }  # fmt: skip
            crew = await asyncio.to_thread(
                subprocess.run, [python, "crew.py"], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=45, check=False
            )
        assert crew.stdout == "Three nights in Hangzhou.\nBooked.\n", crew.stderr
        rules = {each.rule: each.item.owner for each in await finance.constraints()}
        seen = [item.content for item in await finance.view()]
    assert rules == {"budget <= 50000 CNY": "finance", "nights <= 3": "planner"}
    assert TRAIN not in seen

    prompts = [body["messages"] for _, body in model.heard]
    for prompt in prompts:
        assert [OPENING in str(message["content"]) for message in prompt] == [False] * (len(prompt) - 1) + [True]
        assert prompt[-1]["role"] == "user"
        assert '<data from="finance">budget <= 50000 CNY</data>' in prompt[-1]["content"]
    assert "52000" in str(prompts[1][-2]["content"])  # what check answered
    assert f"- {TRAIN}\n" in prompts[2][-1]["content"]
    assert '<data from="planner">nights <= 3</data>' in prompts[3][-1]["content"]
    assert TRAIN not in str(prompts[3])
    assert "60,000" not in str(prompts)
