"""Git repositories to test with, of our own making."""

import os
import subprocess
from pathlib import Path

START = 1_767_600_000  # 2026-01-05
DAY = 86400
KEEPER = "Keeper <keeper@lighthouse.example>"


class Repo:
    """A repository on disk; commits are a day apart unless they say when."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.at = START
        self.folder.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    @property
    def root(self):
        """Return the folder as the palace calls it."""
        return os.path.realpath(self.folder)

    def git(self, *words, **env):
        """Run git and return what it says."""
        done = subprocess.run(
            ["git", "-C", str(self.folder), *words], env={**os.environ, **env}, capture_output=True, check=True
        )
        return done.stdout.decode().strip()

    def write(self, *paths, text=""):
        """Change files, each in a line of its own."""
        for path in paths:
            file = self.folder / path
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a") as lines:
                lines.write(text or f"{path} on {self.at}\n")

    def commit(self, subject, *paths, at=0):
        """Change files, commit them and return the hash."""
        self.at = at or self.at + DAY
        self.write(*paths)
        self.git("add", "-A")
        when = f"{self.at} +0000"
        self.git("commit", "-q", "--allow-empty", "-m", subject, GIT_COMMITTER_DATE=when, GIT_AUTHOR_DATE=when)
        return self.git("rev-parse", "HEAD")

    def grow(self, commits):
        """Add many commits at once: each is (subject, paths), whose content is new every time."""
        stream = []
        for n, (subject, paths) in enumerate(commits):
            self.at += DAY
            stream.append(f"commit refs/heads/main\ncommitter {KEEPER} {self.at} +0000\n{_data(subject)}")
            if n == 0 and self.git("for-each-ref", "refs/heads/main"):
                stream.append("from refs/heads/main^0\n")
            stream += [f"M 100644 inline {path}\n{_data(f'{path} {self.at}')}" for path in paths]
        subprocess.run(
            ["git", "-C", str(self.folder), "fast-import", "--quiet"], input="".join(stream).encode(), check=True
        )
        self.git("reset", "-q", "--hard", "main")


def _data(text):
    return f"data {len(text.encode())}\n{text}\n"
