import { join } from 'node:path'
import { expect, it } from '@jest/globals'
import Database from 'libsql'
import { SqliteEventStore } from '../../../src/adapters/sqlite/sqlite-event-store.js'
import { OutcomeUnknown } from '../../../src/application/ports/store-errors.js'
import { silentLog } from '../../support/silent-log.js'
import { addition, creation, keyed } from '../../support/stored-facts.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

const folder = temporaryFolders()

it('is unknown at the time-out, holds up nothing else, and is found by its key later', async () => {
  const path = join(folder(), 'dossier.db')
  const store = await SqliteEventStore.open({ path, timeoutMs: 300, log: silentLog })
  await store.append(creation('entity-a'))
  const holder = new Database(path)
  holder.exec('BEGIN IMMEDIATE')
  const results = await Promise.allSettled([
    store.append(keyed(addition('entity-a'), 'k')),
    store.append(addition('entity-a')),
  ])
  for (const result of results) {
    expect(result).toEqual({ status: 'rejected', reason: expect.any(OutcomeUnknown) })
  }
  holder.exec('COMMIT')
  holder.close()
  const receipt = await store.append(keyed(addition('entity-a'), 'k'))
  expect(await store.append(keyed(addition('entity-a'), 'k'))).toEqual({
    ...receipt,
    replayed: true,
  })
  await expect(store.check()).resolves.toBeUndefined()
  await store.close()
})
