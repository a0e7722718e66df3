"""Migrations are append-only: palaces out there were made by them.

SHIPPED holds the hash of each: add one for a new migration, change none.
"""

import hashlib

from mempalace.store.schema import MIGRATIONS, VERSION

SHIPPED = [
    "be0bcd1603ade5b32fc87df9e7ade98fae2459ff156737d173d92679e1b17132",
]


def test_a_shipped_migration_never_changes():
    assert [hashlib.sha256(script.encode()).hexdigest() for script in MIGRATIONS[: len(SHIPPED)]] == SHIPPED


def test_the_version_counts_the_migrations():
    assert len(MIGRATIONS) == VERSION
