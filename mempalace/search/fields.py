"""The fields of the index: what of a drawer is asked for, and how it is kept."""

from __future__ import annotations

import tantivy

KINDS = ("prompt", "report", "narration", "note", "aside")


def schema() -> tantivy.Schema:
    """Return the fields.

    id, wing, kind, room: to filter and delete by.  n, s (the source's row), at, k (the kind's
    place in KINDS): fast columns.
    body: a drawer's terms, stored.  exact: identifiers whole.  session: a source's terms, its
    drawers' together.  work: its actions' together.  deed: one action's terms.  p, spot: a
    drawer's place among its source's.
    """
    builder = tantivy.SchemaBuilder()
    for name in ("id", "wing", "room", "kind", "source", "spot"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("n", indexed=False, fast=True)
    builder.add_integer_field("s", indexed=False, fast=True)
    builder.add_integer_field("at", indexed=True, fast=True)
    builder.add_integer_field("p", indexed=False, fast=True)
    builder.add_integer_field("k", indexed=False, fast=True)
    builder.add_text_field("body", stored=True, tokenizer_name="whitespace", index_option="position")
    builder.add_text_field("deed", stored=True, tokenizer_name="whitespace", index_option="freq")
    for name in ("exact", "session", "work"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    return builder.build()


def spot(source: int, place: int) -> str:
    """Return the term by which a drawer is found from its neighbours."""
    return f"{source}:{place}"
