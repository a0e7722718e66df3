"""How far memory may be relied on: counts of what happened, and thresholds that were measured."""
