import { afterEach, expect, it } from '@jest/globals'
import fc from 'fast-check'
import { EventStoreDouble } from '../support/eventstoredb/event-store-double.js'
import { givenCrowds } from '../support/segments/crowded-histories.js'
import { givenHistories } from '../support/segments/random-histories.js'
import { ServiceHistory } from '../support/segments/service-history.js'
import { checkBuilds, checkTicks } from '../support/segments/published-facts.js'
import { checkPublishedChanges } from '../support/segments/published-changes.js'
import { StartedService } from '../support/started-service.js'
import { temporaryFolders } from '../support/temporary-folder.js'

const makeFolder = temporaryFolders()
const histories = 4
const seed = 20_261_122

let double: EventStoreDouble | undefined
afterEach(async () => {
  await double?.close()
  double = undefined
})

const given = fc.sample(
  fc.tuple(givenCrowds, givenHistories).map(([crowd, history]) => ({
    entityCount: 3,
    steps: [...crowd.steps, ...history.steps],
  })),
  { numRuns: histories, seed },
)

it.each(['sqlite', 'EventStoreDB'])(
  'members that are read, and who is told to enter and leave, are those of a naive evaluation: %s',
  async (store) => {
    let [answers, turns] = [0, 0]
    for (const one of given) {
      if (store !== 'sqlite') double = await EventStoreDouble.start()
      const url = double === undefined ? {} : { STORE_URL: double.connectionString }
      const service = await StartedService.start(makeFolder(), {
        READ_MODEL: 'data/read-model.db',
        ...url,
      })
      const history = new ServiceHistory(service)
      await history.send(one)
      const log = await history.log()
      checkTicks(log)
      checkBuilds(log)
      answers += history.judge(log)
      turns += checkPublishedChanges(log)
      expect((await service.end()).code).toBe(0)
      await double?.close()
      double = undefined
    }
    // So much there is to judge at least.
    expect(answers).toBeGreaterThan(histories * 50)
    expect(turns).toBeGreaterThan(histories * 5)
  },
)
