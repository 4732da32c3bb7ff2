import { readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { checkpoint } from '../../../../src/adapters/sqlite/file/checkpoint.js'
import { committedPages } from '../../../../src/adapters/sqlite/file/committed-pages.js'
import type { Database } from '../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../src/adapters/sqlite/file/open-connection.js'
import { byForm } from '../../../support/form.js'
import { temporaryFolders } from '../../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string
let log: string
let db: Database

beforeEach(() => {
  path = join(folder(), 'dossier.db')
  log = `${path}-wal`
  db = openConnection(path, 100)
  db.exec('CREATE TABLE texts (text TEXT)')
})

afterEach(() => {
  db.close()
})

function insert(bytes: number): void {
  db.prepare('INSERT INTO texts VALUES (?)').run('x'.repeat(bytes))
}

it('is what SQLite counts, whatever was committed, taken back or copied before', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('commit' as const), bytes: fc.nat({ max: 30_000 }) }),
    fc.record({ kind: fc.constant('roll back' as const), bytes: fc.nat({ max: 30_000 }) }),
    fc.constant({ kind: 'copy' as const, bytes: 0 }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      for (const { kind, bytes } of steps) {
        if (kind === 'copy') {
          checkpoint(db)
          continue
        }
        db.exec('BEGIN IMMEDIATE')
        insert(bytes)
        db.exec(kind === 'commit' ? 'COMMIT' : 'ROLLBACK')
      }
      insert(1)
      expect(committedPages(log)).toBe(checkpoint(db).logged)
    }),
    { numRuns: byForm({ quick: 15, thorough: 50 }) },
  )
})

describe('a log', () => {
  it('that is missing or empty holds nothing', () => {
    expect(committedPages(`${path}-none`)).toBe(0)
    writeFileSync(`${path}-empty`, '')
    expect(committedPages(`${path}-empty`)).toBe(0)
  })

  it.each([
    ['the last page', -1],
    ['the last commit, which is cut', -5_000],
  ])('that ends before %s holds what was committed before', (_what, more) => {
    insert(1)
    const before = committedPages(log)
    const size = readFileSync(log).length
    insert(20_000)
    const after = readFileSync(log).length
    truncateSync(log, Math.max(size, after + more))
    expect(committedPages(log)).toBe(before)
  })

  it('with a byte that is wrong ends before the commit which it is in', () => {
    insert(1)
    const before = committedPages(log)
    const size = readFileSync(log).length
    insert(20_000)
    insert(1)
    const bytes = readFileSync(log)
    bytes.writeUInt8(bytes.readUInt8(size + 100) ^ 1, size + 100)
    writeFileSync(`${log}-copy`, bytes)
    expect(committedPages(`${log}-copy`)).toBe(before)
  })
})
