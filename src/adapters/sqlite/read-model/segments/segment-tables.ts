import { erasedTables } from '../erased-entities.js'
import { publishedTables } from './publishing/change-index.js'

/**
 * `other_facts`: facts of no entity; of definitions and builds of segments all that they say. `stream_lengths`:
 * of the streams that are appended to at an exact revision. `generations`: what is evaluated here, and how
 * many members it has. `members`: of a generation by its number. `baselines`: what a build found at the
 * definition at a position. `states`: what an entity is evaluated with, its memberships too
 * (`StateBytes`). `state_parts`: the numbers in them (`StateNumbers`). `build`: the
 * build that is under way (see `BackfillProgress`).
 * `outbox`: membership changes of a generation that are not published yet; of what time did the
 * position is 0. `publications`: what was published of a segment since it is served (see
 * `PublicationState`, as JSON).
 * All instants are milliseconds since 1970.
 */
export const segmentTables = `${publishedTables}
  ${erasedTables}
  CREATE TABLE other_facts (
    position INTEGER PRIMARY KEY,
    log_time INTEGER NOT NULL,
    fact TEXT
  ) STRICT;
  CREATE TABLE stream_lengths (
    stream TEXT PRIMARY KEY,
    facts INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE generations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    active TEXT NOT NULL UNIQUE,
    is_built INTEGER NOT NULL,
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
  CREATE TABLE outbox (
    segment INTEGER NOT NULL,
    at INTEGER NOT NULL,
    position INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    enters INTEGER NOT NULL,
    kind TEXT NOT NULL,
    fact_id TEXT,
    PRIMARY KEY (segment, at, position, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE publications (
    segment TEXT PRIMARY KEY,
    publication TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE states (
    entity INTEGER PRIMARY KEY,
    due INTEGER,
    state BLOB NOT NULL
  ) STRICT;
  CREATE TABLE state_parts (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    part TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE INDEX due_states ON states (due, entity) WHERE due IS NOT NULL;
  CREATE TABLE build (
    prefix INTEGER NOT NULL,
    built_up_to INTEGER NOT NULL
  ) STRICT;`
