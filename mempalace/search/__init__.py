"""One engine for drawers, sessions and actions."""
