import type { DefinedSegment } from '../../../../domain/segments/timeline.js'
import { prepareRows, type Database, type Statement } from '../../file/driver.js'
import { valuesIn } from '../../file/row.js'
import { digestText } from './hashes.js'

/** The members of a segment where its build begins to count: at the definition that caused it. */
export interface Baseline {
  readonly members: number
  /** 16 hex digits. */
  readonly digest: string
}

export class Baselines {
  private readonly find: Statement
  private readonly insert: Statement
  private readonly remove: Statement

  constructor(db: Database) {
    this.find = prepareRows(
      db,
      'SELECT members, digest FROM baselines WHERE segment = ? AND position = ?',
    )
    this.insert = db.prepare('INSERT OR REPLACE INTO baselines VALUES (?, ?, ?, ?)')
    this.remove = db.prepare('DELETE FROM baselines WHERE segment = ?')
  }

  of({ key, through }: DefinedSegment): Baseline | undefined {
    const row = this.find.get(key, through.position)
    if (row === undefined) return undefined
    const [members, digest] = valuesIn(row)
    return { members: Number(members), digest: String(digest) }
  }

  add(
    { key, through }: DefinedSegment,
    { members, digest }: { readonly members: number; readonly digest: bigint },
  ): void {
    this.insert.run(key, through.position, members, digestText(digest))
  }

  /** When one of them is served. */
  removeAll(key: string): void {
    this.remove.run(key)
  }
}
