"""A shop's desk, with FastAPI: each request comes with what the customer said before."""

import json
import tempfile
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.testclient import TestClient

from agents.adapters.asgi import MemoryMiddleware, RequestMemory
from agents.adapters.events import AgentSaid


def model(messages: list[dict[str, str]]) -> str:
    """Stands for a language model: it tells how its prompt ends."""
    return f"My prompt ends with\n{messages[-1]['content']}"


def desk(board: str | Path) -> FastAPI:
    """An app whose agent is called desk. ``board``: an address, as ``blackboard.open`` takes it."""
    app = FastAPI()
    app.add_middleware(MemoryMiddleware, memory=board, agent="desk", header="X-Memory")

    @app.post("/chat")
    async def chat(body: dict[str, Any], request: Request) -> str:
        memory: RequestMemory = request.state.memory
        answer = model([{"role": "user", "content": body["message"]}, {"role": "user", "content": memory.section}])
        await memory.observe(AgentSaid(answer))
        return answer

    return app


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, TestClient(desk(Path(folder) / "desk")) as client:
        for said in ("Ship order A789 to 12 Century Avenue, Shanghai.", "不对，A789送到北京市海淀区中关村大街27号", "Where does A789 go?"):
            response = client.post("/chat", json={"message": said})
            print(f"> {said}")
            for fact in json.loads(response.headers["X-Memory"]):
                print(f"{fact['type']}: {fact['value']} ({fact['confidence']:.2f})")
        print(response.json())
        print(response.headers["X-Memory"])


if __name__ == "__main__":
    main()
