import { expect, it } from '@jest/globals'
import { Random } from '../../fault-injection/random.js'
import { killUnderBatches } from '../../fault-injection/scenarios/kill.js'
import { openDouble, openSqlite } from '../../fault-injection/stores.js'

const stores = { sqlite: openSqlite, EventStoreDB: openDouble }
const tried: readonly (keyof typeof stores)[] = ['sqlite', 'EventStoreDB']

it.each(tried)(
  'stores each item once and loses none when it is killed in the middle of batches: %s',
  async (store) => {
    const row = await killUnderBatches(await stores[store](), {
      form: 'quick',
      random: new Random(7),
      runId: 'killed',
      say: () => undefined,
      stores: [],
    })
    expect(row.faults).toEqual([])
    expect([row.acknowledged, row.found]).toEqual([row.tried, row.tried])
  },
  120_000,
)
