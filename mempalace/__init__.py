"""A local memory palace for coding agents."""

__version__ = "0.1.0"
