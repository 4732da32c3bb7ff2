import { statSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import {
  openDatabase,
  prepareRows,
  type Database,
  type Statement,
} from '../../../../../src/adapters/sqlite/file/driver.js'
import { GroupWriter } from '../../../../../src/adapters/sqlite/event-store/append/group-writer.js'
import * as placeholders from '../../../../../src/adapters/sqlite/event-store/append/placeholders.js'
import { NameSecret } from '../../../../../src/adapters/sqlite/file/name-secret.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import type { Outcome } from '../../../../../src/adapters/sqlite/event-store/append/protocol.js'
import { migrate, valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import type { Append } from '../../../../../src/application/recording/ports/event-store.js'
import { addition, creation, keyed, storedFact } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'
import { noNames } from '../../../../support/no-names.js'

const folder = temporaryFolders()
let path: string
let db: Database
/** All connections to the file, in the order in which they were opened. */
let opened: Database[]

beforeEach(() => {
  path = join(folder(), 'dossier.db')
  opened = []
  db = open()
  migrate(db)
})

afterEach(() => {
  for (const one of opened) one.close()
})

/** Opens a connection that can be closed several times. */
function open(): Database {
  const connection = openConnection(path, 100)
  let isClosed = false
  const once: Database = {
    get isTransaction() {
      return connection.isTransaction
    },
    exec: (sql) => {
      connection.exec(sql)
    },
    prepare: (sql) => connection.prepare(sql),
    close: () => {
      if (!isClosed) connection.close()
      isClosed = true
    },
  }
  opened.push(once)
  return once
}

function write(writer: GroupWriter, ...appends: readonly Append[]) {
  return writer.write(appends).outcomes
}

function kinds(outcomes: readonly Outcome[]): readonly string[] {
  return outcomes.map((outcome) => (typeof outcome === 'number' ? 'stored' : outcome.kind))
}

/** Result codes of SQLite: https://sqlite.org/rescode.html */
const codes = { full: 13, busy: 5, busySnapshot: 517, fsync: 1034, write: 778, io: 10, corrupt: 11 }

function sqliteError(errcode: number): Error {
  return Object.assign(new Error('the disk says no'), { code: 'ERR_SQLITE_ERROR', errcode })
}

type Method = 'run' | 'get'

/** Returns a writer whose next use of a statement fails with the code, as it would with a faulty disk. */
function failingWriter(
  sqlBeginsWith: string,
  method: Method,
  errcode: number,
  secret = noNames,
): GroupWriter {
  let failures = 1
  const failing = (statement: Statement): Statement => {
    const used = (name: Method, ...values: Parameters<Statement['run']>) => {
      failures -= name === method ? 1 : 0
      if (name === method && failures >= 0) throw sqliteError(errcode)
      return statement[name](...values)
    }
    return {
      run: (...values) => used('run', ...values),
      get: (...values) => used('get', ...values),
      all: (...values) => statement.all(...values),
      setReturnArrays: (on) => {
        statement.setReturnArrays(on)
      },
    }
  }
  return new GroupWriter(() => {
    const connection = open()
    return {
      get isTransaction() {
        return connection.isTransaction
      },
      exec: (sql) => {
        connection.exec(sql)
      },
      prepare: (sql) =>
        sql.startsWith(sqlBeginsWith) ? failing(connection.prepare(sql)) : connection.prepare(sql),
      close: () => {
        connection.close()
      },
    }
  }, secret)
}

/** Soft-deletes the stream of ada. The writer has a secret of its own. */
function closedStream(writer: GroupWriter): void {
  write(writer, creation('entity-ada', { ...storedFact(), id: 'ada' }))
  const closing = { stream: 'entity-ada', entityId: 'ada', erasureId: 'e', suppress: true }
  const { response } = writer.erase({ kind: 'close', ...closing, fact: storedFact() })
  expect(response.kind).toBe('closed')
}

function failingCommit(errcode: number): GroupWriter {
  return failingWriter('COMMIT', 'run', errcode)
}

describe('a group', () => {
  it('sees the facts that earlier appends of the group write', () => {
    const outcomes = write(
      new GroupWriter(open, noNames),
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

  it('continues after the positions that the file already has', () => {
    const [first] = write(new GroupWriter(open, noNames), creation('entity-a'))
    const [second] = write(new GroupWriter(open, noNames), addition('entity-a'))
    expect(first).toBe(1)
    expect(second).toBe(2)
  })
})

describe('a step of an erasure', () => {
  it('keeps an id blocked when the commit that releases it fails', () => {
    const secret = new NameSecret(join(folder(), 'secret'), false)
    closedStream(new GroupWriter(open, secret))
    const writer = failingWriter('COMMIT', 'run', codes.full, secret)
    const { response } = writer.erase({ kind: 'release', entityId: 'ada' })
    expect(response.kind).toBe('unavailable')
    expect(kinds(write(writer, creation('entity-ada')))).toEqual(['erased'])
    expect(writer.erase({ kind: 'release', entityId: 'ada' }).response.kind).toBe('released')
    expect(kinds(write(writer, creation('entity-ada')))).toEqual(['stored'])
  })

  it('removes all facts of several streams with alternating facts, whichever commit fails', () => {
    const secret = new NameSecret(join(folder(), 'secret'), false)
    const names = ['ada', 'bob', 'cleo']
    const first = new GroupWriter(open, secret)
    for (const name of names)
      write(first, creation(`entity-${name}`, { ...storedFact(), id: name }))
    const closed = ['ada', 'bob']
    for (let n = 0; n < 500; n += 1)
      write(first, ...names.map((name) => addition(`entity-${name}`)))
    const close = (writer: GroupWriter, name: string) =>
      writer.erase({
        ...{ kind: 'close', stream: `entity-${name}`, entityId: name, erasureId: name },
        ...{ suppress: false, fact: { ...storedFact(), type: 'EntityErased' } },
      })
    for (const name of closed) close(first, name)
    for (const writer of [failingCommit(codes.full), failingCommit(codes.fsync)]) {
      for (let step = 0; step < 4; step += 1) {
        for (const entityId of closed) writer.erase({ kind: 'remove', entityId, placeholders })
      }
    }
    const counts = new Map<string, number>()
    const last = new GroupWriter(open, secret)
    const removeSome = (entityId: string) => {
      const { response } = last.erase({ kind: 'remove', entityId, placeholders })
      if (response.kind !== 'removed' || !response.isDone) return
      counts.set(entityId, response.facts['EventRecorded'] ?? 0)
    }
    while (counts.size < closed.length) for (const entityId of closed) removeSome(entityId)
    expect(Object.fromEntries(counts)).toEqual({ ada: 501, bob: 501 })
    expect(valueOf(db, "SELECT count(*) FROM facts WHERE type = 'EventRecorded'")).toBe(501)
    expect(valueOf(db, "SELECT count(*) FROM facts WHERE type = 'FactErased'")).toBe(1_002)
  })

  it('estimates the number of WAL pages, even when the facts are far apart', () => {
    const writer = new GroupWriter(open, new NameSecret(join(folder(), 'secret'), false))
    const large = () => storedFact({ text: 'x'.repeat(6_000) })
    write(writer, creation('entity-ada', { ...storedFact(), id: 'ada' }))
    for (let n = 0; n < 60; n += 1) {
      write(writer, addition('entity-ada'), creation(`entity-${String(n)}`, large()))
    }
    const closing = { stream: 'entity-ada', entityId: 'ada', erasureId: 'e', suppress: true }
    writer.erase({ kind: 'close', ...closing, fact: storedFact() })
    const pages = () => statSync(`${path}-wal`).size / 4_120
    const before = pages()
    let said = 0
    for (;;) {
      const { response, logPages } = writer.erase({ kind: 'remove', entityId: 'ada', placeholders })
      said += logPages
      if (response.kind === 'removed' && response.isDone) break
    }
    expect(said).toBeGreaterThan(60)
    expect(said).toBeGreaterThanOrEqual(Math.floor(pages() - before))
  })
})

describe('an append that expects `first`', () => {
  const first = (stream: string): Append => ({ ...addition(stream), expected: 'first' })

  it('returns the fact that an earlier append of its group writes', () => {
    const created = creation('entity-a', storedFact({ n: 1 }), storedFact({ n: 2 }))
    const outcomes = write(
      new GroupWriter(open, noNames),
      first('entity-a'),
      creation('entity-b'),
      created,
      first('entity-a'),
    )
    expect(kinds(outcomes)).toEqual(['missing', 'stored', 'stored', 'replayed'])
    expect(outcomes[3]).toMatchObject({ position: 2, facts: created.facts.slice(0, 1) })
    expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(3)
  })

  it('fails if the commit of that fact fails, and only then', () => {
    const [position] = write(new GroupWriter(open, noNames), creation('entity-old'))
    const outcomes = write(
      failingCommit(codes.fsync),
      first('entity-old'),
      creation('entity-new'),
      first('entity-new'),
    )
    expect(kinds(outcomes)).toEqual(['replayed', 'unknown', 'unknown'])
    expect(outcomes[0]).toMatchObject({ position })
  })
})

describe('a group with more facts than one INSERT statement has', () => {
  it('stores all facts in order, and a repeated append in it finds the first fact', () => {
    const additions = Array.from({ length: 40 }, (_, n) => addition('entity-a', storedFact({ n })))
    const tenth = keyed(additions[9] ?? addition('entity-a'), 'k')
    const outcomes = write(
      new GroupWriter(open, noNames),
      creation('entity-a'),
      ...additions.slice(0, 9),
      tenth,
      keyed(addition('entity-a'), 'k'),
      ...additions.slice(10),
    )
    expect(outcomes[11]).toMatchObject({ kind: 'replayed', position: 11, facts: tenth.facts })
    expect(outcomes[41]).toBe(41)
    const stored = prepareRows(
      db,
      'SELECT data FROM facts WHERE stream_id = 1 ORDER BY position',
    ).all()
    const sent = additions.map(({ facts: [fact] }) => [fact?.data])
    expect(stored.slice(1)).toEqual(sent)
  })
})

describe('a failed commit', () => {
  it.each([
    ['full', 'unavailable'],
    ['busy', 'unavailable'],
    ['busySnapshot', 'unavailable'],
    ['fsync', 'unknown'],
    ['write', 'unknown'],
    ['io', 'unknown'],
    ['corrupt', 'unknown'],
  ] as const)('with %s is reported as %s', (name, kind) => {
    const [outcome] = write(failingCommit(codes[name]), creation('entity-a'))
    expect(outcome).toMatchObject({ kind, reason: expect.stringContaining(String(codes[name])) })
  })

  it('invalidates only the wrong revision that depends on its facts', () => {
    const at = (revision: number) => ({
      stream: 'segments',
      expected: revision,
      facts: [storedFact()],
    })
    new GroupWriter(open, noNames).write([at(-1)])
    const { outcomes } = failingCommit(codes.fsync).write([at(-1), at(0), at(0), at(1)])
    expect(kinds(outcomes)).toEqual(['wrong_revision', 'unknown', 'unknown', 'unknown'])
    expect(outcomes[0]).toEqual({ kind: 'wrong_revision', actual: 0 })
    expect(valueOf(db, 'SELECT max(revision) FROM revisions')).toBe(0)
  })

  it('invalidates only the outcomes that depend on its facts', () => {
    write(
      new GroupWriter(open, noNames),
      creation('entity-old'),
      keyed(addition('entity-old'), 'old'),
    )
    const writer = failingCommit(codes.fsync)
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

describe('the idempotency keys of the latest facts', () => {
  const keyed1 = keyed(addition('entity-a'), 'k')
  const indexed = () => valueOf(db, 'SELECT count(*) FROM append_keys')

  it('are found by the next process, which reads them from the facts', () => {
    const [, stored] = write(new GroupWriter(open, noNames), creation('entity-a'), keyed1)
    expect(indexed()).toBe(0)
    const next = new GroupWriter(open, noNames)
    expect(write(next, keyed1)).toEqual([
      { kind: 'replayed', position: stored, facts: keyed1.facts },
    ])
    next.indexKeys()
    expect(indexed()).toBe(1)
    expect(valueOf(db, 'SELECT position FROM keys_indexed')).toBe(stored)
    expect(kinds(write(new GroupWriter(open, noNames), keyed1))).toEqual(['replayed'])
  })

  it('are found with all facts of their append', () => {
    const facts = [1, 2, 3].map((n) => storedFact({ n }))
    const append = keyed({ ...addition('entity-a'), facts }, 'k')
    write(new GroupWriter(open, noNames), creation('entity-a'), append, keyed1)
    const [outcome] = write(new GroupWriter(open, noNames), append)
    expect(outcome).toMatchObject({ kind: 'replayed', position: 4, facts: append.facts })
  })

  it('can be used again when their group failed', () => {
    write(new GroupWriter(open, noNames), creation('entity-a'))
    const writer = failingWriter('COMMIT', 'run', codes.full)
    expect(kinds(write(writer, keyed1))).toEqual(['unavailable'])
    expect(kinds(write(writer, keyed1))).toEqual(['stored'])
  })

  it('are found when their commit reported a failure but was stored', () => {
    write(new GroupWriter(open, noNames), creation('entity-a'))
    let hasFailed = false
    const writer = new GroupWriter(() => {
      const connection = open()
      return {
        ...connection,
        get isTransaction() {
          return connection.isTransaction
        },
        prepare: (sql) => {
          const statement = connection.prepare(sql)
          if (sql !== 'COMMIT') return statement
          const run = () => {
            statement.run()
            if (!hasFailed) {
              hasFailed = true
              throw sqliteError(codes.fsync)
            }
          }
          return { ...statement, run, setReturnArrays: () => undefined }
        },
      }
    }, noNames)
    expect(kinds(write(writer, keyed1))).toEqual(['unknown'])
    expect(kinds(write(writer, keyed1))).toEqual(['replayed'])
  })
})

describe('a failed read', () => {
  it.each(['SELECT id FROM streams', 'SELECT first_position'])(
    'refuses the append, and never reports a stream as missing, existing or new (%s)',
    (sql) => {
      const before = new GroupWriter(open, noNames)
      write(before, creation('entity-a'), keyed(addition('entity-a'), 'k'))
      before.indexKeys()
      const writer = failingWriter(sql, 'get', codes.io)
      const repeat = keyed(addition('entity-a'), 'k')
      expect(kinds(write(writer, repeat))).toEqual(['unavailable'])
      expect(kinds(write(writer, repeat, creation('entity-a')))).toEqual(['replayed', 'exists'])
      expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(2)
    },
  )
})

describe('after a failure', () => {
  it('the writer opens a new connection before it closes the old one', () => {
    const writer = failingCommit(codes.fsync)
    const before = opened.length
    write(writer, creation('entity-a'))
    expect(kinds(write(writer, creation('entity-a')))).toEqual(['stored'])
    expect(opened).toHaveLength(before + 1)
  })

  it('the writer keeps its connection if the disk was full or the file was locked', () => {
    const writer = failingCommit(codes.full)
    const before = opened.length
    write(writer, creation('entity-a'))
    write(writer, creation('entity-a'))
    expect(opened).toHaveLength(before)
  })

  it('the writer stores nothing while the file cannot be opened, and tries again with the next group', () => {
    let refusals = 0
    const writer = new GroupWriter(() => {
      refusals -= 1
      if (refusals >= 0) throw sqliteError(codes.io)
      return open()
    }, noNames)
    writer.db.close()
    refusals = 2
    const groups = [1, 2, 3, 4].map(() => kinds(write(writer, creation('entity-a'))))
    expect(groups).toEqual([['unavailable'], ['unavailable'], ['unavailable'], ['stored']])
  })

  it('the writer refuses every group if stored facts are missing from the file', () => {
    write(new GroupWriter(open, noNames), creation('entity-a'), addition('entity-a'))
    const lost = failingCommit(codes.fsync)
    db.exec('DELETE FROM facts WHERE position = 2')
    write(lost, addition('entity-a'))
    expect(write(lost, addition('entity-a'))).toEqual([
      { kind: 'unavailable', reason: 'the file no longer has facts that were stored' },
    ])
  })

  it('the check returns the reason until a write succeeds', () => {
    const writer = failingCommit(codes.fsync)
    expect(writer.check()).toBeUndefined()
    write(writer, creation('entity-a'))
    // A refused append writes nothing, so its success does not show that the disk works.
    expect(kinds(write(writer, addition('entity-missing')))).toEqual(['missing'])
    expect(writer.check()).toMatch(/the disk says no/)
    const locked = openDatabase(path)
    locked.exec('BEGIN IMMEDIATE')
    expect(writer.check()).toMatch(/database is locked/)
    locked.exec('COMMIT')
    locked.close()
    expect(writer.check()).toBeUndefined()
  })
})

describe('a full disk', () => {
  it('refuses appends that need space, answers the others, and stores appends again when there is space', () => {
    const writer = new GroupWriter(open, noNames)
    write(writer, creation('entity-a'))
    writer.db.exec(`PRAGMA max_page_count = ${String(valueOf(db, 'PRAGMA page_count'))}`)
    const big = addition('entity-a', storedFact({ text: 'x'.repeat(100_000) }))
    const outcomes = write(writer, addition('entity-missing'), big, addition('entity-a'))
    expect(kinds(outcomes)).toEqual(['missing', 'unavailable', 'unavailable'])
    expect(valueOf(db, 'SELECT count(*) FROM facts')).toBe(1)
    writer.db.exec('PRAGMA max_page_count = 1000000')
    expect(kinds(write(writer, big))).toEqual(['stored'])
  })
})

describe("another program's lock on the file", () => {
  it('makes a group wait and then refuses it, and the next group succeeds without the lock', () => {
    const writer = new GroupWriter(open, noNames)
    const other = openDatabase(path)
    other.exec('BEGIN IMMEDIATE')
    expect(kinds(write(writer, creation('entity-a')))).toEqual(['unavailable'])
    other.exec('COMMIT')
    other.close()
    expect(kinds(write(writer, creation('entity-a')))).toEqual(['stored'])
  })
})
