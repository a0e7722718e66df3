"""Migrations are append-only: palaces out there were made by them.

SHIPPED holds the hash of each: add one for a new migration, change none.
"""

import hashlib

from mempalace.store.schema import MIGRATIONS, VERSION

SHIPPED = [
    "c307502f92f4fd15170bf177ce99cb396b42bf7de3c6a2a71aa5a030102f7c06",
]


def test_a_shipped_migration_never_changes():
    assert [hashlib.sha256(script.encode()).hexdigest() for script in MIGRATIONS] == SHIPPED


def test_the_version_counts_the_migrations():
    assert len(MIGRATIONS) == VERSION
