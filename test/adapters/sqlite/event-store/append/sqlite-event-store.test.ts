import { join } from 'node:path'
import { setImmediate as immediate } from 'node:timers/promises'
import { afterAll, describe, expect, it } from '@jest/globals'
import { openDatabase } from '../../../../../src/adapters/sqlite/file/driver.js'
import type { Append } from '../../../../../src/application/recording/ports/event-store.js'
import { eventStoreContract } from '../../../../contracts/event-store-contract.js'
import type { HeldAppend } from '../../../../contracts/held-append.js'
import { openSqliteStore } from '../../../../support/open-sqlite-store.js'
import { addition, creation } from '../../../../support/stored-facts.js'
import { sqliteFacts } from '../../../../support/sqlite-facts.js'
import { temporaryFolders } from '../../../../support/temporary-folder.js'

/**
 * Locks the file over another connection. The append waits for the lock, and all later appends wait for the
 * append.
 */
function holdWriter(path: string): HeldAppend {
  const holder = openDatabase(path)
  holder.exec('BEGIN IMMEDIATE')
  let isHeld = true
  const release = () => {
    if (isHeld) holder.close()
    isHeld = false
  }
  return { reached: Promise.resolve(), holdsUpOthers: true, release }
}

describe('the store in a SQLite file', () => {
  const folder = temporaryFolders(afterAll)

  let place: string
  eventStoreContract(
    () => {
      const path = join(folder(), 'deep', 'dossier.db')
      place = path
      return {
        open: () => openSqliteStore(path),
        stored: (stream) => Promise.resolve(sqliteFacts(path, stream)),
        keepsItsFacts: true,
      }
    },
    () => Promise.resolve(holdWriter(place)),
  )

  it('resolves each of many appends over many turns with its own position, in order', async () => {
    const path = join(folder(), 'dossier.db')
    const store = await openSqliteStore(path)
    const receipts = [store.append(creation('entity-a'))]
    for (let turn = 0; turn < 200; turn += 1) {
      for (let n = 0; n <= turn % 3; n += 1) receipts.push(store.append(addition('entity-a')))
      await immediate()
    }
    const answered = await Promise.all(receipts)
    await store.close()
    expect(answered.map(({ position }) => position)).toEqual(
      answered.map((_receipt, at) => String(at + 1)),
    )
    expect(sqliteFacts(path, 'entity-a')).toEqual(answered.flatMap(({ facts }) => facts))
  })

  it('settles appends in `catchUp` without a turn of the event loop', async () => {
    const path = join(folder(), 'dossier.db')
    const store = await openSqliteStore(path)
    await store.append(creation('entity-a'))
    // The store sends 32 appends to the writer before the turn ends.
    const receipts = Array.from({ length: 32 }, () => store.append(addition('entity-a')))
    const end = performance.now() + 20_000
    while (store.queued.appends > 0 && performance.now() < end) store.catchUp()
    expect(store.queued).toEqual({ appends: 0, bytes: 0 })
    expect((await Promise.all(receipts)).map(({ position }) => Number(position))).toEqual(
      Array.from(receipts, (_, at) => at + 2),
    )
    await store.close()
  })

  it('is lost when its writer thread ends, makes pending appends unknown, and reports the loss once', async () => {
    const lost: string[] = []
    const path = join(folder(), 'dossier.db')
    const store = await openSqliteStore(path, { onLost: (reason) => lost.push(reason) })
    // The text has one part too many. The writer thread ends because of this bug.
    const broken = { ...creation('entity-b'), expected: 'new\0' } as unknown as Append
    const appends = [creation('entity-a'), broken]
    const results = await Promise.allSettled(appends.map((append) => store.append(append)))
    for (const result of results) {
      expect(result).toEqual({
        status: 'rejected',
        reason: expect.objectContaining({ code: 'outcome_unknown' }),
      })
    }
    await expect(store.append(creation('entity-c'))).rejects.toMatchObject({
      code: 'store_unavailable',
    })
    await expect(store.check()).rejects.toMatchObject({ code: 'store_unavailable' })
    expect(lost).toEqual([expect.stringMatching(/^the writer thread failed: /)])
    await store.close()
  })
})
