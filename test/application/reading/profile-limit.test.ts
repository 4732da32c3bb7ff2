import { beforeEach, describe, expect, test } from '@jest/globals'
import { MemoryEventStore } from '../../../src/adapters/memory/memory-event-store.js'
import { RefusalAt } from '../../../src/application/ports/refusal.js'
import type { FullProfiles, ReadModel } from '../../../src/application/reading/ports/read-model.js'
import { profileLimitIn } from '../../../src/application/reading/profile-limit.js'
import { addEntity } from '../../support/feed-facts.js'
import { LoggedStore } from '../../support/logged-store.js'
import { ReadModelInStep } from '../../support/read-model-in-step.js'

const tooMany = Object.fromEntries(Array.from({ length: 2_049 }, (_, n) => [`p${String(n)}`, n]))

let readModel: ReadModelInStep
beforeEach(() => {
  const logged = new LoggedStore(new MemoryEventStore())
  readModel = new ReadModelInStep(logged)
  addEntity(logged, 'ada', tooMany)
  addEntity(logged, 'bob')
})

/** Returns the limit over a read model whose status lists these full profiles. */
function limitBy(fullProfiles: FullProfiles) {
  const model: Pick<ReadModel, 'query' | 'status'> = {
    query: (name, query, want) => readModel.query(name, query, want),
    get status() {
      return { ...readModel.status, fullProfiles }
    },
  }
  return profileLimitIn(model)
}

describe('the check whether a profile is full', () => {
  test('needs no query when the status lists the full profiles', async () => {
    const isFull = limitBy(['ada', 'eve'])
    expect([await isFull('ada'), await isFull('bob')]).toEqual([true, false])
    expect(readModel.asked).toEqual([])
  })

  test('reads the profile when there are too many full profiles to list', async () => {
    const isFull = limitBy('many')
    expect([await isFull('ada'), await isFull('bob'), await isFull('eve')]).toEqual([
      true,
      false,
      false,
    ])
    expect(readModel.asked.map(({ name }) => name)).toEqual(['profile', 'profile', 'profile'])
  })

  test('returns false without a read model', async () => {
    expect(await profileLimitIn(undefined)('ada')).toBe(false)
  })

  test.each([
    new RefusalAt('read_model_behind', 1),
    new Error('the query failed in the read model'),
  ])('returns false when the read model does not answer: %s', async (error) => {
    readModel.failure = error
    expect(await limitBy('many')('ada')).toBe(false)
  })
})
