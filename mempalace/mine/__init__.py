"""Transcripts in, drawers out; verbatim; once."""
