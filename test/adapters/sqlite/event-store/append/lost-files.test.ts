import { copyFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeEach, describe, expect, it } from '@jest/globals'
import type { SqliteEventStore } from '../../../../../src/adapters/sqlite/event-store/append/sqlite-event-store.js'
import { isRefused } from '../../../../../src/application/ports/refusal.js'
import { LogLines } from '../../../../support/log-lines.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { sqliteFacts } from '../../../../support/sqlite-facts.js'
import { addition, creation } from '../../../../support/stored-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

const folder = temporaryFolders()
let path: string
let log: LogLines
let losses: string[]
let store: SqliteEventStore

beforeEach(async () => {
  path = join(folder(), 'dossier.db')
  log = new LogLines()
  losses = []
  store = await openSqliteStore(path, { log, onLost: (reason) => losses.push(reason) })
  await store.append(creation('entity-a'))
})

/** Appends until an append is refused. Returns the number of acknowledged appends. */
async function appendUntilRefused(): Promise<number> {
  for (let acknowledged = 0; ; acknowledged += 1) {
    try {
      await store.append(addition('entity-a'))
    } catch (error) {
      expect(isRefused(error, 'store_unavailable', 'outcome_unknown')).toBe(true)
      return acknowledged
    }
  }
}

describe.each(['', '-wal', '-shm', '.lock'])(
  'a running store whose dossier.db%s is removed',
  (ending) => {
    const lost = new RegExp(
      `^dossier\\.db${ending.replace('.', '\\.')} was removed, moved or replaced`,
    )

    it('refuses all requests, logs the reason once, and has every acknowledged fact at its end', async () => {
      rmSync(`${path}${ending}`)
      const acknowledged = await appendUntilRefused()
      await expect(store.append(addition('entity-a'))).rejects.toMatchObject({
        code: 'store_unavailable',
        message: expect.stringMatching(lost),
      })
      await expect(store.check()).rejects.toThrow(lost)
      expect(losses).toEqual([expect.stringMatching(lost)])
      expect(log.lines.filter(({ message }) => message === 'the store is gone')).toHaveLength(1)
      await store.close()
      if (ending === '') return
      // The file may also contain one append with an unknown outcome.
      expect(sqliteFacts(path, 'entity-a').length).toBeGreaterThanOrEqual(1 + acknowledged)
    })

    it('detects the loss with a health check when nobody writes', async () => {
      rmSync(`${path}${ending}`)
      await expect(store.check()).rejects.toThrow(lost)
      expect(losses).toEqual([expect.stringMatching(lost)])
      await store.close()
    })
  },
)

it('every acknowledged fact is in the data file that was moved away, when an older copy replaces it', async () => {
  copyFileSync(path, `${path}.older`)
  renameSync(path, `${path}.away`)
  renameSync(`${path}.older`, path)
  const acknowledged = await appendUntilRefused()
  await store.close()
  expect(sqliteFacts(`${path}.away`, 'entity-a').length).toBeGreaterThanOrEqual(1 + acknowledged)
  // The WAL of the moved file must not be next to the older copy, because a start would mix the two.
  const older = await openSqliteStore(path)
  await older.append(addition('entity-a')).catch(() => undefined)
  await older.close()
  expect(sqliteFacts(path, 'entity-a').length).toBeLessThanOrEqual(1)
})

it('the WAL stays next to the path of a data file that was moved away, so that the file can be moved back', async () => {
  renameSync(path, `${path}.away`)
  const acknowledged = await appendUntilRefused()
  await store.close()
  await expect(openSqliteStore(path)).rejects.toThrow(
    /is there without its database.*put the database back/,
  )
  renameSync(`${path}.away`, path)
  expect(sqliteFacts(path, 'entity-a').length).toBeGreaterThanOrEqual(1 + acknowledged)
})

it('a store whose folder is moved away detects the loss', async () => {
  const place = dirname(path)
  renameSync(place, `${place}-away`)
  await appendUntilRefused()
  await store.close()
  expect(losses).toEqual([expect.stringMatching(/^dossier\.db was removed, moved/)])
  rmSync(`${place}-away`, { recursive: true })
})
