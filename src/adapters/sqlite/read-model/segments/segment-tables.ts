/**
 * `other_facts`: facts of no entity; of definitions and builds of segments all that they say. `stream_lengths`:
 * of the streams that are appended to at an exact revision. `kept_segments`: what is evaluated here, and
 * how many members it has. `baselines`: what a build found at the definition at a position. `states`:
 * what is kept of an entity to evaluate it; of bundle 0 at the checkpoint, of bundle 1 where a build is.
 * `memberships`: a part of the state that few facts change, so it has rows of its own: since when the
 * entity has been in which segments.
 * `epochs`: since which epoch something is kept in the states of bundle 0; in those of an earlier one it is
 * out of date. Of bundle 1 the epoch is the position of the last definition that the state knows.
 * `untold_flips`: who entered and left a segment of this number, which the log was not told yet; of what
 * time did the position is 0. `tellings`: what the log was told of a segment since it is served (see
 * `Telling`).
 * All instants are milliseconds since 1970.
 */
export const segmentTables = `
  CREATE TABLE other_facts (
    position INTEGER PRIMARY KEY,
    log_time INTEGER NOT NULL,
    fact TEXT
  ) STRICT;
  CREATE TABLE stream_lengths (
    stream TEXT PRIMARY KEY,
    facts INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE kept_segments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    active TEXT NOT NULL UNIQUE,
    bundle INTEGER NOT NULL,
    members INTEGER NOT NULL,
    digest TEXT NOT NULL
  ) STRICT;
  CREATE TABLE baselines (
    segment TEXT NOT NULL,
    position INTEGER NOT NULL,
    members INTEGER NOT NULL,
    digest TEXT NOT NULL,
    PRIMARY KEY (segment, position)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE members (
    segment INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    since INTEGER NOT NULL,
    PRIMARY KEY (segment, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE untold_flips (
    segment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    enters INTEGER NOT NULL,
    kind TEXT NOT NULL,
    fact_id TEXT,
    PRIMARY KEY (segment, at, position, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE tellings (
    segment TEXT PRIMARY KEY,
    built TEXT NOT NULL,
    is_compared INTEGER NOT NULL,
    told TEXT NOT NULL,
    derived TEXT NOT NULL,
    last_at INTEGER NOT NULL,
    last_flip TEXT NOT NULL,
    divergence TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE states (
    bundle INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    due INTEGER,
    epoch INTEGER NOT NULL,
    state TEXT NOT NULL,
    PRIMARY KEY (bundle, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE memberships (
    bundle INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    since TEXT NOT NULL,
    PRIMARY KEY (bundle, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX due_states ON states (bundle, due, entity) WHERE due IS NOT NULL;
  CREATE TABLE epochs (
    kind TEXT NOT NULL,
    id TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (kind, id)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE last_epoch (epoch INTEGER NOT NULL) STRICT;
  INSERT INTO last_epoch VALUES (0);
  CREATE TABLE build (
    phase TEXT NOT NULL,
    prefix INTEGER NOT NULL,
    reached INTEGER NOT NULL,
    log_time INTEGER NOT NULL,
    scanned INTEGER NOT NULL,
    scanned_for INTEGER NOT NULL
  ) STRICT;`
