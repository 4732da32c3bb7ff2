import { expect, it } from '@jest/globals'
import { IdempotencyIndex } from '../../../../src/adapters/eventstoredb/append/idempotency-index.js'
import { KeyedAppend } from '../../../../src/adapters/eventstoredb/append/keyed-append.js'
import type { StreamAccess } from '../../../../src/adapters/eventstoredb/append/stream-access.js'
import { OutcomeUnknown } from '../../../../src/application/recording/ports/store-errors.js'
import { storedFact } from '../../../support/stored-facts.js'

it('is not refused as certainly not stored when its key is there and cannot be read', async () => {
  const index = new IdempotencyIndex()
  index.add([{ fact: storedFact(), revision: 0n, position: 1n, key: 'k' }])
  let reads = 0
  const access: StreamAccess = {
    append: () => Promise.reject(new TypeError('nothing may be appended')),
    read: () => {
      reads += 1
      return reads === 1 ? Promise.resolve([]) : Promise.reject(new TypeError('the store is gone'))
    },
    timeIsUp: () => reads > 3,
    pause: () => Promise.resolve(),
  }
  const append = new KeyedAppend({ key: 'k', facts: [storedFact()] }, access, index)
  await expect(append.run()).rejects.toThrow(OutcomeUnknown)
  expect(reads).toBe(4)
})
