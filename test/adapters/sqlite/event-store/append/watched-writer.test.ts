import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from '@jest/globals'
import { GroupWriter } from '../../../../../src/adapters/sqlite/event-store/append/group-writer.js'
import { WatchedWriter } from '../../../../../src/adapters/sqlite/event-store/append/watched-writer.js'
import type { Database } from '../../../../../src/adapters/sqlite/file/driver.js'
import { openConnection } from '../../../../../src/adapters/sqlite/file/open-connection.js'
import { OpenFiles } from '../../../../../src/adapters/sqlite/file/open-files.js'
import { migrate, valueOf } from '../../../../../src/adapters/sqlite/file/schema.js'
import { noNames } from '../../../../support/no-names.js'
import { addition, creation, keyed, repeat } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string
let db: Database
let now: number
/** Runs after the next commit, before its outcome is returned. */
let afterCommit: () => void
let writer: WatchedWriter

class Committing extends GroupWriter {
  override write(group: Parameters<GroupWriter['write']>[0]) {
    const written = super.write(group)
    afterCommit()
    return written
  }

  override erase(step: Parameters<GroupWriter['erase']>[0]) {
    const erased = super.erase(step)
    afterCommit()
    return erased
  }
}

beforeEach(() => {
  path = join(folder(), 'dossier.db')
  db = openConnection(path, 100)
  migrate(db)
  now = 1_000
  afterCommit = () => undefined
  writer = new WatchedWriter(
    new Committing(() => db, noNames),
    new OpenFiles(path, { now: () => now }),
  )
  writer.write([creation('entity-a')])
})

afterEach(() => {
  db.close()
})

function moveAway(): void {
  renameSync(path, `${path}.away`)
}

const facts = () => valueOf(db, 'SELECT count(*) FROM facts')
const unavailable = {
  kind: 'unavailable',
  reason: expect.stringMatching(/^dossier\.db was removed/),
}
const unknown = { ...unavailable, kind: 'unknown' }

it('the writer acknowledges facts for at most 100 ms after the last check of the files, and then stores nothing', () => {
  moveAway()
  now += 99
  expect(writer.write([addition('entity-a')]).outcomes).toEqual([2])
  now += 1
  for (let again = 0; again < 2; again += 1) {
    const { outcomes, facts: stored } = writer.write([addition('entity-a'), creation('entity-b')])
    expect(outcomes).toEqual([unavailable, unavailable])
    expect(stored).toBe(0)
  }
  expect(facts()).toBe(2)
})

it('a group that was committed to a removed file has an unknown outcome', () => {
  afterCommit = () => {
    moveAway()
    now += 100
  }
  const { outcomes, facts: stored } = writer.write([addition('entity-a'), creation('entity-a')])
  expect(outcomes).toEqual([unknown, unknown])
  expect(stored).toBe(0)
  expect(writer.write([addition('entity-a')]).outcomes).toEqual([unavailable])
})

it('an idempotent response is refused when the stored facts may be lost', () => {
  const append = keyed(addition('entity-a'), 'key')
  expect(writer.write([append]).outcomes).toEqual([2])
  afterCommit = () => {
    moveAway()
    now += 100
  }
  expect(writer.write([repeat(append)]).outcomes).toEqual([unknown])
  expect(writer.write([repeat(append)]).outcomes).toEqual([unavailable])
})

it('a step of an erasure is refused when the file is removed', () => {
  const step = { kind: 'release', entityId: 'nobody' } as const
  afterCommit = () => {
    moveAway()
    now += 100
  }
  expect(writer.erase(step).response).toEqual(unknown)
  expect(writer.erase(step).response).toEqual(unavailable)
  expect(() => writer.use(() => 'the files were searched')).toThrow(/^dossier\.db was removed/)
})

it('the next check returns the reason, even directly after the loss', () => {
  expect(writer.check()).toBeUndefined()
  moveAway()
  expect(writer.check()).toMatch(/^dossier\.db was removed/)
})
