import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from '@jest/globals'
import { SqliteEventStore } from '../../../src/adapters/sqlite/sqlite-event-store.js'
import { eventStoreContract } from '../../contracts/event-store-contract.js'
import { silentLog } from '../../support/silent-log.js'
import { addition, creation } from '../../support/stored-facts.js'
import { sqliteFacts } from '../../support/sqlite-facts.js'
import { temporaryFolders } from '../../support/temporary-folder.js'

describe('the store in a SQLite file', () => {
  const folder = temporaryFolders()

  eventStoreContract(() => {
    const path = join(folder(), 'deep', 'dossier.db')
    return {
      open: () =>
        SqliteEventStore.open({ path, timeoutMs: 20_000, maxInFlight: 4_096, log: silentLog }),
      stored: (stream) => Promise.resolve(sqliteFacts(path, stream)),
      keepsItsFacts: true,
    }
  })

  it('answers each of many appends over many turns with its own position, in their order', async () => {
    const path = join(folder(), 'dossier.db')
    const store = await SqliteEventStore.open({
      path,
      timeoutMs: 20_000,
      maxInFlight: 4_096,
      log: silentLog,
    })
    const receipts = [store.append(creation('entity-a'))]
    for (let turn = 0; turn < 200; turn += 1) {
      for (let n = 0; n <= turn % 3; n += 1) receipts.push(store.append(addition('entity-a')))
      await nextTurn()
    }
    const answered = await Promise.all(receipts)
    await store.close()
    expect(answered.map(({ position }) => position)).toEqual(
      answered.map((_receipt, at) => String(at + 1)),
    )
    expect(sqliteFacts(path, 'entity-a')).toEqual(answered.flatMap(({ facts }) => facts))
  })
})
