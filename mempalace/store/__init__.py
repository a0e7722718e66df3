"""The only SQL in the house: the palace of record."""
