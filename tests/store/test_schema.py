"""Migrations are append-only: palaces out there were made by them.

SHIPPED holds the hash of each: add one for a new migration, change none.
"""

import hashlib

from mempalace.store.schema import MIGRATIONS, VERSION

SHIPPED = [
    "53a1674428a09165fc346c50e4f038155cddf3fda0821165b11c68e7062e9eb4",
]


def test_a_shipped_migration_never_changes():
    assert [hashlib.sha256(script.encode()).hexdigest() for script in MIGRATIONS] == SHIPPED


def test_the_version_counts_the_migrations():
    assert len(MIGRATIONS) == VERSION
