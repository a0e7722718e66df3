"""Migrations are append-only: palaces out there were made by them.

SHIPPED holds the hash of each: add one for a new migration, change none.
"""

import hashlib

from mempalace.store.schema import MIGRATIONS, VERSION

SHIPPED = [
    "b51d734d445b8bd60a815d1b9f7d14048bed739a6ed94c4a2db5067ef08d2ae8",
]


def test_a_shipped_migration_never_changes():
    assert [hashlib.sha256(script.encode()).hexdigest() for script in MIGRATIONS] == SHIPPED


def test_the_version_counts_the_migrations():
    assert len(MIGRATIONS) == VERSION
