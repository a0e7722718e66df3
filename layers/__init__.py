"""The four layers of memory: who, what mattered, what we know, what was said."""
