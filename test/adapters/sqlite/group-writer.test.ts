import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import Database from 'libsql'
import { GroupWriter } from '../../../src/adapters/sqlite/group-writer.js'
import { openConnection } from '../../../src/adapters/sqlite/open-connection.js'
import type { Outcome } from '../../../src/adapters/sqlite/protocol.js'
import { migrate, valueOf } from '../../../src/adapters/sqlite/schema.js'
import type { Append } from '../../../src/application/ports/event-store.js'
import { addition, creation, keyed, storedFact } from '../../support/stored-facts.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()
let db: Database.Database

beforeEach(() => {
  db = openConnection(join(folder(), 'dossier.db'), 100)
  migrate(db)
})

afterEach(() => {
  db.close()
})

function write(writer: GroupWriter, ...appends: readonly Append[]) {
  return writer.write(appends)
}

function kinds(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.map((outcome) => (typeof outcome === 'number' ? 'stored' : outcome.kind))
}

/** The same connection, whose next commit fails as the disk would make it fail. */
function failingCommit(code: string): Database.Database {
  let failures = 1
  return new Proxy(db, {
    get: (target, name) => {
      if (name === 'inTransaction') return target.inTransaction
      if (name !== 'prepare') throw new TypeError(`unexpected use of ${String(name)}`)
      return (sql: string) => {
        if (sql !== 'COMMIT') return target.prepare(sql)
        return {
          run: () => {
            failures -= 1
            if (failures >= 0) throw new Database.SqliteError('the disk says no', code)
            return target.prepare(sql).run()
          },
        }
      }
    },
  })
}

describe('a group', () => {
  it('sees the facts that its earlier members write', () => {
    const outcomes = write(
      new GroupWriter(db),
      creation('entity-a'),
      addition('entity-a'),
      creation('entity-a'),
      addition('entity-b'),
      keyed(addition('entity-a'), 'k'),
      keyed(addition('entity-a'), 'k'),
    )
    expect(kinds(outcomes)).toEqual(['stored', 'stored', 'exists', 'missing', 'stored', 'replayed'])
    expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(3)
  })

  it('goes on after the positions that the file holds', () => {
    const [first] = write(new GroupWriter(db), creation('entity-a'))
    const [second] = write(new GroupWriter(db), addition('entity-a'))
    expect(first).toBe(1)
    expect(second).toBe(2)
  })
})

describe('a group of more facts than one statement takes', () => {
  it('has them all in their order, and a repeat among them finds its first', () => {
    const additions = Array.from({ length: 40 }, (_, n) => addition('entity-a', storedFact({ n })))
    const tenth = keyed(additions[9] ?? addition('entity-a'), 'k')
    const outcomes = write(
      new GroupWriter(db),
      creation('entity-a'),
      ...additions.slice(0, 9),
      tenth,
      keyed(addition('entity-a'), 'k'),
      ...additions.slice(10),
    )
    expect(outcomes[11]).toMatchObject({ kind: 'replayed', position: 11, facts: tenth.facts })
    expect(outcomes[41]).toBe(41)
    const stored: unknown[] = db
      .prepare('SELECT data FROM facts WHERE stream_id = 1 ORDER BY position')
      .raw()
      .all()
    const sent = additions.map(({ facts: [fact] }) => [fact?.data])
    expect(stored.slice(1)).toEqual(sent)
  })
})

describe('a commit that fails', () => {
  it.each([
    ['SQLITE_FULL', 'unavailable'],
    ['SQLITE_BUSY', 'unavailable'],
    ['SQLITE_BUSY_SNAPSHOT', 'unavailable'],
    ['SQLITE_IOERR_FSYNC', 'unknown'],
    ['SQLITE_IOERR_WRITE', 'unknown'],
    ['SQLITE_IOERR', 'unknown'],
    ['SQLITE_CORRUPT', 'unknown'],
  ])('with %s is told as %s', (code, kind) => {
    const [outcome] = write(new GroupWriter(failingCommit(code)), creation('entity-a'))
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(code) })
  })

  it('takes with it the answers that rest on it, and no others', () => {
    write(new GroupWriter(db), creation('entity-old'), keyed(addition('entity-old'), 'old'))
    const writer = new GroupWriter(failingCommit('SQLITE_IOERR_FSYNC'))
    const outcomes = write(
      writer,
      creation('entity-old'),
      keyed(addition('entity-old'), 'old'),
      addition('entity-missing'),
      creation('entity-new'),
      creation('entity-new'),
      keyed(addition('entity-new'), 'k'),
      keyed(addition('entity-new'), 'k'),
    )
    expect(kinds(outcomes)).toEqual([
      'exists',
      'replayed',
      'missing',
      'unknown',
      'unknown',
      'unknown',
      'unknown',
    ])
    expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(2)
    expect(kinds(write(writer, creation('entity-new')))).toEqual(['stored'])
    expect(valueOf(db, 'SELECT max(position) FROM facts')).toBe(3)
  })
})

describe('a disk without room', () => {
  it('refuses what needs room, answers the rest, and works again when there is room', () => {
    const writer = new GroupWriter(db)
    write(writer, creation('entity-a'))
    db.exec(`PRAGMA max_page_count = ${String(valueOf(db, 'PRAGMA page_count'))}`)
    const big = addition('entity-a', storedFact({ text: 'x'.repeat(100_000) }))
    const outcomes = write(writer, addition('entity-missing'), big, addition('entity-a'))
    expect(kinds(outcomes)).toEqual(['missing', 'unavailable', 'unavailable'])
    expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(1)
    db.exec('PRAGMA max_page_count = 1000000')
    expect(kinds(write(writer, big))).toEqual(['stored'])
  })
})

describe('a lock that another program holds on the file', () => {
  it('is waited for, then refused, and harmless once it is gone', () => {
    const writer = new GroupWriter(db)
    const other = new Database(String(valueOf(db, 'SELECT file FROM pragma_database_list')))
    other.exec('BEGIN IMMEDIATE')
    expect(kinds(write(writer, creation('entity-a')))).toEqual(['unavailable'])
    other.exec('COMMIT')
    other.close()
    expect(kinds(write(writer, creation('entity-a')))).toEqual(['stored'])
  })
})
