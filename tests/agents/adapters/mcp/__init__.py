"""The MCP server, with the SDK's own client."""
