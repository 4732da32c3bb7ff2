/**
 * The tables of the dictionary: counts over all facts of the entities that exist.
 * - `dictionary_names`: the event names. The row with the id 0 stands for the profiles. `pointers` is the number
 *   of rows in `dictionary_pointers`. `is_full` is 1 after a pointer was left out.
 * - `dictionary_days`: the number of events of a name on a day, which is a number of days since 1970 in UTC.
 * - `dictionary_pointers`: the number of values at a pointer by JSON type: in events of a name, or in profiles.
 * - `dictionary_totals`: the number of created entities and of events on a day.
 * - `dictionary_state`: `is_full` is 1 after an event name was left out. The other columns belong to
 *   `EventRecount`; they are null while no events are counted again.
 *
 * A row whose counts are 0 is deleted, because a name may be personal.
 */
export const dictionaryTables = `
  CREATE TABLE dictionary_names (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    count INTEGER NOT NULL,
    pointers INTEGER NOT NULL,
    is_full INTEGER NOT NULL
  ) STRICT;
  INSERT INTO dictionary_names VALUES (0, '', 0, 0, 0);
  CREATE TABLE dictionary_days (
    name_id INTEGER NOT NULL,
    day INTEGER NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (name_id, day)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dictionary_pointers (
    name_id INTEGER NOT NULL,
    pointer TEXT NOT NULL,
    strings INTEGER NOT NULL,
    numbers INTEGER NOT NULL,
    booleans INTEGER NOT NULL,
    nulls INTEGER NOT NULL,
    objects INTEGER NOT NULL,
    arrays INTEGER NOT NULL,
    PRIMARY KEY (name_id, pointer)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE dictionary_totals (
    day INTEGER PRIMARY KEY,
    people INTEGER NOT NULL,
    events INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE dictionary_state (
    is_full INTEGER NOT NULL,
    recount_until INTEGER,
    recount_entity INTEGER,
    recount_position INTEGER
  ) STRICT;
  INSERT INTO dictionary_state VALUES (0, NULL, NULL, NULL);`

/** The id of the profiles in `dictionary_names`. */
export const profilesId = 0

/** The most event names that are counted. */
export const maxNames = 10_000

const dayMs = 86_400_000

/**
 * Returns the day on which a fact is counted, as a number of days since 1970 in UTC. `at` is the instant in the
 * log entry of the fact: the time of occurrence of an event, and otherwise the time of recording.
 */
export function countedDay(at: number): number {
  return Math.floor(at / dayMs)
}

/** Formats a day as `2026-11-20`. */
export function dayText(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, '2026-11-20'.length)
}
