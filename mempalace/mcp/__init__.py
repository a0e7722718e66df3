"""The palace as tools for any agent that speaks MCP: the extra `mempalace[mcp]`."""
