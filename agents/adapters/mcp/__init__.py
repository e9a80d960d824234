"""The board over the Model Context Protocol: tools, and resources that tell when they change, for any client that speaks it.

await serve_stdio(BoardServer("nats://127.0.0.1:4222/trip", "ann"))     # what `pheroboard mcp` does; or over HTTP, serve_http(…)
"""

from agents.adapters.needing import needing

with needing("mcp"):
    from agents.adapters.mcp.server import BoardServer
    from agents.adapters.mcp.serving import serve_http, serve_stdio, web_app
    from agents.adapters.mcp.tokens import KeyTokens

__all__ = ["BoardServer", "KeyTokens", "serve_http", "serve_stdio", "web_app"]
