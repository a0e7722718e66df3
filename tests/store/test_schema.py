"""Migrations are append-only: palaces out there were made by them.

SHIPPED holds the hash of each: add one for a new migration, change none.
"""

import hashlib

from mempalace.store.schema import MIGRATIONS, VERSION

SHIPPED = [
    "be0bcd1603ade5b32fc87df9e7ade98fae2459ff156737d173d92679e1b17132",
    "540bbf0287e8cda2af2bb976f346e5c18df6f814f64ed5106b220c6b1f443647",
    "c6403b505bee97f18e82f0e691d0e0dd7b2e61d994ab9b220ca25009ecb190b0",
    "cf9a4dbe057682da48b7368abecbab0d084363449b7e11fcd8540182c044a871",
]


def test_a_shipped_migration_never_changes():
    assert [hashlib.sha256(script.encode()).hexdigest() for script in MIGRATIONS] == SHIPPED


def test_the_version_counts_the_migrations():
    assert len(MIGRATIONS) == VERSION
