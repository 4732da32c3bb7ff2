import { hash } from 'node:crypto'
import type { Json, JsonObject } from '../../../domain/json.js'
import { propertyAt, parsePointer, valueAt } from '../../../domain/segments/rule/pointer.js'
import { prepareAll, prepareRows, type Database, type Statements } from '../file/driver.js'
import type { ReadModelFile } from './read-model-file.js'
import { valueOf } from '../file/schema.js'
import { valuesIn, objectIn } from '../file/row.js'

/**
 * The index of entities by the text at a JSON pointer in their profiles. `key` is a short hash of the pointer
 * and the text. Two texts may have the same key, so a search must also compare the profile. A unique key of 16
 * bytes would need twice the space.
 */
export const propertyTables = `
  CREATE TABLE property_texts (
    key INTEGER NOT NULL,
    entity INTEGER NOT NULL,
    PRIMARY KEY (key, entity)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE searchable (pointers TEXT NOT NULL) STRICT;
  INSERT INTO searchable VALUES ('[]');`

/** The length of a key in hexadecimal digits. 13 digits are 52 bits, which a number represents exactly. */
const keyDigits = 13

export function propertyKey(pointer: string, text: string): number {
  return Number.parseInt(hash('sha256', pointer + text).slice(0, keyDigits), 16)
}

const sql = {
  insert: 'INSERT INTO property_texts VALUES (?, ?)',
  delete: 'DELETE FROM property_texts WHERE key = ? AND entity = ?',
} as const

const nothing: ReadonlyMap<string, Json> = new Map()

/** Adds, changes and removes the index entries of entities when their profiles change. */
export class PropertyIndex {
  private readonly places: readonly {
    readonly pointer: string
    readonly steps: readonly string[]
  }[]
  private readonly statements: Statements<typeof sql>

  constructor(db: Database) {
    this.places = indexedPointers(db).map((pointer) => ({ pointer, steps: parsePointer(pointer) }))
    this.statements = prepareAll(db, sql)
  }

  /** Adds the index entries of a new entity. */
  add(entity: number, properties: JsonObject): void {
    for (const { pointer, steps } of this.places) {
      const text = valueAt(properties, steps)
      if (typeof text === 'string') this.statements.insert.run(propertyKey(pointer, text), entity)
    }
  }

  remove(entity: number, properties: JsonObject): void {
    this.change(entity, properties, nothing)
  }

  change(entity: number, before: JsonObject, after: ReadonlyMap<string, Json>): void {
    for (const { pointer, steps } of this.places) {
      const was = valueAt(before, steps)
      const is = propertyAt(after, steps)
      if (was === is) continue
      if (typeof was === 'string') this.statements.delete.run(propertyKey(pointer, was), entity)
      if (typeof is === 'string') this.statements.insert.run(propertyKey(pointer, is), entity)
    }
  }
}

/** Returns the JSON pointers that the index covers. */
export function indexedPointers(db: Database): readonly string[] {
  // `indexProperties` wrote this text, so it is a JSON array of strings.
  return JSON.parse(String(valueOf(db, 'SELECT pointers FROM searchable'))) as readonly string[]
}

const profilesAtOnce = 1_000

/**
 * Changes the index of all existing profiles so that it covers exactly these pointers. Does nothing when the
 * index covers them already.
 */
export function indexProperties(file: ReadModelFile, pointers: readonly string[]): void {
  const { db } = file
  const wanted = JSON.stringify([...pointers].sort())
  if (JSON.stringify(indexedPointers(db)) === wanted) return
  db.exec('BEGIN IMMEDIATE')
  try {
    db.exec('DELETE FROM property_texts')
    db.prepare('UPDATE searchable SET pointers = ?').run(wanted)
    addAll(db)
    file.beforeCommit()
    db.exec('COMMIT')
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK')
    throw error
  }
  file.committed()
}

function addAll(db: Database): void {
  const index = new PropertyIndex(db)
  const profiles = prepareRows(
    db,
    'SELECT entity, properties FROM entities WHERE entity > ? ORDER BY entity LIMIT ?',
  )
  for (let last = 0; ;) {
    const rows = profiles.all(last, profilesAtOnce).map(valuesIn)
    for (const [entity, properties] of rows) {
      last = Number(entity)
      index.add(last, objectIn(String(properties)))
    }
    if (rows.length < profilesAtOnce) return
  }
}
