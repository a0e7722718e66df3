"""Make the plugin's own environment in the background, then mine what this machine holds."""

import os
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.append(ROOT if os.path.isdir(os.path.join(ROOT, "mempalace")) else os.path.dirname(ROOT))


def main():  # type: () -> int
    """Settle in the plugin's data folder; words: the palace, and what to mine first."""
    from mempalace.settling import settle

    palace, *places = sys.argv[1:]
    return settle(ROOT, palace, places, os.environ, now=int(time.time()))


if __name__ == "__main__":
    sys.exit(main())
