"""The palace's tables, as numbered migrations. Append only: a shipped one never changes."""

from __future__ import annotations

KINDS = ("prompt", "report", "narration", "note")  # of drawers, by the number in their column

MIGRATIONS = (
    """
    CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
    INSERT INTO meta VALUES ('generation', 0);

    -- generation: when its drawers last changed; drawers: how many it holds.
    CREATE TABLE wings (
        n INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
        drawers INTEGER NOT NULL DEFAULT 0, generation INTEGER NOT NULL DEFAULT 0);
    -- Which wing a project's folder belongs to. pooled: the main repository was not seen.
    CREATE TABLE roots (
        root TEXT PRIMARY KEY, wing INTEGER NOT NULL, name TEXT NOT NULL, pooled INTEGER NOT NULL) WITHOUT ROWID;
    -- What recognises a project that was moved.
    CREATE TABLE marks (mark TEXT, root TEXT, PRIMARY KEY (mark, root)) WITHOUT ROWID;

    CREATE TABLE sources (
        n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wing INTEGER NOT NULL, harness TEXT NOT NULL,
        path TEXT NOT NULL, title TEXT NOT NULL DEFAULT '', branch TEXT NOT NULL DEFAULT '',
        cwd TEXT NOT NULL DEFAULT '', started_at INTEGER NOT NULL DEFAULT 0, ended_at INTEGER NOT NULL DEFAULT 0,
        opening TEXT NOT NULL DEFAULT '', outcome TEXT NOT NULL DEFAULT '', generation INTEGER NOT NULL);
    CREATE INDEX sources_of_wing ON sources (wing, ended_at DESC, id);
    CREATE INDEX sources_changed ON sources (generation);

    -- How far each transcript has been read. print: hash of what lies before the offset.
    CREATE TABLE files (
        path TEXT PRIMARY KEY, size INTEGER NOT NULL, mtime_ns INTEGER NOT NULL, offset INTEGER NOT NULL,
        line INTEGER NOT NULL, print BLOB NOT NULL, harness TEXT NOT NULL, session TEXT NOT NULL,
        cwd TEXT NOT NULL, note TEXT NOT NULL DEFAULT '', wing TEXT NOT NULL DEFAULT '') WITHOUT ROWID;

    -- kind: 0 prompt, 1 report, 2 narration, 3 note.  message: the number of its message's key.
    -- path: its transcript, where that is not its source's.  loose: it stands in its wing by itself,
    -- without a source, or apart from where its source is.
    CREATE TABLE drawers (
        n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wing INTEGER NOT NULL, source INTEGER NOT NULL,
        room TEXT NOT NULL, kind INTEGER NOT NULL, aside INTEGER NOT NULL, message INTEGER NOT NULL,
        part INTEGER NOT NULL, line INTEGER NOT NULL, happened_at INTEGER NOT NULL, filed_at INTEGER NOT NULL,
        importance REAL NOT NULL, salience INTEGER NOT NULL, pinned INTEGER NOT NULL DEFAULT 0,
        loose INTEGER NOT NULL DEFAULT 0,
        generation INTEGER NOT NULL, path TEXT NOT NULL DEFAULT '', text TEXT NOT NULL);
    CREATE INDEX drawers_of_wing ON drawers (wing, happened_at DESC, id);
    CREATE INDEX drawers_of_source ON drawers (source);
    CREATE UNIQUE INDEX drawers_of_message ON drawers (message, part);
    CREATE INDEX drawers_changed ON drawers (generation);
    CREATE INDEX drawers_pinned ON drawers (wing) WHERE pinned;
    CREATE INDEX drawers_loose ON drawers (wing, happened_at) WHERE loose;

    -- A wing's count is kept by every change, so that nobody has to count a million drawers.
    CREATE TRIGGER drawer_in AFTER INSERT ON drawers BEGIN
        UPDATE wings SET drawers = drawers + 1 WHERE n = NEW.wing; END;
    CREATE TRIGGER drawer_out AFTER DELETE ON drawers BEGIN
        UPDATE wings SET drawers = drawers - 1 WHERE n = OLD.wing; END;
    CREATE TRIGGER drawer_moved AFTER UPDATE OF wing ON drawers WHEN NEW.wing <> OLD.wing BEGIN
        UPDATE wings SET drawers = drawers - 1 WHERE n = OLD.wing;
        UPDATE wings SET drawers = drawers + 1 WHERE n = NEW.wing; END;

    -- What the agent did. key: the number of the tool call's own id.  ok: NULL where untold.
    CREATE TABLE actions (
        n INTEGER PRIMARY KEY, key INTEGER NOT NULL UNIQUE, source INTEGER NOT NULL, tool TEXT NOT NULL,
        target TEXT NOT NULL, ok INTEGER, error TEXT NOT NULL, aside INTEGER NOT NULL, line INTEGER NOT NULL,
        happened_at INTEGER NOT NULL, generation INTEGER NOT NULL);
    CREATE INDEX actions_of_source ON actions (source);
    CREATE INDEX actions_changed ON actions (generation);

    -- What agents cited of what they were given; given 0: an id that the session never was given.
    CREATE TABLE citations (
        session TEXT NOT NULL, id TEXT NOT NULL, given INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (session, id)) WITHOUT ROWID;

    -- The essential story of a wing, chosen when it changed; behind when the generations differ.
    CREATE TABLE stories (
        wing INTEGER PRIMARY KEY, generation INTEGER NOT NULL, considered INTEGER NOT NULL, told TEXT NOT NULL);

    -- What was forgotten stays forgotten, and what left the index since a generation.
    CREATE TABLE tombstones (
        kind TEXT NOT NULL, key TEXT NOT NULL, at INTEGER NOT NULL, generation INTEGER NOT NULL,
        PRIMARY KEY (kind, key)) WITHOUT ROWID;
    CREATE INDEX tombstones_changed ON tombstones (generation);
    """,
    """
    -- A standing claim.  wing: 0 for every project.  glob: where in the project, '' for all of it.
    -- subject: the slot that one option fills.  frozen: the confidence it was pinned at.
    -- superseded_by: the id of what took its place; retired_at: 0 while it stands.
    CREATE TABLE beliefs (
        n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, wing INTEGER NOT NULL, glob TEXT NOT NULL,
        kind TEXT NOT NULL, subject TEXT NOT NULL, option TEXT NOT NULL, polarity TEXT NOT NULL,
        claim TEXT NOT NULL, origin TEXT NOT NULL, pinned INTEGER NOT NULL DEFAULT 0, frozen REAL,
        created_at INTEGER NOT NULL, changed_at INTEGER NOT NULL, retired_at INTEGER NOT NULL DEFAULT 0,
        superseded_by TEXT NOT NULL DEFAULT '', why TEXT NOT NULL DEFAULT '', generation INTEGER NOT NULL);
    CREATE INDEX beliefs_of_wing ON beliefs (wing, kind, retired_at);

    -- One observation for (agrees 1) or against (0) a belief.  key: what the observation is known by.
    -- drawer: the passage it was read from, '' for none.  effect: '', corrects (takes back what else fills
    -- the slot), clears (the same, supporting nothing), withdraws (takes this belief back) or doubts (it did
    -- not hold when relied on).  instead_of: what the speaker named as no longer holding.  A row against,
    -- without an effect, copies what supports a rival.
    CREATE TABLE evidence (
        belief INTEGER NOT NULL, key TEXT NOT NULL, agrees INTEGER NOT NULL, weight REAL NOT NULL,
        origin TEXT NOT NULL, at INTEGER NOT NULL, said TEXT NOT NULL, drawer TEXT NOT NULL DEFAULT '',
        claim TEXT NOT NULL DEFAULT '', effect TEXT NOT NULL DEFAULT '', instead_of TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (belief, key)) WITHOUT ROWID;
    CREATE INDEX evidence_of_key ON evidence (key);
    CREATE INDEX evidence_of_drawer ON evidence (drawer) WHERE drawer <> '';

    -- A choice that was made, with the bytes that were sent and that came back.  record: the rest, as JSON.
    -- candidates: all beliefs it could have rested on, as JSON, packed by zlib.
    CREATE TABLE turns (
        n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, at INTEGER NOT NULL, wing INTEGER NOT NULL,
        kind TEXT NOT NULL, task TEXT NOT NULL, model TEXT NOT NULL, flagged INTEGER NOT NULL DEFAULT 0,
        record TEXT NOT NULL, sent BLOB NOT NULL, raw BLOB NOT NULL, candidates BLOB NOT NULL);
    CREATE INDEX turns_at ON turns (at);
    """,
    """
    -- What happened when a memory was relied on.  subject: drawer::ID, belief::ID, file::PATH; wing: 0 for
    -- a subject that is its own in every wing.  outcome: correct, wrong or partial.
    -- key: what the event is known by, so that it counts once.  weight: a whole number of 1024ths.
    CREATE TABLE outcomes (
        n INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, wing INTEGER NOT NULL, subject TEXT NOT NULL,
        outcome TEXT NOT NULL, weight REAL NOT NULL, at INTEGER NOT NULL, origin TEXT NOT NULL,
        why TEXT NOT NULL DEFAULT '', generation INTEGER NOT NULL);
    CREATE INDEX outcomes_of_subject ON outcomes (subject, wing, at);

    -- The counts of the above, kept by every change.
    CREATE TABLE ledger (
        subject TEXT NOT NULL, wing INTEGER NOT NULL, defects REAL NOT NULL, false_alarms REAL NOT NULL,
        partials REAL NOT NULL, total REAL NOT NULL, events INTEGER NOT NULL, first_at INTEGER NOT NULL,
        last_at INTEGER NOT NULL, last_defect_at INTEGER NOT NULL, PRIMARY KEY (subject, wing)) WITHOUT ROWID;

    -- The last 256 observations of a thing that changes.  size: of the change; edges: what it touched.
    CREATE TABLE shakes (
        subject TEXT NOT NULL, wing INTEGER NOT NULL, at INTEGER NOT NULL, size REAL NOT NULL, edges REAL NOT NULL,
        PRIMARY KEY (subject, wing, at)) WITHOUT ROWID;

    -- Citations of given memories of which nobody can tell yet whether they held.
    CREATE TABLE undecided (session TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (session, id)) WITHOUT ROWID;
    INSERT INTO undecided SELECT session, id FROM citations WHERE given;
    CREATE TRIGGER cited_in AFTER INSERT ON citations WHEN NEW.given BEGIN
        INSERT OR IGNORE INTO undecided VALUES (NEW.session, NEW.id); END;
    """,
    """
    -- The history of a wing's repository as far as it was read.  border: where a shallow clone is cut off.
    CREATE TABLE repositories (
        n INTEGER PRIMARY KEY, root TEXT NOT NULL UNIQUE, wing INTEGER NOT NULL, head TEXT NOT NULL,
        border TEXT NOT NULL, read_at INTEGER NOT NULL);
    -- files: how many it touched; 0 also where a shallow clone does not tell.
    CREATE TABLE commits (
        n INTEGER PRIMARY KEY, repository INTEGER NOT NULL, hash BLOB NOT NULL, at INTEGER NOT NULL,
        files INTEGER NOT NULL, UNIQUE (repository, hash));
    CREATE INDEX commits_in_time ON commits (repository, at, n);
    -- changes: how many commits that count for what changes together touched it.
    CREATE TABLE paths (
        n INTEGER PRIMARY KEY, repository INTEGER NOT NULL, path TEXT NOT NULL, changes INTEGER NOT NULL DEFAULT 0,
        UNIQUE (repository, path));
    CREATE TABLE touched (
        path INTEGER NOT NULL, "commit" INTEGER NOT NULL, PRIMARY KEY (path, "commit")) WITHOUT ROWID;
    CREATE INDEX touched_by ON touched ("commit");

    -- Measured thresholds: one row a signal and scope, its fields as JSON; quarantined: why it is not used.
    CREATE TABLE calibrations (
        signal TEXT NOT NULL, wing INTEGER NOT NULL, version INTEGER NOT NULL, row TEXT NOT NULL,
        calibrated_at INTEGER NOT NULL, generation INTEGER NOT NULL, quarantined TEXT NOT NULL DEFAULT '',
        PRIMARY KEY (signal, wing)) WITHOUT ROWID;
    """,
)

VERSION = len(MIGRATIONS)
