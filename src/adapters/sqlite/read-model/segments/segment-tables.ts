import { erasedTables } from '../erased-entities.js'
import { publishedTables } from './publishing/change-index.js'
import { underivedTable } from './publishing/underived-changes.js'

/**
 * - `other_facts`: facts that name no entity. `fact` contains the JSON of segment definitions and of
 *   `SegmentBuilt`.
 * - `stream_lengths`: the number of facts in each stream that is appended to at an expected revision.
 * - `generations`: the rule versions that are evaluated, with the number of members.
 * - `members`: the members of each evaluated rule version.
 * - `baselines`: the number and digest of the members that a segment had at a definition.
 * - `states`: the evaluation state of each entity with its memberships, packed by `StateBytes`.
 * - `state_parts`: the numbers of properties and conditions in packed states (`StateNumbers`).
 * - `build`: the progress of the running backfill (`BackfillProgress`).
 * - `outbox`: membership changes that are not published yet. `position` is 0 when a timer caused the change.
 * - `underived`: published membership changes that a backfill still has to derive.
 * - `publications`: the `PublicationState` of each segment, as JSON.
 *
 * All instants are milliseconds since 1970.
 */
export const segmentTables = `${publishedTables}
  ${underivedTable}
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
