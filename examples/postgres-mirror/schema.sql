CREATE TABLE IF NOT EXISTS entities (
  entity_id uuid PRIMARY KEY,
  external_id text NOT NULL UNIQUE,
  properties jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  -- The own time by which the latest change is ordered.
  latest_at timestamptz NOT NULL
);

-- The own time of the latest set or unset of each property. It decides which part of a late change counts.
-- The names of unset properties stay.
CREATE TABLE IF NOT EXISTS property_times (
  entity_id uuid NOT NULL,
  name text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (entity_id, name)
);

CREATE TABLE IF NOT EXISTS events (
  event_id uuid PRIMARY KEY,
  external_id text NOT NULL,
  name text NOT NULL,
  properties jsonb NOT NULL,
  recorded_at timestamptz NOT NULL,
  occurred_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS events_of_entity ON events (external_id, occurred_at);

-- The members of each segment. A list may be newer than the mirrored entities, so there is no foreign key.
CREATE TABLE IF NOT EXISTS memberships (
  segment text NOT NULL,
  entity_id uuid NOT NULL,
  since timestamptz NOT NULL,
  PRIMARY KEY (segment, entity_id)
);

-- The published membership changes.
CREATE TABLE IF NOT EXISTS membership_changes (
  fact_id uuid PRIMARY KEY,
  segment text NOT NULL,
  version integer NOT NULL,
  entity_id uuid NOT NULL,
  change text NOT NULL CHECK (change IN ('entered', 'left')),
  at timestamptz NOT NULL,
  cause text NOT NULL,
  caused_by uuid
);

-- The version of the last copied list of members, and the highest retired version.
CREATE TABLE IF NOT EXISTS segments (
  segment text PRIMARY KEY,
  version integer NOT NULL DEFAULT 0,
  retired_version integer NOT NULL DEFAULT 0
);

-- One row: the feed continues after this cursor. `log_time` is the latest time of recording of any fact so far.
CREATE TABLE IF NOT EXISTS mirror (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  cursor text NOT NULL,
  log_time text NOT NULL
);
INSERT INTO mirror (cursor, log_time) VALUES ('start', '1970-01-01T00:00:00.000Z')
  ON CONFLICT DO NOTHING;

-- The digest that the service reports for a segment: the sum, modulo 2^64, of the first 8 bytes of the SHA-256
-- of each member's id. PostgreSQL's bigint is signed, which makes no difference modulo 2^64.
CREATE OR REPLACE VIEW segment_digests AS
  WITH sums AS (
    SELECT segment, count(*)::integer AS members,
      mod(
        sum(('x' || left(encode(sha256(entity_id::text::bytea), 'hex'), 16))::bit(64)::bigint),
        18446744073709551616
      ) AS sum
    FROM memberships GROUP BY segment
  )
  SELECT segment, members,
    lpad(to_hex((CASE
      WHEN sum >= 9223372036854775808 THEN sum - 18446744073709551616
      WHEN sum < -9223372036854775808 THEN sum + 18446744073709551616
      ELSE sum
    END)::bigint), 16, '0') AS digest
  FROM sums;
