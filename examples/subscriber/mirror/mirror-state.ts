import { rowsOf, type Database } from '../database.js'

export const mirrorStateTable = `
  CREATE TABLE IF NOT EXISTS mirror (
    only_row INTEGER PRIMARY KEY CHECK (only_row = 1),
    segment TEXT NOT NULL,
    since_position TEXT NOT NULL,
    version INTEGER NOT NULL DEFAULT 0,
    retired_version INTEGER NOT NULL DEFAULT 0,
    id_begins TEXT
  ) STRICT;`

type Row = readonly [string, string, number, number, string | null]

/** What a mirror is of, beside its members. Written in the transactions of the mirror. */
export class MirrorState {
  private readonly statements: ReturnType<typeof prepare>

  constructor(db: Database) {
    this.statements = prepare(db)
  }

  /** Undefined before `begin`. */
  get value() {
    const row = this.statements.read.get() as Row | undefined
    if (row === undefined) return undefined
    const [segment, since, version, retiredVersion, idBegins] = row
    return { segment, since, version, retiredVersion, idBegins: idBegins ?? undefined }
  }

  /** Whose list the members began with; 0 before the first list. */
  get version(): number {
    return this.value?.version ?? 0
  }

  /** The highest version at which the segment was retired; 0 when it never was. */
  get retiredVersion(): number {
    return this.value?.retiredVersion ?? 0
  }

  /** `since`: the position from which on it is told who entered. */
  begin(segment: string, since: string): void {
    this.statements.begin.run(segment, since)
  }

  listed(version: number): void {
    this.statements.listed.run(version)
  }

  retired(version: number): void {
    this.statements.retired.run(version)
  }

  /** How the id of the fact at the checkpoint begins. */
  reached(idBegins: string | undefined): void {
    this.statements.reached.run(idBegins ?? null)
  }
}

function prepare(db: Database) {
  return {
    read: rowsOf(
      db.prepare('SELECT segment, since_position, version, retired_version, id_begins FROM mirror'),
    ),
    begin: db.prepare('INSERT INTO mirror (only_row, segment, since_position) VALUES (1, ?, ?)'),
    listed: db.prepare('UPDATE mirror SET version = ?'),
    retired: db.prepare('UPDATE mirror SET retired_version = max(retired_version, ?)'),
    reached: db.prepare('UPDATE mirror SET id_begins = ?'),
  }
}
